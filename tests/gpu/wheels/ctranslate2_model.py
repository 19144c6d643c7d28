# SPDX-License-Identifier: Apache-2.0
"""CTranslate2: a model made here, of random weights, on the GPU and on the CPU. It opens cuBLAS by name."""

import tempfile

import ctranslate2
import numpy
from report import check, end, expect, note

WIDTH, INNER, LAYERS, HEADS = 64, 256, 2, 4
TOKENS = ["<blank>", "<unk>", "<s>", "</s>", *(f"t{i}" for i in range(60))]
random = numpy.random.default_rng(1)


def weights(rows: int, columns: int) -> numpy.ndarray:
    return (random.standard_normal((rows, columns)) / numpy.sqrt(columns)).astype(numpy.float32)


def linear(spec, rows: int, columns: int) -> None:
    spec.weight, spec.bias = weights(rows, columns), numpy.zeros(rows, numpy.float32)


def norm(spec) -> None:
    spec.gamma, spec.beta = numpy.ones(WIDTH, numpy.float32), numpy.zeros(WIDTH, numpy.float32)


def block(layer) -> None:
    norm(layer.self_attention.layer_norm)
    linear(layer.self_attention.linear[0], 3 * WIDTH, WIDTH)
    linear(layer.self_attention.linear[1], WIDTH, WIDTH)
    norm(layer.ffn.layer_norm)
    linear(layer.ffn.linear_0, INNER, WIDTH)
    linear(layer.ffn.linear_1, WIDTH, INNER)


def model(folder: str) -> None:
    spec = ctranslate2.specs.TransformerSpec.from_config(LAYERS, HEADS)
    spec.encoder.embeddings[0].weight = weights(len(TOKENS), WIDTH)
    spec.decoder.embeddings.weight = weights(len(TOKENS), WIDTH)
    for layer in [*spec.encoder.layer, *spec.decoder.layer]:
        block(layer)
    for layer in spec.decoder.layer:
        norm(layer.attention.layer_norm)
        for one, rows in zip(layer.attention.linear, (WIDTH, 2 * WIDTH, WIDTH)):
            linear(one, rows, WIDTH)
    norm(spec.encoder.layer_norm)
    norm(spec.decoder.layer_norm)
    linear(spec.decoder.projection, len(TOKENS), WIDTH)
    spec.register_source_vocabulary(TOKENS)
    spec.register_target_vocabulary(TOKENS)
    spec.validate()
    spec.optimize()
    spec.save(folder)


def translated(folder: str, device: str, kind: str) -> list:
    translator = ctranslate2.Translator(folder, device=device, compute_type=kind)
    sentences = [[f"t{(7 * i + 3 * j) % 60}" for j in range(4 + i)] for i in range(8)]
    results = translator.translate_batch(sentences, beam_size=1, min_decoding_length=12, max_decoding_length=12,
                                         return_scores=True)
    return [(result.hypotheses[0], result.scores[0]) for result in results]


with tempfile.TemporaryDirectory() as folder:
    with check("model"):
        model(folder)
        want = translated(folder, "cpu", "float32")
    with check("devices"):
        expect(ctranslate2.get_cuda_device_count() > 0, "no GPU")
        note(f"kinds {','.join(sorted(ctranslate2.get_supported_compute_types('cuda')))}")
    for kind, tolerance, same in (("float32", 1e-3, 8), ("float16", 2e-2, 7), ("int8_float16", 0.2, 4)):
        with check(f"translation, {kind}"):
            got = translated(folder, "cuda", kind)
            alike = [(a, b) for a, b in zip(got, want) if a[0] == b[0]]
            note(f"{kind} {len(alike)} of {len(want)} alike")
            expect(len(alike) >= same, f"{got} instead of {want}")
            for (_, score), (_, wanted) in alike:
                expect(abs(score - wanted) <= tolerance * max(1, abs(wanted)), f"score {score}, expected {wanted}")

end("ctranslate2")
