"""Reads a model and its data, as `fit` will get them, into facts; nothing of them is changed."""
