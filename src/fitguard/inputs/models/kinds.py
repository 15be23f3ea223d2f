"""What a layer does, told by the class of Keras whose `call` runs, and what such classes keep."""

from typing import Any

from fitguard.contract.layers import flatten_layers
from fitguard.contract.libraries import is_a, is_of_keras
from fitguard.inputs.models.asking import ask, trait


def split_names(names: str) -> frozenset[str]:
    """The names in a text."""
    return frozenset(names.split())


SAME_VALUES = split_names(
    """
    InputLayer Reshape Flatten Permute RepeatVector Identity Concatenate Stack Cast
    ExpandDims Squeeze Transpose Swapaxes Moveaxis Ravel Tile Repeat Copy StopGradient
    tf.cast tf.reshape tf.expand_dims tf.squeeze tf.transpose tf.identity tf.concat tf.stack
    tf.tile tf.repeat tf.stop_gradient tf.convert_to_tensor
    """
)
"""Values pass through unchanged: an index stays an index."""

SAME_RANGE = split_names(
    """
    Dropout SpatialDropout1D SpatialDropout2D SpatialDropout3D GaussianNoise GaussianDropout
    AlphaDropout Masking ActivityRegularization ReLU ZeroPadding1D ZeroPadding2D
    ZeroPadding3D Cropping1D Cropping2D Cropping3D UpSampling1D UpSampling2D UpSampling3D
    Resizing CenterCrop GetItem Maximum Average MaxPooling1D MaxPooling2D MaxPooling3D
    AveragePooling1D AveragePooling2D AveragePooling3D GlobalMaxPooling1D GlobalMaxPooling2D
    GlobalMaxPooling3D GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D
    RandomFlip RandomRotation RandomZoom RandomCrop RandomTranslation RandomContrast
    RandomBrightness RandomHeight RandomWidth RandomShear RandomErasing RandomSaturation
    RandomHue RandomColorJitter RandomGrayscale RandomSharpness RandomGaussianBlur AugMix
    CutMix MixUp RandAugment tf.getitem tf.resize tf.pad Pad Resize
    """
)
"""Values may move, go missing or mix, but keep their order of magnitude."""

SAME_ACTIVATION = split_names(
    """
    InputLayer Reshape Flatten Permute RepeatVector Identity Cast ExpandDims Squeeze
    Transpose Dropout SpatialDropout1D SpatialDropout2D SpatialDropout3D
    ActivityRegularization Cropping1D Cropping2D Cropping3D UpSampling1D UpSampling2D
    UpSampling3D Resizing tf.cast tf.reshape tf.expand_dims tf.squeeze tf.transpose
    tf.identity
    """
)
"""An activation in front of these is still the last one of the output."""

_WITH_WEIGHTS = (
    *("Dense", "EinsumDense", "Conv", "Depthwise", "Separable", "LocallyConnected"),
    *("LSTM", "GRU", "SimpleRNN", "RNN", "Bidirectional", "Embedding", "MultiHead", "GroupQuery"),
)


def kind(layer: Any) -> str:
    """The name of the class of Keras whose `call` runs; empty where that is the user's own.

    An Activation that is linear is an `Identity`. An operation of Keras 3 is named like its class
    (`Divide`); one of TensorFlow in a model of Keras 2 is named `tf.truediv`.
    """
    if is_a(layer, "TFOpLambda", "SlicingOpLambda"):
        symbol = trait(layer, "symbol") or trait(trait(layer, "function"), "__name__", "")
        return "tf." + str(symbol).rpartition(".")[2]
    bases = type(layer).__mro__
    runs = next((base for base in bases if "call" in vars(base)), object)
    if not is_of_keras(runs) or "call" in ask(lambda: vars(layer), {}):
        return ""
    name = next((base.__name__ for base in bases if is_of_keras(base)), "")
    linear = name == "Activation" and trait(trait(layer, "activation"), "__name__") == "linear"
    return "Identity" if linear else name


def unwrap_layer(layer: Any) -> Any:
    """The layer inside of TimeDistributed wrappers."""
    while kind(layer) == "TimeDistributed":
        layer = layer.layer
    return layer


def learns(layer: Any) -> bool:
    """Whether a layer has weights, or will have them when it is built."""
    return kind(layer).startswith(_WITH_WEIGHTS) or bool(trait(layer, "weights"))


def sublayers(layer: Any) -> list[Any]:
    """All layers inside of a layer or model, itself left out."""
    everything = ask(lambda: flatten_layers(layer), [])
    return [inner for inner in everything if inner is not layer]
