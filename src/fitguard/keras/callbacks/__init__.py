"""Callbacks for `fit` that watch memory; they work without `fitguard run`, too."""
