# SPDX-License-Identifier: Apache-2.0
"""`anycuda check`: verdicts, exit status, JSON; wheels and folders; what cannot be checked."""

import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest import mock

from abi_support import real
from analysis_support import BUILD, REAL, Folder, artifact, library_file, with_real_libraries, table, wheel

from anycuda.check import here, requirements
from anycuda.doctor.findings import Answer, Library

PROGRAM = REAL / "native" / "call_cudart-12"
RELEASES = "11.8-13.5"  # without --runtime


class Check(Folder):
    def report_lines(self, *arguments: object) -> list[str]:
        """The lines of the report, whatever the verdict."""
        status, out, err = self.check(*arguments)
        self.assertIn(status, (0, 1), err)
        self.assertEqual(err, "")
        return out.splitlines()

    def json(self, *arguments: object) -> dict:
        _, out, _ = self.check("--json", *arguments)
        return json.loads(out)

    def lines_with(self, word: str, *arguments: object) -> list[list[str]]:
        return [line.split() for line in self.report_lines(*arguments) if line.split() and line.split()[0] == word]

    def wheel_of(self, name: str, members: dict) -> Path:
        path = self.folder / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in members.items():
                archive.writestr(member, content if isinstance(content, (bytes, str)) else content.read_bytes())
        return path


@with_real_libraries
class Verdict(Check):
    def test_what_fails_comes_first_and_is_named_with_the_reason(self):
        lines = self.report_lines(PROGRAM)
        self.assertEqual(lines[0], "call_cudart-12: 1 function would fail on CUDA 11.8, 13.0-13.5")
        (found,) = self.lines_with("cudaGetExportTable", PROGRAM)
        self.assertEqual(found[1:4], ["12", "11.8,13.0-13.5", "rejected"])
        self.assertIn("private to the release", " ".join(found))

    def test_counts_by_release(self):
        counts = [line[1:] for line in self.lines_with("cudart", PROGRAM)]
        whole = len(self.json(PROGRAM)["inputs"][0]["files"][0]["uses"][0]["symbols"])
        # Runs, adapted, rejected.
        self.assertEqual(counts[0], ["12", "11.8", str(whole - 3), "2", "1"])
        self.assertEqual(counts[1], ["12", "12.0-12.9", str(whole)])
        self.assertEqual(counts[2], ["12", "13.0-13.5", str(whole - 2), "1", "1"])  # one of them adapted

    def test_a_release_that_lacks_nothing(self):
        lines = self.report_lines(PROGRAM, "--runtime", "12")
        self.assertEqual(lines[0], "call_cudart-12: all CUDA functions that it uses run on CUDA 12.0-12.9")

    def test_range_of_releases_holds_only_requested_ones(self):
        self.assertTrue(self.report_lines(PROGRAM, "--runtime", "12.0,12.9,13", "--allow", "rejected")[0].endswith(
            "run on CUDA 12.0, 12.9-13.5"))
        self.assertIn(["cudart", "12", "12.0,12.9", "13"],
                      self.lines_with("cudart", PROGRAM, "--runtime", "12.0,12.9,13"))

    def test_allowed_failures_are_still_reported(self):
        for arguments in (("--allow", "rejected"), ("--ignore", "cudaGetExport*")):
            status, out, _ = self.check(PROGRAM, *arguments)
            self.assertEqual(status, 0)
            self.assertTrue(out.startswith(f"call_cudart-12: all CUDA functions that it uses run on CUDA {RELEASES}"))
            self.assertIn("(allowed)", out)

    def test_exit_status(self):
        for arguments, status in (((PROGRAM,), 1), ((PROGRAM, "--runtime", "12.4"), 0),
                                  ((PROGRAM, "--runtime", "13"), 1), ((PROGRAM, "--allow", "absent"), 1),
                                  ((PROGRAM, "/nowhere"), 2), ((PROGRAM, "--library", "nvrtc"), 0)):
            self.assertEqual(self.check(*arguments)[0], status, arguments)

    def test_all_lists_what_runs_too(self):
        self.assertEqual(self.lines_with("cudaMalloc", PROGRAM), [])
        (found,) = self.lines_with("cudaMalloc", PROGRAM, "--all")
        self.assertEqual(found[1:], ["12", RELEASES, "direct"])

    def test_the_driver_has_drivers(self):
        lines = self.report_lines(REAL / "native" / "call_cuda")
        self.assertEqual(lines[0], "call_cuda: all CUDA functions that it uses run on driver 520-615")
        lines = self.report_lines(REAL / "native" / "call_cuda", "--runtime", "12")
        self.assertIn("--runtime selects no release of its CUDA libraries", lines[0])

    def test_a_function_newer_than_the_driver(self):
        path = self.call("new.so", "cuFuncLoad")
        self.assertEqual(self.report_lines(path)[0], "new.so: 1 function would fail on driver 520-545")
        self.assertEqual(self.check(path, "--runtime", "550")[0], 0)

    def test_an_emulated_function_needs_a_newer_driver(self):
        path = self.call("emulated.so", "cudaDevResourceGenerateDesc")
        self.assertIn("calls the driver; needs a driver of CUDA 13.1 or later\n", self.check("--all", path)[1])

    def test_cuda_11_has_no_nvjitlink(self):
        path = REAL / "native" / "call_nvjitlink-12"
        self.assertIn("would fail on CUDA 11.8", self.report_lines(path)[0])
        self.assertIn("CUDA 11 has no nvJitLink", "\n".join(self.report_lines(path)))
        self.assertEqual(self.check(path, "--runtime", "12,13")[0], 0)

    def test_patched_and_linked_programs_have_the_same_report(self):
        for kind in ("patched", "linked"):
            self.assertEqual(self.report_lines(REAL / kind / "call_cudart-12")[0], self.report_lines(PROGRAM)[0])

    def test_several_files_are_reported_in_order(self):
        out = "\n".join(self.report_lines(PROGRAM, REAL / "native" / "call_cudart-13"))
        self.assertLess(out.index("call_cudart-12:"), out.index("call_cudart-13:"))

    def test_a_name_cannot_steer_the_terminal(self):
        path = self.folder / "a\033[31mb\n.so"
        shutil.copy(PROGRAM, path)
        self.assertNotIn("\033", "\n".join(self.report_lines(path)))


class Unversioned(Check):
    """Functions that are used without a version: the stub gives them the function of that name as it is."""

    def test_what_is_the_same_for_all_runs(self):
        self.assertEqual(self.check(self.call("plain.so", "cudaMalloc cudaFree"))[0], 0)

    def test_what_differs_is_unchecked(self):
        path = self.call("differs.so", "cudaMalloc cudaPointerGetAttributes")
        self.assertEqual(self.report_lines(path)[0], f"differs.so: 1 function would go unchecked on CUDA {RELEASES}")
        status, out, _ = self.check(path, "--runtime", "13")
        self.assertIn("adapted if built for CUDA 11 or 12; the file does not record", out)
        self.assertIn("--built-for MAJOR", out)
        self.assertEqual(self.check(path, "--allow", "unchecked")[0], 0)

    def test_a_name_that_is_not_there_is_absent(self):
        path = self.call("gone.so", "cudaMalloc cudaBindTexture cudaGraphAddNode_v2")
        found = {(cell["symbol"], cell["kind"], cell["runtimes"][0]) for cell in
                 self.json(path)["inputs"][0]["cells"] if cell["fails"]}
        self.assertIn(("cudaBindTexture", "absent", "12.0"), found)
        self.assertIn(("cudaGraphAddNode_v2", "absent", "13.0"), found)

    def test_built_for_says_it(self):
        path = self.call("differs.so", "cudaMalloc cudaPointerGetAttributes")
        self.assertEqual(self.check(path, "--built-for", "12")[0], 0)
        cells = self.json(path, "--built-for", "12", "--runtime", "13")["inputs"][0]["cells"]
        self.assertEqual({(cell["symbol"], cell["caller"], cell["kind"]) for cell in cells},
                         {("cudaMalloc", "12", "direct"), ("cudaPointerGetAttributes", "12", "adapted")})

    def test_a_function_that_no_stub_has_for_that_major(self):
        path = self.call("other.so", "cudaBindTexture")
        status, out, _ = self.check(path, "--built-for", "13")
        self.assertEqual(status, 1)
        self.assertIn("does not have this function for CUDA 13, so the file does not load", out)

    @with_real_libraries
    def test_a_version_says_more_than_the_option(self):
        self.assertEqual(self.report_lines(PROGRAM, "--built-for", "13")[0], self.report_lines(PROGRAM)[0])

    @with_real_libraries
    def test_plain_stub_names_do_not_show_the_major(self):
        """Such a call gets the function of that name, whatever the name says."""
        functions = "cudaMalloc cudaGetDeviceProperties_v2"
        self.assertEqual(self.check(self.call("plain.so", functions))[0], 0)
        path = self.call("stub.so", functions, BUILD / "lib" / "libcudart_stub.so")
        self.assertEqual(self.report_lines(path)[0], "stub.so: 1 function would fail on CUDA 11.8, 13.0-13.5")

    @with_real_libraries
    def test_linked_to_a_stub_as_it_is(self):
        lines = self.report_lines(REAL / "versionless" / "call_cudart-12")
        self.assertIn("would go unchecked", lines[0])


@with_real_libraries
class Wheels(Check):
    def test_binaries_in_a_wheel_are_found_by_content(self):
        path = self.wheel_of("x-1-py3-none-any.whl", {
            "x/a.so": PROGRAM, "x/tool": REAL / "native" / "call_cudart-13", "x/text.so": "a linker script",
            "x/none.so": REAL / "native" / "host"})
        one = self.json(path)["inputs"][0]
        self.assertEqual(one["kind"], "wheel")
        self.assertEqual([file["name"] for file in one["files"]], ["x/a.so", "x/tool", "x/none.so"])
        self.assertEqual([len(file["uses"]) for file in one["files"]], [1, 1, 0])
        for found in self.lines_with("cudaExecutionCtxGetId", path):
            self.assertIn("x/tool", found)

    def test_names_that_lead_out_are_reported_others_are_checked(self):
        path = self.wheel_of("evil.whl", {"../../up.so": PROGRAM, "/root.so": PROGRAM, "a\\..\\..\\b.so": PROGRAM,
                                          "C:/x.so": PROGRAM, "ok/..dots.so": PROGRAM})
        status, out, _ = self.check(path)
        self.assertEqual(status, 2)
        for name in ("../../up.so", "/root.so", "a/../../b.so" if os.sep == "\\" else "a\\..\\..\\b.so", "C:/x.so"):
            self.assertIn(f"{name}: not unpacked: its path leads out of the wheel", out)
        self.assertIn("ok/..dots.so", [file["name"] for file in self.json(path)["inputs"][0]["files"]])
        self.assertEqual(sorted(self.folder.parent.glob("up.so")), [])

    def test_what_a_wheels_other_files_were_built_for(self):
        """`anycuda repair` writes it into the file that does not say it; a folder is not repaired."""
        bare = self.call("bare.so", "cudaPointerGetAttributes")
        path = self.wheel_of("both.whl", {"a.so": PROGRAM, "b.so": bare})
        kinds = {run["kind"] for run in self.json(path, "--runtime", "13")["inputs"][0]["cells"]
                 if run["symbol"] == "cudaPointerGetAttributes" and "b.so" in run["files"]}
        self.assertEqual(kinds, {"adapted"})
        self.assertIn("unchecked", "\n".join(self.report_lines(bare, "--runtime", "13")))

    def test_requirements_of_one_cuda(self):
        """They do not change the status."""
        opens = self.compile("opens.so",
                             'const char* name = "libcublas.so"; const char* served = "libnvrtc.so.12";')
        entry = {"package": "nvidia-cuda-runtime-cu12", "library": "libcudart.so.12"}
        path = self.wheel_of("x-1-py3-none-any.whl", {
            "x/a.so": PROGRAM, "x/opens.so": opens, "x/load.json": json.dumps({"preload": [entry]}),
            "x/load.py": "import nvidia.cufft, nvidia.cusparse\nraise SystemExit('\\d')\n",  # of the toolkit's extra
            "x-1.dist-info/sbom.json": json.dumps({"preload": [entry]}), "x-1.dist-info/METADATA":
            "Name: x\nRequires-Dist: nvidia-cuda-runtime-cu12==12.*\nRequires-Dist: nvidia-cublas-cu12\n"
            "Requires-Dist: numpy\nRequires-Dist: nvidia-cuda-nvrtc-cu12\n"
            "Requires-Dist: cuda-toolkit[cufft,cupti]==12.*\n"
            "Requires-Dist: nvidia-nccl-cu12; extra == 'nccl'\n\nRequires-Dist: nvidia-cufft-cu12\n"})
        one = self.json(path, "--runtime", "12")["inputs"][0]
        self.assertEqual((one["status"], one["problems"]), (0, []))
        self.assertEqual([list(tie.values()) for tie in one["requirements"]], [
            ["nvidia-cuda-runtime-cu12==12.*", "12", True, ""],
            ["nvidia-cublas-cu12", "12", False, "x/opens.so opens libcublas.so"],
            ["nvidia-cuda-nvrtc-cu12", "12", True, ""],
            ["cuda-toolkit[cufft,cupti]==12.*", "12", True, "cupti: anycuda has no stub for it"]])
        self.assertEqual(one["preloads"], [
            {"file": "x/load.json", "distributions": ["nvidia-cuda-runtime-cu12"], "imported": []},
            {"file": "x/load.py", "distributions": [], "imported": ["nvidia-cufft-cu12"]}])
        lines = self.report_lines(path, "--runtime", "12")
        for expected in ("nvidia-cuda-runtime-cu12==12.*, which belongs to CUDA 12; `anycuda repair "
                         "--free-requirements` makes",
                         "nvidia-cublas-cu12, which belongs to CUDA 12; repair keeps it: x/opens.so opens libcublas.so",
                         "makes it an extra, except cupti: anycuda has no stub for it",
                         "x/load.json asks for the distribution nvidia-cuda-runtime-cu12 by name",
                         "x/load.py imports packages of the distribution nvidia-cufft-cu12, and may fail where this "
                         "distribution is not installed: test the wheel in an environment without it"):
            self.assertTrue(any(expected in line for line in lines), expected)
        in_folder = {one["kind"]: one["requirements"] for one in self.json(self.folder, "--runtime", "12")["inputs"]}
        self.assertEqual(in_folder, {"folder": [], "wheel": one["requirements"]})

    def test_needs_without_a_function(self):
        library = library_file("cudart", "12.9")
        path = self.compile("idle.so", "int f(void) { return 0; }", "-Wl,--no-as-needed", library)
        self.assertIn("idle.so: needs libcudart.so.12 but uses no function of it: `anycuda", self.report_lines(path)[0])

    def test_stubs_of_another_project_in_the_wheel(self):
        folder = artifact("tilelang") / "tilelang" / "lib"
        names = ("libtvm_runtime.so", "libstub_cudart.so", "libstub_cuda.so")
        path = self.wheel_of("lang-1-py3-none-linux_x86_64.whl", {f"lang/{name}": folder / name for name in names})
        lines = self.report_lines(path)
        self.assertEqual(lines[0], f"{path.name}: its CUDA calls go to libstub_cudart.so, libstub_cuda.so of another "
                         "project; anycuda keeps these stubs")
        self.assertTrue(lines[-1].startswith("verdict: own loader in lang/libtvm_runtime.so"), lines[-1])

    def test_soname_of_several_majors_is_reported(self):
        path = self.compile("sparse.so", "int cusparseCreate(void*); int f(void* x) { return cusparseCreate(x); }",
                            BUILD / "lib" / "dropin" / "libcusparse.so.12", "-Wl,--allow-shlib-undefined")
        (found,) = self.lines_with("cusparse", path, "--runtime", "13")
        self.assertEqual(found[1:4], ["12", "or", "13"])

    def test_libraries_of_other_products_are_reported(self):
        for soname in ("libcustatevec.so.1", "libnvinfer.so.10"):
            self.compile(soname, "int other(void) { return 0; }", f"-Wl,-soname,{soname}")
            path = self.compile("uses.so", "int other(void); int f(void) { return other(); }", self.folder / soname)
            self.assertIn(f"needs {soname}, for which anycuda has no stub", "\n".join(self.report_lines(path)))

    def test_a_cut_off_wheel(self):
        whole = self.wheel_of("whole.whl", {"a.so": PROGRAM}).read_bytes()
        (self.folder / "cut.whl").write_bytes(whole[: len(whole) // 2])
        (self.folder / "none.whl").write_bytes(b"")
        (self.folder / "text.whl").write_text("not a wheel at all")
        for name in ("cut.whl", "none.whl", "text.whl"):
            status, out, err = self.check(self.folder / name, PROGRAM)
            self.assertEqual((status, err), (2, ""))
            self.assertIn(f"{name}: cannot be checked\n  {name}: truncated or damaged wheel or zip file ", out)
            self.assertIn("call_cudart-12: 1 function", out)  # the other one is checked

    def test_names_in_python_files(self):
        (self.folder / "load.py").write_text('"""Not libcublas.so.13."""\nimport ctypes\n'
                                             'ctypes.CDLL("libcublas.so.12")  # nor libcufft.so.11\n')
        path = self.wheel_of("names.whl", {"x/load.py": self.folder / "load.py"})
        status, out, _ = self.check(path)
        self.assertEqual(status, 0)
        self.assertTrue(out.startswith("names.whl: has no CUDA in its binaries\n"), out)
        self.assertTrue(out.endswith("verdict: no CUDA in binaries; its Python files may open libcublas.so.12\n"), out)
        self.assertIn("x/load.py: a string in it names libcublas.so.12: if the file opens this name, it gets NVIDIA's "
                      "library, not the stub; `anycuda run` serves names with a number, such as libcudart.so.12",
                      " ".join(out.split()))
        (one,) = self.json(path)["inputs"]
        self.assertEqual(one["named"], [{"file": "x/load.py", "names": ["libcublas.so.12"]}])

    def test_a_wheel_that_is_not_there(self):
        self.assertEqual(self.check(self.folder / "none.whl"), (
            2, "none.whl: cannot be checked\n  none.whl: cannot be read: No such file or directory\n"
            "verdict: unknown: unreadable\n", ""))

    def test_members_that_are_damaged(self):
        path = self.wheel_of("bad.whl", {"a.so": PROGRAM, "b.so": PROGRAM, "short.so": PROGRAM.read_bytes()[:5000]})
        bytes_ = bytearray(path.read_bytes())
        with zipfile.ZipFile(path) as archive:
            start = archive.getinfo("a.so").header_offset
        bytes_[start + 3000] ^= 0xFF  # in the packed data of the first
        path.write_bytes(bytes_)
        status, out, err = self.check(path)
        self.assertEqual((status, err), (2, ""))
        self.assertRegex(out, r"a\.so: cannot be unpacked: ")
        self.assertIn("short.so: truncated", out)
        self.assertEqual([file["name"] for file in self.json(path)["inputs"][0]["files"]], ["b.so"])

    def test_an_encrypted_member_and_a_packing_that_no_wheel_has(self):
        """Of bzip2, a few kilobytes may become gigabytes in memory."""
        for field, value, why in ((6, b"\x01\x00", "it is encrypted"), (8, b"\x63\x00", "compressed by method 99"),
                                  (8, b"\x0c\x00", "compressed by method 12")):  # flags; method
            path = self.wheel_of("strange.whl", {"a.so": PROGRAM})
            data = bytearray(path.read_bytes())
            central = data.rindex(b"PK\x01\x02")
            data[field: field + 2] = value
            data[central + field + 2: central + field + 4] = value
            path.write_bytes(data)
            status, out, err = self.check(path)
            self.assertEqual((status, err), (2, ""))
            self.assertRegex(out, f"a.so: cannot be unpacked: .*{why}")
            self.assertNotIn("ZipInfo", out)

    def test_a_bomb_is_not_unpacked(self):
        path = self.folder / "bomb.whl"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            with archive.open("a.so", "w", force_zip64=True) as member:
                member.write(PROGRAM.read_bytes())
                for _ in range(66):
                    member.write(bytes(1 << 24))
        status, out, err = self.check(path)
        self.assertEqual((status, err), (2, ""))
        self.assertRegex(out, "not unpacked: it would unpack to 1056 MB, 2.. times its size, .*")

    def test_a_name_without_a_letter(self):
        path = self.wheel_of("empty.whl", {"x": PROGRAM, "a.so": PROGRAM})
        data = path.read_bytes()
        # The lengths of the name and of what is behind it: the letter is the first of a comment, or of extra data.
        for header, name, behind in ((b"PK\1\2", 28, 32), (b"PK\3\4", 26, 28)):
            at = data.index(header)
            for place, length in ((name, 0), (behind, 1)):
                data = data[:at + place] + bytes([length, 0]) + data[at + place + 2:]
        path.write_bytes(data)
        self.assertEqual([file["name"] for file in self.json(path)["inputs"][0]["files"]], ["", "a.so"])

    def test_no_folder_for_temporary_files(self):
        with mock.patch.object(tempfile, "tempdir", str(self.folder / "none")):
            status, out, err = self.check(self.wheel_of("a.whl", {"a.so": PROGRAM}))
        self.assertEqual((status, err), (2, ""))
        self.assertIn("a.whl: cannot be unpacked: No such file or directory", out)

    def test_binaries_without_cuda(self):
        binary = bytearray(PROGRAM.read_bytes())
        small, other = bytearray(binary), bytearray(binary)
        small[4] = 1  # 32-bit
        other[18:20] = b"\x15\x00"  # PowerPC
        path = self.wheel_of("mixed.whl", {"a.so": PROGRAM, "i386.so": bytes(small), "ppc.so": bytes(other),
                                           "part.o": next((REAL / "kernels").glob("*.o"))})
        one = self.json(path, "--runtime", "12")["inputs"][0]
        self.assertEqual((one["status"], one["problems"]), (0, []))
        skipped_files = {skipped["file"]: skipped["text"] for skipped in one["passed_over"]}
        self.assertEqual(set(skipped_files), {"i386.so", "ppc.so", "part.o"})
        self.assertIn("32-bit", skipped_files["i386.so"])
        self.assertIn("machine 21", skipped_files["ppc.so"])
        self.assertIn("not linked yet", skipped_files["part.o"])

    def test_a_folder_with_binaries_and_wheels(self):
        (self.folder / "lib").mkdir()
        shutil.copy(PROGRAM, self.folder / "lib" / "b")
        self.wheel_of("lib/a.whl", {"in.so": PROGRAM})
        (self.folder / "lib" / "loop").symlink_to(self.folder)
        (self.folder / "lib" / "linked.so").symlink_to(PROGRAM)
        os.mkfifo(self.folder / "lib" / "pipe")
        (self.folder / "lib" / "empty").touch()
        found = self.json(self.folder)["inputs"]
        self.assertEqual([(one["kind"], one["path"], one["problems"]) for one in found],
                         [("folder", str(self.folder), []), ("wheel", str(self.folder / "lib" / "a.whl"), [])])
        self.assertEqual([[file["name"] for file in one["files"]] for one in found], [["lib/b"], ["in.so"]])

    def test_bounded_memory(self):
        """A member of 160 MB: a real program, and zeros behind it."""
        path = self.folder / "big.whl"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            with archive.open("big.so", "w", force_zip64=True) as member:
                member.write(PROGRAM.read_bytes())
                for _ in range(160):
                    member.write(bytes(1 << 20))
        # The kernel's count for this program alone: that of getrusage begins with the process which started it.
        source = ("import sys; from anycuda.__main__ import main; status = main(sys.argv[1:]); "
                  "print(int(open('/proc/self/status').read().split('VmHWM:')[1].split()[0]) >> 10, file=sys.stderr); "
                  "sys.exit(status)")
        done = subprocess.run([sys.executable, "-c", source, "check", path, "--runtime", "12"], text=True,
                              capture_output=True, env={"PYTHONPATH": str(BUILD / "share" / "anycuda")})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("anycuda check: 100 of 160 MB\n", done.stderr)  # so that nobody believes it hangs
        self.assertLess(int(done.stderr.split()[-1]), 80)  # MB; Python and the matrix alone take 28

    def test_a_full_disk(self):
        path = self.wheel_of("big.whl", {"a.so": PROGRAM.read_bytes() + bytes(1 << 20), "b.txt": "text"})
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        import signal
        kept = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, before[1]))
            status, out, _ = self.check(path)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            signal.signal(signal.SIGXFSZ, kept)
        self.assertEqual(status, 2)
        self.assertIn("a.so: cannot be unpacked: File too large", out)


class RealWheels(Check):
    @with_real_libraries
    def test_of_other_projects(self):
        for name, arguments, status, verdict in (
            ("torch_memory_saver", (), 0, "run on CUDA 11.8-13.5 and driver 520-615"),
            ("cumm", (), 0, "run on CUDA 11.8-13.5"),  # it brings the one library that has no stub
            ("mooncake", ("--runtime", "11.7"), 1, "1 function would fail on CUDA 11.7"),
            ("mooncake", ("--runtime", "12,13"), 0, "run on CUDA 12.0-13.5; its device code needs driver 525"),
            ("mooncake", ("--runtime", "11.8,12,13"), 1,
             "run on CUDA 11.8-13.5; device code does not load with driver 450-520"),
        ):
            path = wheel(name)
            found, out, _ = self.check(path, *arguments)
            self.assertEqual(found, status, out)
            self.assertTrue(out.splitlines()[0].endswith(verdict), out)

    def test_a_library_that_has_no_stub_must_be_there(self):
        other = self.compile("libcudnn.so.7", "int cudnnCreate(void) { return 1; }", "-Wl,-soname,libcudnn.so.7")
        path = self.compile("user.so", "int cudnnCreate(void); int f(void) { return cudnnCreate(); }", other)
        status, out, _ = self.check(path)
        self.assertEqual((status, out.splitlines()[0], out.splitlines()[-1]),
                         (1, "user.so: tied by libcudnn.so.7 (user.so); uses no CUDA library that has a stub",
                          "verdict: tied by libcudnn.so.7 (user.so)"))
        both = self.compile("both.so", "int cudnnCreate(void), cudaFree(void*);"
                            "int f(void) { return cudnnCreate() + cudaFree(0); }", other)
        self.assertEqual(self.report_lines(both)[0], "both.so: tied by libcudnn.so.7 (both.so); all other CUDA "
                         f"functions that it uses run on CUDA {RELEASES}")
        self.assertIn("needs libcudnn.so.7, for which anycuda has no stub: it must be installed",
                      "\n".join(self.report_lines(both)))
        free = self.compile("libcutensor.so.2", "int elsewhere(void) { return 1; }", "-Wl,-soname,libcutensor.so.2")
        both = self.compile("both.so", "int elsewhere(void), cudaFree(void*); int f(void) { return elsewhere() + "
                            "cudaFree(0); }", free)
        self.assertEqual(self.report_lines(both)[0], "both.so: all CUDA functions that it uses run on CUDA "
                         f"{RELEASES}, if its other CUDA libraries are installed")

    def test_here_does_not_vouch_for_a_library_without_a_stub(self):
        for name, expected in (
                ("libcupti.so.12", "It is tied to CUDA 12 by libcupti.so.12 (user.so); anycuda does not search for "
                                   "libraries without a stub."),
                ("libcutensor.so.2", "It is free with libcutensor.so.2 (cutensor-cuXX); anycuda does not search for "
                                     "libraries without a stub.")):
            other = self.compile(name, "int elsewhere(void) { return 1; }", f"-Wl,-soname,{name}")
            path = self.compile("user.so", "int elsewhere(void); int f(void) { return elsewhere(); }", other)
            with mock.patch.object(here, "examine", return_value=here.Here(575, (80,))):
                status, out, _ = self.check(path, "--here")
            self.assertEqual((status, out.splitlines()[-1]), (3, f"here: cannot tell whether it runs. {expected}"))

    def test_a_program_of_cudnn_8_on_cudnn_9(self):
        functions = ("cudnnCreate", "cudnnGetVersion", "cudnnSetCallback", "cudnnRNNForwardTraining")
        (self.folder / "map").write_text("libcudnn.so.8 { global: cudnn*; local: *; };", encoding="utf-8")
        other = self.compile("libcudnn.so.8", "".join(f"int {one}(void) {{ return 0; }}" for one in functions),
                             "-Wl,-soname,libcudnn.so.8", f"-Wl,--version-script={self.folder}/map")
        for count, first_line in ((2, "user.so: all CUDA functions that it uses run on cuDNN 9.28"),
                                  (4, "user.so: 2 functions would fail on cuDNN 9.28")):
            used = functions[:count]
            path = self.compile("user.so", f"int {'(void), '.join(used)}(void);"
                                f"int f(void) {{ return {'() + '.join(used)}(); }}", other)
            status, out, _ = self.check(path, "--runtime", "cudnn-9.28")
            self.assertEqual((status, out.splitlines()[0]), (int(count > 2), first_line), out)

    def test_separate_releases(self):
        other = self.compile("libnccl.so.2", "int ncclAllReduce(void), ncclWaitSignal(void);"
                             "int ncclAllReduce(void) { return 0; } int ncclWaitSignal(void) { return 0; }",
                             "-Wl,-soname,libnccl.so.2")
        path = self.compile("user.so", "int ncclAllReduce(void), ncclWaitSignal(void);"
                            "int f(void) { return ncclAllReduce() + ncclWaitSignal(); }", other)
        first = real("nccl").functions["ncclWaitSignal"].since
        lines = self.report_lines(path)
        self.assertRegex(lines[0], r"1 function would fail on NCCL 2\.16\.2-2\.28$")
        self.assertIn(f"not before {first}", "\n".join(lines))
        self.assertEqual(self.check(str(path), "--runtime", "nccl-2.32")[0], 0)
        self.assertEqual(self.check(str(path), "--runtime", "nccl-2.16")[0], 1)

    @with_real_libraries
    def test_copy_that_stays_is_asked_of_no_cuda(self):
        path = wheel("torchvision")
        (one,) = self.json(path)["inputs"]
        self.assertEqual({cell["library"] for cell in one["cells"]}, {"cudart"})
        (copy,) = {name for file in one["files"] for name in file["kept"]}
        self.assertTrue(copy.startswith("libnvjpeg."), copy)
        self.assertIn(f"{copy} (a copy that repair keeps)", " ".join(self.check(path)[1].split()))
        lacks = {name: Library(name, f"of {name}", "", "", False, [], answers={"12": Answer()})
                 for name in ("cudart", "nvjpeg")}
        with mock.patch.object(here, "examine", return_value=here.Here(575, (80,), "", lacks)):
            out = self.check(path, "--here")[1]
        self.assertIn("This machine has no usable of cudart.", out)
        self.assertNotIn("no usable of nvjpeg", out)

    @with_real_libraries
    def test_static_and_already_loaded_runtimes_are_reported(self):
        lines = self.report_lines(wheel("torchvision"))
        self.assertTrue(lines[0].endswith("; its static runtime needs driver 525, newer than the drivers of CUDA 11"),
                        lines)
        on_12 = self.report_lines(wheel("torchvision"), "--runtime", "12")[0]
        self.assertTrue(on_12.endswith("; but it also has a CUDA runtime linked in statically"), on_12)
        self.assertRegex("\n".join(lines),
                         r"torchvision\.libs/libnvjpeg\..*: has a .* statically; a stub cannot replace it")
        self.assertRegex("\n".join(self.report_lines(wheel("mooncake"))),
                         r"nvlink_allocator\.so +cudart +not linked: another file must load the library +unknown")


class Nothing(Check):
    """Files with which there is nothing to do, or nothing can be done."""

    def test_no_cuda(self):
        path = self.compile("none.so", "int f(void) { return 1; }")
        self.assertEqual(self.check(path), (0, "none.so: uses no CUDA\nverdict: no CUDA in binaries\n", ""))

    @with_real_libraries
    def test_a_static_runtime(self):
        archive = artifact("nvcc-13.0") / "lib64" / "libcudart_static.a"
        path = self.compile("static.so", "int cudaFree(void*); int f(void) { return cudaFree(0); }",
                            archive, "-ldl", "-lrt", "-lpthread")
        status, out, _ = self.check(path)
        self.assertEqual(status, 0)
        self.assertTrue(out.startswith("static.so: has its CUDA runtime linked in statically"), out)

    @with_real_libraries
    def test_a_stub_that_is_linked_in(self):
        path = self.compile("inside.so", "int cudaFree(void*); int f(void) { return cudaFree(0); }",
                            BUILD / "lib/static/12/libcudart.a", "-ldl")
        expected = ("inside.so: has anycuda's stub of cudart linked in statically; it needs no other stub\n\n"
                    "  has anycuda's stub of cudart linked in statically; which functions the file calls through it is "
                    "unknown\n"
                    "verdict: free\n")
        self.assertEqual(self.check(path), (0, expected, ""))
        about_one = expected.replace("verdict: free\n", "")  # the verdict is about all of them
        self.assertEqual(self.check("--library", "cudart", path), (0, about_one, ""))
        self.assertEqual(self.json(path)["inputs"][0]["files"][0]["stubs_inside"], ["cudart"])
        beside = self.compile("beside.so", "int cudaFree(void*), nvrtcVersion(int*, int*);"
                              "int f(void) { return cudaFree(0) + nvrtcVersion(0, 0); }",
                              BUILD / "lib/static/12/libcudart.a", library_file("nvrtc", "12.9"), "-ldl")
        status, out, _ = self.check(beside)
        self.assertEqual((status, out.splitlines()[0]),
                         (0, "beside.so: all CUDA functions that it uses run on CUDA 11.8-13.5"))
        self.assertIn("\n  has anycuda's stub of cudart linked in statically", out)

    @with_real_libraries
    def test_what_is_linked_to_the_stub_itself(self):
        stub = BUILD / "lib" / "libcudart_stub.so"
        status, out, _ = self.check(self.call("direct.so", "cudaFree", stub))
        self.assertEqual((status, out.splitlines()[0]), (0, "direct.so: all CUDA functions that it uses run on CUDA "
                                                            "11.8-13.5; but its link to the stub records no CUDA "
                                                            "major"))
        expected = ("\n  was linked with -lcudart_stub (libcudart_stub.so), which records no major, so its calls are "
                    "passed on unchecked: link it with the library in lib/anycuda/link/MAJOR\n")
        self.assertEqual(out.count(expected), 1, out)
        self.assertNotIn("-lcudart_stub", self.check("--library", "nvrtc", self.folder / "direct.so")[1])
        status, out, _ = self.check(self.call("other.so", "cudaGetDeviceProperties", stub))
        self.assertEqual(status, 1)
        self.assertIn("was linked with -lcudart_stub", out)
        self.assertIn("\n  Pass --built-for MAJOR to check with the CUDA that the file was built for.\nverdict: free; "
                      "1 function would ", out)
        for path in (REAL / "linked" / "call_cudart-12", REAL / "versionless" / "call_cudart-12"):
            self.assertNotIn("was linked with -l", self.check(path)[1])
        driver = self.call("driver.so", "cuInit", BUILD / "lib" / "libcuda_stub.so")
        self.assertNotIn("was linked with", self.check(driver)[1])

    @with_real_libraries
    def test_a_cuda_library_itself(self):
        status, out, _ = self.check(library_file("cudart", "12.9"))
        self.assertEqual(status, 0)
        self.assertIn("is a CUDA library or a stub", out)
        self.assertIn("is NVIDIA's cudart itself", out)

    def test_a_library_that_loads_by_name(self):
        path = self.compile("loads.so", 'const char* f(void) { static const char n[] = "libcudart.so.12"; return n; }')
        status, out, _ = self.check(path)
        self.assertEqual((status, out.splitlines()[0]), (0, "loads.so: links no CUDA library"))
        self.assertIn("may load libcudart.so.12 by name", out)

    def test_who_serves_the_names_that_it_loads(self):
        names = ["libcublas.so.11", "libcublas.so.12", "libcublas.so", "libcudart.so.", "libcufft.so.%d",
                 "libcufft.so.9", "libnccl.so.2", "/opt/libnvrtc.so.12"]
        path = self.compile("loads.so", "const char* const names[] = {" + json.dumps(names)[1:-1] + "};")
        out = self.check(path)[1]
        for expected in ("libcublas.so.11 or libcublas.so.12 by name: `anycuda run` serves it with a drop-in, and",
                         "libcublas.so by name: every drop-in has a number in its name, so this opens NVIDIA's library",
                         "libcudart.so. by name: the program completes the name", "libcufft.so.%d by name: the program",
                         "libcufft.so.9 by name: no drop-in has this name",
                         "libnccl.so.2 by name: the name is the same",
                         "libnvrtc.so.12 by name: the name is part of a path"):
            self.assertIn(f"\n  may load {expected}", out)
        (file,) = self.json(path)["inputs"][0]["files"]
        self.assertEqual({one["name"]: (one["library"], one["kind"], one["run"], one["repair"])
                          for one in file["opens"]}, {
            "libcublas.so.11": ("cublas", "major", True, True), "libcublas.so.12": ("cublas", "major", True, True),
            "libcublas.so": ("cublas", "unnumbered", False, False),
            "libcudart.so.": ("cudart", "unfinished", None, False),
            "libcufft.so.%d": ("cufft", "unfinished", None, False),
            "libcufft.so.9": ("cufft", "unknown", False, False),
            "libnccl.so.2": ("nccl", "common", True, False), "libnvrtc.so.12": ("nvrtc", "path", False, False)})
        # In a wheel with a file of that name, the wheel's own is found.
        other = self.compile("libcublas.so.12", "int f(void) { return 1; }")
        whole = self.wheel_of("thing-1-py3-none-any.whl", {"a/loads.so": path, "a/libcublas.so.12": other})
        (file, _) = self.json(whole)["inputs"][0]["files"]
        kinds = {one["name"]: one["kind"] for one in file["opens"]}
        self.assertEqual((kinds["libcublas.so.12"], kinds["libcublas.so.11"]), ("inside", "major"))

    def test_libraries_without_a_stub_that_it_loads_by_name(self):
        names = ["libnppc.so.12", "libcupti.so.13", "libcutensor.so.2", "libcusparseLt.so.0", "libcupti.so",
                 "libnppc.so.%d"]
        path = self.compile("loads.so", "const char* const names[] = {" + json.dumps(names)[1:-1] + "};")
        status, out, _ = self.check(path)
        self.assertEqual((status, out.splitlines()[0]), (
            1, "loads.so: tied to CUDA 13 by libcupti.so.13 (opened by loads.so); tied to CUDA 12 by libnppc.so.12 "
               "(opened by loads.so); links no CUDA library"))
        self.assertIn("\n  may load libcupti.so.13 (nvidia-cuda-cupti) or libnppc.so.12 (nvidia-npp-cu12) by name: "
                      "anycuda has no stub for it, so this opens NVIDIA's library, which belongs to one CUDA major "
                      "only", out)
        self.assertIn("\n  may load libcupti.so or libcusparseLt.so.0 or libcutensor.so.2 or libnppc.so.%d by name: "
                      "anycuda has no stub for it, so this opens NVIDIA's library\n", out)
        (file,) = self.json(path)["inputs"][0]["files"]
        self.assertEqual({one["name"]: one["kind"] for one in file["opens"]}, {
            "libnppc.so.12": "tied", "libcupti.so.13": "tied", "libcutensor.so.2": "unstubbed",
            "libcusparseLt.so.0": "unstubbed", "libcupti.so": "unstubbed", "libnppc.so.%d": "unstubbed"})
        self.assertEqual({(one["library"], one["run"], one["repair"]) for one in file["opens"]}, {("", False, False)})
        self.assertNotIn("libnppc", self.check(path, "--library", "cudart")[1])
        whole = self.wheel_of("thing-1-py3-none-any.whl", {
            "a/loads.so": path, "a/libnppc.so.12": self.compile("libnppc.so.12", "int f(void) { return 1; }")})
        file = self.json(whole)["inputs"][0]["files"][0]
        self.assertIn(("libnppc.so.12", "inside"), [(one["name"], one["kind"]) for one in file["opens"]])

    def test_what_cannot_be_read(self):
        (self.folder / "text").write_text("no binary")
        (self.folder / "empty").touch()
        os.mkfifo(self.folder / "pipe")
        (self.folder / "device.whl").symlink_to("/dev/null")  # a pipe would block where it is opened
        small = bytearray(Path(sys.executable).read_bytes()[:4096])
        small[4] = 1
        (self.folder / "i386").write_bytes(small)
        (self.folder / "half").write_bytes(Path(sys.executable).resolve().read_bytes()[:3000])
        for name, expected in (("text", "not an ELF file"), ("empty", "empty"), ("pipe", "not a regular file"),
                               ("device.whl", "not a regular file"),
                               ("i386", "32-bit"), ("half", "truncated"), ("nowhere", "No such file")):
            status, out, err = self.check(self.folder / name)
            self.assertEqual((status, err), (2, ""), name)
            self.assertEqual(out.splitlines()[0], f"{name}: cannot be checked")
            self.assertIn(expected, out.splitlines()[1])
            self.assertEqual(out.splitlines()[2:], ["verdict: unknown: unreadable"], out)
        with mock.patch("zipfile.ZipFile", side_effect=AssertionError("it would block")):
            self.assertEqual(requirements.look(self.folder / "pipe", [], table()), requirements.Texts())


class Options(Check):
    def test_a_value_that_nothing_has(self):
        for arguments, expected in (
            (("--runtime", "12.7"), "unknown runtime '12.7': use one of 11.7"),
            (("--library", "npp"), "unknown library 'npp': use one of cublas"),
            (("--built-for", "10"), "--built-for 10 is not a known CUDA major: use one of 11, 12, 13"),
            (("--allow", "everything"), "--allow everything is not a known kind: use one of absent, rejected, "),
        ):
            status, out, err = self.check("/bin/sh", *arguments)
            self.assertEqual((status, out), (2, ""))
            self.assertTrue(err.startswith("anycuda check: ") and expected in err, err)

    def test_no_file(self):
        self.assertEqual(self.check()[0], 2)


@with_real_libraries
class Json(Check):
    def test_the_schema(self):
        text = self.json(PROGRAM, "/nowhere", "--runtime", "13.5", "--ignore", "x*")
        self.assertEqual(list(text), ["schema", "anycuda", "status", "asked", "inputs"])
        self.assertEqual((text["schema"], text["status"]), (1, 2))
        self.assertEqual(text["asked"], {"releases": ["13.5"], "drivers": [], "libraries": [], "built_for": "",
                                         "allowed": [], "ignored": ["x*"], "own": [], "gpus": [], "branches": [],
                                         "runtimes": ["13.5"], "here": False, "forward_compat": False})
        one, other = text["inputs"]
        self.assertEqual(list(one), ["path", "kind", "status", "problems", "passed_over", "files", "cells",
                                     "requirements", "preloads", "named", "pathfinder", "verdict", "device_code",
                                     "here", "too_old_drivers", "replies"])
        self.assertEqual((one["path"], one["kind"], one["status"], other["status"]), (str(PROGRAM), "file", 1, 2))
        self.assertEqual(other["problems"], [{"file": "nowhere", "text": "No such file or directory"}])
        (file,) = one["files"]
        self.assertEqual(list(file), ["name", "machine", "uses", "other", "kept", "static_runtime", "provides",
                                      "stubs_inside", "quiet", "opens", "runtime_release", "verdict"])
        for verdict in (one["verdict"], file["verdict"]):
            self.assertEqual(list(verdict), ["kind", "ties", "static", "loaders", "loads", "companions", "python",
                                             "device_code", "driver", "text"])
        (use,) = file["uses"]
        self.assertEqual(list(use), ["library", "needed", "how", "majors", "symbols", "strings", "native", "labels",
                                     "by_path"])
        self.assertEqual(list(use["symbols"][0]), ["name", "major", "weak"])
        for cell in one["cells"]:
            self.assertEqual(list(cell), ["library", "symbol", "caller", "runtimes", "kind", "target", "function",
                                          "needs", "since", "driver", "reason", "fails", "files"])
        self.assertEqual([cell["symbol"] for cell in one["cells"] if cell["fails"]], ["cudaGetExportTable"])


if __name__ == "__main__":
    unittest.main()
