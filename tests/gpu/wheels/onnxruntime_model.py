# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime's CUDA provider for CUDA 12: a model made here, on the GPU and on the CPU."""

import numpy
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from report import check, end, expect, note

random = numpy.random.default_rng(1)
BATCH, CHANNELS, SIZE, WIDTH, HEADS = 4, 16, 32, 64, 4
OPSET, IR_VERSION = 17, 8
MICROSOFT = "com.microsoft"


class Model:
    """Collects nodes; each has one output, whose name `add` returns."""

    def __init__(self) -> None:
        self.nodes, self.weights = [], []

    def add(self, kind: str, *inputs: str, domain: str = "", **attributes) -> str:
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], domain=domain, **attributes))
        return name

    def constant(self, values: numpy.ndarray) -> str:
        name = f"weights_{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(values, name))
        return name

    def weight(self, *shape: int) -> str:
        scale = numpy.sqrt(numpy.prod(shape[1:]) or 1)
        return self.constant((random.standard_normal(shape) / scale).astype(numpy.float32))

    def positive(self, size: int) -> str:
        return self.constant((numpy.abs(random.standard_normal(size)) + 0.5).astype(numpy.float32))

    def bytes(self, shapes: dict[str, tuple[int, ...]], output: str) -> bytes:
        values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
        result = helper.make_tensor_value_info(output, TensorProto.FLOAT, None)
        graph = helper.make_graph(self.nodes, "model", values, [result], self.weights)
        sets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=sets, ir_version=IR_VERSION).SerializeToString()


def convolutions() -> tuple[Model, dict, str]:
    model = Model()
    x = model.add("Conv", "x", model.weight(CHANNELS, 3, 3, 3), model.weight(CHANNELS), pads=[1, 1, 1, 1])
    x = model.add("BatchNormalization", x, *(model.positive(CHANNELS) for _ in range(4)))
    x = model.add("MaxPool", model.add("Relu", x), kernel_shape=[2, 2], strides=[2, 2])
    x = model.add("ConvTranspose", x, model.weight(CHANNELS, 8, 4, 4), strides=[2, 2], pads=[1, 1, 1, 1])
    x = model.add("Flatten", model.add("GlobalAveragePool", x))
    x = model.add("Softmax", model.add("Gemm", x, model.weight(10, 8), model.weight(10), transB=1))
    return model, {"x": (BATCH, 3, SIZE, SIZE)}, x


def attention() -> tuple[Model, dict, str]:
    model = Model()
    heads = model.constant(numpy.array([0, 0, HEADS, WIDTH // HEADS], numpy.int64))

    def projected(turned: list[int]) -> str:
        one = model.add("MatMul", "x", model.weight(WIDTH, WIDTH))
        return model.add("Transpose", model.add("Reshape", one, heads), perm=turned)

    query, key, value = projected([0, 2, 1, 3]), projected([0, 2, 3, 1]), projected([0, 2, 1, 3])
    x = model.add("MatMul", model.add("Softmax", model.add("MatMul", query, key), axis=-1), value)
    x = model.add("Reshape", model.add("Transpose", x, perm=[0, 2, 1, 3]),
                  model.constant(numpy.array([0, 0, WIDTH], numpy.int64)))
    x = model.add("LayerNormalization", model.add("Add", x, "x"), model.weight(WIDTH), model.weight(WIDTH))
    return model, {"x": (BATCH, SIZE, WIDTH)}, x


def recurrent() -> tuple[Model, dict, str]:
    model = Model()
    x = model.add("GRU", "x", model.weight(1, 3 * WIDTH, WIDTH), model.weight(1, 3 * WIDTH, WIDTH), hidden_size=WIDTH,
                  linear_before_reset=1)  # cuDNN has no other
    return model, {"x": (SIZE, BATCH, WIDTH)}, x


def transform() -> tuple[Model, dict, str]:
    """There and back again, by cuFFT: the CPU has no such operation; the input is expected."""
    model = Model()
    how = {"domain": MICROSOFT, "normalized": 0, "onesided": 1, "signal_ndim": 1}
    return model, {"x": (BATCH, WIDTH)}, model.add("Irfft", model.add("Rfft", "x", **how), **how)


def run(model: bytes, provider: str, values: dict) -> numpy.ndarray:
    options = onnxruntime.SessionOptions()
    # A part that the GPU cannot run would run on the CPU: then the session is refused.
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    if provider == "CPUExecutionProvider":
        options = onnxruntime.SessionOptions()
    session = onnxruntime.InferenceSession(model, options, providers=[provider])
    expect(session.get_providers()[0] == provider, f"the session has {session.get_providers()}")
    return session.run(None, values)[0]


with check("CUDA provider"):
    note(f"version {onnxruntime.__version__}")
    expect("CUDAExecutionProvider" in onnxruntime.get_available_providers(), "this onnxruntime has no CUDA provider")

for make in (convolutions, attention, recurrent, transform):
    with check(make.__name__):
        model, shapes, output = make()
        data = model.bytes(shapes, output)
        values = {name: random.standard_normal(shape).astype(numpy.float32) for name, shape in shapes.items()}
        want = values["x"] if make is transform else run(data, "CPUExecutionProvider", values)
        got = run(data, "CUDAExecutionProvider", values)
        error = float(numpy.abs(got - want).max() / numpy.abs(want).max())
        note(f"{make.__name__} off by {error:.1e}")
        # cuDNN and cuBLAS may multiply in TF32, of 10 bits.
        expect(error < 5e-3, f"off by {error}")

end("onnxruntime")
