#!/usr/bin/env bash
# The main job on this machine, then three well-known broken set-ups.
set -uo pipefail
cd "$(dirname "$0")/.."
export VIRTUAL_ENV="$PWD/.venv"
fitguard="$VIRTUAL_ENV/bin/fitguard"

bold="" plain=""
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\033[1m' plain=$'\033[0m'; fi

show() {
  printf '\n%s$ fitguard' "$bold"
  printf ' %q' "$@"
  printf '%s\n\n' "$plain"
  "$fitguard" "$@"
  local code=$?
  # 0: nothing found, 3: findings. Anything else is fitguard's own failure.
  if [ "$code" -ne 0 ] && [ "$code" -ne 3 ]; then exit "$code"; fi
}

echo "Will this machine train?"
show doctor
echo
echo "Keras 2.2.4 on TensorFlow 1.4.1: will it run?"
show doctor --what-if tf=1.4.1 keras=2.2.4
echo
echo "A Tesla K80 under CUDA 12?"
show doctor --what-if gpu="Tesla K80" cuda=12.2
echo
echo "An RTX 50 under TensorFlow 2.18?"
show doctor --what-if gpu="RTX 5090" tf=2.18
echo
echo "And what would run on the K80?"
show resolve --what-if gpu="Tesla K80" os=linux-x86_64
