"""The `Callback` of the Keras that is used here."""

import os
import sys
from typing import TYPE_CHECKING, Any

from fitguard.contract.libraries import Library


def _choose_library() -> Library:
    """Keras 2 calls methods that a callback of Keras 3 does not have; the reverse works."""
    legacy = os.environ.get("TF_USE_LEGACY_KERAS", "").lower() in ("1", "true")
    return Library("tf_keras" if legacy or "tf_keras" in sys.modules else "keras")


if TYPE_CHECKING:

    class Callback:
        """As far as it is used here."""

        model: Any
        params: dict[str, Any]

else:
    Callback = _choose_library().module("callbacks").Callback
