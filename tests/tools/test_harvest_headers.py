"""Reading headers with libclang, and the whole database against the real artifacts.

libclang is no part of a build: without it these tests say so and skip.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from abi_support import ABI, ROOT
from harvest import headers, sources
from harvest.libraries import LibraryRow

CACHE = Path(
    os.environ.get("ANYCUDA_CACHE")
    or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "anycuda"
)
HEADER = """
#include <stdint.h>
#define toyNew toyNew_v2
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define toySend toySend_ptsz
#endif
#define TOY_FLAG 0x10
#define TOY_STREAM ((toyStream_t)0x2)
#define TOY_OLD TOY_B
typedef struct toyStream_st *toyStream_t;
typedef enum { TOY_A = 0, TOY_B = 7 } toyKind;
typedef struct toyBox_st {
  toyKind kind;
  union { int id; struct { short low; short high; } parts; };
  struct { unsigned a : 3; unsigned b : 5; } bits;
  void (*call)(int, const char *);
  char reserved[16];
} toyBox;
/**
 * \\param stream - Returned stream
 */
int toyNew(toyStream_t *stream, const toyBox *box, double scale);
int toySend(toyStream_t stream, uint64_t sizes[], ...);
static inline int toyInline(int a) { return a; }
"""
ROW = LibraryRow(
    "toy", ("toy.h",), ("toy", "TOY"), "", "", ((), ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM",))
)


def setUpModule():
    try:
        headers.use_clang(sources.clang_folder(CACHE))
    except headers.HeaderError as error:
        raise unittest.SkipTest(f"{error}; or fetch the artifacts `harvest` into {CACHE}")


class ToyHeader(unittest.TestCase):
    def read(self, text: str = HEADER) -> headers.HeaderFacts:
        with tempfile.TemporaryDirectory() as temporary:
            (Path(temporary) / "toy.h").write_text(text)
            return headers.read(Path(temporary), ROW)

    def test_prototypes_have_the_exported_names(self):
        self.assertEqual(
            self.read().prototypes,
            {
                "toyNew_v2": "int (out toyStream_t * stream, const toyBox * box, double scale)",
                "toySend": "int (toyStream_t stream, uint64_t * sizes, ...)",
                "toySend_ptsz": "int (toyStream_t stream, uint64_t * sizes, ...)",
            },
        )

    def test_inline_functions_are_kept_apart(self):
        self.assertEqual(self.read().inlines, {"toyInline": "int (int a)"})

    def test_layouts(self):
        types = self.read().types
        self.assertEqual(
            types["struct toyBox_st"],
            (
                "size 40 align 8",
                "0  toyKind  kind",
                "4  union toyBox_st.-4  -",
                "8  struct toyBox_st.bits  bits",
                "16  void (int, const char *) *  call",
                "24  char [16]  reserved",
            ),
        )
        self.assertEqual(
            types["union toyBox_st.-4"],
            ("size 4 align 4", "0  int  id", "0  struct toyBox_st.-4.parts  parts"),
        )
        self.assertEqual(
            types["struct toyBox_st.bits"],
            ("size 4 align 4", "0:0  unsigned int :3  a", "0:3  unsigned int :5  b"),
        )
        self.assertEqual(types["struct toyStream_st"], ("opaque",))
        self.assertEqual(types["typedef toyStream_t"], ("struct toyStream_st *",))

    def test_enumerators_and_macros(self):
        said = self.read()
        self.assertEqual(said.enums["enum toyKind"], {"TOY_A": 0, "TOY_B": 7})
        self.assertEqual(said.macros, {"TOY_FLAG": "16", "TOY_STREAM": "2", "TOY_OLD": "7"})
        self.assertEqual(
            said.redirects, {"toyNew": "toyNew_v2", "per-thread toySend": "toySend_ptsz"}
        )

    def test_a_name_declared_in_two_ways_is_an_error(self):
        text = (
            HEADER + "#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM\nint odd(int a);\n#else\n"
            "int odd(long a);\n#endif\n"
        )
        with self.assertRaisesRegex(headers.HeaderError, "odd is declared in two ways"):
            self.read(text)

    def test_headers_that_do_not_parse_are_an_error(self):
        with self.assertRaisesRegex(headers.HeaderError, "do not parse"):
            self.read(HEADER + '#include "missing.h"\n')

    def test_a_folder_without_the_header_is_named(self):
        with tempfile.TemporaryDirectory() as temporary:
            with self.assertRaisesRegex(headers.HeaderError, "toy.h"):
                headers.read(Path(temporary), ROW)


class RealArtifacts(unittest.TestCase):
    """The command line, on whatever real artifacts the cache holds."""

    def harvest(self, *words: str) -> subprocess.CompletedProcess:
        clang = sources.clang_folder(CACHE)
        more = ["--clang", str(clang)] if clang else []
        return subprocess.run(
            [sys.executable, "-m", "harvest", *more, *words],
            text=True,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'stubs' / 'tools'}:{ROOT / 'packaging' / 'python'}"},
        )

    def test_the_database_is_what_the_artifacts_say(self):
        if len(sources.find(CACHE, "cudart")) < 18 or len(sources.find(CACHE, "driver")) < 2:
            self.skipTest(f"{CACHE} does not hold every release of cudart and both drivers")
        for library in ("cudart", "cuda"):
            done = self.harvest("check", "--cache", str(CACHE), "--library", library)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def newest(self) -> sources.Artifact:
        artifacts = sources.find(CACHE, "cudart")
        if not artifacts or artifacts[-1].version != "13.5":
            self.skipTest(f"{CACHE} does not hold cudart-13.5")
        return artifacts[-1]

    def test_a_release_is_added_by_one_command(self):
        artifact = self.newest()
        from harvest.merge import Database

        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "cudart"
            shutil.copytree(ABI / "cudart", folder)
            without = Database.load(folder)
            without.remove("13.5")
            without.save(folder)
            done = self.harvest(
                "add",
                "--library",
                "cudart",
                "--version",
                "13.5",
                "--headers",
                str(artifact.headers),
                "--lib",
                str(artifact.library("cudart")),
                "--package",
                artifact.package,
                "--abi",
                temporary,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("since 13.4:", done.stdout)
            for path in sorted((ABI / "cudart").glob("*.txt")):
                self.assertEqual((folder / path.name).read_bytes(), path.read_bytes(), path.name)

    def test_a_wrong_version_is_refused(self):
        artifact = self.newest()
        with tempfile.TemporaryDirectory() as temporary:
            done = self.harvest(
                "add",
                "--library",
                "cudart",
                "--version",
                "13.4",
                "--headers",
                str(artifact.headers),
                "--lib",
                str(artifact.library("cudart")),
                "--abi",
                temporary,
            )
            self.assertEqual(done.returncode, 1)
            self.assertIn("holds the headers of 13.5, not of 13.4", done.stderr)
            self.assertEqual(list(Path(temporary).iterdir()), [])


if __name__ == "__main__":
    unittest.main()
