"""Debian's chromium, and how it is started for tests: without a window, and without a network."""

import shutil

CHROMIUM = shutil.which("chromium") or "chromium"
NO_HOSTS = "--host-resolver-rules=MAP * ~NOTFOUND"
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
