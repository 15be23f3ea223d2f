"""`fitguard.explain()`: what it takes, and what it says of itself."""

import io
import json
from pathlib import Path

import pytest

import fitguard
from fitguard.crash.explanation import explain
from fitguard.crash.given import combine_facts, findings, running_kernel_log
from fitguard.facts.kernel_log import RawLog
from fitguard.schema.diagnosis import Diagnosis
from fitguard.schema.exit_codes import UnreadableInput, UsageError
from fitguard.schema.facts import Facts
from fitguard.schema.software import TensorFlow

OOM = (
    "2023-01-01 10:00:00.000000: W tensorflow/core/common_runtime/bfc_allocator.cc:479] Allocator "
    "(GPU_0_bfc) ran out of memory trying to allocate 1.00GiB (rounded to 1073741824)\n"
    "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor "
    "with shape[16384,16384] and type float on /job:localhost/replica:0/task:0/device:GPU:0 by "
    "allocator GPU_0_bfc [Op:MatMul]\n"
)
XID = "[ 8659.726062] NVRM: Xid (PCI:0000:65:00): 79, GPU has fallen off the bus.\n"


def sources(diagnosis: Diagnosis) -> set[str]:
    return {item.source for found in diagnosis.causes for item in found.evidence}


def test_the_public_name() -> None:
    assert fitguard.explain is explain
    assert "explain" in dir(fitguard)


def test_a_path_an_open_file_bytes_and_text_say_the_same(tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    file.write_text(OOM)
    with file.open("rb") as opened:
        answers = [
            explain(file), explain(str(file)), explain(opened), explain(io.BytesIO(OOM.encode())),
            explain(OOM.encode()), explain(OOM), explain([OOM]),
        ]  # fmt: skip
    assert {answer.primary for answer in answers} == {"gpu-oom"}
    assert {answer.causes[0].why for answer in answers} == {answers[0].causes[0].why}


def test_evidence_from_a_file_has_its_path_and_line(tmp_path: Path) -> None:
    file = tmp_path / "train.log"
    file.write_text("Epoch 1/5\n" + OOM)
    quoted = explain(file).causes[0].evidence
    assert {item.path for item in quoted if item.line} == {str(file)}
    assert {item.line for item in quoted} >= {3}
    assert all(item.path is None for item in explain(OOM).causes[0].evidence)


def test_several_logs_are_one_story(tmp_path: Path) -> None:
    first, second = tmp_path / "a.log", tmp_path / "b.log"
    first.write_text("Epoch 1/5\n")
    second.write_text(OOM)
    answer = explain([first, second])
    assert answer.primary == "gpu-oom"
    assert sources(answer) == {str(second)}
    assert answer.lines == 3


def test_every_cause_has_its_summary() -> None:
    assert all(found.summary.endswith(".") for found in explain(OOM).causes)


def test_nothing_at_all_is_an_answer() -> None:
    answer = explain()
    assert answer.primary is None
    assert answer.questions
    assert answer.lines == 0


def test_a_missing_file_names_itself(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"none\.log"):
        explain(tmp_path / "none.log")
    with pytest.raises(UnreadableInput, match=tmp_path.name):
        explain(tmp_path)
    with pytest.raises(UnreadableInput, match=r"none\.json"):
        explain(OOM, facts=tmp_path / "none.json")
    with pytest.raises(UsageError, match="SIGFOO"):
        explain(OOM, signal="SIGFOO")


def test_the_kernel_log_is_a_source_of_its_own() -> None:
    answer = explain(OOM, kernel_log=XID.encode())
    assert "kernel log" in sources(answer)


def test_the_kernel_log_of_this_machine_is_read() -> None:
    notes: list[str] = []
    assert running_kernel_log(notes, lambda: RawLog(["a", "b"], "/dev/kmsg")) == b"a\nb"
    assert notes == []


def test_a_kernel_log_that_may_not_be_read_is_a_note() -> None:
    notes: list[str] = []
    refused = RawLog([], problem="/dev/kmsg: Operation not permitted")
    assert running_kernel_log(notes, lambda: refused) is None
    (note,) = notes
    assert "Operation not permitted" in note
    assert "sudo dmesg > kernel.log" in note


def test_auto_asks_the_kernel_of_this_machine() -> None:
    answer = explain(OOM, kernel_log="auto")
    assert answer.primary == "gpu-oom"
    assert not any("--kernel-log auto" in question.how for question in answer.questions)


def test_auto_facts_are_those_of_this_machine() -> None:
    answer = explain(OOM, facts="auto")
    assert answer.primary == "gpu-oom"
    assert not any("--facts auto" in question.how for question in explain(facts="auto").questions)


def test_facts_from_a_file_and_what_if_over_them(tmp_path: Path) -> None:
    file = tmp_path / "facts.json"
    file.write_text(json.dumps({"tensorflow": {"version": "2.10.1"}}))
    given = [
        combine_facts(file, None),
        combine_facts(file, {"tf": "2.15", "driver": "R5"}),
        combine_facts(Facts(tensorflow=TensorFlow(version="2.1.0")), None),
    ]
    versions = [facts.tensorflow.version for facts, _ in given if facts.tensorflow]
    assert versions == ["2.10.1", "2.15.1", "2.1.0"]


def test_the_doctor_judges_the_facts() -> None:
    facts, _ = combine_facts(None, {"tf": "1.4.1", "keras": "2.2.4"})
    assert [finding.slug for finding in findings(facts)] == ["keras-too-new-for-tf"]
    assert findings(Facts()) == ()


def test_notes_tell_what_could_not_be_read() -> None:
    (note,) = explain(OOM, what_if={"driver": "460.73 -> 460.80"}).notes
    assert note.startswith("driver=460.73 -> 460.80")


def test_a_notebook_shows_a_page_without_private_names() -> None:
    page = explain(OOM + "File /home/bob/train.py\n")._repr_html_()
    assert "<html" not in page
    assert "gpu-oom" in page
    assert "/home/bob" not in page


@pytest.mark.parametrize(
    "sentence",
    [
        "main memory was at 31 % of its limit at the end (9.9 GiB of 32.0 GiB)",
        "main memory of the training rose from 4.0 GiB to 29.0 GiB in the last 10 s",
        "/dev/shm had 0 bytes left",
    ],
)
def test_figures_of_the_flight_record_are_no_description_of_a_crash(sentence: str) -> None:
    assert explain(b"Epoch 1\n", measured=[sentence]).causes == ()


def test_an_xid_of_the_flight_record_counts() -> None:
    assert explain(b"Epoch 1\n", measured=["GPU 0 reported Xid 79"]).primary == "hardware-fault"
