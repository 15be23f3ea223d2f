"""Documents become text, JSON, Markdown, HTML or SARIF. A room below what measures and judges.

    a document ──> pages/NAME.py: build_page ──> a Page of blocks ──> formats/FORMAT.py ──> a string

registry   one row for each document: struct, name, whether it holds findings
render     one row for each format; the door of the room: a document and a format in, a string out
blocks     what a page is made of: verdict, pairs, table, finding, quotation, drawing, folded, …
rows/      documents as words and rows; no layout
charts/    documents as drawings; below pages, above rows
pages/     one module for each document: which blocks, in which order
formats/   one module for each format: how each block looks. JSON shows the struct itself
privacy/   what is taken out before strangers read it: names, secrets, control characters
answers    what `print(answer)` and a notebook show
json_schemas  the published schemas, made from the structs

A new document: a struct in `schema/` that inherits `Document`, a row in `registry`, a module in
`pages/`. A new format: a row in `render`, a module in `formats/`. A new block: a class in `blocks`
and its look in text, Markdown and HTML.
"""
