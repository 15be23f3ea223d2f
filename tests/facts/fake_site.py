"""Site directories as pip leaves them, and virtual environments to hold them."""

import base64
import hashlib
import subprocess
import sys
import venv
from pathlib import Path

from facts.fake_tree import plant

NEW_BUILD_INFO = """
import collections

build_info = collections.OrderedDict([('cpu_compiler', '/usr/lib/llvm-18/bin/clang'),
('cuda_compute_capabilities', ['sm_60', 'sm_70', 'sm_80', 'sm_89', 'compute_90']),
('cuda_version', '12.5.1'), ('cudnn_version', '9'), ('is_cuda_build', True),
('is_rocm_build', False), ('is_tensorrt_build', True)])
"""
CPU_BUILD_INFO = """
import collections

build_info = collections.OrderedDict([('is_cuda_build', False), ('is_rocm_build', False)])
"""
OLD_BUILD_INFO = """
from __future__ import absolute_import
is_cuda_build = True
is_rocm_build = False
cuda_version_number = '10.0'
cudnn_version_number = '7'
"""


def make_environment(home: Path) -> tuple[Path, Path]:
    """A real virtual environment without packages: its Python and its site directory."""
    venv.create(home, with_pip=False, symlinks=True)
    return home / "bin/python", next((home / "lib").glob("python3.*/site-packages"))


def install(
    site: Path,
    name: str,
    version: str,
    files: dict[str, str] | None = None,
    **metadata: str,
) -> Path:
    """Write a distribution as pip does: its files, and METADATA, INSTALLER and RECORD."""
    files = files or {}
    folder = f"{name.replace('-', '_')}-{version}.dist-info"
    record = "".join(
        f"{path},sha256={_digest(content)},{len(content.encode())}\n"
        for path, content in files.items()
    )
    held = {
        "METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nVersion: no\n",
        "INSTALLER": "pip\n",
        "RECORD": record,
        **metadata,
    }
    plant(site, {f"{folder}/{key}": value for key, value in held.items()})
    plant(site, dict(files))
    return site / folder


def tensorflow_files(build_info: str, module: str = "tensorflow") -> dict[str, str]:
    """The few files of a TensorFlow that fitguard looks at."""
    return {
        "tensorflow/__init__.py": "raise RuntimeError('fitguard imported TensorFlow')\n",
        f"{module}/python/platform/build_info.py": build_info,
        f"{module}/python/_pywrap_tensorflow_internal.so": "",
        f"{module}/libtensorflow_framework.so.2": "",
        f"{module}/libtensorflow_cc.so.2": "",
    }


def build_library(path: Path, *options: str, source: str = "") -> Path:
    """A real shared library with the given linker options, made by gcc."""
    path.parent.mkdir(parents=True, exist_ok=True)
    plain = () if source else ("-nostdlib",)
    command = ["gcc", "-shared", "-fPIC", *plain, "-x", "c", "-", "-x", "none", "-o", str(path)]
    subprocess.run([*command, *options], check=True, capture_output=True, input=source.encode())
    return path


def script(path: Path, body: str) -> Path:
    """An executable Python script."""
    path.write_text(f"#!{sys.executable}\n{body}")
    path.chmod(0o755)
    return path


def _digest(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return base64.urlsafe_b64encode(digest).decode().rstrip("=")
