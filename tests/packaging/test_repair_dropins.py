# SPDX-License-Identifier: Apache-2.0
"""`anycuda repair` and libraries that a wheel's files open by name: which names get a drop-in, and what the files find
then."""

import shutil
import unittest
from pathlib import Path

from build_folder import with_real_libraries
from analysis_support import table
from doctor_support import Machine, library_file, place
from test_repair import TAG, RepairCase, compiled
from wheel_support import STUBS, anycuda, needed, problems, repaired, unpack

from anycuda.analysis.file_use import FileUse, Provided, Provides, Use
from anycuda.analysis.libraries import Linking
from anycuda.elf import mark, read
from anycuda.repair import dropins, plan
from anycuda.repair.plan_part import PlanPart, join
from anycuda.repair.scan import Member, Scan
from anycuda.repair.stubs import Stub

LIBS = "thing.libs"
WAY = "$ORIGIN/../thing.libs"
# 100 * status + the major of the library that answered; -1: dlopen failed.
SOURCE = """
#include <dlfcn.h>
#define NAME "libnvjpeg.so.12"
int answer(void) {
    void* library = dlopen(NAME, RTLD_NOW);
    if (!library) return -1;
    int (*property)(int, int*) = (int (*)(int, int*))dlsym(library, "nvjpegGetProperty");
    int value = 0, status = property(0, &value);
    return 100 * status + value;
}
"""
# Files to load, in their order; those whose name begins with "call:" are asked.
CALL = """
import ctypes, re, sys
for name in sys.argv[1:]:
    library = ctypes.CDLL(name.removeprefix("call:"))
    if name.startswith("call:"):
        print(library.answer(), end=" ")
paths = sorted(set(re.findall(r"(/\\S*/libnvjpeg[.]so[.0-9]*)$", open("/proc/self/maps").read(), re.M)))
print(*sorted("dropin" if ".libs/" in path else path.rsplit("/", 1)[1] for path in paths))
"""
NO_LIBRARY = "600"  # NVJPEG_STATUS_EXECUTION_FAILED, and no value


@with_real_libraries
class Opened(RepairCase):
    def opener(self, *options, name="libnvjpeg.so.12") -> bytes:
        return compiled(SOURCE.replace("libnvjpeg.so.12", name), self.top / "made.so", "-ldl", *options)

    def answer(self, *files, releases=(), **variables: str) -> str:
        machine = Machine(self).env(LD_BIND_NOW="1", ANYCUDA_LOG="off", **variables)
        for release in releases:
            machine.wheel("nvjpeg", release)
        done = machine.run([machine.python, "-c", CALL, *files])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.strip()

    def real(self, release: str) -> Path:
        """NVIDIA's library in a separate folder."""
        path = library_file("nvjpeg", release)
        target = self.top / "real" / path.name
        if not target.exists():
            place(path, target)
        return target

    def test_name_of_one_cuda_is_served_on_each(self):
        path = self.wheel({"thing/a.so": self.opener()})
        native = unpack(path, self.top / "native") / "thing/a.so"
        folder = self.repair(path)
        self.assertEqual(problems(self.top / "out" / path.name), [])
        self.assertEqual([one.name for one in (folder / LIBS).iterdir()], ["libnvjpeg.so.12"])
        for releases, answer in (((), f"{NO_LIBRARY} dropin"), (("11.8",), "11 dropin libnvjpeg.so.11"),
                                 (("12.9",), "12 dropin libnvjpeg.so.12"), (("13.5",), "13 dropin libnvjpeg.so.13")):
            with self.subTest(releases=releases):
                self.assertEqual(self.answer(f"call:{native}", releases=releases), "-1")
                self.assertEqual(self.answer(f"call:{folder / 'thing/a.so'}", releases=releases), answer)

    def test_a_real_one_goes_before_it(self):
        folder, real = self.repair(self.wheel({"thing/a.so": self.opener()})), self.real("12.9")
        call = f"call:{folder / 'thing/a.so'}"
        for releases in ((), ("13.5",)):
            with self.subTest(releases=releases):
                self.assertEqual(self.answer(call, releases=releases, LD_LIBRARY_PATH=str(real.parent)),
                                 "12 libnvjpeg.so.12")
                self.assertEqual(self.answer(real, call, releases=releases), "12 libnvjpeg.so.12")

    def test_the_search_path_goes_on_leading_where_it_led(self):
        old, new = "-Wl,--disable-new-dtags", "-Wl,--enable-new-dtags"
        files = {"none": self.opener(), "rpath": self.opener(old, "-Wl,-rpath,/x"),
                 "runpath": self.opener(new, "-Wl,-rpath,/x"), "covers": self.opener(old, f"-Wl,-rpath,{WAY}")}
        path = self.wheel({f"thing/{name}.so": content for name, content in files.items()})
        done = anycuda("repair", "-w", self.top / "out", path)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        folder = unpack(self.top / "out" / path.name, self.top / "unpacked")
        found = {one.stem: (image.rpath, image.runpath) for one in (folder / "thing").iterdir()
                 for image in [read.read(one)]}
        self.assertEqual(found, {"none": (None, WAY), "rpath": (f"/x:{WAY}", None), "runpath": (None, f"/x:{WAY}"),
                                 "covers": (WAY, None)})
        self.assertEqual((folder / "thing/covers.so").read_bytes(), files["covers"])
        reported = [name for name in files if f"thing/{name}.so has a DT_RPATH" in done.stdout]
        self.assertEqual(reported, ["rpath", "covers"])
        # A DT_RPATH comes before LD_LIBRARY_PATH: the drop-in hands the calls to the library there.
        real = self.real("12.9")
        self.assertEqual(self.answer(f"call:{folder / 'thing/covers.so'}", LD_LIBRARY_PATH=str(real.parent)),
                         "12 dropin libnvjpeg.so.12")

    def test_a_name_that_it_needs_too(self):
        """Through the stub and through what it opens it gets one library."""
        source = f"{SOURCE} int nvjpegGetProperty(int, int*); int linked(int* v) {{ return nvjpegGetProperty(0, v); }}"
        content = compiled(source, self.top / "made.so", "-x", "none", library_file("nvjpeg", "12.9"), "-ldl")
        folder = self.repair(self.wheel({"thing/a.so": content}))
        names = needed(folder / "thing/a.so")
        self.assertNotIn("libnvjpeg.so.12", names)
        self.assertEqual(len([name for name in names if name.startswith("libanycuda_nvjpeg-")]), 1)
        self.assertEqual(read.read(folder / "thing/a.so").runpath, WAY)
        self.assertEqual(self.answer(f"call:{folder / 'thing/a.so'}", releases=("12.9", "13.5")),
                         "13 dropin libnvjpeg.so.13")

    def test_two_wheels_with_the_same_drop_in(self):
        """The first serves both, of another content or built for another major as it may be."""
        stubs = self.top / "stubs"
        (stubs / "dropin").mkdir(parents=True)
        for name in ("libnvjpeg.so.11", "libnvjpeg.so.12"):
            (stubs / "dropin" / name).write_bytes((STUBS / "dropin" / name).read_bytes() + b"\0")
        first = repaired(self.wheel({"thing/a.so": self.opener()}), self.top / "out")
        second = repaired(self.wheel({"other/b.so": self.opener(), "other/c.so": self.opener(name="libnvjpeg.so.11")},
                                     name=f"other-1.0-{TAG}.whl"), self.top / "out", "--stubs", stubs)
        for path in (first, second):
            unpack(path, self.top / "site")
        files = [f"call:{self.top / 'site' / name}" for name in ("thing/a.so", "other/b.so", "other/c.so")]
        self.assertEqual(self.answer(*files, releases=("13.5",)), "13 13 13 dropin dropin libnvjpeg.so.13")
        self.assertEqual(self.answer(*reversed(files)), f"{NO_LIBRARY} {NO_LIBRARY} {NO_LIBRARY} dropin dropin")

    def test_again_dry_and_without(self):
        path = self.wheel({"thing/a.so": self.opener()})
        done = anycuda("repair", "--dry-run", path)
        for text in (f"added     {LIBS}/libnvjpeg.so.12, a drop-in: thing/a.so opens that name", "--no-drop-ins"):
            self.assertIn(text, done.stdout)
        first = repaired(path, self.top / "out")
        self.assertEqual(repaired(path, self.top / "two").read_bytes(), first.read_bytes())
        done = anycuda("repair", "-w", self.top / "again", first)
        self.assertIn("thing/a.so already has the drop-in libnvjpeg.so.12", done.stdout)
        self.assertIn("nothing to repair; copied", done.stdout)
        self.assertEqual((self.top / "again" / path.name).read_bytes(), first.read_bytes())
        done = anycuda("repair", "--no-drop-ins", "-w", self.top / "without", path)
        self.assertIn("`anycuda run` serves it with a drop-in (--no-drop-ins)", done.stdout)
        self.assertEqual((self.top / "without" / path.name).read_bytes(), path.read_bytes())

    def test_drop_in_is_the_builds_and_quiet_on_request(self):
        path = self.wheel({"thing/a.so": self.opener()})
        built = STUBS / "dropin/libnvjpeg.so.12"
        folder = self.repair(path)
        self.assertEqual((folder / LIBS / built.name).read_bytes(), built.read_bytes())
        self.assertTrue((folder / LIBS / built.name).stat().st_mode & 0o400)
        shutil.rmtree(folder)
        self.assertTrue(mark.is_quiet(self.repair(path, "--quiet-stubs", "--force") / LIBS / built.name))

    def test_other_stubs_have_other_drop_ins(self):
        path, stubs = self.wheel({"thing/a.so": self.opener()}), self.top / "stubs"
        stubs.mkdir()
        self.assertIn("has no folder dropin", self.refused(path, "--stubs", stubs, status=2))
        (stubs / "dropin").mkdir()
        done = anycuda("repair", "-w", self.top / "out", "--stubs", stubs, path)
        self.assertIn("this anycuda has no such drop-in", done.stdout)
        shutil.copy(library_file("nvjpeg", "12.9"), stubs / "dropin/libnvjpeg.so.12")
        self.assertIn("not a drop-in of anycuda", self.refused(path, "--stubs", stubs, status=2))


class Decided(unittest.TestCase):
    """From facts about the files alone."""

    def opens(self, *names: str, by_path=(), name="thing/a.so", **options) -> Member:
        known = table()
        strings: dict[str, list[str]] = {}
        for one in names:
            strings.setdefault(known.of_string(one).name, []).append(one)
        uses = tuple(Use(library, None, Linking.LOADED, (), strings=tuple(ones),
                         by_path=tuple(set(ones) & set(by_path)))
                     for library, ones in strings.items())
        return self.member(name, *uses, **options)

    def member(self, name: str, *uses: Use, needed=(), provides=None, search_path=None, soname="",
               static=False, unstubbed=()) -> Member:
        return Member(name, "x86_64", soname, tuple(needed), search_path, (2, 5),
                      FileUse(Path("x"), uses, (), static, provides, soname=soname, unstubbed=unstubbed))

    def make(self, *members: Member, files=(), edits=None) -> PlanPart:
        scan = Scan(list(members), files=(*(one.name for one in members), *files))
        inside = frozenset(name.rpartition("/")[2] for name in scan.files)
        return dropins.make(scan, edits or {}, LIBS, None, table(), inside, self.find)

    @staticmethod
    def find(library: str, soname: str) -> Stub:
        return Stub(library, Path(f"/dropin/{soname}"), soname, "x86_64", (2, 17), frozenset())

    def test_names_of_one_cuda_get_one_each(self):
        made = self.make(self.opens("libcublas.so.11", "libcublas.so.12", "libnvrtc.so.12", "libcudart.so.11.0"),
                         self.opens("libcublas.so.12", name="b.so"))
        self.assertEqual(list(made.stubs), [f"{LIBS}/{name}" for name in (
            "libcublas.so.11", "libcublas.so.12", "libnvrtc.so.12", "libcudart.so.11.0")])
        self.assertEqual(made.users[f"{LIBS}/libcublas.so.12"], ["thing/a.so", "b.so"])
        self.assertEqual({name: (edit.path, edit.runpath, edit.needed) for name, edit in made.edits.items()},
                         {"thing/a.so": (WAY, True, {}), "b.so": ("$ORIGIN/thing.libs", True, {})})
        self.assertEqual((made.refusals, len(made.notes)), ([], 1))

    def test_other_names_get_none_and_the_report_says_why(self):
        for name, expected in (("libcudart.so", "has a number in its name"), ("libcudart.so.", "completes the name"),
                               ("libcudart.so.%d", "completes the name"),
                               ("libcublas.so.10", "no drop-in has this name"),
                               ("libnccl.so.2", "the same for every CUDA"), ("libcudnn.so.9", "the same for"),
                               ("libcurand.so.10", "the same for")):
            with self.subTest(name=name):
                made = self.make(self.opens(name))
                self.assertEqual((made.stubs, made.edits, len(made.notes)), ({}, {}, 1))
                self.assertIn(expected, made.notes[0])
        self.assertIn("part of a path", self.make(self.opens("libnvrtc.so.12", by_path=["libnvrtc.so.12"])).notes[0])
        self.assertEqual(self.make(self.opens("libcuda.so.1", "libnvidia-ml.so.1")), join(()))

    def test_a_library_without_a_stub_gets_none(self):
        made = self.make(self.member("thing/a.so", unstubbed=("libnppc.so.12", "libcusparseLt.so.0")))
        self.assertEqual(made, join(()))  # plan.py tells what ties a file

    def test_who_tries_several_runtimes_gets_none(self):
        """cudnn-frontend fails if it can open two."""
        for names in (("libcudart.so.12", "libcudart.so.13"), ("libnvrtc.so.12", "libnvrtc.so.13")):
            made = self.make(self.opens(*names))
            self.assertEqual((made.stubs, made.edits, len(made.notes)), ({}, {}, 2))
            self.assertIn("tries several majors", made.notes[0])

    def test_what_the_wheel_brings_or_needs_stays(self):
        made = self.make(self.opens("libcublas.so.12"), files=["thing/lib/libcublas.so.12"])
        self.assertEqual(made.stubs, {})
        self.assertIn("the wheel brings a file of that name", made.notes[0])
        made = self.make(self.opens("libcublas.so.12"), self.member("thing/b.so", needed=["libcublas.so.12"]))
        self.assertEqual(made.stubs, {})
        self.assertIn("thing/b.so must find NVIDIA's library under that name", made.notes[0])

    def test_cudas_libraries_get_no_drop_in(self):
        """And what one in the wheel opens is not put in its way."""
        original = self.opens("libcublasLt.so.12", name="thing/libcublas.so.12", soname="libcublas.so.12",
                              provides=Provides("cublas", Provided.ORIGINAL, "12"))
        part = self.opens("libcublasLt.so.12", name="thing/libcudnn_ops.so.9", soname="libcudnn_ops.so.9")
        for one in (original, part):
            self.assertEqual(self.make(one), join(()))
            made = self.make(one, self.opens("libcublasLt.so.12"))
            self.assertEqual(made.stubs, {})
            self.assertIn(f"{one.name} must find NVIDIA's library", made.notes[0])
        product = self.opens("libnvjpeg.so.12", soname="libnvimgcodec.so.0")
        self.assertEqual(list(self.make(product).stubs), [f"{LIBS}/libnvjpeg.so.12"])

    def test_static_runtime_gets_no_drop_in(self):
        self.assertEqual(self.make(self.opens("libcudart.so.12", static=True)), join(()))
        self.assertEqual(len(self.make(self.opens("libcublas.so.12", static=True)).stubs), 1)

    def test_a_search_path_that_leads_there_stays(self):
        made = self.make(self.opens("libcublas.so.12", search_path=f"/x:{WAY}"))
        self.assertEqual((list(made.stubs), made.edits), ([f"{LIBS}/libcublas.so.12"], {}))

    def test_programs_outside_of_site_packages_get_none(self):
        made = self.make(self.opens("libcublas.so.12", name="thing-1.0.data/scripts/tool"))
        self.assertEqual((made.stubs, made.edits, made.refusals), ({}, {}, []))
        self.assertIn("it is installed as scripts", made.notes[0])
        made = self.make(self.opens("libcublas.so.12", name="thing-1.0.data/platlib/a.so"))
        self.assertEqual(list(made.stubs), ["thing-1.0.data/platlib/thing.libs/libcublas.so.12"])

    def test_another_cpu_and_a_newer_glibc_than_promised_are_refused(self):
        scan = Scan([self.opens("libcublas.so.12")], files=("thing/a.so",))
        for machine, glibc, expected in (("aarch64", (2, 17), "thing/a.so is for x86_64, /x for aarch64: give stubs"),
                                         ("x86_64", (2, 36), "the wheel's tag claims glibc 2.17"),
                                         ("x86_64", (2, 17), "")):
            made = plan.make(scan, "thing", plan.Options(glibc=(2, 17)), table(), self.find,
                             lambda library, file: Stub(library, Path("/x"), file, machine, glibc, frozenset()))
            refusals = [refusal[:len(expected)] for refusal in made.refusals]
            self.assertEqual(refusals, [expected] if expected else [], made.refusals)

    def test_names_in_python_are_reported(self):
        scan = Scan([], texts={"thing/__init__.py": ("libcublas.so.12",)}, files=("thing/__init__.py",))
        made = plan.make(scan, "thing", plan.Options(), table(), self.find, self.find)
        self.assertEqual(made.stubs, {})
        self.assertIn("thing/__init__.py names libcublas.so.12", made.notes[0])
        self.assertIn("`anycuda run` serves names with a number", made.notes[0])


if __name__ == "__main__":
    unittest.main()
