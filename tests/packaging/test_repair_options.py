# SPDX-License-Identifier: Apache-2.0
"""The options of `anycuda repair`, its report, and the files that it accepts as wheels."""

import json
import os
import shutil
import subprocess
import sys
import unittest
import zipfile
from pathlib import Path

from build_folder import with_real_libraries
from doctor_support import COMMAND
from test_repair import TAG, RepairCase, compiled
from wheel_support import STUBS, anycuda, needed, problems, repaired, unpack

from anycuda.repair import unique_notes
from anycuda.repair.stubs import load as load_stub
from anycuda.wheels import wheel_record

OPENS = 'const char* name = "libcublas.so";'  # which no drop-in serves
INFO = "thing-1.0.dist-info"


class Imports(unittest.TestCase):
    def test_other_commands_are_not_imported(self):
        """`anycuda repair -q` starts faster without them."""
        program = "import sys, anycuda.repair; print(*sorted(sys.modules), sep=chr(10))"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
        imported = done.stdout.splitlines()
        self.assertIn("anycuda.repair.plan", imported)
        self.assertEqual([name for name in imported if name.startswith(("anycuda.check", "anycuda.doctor"))
                          or name in ("anycuda.matrix.command", "anycuda.matrix.page")], [])


class OptionsCase(RepairCase):
    def run_repair(self, *arguments, status: int = 0) -> subprocess.CompletedProcess:
        done = anycuda("repair", "--force", "-w", self.top / "out", *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def folder(self) -> Path:
        """With a wheel to repair, one without CUDA, one that is refused, one that is cut off, and other files."""
        dist = self.top / "dist"
        dist.mkdir()
        for name, files in (("cuda", {"cuda/a.so": self.library()}), ("python", {"python/a.py": b"1"}),
                            ("stray", {"stray/a.so": self.library("")})):
            self.wheel(files, name=f"{name}-1.0-{TAG}.whl").rename(dist / f"{name}-1.0-{TAG}.whl")
        (dist / f"cut-1.0-{TAG}.whl").write_bytes(b"PK")
        (dist / "notes.txt").write_text("")
        (dist / "deeper").mkdir()
        shutil.copy(dist / f"cuda-1.0-{TAG}.whl", dist / "deeper")
        return dist


@with_real_libraries
class Reports(OptionsCase):
    def test_a_folder_and_its_summary(self):
        dist = self.folder()
        done = self.run_repair(dist, status=2)
        self.assertEqual(done.stdout.splitlines()[-1],
                         "4 wheels: 1 repaired, 1 with nothing to repair, 1 refused, 1 failed")
        self.assertEqual(sorted(path.name for path in (self.top / "out").iterdir()),
                         [f"{name}-1.0-{TAG}.whl" for name in ("cuda", "python")])
        self.assertIn("not a zip file", done.stderr)

    def test_quiet_tells_only_what_is_wrong(self):
        dist = self.folder()
        done = self.run_repair("-q", dist, status=2)
        self.assertEqual(done.stdout.splitlines()[0], f"stray-1.0-{TAG}.whl")
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()[1:]], ["refused", "nothing"])
        self.assertEqual(len(done.stderr.splitlines()), 1)
        done = self.run_repair("-q", dist / f"cuda-1.0-{TAG}.whl")
        self.assertEqual((done.stdout, done.stderr), ("", ""))

    def test_json(self):
        dist = self.folder()
        done = self.run_repair("--json", "--quiet-stubs", dist, status=2)
        report = json.loads(done.stdout)
        self.assertEqual((report["schema"], report["status"]), (1, 2))
        self.assertEqual(report["summary"], {"repaired": 1, "unchanged": 1, "refused": 1, "failed": 1})
        wheels = {Path(one["wheel"]).name.partition("-")[0]: one for one in report["wheels"]}
        self.assertEqual({name: one["status"] for name, one in wheels.items()},
                         {"cuda": "repaired", "cut": "failed", "python": "unchanged", "stray": "refused"})
        self.assertEqual(list(wheels), sorted(wheels))
        one = wheels["cuda"]
        (stub,) = one["added"]
        self.assertEqual((stub["library"], stub["quiet"]), ("cudart", True))
        (changed,) = one["changed"]
        self.assertEqual(changed["needed"], {"libcudart.so.12": Path(stub["file"]).name})
        self.assertEqual(changed["said"], changed["lines"])  # said: deprecated
        self.assertEqual(one["size"], Path(one["result"]).stat().st_size)
        self.assertIn("cuda-1.0.dist-info/sboms/anycuda.cdx.json", one["texts"])
        self.assertIn("--built-for", wheels["stray"]["reasons"][0])
        self.assertEqual((wheels["stray"]["result"], wheels["stray"]["changed"]), (None, []))

    def test_a_dry_run_in_json_names_no_result(self):
        path = self.wheel({"thing/a.so": self.library()})
        done = anycuda("repair", "--dry-run", "--json", path)
        (one,) = json.loads(done.stdout)["wheels"]
        self.assertEqual((one["status"], one["result"], len(one["changed"])), ("repaired", None, 1))

    def test_verbose_tells_what_stays(self):
        path = self.wheel({"thing/a.so": self.library(), "thing/b.so": compiled("int f;", self.top / "b.so")})
        self.assertIn("  kept      thing/b.so\n", self.run_repair("-v", path).stdout)
        self.assertNotIn("kept", self.run_repair(path).stdout)

    def test_notes_stand_once_for_copies(self):
        opens = compiled(OPENS, self.top / "opens.so")
        path = self.wheel({f"thing/{name}.so": opens for name in "abc"})
        output = self.run_repair(path).stdout
        self.assertEqual(output.count("opens libcublas.so:"), 1)
        self.assertIn("note      thing/a.so opens libcublas.so:", output)
        self.assertIn("(the same for its 2 copies)", output)
        self.assertEqual(self.run_repair("-v", path).stdout.count("opens libcublas.so:"), 3)

    def test_a_tag_without_glibc_is_noted_once(self):
        arguments = ["repair", "--dry-run"]
        for name, tag in (("a", "py3-none-any"), ("b", "py3-none-any"), ("c", TAG), ("pure", "py3-none-any")):
            files = {"pure/a.py": b"1"} if name == "pure" else {f"{name}/a.so": self.library()}
            arguments.append(str(self.wheel(files, name=f"{name}-1.0-{tag}.whl")))
        tags = [line.split()[3] for line in anycuda(*arguments).stdout.splitlines() if "names no glibc" in line]
        self.assertEqual(tags, ["any", "linux_x86_64"])
        self.assertEqual(anycuda(*arguments, "-v").stdout.count("names no glibc"), 3)
        self.assertNotIn("names no glibc", anycuda(*arguments, "--any-glibc").stdout)

        wheels = json.loads(anycuda(*arguments, "--json").stdout)["wheels"]
        newest = ".".join(map(str, load_stub("cudart", STUBS / "libcudart_stub.so").glibc))
        self.assertEqual([one["glibc"] for one in wheels],
                         [{"tag": None, "stubs": newest}] * 3 + [{"tag": None, "stubs": None}])
        self.assertEqual([sum("names no glibc" in note for note in one["notes"]) for one in wheels], [1, 1, 1, 0])

    def test_json_names_the_glibc_of_the_tag(self):
        path = self.wheel({"thing/a.so": self.library()}, name="thing-1.0-py3-none-manylinux_2_99_x86_64.whl")
        (one,) = json.loads(anycuda("repair", "--dry-run", "--json", path).stdout)["wheels"]
        self.assertEqual(one["glibc"]["tag"], "2.99")
        self.assertEqual([note for note in one["notes"] if "glibc" in note], [])


class Notes(unittest.TestCase):
    def test_of_copies_only(self):
        rows = {name: wheel_record.Row("sha256", digest, 1) for name, digest in (("a", "x"), ("b", "x"), ("c", "y"))}
        firsts = unique_notes.first_copies(rows)
        self.assertEqual(firsts, {"a": "a", "b": "a", "c": "c"})
        self.assertEqual(unique_notes.once(["a does", "c does", "b does", "b is", "the wheel"], firsts),
                         ["a does (the same for its copy b)", "c does", "b is", "the wheel"])
        self.assertEqual(unique_notes.once(["a does", "the tag"], firsts, {"the tag"}), ["a does"])


@with_real_libraries
class Results(OptionsCase):
    def test_the_level_of_compression(self):
        path = self.wheel({"thing/a.so": self.library() + bytes(1 << 20)})
        sizes = {}
        for level in (0, 1, 9):
            self.run_repair("-z", level, path)
            out = self.top / "out" / path.name
            self.assertEqual(problems(out), [])
            with zipfile.ZipFile(out) as wheel:
                sizes[level] = next(info.compress_size for info in wheel.infolist() if "libanycuda" in info.filename)
        self.assertTrue(sizes[9] < sizes[1] < sizes[0], sizes)

    def test_a_build_tag(self):
        for name in (f"thing-1.0-{TAG}.whl", f"thing-1.0-3-{TAG}.whl"):
            path = self.wheel({"thing/a.so": self.library()}, name=name)
            self.run_repair("--build-tag", "1cuda", path)
            out = self.top / "out" / f"thing-1.0-1cuda-{TAG}.whl"
            self.assertEqual(problems(out), [])
            with zipfile.ZipFile(out) as wheel:
                self.assertIn("Build: 1cuda\n", wheel.read(f"{INFO}/WHEEL").decode())
                document = json.loads(wheel.read(f"{INFO}/sboms/anycuda.cdx.json"))
            self.assertIn(out.name, document["metadata"]["component"]["purl"])
            self.assertEqual(list(self.top.glob("out/thing-1.0-[!1]*")), [])
        plain = self.wheel({"thing/a.py": b"1"})
        self.run_repair("--build-tag", "2", plain)
        self.assertEqual((self.top / "out" / plain.name).read_bytes(), plain.read_bytes())

    def test_a_build_tag_that_stands_in_wheel_is_replaced(self):
        path = self.wheel({"thing/a.so": self.library()})
        with zipfile.ZipFile(path) as old:
            files = {name: old.read(name) for name in old.namelist() if not name.endswith("RECORD")}
        files[f"{INFO}/WHEEL"] = b"Wheel-Version: 1.0\nBuild: 7\nTag: py3-none-any"
        with zipfile.ZipFile(path, "w") as new:
            rows = ""
            for name, content in files.items():
                total = wheel_record.Sum()
                total.add(content)
                rows += f"{name},sha256={total.row.digest},{len(content)}\n"
                new.writestr(name, content)
            new.writestr(f"{INFO}/RECORD", rows + f"{INFO}/RECORD,,\n")
        self.run_repair("--build-tag", "8", path)
        with zipfile.ZipFile(self.top / "out" / f"thing-1.0-8-{TAG}.whl") as wheel:
            self.assertEqual(wheel.read(f"{INFO}/WHEEL"), b"Wheel-Version: 1.0\nTag: py3-none-any\nBuild: 8\n")


@with_real_libraries
class Excluded(OptionsCase):
    def setUp(self) -> None:
        super().setUp()
        self.path = self.wheel({"thing/a.so": self.library(), "thing/old/b.so": self.library("11.8")})

    def test_libraries_by_name(self):
        done = self.run_repair("--exclude", "libcudart.so.11*", self.path)
        folder = unpack(self.top / "out" / self.path.name, self.top / "unpacked")
        self.assertIn("libcudart.so.11.0", needed(folder / "thing/old/b.so"))
        self.assertNotIn("libcudart.so.12", needed(folder / "thing/a.so"))
        self.assertIn("note      thing/old/b.so still needs libcudart.so.11.0 because of --exclude", done.stdout)

    def test_files_by_path(self):
        folder = unpack(repaired(self.path, self.top / "out", "--exclude", "thing/old/*"), self.top / "unpacked")
        with zipfile.ZipFile(self.path) as before:
            self.assertEqual((folder / "thing/old/b.so").read_bytes(), before.read("thing/old/b.so"))
        self.assertNotIn("libcudart.so.12", needed(folder / "thing/a.so"))

    def test_a_file_in_no_folder(self):
        path = self.wheel({"top.so": self.library(), "thing/a.so": self.library()})
        folder = unpack(repaired(path, self.top / "out", "--exclude", "./top.so"), self.top / "unpacked")
        self.assertIn("libcudart.so.12", needed(folder / "top.so"))
        self.assertNotIn("libcudart.so.12", needed(folder / "thing/a.so"))

    def test_all_of_it(self):
        self.run_repair("--exclude", "libcudart.so.*", self.path)
        self.assertEqual((self.top / "out" / self.path.name).read_bytes(), self.path.read_bytes())

    def test_names_that_are_opened(self):
        path = self.wheel({"thing/a.so": compiled(OPENS.replace(".so", ".so.12"), self.top / "a.so")})
        self.assertIn("a drop-in", self.run_repair(path).stdout)
        self.assertIn("gets no drop-in because of --exclude",
                      self.run_repair("--exclude", "libcublas.so.12", path).stdout)

    def test_functions_of_no_named_library(self):
        path = self.wheel({"thing/stray.so": self.library("")})
        self.assertIn("still needs libcudart because of --exclude",
                      self.run_repair("--exclude", "libcudart*", path).stdout)

    def test_library_without_a_stub_is_not_refused_then(self):
        fake = self.top / "libcupti.so.12"
        compiled("void cuptiSubscribe(void) {}", fake, "-Wl,-soname,libcupti.so.12")
        source = ("void cuptiSubscribe(void); int cudaRuntimeGetVersion(int*);\n"
                  "int f(int* p) { cuptiSubscribe(); return cudaRuntimeGetVersion(p); }")
        path = self.wheel({"thing/a.so": self.library("12.9", "-x", "none", fake, source=source)})
        self.assertIn("libcupti.so.12", self.run_repair(path, status=1).stdout)
        done = self.run_repair("--exclude", "libcupti*", path)
        self.assertIn("needs libcupti.so.12 (nvidia-cuda-cupti-cu12), for which anycuda has no stub", done.stdout)

    def test_a_glob_that_fits_nothing_is_reported(self):
        self.assertIn("--exclude libcudart.so.10* matches nothing",
                      self.run_repair("--exclude", "libcudart.so.10*", self.path).stdout)


class Wrong(OptionsCase):
    def test_options_print_the_usage_of_the_command(self):
        for arguments, expected in ((["repair", "--frobnicate", "x.whl"], "unrecognized arguments: --frobnicate"),
                                    (["repair", "-z", "10", "x.whl"], "invalid choice: 10"),
                                    (["repair", "-j", "0", "x.whl"], "'0' is not a number from 1 to 256"),
                                    (["repair", "-j", "9" * 5000, "x.whl"], "is not a number from 1 to 256"),
                                    (["repair", "--build-tag", "x", "x.whl"], "'x' is not a build tag"),
                                    (["repair", "--build-tag", "1", "--in-place", "x.whl"], "not allowed with"),
                                    (["repair", "-q", "-v", "x.whl"], "not allowed with"), (["repair"], "required"),
                                    (["check", "--frobnicate", "x"], "unrecognized arguments"),
                                    (["doctor", "--frobnicate"], "unrecognized arguments")):
            with self.subTest(arguments=[word[:20] for word in arguments]):
                done = anycuda(*arguments)
                self.assertEqual((done.returncode, done.stdout), (2, ""))
                self.assertTrue(done.stderr.startswith(f"usage: anycuda {arguments[0]} "), done.stderr[:100])
                self.assertIn(expected, done.stderr)

    def test_what_is_not_a_wheel(self):
        for name, expected in (("thing-1.0.tar.gz", "pip wheel"), ("thing_1.0_amd64.deb", "dpkg-deb -R"),
                               ("thing-1.0-0.conda", "cph extract"), ("thing-1.0-0.tar.bz2", "a conda package"),
                               ("thing.rpm", "an RPM package"), ("thing.zip", "pip wheel"),
                               ("thing.so", "anycuda patch"),
                               ("thing.whl", "is not named like a wheel"), ("README", "is not named like a wheel")):
            with self.subTest(name=name):
                path = self.top / name
                path.write_bytes(b"\x7fELF" if name == "thing.so" else b"x")
                self.assertIn(expected, self.refused(path, status=2))

    def test_folders_without_wheels_and_pipes(self):
        (self.top / "empty").mkdir()
        self.assertIn("has no wheels", self.run_repair(self.top / "empty", status=2).stderr)
        os.mkfifo(self.top / "pipe")
        os.mkfifo(self.top / f"pipe-1.0-{TAG}.whl")
        for name in ("pipe", f"pipe-1.0-{TAG}.whl"):
            self.run_repair(self.top / name, status=2)


@with_real_libraries
class Same(OptionsCase):
    def test_the_bytes_depend_on_the_wheel_only(self):
        """Not on threads, time, folder, umask, locale, the order of hashes, nor on how it is reported."""
        big = self.library(source="char big[3 << 20] = {1}; int cudaRuntimeGetVersion(int*);\n"
                                  "int f(void) { return cudaRuntimeGetVersion((int*)big); }")
        opens = compiled('const char* name = "libcublas.so.12";', self.top / "opens.so")
        path = self.wheel({"thing/big.so": big, "thing/a.so": self.library("11.8"), "thing/opens.so": opens,
                           f"{INFO}/LICENSE": b"theirs"}, metadata="License-File: LICENSE\nRequires-Dist: numpy\n")
        found = set()
        for number, (arguments, umask, variables) in enumerate((
                (("-j", "1"), 0o022, {"PYTHONHASHSEED": "0", "LC_ALL": "C", "TZ": "UTC"}),
                (("-j", "3", "-q"), 0o077, {"PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8", "TZ": "Asia/Tokyo"}),
                (("-j", "16", "--json"), 0o000, {"PYTHONHASHSEED": "2", "PYTHONUTF8": "1", "COLUMNS": "20"}))):
            place = self.top / f"place{number}"
            place.mkdir()
            given = Path(shutil.copy(path, place))
            os.utime(given, (number, number))
            command = [sys.executable, COMMAND, "repair", *arguments, given.name]
            subprocess.run(command, cwd=place, check=True, env={**os.environ, **variables}, stdout=subprocess.DEVNULL,
                           preexec_fn=lambda umask=umask: os.umask(umask) and None)
            found.add((place / "wheelhouse" / path.name).read_bytes())
        self.assertEqual(len(found), 1)
        self.assertEqual(problems(place / "wheelhouse" / path.name), [])


if __name__ == "__main__":
    unittest.main()
