"""From the log of a dead run to ranked causes.

explanation.py is the door. A log goes this way:

    bytes ──> lines that matter ──> signals ──> Story ──> causes/ ──> verdicts ──> Diagnosis

Bytes of any size and kind, as a stream
    given.py          what `explain` was given: logs, the kernel log, facts
    source.py         a file, bytes or stdin; compression.py unpacks it, encoding.py makes it UTF-8
    streams.py, windows.py
                      the stream, and the window through which it is seen

The lines that matter
    reader.py         a log in, its lines out
    sieve.py          one pass over the log: hits.py, what stands around them, kept.py
    engine.py         finds all texts of the signatures at once, in all their spellings
    cleaning.py       a line without json_text.py around it, prefixes.py and escapes

What they mean
    signals.py        lines into signals: the signatures of `knowledge`
    clues.py          what they tell of the machine
    ending.py         how the process ended: exit code, signal, last words
    allocator.py, allocator_lines.py
                      what TensorFlow's allocator says when memory runs out
    tracebacks.py     the Python error that ended the script
    command.py        what was started

Of several workers
    log_folder.py     the logs in a folder
    several.py        which lines are of which worker
    stamps.py         when a line was written
    workers.py        which worker failed first (pure)
    silent.py         the first one has no error in its log: what the others saw of its end
    breaking_off.py   all logs end in the middle of an epoch: that is no good end
    joining.py        each worker explained, and the answer: that of the first one

The answer
    judging.py        lines into a story, its causes judged
    leanings.py       what a line alone suggests, where no cause knows better
    ranking.py        verdicts into ranked causes: the first failure counts
    questions.py      where nothing decides: which fact would
    next_steps.py, next_commands.py
                      the command of fitguard that goes on from here

Of a process that fitguard itself has started
    explaining.py     the same, asked in a process of its own
    kernel_lines.py   which lines of the kernel log are about that process
"""
