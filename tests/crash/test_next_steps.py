"""Each answer names the next command to type."""

import shlex

import pytest
from causes.tell import tell

from fitguard.cli.main import app
from fitguard.crash.explanation import explain
from fitguard.knowledge import knowledge

OOM = (
    "OOM when allocating tensor with shape[64,512,65,65] and type float on "
    "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc\n"
)
T4 = (
    "I tensorflow/core/common_runtime/gpu/gpu_device.cc:1247] Created TensorFlow device "
    "(/job:localhost/replica:0/task:0/device:GPU:0 with 13756 MB memory) -> physical GPU "
    "(device: 0, name: Tesla T4, pci bus id: 0000:01:00.0, compute capability: 7.5)\n"
)


def commands(text: str, **options: object) -> tuple[str, ...]:
    return explain(text.encode(), **options).causes[0].fix.commands  # type: ignore[arg-type]


def test_out_of_memory_names_run_then_plan() -> None:
    found = tell(OOM).causes[0]
    assert found.fix.commands[0] == "fitguard run train.py"
    assert found.fix.commands[-1] == "fitguard plan train.py"
    assert found.fix.text.startswith("Put `fitguard run` in front of your command: it will split")
    assert not found.fix.changes_results
    assert "accumul" not in found.fix.text


def test_the_command_and_the_card_of_the_log() -> None:
    text = f"bob@titan:~$ python train.py --epochs 3 2>&1\n{T4}{OOM}"
    assert commands(text) == (
        "fitguard run python train.py --epochs 3",
        "fitguard plan train.py --gpu 'Tesla T4' -- --epochs 3",
    )


def test_the_script_of_the_traceback() -> None:
    text = (
        'Traceback (most recent call last):\n  File "/srv/train.py", line 3, in <module>\n'
        f"ResourceExhaustedError: {OOM}"
    )
    assert commands(text)[0] == "fitguard run /srv/train.py"


def test_a_pool_without_a_card_is_what_must_be_free() -> None:
    pool = 3000 * 2**20
    (_, plan) = commands(f"Limit:   {pool}\nInUse:   2900000000\n{OOM}")
    free = int(plan.partition("--free ")[2].removesuffix("MiB")) * 2**20
    assert abs(knowledge().gpu_memory.usable_bytes(free, 8) - pool) <= 2**20


def test_of_a_card_that_was_not_free_what_was_free_counts() -> None:
    (_, plan) = commands(f"{T4}Limit:   3145728000\nInUse:   2900000000\n{OOM}")
    assert plan.startswith("fitguard plan train.py --gpu 'Tesla T4' --free ")


def test_of_a_guarded_run_plan_is_the_next_step() -> None:
    found = commands(OOM, command=["train.py", "--lr", "1"], batch_size=64, guarded=True)
    assert found == ("fitguard plan train.py --batch-size 64 -- --lr 1",)


def test_a_module_can_be_run_but_not_planned() -> None:
    found = commands(OOM, command=["python", "-m", "package.train"])
    assert found == ("fitguard run python -m package.train",)


def test_where_smaller_parts_do_not_help_run_is_not_named() -> None:
    found = tell(
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 1.00GiB requested by op "
        "training/Adam/mul_23\nOOM when allocating tensor with shape[524288,512] and type float on "
        "/job:localhost/replica:0/task:0/device:GPU:0 by allocator GPU_0_bfc"
    ).causes[0]
    assert found.fix.commands == ("fitguard plan train.py",)


@pytest.mark.parametrize(
    ("text", "cause", "does"),
    [
        ("Killed", "host-oom", "restart"),
        ("Memory usage grows with every epoch until training is killed", "gpu-memory-leak",
         "fresh process"),
        ("Timeout (0:05:00)!\nThread 0x00007f (most recent call first):\n", "hang", "restart"),
    ],
)  # fmt: skip
def test_what_run_would_do(text: str, cause: str, does: str) -> None:
    found = tell(text).causes[0]
    assert found.cause == cause
    assert "`fitguard run` keeps it going: it will" in found.fix.text
    assert does in found.fix.text
    assert found.fix.commands[-1] == "fitguard run train.py"


@pytest.mark.parametrize("text", ["Segmentation fault (core dumped)", "Aborted (core dumped)"])
def test_a_crash_without_a_known_cause_is_restarted(text: str) -> None:
    unknown = next(found for found in tell(text).causes if found.cause == "unknown")
    assert "it will restart from the last snapshot" in unknown.fix.text
    assert unknown.fix.commands[-1] == "fitguard run train.py"


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("Received a label value of 12 which is outside the valid range of [0, 10).",
         "data-label-range"),
        ("ValueError: Input 0 of layer \"dense\" is incompatible with the layer: expected axis -1 "
         "of input shape to have value 4, but received input with shape (None, 5)",
         "data-shape-dtype"),
        ("Batch 12: Invalid loss, terminating training", "numeric-nan"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("guarded", [False, True])
def test_causes_of_data_name_data(text: str, cause: str, guarded: bool) -> None:
    command = ["train.py", "--lr", "1"]
    found = explain(f"{text}\n".encode(), command=command, guarded=guarded).causes[0]
    assert found.cause == cause
    assert found.fix.commands[-1] == "fitguard data train.py -- --lr 1"
    assert found.fix.text.endswith("names each wrong value by its place.")


def test_wrong_versions_name_resolve_with_what_is_known() -> None:
    line = "CUDA driver version is insufficient for CUDA runtime version"
    assert commands(line)[-1] == "fitguard resolve"
    known = {"gpu": "GTX 1060 6GB", "driver": "390.48", "os": "linux", "python": "3.7"}
    command = commands(line, what_if=known)[-1]
    keys = shlex.split(command)[3:]
    assert keys == ["gpu=GTX 1060 6GB", "driver=390.48", "os=linux-x86_64", "python=3.7"]


def test_what_resolve_would_refuse_is_left_out() -> None:
    line = "CUDA driver version is insufficient for CUDA runtime version"
    command = commands(line, what_if={"gpu": "a strange card", "driver": "390.48"})[-1]
    assert command == "fitguard resolve --what-if driver=390.48"


@pytest.mark.parametrize("text", [OOM, T4 + OOM, "Killed"])
def test_the_commands_can_be_parsed(text: str) -> None:
    for command in commands(text):
        program, *words = shlex.split(command)
        if program == "fitguard":
            app.parse_args(words, print_error=False, exit_on_error=False)
