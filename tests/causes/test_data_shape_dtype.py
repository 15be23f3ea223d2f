"""Shapes and types that do not fit."""

import pytest
from causes.tell import tell


@pytest.mark.parametrize(
    "text",
    [
        "Exception: Error when checking model target: expected dense_1 to have 3 dimensions, but "
        "got array with shape (8544, 5)",
        "ValueError: Error when checking input: expected conv2d_1_input to have 4 dimensions, but "
        "got array with shape (60000, 28, 28)",
        'ValueError: Input 0 of layer "sequential" is incompatible with the layer: expected '
        "shape=(None, 784), found shape=(None, 28, 28)",
        "ValueError: Shapes (None, 3) and (None, 2) are incompatible",
        "InvalidArgumentError: logits and labels must have the same first dimension, got logits "
        "shape [32,10] and labels shape [320]",
        "ValueError: Failed to convert a NumPy array to a Tensor (Unsupported object type float).",
        "TypeError: Value passed to parameter 'images' has DataType int64 not in list of allowed "
        "values: uint8, float16, float32",
        "W tensorflow/core/framework/op_kernel.cc:1192] Invalid argument: Matrix "
        "size-incompatible: In[0]: [128,3136], In[1]: [1024,10]",
        "ValueError: could not broadcast input array from shape (224,224,3) into shape (224,224)",
        "ValueError: Data cardinality is ambiguous:\n  x sizes: 1000\n  y sizes: 900",
        "tensorflow.python.framework.errors_impl.UnknownError: CUDNN_STATUS_BAD_PARAM\n"
        "in tensorflow/stream_executor/cuda/cuda_dnn.cc(1496): 'cudnnSetRNNDataDescriptor( "
        "data_desc.get(), data_type, layout)' [Op:CudnnRNNV3]",
        "InvalidArgumentError: Unknown image file format. One of JPEG, PNG, GIF, BMP required.",
        # Keras 3 puts the message on a line of its own.
        "ValueError: Exception encountered when calling Functional.call().\n\n"
        '\x1b[1mInvalid input shape for input Tensor("data:0", shape=(8, 9), dtype=float32). '
        "Expected shape (None, 4), but input has incompatible shape (8, 9)\x1b[0m",
        "ValueError: Argument `output` must have rank (ndim) `target.ndim - 1`. Received: "
        "target.shape=(8, 3), output.shape=(8, 3)",
        "ValueError: Invalid dtype: object",
        "ValueError: When providing `x` as a tf.data.Dataset, `y` should not be passed.",
        "ValueError: y_true and y_pred have different structures.\ny_true: *\ny_pred: ['*', '*']",
        "ValueError: A total of 1 objects could not be loaded. Example error message for object "
        "<Dense name=dense_3, built=True>:\n\nThe shape of the target variable and the shape of "
        "the target value in `variable.assign(value)` must match.",
        "ValueError: Kernel size of 5 is larger than the input: expected at least 5, received "
        "shape (None, 3, 3, 1)",
        "InvalidArgumentError: {{function_node __wrapped__Slice}} Expected size[0] in [0, 2], but "
        "got 4 [Op:Slice]",
        "InvalidArgumentError: Field 3 in record 0 is not a valid float: n/a [Op:DecodeCSV]",
        "TypeError: Tensors in list passed to 'values' of 'Pack' Op have types [int32, float32] "
        "that don't all match.",
        "ValueError: all the input arrays must have same number of dimensions, but the array at "
        "index 0 has 3 dimension(s)",
        "TypeError: `generator` yielded an element of shape (3,) where an element of shape (4,) "
        "was expected.",
        "AttributeError: 'NoneType' object has no attribute 'shape'",
    ],
)
def test_the_data_do_not_fit(text: str) -> None:
    assert tell(text).primary == "data-shape-dtype"


@pytest.mark.parametrize(
    "text",
    [
        "E tensorflow/core/grappler/optimizers/meta_optimizer.cc:828] layout failed: "
        "INVALID_ARGUMENT: Size of values 0 does not match size of permutation 4 @ fanin shape",
        "WARNING:tensorflow:Model was constructed with shape (None, 28) for input x, but it was "
        "called on an input with incompatible shape (None, 32).",
        "ResourceExhaustedError: OOM when allocating tensor with shape[8,1024,1024,3] and type "
        "float",
        "InvalidArgumentError: indices[0,3] = 5000 is not in [0, 5000)",
        "TypeError: Dense.__init__() got an unexpected keyword argument 'input_shape'",
        "UserWarning: The structure of `inputs` doesn't match the expected structure.",
    ],
)
def test_it_is_something_else(text: str) -> None:
    assert tell(text).primary != "data-shape-dtype"


def test_the_fix_follows_the_message() -> None:
    loss = tell("InvalidArgumentError: logits and labels must be broadcastable: [8,5] [8,4]")
    mask = tell("ValueError: You are passing a RNN mask that does not correspond to right-padded "
                "sequences, while using cuDNN, which is not supported.")  # fmt: skip
    assert "sparse_categorical_crossentropy" in loss.causes[0].fix.text
    assert "padding='post'" in mask.causes[0].fix.text
