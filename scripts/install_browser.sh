#!/usr/bin/env bash
# The HTML report is tested in a real browser: Debian's Chromium, installed where it is missing.
set -euo pipefail
command -v chromium >/dev/null && exit 0
echo "installing chromium for the tests of the HTML report"
apt-get update -qq
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null
