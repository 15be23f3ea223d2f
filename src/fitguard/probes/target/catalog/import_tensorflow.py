"""TensorFlow is imported.

## What is done
The interpreter that trains imports TensorFlow in a process of its own. Nothing else is computed.

## What a failure means
The installation is broken: a package that does not fit, a library that is missing, a processor
without the instructions that the build needs. Nothing else can be tried. `fitguard doctor` judges
the installation without importing it.
"""

NAME = "import-tensorflow"
LEVEL = "quick"
SECONDS = 4
LIMIT_SECONDS = 60
GATE = 1


def run(bench):
    """It has been imported already."""
    return "TensorFlow %s was imported in %.1f s" % (bench.tf.__version__, bench.import_seconds)
