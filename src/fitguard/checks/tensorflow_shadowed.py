"""Python would import a file or folder called tensorflow that belongs to no package."""

from fitguard.checks.fixes import installs, remedies
from fitguard.checks.framework.registry import check
from fitguard.schema.facts import Facts
from fitguard.schema.finding import Evidence, Finding, Fix
from fitguard.schema.software import Packages, Python


@check("FG118", "tensorflow-shadowed")
def tensorflow_shadowed(packages: Packages, python: Python, facts: Facts) -> Finding | None:
    """
    ## What it means
    `import tensorflow` takes the first folder or file of that name on Python's path. The first one
    here belongs to no installed package, and nothing in it tells a version: a folder of one's own,
    a checkout of TensorFlow's source, or what a removal left behind. An installed TensorFlow that
    comes after it is never reached.

    ## Why training crashes
    *module 'tensorflow' has no attribute 'keras'*, *has no attribute '__version__'*, *No module
    named 'tensorflow.python'*, *cannot import name 'pywrap_tensorflow'*: what is imported is not
    TensorFlow, or half of it.

    ## How to fix it
    Rename the folder if it is yours. If PYTHONPATH leads there, take that entry away. If it is what
    an uninstall left, delete it by hand and install TensorFlow again.

    A `tensorflow.py`, `keras.py` or folder of that name in the current folder is a warning: Python
    puts the folder of the script that it starts first on its path, so a script there imports it.
    Rename it.

    ## When this is wrong
    A TensorFlow that was built from source and copied without its package metadata works; fitguard
    then cannot tell what it was built with.

    ## References
    - Python, the module search path: <https://docs.python.org/3/library/sys_path_init.html>
    """
    if packages.unowned is not None:
        hidden = installs.find_tensorflow_packages(packages)
        return Finding(
            title=f"Python imports {packages.unowned}, which belongs to no installed package",
            evidence=(
                Evidence(packages.unowned, f"the path of {python.executable or 'this Python'}"),
                *(
                    Evidence(f"{item.name} {item.version}, not reached", item.origin)
                    for item in hidden
                ),
            ),
            fix=Fix(
                text="Rename that folder if it is yours, or remove it from PYTHONPATH. If an "
                "uninstall left it behind, delete it by hand and install TensorFlow again.",
                commands=(f'{remedies.python_command(facts)} -c "import sys; print(sys.path)"',),
            ),
        )
    if not packages.shadows:
        return None
    names = " and ".join(packages.shadows)
    return Finding(
        severity="warning",
        title=f"A script started from this folder imports {names}, not the installed package",
        evidence=tuple(Evidence(shadow, "the current folder") for shadow in packages.shadows),
        fix=Fix(text="Rename it, or start scripts that lie in another folder."),
    )
