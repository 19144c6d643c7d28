# SPDX-License-Identifier: Apache-2.0
"""What is installed: a relocatable prefix, Debian's packages, and the exports that a release must keep."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from anycuda.elf import read

from support import LIBRARIES, PREFIX, SETTINGS, Usage, build_all, cmake, includes, artifact, run


class Prefix(Usage):
    def test_the_command_works_wherever_the_prefix_is_moved_to(self) -> None:
        moved = self.work / "some where" / "else"
        shutil.copytree(PREFIX, moved)
        command = moved / "bin/anycuda"
        self.assertIn("direct", run([command, "matrix", "--symbol", "cudaMalloc"]))
        machine = {"ANYCUDA_SYSTEM_ROOT": str(self.work), "PATH": "/usr/bin"}
        report = json.loads(run([command, "doctor", "--json"], machine, expect=1))
        self.assertFalse(report["possible"])
        installed = moved / "share/anycuda/installation.json"
        for holds, relative in json.loads(installed.read_text(encoding="utf-8"))["folders"].items():
            folder = (installed.parent / relative).resolve()
            self.assertTrue(folder.is_relative_to(moved) and any(folder.iterdir()), f"{holds}: {folder}")

    def test_every_component_has_the_licence(self) -> None:
        """Without the command, which has its own."""
        text = (Path(SETTINGS["source"]) / "LICENSE").read_bytes()
        for component in ("runtime", "dev", "compat", "linker", "graph"):
            place = self.work / component
            run([SETTINGS["cmake"], "--install", SETTINGS["build"], "--prefix", place, "--component", component])
            self.assertEqual((place / "share/licenses/anycuda/LICENSE").read_bytes(), text)

    def test_nothing_names_the_build_folder(self) -> None:
        for path in PREFIX.rglob("*"):
            if path.is_file():
                self.assertNotIn(SETTINGS["build"].encode(), path.read_bytes(), path)

    def test_manual_pages_and_completion_are_where_shells_look(self) -> None:
        for name in ("man/man1/anycuda.1", "man/man1/anycuda-repair.1", "bash-completion/completions/anycuda",
                     "zsh/site-functions/_anycuda", "fish/vendor_completions.d/anycuda.fish"):
            self.assertIn("anycuda", (PREFIX / "share" / name).read_text(encoding="utf-8"))

    def test_below_usr_pkg_config_names_no_folder_of_the_compiler(self) -> None:
        root = self.work / "root"
        run([SETTINGS["cmake"], "--install", SETTINGS["build"], "--prefix", "/usr"],
            {**os.environ, "DESTDIR": str(root)})
        ask = {"PKG_CONFIG_PATH": str(root / "usr" / SETTINGS["libdir"] / "pkgconfig"), "PATH": "/usr/bin:/bin"}
        for package, flags in (("anycuda-cudart-12", "-DANYCUDA_BUILT_FOR=12"), ("anycuda-linker", "")):
            output = run([artifact("pkgconf") / "bin/pkg-config", "--cflags", package], ask)
            self.assertEqual(output.strip(), flags)

    def test_a_damaged_installation_says_so(self) -> None:
        moved = self.work / "moved"
        shutil.copytree(PREFIX, moved)
        (moved / SETTINGS["libdir"] / "libnvrtc_stub.so").unlink()
        output = cmake("find_package", self.work / "build", f"-DCMAKE_PREFIX_PATH={moved}", expect=None)
        self.assertIn("libnvrtc_stub.so is missing: install anycuda again", " ".join(output.split()))


class Debian(Usage):
    def check_dependency(self, package: Path) -> None:
        """dpkg-shlibdeps finds what the package of a linked program must depend on."""
        installed, folder = self.work / "installed", self.work / "app"
        run(["dpkg-deb", "-R", package, installed])
        (folder / "debian").mkdir(parents=True)
        (folder / "debian/control").write_text("Source: app\nMaintainer: a <a@example.org>\n\nPackage: app\n"
                                               "Architecture: any\nDescription: x\n", encoding="utf-8")
        (folder / "app.c").write_text("int cudaRuntimeGetVersion(int*);\nint main(void) { int version; "
                                      "return cudaRuntimeGetVersion(&version); }\n", encoding="utf-8")
        run([SETTINGS["cxx"], "-xc", folder / "app.c", "-xnone", LIBRARIES / "anycuda/link/12/libcudart.so", "-o",
             folder / "app"])
        stubs = next(installed.rglob("libcudart_stub.so")).parent
        needs = run(["dpkg-shlibdeps", "-O", f"-S{installed}", f"-l{stubs}", "app"], cwd=folder)
        self.assertRegex(needs, r"shlibs:Depends=.*\blibanycuda \(>= [0-9.]+\)")

    def test_packages(self) -> None:
        artifact("dpkg-dev")  # cpack finds its programs in PATH
        run([Path(SETTINGS["cmake"]).with_name("cpack"), "--config", Path(SETTINGS["build"]) / "CPackConfig.cmake",
             "-B", self.work / "packages"])
        packages = {path.name.split("_")[0]: path for path in (self.work / "packages").glob("*.deb")}
        self.assertEqual(sorted(packages), ["anycuda", "libanycuda", "libanycuda-dev"])
        needs = run(["dpkg-deb", "-f", packages["libanycuda"], "Depends"])
        self.assertRegex(needs, r"^libc6 \(>= [0-9.]+\)$")
        for package in ("anycuda", "libanycuda-dev"):
            self.assertIn("libanycuda (=", run(["dpkg-deb", "-f", packages[package], "Depends"]))
        self.check_dependency(packages["libanycuda"])
        root = self.work / "root"
        for path in packages.values():
            run(["dpkg-deb", "-x", path, root])
        self.assertIn("direct", run([root / "usr/bin/anycuda", "matrix", "--symbol", "cudaMalloc"]))
        for name in ("man/man1/anycuda-repair.1.gz", "zsh/vendor-completions/_anycuda",
                     "bash-completion/completions/anycuda", "fish/vendor_completions.d/anycuda.fish"):
            self.assertTrue((root / "usr/share" / name).is_file(), name)
        for package in packages:
            self.assertTrue((root / f"usr/share/doc/{package}/copyright").is_file())
        self.assertFalse((root / "usr/share/licenses").exists(), "one file of several packages")
        build = self.work / "build"
        cmake("find_package", build, f"-DCMAKE_PREFIX_PATH={root}/usr", f"-DCUDA_INCLUDES={';'.join(includes('13'))}")
        build_all(build, "--target", "program")
        self.check_program(build / "program", "13")


class Promise(Usage):
    """Every name of an earlier release is there, under each of its versions (docs/versions.md)."""

    def test_nothing_has_gone(self) -> None:
        floor = sorted((Path(__file__).parent / "floor").glob("*.txt"))
        self.assertGreater(len(floor), 17)
        for file in floor:
            stub = f"lib{file.stem}_stub.so"
            kept = {(symbol.name, symbol.version) for symbol in read.read(LIBRARIES / stub).exports()}
            rows = file.read_text(encoding="utf-8").splitlines()
            promised = {(name, version) for name, *versions in map(str.split, rows) if not name.startswith("#")
                        for version in ("ANYCUDA_NATIVE", *versions)}
            self.assertGreater(len(promised), 5)
            self.assertFalse(promised - kept, f"{stub} has lost names")
