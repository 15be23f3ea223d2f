"""What a function takes, read in its file: nothing of it runs."""

import inspect

import pytest

from fitguard.fleet.signatures import find_signature
from fitguard.schema.exit_codes import UsageError

CODE = """
import functools
from json import dumps
raise SystemExit("this file must not run")

def train(a, /, b, c=1, *rest, d, e=[], **more): ...
def short(lr: float = 0.1): ...

class Net:
    def fit(self): ...

@functools.cache
def cached(x): ...

made = short
if True:
    def inner(x): ...
async def later(): ...
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "package" / "deep").mkdir(parents=True)
    (tmp_path / "package" / "deep" / "net.py").write_text(CODE)
    (tmp_path / "package" / "broken.py").write_text("def train(:")
    (tmp_path / "starred.py").write_text("from package.deep.net import *")
    return tmp_path


def find(folder, reference, **options):
    return find_signature(reference, str(folder), **{"is_python_here": True, **options})


def test_all_kinds_of_parameters(folder):
    names = {}
    exec("def train(a, /, b, c=1, *rest, d, e=[], **more): ...", names)
    shown = str(inspect.signature(names["train"]))
    assert str(find(folder, "package.deep.net:train")) == shown
    assert str(find(folder, "package.deep.net:short")) == "(lr=0.1)"


@pytest.mark.parametrize(
    "reference",
    [
        *(f"package.deep.net:{name}" for name in ("cached", "made", "inner", "dumps", "Net")),
        "package.deep.net:Net.fit",
        "starred:train",
        "math:sqrt",
    ],
)
def test_what_only_running_it_would_tell(folder, reference):
    assert find(folder, reference) is None


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("gone:train", "there is no module gone in"),
        ("package.gone:train", "there is no module package.gone in"),
        ("package.deep.net.more:train", "there is no module"),
        ("__main__:train", "there is no module __main__"),
        ("package.deep.net:trian", "Did you mean train?"),
        ("package.deep.net:Net.train", "there is no train in"),
        ("package.deep.net:later", "which is async"),
        ("package.broken:train", "invalid syntax"),
    ],
)
def test_what_is_not_there(folder, reference, expected):
    with pytest.raises(UsageError) as raised:
        find(folder, reference)
    assert expected in str(raised.value)


def test_what_is_somewhere_else(folder):
    assert find(folder / "of_other_machines", "gone:train") is None
    assert find(folder, "gone:train", is_python_here=False) is None
    with pytest.raises(UsageError, match="no trian"):
        find(folder, "package.deep.net:trian", is_python_here=False)
