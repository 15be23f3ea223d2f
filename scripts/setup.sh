#!/usr/bin/env bash
# Makes the virtual environment with fitguard, its tools and TensorFlow for the CPU.
set -euo pipefail
venv=$1
cd "$(dirname "$0")/.."

python=""
for candidate in "${PYTHON:-python3}" python3.13 python3.12 python3.11; do
  if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [ -z "$python" ]; then
  echo "fitguard needs Python 3.11 or newer; found: $(python3 --version 2>&1)" >&2
  exit 1
fi

# Debian parts venv from Python.
if ! "$python" -c 'import ensurepip' 2>/dev/null; then
  echo "installing python3-venv (Debian keeps it in a package of its own)"
  apt-get update -qq && apt-get install -qq -y python3-venv
fi

[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
echo "installing fitguard, its tools and tensorflow-cpu into $venv (about two minutes)"
"$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check \
  --constraint constraints.txt --editable '.[dev]' tensorflow-cpu
# Keras 2 asks for the package tensorflow; tensorflow-cpu is the same module under another name.
"$venv/bin/python" -m pip install --quiet --quiet --disable-pip-version-check \
  --constraint constraints.txt --no-deps tf-keras
scripts/fetch_keras_releases.sh "$venv/keras-releases" "$venv/bin/python"
# pip compiles what it installs, but not an editable install; without this every start would.
"$venv/bin/python" -m compileall -q src
