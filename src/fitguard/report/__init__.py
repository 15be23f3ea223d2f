"""From the structs of `schema` to text, JSON, Markdown, HTML and SARIF: see `render.render`."""
