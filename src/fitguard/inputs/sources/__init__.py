"""The kinds of data that `fit` takes, each read without a trace."""
