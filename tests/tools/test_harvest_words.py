# SPDX-License-Identifier: Apache-2.0
"""The harvest's decisions about words: macros, directions of parameters, paths of artifacts."""

import tempfile
import unittest
from pathlib import Path

import abi_support  # noqa: F401  (puts stubs/ on the path)
from harvest import directions, macros, sources
from harvest.libraries import rows


class Macros(unittest.TestCase):
    def test_integers_and_handles(self):
        for text, value in {
            "0x01": 1,
            "((CUstream)0x1)": 1,
            "(-1)": -1,
            "4096u": 4096,
            "(~0u)": 0xFFFFFFFF,
            "~0lu": 2**64 - 1,
            "~0": -1,
            "1ULL << 33": 1 << 33,
            "(1 << 16) | 3": 65539,
            "((cudaStream_t)0x2)": 2,
            "sizeof_it": None,
            '"text"': None,
            "": None,
            "1.5f": None,
            "( struct x * ) 3": 3,
            "cudaA": 7,
            "cudaA + 1": 8,
            "9 ** 9": None,
        }.items():
            self.assertEqual(macros.evaluate(text, {"cudaA": 7}), value, text)


TYPES = {
    "typedef H": ("struct h_st *",),
    "struct h_st": ("opaque",),
    "typedef u64": ("unsigned long",),
    "struct S": ("size 4 align 4", "0  int  a"),
    "enum E": ("size 4 unsigned int",),
    "typedef F": ("void (int) *",),
}


class Directions(unittest.TestCase):
    def marks(self, function: str, *params: tuple[str, str], **words: str) -> list[str]:
        found = directions.outputs(function, list(params), words, TYPES)
        return [name for (_, name), mark in zip(params, found) if mark]

    def test_words_that_say_returned(self):
        self.assertEqual(
            self.marks("cudaX", ("int *", "count"), count="Returns the number"), ["count"]
        )
        self.assertEqual(self.marks("cudaX", ("int *", "count"), count="Some number"), [])

    def test_words_that_name_the_source_of_a_write(self):
        words = "pointer to offset relative to the pointer to write from"
        self.assertEqual(self.marks("cuFileWriteAsync", ("u64 *", "offset"), offset=words), [])
        self.assertEqual(self.marks("cudaX", ("u64 *", "offset"), offset="pointer to which to write"), ["offset"])

    def test_a_handle_that_a_maker_makes(self):
        self.assertEqual(self.marks("cudaXCreate", ("H *", "pX"), ("int", "n")), ["pX"])
        self.assertEqual(self.marks("cudaXDestroy", ("H *", "pX")), [])

    def test_structs_buffers_constants_and_handles_are_not_outputs(self):
        for kind in ("struct S *", "void *", "char *", "const int *", "H", "int", "F"):
            self.assertEqual(self.marks("cudaXGet", (kind, "x"), x="Returned x"), [], kind)

    def test_never_an_array(self):
        for words in ("Array of results that is returned", "Returned list of nodes"):
            self.assertEqual(self.marks("cudaXGet", ("int *", "node"), node=words), [], words)
        self.assertEqual(self.marks("cudaXGet", ("H *", "nodes"), nodes="Returned nodes"), [])

    def test_never_a_count_beside_memory_that_it_counts(self):
        self.assertEqual(
            self.marks(
                "cudaXGet",
                ("H *", "nodes"),
                ("u64 *", "numNodes"),
                numNodes="Returned number of nodes",
            ),
            [],
        )
        self.assertEqual(
            self.marks("cudaXGet", ("u64 *", "numNodes"), numNodes="Returned number"), ["numNodes"]
        )

    def test_comments_are_taken_apart(self):
        words = directions.parameter_texts(
            "/**\n * \\brief x\n *\n * \\param  a - Returned\n"
            " *   value\n * \\param[in] b  Input\n * \\return z\n */"
        )
        self.assertEqual(words, {"a": "Returned value", "b": "In Input"})

    def test_a_versioned_name_uses_the_comment_of_its_base(self):
        docs = {"cuMemAlloc": {"d": "Returned"}}
        for name in ("cuMemAlloc", "cuMemAlloc_v2", "cuMemAlloc_v2_ptsz", "cuMemAlloc_ptds"):
            self.assertEqual(directions.docs_for(name, docs), {"d": "Returned"}, name)


class Sources(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.cache = Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def artifact(self, name: str, *inside: str) -> Path:
        folder = self.cache.joinpath(name, *inside)
        (folder / "nvidia/cuda_runtime/include").mkdir(parents=True)
        for header in ("cuda_runtime_api.h", "inner/cuda_runtime_api.h"):
            (folder / "nvidia/cuda_runtime/include" / header).parent.mkdir(exist_ok=True)
            (folder / "nvidia/cuda_runtime/include" / header).touch()
        (folder / "nvidia/cuda_runtime/lib").mkdir()
        (folder / "nvidia/cuda_runtime/lib/libcudart.so.12").touch()
        (folder / "nvidia/cuda_runtime/lib/__init__.py").touch()
        (folder / "p-1.dist-info").mkdir()
        (folder / "p-1.dist-info/METADATA").write_text("Name: nvidia-x\nVersion: 12.9.79\n")
        return folder

    def test_plain_folders_and_folders_below_a_digest_are_the_same(self):
        self.artifact("cudart-12.10")
        self.artifact("cudart-12.9", "0123abcd")
        self.artifact("cudartx-12.9")
        found = sources.find(self.cache, "cudart")
        self.assertEqual([p.version for p in found], ["12.9", "12.10"])
        for artifact in found:
            self.assertEqual(artifact.library(rows()["cudart"].file).name, "libcudart.so.12")
            self.assertEqual(artifact.headers(rows()["cudart"]).name, "include")
            self.assertEqual(artifact.package, "nvidia-x 12.9.79")

    def test_cached_artifacts_package_is_from_its_stamp(self):
        folder = self.cache / "cudart-12.9"
        folder.mkdir(parents=True)
        self.assertEqual(sources._stamped_package(folder), "")
        (folder / ".anycuda-piece.json").write_text('{"files": {"nvidia_x_cu12-12.9.79-py3.whl": "00"}}')
        self.assertEqual(sources._stamped_package(folder), "nvidia-x-cu12 12.9.79")

    def test_an_artifact_without_its_library_is_named(self):
        folder = self.artifact("cudart-12.9")
        (folder / "nvidia/cuda_runtime/lib/libcudart.so.12").unlink()
        with self.assertRaisesRegex(sources.SourceError, "libcudart.so"):
            sources.find(self.cache, "cudart")[0].library(rows()["cudart"].file)


if __name__ == "__main__":
    unittest.main()
