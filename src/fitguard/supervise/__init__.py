"""The parent of a guarded run: starts the training, watches it, decides what to do when it dies."""
