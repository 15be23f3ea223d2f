"""One file for each probe. It holds:

    NAME           "matmul-float32"
    LEVEL          "quick", or "medium" for what only the longer levels do
    SECONDS        what it takes on a GPU, roughly, for the time that is left
    LIMIT_SECONDS  after which it counts as hung
    run(bench)     raises where something is wrong, and returns a sentence on what was done

and, where it needs them: `ENVIRONMENT` (variables of its process), `SEVERAL = True` (it takes all
devices at once), `GATE = True` (where it fails, nothing else is tried), `MEMORY_BYTES` (of the host
that it may take).
"""
