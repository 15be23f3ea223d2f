"""What a line looks like before and after."""

import json

import pytest
from crash.logs import OOM, reading, texts

from fitguard.crash.cleaning import clean_line

ERROR = "2018-03-01 10:11:12.123456: E tensorflow/stream_executor/cuda/cuda_dnn.cc:352] no handle"
ABSL = "E0000 00:00:1794705851.559961   19096 cuda_dnn.cc:8310] Unable to register cuDNN factory"


def clean(text: str) -> list[tuple[str, str | None]]:
    return [tuple(line) for line in clean_line(text.encode())]


def only(text: str) -> str:
    (line,) = clean(text)
    return line[0]


@pytest.mark.parametrize("line", [ERROR, ABSL, OOM, '  File "train.py", line 3, in <module>'])
def test_what_is_clean_stays_as_it_is(line: str) -> None:
    assert clean(line) == [(line, None)]


@pytest.mark.parametrize(
    ("dirty", "text"),
    [
        ("\x1b[1m  1/10\x1b[0m \x1b[32m━\x1b[0m loss: 0.9", "  1/10 ━ loss: 0.9"),
        ("\x1b[38;5;196mred\x1b[K\x1b[2J", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b_bk;t=1700000000\x07step", "step"),
        ("\x9b31mred \x9d0;t\x9cdone", "red done"),
        ("\x1b]0;never ends", "0;never ends"),
        ("\x1b[31", "31"),
        ("\x1bc\x1b(Bcleared\x1b", "cleared"),
        ("[0;31mResourceExhaustedError[0m: OOM", "ResourceExhaustedError: OOM"),
        ("^[[31mError^[[0m: \\033[1mx", "Error: x"),
        ("took [5m 3s]", "took [5m 3s]"),
        ("bell\x07 back\x08 null\0 delete\x7f", "bell back null delete"),
        ("tab\tnon-breaking\xa0wide\u3000", "tab non-breaking wide"),
        ("\ufeffmark", "mark"),
        ("evil \u202egnp.exe\u202c \u2066x\u2069\u200b", "evil gnp.exe x"),
        ("a\u2028b\x85c", "a b c"),
        ("<b>bold</b> &amp; <script>", "<b>bold</b> &amp; <script>"),
        ("trailing   ", "trailing"),
    ],
)
def test_escapes_and_control_characters_go(dirty: str, text: str) -> None:
    assert only(dirty) == text


@pytest.mark.parametrize(
    ("prefix", "worker"),
    [
        ("[1,3]<stderr>:", "1,3"),
        ("[0]<stdout>: ", "0"),
        ("[1,mpirank:0,algo-1]<stderr>:", "1,mpirank:0,algo-1"),
        ("(pid=812) ", "pid=812"),
        ("(pid=812, ip=10.0.0.3) ", "pid=812, ip=10.0.0.3"),
        ("(train_fn pid=812) ", "pid=812"),
        ("\x1b[36m(RayTrainWorker pid=812, ip=10.0.0.3)\x1b[0m ", "pid=812, ip=10.0.0.3"),
        ("train_2_1  | ", "train_2_1"),
        ("worker-0  | ", "worker-0"),
        ("algo-1-k3x2p_1  | ", "algo-1-k3x2p_1"),
        ("2024-05-10T11:33:24.068255Z stderr F ", None),
        ("2024-05-10T11:33:24.068255+02:00 stdout P ", None),
        ("[pod/train-0/main] ", "train-0/main"),
        ("Nov 15 04:56:01 host python[812]: ", "python[812]"),
        ("2024-11-15T04:56:01+0000 host-7.lan train.sh[812]: ", "train.sh[812]"),
        ("2024-05-10T11:33:24.0682552Z ", None),
        ("2024-05-10T11:33:24.068255Z 01E ", None),
        ("May  9 11:33:24 ", None),
        ("[rank0]: ", "rank0"),
        ("[default3]:", "default3"),
        ("[default3]:[rank3]: ", "rank3"),
        ("E   ", None),
        ("E       ", None),
        ("[pod/train-0/main] 2024-05-10T11:33:24.068255Z (train_fn pid=812) ", "pid=812"),
    ],
)
@pytest.mark.parametrize("line", [OOM, ERROR, ABSL])
def test_prefixes_of_workers_and_services_go(prefix: str, worker: str | None, line: str) -> None:
    assert clean(prefix + line) == [(line, worker)]


@pytest.mark.parametrize(
    "line",
    [
        "E tensorflow/core/x.cc:3] one space is TensorFlow's own",
        "----- Captured stderr call -----",
        "loss | accuracy",
        "| GPU  Name | Memory |",
        "0  | conv1 | Conv2d",
        "(0) Internal: Blas GEMM launch failed",
        "[2024-05-10 11:33:24] text",
        "[[node model/conv/Conv2D]]",
        "kernel: NVRM: Xid (PCI:0000:65:00): 79",
        "1: not a label when it is alone",
    ],
)
def test_what_only_looks_like_a_prefix_stays(line: str) -> None:
    assert clean(line) == [(line, None)]


@pytest.mark.parametrize("program", ["kernel: NVRM: Xid 79", "systemd[1]: a.service: killed"])
def test_the_kernel_and_systemd_keep_their_names(program: str) -> None:
    assert clean(f"Nov 15 04:56:01 host {program}") == [(program, None)]


def test_labels_of_srun_go_where_most_lines_have_them() -> None:
    log = f"0: starting\n1: starting\n1: {OOM}\nslurmstepd: error: task 1\n0: bye\n"
    lines = reading(log).lines
    assert [(line.text, line.worker) for line in lines] == [
        ("starting", "0"), ("starting", "1"), (OOM, "1"), ("slurmstepd: error: task 1", None),
        ("bye", "0"),
    ]  # fmt: skip
    assert texts("devices:\n0: Tesla\n1: Tesla\nready\ngo\n")[1] == "0: Tesla"


QUOTED = 'no "GPU" at C:\\new\t<0> ä 🙂'


@pytest.mark.parametrize(
    "line",
    [
        json.dumps({"log": QUOTED + "\n", "stream": "stderr", "time": "2024-05-10T11:33:24Z"}),
        json.dumps({"level": "error", "msg": QUOTED}),
        "," + json.dumps({"stream_name": "stderr", "time": 1.5, "data": QUOTED}),
        '   "text": [' + json.dumps(QUOTED + "\n") + ",",
        '   "text": ' + json.dumps(QUOTED, ensure_ascii=False),
        "    " + json.dumps(QUOTED + "\n") + ",",
        "    " + json.dumps(QUOTED, ensure_ascii=False) + "]",
        '  "evalue": ' + json.dumps(QUOTED) + ",",
        "[1,3]<stderr>:" + json.dumps({"message": QUOTED}),
    ],
)
def test_json_is_read_as_the_text_it_holds(line: str) -> None:
    assert only(line) == QUOTED.replace("\t", " ")


def test_a_line_of_json_may_hold_several_lines_with_colours_and_prefixes() -> None:
    inner = f"\x1b[31mError\x1b[0m\n(pid=812) {OOM}\r\nlast"
    assert clean(json.dumps({"log": inner})) == [("Error", None), (OOM, "pid=812"), ("last", None)]


def test_a_notebook_in_one_line_is_read_by_its_lines() -> None:
    notebook = json.dumps({"cells": [{"outputs": [{"text": ["Epoch 1/5\n", OOM + "\n"]}]}]})
    assert OOM in [text for text, _ in clean(notebook)]


@pytest.mark.parametrize(
    "line",
    [
        '{"log":"cut off in the mid',
        '{"log":"bad escape \\x \\u12 \\',
        '{"log":{"nested":1}}',
        '{"log":null}',
        "{}",
        "[" * 5000,
        '{"a":' * 3000,
        '"never ends',
        '{"log":"lone \\ud83d half"}',
        "{'python': 'dict'}",
        '["a", "b"]',
    ],
)
def test_odd_json_does_no_harm(line: str) -> None:
    assert all(text.isprintable() for text, _ in clean(line))


def test_json_that_is_cut_off_still_tells() -> None:
    assert only('{"log":"OOM when \\"allocating\\" ten') == 'OOM when "allocating" ten'


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(encoding: str) -> None:
    log = f"Époque 1/5\r\n{OOM}\r\nfertig ✓\r\n"
    assert texts(log.encode(encoding)) == ["Époque 1/5", OOM, "fertig ✓"]


@pytest.mark.parametrize("encoding", ["gbk", "shift-jis", "latin-1", "utf-32"])
def test_other_encodings_lose_only_their_own_letters(encoding: str) -> None:
    words = {"latin-1": "è", "shift-jis": "失敗"}.get(encoding, "失败")
    assert OOM in texts(f"{words}\n{OOM}\n{words}\n".encode(encoding))


def test_bytes_that_are_no_text_are_replaced() -> None:
    assert texts(b"loss \xff\xfe\x80 0.3\n") == ["loss \ufffd\ufffd\ufffd 0.3"]


def test_the_list_of_loaded_modules_is_no_clue() -> None:
    line = b"Extension modules: msgspec._core, google._upb._message, numpy.random (total: 3)"
    assert list(clean_line(line)) == []
    assert list(clean_line(b"[1,0]<stderr>:" + line)) == []
