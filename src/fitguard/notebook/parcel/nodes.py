"""How objects are written down: a tree of nodes for JSON, with large data in files beside it.

What has an identity (lists, arrays, models, instances, functions) stands once in the table of the
parcel; the tree only holds its number. An object that came from the other side keeps the number it
had there, so that the way back changes the object itself and not a copy of it.
"""

import msgspec


class Made(msgspec.Struct, frozen=True, tag="made"):
    """A value without identity: `of` names the maker, which gets the parts."""

    of: str
    parts: list["Node"] = []


class Shared(msgspec.Struct, frozen=True, tag="shared"):
    """The object with this number in the table."""

    number: int


class Import(msgspec.Struct, frozen=True, tag="import"):
    """A module, or what is inside of it under `path`."""

    module: str
    path: str = ""


class Filled(msgspec.Struct, frozen=True, tag="filled"):
    """A container: `of` is `list`, `dict`, …; the items of a dict are keys and values in turn."""

    of: str
    items: list["Node"] = []
    maker: "Node" = None


class Instance(msgspec.Struct, frozen=True, tag="instance"):
    """An object of a class with attributes.

    Args:
        missing: Attributes that could not be carried.
        items: Of a class below `dict` or `list`.
    """

    cls: "Node"
    attributes: dict[str, "Node"] = {}
    missing: list[str] = []
    items: "Node" = None


class Code(msgspec.Struct, frozen=True, tag="code"):
    """A function or class that is carried as source.

    Args:
        source: Defines `name`; where that takes `free`, it is a function that returns the object.
        module: Whose names it uses: `__main__`, or that of a module that can be imported.
        line: Of the file with all carried source where this piece begins.
        free: Names of the function around it that it uses, with their values.
        before: What must be there before it can be defined.
        uses: What it needs when it is called: global names and their values.
    """

    source: str
    name: str
    module: str
    line: int = 1
    free: dict[str, "Node"] = {}
    before: dict[str, "Node"] = {}
    uses: dict[str, "Node"] = {}


class Array(msgspec.Struct, frozen=True, tag="array"):
    """A NumPy array: in a file, `data` where it is small, `items` where it holds objects.

    Args:
        kind: What it was: `array`, `scalar`, `tensor`, `variable`.
        dtype: By name; empty where the file says it.
        offset: Where it begins in a file that is the user's own memory map; -1 for a .npy file.
        fortran: Columns first, in such a map.
    """

    kind: str
    dtype: str
    shape: list[int]
    file: str = ""
    data: bytes | None = None
    items: list["Node"] | None = None
    offset: int = -1
    fortran: bool = False


class Generator(msgspec.Struct, frozen=True, tag="generator"):
    """A random generator: the name of its class, the package that has it, and its state."""

    of: str
    library: str
    state: "Node"


class Frame(msgspec.Struct, frozen=True, tag="frame"):
    """What pandas holds: columns as arrays with their pandas dtype.

    Args:
        kind: `frame`, `series`, `index` or `range`.
        name: Of the column; the whole index of them for a `frame`.
    """

    kind: str
    name: "Node"
    columns: list["Node"]
    dtypes: list[str]
    index: "Node" = None


class KerasObject(msgspec.Struct, frozen=True, tag="keras"):
    """A layer, loss, optimizer, …: its config, and the values of its variables."""

    library: str
    config: str
    custom: dict[str, "Node"] = {}
    lambdas: list["Node"] = []
    variables: list["Node"] = []


class Model(msgspec.Struct, frozen=True, tag="model"):
    """A Keras model.

    Args:
        config: As Keras writes it; empty where the other side has the model.
        state: File with all its state, in the format of snapshots.
        seeds: Of the random initializers of each layer, for a model that is not built.
        batch: Shapes and dtypes of a batch, for a model that training has built.
    """

    library: str
    config: str = ""
    state: str = ""
    custom: dict[str, "Node"] = {}
    lambdas: list["Node"] = []
    seeds: list[dict[str, int]] = []
    batch: "Node" = None
    history: "Node" = None


class History(msgspec.Struct, frozen=True, tag="history"):
    """What `fit` returned."""

    library: str
    attributes: dict[str, "Node"]
    model: "Node" = None


class PartOf(msgspec.Struct, frozen=True, tag="part"):
    """A layer, the optimizer or a variable of a model that is carried, too."""

    model: "Node"
    kind: str
    index: int = 0


Node = (
    None
    | bool
    | int
    | float
    | str
    | Made
    | Shared
    | Import
    | Filled
    | Instance
    | Code
    | Array
    | Generator
    | Frame
    | KerasObject
    | Model
    | History
    | PartOf
)


class Entry(msgspec.Struct, frozen=True):
    """A row of the table.

    Args:
        node: None where the object is as the receiver has it.
        origin: Its number in the parcel that it came with, if it came with one.
    """

    node: Node
    origin: int | None = None


class Parcel(msgspec.Struct, frozen=True):
    """All that is carried at once."""

    content: Node
    table: list[Entry]
