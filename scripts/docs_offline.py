"""A hook of mkdocs: no page of the site may load anything from elsewhere."""

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError

_LOADED = re.compile(
    r'<(?:script|img|iframe|source)\b[^>]*\bsrc="((?:https?:)?//[^"]+)'
    r'|<link\b(?![^>]*rel="canonical")[^>]*\bhref="((?:https?:)?//[^"]+)'
)


def on_post_build(config: MkDocsConfig) -> None:
    """Look through all pages."""
    for page in Path(config.site_dir).rglob("*.html"):
        if found := _LOADED.search(page.read_text(encoding="utf-8")):
            raise PluginError(f"{page} loads {found[1] or found[2]}. The site must work offline.")
