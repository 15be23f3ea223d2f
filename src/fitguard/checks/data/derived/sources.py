"""Where the samples of each split come from, and how a sentence names it."""

from fitguard.schema.data import DataFacts, Source, Split


def sources_by_split(data: DataFacts) -> dict[Split, Source]:
    """The sources of training and validation, those that are there."""
    return {source.split: source for source in data.sources}


def format_source(source: Source) -> str:
    """`the generator`, or `the validation PyDataset`: the source as a sentence names it."""
    return f"the {'validation ' if source.split == 'validation' else ''}{source.container}"


def opening(source: Source) -> str:
    """The same at the beginning of a sentence: `The generator`."""
    return f"T{format_source(source)[1:]}"
