"""`fitguard.doctor()`: will this machine train?"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from fitguard.checks.framework.runner import judge_machine
from fitguard.environment.supposition import suppose
from fitguard.schema.doctor import DoctorReport
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.facts import FACTS_SCHEMA, Facts


def doctor(
    *,
    python: str | None = None,
    facts: Facts | str | Path | None = None,
    what_if: Mapping[str, object] | None = None,
    deep: bool = False,
    select: str | Sequence[str] = (),
    ignore: str | Sequence[str] = (),
) -> DoctorReport:
    """Judge whether TensorFlow will train here, without importing it.

    Args:
        python: The interpreter that trains; by default that of the active virtual environment,
            else the running one.
        facts: Facts to judge instead of this machine: a struct, or a file of `fitguard facts`.
        what_if: A combination to judge instead: `{"tf": "2.10.1", "gpu": "Tesla K80"}`.
        deep: Import TensorFlow in a child of the interpreter too; a crash there is a finding.
        select: Codes or prefixes of the checks to make, such as `FG2`.
        ignore: Codes or prefixes to leave out.

    Returns:
        The findings, gravest first. `report.ok` is False where one is an error.

    Example:
        >>> import fitguard
        >>> report = fitguard.doctor(what_if={"tf": "1.4.1", "keras": "2.2.4"})
        >>> [finding.slug for finding in report.findings]
        ['keras-too-new-for-tf']
    """
    given = [name for name, value in (("facts", facts), ("what_if", what_if)) if value is not None]
    if len(given) == 2 or (given and (deep or python is not None)):
        raise UsageError(
            "Received several things to judge. Expected one of: this machine (python, deep), "
            "facts, what_if"
        )
    return judge_machine(_facts(python, facts, what_if, deep), select=select, ignore=ignore)


def gather_facts(python: str | None = None) -> Facts:
    """What is true of this machine; what the doctor judges.

    Args:
        python: The interpreter that trains; by default that of the active virtual environment,
            else the running one.
    """
    from fitguard.facts.gather import gather

    return gather(python)


def _facts(
    python: str | None,
    facts: Facts | str | Path | None,
    what_if: Mapping[str, object] | None,
    deep: bool,
) -> Facts:
    if what_if is not None:
        return suppose(what_if)
    if isinstance(facts, Facts):
        return facts
    if facts is not None:
        return read_facts(Path(facts))
    from fitguard.facts.gather import gather

    here = gather(python)
    if not deep:
        return here
    from fitguard.environment.deep import import_tensorflow

    return msgspec.structs.replace(here, deep=import_tensorflow(here))


def read_facts(path: Path) -> Facts:
    """Facts from a file of `fitguard facts` or of `fitguard doctor`, partial ones too.

    Raises:
        UnreadableInput: if the file cannot be read or holds no facts; the message says where.
    """
    try:
        content = path.read_bytes()
        document = msgspec.json.decode(content.decode("utf-8-sig"))
    except OSError as error:
        raise UnreadableInput(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UnreadableInput(f"{path}: no text in UTF-8 (byte {error.start})") from error
    except msgspec.DecodeError as error:
        raise UnreadableInput(f"{path}: no JSON ({_place(error, content)})") from error
    except RecursionError as error:
        raise UnreadableInput(f"{path}: nested too deeply to be facts") from error
    if not isinstance(document, dict):
        raise UnreadableInput(
            f"{path}: Received a {type(document).__name__}. Expected an object with "
            f'"schema": "{FACTS_SCHEMA}"'
        )
    if "findings" in document and isinstance(document.get("facts"), dict):
        document = document["facts"]
    if not document.keys() & set(Facts.__struct_fields__):
        received = ", ".join(map(str, list(document)[:5])) or "none"
        raise UnreadableInput(
            f"{path}: no facts of fitguard. Received the keys: {received}. Expected some of: "
            f"{', '.join(Facts.__struct_fields__)}"
        )
    try:
        return msgspec.convert({"schema": FACTS_SCHEMA, **document}, Facts)
    except msgspec.ValidationError as error:
        raise UnreadableInput(f"{path}: no facts of fitguard: {error}") from error


def _place(error: Exception, content: bytes) -> str:
    """`line 12: …` for an error that names a byte."""
    match = re.search(r"\(byte (\d+)\)", str(error))
    if not match:
        return str(error)
    line = content[: int(match[1])].count(b"\n") + 1
    return f"line {line}: {error}"
