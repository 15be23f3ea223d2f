"""The run failed, and nothing says why."""

import pytest
from causes.tell import tell


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Segmentation fault (core dumped)", None),
        ("Speicherzugriffsfehler (Speicherabzug geschrieben)", 139),
        ("Epoch 1/3", 139),
        ("KeyError: 'val_acc'", 1),
        ("The kernel appears to have died. It will restart automatically.", None),
        ("Abgebrochen (Speicherabzug geschrieben)", 134),
        ("Process finished with exit code -1073741819 (0xC0000005)", None),
    ],
)
def test_it_stays_undecided(text: str, code: int | None) -> None:
    answer = tell(text, exit_code=code)
    assert answer.primary is None
    assert "unknown" in [cause.cause for cause in answer.causes]


def test_a_segfault_of_code_of_ones_own_is_not_blamed_on_the_framework() -> None:
    answer = tell(
        "Epoch 1/3",
        exit_code=139,
        kernel_log="python3[7]: segfault at 0 ip 00007fa0 sp 00007ffd error 4 in libc.so.6[1a+18]",
    )
    assert answer.primary is None


def test_it_is_not_listed_beside_a_cause_that_is_known() -> None:
    answer = tell("Segmentation fault (core dumped)\nNVRM: Xid (PCI:0000:01:00): 79, pid=7")
    assert answer.primary == "hardware-fault"
    assert "unknown" not in [cause.cause for cause in answer.causes]


def test_a_run_that_is_well_is_not_unknown() -> None:
    assert "unknown" not in [cause.cause for cause in tell("Epoch 1/3", exit_code=0).causes]


@pytest.mark.parametrize(
    ("text", "primary"),
    [
        ("Killed", "host-oom"),
        ("Illegal instruction (core dumped)", "cpu-isa"),
        ("ValueError: Shapes (None, 1) and (None, 10) are incompatible", "data-shape-dtype"),
    ],
)
def test_what_is_known_has_a_name(text: str, primary: str) -> None:
    assert tell(text).primary == primary


OWN_TRACEBACK = """Traceback (most recent call last):
  File "/home/me/train.py", line 12, in <module>
    model.fit(x, y)
  File "/env/lib/python3.11/site-packages/{file}", line 41, in recorded
    module.no_such_name
    ^^^^^^^^^^^^^^^^^^^
AttributeError: module 'keras' has no attribute 'no_such_name'
"""


def test_an_error_in_fitguards_own_code_is_called_its_own() -> None:
    answer = tell(OWN_TRACEBACK.format(file="fitguard/keras/fitting/recording.py"), exit_code=1)
    assert answer.primary == "unknown"
    assert [cause.cause for cause in answer.causes] == ["unknown"]
    assert answer.causes[0].why.startswith("This is a fault of fitguard itself")
    assert "`python train.py`" in answer.causes[0].fix.text


def test_what_operations_of_the_model_raise_is_not_fitguards_own() -> None:
    """Keras takes the calls of TensorFlow out of the traceback: what is left ends in fitguard."""
    text = OWN_TRACEBACK.format(file="fitguard/keras/fitting/step.py").replace(
        "AttributeError: module 'keras' has no attribute 'no_such_name'",
        "tensorflow.python.framework.errors_impl.UnavailableError: Graph execution error:",
    )
    answer = tell(text, exit_code=1)
    assert not any("fault of fitguard" in cause.why for cause in answer.causes)


def test_what_fitguard_says_of_itself_counts() -> None:
    text = OWN_TRACEBACK.format(file="keras/src/trainers/trainer.py")
    said = "fitguard: This is a fault of fitguard 0.1.0 itself, at state/walk.py, line 1"
    assert tell(text + said).primary == "unknown"


@pytest.mark.parametrize("file", ["keras/src/trainers/trainer.py", "fitguard/train.py"])
def test_an_error_of_others_is_not_fitguards(file: str) -> None:
    assert tell(OWN_TRACEBACK.format(file=file)).primary == "package-conflict"


def raised(error: str, call: str = "", before: str = "") -> str:
    return (
        f"{before}Traceback (most recent call last):\n"
        f'  File "/srv/train.py", line 12, in <module>\n    main()\n{call}{error}\n'
    )


@pytest.mark.parametrize(
    "error",
    [
        "ZeroDivisionError: division by zero",
        "KeyError: 'val_acc'",
        "FileNotFoundError: [Errno 2] No such file or directory: 'train.csv'",
        "ModuleNotFoundError: No module named 'mypackage'",
        "tensorflow.python.summary.tb_summary.TBNotInstalledError: TensorBoard is not installed, "
        "missing implementation for 'tf.summary.scalar'",
        "NameError: name 'modle' is not defined",
        "my.package.DataError",
    ],
)
def test_an_error_of_the_script_is_told_first(error: str) -> None:
    answer = tell(raised(error), exit_code=1)
    found = answer.causes[0]
    name = error.partition(":")[0].rpartition(".")[2]
    assert answer.primary == found.cause == "unknown"
    assert found.summary == (
        f"Your script stopped with {name} at /srv/train.py, line 12. The GPU is not to blame."
    )
    assert found.evidence[0].text == error
    assert found.evidence[1].text == 'File "/srv/train.py", line 12, in <module>'
    assert answer.questions == ()


def test_who_raised_it_is_named_where_it_was_not_the_script() -> None:
    keras = "/env/lib/python3.11/site-packages/keras/src/callbacks/tensorboard.py"
    found = tell(raised("KeyError: 'x'", f'  File "{keras}", line 9, in f\n    g()\n')).causes[0]
    assert "/srv/train.py, line 12" in found.summary
    assert found.why == f"Your code called into {keras}, which raised KeyError: 'x'"


def test_what_may_tell_of_anything_blames_nobody() -> None:
    assert "Nothing points to the GPU" in tell(raised("RuntimeError: stopped")).causes[0].summary


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (raised("ResourceExhaustedError: OOM when allocating tensor with shape[6,9,9]"), "gpu-oom"),
        (raised("MemoryError"), "host-oom"),
        (raised("ModuleNotFoundError: No module named 'keras.legacy_tf_layers'"),
         "package-conflict"),
        (raised("ValueError: loss", before="OOM when allocating tensor with shape[64,9,9]\n"),
         "gpu-oom"),
    ],
)  # fmt: skip
def test_a_better_cause_wins(text: str, cause: str) -> None:
    assert tell(text).primary == cause


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "SystemExit: 3", "InternalError: no"])
def test_no_error_of_the_script(error: str) -> None:
    assert tell(raised(error)).primary is None


def test_a_training_that_died_leads_to_its_run() -> None:
    run = "20261115-142500-fit-4f2a"
    found = tell(
        raised(
            "fitguard.schema.exit_codes.TrainingDied: The training ended after 2 attempts with "
            f"exit code 1.\n  exception: unknown.\n  All of it: fitguard report {run}"
        )
    ).causes[0]
    assert run in found.summary
    assert found.fix.commands == (f"fitguard explain {run}",)
