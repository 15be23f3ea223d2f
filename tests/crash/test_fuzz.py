"""Mutated logs, from the first byte to every output: no exception, nothing that can do harm."""

import gzip
import json
import unicodedata

import pytest
import zstandard
from crash.logs import OOM, deep_traceback
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fitguard.crash.explanation import explain
from fitguard.knowledge import knowledge
from fitguard.report.privacy.redaction import redact_here
from fitguard.report.render import FORMATS, render

EXAMPLES = [
    example.encode() for signature in knowledge().signatures.all for example in signature.examples
]
TAG = "<fuzz onload=x>"
NASTY = [
    TAG.encode(), b"</script>", b"]]></x>", b"`", b"|", b"$(", b"%s%n", b"::error::", b'"', b"{",
    b"\x1b[31m", b"\x1b]0;title\x07", b"\x1b]8;;x\x1b\\", b"\x9b", b"\r", b"\r\n", b"\t", b"\0",
    b"\xff", b"\xc3", "\u202e".encode(), "\u2028".encode(), "🙂".encode(), b"\\n", b"\x1f\x8b\x08",
    b"[1,3]<stderr>:", b"(pid=1) ", b'{"log":"', b"E   ", b"0: ", b"9" * 400, b"1e999", b"shape[",
    b"-" * 50, deep_traceback(3), OOM.encode(),
]  # fmt: skip
PARTS = st.one_of(
    st.sampled_from(EXAMPLES),
    st.sampled_from(EXAMPLES),
    st.sampled_from(NASTY),
    st.binary(max_size=20),
    st.text(max_size=20).map(lambda text: text.encode("utf-8", "replace")),
)
WRAPPINGS = [
    lambda log: log,
    lambda log: log,
    gzip.compress,
    zstandard.compress,
    lambda log: gzip.compress(log)[: max(12, len(log) // 3)],
    lambda log: log.decode("utf-8", "replace").encode("utf-16"),
    lambda log: b"\n".join(
        json.dumps({"log": line.decode("utf-8", "replace") + "\n"}).encode()
        for line in log.split(b"\n")
    ),
]


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    """Real lines, with other things in them, between them and around them."""
    log = bytearray()
    for part in draw(st.lists(PARTS, max_size=12)):
        place = draw(st.integers(0, len(log))) if draw(st.booleans()) else len(log)
        log[place:place] = part + draw(st.sampled_from([b"\n", b"", b"\r", b" "]))
    return draw(st.sampled_from(WRAPPINGS))(bytes(log))


OWN = {"markdown": "\u200b"}
"""What a form writes of itself: Markdown keeps a quoted @name from calling that person."""


def check(log: bytes, exit_code: int | None) -> None:
    """Explain it, and look at all that comes out."""
    diagnosis = redact_here(explain(log, exit_code=exit_code))
    for form in FORMATS:
        output = render(diagnosis, form, verbose=True)
        output.encode("utf-8")
        odd = {char for char in output if unicodedata.category(char) in ("Cc", "Cf", "Cs")}
        assert odd <= {"\n", *OWN.get(form, "")}, form
        if form in ("json", "sarif"):
            json.loads(output)
        if form == "html":
            assert TAG not in output


EXIT_CODES = st.sampled_from([None, None, 0, 1, -11, 134, 137, 3221225477, -(2**40), 2**70])
QUICK = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
LONG = settings(max_examples=5_000, deadline=None, suppress_health_check=list(HealthCheck))


@QUICK
@given(logs(), EXIT_CODES)
def test_mutated_logs(log: bytes, exit_code: int | None) -> None:
    check(log, exit_code)


@pytest.mark.soak
@LONG
@given(logs(), EXIT_CODES)
def test_mutated_logs_for_long(log: bytes, exit_code: int | None) -> None:
    check(log, exit_code)


@pytest.mark.soak
@LONG
@given(st.binary(max_size=5000))
def test_any_bytes_for_long(log: bytes) -> None:
    check(log, None)
