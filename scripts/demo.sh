#!/usr/bin/env bash
# The main jobs on this machine: will it train, would others, will this data, will it fit, why did a
# run die, and how does it not.
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

# Its report page stays: it is the last thing that the demo shows.
work="$(mktemp -d)"
. scripts/demo_training.sh

start_without_limit
echo "Will this machine train?"
show doctor
echo
echo "Does it really compute?"
show probe --only matmul-float32 first-kernel
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
echo
echo "Will this data train this model?"
show data examples/loss_is_nan.py:make
echo
echo "Will a batch of 384 fit an RTX 3060, and what if not?"
show plan examples/photos.py:make --batch-size 384 --gpu "RTX 3060 12GB"
echo
show_plain_death
echo
echo "Why?"
show explain "$work/died.log" --exit-code "$died"
echo
show_survival
echo
echo "How does it stand?"
show watch --once --runs-folder "$work/runs"
echo
echo "What happened?"
show report last --runs-folder "$work/runs"
