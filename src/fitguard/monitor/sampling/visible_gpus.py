"""Which GPUs, and which parts of them, a training sees."""

from collections.abc import Mapping

from fitguard.facts.nvml_questions import Questions

_VISIBLE, _ORDER = "CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER"
_PART = "MIG-"


def select_visible(
    gpus: Mapping[int, Questions], environment: Mapping[str, str]
) -> dict[int, Questions]:
    """The GPUs that CUDA shows, by index.

    CUDA numbers GPUs by speed unless told otherwise, NVML by their place on the bus: where they are
    not alike, a number does not say which one is meant, and all count.
    """
    named = _list_named(environment)
    if named is None:
        return dict(gpus)
    if any(not name.isdecimal() for name in named):
        uuids = {index: str(ask("nvmlDeviceGetUUID")) for index, ask in gpus.items()}
        return {
            index: ask
            for index, ask in gpus.items()
            if any(uuids[index].startswith(name) for name in named)
            or select_parts(ask, environment)[1]
        }
    alike = len({str(ask("nvmlDeviceGetName")) for ask in gpus.values()}) == 1
    if not alike and environment.get(_ORDER) != "PCI_BUS_ID":
        return dict(gpus)
    return {index: ask for index, ask in gpus.items() if str(index) in named}


def select_parts(
    ask: Questions, environment: Mapping[str, str]
) -> tuple[list[Questions], list[str]]:
    """The MIG devices of a GPU that the training sees, and those of them that it names.

    None where the GPU is not parted; all where it names none.
    """
    mode = ask("nvmlDeviceGetMigMode")
    if not mode or not mode[0]:
        return [], []
    handles = (
        ask("nvmlDeviceGetMigDeviceHandleByIndex", number)
        for number in range(ask("nvmlDeviceGetMaxMigDeviceCount") or 0)
    )
    parts = [Questions(ask.nvml, handle) for handle in handles if handle is not None]
    wanted = [name for name in _list_named(environment) or () if name.startswith(_PART)]
    by_name = {str(part("nvmlDeviceGetUUID")): part for part in parts}
    named = [name for name in by_name if name in wanted]
    return ([by_name[name] for name in named] if named else parts), named


def _list_named(environment: Mapping[str, str]) -> list[str] | None:
    """What CUDA is told to show; None where it is told nothing."""
    text = environment.get(_VISIBLE)
    if text is None:
        return None
    return [name.strip() for name in text.split(",") if name.strip()]
