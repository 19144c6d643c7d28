# SPDX-License-Identifier: Apache-2.0
"""Faiss: its wheel for CUDA 12 has code for sm_70 and sm_80 and no PTX: on a newer GPU it loads, counts the GPUs and
searches on the CPU."""

import numpy
from report import check, end, expect

import faiss

random = numpy.random.default_rng(1)
stored, asked = (random.standard_normal((count, 32)).astype(numpy.float32) for count in (5000, 50))

with check("exact search"):
    index = faiss.IndexFlatL2(32)
    index.add(stored)
    _, found = index.search(asked, 5)
    distances = ((asked[:, None, :] - stored[None]) ** 2).sum(2)
    expect(numpy.array_equal(found, distances.argsort(1, kind="stable")[:, :5]), "other neighbours than NumPy's")

with check("GPUs are counted"):
    expect(faiss.get_num_gpus() >= 1, "no GPU")

end("faiss")
