"""The nouns of fitguard: frozen structs, no I/O."""
