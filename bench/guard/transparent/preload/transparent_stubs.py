"""Packages that public examples only draw pictures with: here they do nothing."""

import importlib.util
import sys
from types import ModuleType

NAMES = (
    "matplotlib",
    "matplotlib.pyplot",
    "matplotlib.colors",
    "matplotlib.patches",
    "matplotlib.animation",
    "matplotlib.cm",
    "mpl_toolkits",
    "mpl_toolkits.mplot3d",
    "seaborn",
    "imageio",
)


class Nothing:
    """Answers each call and each attribute with itself."""

    def __call__(self, *_args, **_kwargs):
        return self

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _key):
        return self

    def __setitem__(self, _key, _value):
        pass

    def __iter__(self):
        return iter((self, self))

    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return None


class NothingInside(ModuleType):
    """A module with any name in it."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "subplots":
            return lambda *_args, **_kwargs: (Nothing(), Nothing())
        return Nothing()


def put():
    """Where they are not installed."""
    for name in NAMES:
        if importlib.util.find_spec(name.partition(".")[0]) is None or name in sys.modules:
            module = sys.modules.setdefault(name, NothingInside(name))
            module.__path__ = []
