"""The card that a plan is made for: named, given by its size, or found in this machine."""

import re
from collections.abc import Collection, Sequence

from fitguard.knowledge import knowledge
from fitguard.knowledge.gpus import USUAL_CAPABILITY, GpuModel, words
from fitguard.memory.sizes import size_bytes
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.hardware import Gpu
from fitguard.schema.plan import Card
from fitguard.schema.versions import parse
from fitguard.words import size

Size = int | float | str
_GIB = 2**30
_SIZE_WORD = re.compile(r"\d+gb")
_WITH_DESKTOP = ("GeForce", "TITAN")
_RARE = ("H100 SXM5 64 GB",)
"""Built for one buyer: who says `H100` does not mean it."""


def card(
    gpu: str | None = None,
    gpu_memory: Size | None = None,
    free: Size | None = None,
    gpus: Sequence[Gpu] | None = None,
) -> Card | None:
    """The memory that a step must do with; None where nothing is known of it.

    Args:
        gpu: The name of a GPU, in any of the usual spellings.
        gpu_memory: The size of its memory: bytes, or `8GiB`.
        free: What is free of it; all that the driver leaves where it is not given.
        gpus: Those of this machine, asked where neither `gpu` nor `gpu_memory` is given.

    Raises:
        UsageError: The name is unknown, or the sizes make no sense.
    """
    memory_bytes = None if gpu_memory is None else size_bytes(gpu_memory, "gpu_memory")
    free_bytes = None if free is None else size_bytes(free, "free")
    if gpu is not None:
        return _find_card(gpu, memory_bytes, free_bytes)
    if memory_bytes is not None:
        return _complete_card(
            Card(memory_bytes=memory_bytes, free_bytes=0, usable_bytes=0), free_bytes
        )
    here = _of_this_machine(gpus or (), free_bytes)
    if here is None and free_bytes is not None:
        return _complete_card(
            Card(memory_bytes=free_bytes, free_bytes=0, usable_bytes=0), free_bytes
        )
    return here


def find_smallest_card(needed_bytes: int, capability: str = USUAL_CAPABILITY) -> int | None:
    """The memory of the smallest card of which TensorFlow can have this much; None: there is none.

    Args:
        capability: As if it were a card of this compute capability.
    """
    memory = knowledge().gpu_memory
    major, *_ = parse(capability)
    sizes = {one for model in knowledge().gpus.table.rows for one in memory.sizes_bytes(model)}
    enough = (
        one
        for one in sizes
        if memory.usable_bytes(one - memory.driver_bytes(one), major) >= needed_bytes
    )
    return min(enough, default=None)


def _find_card(name: str, memory_bytes: int | None, free_bytes: int | None) -> Card:
    models = _find_models(name)
    sizes = _sizes(name, models) if memory_bytes is None else {}
    smallest = memory_bytes or min(sizes)
    alike = sizes.get(smallest, models)
    chosen = Card(
        name=alike[0].name if len(alike) == 1 else name.strip(),
        memory_bytes=smallest,
        free_bytes=0,
        usable_bytes=0,
        origin="table" if memory_bytes is None else "given",
        compute_capability=min((one.capability for one in alike), key=parse),
        note=_note(name, alike[0], sizes, free_bytes),
    )
    return _complete_card(chosen, free_bytes)


def _sizes(name: str, models: Sequence[GpuModel]) -> dict[int, tuple[GpuModel, ...]]:
    """The sizes that these models are sold with, and which of them have each.

    Raises:
        UsageError: The name tells a size that none of them has.
    """
    sizes: dict[int, tuple[GpuModel, ...]] = {}
    for model in models:
        for size_ in knowledge().gpu_memory.sizes_bytes(model):
            sizes[size_] = (*sizes.get(size_, ()), model)
    said = _read_gib(name)
    if said is None:
        return sizes
    meant = {size_: alike for size_, alike in sizes.items() if _is_shown(said, size_)}
    if not meant:
        raise UsageError(
            f"Received gpu={name!r}, which is sold with {_join_sizes(sizes)} only. Expected one of "
            f"these sizes, or that of the card beside its name: gpu_memory='{said}GiB'."
        )
    return meant


def _read_gib(name: str) -> int | None:
    """The size that a name tells: `V100-32GB`."""
    # In `GH200 480GB` the size is that of the CPU's memory.
    parts = {word for word in words(name) if not word.startswith(("gh", "gb"))}
    if len(parts) < len(words(name)):
        return None
    return next((int(word[:-2]) for word in parts if _SIZE_WORD.fullmatch(word)), None)


def _find_models(name: str) -> tuple[GpuModel, ...]:
    """The models that a name can mean: a laptop's only where it says so, or there is no other."""
    gpus = knowledge().gpus
    found = gpus.find(name)
    if not found:
        near = gpus.similar(name)
        raise UsageError(
            _describe_mismatch(name, "no GPU that fitguard knows", "The nearest names", near)
        )
    if gpus.is_series(name):
        names = [one.name for one in found if not one.in_laptops]
        raise UsageError(_describe_mismatch(name, "a series of GPUs", "Its models", names))
    cores = {_sizeless(one.name) for one in found}
    all_sizes = tuple(one for one in gpus.table.rows if _sizeless(one.name) in cores)
    plain = tuple(one for one in all_sizes if not one.in_laptops)
    if _read_gib(name) is None:
        plain = tuple(one for one in plain if one.name not in _RARE)
    return plain or all_sizes


def _sizeless(name: str) -> frozenset[str]:
    """The words of a name but the size: `RTX 3080` is sold with another size as well."""
    return frozenset(word for word in words(name) if not _SIZE_WORD.fullmatch(word))


def _describe_mismatch(name: str, problem: str, lead: str, names: Sequence[str]) -> str:
    listed = f" {lead} are: {', '.join(names)}." if names else ""
    return (
        f"Received gpu={name!r}, which is {problem}.{listed} Expected a name such as "
        "'RTX 3060 12GB' or 'Tesla T4', or the size of the memory alone: gpu_memory='8GiB'."
    )


def _note(name: str, model: GpuModel, sizes: Collection[int], free_bytes: int | None) -> str:
    remarks = []
    if len(sizes) > 1:
        remarks.append(
            f"{name} is sold with {_join_sizes(sizes)}: the smallest is assumed. Write the size "
            "behind the name, or give the memory, for another."
        )
    if free_bytes is None and model.name.startswith(_WITH_DESKTOP):
        remarks.append(
            "A desktop on this card holds 0.5 to 2.5 GiB that are counted as free here: give what "
            "is free."
        )
    if "shared with the CPU" in model.note:
        remarks.append("Its memory is shared with the CPU: programs there take from it.")
    return " ".join(remarks)


def _join_sizes(sizes: Collection[int]) -> str:
    return " or ".join(map(size, sorted(sizes)))


def _is_shown(gib: int, memory_bytes: int) -> bool:
    """Whether a card of so many GiB may show this size: error correction takes a sixteenth."""
    return 0.92 * gib * _GIB <= memory_bytes <= gib * _GIB


def _of_this_machine(gpus: Sequence[Gpu], free_bytes: int | None) -> Card | None:
    """The GPU with the least free memory: a training that is spread must fit each of them."""
    cards = [
        _build_real_card(gpu, free_bytes)
        for gpu in gpus
        if gpu.memory_bytes and not gpu.mig_enabled
    ]
    return min(cards, key=lambda one: one.usable_bytes, default=None)


def _build_real_card(gpu: Gpu, free_bytes: int | None) -> Card:
    memory_bytes = gpu.memory_bytes or 0
    own_bytes = sum(one.used_bytes or 0 for one in gpu.processes or () if one.own)
    # What this process holds, the training can have.
    others_bytes = max(0, (gpu.used_bytes or 0) - own_bytes)
    kept_bytes = knowledge().gpu_memory.driver_bytes(memory_bytes)
    found = Card(
        name=gpu.name or "",
        memory_bytes=memory_bytes,
        free_bytes=0,
        usable_bytes=0,
        origin="this machine",
        compute_capability=gpu.compute_capability or "",
    )
    now_bytes = max(0, memory_bytes - others_bytes - kept_bytes)
    return _complete_card(found, now_bytes if free_bytes is None else free_bytes)


def _complete_card(chosen: Card, free_bytes: int | None) -> Card:
    """The card with what is free of it, and what of that TensorFlow can have."""
    memory = knowledge().gpu_memory
    if free_bytes is None:
        free_bytes = max(0, chosen.memory_bytes - memory.driver_bytes(chosen.memory_bytes))
    if free_bytes > chosen.memory_bytes:
        raise UsageError(
            f"Received free={size(free_bytes)} of a card with {size(chosen.memory_bytes)}. "
            "Expected no more than the card has."
        )
    major, *_ = parse(chosen.compute_capability or USUAL_CAPABILITY)
    return Card(
        name=chosen.name,
        memory_bytes=chosen.memory_bytes,
        free_bytes=free_bytes,
        usable_bytes=memory.usable_bytes(free_bytes, major),
        origin=chosen.origin,
        compute_capability=chosen.compute_capability,
        note=chosen.note,
    )
