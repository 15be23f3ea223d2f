"""Files as XLA writes them, made by Protocol Buffers itself: no wheel has XLA's messages in Python.

The fields are those of TensorFlow 2.21 (`xla/autotune_results.pb.h` among its headers).
"""

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_NAMES = {
    "Triton": [("block_m", 1, "int64"), ("block_n", 2, "int64")],
    "Result": [("scratch_bytes", 8, "int64"), ("triton", 17, "Triton")],
    "Entry": [
        ("device", 1, "string"),
        ("hlo", 2, "string"),
        ("result", 3, "Result"),
        ("version", 4, "int32"),
    ],
    "Results": [("version", 1, "int32"), ("results", 4, "Entry")],
}
DEVICE = (
    "CUDA: 9.0, Cores: 132, GPU clock: 1.98 GHz, Memory bandwidth: 4916 GB/s, L2 cache: 60 MB, "
    "DNN version: 9.3.0"
)


def _make_message():
    field_type = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="written.proto", package="w", syntax="proto3")
    for name, fields in _NAMES.items():
        message = file.message_type.add(name=name)
        for field, number, kind in fields:
            added = message.field.add(name=field, number=number, label=field_type.LABEL_OPTIONAL)
            if kind in _NAMES:
                added.type, added.type_name = field_type.TYPE_MESSAGE, f".w.{kind}"
            else:
                added.type = getattr(field_type, f"TYPE_{kind.upper()}")
            if field == "results":
                added.label = field_type.LABEL_REPEATED
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("w.Results"))


Results = _make_message()


def entry(number: int) -> dict:
    return {
        "device": DEVICE,
        "hlo": f"{{ tmp_0 = f32[{number},64] dot() }}",
        "result": {"triton": {"block_m": 64, "block_n": 300}, "scratch_bytes": number},
        "version": 23,
    }


def written(*numbers: int, version: int = 3) -> bytes:
    """What XLA writes after it has tried these kernels."""
    entries = [entry(number) for number in numbers]
    return Results(version=version, results=entries).SerializeToString()
