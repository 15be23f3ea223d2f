"""Private names, secrets and control characters."""

import getpass
import re

import msgspec
import pytest
from growth import is_linear
from hypothesis import given
from hypothesis import strategies as st
from report.samples import BROKEN, DOCUMENTS, FACTS, NASTY, UNSEEN

from fitguard.report.privacy.redaction import clean, clean_strings, redact, redact_here
from fitguard.schema.facts import Facts
from fitguard.schema.hardware import Gpu

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"


def hidden(
    text: str, home: str = "/home/ann", user: str = "ann", host: str = "dgx07.lab.org"
) -> str:
    return redact(text, home=home, user=user, host=host)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/home/ann/x.py", "~/x.py"),
        ("/home/bob", "~"),
        ("PATH=/usr/bin:/home/bob/bin:/Users/eve/bin", "PATH=/usr/bin:~/bin:~/bin"),
        ("file:///home/bob/a", "file://~/a"),
        ("/mnt/home/bob/a", "/mnt/home/<user>/a"),
        (r"C:\Users\Bob\AppData", r"~\AppData"),
        (r"C:\Users\Bob Miller\AppData", r"~\AppData"),
        (r"C:\\Users\\Bob\\AppData", r"~\\AppData"),
        ("/Users/Shared/x", "/Users/Shared/x"),
        (r"C:\Users\Ann Lee", "~"),
        (r"Python at C:\Users\Ann Lee", "Python at ~"),
        (r"no 'C:\Users\ann lee' here", "no '~' here"),
        (r"PATH=C:\x;C:\Users\ann lee;C:\y", r"PATH=C:\x;~;C:\y"),
        (r"C:\Users\Ann is missing, Sir", "~"),
        (r"no C:\Users\Ann is there", "no ~ is there"),
        ("/home/annex/x", "~/x"),
        ("/home/ann.lee/x", "~/x"),
        ("/opt/homework/x", "/opt/homework/x"),
    ],
)
def test_home_folders(text: str, expected: str) -> None:
    assert hidden(text) == expected


def test_a_home_elsewhere_is_found_and_its_namesake_is_not() -> None:
    text = "/data/people/x7 /data/people/x72 /mnt/data/people/x7"
    assert hidden(text, home="/data/people/x7/") == "~ /data/people/x72 /mnt/data/people/x7"


def test_a_home_on_windows_is_found_in_any_spelling() -> None:
    text = r"D:\people\Ann Lee\x d:/people/ann lee/x D:\\people\\Ann Lee\\x D:\people\Ann Leeds"
    assert hidden(text, home=r"D:\people\Ann Lee", user="") == (r"~\x ~/x ~\\x D:\people\Ann Leeds")


@pytest.mark.parametrize("home", ["", "/"])
def test_an_empty_home_hides_nothing(home: str) -> None:
    assert hidden("/usr/lib/x", home=home) == "/usr/lib/x"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ann on dgx07", "<user> on <host>"),
        ("dgx07.lab.org", "<host>"),
        ("ann_env ann-laptop", "<user>_env <user>-laptop"),
        ("annotation channel Ann", "annotation channel Ann"),
        ("DGX07 Dgx07.Lab.org", "<host> <host>"),
        (r"D:\data\Ann\x D:\ANN_env", r"D:\data\<user>\x D:\<user>_env"),
    ],
)
def test_names_are_whole_words(text: str, expected: str) -> None:
    assert hidden(text) == expected


def test_a_long_user_name_is_found_in_any_case() -> None:
    assert hidden("Annika ANNIKA annika", user="annika") == "<user> <user> <user>"
    assert hidden("Anni ANNI anni", user="anni") == "Anni ANNI <user>"


@pytest.mark.parametrize("name", ["root", "user", "tensorflow", "nvidia", "lib", "ab", ""])
def test_names_that_say_nothing_stay(name: str) -> None:
    text = f"/opt/{name}/lib tensorflow root"
    assert hidden(text, user=name, host=name) == text


@pytest.mark.parametrize(
    "secret",
    [
        "ghp_0123456789abcdefghij0123456789abcdef",
        "github_pat_11ABCDEFG0123456789_abcdefghijkl",
        "hf_abcdefghijklmnopqrstuvwxyz",
        "sk-proj-0123456789abcdefABCDEF",
        "AKIAIOSFODNN7EXAMPLE",
        "xoxb-123456789012-abcdef",
        JWT,
    ],
)
def test_tokens(secret: str) -> None:
    assert hidden(f"key {secret}, end") == "key <secret>, end"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x?token=abc&y=1", "x?token=<secret>&y=1"),
        ("PASSWORD='a b c' next", "PASSWORD=<secret> next"),
        ('{"password": "hunter2"}', '{"password": <secret>}'),
        ("run --password hunter2 --epochs 3", "run --password <secret> --epochs 3"),
        ("https://me:pw@host.org/simple", "https://<secret>@host.org/simple"),
        ("Authorization: Bearer abcdefgh12345", "Authorization: Bearer <secret>"),
        (
            "Serial Number                 : 1652422012345",
            "Serial Number                 : <serial>",
        ),
        ("tokenizer=bert, 512 tokens", "tokenizer=bert, 512 tokens"),
        ("task-sk-learn disk-usage", "task-sk-learn disk-usage"),
        ("mailto: see https://keras.io/@x", "mailto: see https://keras.io/@x"),
    ],
)
def test_named_secrets(text: str, expected: str) -> None:
    assert hidden(text) == expected


def test_a_variable_that_is_named_like_a_secret_hides_its_value() -> None:
    facts = Facts(environment={"HF_TOKEN": "plain", "TF_NUM_THREADS": "4"})
    shown = redact(facts, home="/x", user="", host="")
    assert shown.environment == {"HF_TOKEN": "<secret>", "TF_NUM_THREADS": "4"}


def test_gpu_uuids_stay_equal_to_one_another() -> None:
    first, second = (
        "GPU-5a1b2c3d-1111-2222-3333-444455556666",
        "GPU-aaaaaaaa-1111-2222-3333-444455556666",
    )
    facts = Facts(
        gpus=(Gpu(uuid=first), Gpu(index=1, uuid=second)),
        environment={"CUDA_VISIBLE_DEVICES": f"{second},GPU-5a1b2c3d"},
    )
    shown = redact(facts, home="/x", user="", host="")
    assert shown.gpus is not None
    assert [gpu.uuid for gpu in shown.gpus] == ["GPU-<uuid-1>", "GPU-<uuid-2>"]
    assert shown.environment == {"CUDA_VISIBLE_DEVICES": "GPU-<uuid-2>,GPU-<uuid-1>"}


def test_keys_and_nested_lists_of_plain_json() -> None:
    document = {"/home/ann/a": [{"deep": ["ann", 3, None]}]}
    assert redact(document, home="/home/ann", user="ann", host="h") == {
        "~/a": [{"deep": ["<user>", 3, None]}]
    }


@pytest.mark.parametrize("user", ["findings", "slug", "high", "cudnn-too-old", "FG204"])
def test_a_user_with_the_name_of_a_field_breaks_nothing(user: str) -> None:
    shown = redact(BROKEN, home="/x", user=user, host=user)
    again = msgspec.json.decode(msgspec.json.encode(shown), type=type(BROKEN))
    assert [(f.code, f.slug, f.severity) for f in again.findings] == [
        (f.code, f.slug, f.severity) for f in BROKEN.findings
    ]


def test_nothing_private_is_left_in_a_report() -> None:
    text = msgspec.json.encode(redact(BROKEN, home="/home/ann", user="ann", host="h")).decode()
    assert not re.search(r"\bann\b", text)
    assert "5a1b2c3d" not in text


def test_redacted_takes_the_names_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/srv/people/zoe77")
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.setenv(name, "zoe77")
    assert getpass.getuser() == "zoe77"
    assert redact_here(["/srv/people/zoe77/a", "by zoe77"]) == ["~/a", "by <user>"]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_redacting_twice_is_redacting_once(name: str) -> None:
    once = redact(DOCUMENTS[name], home="/home/ann", user="ann", host="dgx07")
    assert redact(once, home="/home/ann", user="ann", host="dgx07") == once


def test_long_garbage_takes_little_time() -> None:
    for piece in ("eyJ", "token", "serial ", "/home/", "://", "GPU-", "sk-", "C:\\Users\\"):
        assert is_linear(lambda count, piece=piece: hidden(piece * count), 25_000)


def test_clean_shows_what_a_terminal_would_obey() -> None:
    assert clean("a\x1b[31m\x9b\x00\x7f\rb\u202ec\ud83d") == (
        r"a\x1b[31m\x9b\x00\x7f\x0db\u202ec\ud83d"
    )


@pytest.mark.parametrize("char", UNSEEN)
def test_clean_spells_what_nobody_sees(char: str) -> None:
    spelled = clean(f"a{char}b")
    assert spelled.isascii()
    assert spelled[1:-1].encode().decode("unicode_escape") == char


def test_clean_leaves_words_lines_and_tabs() -> None:
    assert clean("naïve 日本 ✓\n\tx\r\ny") == "naïve 日本 ✓\n\tx\ny"


@given(st.text())
def test_clean_leaves_nothing_unseen(text: str) -> None:
    shown = clean(text)
    shown.encode()
    assert all(
        char in "\n\t" or (ord(char) >= 0x20 and not 0x7F <= ord(char) < 0xA0) for char in shown
    )


def test_cleaned_cuts_what_nobody_reads() -> None:
    facts = clean_strings(Facts(environment={"A": "x" * 5000, "B": NASTY}))
    assert facts.environment is not None
    assert facts.environment["A"].endswith("x… (1000 more characters)")
    assert "\x1b" not in facts.environment["B"]


def test_cleaning_leaves_a_clean_document_as_it_is() -> None:
    assert clean_strings(FACTS) == FACTS


def test_secrets_of_the_environment_and_of_the_command_are_hidden_wherever_they_stand(monkeypatch):
    monkeypatch.setenv("API_TOKEN", "tok-SEKRET-123")
    monkeypatch.setenv("SSH_AUTH_SOCK", "/run/ssh/agent.7")
    told = redact_here(
        {"title": "tok-SEKRET-123 and abc0123xyz in /run/ssh/agent.7"},
        ("train.py", "--wandb-key", "abc0123xyz"),
    )
    assert told == {"title": "<secret> and <secret> in /run/ssh/agent.7"}
