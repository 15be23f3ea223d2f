"""What launchers, containers and log services put in front of a line. TensorFlow's own stays."""

import re

_TIME = r"\d\d:\d\d:\d\d(?:[.,]\d+)?"
_ISO = rf"\d{{4}}-\d\d-\d\dT{_TIME}(?:Z|[+-]\d\d:?\d\d)"
_SYSLOG = rf"[A-Z][a-z]{{2}} [ \d]\d {_TIME}"

PREFIXES = tuple(
    re.compile(pattern)
    for pattern in (
        # mpirun, horovodrun, SageMaker: [1,3]<stderr>: and with the time, Mon Nov 16 17:20:33 2026
        rf"(?:[A-Z][a-z]{{2}} {_SYSLOG} \d{{4}} ?)?"
        r"\[(?P<worker>[\w:.,@-]{1,80})\]<std(?:out|err)>: ?",
        # Ray: (train_fn pid=812, ip=10.0.0.3)
        r"\((?:[^\s()]{1,80} )?(?P<worker>pid=\d{1,10}(?:, ip=[\w.:]{1,60})?)\) ?",
        # kubectl logs --prefix: [pod/train-0/main]
        r"\[pod/(?P<worker>[\w./-]{1,200})\] ?",
        # torchrun: [default0]:[rank0]:
        r"\[(?P<worker>(?:default|rank)\d{1,5})\]: ?",
        # docker compose: train_2_1  |
        r"(?P<worker>(?=[\w.-]{0,100}\d)[A-Za-z][A-Za-z0-9.]{0,99}[-_][\w.-]{1,100})\s{1,60}\| ?",
        # journald, syslog; what the kernel and systemd say keeps their names.
        rf"(?:{_SYSLOG}|{_ISO}) [\w.-]{{1,100}} (?=kernel: |systemd)",
        rf"(?:{_SYSLOG}|{_ISO}) [\w.-]{{1,100}} (?P<worker>[\w./@-]{{1,100}}\[\d{{1,10}}\]): ",
        # Kubernetes, GitLab, GitHub Actions, ts
        rf"{_ISO} std(?:out|err) [FP](?: |$)",
        rf"{_ISO} \d\d[OE][ +]",
        rf"{_ISO} ",
        rf"{_SYSLOG} ",
        # pytest
        r"E {3,}(?=\S)",
    )
)
_ANY = re.compile("|".join(prefix.pattern.replace("?P<worker>", "?:") for prefix in PREFIXES))
"""Most lines have none: one look is enough."""
LABEL = re.compile(r" {0,5}(?P<worker>\d{1,5}): ")
"""Of `srun --label`; a line alone does not tell it from a line with a number."""
DEEPEST = 6


def without_prefixes(text: str) -> tuple[str, str | None]:
    """The line without what was put in front of it, and the innermost worker that was named."""
    text, worker = text.rstrip(), None
    for _ in range(DEEPEST):
        if not _ANY.match(text):
            break
        found = next(match for prefix in PREFIXES if (match := prefix.match(text)))
        worker = found.groupdict().get("worker") or worker
        text = text[found.end() :]
    return text, worker
