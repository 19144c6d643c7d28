# SPDX-License-Identifier: Apache-2.0
"""Reading headers with libclang, and the whole database against the real artifacts.

A build does not need libclang: without it these tests are skipped.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from abi_support import ROOT, STUBS, facts
from harvest import headers, sources
from harvest.libraries import LibraryRow, rows

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
ROWS = rows()
MINORS = ["11.7", "11.8", *(f"12.{n}" for n in (0, 1, 2, 3, 4, 5, 6, 8, 9)), *(f"13.{n}" for n in range(6))]
ROW = LibraryRow(
    "toy", ("toy.h",), ("toy", "TOY"), "", "", ((), ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM",))
)


def setUpModule():
    try:
        headers.use_clang(sources.clang_folder(CACHE))
    except headers.HeaderError as error:
        raise unittest.SkipTest(f"{error}; or fetch the artifacts `harvest` into {CACHE}") from error


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
        header_facts = self.read()
        self.assertEqual(header_facts.enums["enum toyKind"], {"TOY_A": 0, "TOY_B": 7})
        self.assertEqual(header_facts.macros, {"TOY_FLAG": "16", "TOY_STREAM": "2", "TOY_OLD": "7"})
        self.assertEqual(
            header_facts.redirects, {"toyNew": "toyNew_v2", "per-thread toySend": "toySend_ptsz"}
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


class OtherHeaders(unittest.TestCase):
    """Headers that cannot stand together, that say more to C++, or that need another library's."""

    def read(self, files: dict[str, str], beside: dict[str, str] | None = None, **more) -> headers.HeaderFacts:
        row = LibraryRow("toy", ("toy.h",), ("toy", "TOY"), "", "", **more)
        with tempfile.TemporaryDirectory() as temporary:
            own, other = Path(temporary) / "own", Path(temporary) / "other"
            for folder, texts in ((own, files), (other, beside or {})):
                folder.mkdir()
                for name, text in texts.items():
                    (folder / name).write_text(text)
            return headers.read(own, row, (other,))

    def test_a_header_that_excludes_the_first_is_read_apart(self):
        files = {
            "toy.h": "#ifdef TOY_OLD_H\n#error\n#endif\n#define TOY_NEW_H\nint toyDo_v2(int a);\n",
            "old.h": "#ifdef TOY_NEW_H\n#error\n#endif\n#define TOY_OLD_H\n#define TOY_LEVEL 1\n"
            "void toyDo(char a);\nint toyDo_v2(int b);\n",
        }
        header_facts = self.read(files, apart=("old.h", "not_in_this_release.h"))
        self.assertEqual(header_facts.prototypes, {"toyDo_v2": "int (int a)", "toyDo": "void (char a)"})
        self.assertNotIn("TOY_LEVEL", header_facts.macros)

    def test_declarations_only_for_cxx_are_read_as_cxx(self):
        text = """
            #ifdef __cplusplus
            extern "C" {
            int toyHalf(const struct toyBox *box);
            #endif
            int toyWhole(struct toyBox *box);
            #ifdef __cplusplus
            }
            int toyOverloaded(float a);
            #endif
        """
        header_facts = self.read({"toy.h": text}, cxx=("toy.h",))
        self.assertEqual(header_facts.prototypes, {"toyWhole": "int (struct toyBox * box)",
                                                   "toyHalf": "int (const struct toyBox * box)"})

    def test_alignas_needs_no_header_of_the_computer(self):
        text = "struct toyBox { alignas(16) char data[8]; };\nint toySend(struct toyBox *box);\n"
        for more in ("", "#include <stdalign.h>\n"):
            header_facts = self.read({"toy.h": more + text})
            self.assertEqual(header_facts.types["struct toyBox"], ("size 16 align 16", "0  char [8]  data"))

    def test_functions_of_another_library_are_not_declared(self):
        header_facts = self.read({"toy.h": "#include <base.h>\nint toyDo(void);\nstatic inline int toyOf(void);\n"},
                                 {"base.h": "int baseDo(void);\n"})
        self.assertEqual(header_facts.declared, {"toyDo", "toyOf"})

    def test_macros_of_another_library_are_left_out(self):
        header_facts = self.read({"toy.h": "#include <base.h>\n#define TOY_A 1\nint toyDo(base_t a);\n"},
                                 {"base.h": "#define TOY_B 2\ntypedef long base_t;\n"})
        self.assertEqual(header_facts.macros, {"TOY_A": "1"})
        self.assertEqual(header_facts.types["typedef base_t"], ("long",))


class Releases(unittest.TestCase):
    """Which releases there are, in the recipe and in a cache."""

    def cache(self, *names: str) -> Path:
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder)
        for name in names:
            (folder / name / "nvidia").mkdir(parents=True)
        return folder

    def test_the_recipe_has_every_minor_of_the_maths_libraries(self):
        empty = self.cache()
        for library in ("cublas", "cublaslt", "cufft", "curand", "cusolver", "cusparse", "nvjpeg"):
            self.assertEqual(sources.missing(empty, ROWS[library]), MINORS, library)

    def test_what_is_in_the_cache_is_not_missing(self):
        cache = self.cache("nvjpeg-11.8", "nvjpeg-13.5", "nvjpeg-notes")
        self.assertEqual(sources.missing(cache, ROWS["nvjpeg"]), ["11.7", *MINORS[2:-1]])
        self.assertEqual(sources.versions(cache, ROWS["nvjpeg"], False), ["11.8", "13.5"])

    def test_releases_are_in_the_order_of_their_numbers(self):
        cache = self.cache("nccl-2.9", "nccl-2.26.2", "nccl-2.26")
        self.assertEqual(sources.versions(cache, ROWS["nccl"], False), ["2.9", "2.26", "2.26.2"])

    def test_a_release_finds_those_beside_it(self):
        cache = self.cache("cusparse-11.8", "cusparse-12.9", "cudart-11.8", "cudart-12.9", "nvjitlink-12.9")
        for version, names in (("11.8", ["cudart-11.8"]), ("12.9", ["cudart-12.9", "nvjitlink-12.9"])):
            with sources.artifact(cache, ROWS["cusparse"], version, False) as (artifact, beside):
                self.assertEqual((artifact.version, [other.name for other in beside]), (version, names))

    def test_library_beside_it_may_have_another_release(self):
        cache = self.cache("nccl-2.21", "cudart-12.9")
        with sources.artifact(cache, ROWS["nccl"], "2.21", False) as (_, beside):
            self.assertEqual([other.name for other in beside], ["cudart-12.9"])

    def test_one_beside_it_that_is_not_there_is_named(self):
        cache = self.cache("nvjpeg-12.9")
        with self.assertRaisesRegex(sources.SourceError, "nvjpeg 12.9 needs the artifact cudart-12.9"):
            with sources.artifact(cache, ROWS["nvjpeg"], "12.9", False):
                pass


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

    def test_the_small_libraries_are_what_their_artifacts_say(self):
        wanted = {"nvfatbin": 2, "nvjpeg": 3, "nvml": 17, "nvtx": 2}
        for library, releases in wanted.items():
            if len(sources.find(CACHE, library)) < releases:
                self.skipTest(f"{CACHE} does not hold {releases} releases of {library}")
        words = [word for library in wanted for word in ("--library", library)]
        done = self.harvest("check", "--cache", str(CACHE), *words)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_release_that_contradicts_the_database_is_named(self):
        if not any(artifact.version == "12.9" for artifact in sources.find(CACHE, "nvfatbin")):
            self.skipTest(f"{CACHE} does not hold nvfatbin-12.9")
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / "nvfatbin"
            shutil.copytree(STUBS / "nvfatbin", folder)
            path = folder / "abi/enums.txt"
            path.write_text(re.sub(r"(NVFATBIN_SUCCESS  \S+  )0", r"\g<1>9", path.read_text()))
            done = self.harvest("check", "--cache", str(CACHE), "--library", "nvfatbin", "--folder", str(folder))
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("nvfatbin 12.9: differs", done.stdout)

    def test_a_database_is_not_made_of_some_of_its_releases(self):
        with tempfile.TemporaryDirectory() as temporary:
            folder = self.without_facts(temporary, "nvjpeg")
            done = self.harvest("all", "--cache", temporary, "--library", "nvjpeg", "--folder", str(folder))
            self.assertEqual(done.returncode, 1)
            self.assertIn("lacks 17 releases of nvjpeg", done.stderr)
            self.assertEqual([path.name for path in folder.iterdir()], ["harvest.json"])

    def without_facts(self, temporary: str, library: str) -> Path:
        folder = Path(temporary) / library
        folder.mkdir()
        shutil.copy(STUBS / library / "harvest.json", folder)
        return folder

    def newest(self) -> sources.Artifact:
        artifacts = sources.find(CACHE, "cudart")
        if not artifacts or artifacts[-1].version != "13.5":
            self.skipTest(f"{CACHE} does not hold cudart-13.5")
        return artifacts[-1]

    def test_a_release_is_added_by_one_command(self):
        artifact = self.newest()
        from harvest.merge import Database

        with tempfile.TemporaryDirectory() as temporary:
            library = Path(temporary) / "cudart"
            shutil.copytree(STUBS / "cudart", library)
            folder = library / "abi"
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
                str(artifact.headers(ROWS["cudart"])),
                "--lib",
                str(artifact.library(ROWS["cudart"].file)),
                "--package",
                artifact.package,
                "--folder",
                str(library),
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("since 13.4:", done.stdout)
            for path in sorted((facts("cudart")).glob("*.txt")):
                self.assertEqual((folder / path.name).read_bytes(), path.read_bytes(), path.name)

    def test_a_wrong_version_is_refused(self):
        artifact = self.newest()
        with tempfile.TemporaryDirectory() as temporary:
            folder = self.without_facts(temporary, "cudart")
            done = self.harvest(
                "add",
                "--library",
                "cudart",
                "--version",
                "13.4",
                "--headers",
                str(artifact.headers(ROWS["cudart"])),
                "--lib",
                str(artifact.library(ROWS["cudart"].file)),
                "--folder",
                str(folder),
            )
            self.assertEqual(done.returncode, 1)
            self.assertIn("holds the headers of 13.5, not of 13.4", done.stderr)
            self.assertEqual([path.name for path in folder.iterdir()], ["harvest.json"])


if __name__ == "__main__":
    unittest.main()
