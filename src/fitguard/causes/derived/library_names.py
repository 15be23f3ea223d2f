"""What the name of a CUDA library tells: `libcublas.so.9.0` is of CUDA 9.0."""

import re

from fitguard.knowledge import knowledge
from fitguard.knowledge.tensorflow import Release
from fitguard.schema.versions import parse, text

_NAME = re.compile(
    r"(?:lib)?(?P<component>cudart|cublasLt|cublas|cufft|curand|cusolver|cusparse|cudnn|nvrtc|nccl)"
    r"\w*?(?:64_(?P<digits>\d+)\.dll|\.so\.(?P<version>[\d.]*\d)|\.so|\.dll|\b)"
)


def component(library: str) -> str | None:
    """`cublas` of libcublas.so.11 and of cublas64_11.dll."""
    found = _NAME.match(library)
    return found["component"] if found else None


def version(library: str) -> str | None:
    """`11.0` of libcudart.so.11.0 and of cudart64_110.dll, `8` of libcudnn.so.8."""
    found = _NAME.match(library)
    if found is None:
        return None
    digits = found["digits"]
    if digits is None:
        return found["version"]
    # Two and three digits of Windows' names are major and minor: 80, 101, 110. One is the major.
    return f"{digits[:-1]}.{digits[-1]}" if len(digits) > 1 and digits != "10" else digits


def find_requesting_releases(library: str) -> tuple[Release, ...]:
    """The releases of TensorFlow that ask for this library, oldest first."""
    part, number = component(library), version(library)
    if part is None or number is None:
        return ()
    return tuple(release for release in knowledge().tensorflow.all if _asks(release, part, number))


def cuda_of(library: str) -> str | None:
    """The CUDA whose library this is, as far as the releases that ask for it agree; `11.2, 11.8`
    where they do not."""
    part = component(library)
    if part in (None, "cudnn"):
        return None
    found = dict.fromkeys(
        text(parse(release.cuda), 2) for release in find_requesting_releases(library)
    )
    number = version(library)
    return ", ".join(found) or (number if part == "cudart" else None)


def releases_text(library: str) -> str | None:
    """`TensorFlow 1.5 to 1.12`: who asks for it."""
    releases = find_requesting_releases(library)
    if not releases:
        return None
    first, last = text(releases[0].minor), text(releases[-1].minor)
    return f"TensorFlow {first}" if first == last else f"TensorFlow {first} to {last}"


def _asks(release: Release, part: str, number: str) -> bool:
    if part == "cudnn":
        return text(parse(release.cudnn), 1) == number.split(".")[0]
    name = knowledge().cuda.sonames(release.cuda).get(part)
    return name is not None and name.endswith(f".so.{number}")
