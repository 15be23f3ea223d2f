"""Tables as pages show them."""

import msgspec

from fitguard.report.blocks import Table, plain


def drop_empty_columns(table: Table) -> Table:
    """The table without the columns in which nothing stands."""
    places = range(len(table.headers))
    kept = [place for place in places if any(plain(row[place]) for row in table.rows)]
    return msgspec.structs.replace(
        table,
        headers=tuple(table.headers[place] for place in kept),
        rows=tuple(tuple(row[place] for place in kept) for row in table.rows),
    )
