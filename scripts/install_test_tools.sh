#!/usr/bin/env bash
# What the tests use beside Python: Chromium for the HTML report, gcc for real shared libraries.
set -euo pipefail
missing=()
command -v chromium >/dev/null || missing+=(chromium)
command -v gcc >/dev/null || missing+=(gcc libc6-dev)
[ ${#missing[@]} -eq 0 ] && exit 0
echo "installing for the tests: ${missing[*]}"
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
