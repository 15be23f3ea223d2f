"""Finds the `fit` calls of a script by running it up to there, and on as if it had trained.

reading.py      the door: `visit_fits("train.py", …)`, `read_fit("train.py:make", …)`
finding.py      the calls of a script
lines.py        where else it calls `fit`
arguments.py    what of a call matters for memory, and for data
functions.py    FILE.py:FUNCTION, and what the function returns
catching.py     what happens where the script would train
pretending.py   what the script gets instead of a trained model
write_aside.py  meanwhile no file of the user's is changed; open_files.py: those that are open
                already, writers.py: those that libraries open from C++
looking_alone.py scripts that would wait for other workers
compiles.py     what `compile` was given
elsewhere.py    scripts that train in a thread or in a child process
"""

from fitguard.memory.fit_call.arguments import select_data_arguments as select_data_arguments
from fitguard.memory.fit_call.arguments import select_plan_arguments as select_plan_arguments
from fitguard.memory.fit_call.finding import FitCall as FitCall
from fitguard.memory.fit_call.functions import TAKEN as TAKEN
from fitguard.memory.fit_call.functions import names_function as names_function
from fitguard.memory.fit_call.lines import later_lines as later_lines
from fitguard.memory.fit_call.lines import other_lines as other_lines
from fitguard.memory.fit_call.reading import CHECK as CHECK
from fitguard.memory.fit_call.reading import read_fit as read_fit
from fitguard.memory.fit_call.reading import visit_fits as visit_fits
