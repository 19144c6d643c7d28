# SPDX-License-Identifier: Apache-2.0
"""The decisions of `anycuda repair`, only from facts about a wheel's files."""

import unittest
from pathlib import Path

import wheel_support  # noqa: F401  (puts the package on the path)

from anycuda.analysis.file_use import FileUse, Provided, Provides, Reference, Use
from anycuda.analysis.libraries import NATIVE, Library, Linking, Major, Table
from anycuda.failure import Failure
from anycuda.repair import places, plan, requirements
from anycuda.repair.files import FileEdit
from anycuda.repair.glibc import note
from anycuda.repair.scan import Member, Scan
from anycuda.repair.stubs import Stub
from anycuda.repair.texts import remaining_of

INFO = "thing-1.0.dist-info"
LIBS = "thing.libs"
CUDART = Library("cudart", "CUDA runtime", "libcudart_stub.so", False, "libcudart.so",
                 {"11": Major("11", "libcudart.so.11.0", "libcudart.so.11.0"),
                  "12": Major("12", "libcudart.so.12", "libcudart.so.12")},
                 {"cudaMalloc": ("11", "12"), "cudaNew": ("12",), "cudaFree": ("11", "12")})
NVRTC = Library("nvrtc", "NVRTC", "libnvrtc_stub.so", False, "libnvrtc.so",
                {"12": Major("12", "libnvrtc.so.12", "libnvrtc.so.12")}, {"nvrtcVersion": ("12",)})
CUDA = Library("cuda", "driver", "libcuda_stub.so", True, "libcuda.so", {"1": Major("1", "libcuda.so.1", None)},
               {"cuInit": ("1",)})
TABLE = Table({one.name: one for one in (CUDART, NVRTC, CUDA)},
              {"cublas": ("libcublas.so.12", "libcublas.so.11"), "nvml": ("libnvidia-ml.so.1",),
               "nvrtc-builtins": ("libnvrtc-builtins.so.12.0",)})
EXPORTS = {"cudart": {(name, major.symbol_version) for name in CUDART.symbols for major in CUDART.majors.values()},
           "nvrtc": {("nvrtcVersion", "libnvrtc.so.12")}, "cuda": {("cuInit", NATIVE)}}


def stub_of(library: str, machine: str = "x86_64", glibc=(2, 17)) -> Stub:
    return Stub(library, Path(f"/lib/lib{library}_stub.so"), f"libanycuda_{library}-0.so", machine, glibc,
                frozenset(EXPORTS[library]))


def use(needed="libcudart.so.12", how="named", majors=("12",), names=("cudaMalloc",), bare=False, library="cudart",
        weak=False) -> Use:
    major = "" if bare or library == "cuda" else (majors or ("",))[0]
    return Use(library, needed, Linking(how), majors, tuple(Reference(name, major, weak) for name in names))


def member(name="thing/a.so", *uses: Use, needed=(), search_path=None, other=(), static=False, provides=None,
           machine="x86_64", glibc=(2, 5), soname="", native=(), opens=(), unstubbed=()) -> Member:
    names = [one.needed for one in uses if one.needed] + list(needed) + list(other)
    return Member(name, machine, soname, tuple(names), search_path, glibc,
                  FileUse(Path("x"), tuple(uses), tuple(other), static, provides, soname=soname, needed=tuple(names),
                          unstubbed=unstubbed), frozenset(native), opens)


COPY = Provides("cudart", Provided.RENAMED, "12")


def make(*members: Member, options=plan.Options(), stubs=stub_of, texts=None, files=(), unread=None) -> plan.Plan:
    scan = Scan(list(members), unread or {}, texts or {}, {},
                tuple([one.name for one in members] + [f"{INFO}/RECORD", *files]))
    return plan.make(scan, "thing", options, TABLE, stubs)


class Places(unittest.TestCase):
    def test_of_files(self):
        for name, root, folder, outside in (
            ("a.so", "", "", False), ("thing/sub/a.so", "", "thing/sub", False),
            ("thing-1.0.data/platlib/thing/a.so", "thing-1.0.data/platlib/", "thing", False),
            ("Thing-1.0.data/purelib/a.so", "Thing-1.0.data/purelib/", "", False),  # pip takes it for data, too
            ("thing-1.0.data/scripts/tool", "thing-1.0.data/scripts/", "", True),
            ("thing-1.0.data/data/lib/a.so", "thing-1.0.data/data/", "", True),
        ):
            with self.subTest(name=name):
                place = places.place_of(name)
                self.assertEqual((place.root, place.folder, bool(place.why_not)), (root, folder, outside))

    def test_the_way_to_the_stubs(self):
        for folder, way in (("", "$ORIGIN/thing.libs"), ("thing", "$ORIGIN/../thing.libs"),
                            ("thing/sub", "$ORIGIN/../../thing.libs"), (LIBS, "$ORIGIN")):
            with self.subTest(folder=folder):
                place = places.Place("", folder)
                self.assertEqual(places.origin_to(place, LIBS), way)
                self.assertTrue(places.covers(f"/usr/lib:{way}", place, LIBS))

    def test_which_search_paths_lead_there(self):
        place = places.Place("", "thing/sub")
        for path, wanted in ((None, False), ("", False), ("$ORIGIN", False), ("$ORIGIN/../../thing.libs/", True),
                             ("${ORIGIN}/../../thing.libs", True), ("$ORIGIN/./../x/../../thing.libs", True),
                             ("/opt/thing.libs", False), ("$ORIGIN/../../../thing.libs", False),
                             ("$ORIGINAL/../../thing.libs", False), ("thing.libs", False)):
            with self.subTest(path=path):
                self.assertEqual(places.covers(path, place, LIBS), wanted)


class Replaced(unittest.TestCase):
    def test_a_named_runtime(self):
        made = make(member("thing/a.so", use()))
        (edit,) = made.edits
        self.assertEqual((edit.needed, edit.add_needed, edit.versions, edit.path),
                         ({"libcudart.so.12": "libanycuda_cudart-0.so"}, (), {}, "$ORIGIN/../thing.libs"))
        self.assertEqual((list(made.stubs), made.refusals, made.left_out, made.notes),
                         (["thing.libs/libanycuda_cudart-0.so"], [], {}, []))

    def test_files_of_different_majors_share_one_stub(self):
        made = make(member("thing/a11.so", use("libcudart.so.11.0", majors=("11",))), member("thing/a12.so", use()))
        self.assertEqual([list(edit.needed) for edit in made.edits], [["libcudart.so.11.0"], ["libcudart.so.12"]])
        self.assertEqual((len(made.stubs), made.refusals), (1, []))

    def test_a_search_path_that_leads_to_the_stubs_stays(self):
        made = make(member("thing/a.so", use(), search_path="$ORIGIN/../thing.libs"))
        self.assertEqual(made.edits[0].path, "")

    def test_files_below_platlib_have_their_stubs_there(self):
        made = make(member("thing-1.0.data/platlib/thing/a.so", use()))
        self.assertEqual(list(made.stubs), ["thing-1.0.data/platlib/thing.libs/libanycuda_cudart-0.so"])

    def test_the_driver_needs_no_major(self):
        made = make(member("thing/a.so", use("libcuda.so.1", majors=(), names=("cuInit",), library="cuda")),
                    member("thing/b.so", use(None, "unnamed", (), ("cuInit",), library="cuda")))
        self.assertEqual([(edit.needed, edit.add_needed, edit.versions) for edit in made.edits],
                         [({"libcuda.so.1": "libanycuda_cuda-0.so"}, (), {}), ({}, ("libanycuda_cuda-0.so",), {})])

    def test_cudas_libraries_do_not_count_as_users(self):
        made = make(member("thing/libcudart.so.12", use("libcuda.so.1", majors=(), names=("cuInit",), library="cuda"),
                           provides=Provides("cudart", Provided.ORIGINAL, "12")))
        self.assertEqual((made.edits, made.left_out), ([], {}))

    def test_what_stands_before_a_runtime_is_a_user(self):
        made = make(member("thing/hook.so", use(), provides=Provides("cudart", Provided.SOME, "")))
        self.assertEqual(len(made.edits), 1)


class WithoutNames(unittest.TestCase):
    """Functions that are used although no library of them is named."""

    def of(self, *others: Member, names=("cudaMalloc", "cudaFree"), majors=(), built_for="", weak=False):
        stray = member("thing/stray.so", use(None, "unnamed", majors, names, bare=True, weak=weak))
        made = make(stray, *others, options=plan.Options(built_for))
        return made, made.edits[0] if made.edits else None

    def test_get_the_major_that_is_given(self):
        made, edit = self.of(built_for="11")
        self.assertEqual(edit.add_needed, ("libanycuda_cudart-0.so",))
        self.assertEqual(edit.versions, dict.fromkeys(("cudaMalloc", "cudaFree"),
                                                      ("libanycuda_cudart-0.so", "libcudart.so.11.0")))
        self.assertEqual(made.refusals, [])

    def test_get_the_major_of_the_other_files(self):
        made, edit = self.of(member("thing/a.so", use()))
        self.assertEqual(edit.versions["cudaMalloc"], ("libanycuda_cudart-0.so", "libcudart.so.12"))
        self.assertIn("the wheel's other files", edit.lines[0])

    def test_get_the_only_major_that_has_them(self):
        made, edit = self.of(names=("cudaNew",), majors=("12",))
        self.assertEqual(edit.versions, {"cudaNew": ("libanycuda_cudart-0.so", "libcudart.so.12")})

    def test_are_refused_where_nothing_tells(self):
        for others in ((), (member("a.so", use()), member("b.so", use("libcudart.so.11.0", majors=("11",))))):
            with self.subTest(others=len(others)):
                made, _ = self.of(*others)
                self.assertIn("2 functions of libcudart (cudaMalloc, cudaFree)", made.refusals[0])
                self.assertIn("--built-for", made.refusals[0])

    def test_are_refused_where_the_major_lacks_one(self):
        EXPORTS["cudart"].discard(("cudaNew", "libcudart.so.11.0"))
        self.addCleanup(EXPORTS["cudart"].add, ("cudaNew", "libcudart.so.11.0"))
        made, _ = self.of(names=("cudaNew",), built_for="11")
        self.assertIn("cudaNew of CUDA 11, unknown to this version of anycuda", made.refusals[0])

    def test_that_a_file_can_do_without_stay_so(self):
        made, edit = self.of(weak=True)
        self.assertIsNone(edit)
        self.assertIn("only if it is already loaded", made.notes[0])


class Refused(unittest.TestCase):
    def refusal(self, *members, **options) -> str:
        made = make(*members, **options)
        self.assertEqual(len(made.refusals), 1, made.refusals)
        return made.refusals[0]

    def test_stubs_for_another_cpu(self):
        self.assertIn("--stubs", self.refusal(member("a.so", use(), machine="aarch64")))

    def test_what_needs_a_newer_glibc_than_the_wheel_promises(self):
        def new(library):
            return stub_of(library, glibc=(2, 34))

        old = plan.Options(glibc=(2, 28))
        self.assertIn("the wheel's tag claims glibc 2.28", self.refusal(member("a.so", use()), options=old, stubs=new))
        for options, glibc in ((plan.Options(glibc=(2, 34)), (2, 5)), (plan.Options(), (2, 5)), (old, (2, 35))):
            with self.subTest(options=options):
                self.assertEqual(make(member("a.so", use(), glibc=glibc), options=options, stubs=new).refusals, [])
        driver = member("b.so", use("libcuda.so.1", majors=(), names=("cuInit",), library="cuda"))
        both = self.refusal(member("a.so", use()), driver, options=old, stubs=new)  # once, for all stubs and files
        for expected in ("but the stubs need glibc 2.34. Install anycuda again", "--any-glibc",
                         "In /lib: glibc 2.34 for libcuda_stub.so, libcudart_stub.so"):
            self.assertIn(expected, both)
        manylinux1 = plan.Options(glibc=(2, 5))
        self.assertEqual(make(member("a.so", use()), options=manylinux1).refusals, [])

    def test_note_on_a_tag_without_glibc(self):
        cudart, nvrtc = stub_of("cudart", glibc=(2, 9)), stub_of("nvrtc", glibc=(2, 17))
        self.assertEqual(note("any", []), [])
        self.assertEqual(note("any", [cudart, nvrtc]),
                         ["the tag any names no glibc; the added stubs need glibc 2.17"])
        (text,) = note("linux_x86_64", [cudart, stub_of("nvrtc", glibc=(2, 34))])
        for expected in ("the tag linux_x86_64 names no glibc; the added stubs need glibc 2.34",
                         "If you publish the wheel, first install anycuda again", "need only glibc 2.17"):
            self.assertIn(expected, text)

    def test_a_function_that_no_stub_has(self):
        self.assertIn("cudaFuture of CUDA 12", self.refusal(member("a.so", use(names=("cudaFuture",)))))
        self.assertEqual(make(member("a.so", use(names=("cudaFuture",), weak=True))).refusals, [])

    def test_files_outside_of_site_packages(self):
        self.assertIn("installed as scripts", self.refusal(member("thing-1.0.data/scripts/tool", use())))

    def test_name_of_every_cuda_is_a_note_only(self):
        for name in ("libnvidia-ml.so.1", "libnvinfer.so.10"):
            made = make(member("thing/a.so", use(), other=(name,)))
            self.assertEqual(made.refusals, [])
            self.assertIn(f"thing/a.so needs {name}, for which anycuda has no stub: it loads only where it is "
                          "installed",
                          made.notes)

    def test_tie_of_a_file_that_is_not_edited(self):
        """As `anycuda check` says: what stays tied is not repaired, whichever file ties it."""
        alone = self.refusal(member("thing/a.so", other=("libcublas.so.12",)))
        self.assertIn("thing/a.so needs libcublas.so.12", alone)
        self.assertIn("b.so needs libcublas.so.12", self.refusal(member("a.so", use()),
                                                                 member("b.so", other=("libcublas.so.12",))))
        self.assertIn("thing/a.so opens libcublas.so.12", self.refusal(
            member("thing/a.so", use(), unstubbed=("libcublas.so.12", "libnvidia-ml.so.1"))))
        tries = member("a.so", unstubbed=("libcublas.so.12", "libcublas.so.11"))
        self.assertEqual(make(tries).refusals, [])

    def test_tie_of_a_copy_that_goes_with_the_repair(self):
        copy = member("thing.libs/libcudart-0123abcd.so.12.0.107", other=("libcublas.so.12",), provides=COPY,
                      soname="libcudart-0123abcd.so.12.0.107")
        self.assertEqual(make(member("a.so", use(copy.soname, "renamed")), copy).refusals, [])
        self.assertEqual(make(copy).refusals, [])  # CUDA itself
        self.assertIn("needs libcublas.so.12", self.refusal(member("a.so", use()), copy))

    def test_other_libraries_of_cuda_unless_that_is_wanted(self):
        blas = member("a.so", use(), other=("libcublas.so.12",))
        self.assertIn("needs libcublas.so.12, for which anycuda has no stub", self.refusal(blas))
        made = make(blas, options=plan.Options(partly=True))
        self.assertEqual((made.refusals, len(made.edits)), ([], 1))
        self.assertEqual(made.notes, ["a.so needs libcublas.so.12, for which anycuda has no stub: where this library "
                                      "is not installed, the file does not load"])
        several = member("a.so", use(), other=("libcublas.so.11", "libcublas.so.12"))
        self.assertTrue(self.refusal(several).endswith(
            "where these libraries are not installed, the file does not load. --partly repairs everything else, for "
            "machines that have them (docs/troubleshooting.md, \"tied to CUDA 12 by ...\")"))
        (text,) = make(blas, *(member(f"{name}.so", other=("libcublas.so.12",)) for name in "bcd")).refusals
        self.assertIn("a.so, b.so, c.so and 1 more need libcublas.so.12, for which anycuda has no stub: where this "
                      "library is not installed, the files do not load. ", text)

    def test_bundled_or_major_free_library_is_not_refused(self):
        for other, files, notes in (("libcublas-0123abcd.so.12", ("thing.libs/libcublas-0123abcd.so.12",), 0),
                                    ("libnvidia-ml.so.1", (), 1)):
            with self.subTest(other=other):
                made = make(member("a.so", use(), other=(other,)), files=files)
                self.assertEqual((made.refusals, len(made.notes)), ([], notes))

    def test_a_stub_of_that_name_that_is_another(self):
        refusal = self.refusal(member("a.so", use()), files=("thing.libs/libanycuda_cudart-0.so",))
        self.assertIn("the wheel already has a different file", refusal)


class Bundled(unittest.TestCase):
    USER = member("thing/a.so", use("libcudart-0123abcd.so.12.0.107", "renamed"))
    OWN = member("thing.libs/libcudart-0123abcd.so.12.0.107", provides=COPY, soname="libcudart-0123abcd.so.12.0.107")

    def test_copy_no_longer_needed_is_removed(self):
        self.assertEqual(make(self.USER, self.OWN).left_out,
                         {self.OWN.name: "an unneeded copy of NVIDIA's library"})

    def test_by_its_soname_too(self):
        own = member("thing/lib/runtime.so", provides=COPY, soname="libcudart.so.12")
        self.assertEqual(list(make(member("thing/a.so", use()), own).left_out), [own.name])

    def test_never_needed_copy_stays(self):
        made = make(member("thing/a.so", use("libcuda.so.1", majors=(), names=("cuInit",), library="cuda")), self.OWN)
        self.assertEqual(made.left_out, {})

    def test_a_copy_that_another_file_needs_stays(self):
        blas = member("thing/blas.so", needed=(self.OWN.soname,), provides=Provides("cudart", Provided.PEER, ""))
        made = make(self.USER, self.OWN, blas)
        self.assertEqual(made.left_out, {})
        self.assertIn("other files need it", made.notes[0])

    def test_a_copy_that_a_program_text_names_stays(self):
        texts = {"thing/__init__.py": (self.OWN.file,)}
        made = make(self.USER, self.OWN, texts=texts)
        self.assertEqual(made.left_out, {})
        self.assertTrue(any("thing/__init__.py names it" in note for note in made.notes))

    def test_a_copy_that_is_opened_by_name_stays(self):
        own = member("thing/libcudart.so.12", provides=COPY, soname="libcudart.so.12")
        opens = member("thing/b.so", Use("cudart", None, Linking.LOADED, ("12",), strings=("libcudart.so.12",)))
        made = make(member("thing/a.so", use()), own, opens)
        self.assertEqual(made.left_out, {})
        self.assertTrue(any("opens libcudart.so.12: " in note for note in made.notes))

    def test_a_copy_with_a_static_runtime_stays(self):
        own = member(self.OWN.name, provides=COPY, soname=self.OWN.soname, static=True)
        made = make(self.USER, own)
        self.assertEqual((made.edits, made.left_out), ([], {}))
        self.assertIn(f"thing/a.so still needs {own.soname}: this copy of NVIDIA's library stays, since it runs "
                      "without an installed CUDA (it contains a static CUDA runtime)", made.notes)

    def test_nvrtc_takes_its_builtins_along(self):
        builtins = member("thing.libs/libnvrtc-builtins-89.so.12.0", soname="libnvrtc-builtins-89.so.12.0")
        own = member("thing.libs/libnvrtc-0123abcd.so.12", soname="libnvrtc-0123abcd.so.12",
                     provides=Provides("nvrtc", Provided.RENAMED, "12"))
        user = member("thing/a.so", use("libnvrtc-0123abcd.so.12", "renamed", names=("nvrtcVersion",), library="nvrtc"),
                      needed=(builtins.soname,))
        made = make(user, own, builtins)
        self.assertEqual(set(made.left_out), {builtins.name, own.name})
        self.assertEqual(set(made.edits[0].needed.values()), {"libanycuda_nvrtc-0.so"})
        self.assertEqual(made.refusals, [])


class LinkedToTheStub(unittest.TestCase):
    """As CMake links with find_package(anycuda): the stub is needed by the name that all have in common."""

    NAME, OWN_NAME = "libcudart_stub.so", "libcudart_stub-0123abcd.so"  # of an older release, in a wheel
    STUB = Provides("cudart", Provided.STUB, "")

    def user(self, needed=NAME, bare=False, **options) -> Member:
        return member("thing/a.so", use(needed, "stub", () if bare else ("12",), bare=bare), **options)

    def common(self, what="stub") -> Member:
        return member(f"{LIBS}/{self.NAME}", soname=self.NAME, provides=Provides("cudart", Provided(what), ""))

    def own(self) -> Member:
        return member(f"{LIBS}/{self.OWN_NAME}", soname=self.OWN_NAME, provides=self.STUB)

    def test_stub_gets_a_unique_name(self):
        made = make(self.user())
        (edit,) = made.edits
        self.assertEqual((edit.needed, edit.add_needed, edit.versions, edit.path),
                         ({self.NAME: "libanycuda_cudart-0.so"}, (), {}, "$ORIGIN/../thing.libs"))
        self.assertIn("built for CUDA 12", edit.lines[0])
        self.assertEqual((list(made.stubs), made.refusals, made.notes), (["thing.libs/libanycuda_cudart-0.so"], [], []))

    def test_the_version_of_the_stub_itself_stays(self):
        EXPORTS["cudart"].add(("cudaMalloc", NATIVE))
        self.addCleanup(EXPORTS["cudart"].discard, ("cudaMalloc", NATIVE))
        made = make(self.user(bare=True, native=[self.NAME]))
        self.assertEqual((made.edits[0].versions, made.refusals), ({}, []))

    def test_without_any_version_the_major_must_be_known(self):
        self.assertIn("--built-for", make(self.user(bare=True)).refusals[0])
        made = make(self.user(bare=True), options=plan.Options("12"))
        self.assertEqual((made.edits[0].versions, made.refusals),
                         ({"cudaMalloc": ("libanycuda_cudart-0.so", "libcudart.so.12")}, []))

    def test_it_tells_the_major_of_other_files(self):
        made = make(self.user(), member("thing/b.so", use(None, "unnamed", (), bare=True)))
        self.assertEqual((made.edits[1].versions, made.refusals),
                         ({"cudaMalloc": ("libanycuda_cudart-0.so", "libcudart.so.12")}, []))

    def test_a_bundled_one_goes(self):
        made = make(self.user(), self.common())
        self.assertEqual((len(made.edits), list(made.left_out), made.refusals), (1, [self.common().name], []))
        self.assertIn("an unneeded stub", made.left_out[self.common().name])

    def test_a_bundled_one_that_others_refer_to_stays(self):
        text = {"thing/__init__.py": (self.NAME,)}
        for others, texts in (([member("thing/b.so", opens=(self.NAME,))], None), ([], text)):
            with self.subTest(texts=texts):
                made = make(self.user(), self.common(), *others, texts=texts)
                self.assertEqual((len(made.edits), made.left_out, made.refusals), (1, {}, []))
                self.assertIn(f"{self.common().name} stays in the wheel", made.notes[0])
                self.assertEqual([note for note in made.notes if "NVIDIA" in note], [])

    def test_unneeded_bundled_library_stays(self):
        self.assertEqual(make(member("thing/b.so", use()), self.common()).left_out, {})

    def test_another_projects_file_of_that_name_stays(self):
        made = make(self.user(bare=True), self.common("peer"))
        self.assertEqual((made.edits, made.left_out, made.refusals), ([], {}, []))
        self.assertIn("a stub of another project: it stays", made.notes[0])

    def test_stub_already_needed_must_be_in_the_wheel(self):
        made = make(self.user(self.OWN_NAME), self.own())
        self.assertEqual((made.edits, made.left_out, made.refusals), ([], {}, []))
        self.assertIn(f"already has {self.OWN_NAME}", made.notes[0])
        (refusal,) = make(self.user(self.OWN_NAME)).refusals
        self.assertIn(f"thing/a.so does not load: it needs {self.OWN_NAME}, which was removed", refusal)

    def test_one_that_is_there_already_serves_the_other_files_too(self):
        stub = member(f"{LIBS}/libanycuda_cudart-0.so", soname="libanycuda_cudart-0.so", provides=self.STUB)
        made = make(self.user(), stub)
        self.assertEqual((len(made.edits), made.stubs, made.refusals), (1, {}, []))
        other = member(stub.name, soname=stub.soname, provides=Provides("cudart", Provided.PEER, ""))
        self.assertIn("the wheel already has a different file", make(self.user(), other).refusals[0])


class Said(unittest.TestCase):
    def test_what_no_repair_reaches(self):
        made = make(member("thing/a.so", static=True), unread={"thing/a.cubin": "for machine 190"},
                    texts={"thing/x.py": ("libcudart.so.12",)})
        self.assertEqual(made.edits, [])
        self.assertIn("a CUDA runtime linked in statically", made.notes[0])
        self.assertIn("thing/a.cubin stays unchanged: for machine 190", made.notes[1])

    def test_what_is_repaired_already(self):
        made = make(member("thing/a.so", use("libanycuda_cudart-0.so", "stub")),
                    files=("thing.libs/libanycuda_cudart-0.so",))
        self.assertEqual((made.edits, made.refusals), ([], []))
        self.assertIn("already has libanycuda_cudart-0.so", made.notes[0])


class Remaining(unittest.TestCase):
    """What the repaired wheel needs, by which requirements stay."""

    def left(self, *members: Member, left_out=(), replaced=()) -> tuple[list[str], bool]:
        scan = Scan(list(members), {}, {}, {}, tuple(one.name for one in members))
        edits = [FileEdit(name, dict.fromkeys(names, "x.so"), (), (), {}, "", (), (), ()) for name, names in replaced]
        found = remaining_of(scan, plan.Plan(edits, left_out=dict.fromkeys(left_out, "")))
        return [need.name for need in found.needs], found.stubs

    def test_a_name_that_a_stub_replaces_is_needed_no_more(self):
        one = member("thing/a.so", needed=("libcudart.so.12", "libcublas.so.12"))
        self.assertEqual(self.left(one), (["libcudart.so.12", "libcublas.so.12"], False))
        self.assertEqual(self.left(one, replaced=[("thing/a.so", ["libcudart.so.12"])]), (["libcublas.so.12"], True))

    def test_left_out_file_neither_needs_nor_provides(self):
        one, copy = member("thing/a.so", needed=("x.so",)), member("thing/x.so", needed=("libcublas.so.12",))
        self.assertEqual(self.left(one, copy)[0], ["libcublas.so.12"])
        self.assertEqual(self.left(one, copy, left_out=["thing/x.so"])[0], ["x.so"])

    def test_what_is_in_the_wheel_is_found_by_its_soname(self):
        one, copy = member("thing/a.so", needed=("x.so.1",)), member("thing/x.so", soname="x.so.1")
        self.assertEqual(self.left(one, copy)[0], [])
        self.assertEqual(self.left(one, copy, left_out=["thing/x.so"])[0], ["x.so.1"])


class Requirements(unittest.TestCase):
    TEXT = (b"Metadata-Version: 2.1\nRequires-Dist: nvidia-cuda-runtime-cu12 (>=12)\n"
            b"Requires-Dist: numpy; extra == 'x'\n\nRequires-Dist: nvidia-cuda-runtime-cu12 is only text here\n")

    def test_are_dropped_by_any_spelling(self):
        self.assertEqual(requirements.drop(self.TEXT, ["Nvidia_CUDA.runtime-cu12"]),
                         self.TEXT.replace(b"Requires-Dist: nvidia-cuda-runtime-cu12 (>=12)\n", b"", 1))

    def test_that_are_not_there_are_an_error(self):
        with self.assertRaisesRegex(Failure, "does not require this project, only nvidia-cuda-runtime-cu12, numpy"):
            requirements.drop(self.TEXT, ["numpie"])


if __name__ == "__main__":
    unittest.main()
