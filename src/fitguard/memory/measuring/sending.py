"""The model on its way to the child: a `.keras` file, which holds no pickled objects."""

from pathlib import Path

from fitguard.inputs.models.library import recognise
from fitguard.inputs.sources.error_words import in_one_line
from fitguard.memory.measuring.data_specs import as_json
from fitguard.memory.measuring.request import SavedModel
from fitguard.memory.training import Training
from fitguard.schema.exit_codes import UsageError

COMMAND = (
    "`fitguard plan FILE.py:FUNCTION --measure`, which makes the model anew in the child process"
)


def save_model(training: Training, folder: Path) -> SavedModel:
    """The compiled model as a file in this folder, with the specs of its data.

    Raises:
        UsageError: for what cannot be saved.
    """
    if training.model is None:
        raise UsageError(
            "Received measure=True for a function, which cannot be sent to a child process. "
            f"Expected a model, or {COMMAND}"
        )
    file = str(folder / "model.keras")
    library = recognise(training.model, "plan").package
    try:
        training.model.save(file)
    except Exception as error:  # whatever Keras, the disk or a layer of the user's makes of it
        raise UsageError(
            "Received measure=True for a model that cannot be saved, and so not be sent to a child "
            f"process: {in_one_line(error)[:400]}. Expected a model that model.save() takes, or "
            f"{COMMAND}"
        ) from error
    return SavedModel(file=file, library=library, data=as_json(training.data))
