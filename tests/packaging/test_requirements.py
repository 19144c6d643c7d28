# SPDX-License-Identifier: Apache-2.0
"""Requirements of a wheel: read, tied to a CUDA, made extras; and lists of what to preload. Only facts, no wheel."""

import json
import unittest
from pathlib import Path

import wheel_support  # noqa: F401  (puts the package on the path)

from anycuda.analysis import preload, remaining
from anycuda.analysis.distributions import pin_of
from anycuda.analysis.file_use import FileUse, Provided, Provides, Use
from anycuda.analysis.libraries import Library, Linking, Major, Table
from anycuda.analysis.remaining import Need, Remaining
from anycuda.check import requirements
from anycuda.repair import free
from anycuda.wheels import metadata, requirement


def library(name: str, stem: str, sonames: dict[str, str], wheels: dict[str, str], extra: str = "", **facts) -> Library:
    majors = {major: Major(major, f"{stem}.so.{number}", None) for major, number in sonames.items()}
    return Library(name, name, f"lib{name}_stub.so", False, f"{stem}.so", majors, {}, wheels=wheels,
                   toolkit_extra=extra, **facts)


def wheels(name: str) -> dict[str, str]:
    return {"11": f"{name}-cu11", "12": f"{name}-cu12", "13": name}


CUDA = {"11": "11", "12": "12", "13": "13"}
CUDNN = {major: f"nvidia-cudnn-cu{major}" for major in CUDA}
TABLE = Table({one.name: one for one in (
    library("cudart", "libcudart", {**CUDA, "11": "11.0"}, wheels("nvidia-cuda-runtime"), "cudart"),
    library("cublas", "libcublas", CUDA, wheels("nvidia-cublas"), "cublas", companions=("libnvblas",)),
    library("cublaslt", "libcublasLt", CUDA, wheels("nvidia-cublas"), "cublas"),
    library("cusparse", "libcusparse", {"11": "11", "12": "12", "13": "12"}, wheels("nvidia-cusparse"), "cusparse"),
    library("nvtx", "libnvToolsExt", {"11": "1", "12": "1"},
            {major: f"nvidia-nvtx-cu{major}" for major in ("11", "12")}, "nvtx"),
    library("cudnn", "libcudnn", dict.fromkeys(CUDA, "9"), CUDNN, parts="libcudnn_", own_releases=True),
    library("files", "libfiles", dict.fromkeys(("12", "13"), "0"), {"12": "nvidia-files-cu12", "13": "nvidia-files"},
            own_releases=True),
    library("nccl", "libnccl", dict.fromkeys(CUDA, "2"), {major: f"nvidia-nccl-cu{major}" for major in CUDA},
            own_releases=True),
    library("cudnn8", "libcudnn", dict.fromkeys(CUDA, "8"), CUDNN, served_by="9"))}, {})
STUBS = Remaining((), True)
HEAD = "Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n"
BODY = "\nRequires-Dist: nvidia-cublas-cu12 is only text here\n"


def needs(*names: str, how: str = "still needs") -> Remaining:
    return Remaining(tuple(Need("thing/a.so", name, how) for name in names), True)


def freed(*lines: str, remaining: Remaining = STUBS, renewed: dict = {}) -> free.Freed:
    text = HEAD + "".join(f"{line}\n" for line in lines) + BODY
    return free.free(text.encode(), remaining, renewed, TABLE)


def required(made: free.Freed) -> list[str]:
    """Its lines behind those of HEAD; all else has to be as it was."""
    text = made.metadata.decode()
    assert text.startswith(HEAD) and text.endswith(BODY), text
    return text[len(HEAD):-len(BODY)].splitlines()


def of(text: str) -> list[str]:
    return required(freed(f"Requires-Dist: {text}"))


class Requirement(unittest.TestCase):
    def test_forms(self):
        for text, name, extras, version, marker in (
            ("numpy", "numpy", (), "", ""),
            ("A.b_c (>=12, <13)", "A.b_c", (), "(>=12, <13)", ""),
            ("cuda-toolkit [cublas , cudart]==12.*", "cuda-toolkit", ("cublas", "cudart"), "==12.*", ""),
            ("x>=1;python_version<'3.9'", "x", (), ">=1", "python_version<'3.9'"),
            ("x @ https://h/a;b.whl ; os_name == 'posix'", "x", (), "@ https://h/a;b.whl", "os_name == 'posix'"),
            ("x@ https://h/a.whl", "x", (), "@ https://h/a.whl", ""),
        ):
            with self.subTest(text=text):
                found = requirement.parse(text)
                self.assertEqual((found.name, found.extras, found.version, found.marker),
                                 (name, extras, version, marker))

    def test_what_is_not_one(self):
        for text in ("", "-x", "x y", "x[a", "x ]"):
            with self.subTest(text=text):
                self.assertIsNone(requirement.parse(text))

    def test_a_marker_is_joined(self):
        for text, joined in (
            ("x", 'x; extra == "e"'), ("x (>=1)", 'x (>=1); extra == "e"'),
            ("x; a == 'b' or c == 'd'", "x; (a == 'b' or c == 'd') and extra == \"e\""),
            ("x @ https://h/a;b.whl", 'x @ https://h/a;b.whl ; extra == "e"'),
        ):
            with self.subTest(text=text):
                self.assertEqual(requirement.parse(text).in_extra("e"), joined)

    def test_which_belong_to_an_extra(self):
        for marker, belongs, extras in (("extra == 'a_B'", True, ["a-b"]), ("'x' == extra", True, ["x"]),
                                        ("platform_system == 'extra'", False, []), ("my_extra == '1'", False, [])):
            with self.subTest(marker=marker):
                found = requirement.parse(f"x; {marker}")
                self.assertEqual((found.belongs_to_extra, found.extra_names), (belongs, extras))

    def test_the_major_that_a_version_allows(self):
        for version, major in (("==12.9.*", "12"), ("~=12.1", "12"), (">=12.1,<13", "12"), ("<14,>=13", "13"),
                               ("(==13.*)", "13"), (">=12,<13.0", "12"), (">=12,<12.5", "12"), ("===11.8.0", "11"),
                               (">=12", ""), (">=12,<14", ""), (">=12,<13.1", ""), ("<13", ""), ("", ""),
                               ("==12.*,!=12.3", "12"), ("@ https://h/x==12", "")):
            with self.subTest(version=version):
                self.assertEqual(requirement.major_of(version), major)


class Fields(unittest.TestCase):
    def test_are_split_and_joined_again(self):
        for text in (b"A: 1\nB: 2\n  more\n\tand more\nC: 3\n\nbody\n\nA: 4\n", b"A: 1\r\nB: 2\r\n x\r\n\r\nbody",
                     b"A: 1", b"A: 1\nB: \xff\xfe\n", b"", b"\nbody"):
            with self.subTest(text=text):
                fields, rest = metadata.split(text)
                self.assertEqual(b"".join(one.raw for one in fields) + rest, text)

    def test_a_continued_one_has_one_value(self):
        fields, rest = metadata.split(b"Requires-Dist: a\n    >=1\nName: b\r\n\r\nX: y\n")
        self.assertEqual([(one.name, one.value, one.end) for one in fields],
                         [("requires-dist", "a >=1", b"\n"), ("name", "b", b"\r\n")])
        self.assertEqual(rest, b"\r\nX: y\n")


class Pins(unittest.TestCase):
    def test_which_requirements_are_of_one_cuda(self):
        for text, major in (("nvidia-cublas-cu12==12.9.*", "12"), ("NVIDIA_cublas.cu11", "11"), ("nvidia-cublas", "13"),
                            ("cuda-toolkit[cublas]==12.*", "12"), ("cuda-python~=12.0", "12"), ("cupy-cuda12x", "12"),
                            ("nvidia-dali-cuda120", "12"), ("nvidia-cufile", "13"), ("cutensor-cu13", "13"),
                            ("cuda-toolkit[cublas]", None), ("cuda-python", None), ("nvidia-ml-py", None),
                            ("numpy==12.*", None), ("libcu12-x", None), ("nvidia-cuda-runtime-cu12-x", None)):
            with self.subTest(text=text):
                pin = pin_of(requirement.parse(text), TABLE)
                self.assertEqual(pin and pin.major, major)

    def test_their_libraries(self):
        pin = pin_of(requirement.parse("cuda-toolkit[cublas,CuFile]==12.*"), TABLE)
        self.assertEqual([(part.name, [one.name for one in part.libraries]) for part in pin.parts],
                         [("cublas", ["cublas", "cublaslt"]), ("CuFile", [])])


class Remains(unittest.TestCase):
    def why(self, text: str, left: Remaining) -> str:
        pin = pin_of(requirement.parse(text), TABLE)
        return left.why_stays(pin.parts[0], pin.major)

    def test_a_library_that_a_file_goes_on_needing(self):
        for text, name, stays in (
            ("nvidia-cublas-cu12", "libcublas.so.12", True), ("nvidia-cublas-cu12", "libcublasLt.so.12", True),
            ("nvidia-cublas-cu12", "libcublas.so.11", False), ("nvidia-cublas-cu12", "libcudart.so.12", False),
            ("nvidia-cublas-cu12", "libcublas.so", True), ("nvidia-cublas-cu12", "libcublas.so.%d", True),
            ("nvidia-cublas-cu12", "libcublas.so.12.4.5.8", True), ("nvidia-cublas-cu12", "libcublas.so.10", False),
            ("nvidia-cuda-runtime-cu11", "libcudart.so.11.0", True), ("nvidia-cusparse", "libcusparse.so.12", True),
            ("nvidia-cusparse-cu11", "libcusparse.so.12", False), ("nvidia-cudnn-cu12", "libcudnn_ops.so.9", True),
            ("nvidia-cudnn-cu12", "libcudnn.so.8", True), ("nvidia-cudnn-cu12", "libcudnn.so.7", False),
            ("nvidia-cublas-cu12", "libnvblas.so.12", True), ("nvidia-cublas-cu12", "libnvblas.so.11", False),
            ("nvidia-cublas-cu12", "/opt/lib/libcublas.so.12", True),
        ):
            with self.subTest(text=text, name=name):
                self.assertEqual(self.why(text, needs(name)), f"thing/a.so still needs {name}" if stays else "")

    def test_no_stub_of_it_and_none_in_the_wheel(self):
        self.assertEqual(self.why("nvidia-cufile-cu12", STUBS), "anycuda has no stub for it")
        self.assertIn("no file of the wheel", self.why("nvidia-cublas-cu12", Remaining((), False)))

    def test_the_needs_of_a_file(self):
        opens = Use("cublas", None, Linking.LOADED, ("12",), strings=("libcublas.so.12", "libcudart.so.12"))
        use = FileUse(Path("x"), (opens,), (), False, None)
        self.assertEqual(remaining.find("a.so", use, ["libcudart.so.12", "libc.so.6"], {"libcudart.so.12"}),
                         [Need("a.so", "libc.so.6", "still needs"), Need("a.so", "libcublas.so.12", "opens")])
        copy = FileUse(Path("x"), (opens,), (), False, Provides("cudart", Provided.ORIGINAL, "12"))
        self.assertEqual(remaining.find("a.so", copy, ["libm.so.6"], ()),
                         [Need("a.so", "libm.so.6", "still needs")])
        use = FileUse(Path("x"), (), (), False, None, unstubbed=("libnvblas.so.12",))
        (need,) = remaining.find("a.so", use, [], ())
        self.assertEqual((need.name, need.how), ("libnvblas.so.12", "opens"))
        self.assertEqual(self.why("nvidia-cublas-cu12", Remaining((need,), True)), "a.so opens libnvblas.so.12")


class Checked(unittest.TestCase):
    """What `anycuda check` expects of a repair."""

    def names(self, provides: Provides | None) -> list[str]:
        use = FileUse(Path("x"), (Use("cublas", "libcublas.so.12", Linking.NAMED, ("12",)),), (), False, provides,
                      needed=("libcublas.so.12", "libm.so.6"))
        return [need.name for need in requirements.remaining_of([("a.so", use)], ["b.so"], TABLE).needs]

    def test_a_stub_replaces_what_a_file_is_linked_to(self):
        self.assertEqual(self.names(None), ["libm.so.6"])

    def test_nothing_replaces_what_a_library_of_cuda_is_linked_to(self):
        self.assertEqual(self.names(Provides("cusparse", Provided.ORIGINAL, "12")), ["libcublas.so.12", "libm.so.6"])

    def test_file_served_by_a_drop_in_needs_a_stub(self):
        """As repair has it: the wheel's pin becomes an extra."""
        opens = Use("cublas", None, Linking.LOADED, ("12",), strings=("libcublas.so.12",))
        use = FileUse(Path("x"), (opens,), (), False, None)
        left = requirements.remaining_of([("a.so", use)], [], TABLE)
        self.assertEqual(left, Remaining((), True))
        self.assertEqual(requirements.remaining_of([("a.so", use)], ["libcublas.so.12"], TABLE).stubs, False)


class Freed(unittest.TestCase):
    def test_a_library_is_an_extra_of_each_cuda(self):
        made = freed("Requires-Dist: numpy<3", "Requires-Dist: nvidia-cublas-cu12==12.9.*", "Requires-Python: >=3.9")
        self.assertEqual(required(made), [
            "Requires-Dist: numpy<3",
            "Provides-Extra: cuda11", "Provides-Extra: cuda12", "Provides-Extra: cuda13",
            'Requires-Dist: nvidia-cublas-cu12==12.9.*; extra == "cuda12"',
            'Requires-Dist: nvidia-cublas-cu11; extra == "cuda11"',
            'Requires-Dist: nvidia-cublas==13.*; extra == "cuda13"',
            "Requires-Python: >=3.9"])
        self.assertEqual(made.distributions, {"nvidia-cublas-cu12"})
        self.assertEqual(made.changes, ["nvidia-cublas-cu12==12.9.* -> extra cuda12",
                                        'nvidia-cublas-cu11; extra == "cuda11" added',
                                        'nvidia-cublas==13.*; extra == "cuda13" added'])
        self.assertIn('pip install "thing[cuda12]"', made.notes[-1])

    def test_of_cuda_13_has_no_suffix(self):
        self.assertEqual(of("nvidia-cublas<14,>=13")[3:], [
            'Requires-Dist: nvidia-cublas<14,>=13; extra == "cuda13"',
            'Requires-Dist: nvidia-cublas-cu11; extra == "cuda11"',
            'Requires-Dist: nvidia-cublas-cu12; extra == "cuda12"'])

    def test_number_0_of_a_soname_is_no_version(self):
        """libcufile.so.0 is of cuFile 1.x."""
        for before, after in (("", ""), (">=1.11", ">=1.11"), ("==1.14.*", ">=1.14")):
            self.assertEqual(of(f"nvidia-files-cu12{before}")[2:], [
                f'Requires-Dist: nvidia-files-cu12{before}; extra == "cuda12"',
                f'Requires-Dist: nvidia-files{after}; extra == "cuda13"'])

    def test_only_majors_that_have_the_library(self):
        self.assertEqual(of("nvidia-nvtx-cu12"), ["Provides-Extra: cuda11", "Provides-Extra: cuda12",
                                                  'Requires-Dist: nvidia-nvtx-cu12; extra == "cuda12"',
                                                  'Requires-Dist: nvidia-nvtx-cu11; extra == "cuda11"'])

    def test_markers_are_kept(self):
        marker = "platform_system == 'Linux' or os_name == 'x'"
        found = of(f"nvidia-nvtx-cu12 (==12.*) ; {marker}")
        self.assertEqual(found[2:], [f"Requires-Dist: nvidia-nvtx-cu12 (==12.*); ({marker}) and extra == \"cuda12\"",
                                     f"Requires-Dist: nvidia-nvtx-cu11; ({marker}) and extra == \"cuda11\""])

    def test_the_toolkit(self):
        """The other extras name the libraries: a dependency may hold cuda-toolkit to CUDA 12."""
        self.assertEqual(of("cuda-toolkit[cublas,cudart,nvtx]==12.*")[3:], [
            'Requires-Dist: cuda-toolkit[cublas,cudart,nvtx]==12.*; extra == "cuda12"',
            'Requires-Dist: nvidia-cublas-cu11; extra == "cuda11"',
            'Requires-Dist: nvidia-cuda-runtime-cu11; extra == "cuda11"',
            'Requires-Dist: nvidia-nvtx-cu11; extra == "cuda11"',
            'Requires-Dist: nvidia-cublas==13.*; extra == "cuda13"',
            'Requires-Dist: nvidia-cuda-runtime==13.*; extra == "cuda13"'])

    def test_the_number_is_the_librarys(self):
        """Not CUDA's: libcusparse.so.12 is of CUDA 13, too."""
        self.assertIn('Requires-Dist: nvidia-cusparse==12.*; extra == "cuda13"', of("nvidia-cusparse-cu12==12.5.*"))

    def test_lower_bound_of_separate_releases_is_kept(self):
        """The releases for CUDA 11 end before those for 12 and 13."""
        for before, after in ((">=2.19", ">=2.19,<3"), (">=2.19,<2.30", ">=2.19,<3"), ("==2.21.5", ">=2.21.5,<3"),
                              ("", "==2.*"), (">=3", "==2.*"), (">=2.19,>=2.20", "==2.*"), (">2.19", "==2.*"),
                              ("~=2.19", ">=2.19,<3")):
            with self.subTest(before=before):
                found = of(f"nvidia-nccl-cu12{before}")
                self.assertEqual(found[3:], [f'Requires-Dist: nvidia-nccl-cu12{before}; extra == "cuda12"',
                                             'Requires-Dist: nvidia-nccl-cu11==2.*; extra == "cuda11"',
                                             f'Requires-Dist: nvidia-nccl-cu13{after}; extra == "cuda13"'])

    def test_a_release_of_the_toolkit_beside_it_stays(self):
        found = of("cuda-toolkit[cublas]==12.*\nRequires-Dist: cuda-toolkit==12.9.1")
        self.assertEqual([line for line in found if "extra" in line and "cuda12" not in line and "Dist" in line],
                         ['Requires-Dist: nvidia-cublas-cu11; extra == "cuda11"',
                          'Requires-Dist: nvidia-cublas==13.*; extra == "cuda13"'])
        self.assertEqual(found[-1], "Requires-Dist: cuda-toolkit==12.9.1")

    def test_all_of_the_toolkit_stays(self):
        """And with it what else is named: [all] goes on bringing that."""
        why = "stays: it also brings libraries without a stub"
        made = freed("Requires-Dist: cuda-toolkit[all]==12.*")
        self.assertEqual(made.notes, [f"the requirement cuda-toolkit[all] {why}"])
        self.assertEqual(made.changes, [])
        made = freed("Requires-Dist: cuda-toolkit[cublas,all]==12.*", "Requires-Dist: nvidia-cufft-cu12")
        self.assertEqual(required(made)[0], "Requires-Dist: cuda-toolkit[cublas,all]==12.*")
        self.assertEqual(made.notes[:2], [f"the requirement cuda-toolkit[{part}] {why}" for part in ("cublas", "all")])
        self.assertNotIn("may need", " ".join(made.notes))

    def test_another_projects_extra_for_a_cuda_stays(self):
        for name in ("numba-cuda[cu12]", "jax[cuda12]", "jax[cuda12-local,k8s]", "x[cuda12x]"):
            with self.subTest(name=name):
                made = freed(f"Requires-Dist: {name}>=0.2", "Requires-Dist: nvidia-cublas-cu12")
                self.assertIn(f"Requires-Dist: {name}>=0.2", required(made))
                self.assertTrue(any(note.endswith("stays: only that project knows which libraries it needs")
                                    for note in made.notes), made.notes)
        self.assertEqual(freed("Requires-Dist: x[cu12,cu13]", "Requires-Dist: y[test]").notes, [])

    def test_toolkit_extra_without_that_cudas_library_stays(self):
        """NVTX is headers only in CUDA 13."""
        found = of("cuda-toolkit[cudart,nvtx]==13.*")
        self.assertEqual(found[3:5], ["Requires-Dist: cuda-toolkit[nvtx]==13.*",
                                      'Requires-Dist: cuda-toolkit[cudart]==13.*; extra == "cuda13"'])

    def test_a_part_of_the_toolkit_stays(self):
        """And ties cuda-toolkit to its CUDA."""
        made = freed("Requires-Dist: cuda-toolkit[cublas,cufile]==12.9.*; os_name == 'posix'")
        self.assertEqual(required(made)[3:], [
            "Requires-Dist: cuda-toolkit[cufile]==12.9.*; os_name == 'posix'",
            "Requires-Dist: cuda-toolkit[cublas]==12.9.*; (os_name == 'posix') and extra == \"cuda12\"",
            "Requires-Dist: nvidia-cublas-cu11; (os_name == 'posix') and extra == \"cuda11\"",
            "Requires-Dist: nvidia-cublas==13.*; (os_name == 'posix') and extra == \"cuda13\""])
        self.assertIn("the requirement cuda-toolkit[cufile] stays: anycuda has no stub for it", made.notes)

    def test_what_stays_is_named_with_the_reason(self):
        line = "Requires-Dist: nvidia-cusparselt-cu12==0.7.1"
        made = freed(line, "Requires-Dist: nvidia-cublas-cu12", "Requires-Dist: cuda-toolkit==12.*",
                     remaining=needs("libcublasLt.so.12"))
        self.assertEqual(required(made),
                         [line, "Requires-Dist: nvidia-cublas-cu12", "Requires-Dist: cuda-toolkit==12.*"])
        self.assertEqual(made.notes, [
            "the requirement nvidia-cusparselt-cu12 stays: anycuda has no stub for it",
            "the requirement nvidia-cublas-cu12 stays: thing/a.so still needs libcublasLt.so.12",
            "the requirement cuda-toolkit stays: it brings no library itself, but pip refuses packages that require "
            "another cuda-toolkit beside it"])
        self.assertEqual((made.changes, made.distributions), ([], set()))

    def test_what_stays_may_need_what_is_freed(self):
        made = freed("Requires-Dist: custatevec-cu12", "Requires-Dist: nvidia-cublas-cu12", "Requires-Dist: x-cu11")
        self.assertIn("custatevec-cu12 may need libraries of CUDA 12, which the wheel no longer requires: if so, "
                      "install the extra cuda12", made.notes)
        self.assertFalse(any("x-cu11 may need" in note for note in made.notes), made.notes)

    def test_one_that_belongs_to_an_extra_keeps_it(self):
        line = "Requires-Dist: nvidia-cublas-cu12==12.1.3.1; extra == 'fix-cuda'"
        self.assertEqual(required(freed("Provides-Extra: fix-cuda", line)), ["Provides-Extra: fix-cuda", line])

    def test_an_extra_of_the_same_libraries_is_joined(self):
        lines = ["Provides-Extra: CUDA12", "Requires-Dist: nvidia-cuda-runtime-cu12; extra == 'CUDA12'",
                 "Provides-Extra: cuda13", "Requires-Dist: nvidia-cublas; extra == 'cuda13'"]
        found = required(freed(*lines, "Requires-Dist: nvidia-cublas-cu12"))
        self.assertEqual(found, [*lines, "Provides-Extra: cuda11",
                                 'Requires-Dist: nvidia-cublas-cu12; extra == "cuda12"',
                                 'Requires-Dist: nvidia-cublas-cu11; extra == "cuda11"'])

    def test_extra_of_another_kind_is_unchanged(self):
        for other in ("numpy", "nvidia-cublas-cu11"):
            with self.subTest(other=other):
                lines = ["Provides-Extra: cuda12", f"Requires-Dist: {other}; extra == 'cuda12'"]
                made = freed(*lines, "Requires-Dist: nvidia-nvtx-cu12")
                self.assertEqual(required(made), [
                    *lines, "Provides-Extra: cuda11", "Provides-Extra: cuda12-libraries",
                    'Requires-Dist: nvidia-nvtx-cu12; extra == "cuda12-libraries"',
                    'Requires-Dist: nvidia-nvtx-cu11; extra == "cuda11"'])
                self.assertTrue(any("are in the extra cuda12-libraries" in note for note in made.notes), made.notes)

    def test_each_library_once(self):
        """Required for two CUDAs, or twice with different markers."""
        found = of("nvidia-nvtx-cu12\nRequires-Dist: nvidia-nvtx-cu11==11.8.*")
        self.assertEqual(found[2:], ['Requires-Dist: nvidia-nvtx-cu12; extra == "cuda12"',
                                     'Requires-Dist: nvidia-nvtx-cu11==11.8.*; extra == "cuda11"'])
        found = of("nvidia-nvtx-cu12==12.1; a == '1'\nRequires-Dist: nvidia-nvtx-cu12==12.2; a == '1'")
        self.assertEqual([line for line in found if "cu11" in line],
                         ["Requires-Dist: nvidia-nvtx-cu11; (a == '1') and extra == \"cuda11\""])

    def test_library_for_earlier_callers_is_required_by_release(self):
        made = freed("Requires-Dist: nvidia-cudnn-cu12==8.9.*", renewed={"nvidia-cudnn-cu12": "9"})
        self.assertIn('Requires-Dist: nvidia-cudnn-cu12>=9; extra == "cuda12"', required(made))
        self.assertIn("nvidia-cudnn-cu12==8.9.* -> extra cuda12 as nvidia-cudnn-cu12>=9", made.changes[0])

    def test_lines_that_continue_and_their_ends(self):
        text = (b"Name: thing\r\nRequires-Dist: nvidia-nvtx-cu12\r\n   ==12.*\r\nSummary: a\r\n b\r\n\r\nbody \xff\r\n")
        self.assertEqual(free.free(text, STUBS, {}, TABLE).metadata, (
            b"Name: thing\r\nProvides-Extra: cuda11\r\nProvides-Extra: cuda12\r\n"
            b"Requires-Dist: nvidia-nvtx-cu12 ==12.*; extra == \"cuda12\"\r\n"
            b"Requires-Dist: nvidia-nvtx-cu11; extra == \"cuda11\"\r\nSummary: a\r\n b\r\n\r\nbody \xff\r\n"))

    def test_twice_is_once(self):
        once = freed("Requires-Dist: nvidia-cublas-cu12==12.9.*")
        again = free.free(once.metadata, STUBS, {}, TABLE)
        self.assertEqual((again.metadata, again.changes, again.notes), (once.metadata, [], []))


class Preloads(unittest.TestCase):
    LIST = {"preload": [{"package": "nvidia-cublas-cu12", "library": "libcublas.so.12"},
                        {"package": "nvidia_cuda_runtime_cu12", "library": "libcudart.so.12"},
                        {"package": "openblas", "library": "libopenblas.so.0"}], "other": [1, "nvidia-cublas-cu12"]}

    def test_of_json(self):
        self.assertEqual(preload.in_text("a.json", json.dumps(self.LIST).encode(), TABLE),
                         ("nvidia-cublas-cu12", "nvidia_cuda_runtime_cu12"))
        for text in (b'["nvidia-cublas-cu12"]', b'[{"name": "nvidia-cublas-cu12"}]', b"no json", b"\xff",
                     b"[" * 100000):
            with self.subTest(text=text[:40]):
                self.assertEqual(preload.in_text("a.json", text, TABLE), ())

    def test_of_python(self):
        text = b"from importlib.metadata import files\nfiles('nvidia-cublas-cu12'); files(\"nvidia-cufile-cu12\")\n"
        self.assertEqual(preload.in_text("a.py", text, TABLE), ("nvidia-cublas-cu12",))
        self.assertEqual(preload.in_text("a.py", b"print('nvidia-cublas-cu12')", TABLE), ())

    def test_packages_that_a_program_imports(self):
        both = ("nvidia-cublas-cu11", "nvidia-cublas-cu12")
        for text in (b"import nvidia.cublas", b"from nvidia import cublas", b"import nvidia.cublas.lib as x",
                     b"from nvidia.cublas import lib", b"def f():\n    import os, nvidia.cublas"):
            self.assertEqual(preload.imported("a.py", text, TABLE), both, text)
        self.assertEqual(preload.imported("a.py", b"from nvidia import cuda_runtime", TABLE),
                         ("nvidia-cuda-runtime-cu11", "nvidia-cuda-runtime-cu12"))
        for text in (b"# import nvidia.cublas", b"'import nvidia.cublas'", b"from . import cublas", b"import nvidia",
                     b"from .nvidia import cublas", b"import nvidia.cu13", b"import nvidia.cublas !",
                     b"import nvidiaxcublas"):
            self.assertEqual(preload.imported("a.py", text, TABLE), (), text)
        self.assertEqual(preload.imported("a.json", b"import nvidia.cublas", TABLE), ())

    def test_packages_that_a_call_imports(self):
        for text in (b"__import__('torch.utils.dlpack', fromlist=['x'])", b'm = importlib.import_module("torch")',
                     b"def f():\n    return import_module(\n        r'torch.cuda')", b'try: __import__ ("""torch""")',
                     b"import os\nx = [import_module('torch'), 1]"):
            self.assertEqual(preload.cuda_packages("a.py", text, ()), {"torch"}, text)
        for text in (b"__import__(name)", b"my_import_module('torch')", b"import_module('.torch', 'a')",
                     b"# __import__('torch')", b"'__import__(torch)'", b"__import__('torch", b"f('torch')",
                     b"import_module('torch utils')"):
            self.assertEqual(preload.cuda_packages("a.py", text, ()), set(), text)
        self.assertEqual(preload.in_text("a.txt", text, TABLE), ())

    def test_entries_are_taken_out(self):
        for indent, end in ((4, "\n"), (None, "")):
            text = json.dumps(self.LIST, indent=indent) + end
            rest = {"preload": self.LIST["preload"][1:], "other": self.LIST["other"]}
            self.assertEqual(preload.without(text.encode(), {"nvidia-cublas-cu12"}).decode(),
                             json.dumps(rest, indent=indent) + end)


if __name__ == "__main__":
    unittest.main()
