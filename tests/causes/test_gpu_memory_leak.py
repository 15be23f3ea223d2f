"""gpu-memory-leak: names that count up, tensors that are kept, and what people see grow."""

from pathlib import Path

import pytest
from causes.tell import tell

RECORDINGS = Path(__file__).parents[1] / "crash" / "recordings"
OOM = (
    "OOM when allocating tensor with shape[2048,2048] and type float on /job:localhost/replica:0/"
    "task:0/device:GPU:0 by allocator GPU_0_bfc"
)


@pytest.mark.parametrize(
    "text",
    [
        f"{OOM}\n\t [[{{{{node training_24/RMSprop/mul_7}}}}]]",
        f"ResourceExhaustedError: {OOM}\n\t [[Node: sequential_63/lstm_126/while/MatMul = "
        f"MatMul[]]]",
        "W bfc_allocator.cc:431] Allocator (GPU_0_bfc) ran out of memory trying to "
        "allocate 8.00MiB "
        "(rounded to 8388608)requested by op model_58/conv2d_3/Conv2D",
        f"The GPU memory usage grows with every call of evaluate. {OOM}",
        "RSS of the trainer climbs by 200 MB per epoch.",
        "There seems to be a memory leak: 400 MB more after each trial.",
        "ResourceExhaustedError after 42 epochs, the first 41 were fine.",
        "We build a new network in each fold of a 10-fold cross-validation and get an OOM error in "
        "fold 7.",
        "Line #    Mem usage    Increment   Line Contents\n    12   900.1 MiB  610.4 MiB "
        "  model.fit(x)",
        (RECORDINGS / "bfc_kept.log").read_text(),
    ],
)
def test_memory_that_grows(text: str) -> None:
    assert tell(text).primary == "gpu-memory-leak"


def test_it_names_the_tensors_that_are_kept() -> None:
    found = tell((RECORDINGS / "bfc_kept.log").read_text()).causes[0]
    assert "48 tensors of 4.0 MiB" in found.why
    assert "keeps tensors of 4.0 MiB" in found.fix.text


def test_many_models_are_cured_by_clearing_the_session() -> None:
    found = tell(f"{OOM}\n\t [[{{{{node training_31/Adam/add}}}}]]").causes[0]
    assert "training_31" in found.why
    assert "clear_session" in found.fix.text


@pytest.mark.parametrize(
    "text",
    [
        f"{OOM}\n\t [[{{{{node model_1/dense_2/MatMul}}}}]]",
        f"{OOM}\n\t [[{{{{node resnet/conv2d_180/Conv2D}}}}]]",
        "We use 5-fold cross-validation; accuracy is 0.91.",
        (RECORDINGS / "bfc_fragmented.log").read_text(),
        "The memory increase in release 2.4 was fixed.",
    ],
)
def test_near_misses(text: str) -> None:
    assert tell(text).primary != "gpu-memory-leak"


def readings(form: str, *numbers: float) -> str:
    return "\n".join(form.format(n=n, number=number) for n, number in enumerate(numbers))


GROWING = (1.5, 1.9, 2.4, 2.8, 3.3, 3.9)
FLAT = (1.5, 3.1, 3.1, 3.1, 3.2, 3.1)
FORMS = [
    "after batch {n}: memory usage {number} GB",
    "[epoch {n}] RSS = {number} GiB",
    "Mem:          31953       {number:.0f}00        2969",
    "{{numTensors: {number:.0f}0, numBytes: 96}}",
    "peak memory: {number}21 MiB, increment: 0.21 MiB",
]


@pytest.mark.parametrize("form", [form for form in FORMS if ":.0f" not in form])
def test_numbers_that_a_program_prints_and_that_grow(form: str) -> None:
    found = tell(readings(form, *GROWING))
    assert found.primary == "gpu-memory-leak"
    assert "6 lines of one kind" in found.causes[0].why


@pytest.mark.parametrize("form", [form for form in FORMS if ":.0f" in form])
def test_counts_that_grow(form: str) -> None:
    assert tell(readings(form, 11, 14, 18, 21, 26)).primary == "gpu-memory-leak"


@pytest.mark.parametrize("form", FORMS)
def test_numbers_that_stay_after_the_start_are_no_leak(form: str) -> None:
    assert tell(readings(form, *FLAT)).primary != "gpu-memory-leak"


def test_where_the_growth_ends_in_a_kill_the_growth_is_the_cause() -> None:
    diagnosis = tell(readings(FORMS[0], *GROWING) + "\nKilled")
    assert [found.cause for found in diagnosis.causes[:2]] == ["gpu-memory-leak", "host-oom"]


@pytest.mark.parametrize(
    "text",
    [
        "RAM: 2.2/15.9 GB after the first epoch, 15.1/15.9 GB after the fortieth",
        "There are hundreds of python processes, and none of them ends.",
        "Every evaluation eats 300 MB more per epoch.",
        "Works for the first 20 trials, then OOM.",
        "After the network was rebuilt many times: ResourceExhaustedError",
        "The free RAM shrinks from batch to batch.",
    ],
)
def test_people_who_saw_it_grow(text: str) -> None:
    assert tell(text).primary == "gpu-memory-leak"


def test_two_readings_that_fall_are_none() -> None:
    text = "RAM: 15.1/15.9 GB in the first epoch, 2.2/15.9 GB after the fortieth"
    assert tell(text).primary != "gpu-memory-leak"


def test_tensors_of_the_requested_size_are_listed_as_a_possible_leak() -> None:
    live = "".join(
        f"I0000 bfc_allocator.cc:1105] InUse at 7f144b{n:06x} of size 78675968 next {n}\n"
        for n in range(16)
    )
    diagnosis = tell(
        "Allocator (GPU_0_bfc) ran out of memory trying to allocate 75.03MiB (rounded to "
        f"78675968)requested by op BiasAdd\n{live}Limit:  1300000000\nInUse:  1258815488\n"
        "OOM when allocating tensor with shape[64,98,98,32] and type float\n"
        "    kept.append(model.layers[0](batch))\n"
    )
    assert "gpu-memory-leak" in [found.cause for found in diagnosis.causes[:2]]
