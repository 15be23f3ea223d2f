"""Public Keras examples that train without a network, and what is made smaller in each.

None of their text is here: a path, and values for names that the example sets at its top level.
"""

import ast
from typing import Any

EXAMPLES: dict[str, dict[str, Any]] = {
    "vision/mnist_convnet.py": {},
}


def shortened(source: str, constants: dict[str, Any]) -> str:
    """The example, with other values for some names that it sets."""
    tree = ast.parse(source)
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and target.id in constants:
                statement.value = ast.parse(repr(constants[target.id]), mode="eval").body
    return ast.unparse(tree)
