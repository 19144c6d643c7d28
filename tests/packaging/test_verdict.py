# SPDX-License-Identifier: Apache-2.0
"""The verdict of `anycuda check`: a file's ties, the packages that it needs, the release of a static runtime; and
the verdict of `anycuda repair` on the same wheel."""

import json
import re
import unittest
import zipfile
from pathlib import Path

from build_folder import with_real_libraries
from analysis_support import Folder, artifact, library_file, table, use_of, wheel
from wheel_support import anycuda as run_command
from wheel_support import make_wheel

from anycuda.analysis import companions, contents, describe_ties, distributions, named, static_runtime, ties
from anycuda.analysis.file_use import FileUse, Provided, Provides, Reference, Use
from anycuda.analysis.kernels import Needs
from anycuda.analysis.libraries import Linking
from anycuda.analysis.package_facts import facts
from anycuda.analysis.ties import TieKind
from anycuda.check import describe_verdict, input_verdict
from anycuda.check.input_verdict import VerdictKind
from anycuda.wheels import requirement
from anycuda.wheels.names import normal

ROOT = Path(__file__).resolve().parents[2]
CUPTI = "libcupti.so.12"
BLAS = ("cublasCreate_v2", "cublasDestroy_v2", "cublasGetVersion_v2", "cublasSgemm_v2", "cublasDgemm_v2")


def use_file(*uses: Use, needed=(), provides=None, soname="", static="", unstubbed=(), defines=()) -> FileUse:
    names = (*needed, *(one.needed for one in uses if one.needed))
    return FileUse(Path("x"), tuple(uses), (), bool(static), provides, soname=soname, needed=names,
                   defines=frozenset(defines), unstubbed=tuple(unstubbed), runtime_release=static)


def linked(needed: str = "libcudart.so.12", library: str = "cudart") -> Use:
    return Use(library, needed, Linking.NAMED, ("12",), (Reference("cudaFree", "12", False),))


def loaded(library: str, *strings: str) -> Use:
    return Use(library, None, Linking.LOADED, (), strings=strings)


def stands(*files: FileUse, inside=(), requires=(), python=(), kernels=None) -> input_verdict.InputVerdict:
    named = [(f"{number}.so", use) for number, use in enumerate(files)]
    names = {name for name, use in named} | {use.soname for use in files if use.soname} | set(inside)
    return input_verdict.evaluate(named, names, table(), [requirement.parse(one) for one in requires], python,
                                  kernels=kernels)


def described(*files: FileUse, **options) -> str:
    return describe_verdict.sentence(stands(*files, **options))


class Ties(unittest.TestCase):
    def test_every_kind_of_tie_is_complete(self):
        self.assertEqual(set(ties.FINDERS), set(TieKind))
        page = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")
        listed = re.search(r"^\| `ties` \|.*`how` \(([^)]*)\)", page, re.M)[1]
        self.assertEqual(listed, ", ".join(f"`{kind}`" for kind in TieKind))
        for kind in TieKind:
            self.assertIn(CUPTI, describe_ties.tied([ties.Tie("a.so", CUPTI, kind, "12")]))
            self.assertIn(f" {kind} {CUPTI}", describe_ties.without_stub(["a.so"], kind, [CUPTI], table()))

    def test_short_sentence_of_ties(self):
        def users(number: int) -> list[str]:
            return [f"{chr(ord('a') + one)}.so" for one in range(number)]
        for libraries, text in (
                ({"libx.so.12": 4}, "libx.so.12 (a.so, b.so, c.so and 1 more)"),
                ({"libx.so.12": 1, "liby.so.12": 2, "libz.so.12": 2},
                 "libx.so.12 (a.so), liby.so.12 and libz.so.12 (a.so, b.so)"),
                ({"libw.so.12": 1, "libx.so.12": 2, "liby.so.12": 3, "libz.so.12": 9},
                 "libw.so.12 (a.so), libx.so.12 (2 files), liby.so.12 (3 files), libz.so.12 (9 files)")):
            found = [ties.Tie(file, name, TieKind.NEEDS, "12") for name, number in libraries.items()
                     for file in users(number)]
            self.assertEqual(describe_ties.tied(found, short=True), f"tied to CUDA 12 by {text}")
        opened = [ties.Tie("a.so", "libx.so.12", TieKind.OPENS, "12")]
        self.assertEqual(describe_ties.tied(opened, short=True), "tied to CUDA 12 by libx.so.12 (opened by a.so)")

    def test_distribution_of_a_tie_is_one_of_the_catalogue(self):
        text = (ROOT / "compat" / "catalogue" / "dynamic_libraries.txt").read_text(encoding="utf-8")
        entries = [entry for entry in re.split(r"\n(?=[\w-]+\n)", text) if "\n    from " in entry]
        checked = set()
        for entry in entries:
            for file in filter(lambda name: table().has_no_stub(name) and table().ties_to_cuda(name),
                               re.findall(r"lib\S+\.so\S*", entry)):
                found = distributions.for_tie(file, table())
                self.assertIn(found, entry.partition("\n    from ")[2].split(), file)
                self.assertEqual(distributions.pin_of(requirement.parse(found), table()).major, table().cuda_of(file))
                checked.add(file.partition(".so")[0])
        self.assertLessEqual({"libcufftw", "libcupti", "libnppc", "libnvblas"}, checked)
        for file in ("libcudnn.so.7", "libcutensor.so.2", "libcupti.so"):
            self.assertEqual(distributions.for_tie(file, table()), "", file)


class PackageFacts(unittest.TestCase):
    def test_distributions_are_in_the_catalogue(self):
        text = (ROOT / "compat" / "catalogue" / "distributions.txt").read_text(encoding="utf-8")
        listed = {line.split()[0] for line in text.splitlines() if line and not line.startswith("#")}
        self.assertLessEqual({*facts().plain_since_13, *facts().of_unstubbed.values()}, listed)
        self.assertIn(distributions.TOOLKIT, facts().with_cudas_version)

    def test_packages_are_normalised(self):
        for name in (*facts().with_cudas_version, *facts().of_prefix.values()):
            self.assertEqual(normal(name), name)


class Kinds(unittest.TestCase):
    def test_free_if_stubs_stand_for_all_of_it(self):
        self.assertEqual(described(use_file(linked())), "free")
        self.assertEqual(described(use_file(linked(), needed=("libstdc++.so.6",))), "free")
        self.assertEqual(described(use_file(loaded("cublas", "libcublas.so.12"))), "free")  # a drop-in serves it

    def test_tied_by_needed_library_without_a_stub(self):
        self.assertEqual(described(use_file(linked(), needed=(CUPTI,))), "tied to CUDA 12 by libcupti.so.12 (0.so)")

    def test_tie_of_a_file_that_nothing_is_replaced_in(self):
        found = stands(use_file(linked()), use_file(needed=(CUPTI,)))
        self.assertEqual((found.kind, [(tie.file, tie.library) for tie in found.ties]), ("tied", [("1.so", CUPTI)]))

    def test_tied_by_opened_library_without_a_stub(self):
        self.assertEqual(described(use_file(linked(), unstubbed=("libnppc.so.12",))),
                         "tied to CUDA 12 by libnppc.so.12 (opened by 0.so)")

    def test_file_that_tries_several_majors_is_not_tied(self):
        self.assertEqual(stands(use_file(linked(), unstubbed=("libcupti.so.11", "libcupti.so.12"))).ties, ())

    def test_library_inside_the_wheel_ties_nothing(self):
        self.assertEqual(described(use_file(linked(), needed=(CUPTI,)), inside=(CUPTI,)), "free")

    def test_every_tie_is_named(self):
        text = described(use_file(needed=(CUPTI, "libnppc.so.11")), use_file(needed=(CUPTI,)))
        self.assertEqual(text.split("; "), ["tied to CUDA 12 by libcupti.so.12 (0.so, 1.so)",
                                            "tied to CUDA 11 by libnppc.so.11 (0.so)"])

    def test_every_file_of_a_tie_is_named(self):
        text = described(*(use_file(needed=(CUPTI,)) for _ in range(7)))
        self.assertEqual(text, f"tied to CUDA 12 by {CUPTI} ({', '.join(f'{number}.so' for number in range(7))})")

    def test_number_that_is_not_cudas(self):
        self.assertEqual(described(use_file(needed=("libcudnn.so.7",))), "tied by libcudnn.so.7 (0.so)")
        self.assertEqual(described(use_file(needed=("libcudart.so.10.2",))),
                         "tied to CUDA 10 by libcudart.so.10.2 (0.so)")

    def test_copy_that_a_stub_replaces_ties_nothing(self):
        copy = use_file(needed=("libcublasLt.so.12",), soname="libcublas-0a1b2c3d.so.12",
                        provides=Provides("cublas", Provided.RENAMED, "12"))
        user = use_file(Use("cublas", copy.soname, Linking.RENAMED, ("12",)))
        self.assertEqual(described(user, copy), "free")

    def test_copy_that_stays_ties_the_wheel(self):
        """A CUDA runtime is linked into it, so a stub cannot replace it, and it needs the rest of its CUDA."""
        copy = use_file(needed=("libcublas.so.12",), soname="libcusolver-0a1b2c3d.so.11", static="12.9",
                        provides=Provides("cusolver", Provided.RENAMED, "12"))
        user = use_file(Use("cusolver", copy.soname, Linking.RENAMED, ("12",)))
        self.assertEqual(described(user, copy), "tied to CUDA 12 by libcublas.so.12 (1.so); "
                         "static runtime 12.9: needs driver 525")

    def test_copy_that_a_staying_copy_needs_stays(self):
        gone = use_file(needed=("libcublasLt.so.12",), soname="libcublas-0a1b2c3d.so.12",
                        provides=Provides("cublas", Provided.RENAMED, "12"))
        stays = use_file(needed=(gone.soname,), soname="libcusolver-0a1b2c3d.so.11", static="12.9",
                         provides=Provides("cusolver", Provided.RENAMED, "12"))
        user = use_file(Use("cublas", gone.soname, Linking.RENAMED, ("12",)))
        self.assertEqual([tie.library for tie in stands(user, gone, stays).ties], ["libcublasLt.so.12"])

    def test_only_libraries_of_cuda(self):
        library = use_file(needed=("libcublasLt.so.12",), provides=Provides("cublas", Provided.ORIGINAL, "12"))
        self.assertEqual(stands(library).kind, VerdictKind.CUDA_ITSELF)

    def test_other_product_is_not_of_cuda_itself(self):
        for soname in ("libcutensor.so.2", "libcutensorMg.so.2", "libcusparseLt.so.0", "libcudss.so.0",
                       "libnvshmem_host.so.3", "libnvinfer.so.10", "libcutensor-0a1b2c3d.so.2.2.0"):
            self.assertEqual(described(use_file(needed=("libnppc.so.12",), soname=soname, static="11.8")),
                             "tied to CUDA 12 by libnppc.so.12 (0.so); static runtime 11.8: needs driver 450", soname)

    def test_static_runtime_with_the_oldest_driver(self):
        self.assertEqual(described(use_file(static="12.9")), "static runtime 12.9: needs driver 525")
        self.assertEqual(described(use_file(static="12.4"), use_file(static="13.0")),
                         "static runtime 12.4, 13.0: needs driver 525 to 580, depending on the file")
        old = FileUse(Path("x"), (), (), True, None)
        self.assertEqual(described(old), "static runtime older than 11.8: needs driver 450")
        self.assertEqual(described(use_file(static="14.0")), "static runtime 14.0: the driver that it needs is unknown")

    def test_unknown_static_runtime_needs_the_driver_of_its_cubins(self):
        old, new = FileUse(Path("x"), (), (), True, None), use_file(static="12.4")
        found = input_verdict.evaluate([("0.so", old), ("1.so", new)], (), table(),
                                       old_runtimes={"0.so": "410", "1.so": "450"})
        self.assertEqual(describe_verdict.sentence(found),
                         "static runtime older than 11.8, 12.4: needs driver 410 to 525, depending on the file")

    def test_own_loader(self):
        names = ("libcublas.so", "libcublas.so.%d")
        self.assertEqual(described(use_file(loaded("cublas", *names))),
                         "own loader: it may open libcublas.so, libcublas.so.%d")
        own = use_file(loaded("cublas", "libcublas.so.12"), provides=Provides("cublas", Provided.SOME, ""),
                       static="12.8", defines=BLAS)
        self.assertEqual(described(own), "own loader in 0.so; static runtime 12.8: needs driver 525")
        self.assertEqual(described(use_file(linked(), loaded("cublas", *names))),
                         "free; may open libcublas.so, libcublas.so.%d")

    def test_tool_that_stands_before_a_library_is_not_a_loader(self):
        blas = Use("cublas", "libcublas.so.12", Linking.NAMED, ("12",))
        self.assertEqual(described(use_file(blas, loaded("cublas", "libcublas.so.12"), defines=BLAS)), "free")
        self.assertEqual(described(use_file(blas, loaded("cuda", "libcuda.so.1"), defines=BLAS)), "free")
        self.assertEqual(described(use_file(loaded("cublas", "libcublas.so.12"), defines=BLAS[:4])), "free")
        inside = use_file(linked(), loaded("cublas", "libcublas.so.12"), defines=["ncclAllReduce", "ncclBcast",
                          "ncclGroupStart", "ncclGroupEnd", "ncclGetVersion"])
        self.assertEqual(described(inside), "free")

    def test_no_cuda_in_binaries(self):
        self.assertEqual(described(use_file(needed=("libm.so.6",))), "no CUDA in binaries")
        self.assertEqual(described(python=("libcudart.so.12", "import torch")),
                         "no CUDA in binaries; its Python files may open libcudart.so.12 and import torch")
        needs = Needs(375, (), ("4.0",), least=375)
        self.assertEqual(described(python=("libcudart.so.12", "import torch"), kernels=needs),
                         "device code in PTX 4.0: needs driver 375; its Python files may open libcudart.so.12 and "
                         "import torch")


class With(unittest.TestCase):
    def test_package_of_a_library(self):
        required = ["cutensor-cu12", "libkvikio-cu12", "nvidia-cudnn-cu12", "nvidia-cusparselt-cu12", "numpy"]
        for library, package in (("libc10_cuda.so", "torch"), ("libtorch_python.so", "torch"),
                                 ("libtensorflow_framework.so.2", "tensorflow"),
                                 ("libcutensorMg.so.2", "cutensor-cu12"),
                                 ("libkvikio.so", "libkvikio-cu12"), ("libcudnn_ops.so.9", "nvidia-cudnn-cu12"),
                                 ("libcusparseLt.so.0", "nvidia-cusparselt-cu12"), ("libnumpy.so", ""),
                                 ("libm.so.6", ""), ("x" * 5000, "")):
            self.assertEqual(companions.package_of(library, required, table()), package, library)

    def test_torch_with_the_versions_that_the_wheel_requires(self):
        torch = use_file(linked(), needed=("libc10.so", "libtorch.so"))
        self.assertEqual(described(torch), "free with torch (versions not stated)")
        self.assertEqual(described(torch, requires=("torch",)), "free with torch (versions not stated)")
        self.assertEqual(described(torch, requires=("torch>=2.9,<3; python_version > '3.8'",)),
                         "free with torch (>=2.9,<3)")

    def test_package_of_one_cuda(self):
        self.assertEqual(described(use_file(linked(), needed=("libcutensor.so.2",)), requires=("cutensor-cu12>=2.8",)),
                         "free with cutensor-cu12 (>=2.8, of CUDA 12)")

    def test_library_that_no_requirement_brings(self):
        for libraries, distribution in (
                (("libcutensor.so.2", "libcutensorMg.so.2"), "cutensor"), (("libnvinfer.so.10",), "tensorrt"),
                (("libcustatevec.so.1",), "custatevec"), (("libcutensornet.so.2",), "cutensornet"),
                (("libcusparseLt.so.0",), "nvidia-cusparselt"), (("libcudnn_ops.so.9",), "nvidia-cudnn")):
            self.assertEqual(described(use_file(linked(), needed=libraries)),
                             f"free with {', '.join(libraries)} ({distribution}-cuXX)")
        self.assertEqual(described(use_file(linked(), needed=("libcutensor.so.2", "libdoca_verbs.so.2"))),
                         "free with libcutensor.so.2 (cutensor-cuXX), libdoca_verbs.so.2")

    def test_requirement_of_another_name(self):
        self.assertEqual(described(use_file(linked(), needed=("libnvinfer.so.10",)), requires=("tensorrt-cu12~=10.3",)),
                         "free with tensorrt-cu12 (~=10.3, of CUDA 12)")

    def test_opened_library(self):
        opens = use_file(unstubbed=("libcusparseLt.so.0",))
        self.assertEqual(described(opens), "own loader: it may open libcusparseLt.so.0 (nvidia-cusparselt-cuXX)")
        self.assertEqual(described(opens, requires=("nvidia-cusparselt-cu12>=0.8",)),
                         "own loader: it may open libcusparseLt.so.0 (nvidia-cusparselt-cu12, >=0.8, of CUDA 12)")
        three = use_file(unstubbed=("libcusparseLt.so", "libdoca_verbs.so", "libcusparseLt.so.0"))
        self.assertEqual(described(three), "own loader: it may open libcusparseLt.so, libcusparseLt.so.0 "
                         "(nvidia-cusparselt-cuXX), libdoca_verbs.so")
        self.assertEqual(described(use_file(unstubbed=("libdoca_verbs.so",))),
                         "own loader: it may open libdoca_verbs.so")


class Majors(unittest.TestCase):
    def test_tie_is_met_by_its_cuda(self):
        (tie,) = stands(use_file(needed=(CUPTI,))).ties
        self.assertTrue(tie.is_met_by({"12"}))
        self.assertFalse(tie.is_met_by({"12", "13"}))
        self.assertTrue(ties.Tie("a.so", "libcusparse.so.12", TieKind.NEEDS, "12 or 13").is_met_by({"12", "13"}))
        self.assertFalse(ties.Tie("a.so", "libcudnn.so.7", TieKind.NEEDS, "").is_met_by({"12"}))


class StaticRuntime(Folder):
    MARKS = {"11.8": "one", "12.0": "two", "12.1": "three"}

    def test_newest_release_of_which_nothing_is_missing(self):
        for strings, release in (((), ""), (("one",), "11.8"), (("one", "two"), "12.0"), (("one", "three"), "11.8"),
                                 (("two", "three"), ""), (("one", "two", "three"), "12.1")):
            self.assertEqual(contents.newest_release(strings, self.MARKS), release, strings)

    def test_oldest_driver(self):
        drivers = {"450": "11.0", "455": "11.1", "525": "12.0", "580": "13.0"}
        for release, driver in (("11.8", "450"), ("12.9", "525"), ("13.5", "580"), ("14.0", ""), ("", "450")):
            self.assertEqual(static_runtime.oldest_driver(release, drivers), driver)

    @with_real_libraries
    def test_every_runtime_tells_its_release(self):
        known = table().static_runtimes
        for release in known:
            self.assertEqual(contents.read(library_file("cudart", release), table()).release, release)

    @with_real_libraries
    def test_linked_archive(self):
        archive = artifact("nvcc-13.0") / "lib64" / "libcudart_static.a"
        source = "int cudaFree(void*); int f(void) { return cudaFree(0); }"
        for name, more in (("plain.so", ()), ("least.so", ("-Wl,--gc-sections,-s,--exclude-libs,ALL",))):
            path = self.compile(name, source, *more, archive, "-ldl", "-lrt", "-lpthread")
            self.assertEqual(use_of(path).runtime_release, "13.0", name)
        status, out, _ = self.check(path)
        self.assertEqual((status, out.splitlines()[-1]), (0, "verdict: static runtime 13.0: needs driver 580"))
        late = "; the static runtime does not run with driver "
        for runtime, status, ending in (("550", 1, f"{late}550"), ("580", 0, ""), ("12", 1, f"{late}525-575"),
                                        ("12,13", 1, f"{late}525-575"), ("13", 0, "")):
            found, out, _ = self.check(path, "--runtime", runtime, "--allow", "device_code")
            self.assertEqual((found, out.splitlines()[-1]),
                             (status, f"verdict: static runtime 13.0: needs driver 580{ending}"), runtime)

    @with_real_libraries
    def test_nvidias_libraries_with_a_runtime_in_them(self):
        for name, release in (("nvjpeg", "11.8"), ("nvjpeg", "12.9")):
            self.assertEqual(use_of(library_file(name, release)).runtime_release, release)

    def test_string_of_the_program_itself(self):
        mark = table().static_runtimes["13.5"]
        use = use_of(self.compile("own.so", f"const char* f(void) {{ return {json.dumps(mark)}; }}"))
        self.assertEqual((use.static_runtime, use.runtime_release), (False, ""))

    def test_facts_are_in_order(self):
        for releases in (table().drivers.values(), table().static_runtimes):
            numbers = [tuple(map(int, release.split("."))) for release in releases]
            self.assertEqual(numbers, sorted(set(numbers)))


class Tied(Folder):
    def tied(self) -> Path:
        other = self.compile("libcupti.so.12", "int cuptiGetVersion(int* v) { return *v; }", f"-Wl,-soname,{CUPTI}")
        return self.compile("tied.so", "int cuptiGetVersion(int*); int f(int* v) { return cuptiGetVersion(v); }", other)


class Command(Tied):
    def test_exit_status_of_a_tie(self):
        path = self.tied()
        for arguments, status in (((), 1), (("--runtime", "11.8"), 1), (("--runtime", "12"), 0),
                                  (("--allow", "tied"), 0), (("--runtime", "12,13"), 1), (("--library", "cudart"), 0)):
            found, out, err = self.check(path, *arguments)
            self.assertEqual((found, err), (status, ""), arguments)
            if "--library" not in arguments:  # it is about all of them
                self.assertEqual(out.splitlines()[-1], "verdict: tied to CUDA 12 by libcupti.so.12 (tied.so)")

    @with_real_libraries
    def test_first_line_begins_with_the_ties(self):
        path, text = self.tied(), "tied.so: tied to CUDA 12 by libcupti.so.12 (tied.so); uses no CUDA library that has"
        for arguments, first in (((), f"{text} a stub"),
                                 (("--allow", "tied"), "tied.so: uses no CUDA library that has a stub")):
            self.assertEqual(self.check(path, *arguments)[1].splitlines()[0], first, arguments)
        absent = self.call("absent.so", "cudaLaunchKernelExC cuptiGetVersion", library_file("cudart", "12.9"),
                           self.folder / CUPTI)
        self.assertEqual(self.check(absent, "--runtime", "11.7")[1].splitlines()[0], "absent.so: tied to CUDA 12 by "
                         "libcupti.so.12 (absent.so); 1 function would fail on CUDA 11.7")

    def test_report_says_what_to_do_about_ties(self):
        path, start = self.tied(), "To end the tie, build without "
        lines = self.check(path)[1].splitlines()
        self.assertIn("  needs libcupti.so.12 (nvidia-cuda-cupti-cu12), for which anycuda has no stub: it must be "
                      "installed", lines)
        page = 'Details: docs/troubleshooting.md, "tied to CUDA 12 by ...".'
        self.assertIn(f"  {start}libcupti.so.12; or do not link it, and open it with dlopen, by the name for each CUDA "
                      "major. If the tie stays, your users must install it (nvidia-cuda-cupti-cu12). " + page, lines)
        for arguments in (("--allow", "tied"), ("--runtime", "12"), ("--library", "cudart")):
            self.assertNotIn(start, self.check(path, *arguments)[1])
        opens = self.compile("opens.so", 'const char* f[] = {"libnppc.so.12", "libnpps.so.12"};')
        wheel_of_two = make_wheel(self.folder, {"a.so": path.read_bytes(), "b.so": opens.read_bytes()})
        lines = [line for line in self.check(wheel_of_two)[1].splitlines() if start in line]
        self.assertEqual(lines, [f"  {start}these 3 libraries; or do not link them, and open them with dlopen, by the "
                                 "names for each CUDA major. If the tie stays, your users must install them "
                                 f"(nvidia-cuda-cupti-cu12 and nvidia-npp-cu12). {page}"])

    def test_report_shortens_ties(self):
        bound = self.tied().read_bytes()
        path = make_wheel(self.folder, {f"{number}.so": bound for number in range(5)})
        first, *_, last = self.check(path)[1].splitlines()
        text = "tied to CUDA 12 by libcupti.so.12 (0.so, 1.so, 2.so and 2 more)"
        self.assertEqual((first, last), (f"{path.name}: {text}; uses no CUDA library that has a stub",
                                         f"verdict: {text}"))
        verdict = json.loads(self.check(path, "--json")[1])["inputs"][0]["verdict"]
        self.assertEqual(verdict["text"], "tied to CUDA 12 by libcupti.so.12 (0.so, 1.so, 2.so, 3.so, 4.so)")

    @with_real_libraries
    def test_each_file_of_several_has_a_verdict(self):
        free = self.call("free.so", "cudaFree", library_file("cudart", "12.9"))
        plain = self.compile("plain.so", "int f(void) { return 0; }")
        for name, files in (("several", (self.tied(), free, plain)), ("alone", (self.tied(),))):
            path = self.folder / f"{name}-1-py3-none-linux_x86_64.whl"
            with zipfile.ZipFile(path, "w") as archive:
                for file in files:
                    archive.write(file, file.name)
            out = self.check(path)[1]
            rows = [line.split(None, 1) for line in out.splitlines() if line.startswith("  ")]
            of_files = [["tied.so", "tied to CUDA 12 by libcupti.so.12 (tied.so)"], ["free.so", "free"],
                        ["no", "CUDA in 1 other file"]]
            self.assertEqual([row for row in rows if row in of_files], of_files if len(files) > 1 else [], out)
            self.assertNotIn("verdict", self.check(path, "--library", "cudart")[1])

    def test_wheel_in_folder_is_not_freed_by_another(self):
        wheels = self.folder / "wheels"
        wheels.mkdir()
        for name, file in (("brings", self.folder / CUPTI), ("tied", self.tied())):
            with zipfile.ZipFile(wheels / f"{name}-1-py3-none-linux_x86_64.whl", "w") as archive:
                archive.write(file, f"{name}/{file.name}")
        status, out, err = self.check(wheels)
        self.assertEqual((status, err), (1, ""))
        self.assertEqual([line for line in out.splitlines() if line.startswith("verdict: ")],
                         ["verdict: a library of CUDA itself",
                          "verdict: tied to CUDA 12 by libcupti.so.12 (tied/tied.so)"])

    def test_json(self):
        _, out, _ = self.check("--json", self.tied())
        one = json.loads(out)["inputs"][0]
        tie = {"file": "tied.so", "library": CUPTI, "how": "needs", "cuda": "12"}
        for verdict in (one["verdict"], one["files"][0]["verdict"]):
            self.assertEqual(verdict, {"kind": "tied", "ties": [tie], "static": [], "loaders": [], "loads": [],
                                       "companions": [], "python": [], "driver": "", "device_code": None,
                                       "text": "tied to CUDA 12 by libcupti.so.12 (tied.so)"})

    def test_python_files_are_parsed(self):
        text = ('"""libcudart-second is opened"""\nimport torch.nn, numpy\nfrom cuda import bindings\n'
                'NAMES = ["libcublas.so.12", "libcudart.cudaHostRegister"]\n'
                'raise OSError("cannot open libcufft.so.11")\n')
        path = self.folder / "thing-1-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("thing/a.py", text)
            archive.writestr("thing/broken.py", "import cupy (")
            archive.writestr("thing/doc.py", '"""\nimport triton\n"""\n')
        _, out, _ = self.check(path)
        self.assertEqual(out.splitlines()[-1], "verdict: no CUDA in binaries; its Python files may open "
                                               "libcublas.so.12 and import cuda, torch")

    def test_wheel_for_another_system(self):
        library = self.compile("plain.so", "int f(void) { return 0; }")
        for name, files, known in (
            ("a-1-cp311-cp311-win_amd64.whl", ("a/a.pyd",), False), ("b-1-py3-none-win_amd64.whl", ("b/b.py",), False),
            ("c-1-cp311-cp311-macosx_11_0_arm64.whl", ("c/c.so",), False),
            ("d-1-py3-none-any.whl", ("d/d.dll",), False),
            ("e.zip", ("e/e.pyd",), False), ("f-1-py3-none-any.whl", ("f/f.dll", "f/plain.so"), True),
            ("g-1-py3-none-any.whl", ("g/t64.exe",), True), ("h-1-py3-none-win32.linux_x86_64.whl", ("h/h.dll",), True),
            ("i-1-py3-none-win_amd64.whl", ("i/plain.so",), False),
        ):
            with zipfile.ZipFile(self.folder / name, "w") as archive:
                for file in files:
                    archive.writestr(file, library.read_bytes() if file.endswith("plain.so") else b"MZ")
            status, out, err = self.check(self.folder / name)
            verdict = "no CUDA in binaries" if known else "unknown: not for Linux"
            ending = "; 1 file could not be checked" if name.startswith("i") else ""
            self.assertEqual((status, out.splitlines()[-1], err),
                             (0 if known else 2, f"verdict: {verdict}{ending}", ""), name)
            self.assertEqual("anycuda reads only binaries for Linux" in out, not known, name)

    def test_archives_of_other_kinds_are_refused_in_words(self):
        for name in ("thing-1-0.conda", "thing.tar.gz", "thing_1_amd64.deb", "thing.tgz"):
            with zipfile.ZipFile(self.folder / name, "w") as archive:
                archive.writestr("pkg.tar.zst", b"")
            status, out, err = self.check(self.folder / name)
            self.assertEqual((status, err), (2, ""))
            self.assertIn("which anycuda does not open: unpack it and check the folder", out)
            self.assertTrue(out.endswith("verdict: unknown: unreadable\n"), out)

    @with_real_libraries
    def test_real_wheels(self):
        for name, verdict in (("torch_memory_saver", "free"), ("cumm", "free"),
                              ("torchvision", "static runtime 12.6: needs driver 525; with torch (==2.7.1); "
                               "device code of CUDA 12.6: needs driver 525")):
            out = self.check(wheel(name))[1]
            self.assertEqual(out.splitlines()[-1], f"verdict: {verdict}")


class Agreement(Tied):
    @with_real_libraries
    def test_check_and_repair_say_the_same_of_ties(self):
        bound = self.tied().read_bytes()
        opens = self.compile("opens.so", 'const char* f(void) { return "libnppc.so.12"; }').read_bytes()
        free = self.call("free.so", "cudaFree", library_file("cudart", "12.9")).read_bytes()
        npp = self.compile("libnppc.so.12", "int f(void) { return 0; }", "-Wl,-soname,libnppc.so.12").read_bytes()
        for number, (files, status) in enumerate((
                ({"thing/a.so": bound}, 1), ({"thing/a.so": free, "thing/b.so": bound}, 1), ({"thing/a.so": opens}, 1),
                ({"thing/a.so": free}, 0), ({"thing/a.so": opens, "thing/libnppc.so.12": npp}, 0))):
            with self.subTest(files=list(files), number=number):
                path = make_wheel(self.folder, files, f"thing-{number}-py3-none-linux_x86_64.whl")
                done = run_command("repair", "--dry-run", path)
                self.assertEqual((self.check(path)[0], done.returncode), (status, status), done.stdout + done.stderr)
                partly = run_command("repair", "--dry-run", "--partly", path)
                self.assertEqual((self.check(path, "--allow", "tied")[0], partly.returncode), (0, 0), partly.stdout)
                self.assertEqual("\n  verdict: tied to CUDA 12 by " in partly.stdout, status == 1, partly.stdout)
                self.assertEqual("for which anycuda has no stub" in partly.stdout, status == 1, partly.stdout)

    @with_real_libraries
    def test_repair_ends_with_the_verdict_of_check(self):
        free = self.call("free.so", "cudaFree", library_file("cudart", "12.9")).read_bytes()
        beside = self.compile("libcutensor.so.2", "int f(void) { return 0; }", "-Wl,-soname,libcutensor.so.2")
        user = self.compile("user.so", "int f(void); int g(void) { return f(); }", beside).read_bytes()
        pages = {"thing/a.so": free, "thing/b.so": user, "thing/c.py": b"import torch\n"}
        texts = {"a.py": b"import jax\nNAME = 'libcublas.so.12'\n", "b.sh": b"libnvrtc.so.12",
                 "c.py": b"NAME = 'libcufft.so.11'\n" + b"#" * named.LARGEST, "d.json": b'["libcufft.so.11"]',
                 "texts-1.dist-info/e.py": b"import cupy\nNAME = 'libcurand.so.10'\n"}
        requires = "Requires-Dist: cutensor-cu12>=2.8\n"
        made = [make_wheel(self.folder, files, f"{name}-1-py3-none-{tag}.whl", requires) for name, files, tag in (
            ("free", pages, "linux_x86_64"), ("tied", {"a.so": self.tied().read_bytes()}, "linux_x86_64"),
            ("none", {"a.py": b"import torch\n"}, "any"), ("win", {"a.pyd": b"MZ"}, "win_amd64"),
            ("texts", texts, "any"))]
        for path, status in zip((*made, wheel("torchvision")), (0, 1, 0, 0, 0, 0)):
            with self.subTest(path.name):
                out = self.folder / "out"
                arguments = ("repair", "--force", "--wheel-dir", out, path)
                done, known = run_command(*arguments), json.loads(run_command(*arguments, "--json").stdout)["wheels"][0]
                result = path if status else out / path.name
                self.assertEqual((done.returncode, done.stderr), (status, ""), done.stdout)
                self.assertEqual(done.stdout.splitlines()[-1].strip(), self.check(result)[1].splitlines()[-1])
                _, output, _ = self.check("--json", result)
                self.assertEqual(known["verdict"], json.loads(output)["inputs"][0]["verdict"])

    def test_verdict_of_repair_follows_freed_requirements(self):
        beside = self.compile("libcutensor.so.2", "int f(void) { return 0; }", "-Wl,-soname,libcutensor.so.2")
        user = self.compile("user.so", "int f(void); int g(void) { return f(); }", beside).read_bytes()
        path = make_wheel(self.folder, {"a.so": user}, metadata="Requires-Dist: cutensor-cu12>=2.8\n")
        for arguments, verdict in (((), "cutensor-cu12 (>=2.8, of CUDA 12)"),
                                   (("--drop-requirement", "cutensor-cu12"), "libcutensor.so.2 (cutensor-cuXX)")):
            done = run_command("repair", "--dry-run", *arguments, path)
            self.assertEqual(done.stdout.splitlines()[-1], f"  verdict: free with {verdict}", done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
