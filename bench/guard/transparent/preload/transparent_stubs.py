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
    "tensorflow_docs",
    "tensorflow_docs.vis",
)
_PACKAGES = {name.partition(".")[0] for name in NAMES}


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
    missing = {name for name in _PACKAGES if importlib.util.find_spec(name) is None}
    for name in NAMES:
        if name.partition(".")[0] in missing:
            module = NothingInside(name)
            module.__path__ = []
            sys.modules[name] = module
    if importlib.util.find_spec("tqdm") is None:
        bar = ModuleType("tqdm")
        bar.tqdm = lambda items, **_options: items
        sys.modules["tqdm"] = bar
