"""A processor without the instructions that TensorFlow uses."""

import pytest
from causes.tell import tell

CPU_ISA = [
    ("zsh: illegal hardware instruction  python fit.py", {}),
    ("Illegal instruction", {"cpu": "Celeron N3350", "tf": "2.5", "os": "linux"}),
    (
        "ImportError: DLL load failed: Error en una rutina de inicialización de "
        "biblioteca de vínculos dinámicos (DLL).",
        {"cpu": "Pentium G4400, no AVX", "tf": "2.3", "os": "windows"},
    ),
    (
        "Illegal instruction (core dumped)",
        {},
    ),
    (
        "zsh: illegal hardware instruction  python train.py",
        {},
    ),
    (
        "Ungültiger Maschinenbefehl (Speicherabzug geschrieben)",
        {},
    ),
    (
        "F tensorflow/core/platform/cpu_feature_guard.cc:37] The TensorFlow library "
        "was compiled to use AVX instructions, but these aren't available on your "
        "machine.\n"
        "Aborted (core dumped)",
        {},
    ),
    (
        "Process finished with exit code 132 (interrupted by signal 4: SIGILL)",
        {},
    ),
    (
        "web_1 exited with code 132",
        {},
    ),
    (
        "ImportError: DLL load failed: A dynamic link library (DLL) initialization routine failed.",
        {"os": "windows", "tf": "1.12.0"},
    ),
    (
        "The processor is an Intel Celeron N4100 without AVX, and the import of "
        "tensorflow kills Python.",
        {},
    ),
]
OTHERS = [
    (
        "Your CPU supports instructions that this TensorFlow binary was not compiled "
        "to use: AVX2 AVX512F FMA",
        {},
    ),
    (
        "This TensorFlow binary is optimized to use available CPU instructions in "
        "performance-critical operations.\n"
        "To enable the following instructions: AVX2 FMA, in other operations, "
        "rebuild TensorFlow with the appropriate compiler flags.",
        {},
    ),
    (
        "Segmentation fault (core dumped)",
        {},
    ),
    (
        "train_1 exited with code 137",
        {},
    ),
]


@pytest.mark.parametrize(("text", "known"), CPU_ISA)
def test_it_is_found(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary == "cpu-isa"


@pytest.mark.parametrize(("text", "known"), OTHERS)
def test_near_misses_are_not_it(text: str, known: dict[str, str]) -> None:
    assert tell(text, **known).primary != "cpu-isa"


def test_the_signal_alone_is_enough() -> None:
    assert tell("Starting training", exit_code=-4).primary == "cpu-isa"


def test_the_fix_names_the_last_release_without_avx() -> None:
    assert "TensorFlow 1.5" in tell("Illegal instruction (core dumped)").causes[0].fix.text


def test_2_4_0_used_more_than_it_should() -> None:
    assert "2.4.1" in tell("Illegal instruction (core dumped)", tf="2.4.0").causes[0].fix.text
