"""What does not go over as pickle would take it: each kind has a way of its own."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from fitguard.notebook.feed.receiving import make_dataset
from fitguard.notebook.feed.sending import pack_dataset
from fitguard.notebook.parcel.arrays import make_array, pack_array
from fitguard.notebook.parcel.keras_objects import (
    make_generator,
    make_keras,
    make_part,
    pack_generator,
    pack_keras,
    pack_part,
)
from fitguard.notebook.parcel.models import make_model, pack_model
from fitguard.notebook.parcel.public_functions import make_public_function, pack_public_function
from fitguard.notebook.parcel.streams import make_stream, pack_stream

if TYPE_CHECKING:
    from fitguard.notebook.parcel.packing import Packer
    from fitguard.notebook.parcel.unpacking import Unpacker


class Kind(NamedTuple):
    """A kind of object.

    Args:
        pack: What goes over for it, which is pickled in its turn; None where it is no such object.
        make: The object again.
    """

    pack: Callable[[Any, "Packer"], Any]
    make: Callable[[Any, "Unpacker"], Any]


KINDS = {
    "array": Kind(pack_array, make_array),
    "dataset": Kind(pack_dataset, make_dataset),
    "part": Kind(pack_part, make_part),
    "model": Kind(pack_model, make_model),
    "generator": Kind(pack_generator, make_generator),
    "keras": Kind(pack_keras, make_keras),
    "stream": Kind(pack_stream, make_stream),
    "public-function": Kind(pack_public_function, make_public_function),
}
