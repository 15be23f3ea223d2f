"""Runs inside the interpreter that trains, and prints what is true there as one line of JSON.

It may meet a Python 2.7 or a 3.14, so it is one file, standard library only, in syntax that both
accept. It never imports TensorFlow: it lists the directories of `sys.path` and reads the few
metadata files that matter. A part that fails costs only its part.
"""

import io
import os
import sys

if sys.path and os.path.realpath(sys.path[0] or ".") == os.path.dirname(os.path.realpath(__file__)):
    # The user's own script has another directory here, and no module of ours may shadow a package.
    del sys.path[0]

import json
import re

MARK = "FITGUARD-FACTS-1"

NAMES = frozenset(
    """
    absl-py autokeras deepface efficientnet flatbuffers gast h5py horovod jax jaxlib ml-dtypes
    numpy pandas protobuf ray scipy segmentation-models tf-agents tf-keras tf-models-official torch
    transformers typing-extensions wrapt
    """.split()
)
PREFIXES = ("tensorflow", "tf-nightly", "tf-keras", "keras", "nvidia-", "tensorrt")
METADATA_KINDS = (".dist-info", ".egg-info", ".egg-link")
LEFTOVER = re.compile(r"^([~-]+)(.+?)-\d.*\.(dist-info|egg-info)$")
NAME_AND_VERSION = re.compile(r"^(.+?)(?:-(\d[^-]*)(?:-py\d.*)?)?$")


def main():
    failed = {}
    directories = attempt("site_directories", failed, site_directories) or []
    found = attempt("packages", failed, packages, directories)
    answer = {
        "failed": failed,
        "site_directories": directories,
        "packages": found,
        "python": attempt("python", failed, python),
        "platform": attempt("platform", failed, platform),
        "tensorflow": attempt("tensorflow", failed, tensorflow, directories, found or [], failed),
    }
    say(MARK + " " + json.dumps(readable(answer)))


def attempt(name, failed, function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        failed[name] = "%s: %s" % (type(error).__name__, error)
        return None


def say(line):
    """Write past `sys.stdout`, which may have any encoding; what others wrote comes first."""
    sys.stdout.flush()
    rest = ("\n" + line + "\n").encode("ascii")
    while rest:
        rest = rest[os.write(1, rest) :]


def readable(value):
    """File names may hold any byte: make everything text that JSON can carry."""
    if isinstance(value, dict):
        return dict((readable(key), readable(item)) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return [readable(item) for item in value]
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if hasattr(value, "encode"):
        return value.encode("utf-8", "replace").decode("utf-8")
    return value


def site_directories():
    """The directories of `sys.path` in import order, each once: lib64 is often a link to lib."""
    seen = set()
    found = []
    for entry in sys.path:
        real = os.path.realpath(entry)
        if entry and real not in seen and os.path.isdir(real):
            seen.add(real)
            found.append(os.path.abspath(entry))
    return found


def python():
    import sysconfig

    base = getattr(sys, "base_prefix", None) or getattr(sys, "real_prefix", sys.prefix)
    implementation = getattr(sys, "implementation", None)
    return {
        "version": "%d.%d.%d" % tuple(sys.version_info[:3]),
        "executable": sys.executable,
        "prefix": sys.prefix,
        "base_prefix": base,
        "conda": os.path.isdir(os.path.join(sys.prefix, "conda-meta")),
        "implementation": implementation.name if implementation else "cpython",
        "platform_tag": sysconfig.get_platform(),
    }


def platform():
    systems = {"linux": "linux", "linux2": "linux", "win32": "windows", "darwin": "macos"}
    system = systems.get(sys.platform, sys.platform)
    uname = os.uname() if hasattr(os, "uname") else __import__("platform").uname()
    kernel = uname[2]
    return {
        "system": system,
        "machine": "x86_64" if uname[4] == "AMD64" else uname[4],
        "kernel": kernel,
        "wsl": system == "linux" and "microsoft" in kernel.lower(),
        "distribution": distribution() if system == "linux" else None,
        "libc": libc() if system == "linux" else None,
        "origin": "uname and os-release",
    }


def distribution():
    known = {}
    for line in lines_of("/etc/os-release") or lines_of("/usr/lib/os-release") or []:
        key, _, value = line.partition("=")
        known[key] = value.strip("\"'")
    return " ".join(known[key] for key in ("ID", "VERSION_ID") if known.get(key)) or None


def libc():
    try:
        return os.confstr(2)  # CS_GNU_LIBC_VERSION: Python 2 does not know the name
    except (AttributeError, ValueError, OSError):
        loaders = [name for name in os.listdir("/lib") if name.startswith("ld-musl-")]
        return "musl" if loaders else None


def lines_of(path, limit=None):
    """The lines of a text file, or None where it cannot be read."""
    try:
        with io.open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read(limit if limit else -1).splitlines()
    except (IOError, OSError):
        return None


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def matters(name):
    return name in NAMES or name.startswith(PREFIXES) or name.endswith("-tensorflow")


def packages(directories):
    """The distributions that matter, in import order; leftovers of broken installs come last."""
    conda = conda_names()
    found, leftovers, seen = [], [], set()
    for directory in directories:
        here = []
        for name in metadata_names(directory):
            if LEFTOVER.match(name):
                leftovers.extend(leftover_package(directory, name))
                continue
            place, entry = follow_link(directory, name)
            real = os.path.realpath(os.path.join(place, entry))
            if real not in seen:
                seen.add(real)
                here.append(package(place, entry, name.endswith(".egg-link"), conda))
        found.extend(settle(here))
    return found + leftovers


def metadata_names(directory):
    """The metadata of packages that matter in one directory of `sys.path`."""
    if directory.endswith(".egg"):
        return ["EGG-INFO"] if matters(project(os.path.basename(directory))) else []
    try:
        names = [name for name in os.listdir(directory) if name.endswith(METADATA_KINDS)]
    except OSError:
        return []
    return [name for name in sorted(names) if name[0] in "~-" or matters(project(name))]


def project(name):
    return normal(NAME_AND_VERSION.match(name.rpartition(".")[0]).group(1))


def leftover_package(directory, name):
    """pip renames `tensorflow` to `~ensorflow` before it removes it; a broken run leaves that."""
    marks, rest = LEFTOVER.match(name).group(1, 2)
    rest = normal(rest)
    ends = [known[len(marks) :] for known in NAMES]
    starts = tuple(known[len(marks) :] for known in PREFIXES)
    if rest not in ends and not rest.startswith(starts):
        return []
    problem = "%s is a leftover of a pip run that broke off; nothing uses it" % name
    path = os.path.join(directory, name)
    return [{"name": marks + rest, "location": directory, "problem": problem, "origin": path}]


def follow_link(directory, name):
    """An egg-link names the source directory where the metadata lies."""
    if name.endswith(".egg-link"):
        lines = lines_of(os.path.join(directory, name)) or [""]
        return lines[0].strip() or directory, name[: -len(".egg-link")] + ".egg-info"
    return directory, name


def package(directory, entry, linked, conda):
    path = os.path.join(directory, entry)
    metadata = path
    if not os.path.isfile(path):
        metadata = os.path.join(path, "METADATA" if entry.endswith(".dist-info") else "PKG-INFO")
    headers = read_headers(metadata)
    stem = NAME_AND_VERSION.match(entry.rpartition(".")[0] or entry)
    name = normal((headers or {}).get("name") or stem.group(1))
    problem = None
    if headers is None:
        missing = os.path.basename(metadata)
        problem = "%s has no %s: its install or removal broke off" % (path, missing)
    elif not headers.get("version"):
        problem = "%s names no version" % metadata
    installer = installer_of(path, linked)
    version = (headers or {}).get("version") or None
    if installer is None and (name, version) in conda:
        installer = "conda"
    return {
        "name": name,
        "version": version,
        "location": directory,
        "installer": installer,
        "requested": os.path.isfile(os.path.join(path, "REQUESTED")) or None,
        "problem": problem,
        "origin": metadata,
    }


def read_headers(path):
    """Name and version at the head of METADATA or PKG-INFO; None where there is no such file."""
    lines = lines_of(path, limit=8192)
    if lines is None:
        return None
    headers = {}
    for line in lines:
        if not line.strip():
            break
        key, _, value = line.partition(":")
        headers.setdefault(key.lower(), value.strip())
    return headers


def installer_of(path, linked):
    if linked:
        return "editable"
    direct = lines_of(os.path.join(path, "direct_url.json"))
    if direct is not None and re.search(r'"editable"\s*:\s*true', "".join(direct)):
        return "editable"
    lines = lines_of(os.path.join(path, "INSTALLER"))
    return (lines[0].strip().lower() or None) if lines else None


def conda_names():
    """(name, version) of what conda installed: conda-meta/numpy-1.26.4-py311h64a7726_0.json."""
    folder = os.path.join(sys.prefix, "conda-meta")
    if not os.path.isdir(folder):
        return frozenset()
    parts = [name[: -len(".json")].rsplit("-", 2) for name in os.listdir(folder) if "-" in name]
    return frozenset((normal(part[0]), part[1]) for part in parts if len(part) == 3)


def settle(here):
    """Put the copy that was installed last first, and say who was not asked for.

    Old versions of pip write no REQUESTED at all: its absence tells only where some have it.
    """
    records = any(item["requested"] for item in here)
    for item in here:
        if records and item["installer"] in ("pip", "uv"):
            item["requested"] = bool(item["requested"])
    return sorted(here, key=lambda item: (item["name"], bool(item["problem"]), -read_time(item)))


def read_time(item):
    return os.path.getmtime(item["origin"]) if os.path.exists(item["origin"]) else 0


def tensorflow(directories, found, failed):
    """What `import tensorflow` would take, and its build; None where there is none."""
    for directory in directories:
        module = os.path.join(directory, "tensorflow")
        paths = [module + end for end in ("/__init__.py", ".py", "/python")]
        first = [path for path in paths if os.path.exists(path)][:1]
        if first == [module + ".py"]:
            return {"location": first[0], "origin": first[0]}
        if first:
            return describe_tensorflow(directory, module, found, failed)
    return None


def describe_tensorflow(directory, module, found, failed):
    # TensorFlow 1.15 and 2.0 keep their files in tensorflow_core; tensorflow is a shell there.
    core = os.path.join(directory, "tensorflow_core")
    base = core if os.path.isdir(os.path.join(core, "python")) else module
    info = os.path.join(base, "python", "platform", "build_info.py")
    owner = owner_of(directory, info, found)
    return {
        "location": module,
        "package": owner["name"] if owner else None,
        "version": (owner["version"] if owner else None) or version_in_headers(base),
        "build": attempt("tensorflow_build", failed, build_of, info) or {},
        "origin": info if os.path.isfile(info) else module,
        "libraries": find_shared_libraries(base),
    }


def owner_of(directory, info, found):
    """The distribution whose files lie there. Several may claim them: the bytes decide."""
    here = [item for item in found if item["location"] == directory and item.get("version")]
    claims = [item for item in here if claims_tensorflow(item)]
    if len(claims) > 1:
        claims = [item for item in claims if is_recorded(item, directory, info)] or claims
    return claims[0] if claims else None


def claims_tensorflow(item):
    folder = os.path.dirname(item["origin"])
    modules = lines_of(os.path.join(folder, "top_level.txt"))
    if modules is not None:
        return "tensorflow" in [line.strip() for line in modules]
    record = lines_of(os.path.join(folder, "RECORD")) or []
    return any(line.startswith("tensorflow/__init__.py,") for line in record)


def is_recorded(item, directory, info):
    """Whether the RECORD of a distribution holds this very build_info.py, byte for byte."""
    import base64
    import hashlib

    if not os.path.isfile(info):
        return False
    with open(info, "rb") as stream:
        digest = hashlib.sha256(stream.read()).digest()
    code = base64.urlsafe_b64encode(digest).decode("ascii").rstrip("=")
    name = os.path.relpath(info, directory).replace(os.sep, "/")
    start = "%s,sha256=%s" % (name, code)
    lines = lines_of(os.path.join(os.path.dirname(item["origin"]), "RECORD")) or []
    return any(line.startswith(start) for line in lines)


def build_of(path):
    """What build_info.py assigns. Since 2.3 one dictionary, before that plain variables."""
    import ast

    if not os.path.isfile(path):
        return {}
    with open(path, "rb") as stream:
        tree = ast.parse(stream.read())
    values = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            value = node.value
            if isinstance(value, ast.Call) and value.args:
                value = value.args[0]
            try:
                values[node.targets[0].id] = ast.literal_eval(value)
            except ValueError:
                continue
    values.update(values.pop("build_info", ()))
    return json.loads(json.dumps(readable(values)))  # what JSON cannot carry fails in this part


def version_in_headers(base):
    """The version in TensorFlow's own C++ headers, for a copy without package metadata."""
    public = os.path.join(base, "include", "tensorflow", "core", "public")
    for name in ("release_version.h", "version.h"):
        text = "\n".join(lines_of(os.path.join(public, name)) or [])
        parts = re.findall(r"#define\s+TF_(?:MAJOR|MINOR|PATCH)_VERSION\s+(\d+)", text)
        if len(parts) == 3:
            return ".".join(parts)
    return None


def find_shared_libraries(base):
    """The libraries that open CUDA's: theirs is the RUNPATH that the loader follows."""
    own = [name for name in sorted(os.listdir(base)) if name.startswith("libtensorflow_")]
    found = []
    for part in ("framework", "cc"):
        start = "libtensorflow_%s.so" % part
        found.extend(os.path.join(base, name) for name in own if name.startswith(start))
    for name in ("_pywrap_tensorflow_internal.so", "_pywrap_tensorflow.so"):
        path = os.path.join(base, "python", name)
        if os.path.isfile(path):
            found.append(path)
    return found


if __name__ == "__main__":
    main()
