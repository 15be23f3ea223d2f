"""What the doctor judges: facts of this machine, of a file, or supposed ones."""

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec

from fitguard.environment.supposition import suppose
from fitguard.schema.exit_codes import UnreadableInput
from fitguard.schema.facts import FACTS_SCHEMA, Facts


def gather_facts(python: str | None = None) -> Facts:
    """What is true of this machine; what the doctor judges.

    Args:
        python: The interpreter that trains; by default that of the active virtual environment,
            else the running one.
    """
    from fitguard.facts.gather import gather

    return gather(python)


def take_facts(
    facts: Facts | str | Path | None, what_if: Mapping[str, object] | None
) -> Facts | None:
    """Facts that were given, or a combination that was supposed; None where neither was.

    Raises:
        UnreadableInput: if the file cannot be read or holds no facts; the message says where.
    """
    if what_if is not None:
        return suppose(what_if)
    if facts is None or isinstance(facts, Facts):
        return facts
    return read_facts(Path(facts))


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
