"""The CUDA libraries that a supposed machine would load, in the loader's order."""

import re
from pathlib import PurePosixPath

from fitguard.environment.given import Given
from fitguard.knowledge import Knowledge
from fitguard.schema.exit_codes import UsageError
from fitguard.schema.software import CudaLibraries, Library, TensorFlow, Toolkit
from fitguard.schema.versions import parse, text


def suppose_libraries(
    given: Given, tensorflow: TensorFlow | None, tables: Knowledge
) -> CudaLibraries | None:
    """From library-path, cuda, cudnn, cuda-toolkits and the and-cuda extra; None if none is given.

    LD_LIBRARY_PATH comes first, as it does for the loader, then what was named outright, then the
    wheels that the and-cuda extra brings.
    """
    with_extra = tensorflow is not None and "and-cuda" in (tensorflow.extras or ())
    if not with_extra and not {"cuda", "cudnn", "library-path", "cuda-toolkits"} & given.keys():
        return None
    found = [*_from_path(given, tables), *_build_named_libraries(given, tables)]
    if with_extra and tensorflow is not None:
        found += _from_wheels(tensorflow, tables)
    toolkits = _toolkits(given, tables)
    # Nothing tells where the loader looks: then it is taken to find the toolkits.
    searched = given.get("cuda") != "none" and not any(item.component == "cudart" for item in found)
    folders = {PurePosixPath(item.path).parent for item in found if item.path}
    found += [
        _toolkit_runtime(toolkit, tables, searched=searched)
        for toolkit in toolkits
        if _folder(toolkit) not in folders
    ]
    return CudaLibraries(
        found=tuple(found),
        toolkits=toolkits,
        absent={
            component: given.origin(key)
            for key, component in (("cuda", "cudart"), ("cudnn", "cudnn"))
            if given.get(key) == "none"
        },
        library_path=tuple(given["library-path"].split(":")) if "library-path" in given else None,
    )


def _runtime_soname(version: str, tables: Knowledge) -> str:
    number = parse(version)
    full = number if len(number) > 1 else (*number, 0)
    return tables.cuda.sonames(text(full)).get("cudart", f"libcudart.so.{text(number, 2)}")


def _cudnn_soname(version: str) -> str:
    return f"libcudnn.so.{text(parse(version), 1)}"


_VERSION = re.compile(r"[vV]?\d{1,9}(\.(\d{1,9}|x))*")


def _cuda_version(value: str, key: str, tables: Knowledge) -> str:
    if not _VERSION.fullmatch(value):
        raise UsageError(f"Received {key}={value!r}. Expected a version such as 12.2, or none")
    version = text(parse(value))
    # CUDA 7.0 is older than the table, and real.
    if not tables.cuda.exists(version) and parse(version) != (7, 0):
        raise UsageError(
            f"Received {key}={value}, which is no known CUDA toolkit. Expected say 12.2 or 11.8"
        )
    return version


def _cudnn_version(value: str, tables: Knowledge) -> str:
    if not _VERSION.fullmatch(value):
        raise UsageError(f"Received cudnn={value!r}. Expected a version such as 8.9.7, or none")
    version = _format_cudnn_version(value)
    known = {parse(row.versions[0])[0] for row in tables.cudnn.table.rows}
    if parse(version)[0] not in known:
        raise UsageError(
            f"Received cudnn={value}, which is no known cuDNN. Expected say 8.9.7 or 9.3"
        )
    return version


def _format_cudnn_version(value: str) -> str:
    """cuDNN as logs print it: 8600 is 8.6.0, 90300 is 9.3.0."""
    number = parse(value)
    if len(number) > 1 or number[0] < 1000:
        return text(number)
    unit = 10000 if number[0] >= 90000 else 1000
    major, rest = divmod(number[0], unit)
    return f"{major}.{rest // 100}.{rest % 100}"


def _build_named_libraries(given: Given, tables: Knowledge) -> list[Library]:
    found = []
    if given.get("cuda", "none") != "none":
        version = _cuda_version(given["cuda"], "cuda", tables)
        found.append(
            Library(
                component="cudart",
                soname=_runtime_soname(version, tables),
                path="",
                version=version,
                found_by=given.origin("cuda"),
            )
        )
    if given.get("cudnn", "none") != "none":
        version = _cudnn_version(given["cudnn"], tables)
        found.append(
            Library(
                component="cudnn",
                soname=_cudnn_soname(version),
                path="",
                version=version,
                found_by=given.origin("cudnn"),
            )
        )
    return found


def _from_path(given: Given, tables: Knowledge) -> list[Library]:
    """The libraries in folders whose name tells the toolkit: /usr/local/cuda-11.2/lib64."""
    found = []
    for folder in given.get("library-path", "").split(":"):
        match = re.search(r"cuda[-_/]?v?(\d+\.\d+)", folder)
        if not match or not tables.cuda.exists(match[1]):
            continue
        found += [
            Library(
                component=component,
                soname=soname,
                path=str(PurePosixPath(folder) / soname),
                version=match[1] if component == "cudart" else None,
                version_from="name of the folder" if component == "cudart" else None,
                found_by="LD_LIBRARY_PATH",
            )
            for component, soname in tables.cuda.sonames(match[1]).items()
        ]
    return found


def _toolkits(given: Given, tables: Knowledge) -> tuple[Toolkit, ...]:
    if given.get("cuda-toolkits", "none") == "none":
        return ()
    origin = given.origin("cuda-toolkits")
    return tuple(
        Toolkit(
            _cuda_version(item.strip(), "cuda-toolkits", tables),
            f"/usr/local/cuda-{item.strip()}",
            nvcc=True,
            origin=origin,
        )
        for item in re.split(r"[,;\s]+", given["cuda-toolkits"].strip())
        if item
    )


def _folder(toolkit: Toolkit) -> PurePosixPath:
    return PurePosixPath(toolkit.path) / "lib64"


def _toolkit_runtime(toolkit: Toolkit, tables: Knowledge, *, searched: bool) -> Library:
    soname = _runtime_soname(toolkit.version or "0", tables)
    return Library(
        component="cudart",
        soname=soname,
        path=str(_folder(toolkit) / soname),
        version=toolkit.version,
        version_from="name of the folder",
        found_by=toolkit.origin if searched else f"{toolkit.origin}, not on the loader's path",
        searched=searched,
    )


# The wheel that holds each library.
_WHEELS = {"cudart": "cuda-runtime", "cublasLt": "cublas"}


def _from_wheels(tensorflow: TensorFlow, tables: Knowledge) -> list[Library]:
    """What pip brings: exact pins as they are, ranges at their lower bound."""
    pins = tables.cuda.and_cuda(tensorflow.version)
    runtime = pins.pin("cuda-runtime") if pins else None
    if pins is None or runtime is None:
        return []
    sonames = tables.cuda.sonames(_least(runtime[1]))
    unreachable = tables.cuda.unreachable(tensorflow.version)
    found = []
    for component in (*sonames, "cudnn"):
        wheel = _WHEELS.get(component, component)
        pin = pins.pin(wheel)
        if pin is None:
            continue
        package, requirement = pin
        version = _least(requirement)
        soname = sonames.get(component) or _cudnn_soname(version)
        reached = unreachable is None or component not in unreachable.components
        found.append(
            Library(
                component=component,
                soname=soname,
                path=f"site-packages/nvidia/{wheel.replace('-', '_')}/lib/{soname}",
                version=version,
                version_from=f"and-cuda pin {requirement}",
                found_by="RUNPATH of TensorFlow" if reached else f"wheel {package}, not searched",
                searched=reached,
                package=package,
            )
        )
    return found


def _least(requirement: str) -> str:
    """The version that a pin such as `==12.2.140` or `<13.0,>=12.5.82` starts at."""
    lower = next(item for item in requirement.split(",") if item.startswith(("==", ">=")))
    return text(parse(lower.lstrip("=>")))
