"""One file per root cause of a crash: a pure function over the story, its docstring the page."""
