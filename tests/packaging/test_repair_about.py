# SPDX-License-Identifier: Apache-2.0
"""A repaired wheel's statements about itself: anycuda's licence (PEP 639), its SBOM (PEP 770), its build tag."""

import copy
import hashlib
import json
import unittest
import zipfile
from pathlib import Path

from build_folder import with_real_libraries
from analysis_support import table
from doctor_support import ROOT
from test_repair import TAG, RepairCase
from wheel_support import problems, real_wheel, repaired

from anycuda.repair import licence, sbom

INFO = "thing-1.0.dist-info"
AUDITWHEEL = f"{INFO}/sboms/auditwheel.cdx.json"
OWN = f"{INFO}/sboms/anycuda.cdx.json"
WHEEL = sbom.Wheel("thing", "1.0", f"thing-1.0-{TAG}.whl", INFO)
ROOT_REF = f"pkg:pypi/thing@1.0?file_name=thing-1.0-{TAG}.whl"
ANYCUDA = "pkg:generic/anycuda@0.1.0"
STUBS = {"thing.libs/libanycuda_cudart-0123abcd.so": "ab" * 32}
LEFT_OUT = ["thing.libs/libcudart-8774224f.so.12.4.127"]


def component(name: str, purl: str) -> dict:
    return {"type": "library", "bom-ref": purl, "name": name, "version": "1", "purl": purl.partition("#")[0]}


def of_auditwheel(*packages: str) -> dict:
    """As auditwheel 6.8 writes it (auditwheel/sboms.py)."""
    itself = component("thing", ROOT_REF)
    refs = {name: f"pkg:rpm/almalinux/{name}@1#{hashlib.sha256(name.encode()).hexdigest()}" for name in packages}
    return {"bomFormat": "CycloneDX", "specVersion": "1.4", "version": 1,
            "metadata": {"component": itself, "tools": [{"name": "auditwheel", "version": "6.8.2"}]},
            "components": [itself, *(component(name, ref) for name, ref in refs.items())],
            "dependencies": [{"ref": ROOT_REF, "dependsOn": list(refs.values())},
                             *({"ref": ref} for ref in refs.values())]}


def dumped(document) -> bytes:
    return json.dumps(document).encode()


class Sbom(unittest.TestCase):
    def make(self, found: dict, left_out=LEFT_OUT, stubs=STUBS) -> sbom.Sboms:
        return sbom.make(found, WHEEL, left_out, stubs, "0.1.0", table())

    def test_auditwheels_loses_what_is_left_out_and_gets_the_stubs(self):
        before = of_auditwheel("libgomp", "cuda-cudart-12-4", "zlib")
        made = self.make({AUDITWHEEL: dumped(before)})
        self.assertEqual((list(made.texts), made.notes), ([AUDITWHEEL], []))
        self.assertEqual(made.changes, [f"{AUDITWHEEL}: without libcudart-8774224f.so.12.4.127, with the stubs"])
        after = json.loads(made.texts[AUDITWHEEL])
        self.assertEqual([one["name"] for one in after["components"]], ["thing", "libgomp", "zlib", "anycuda"])
        self.assertEqual(after["components"][-1]["components"],
                         [{"type": "file", "name": name, "hashes": [{"alg": "SHA-256", "content": digest}]}
                          for name, digest in STUBS.items()])
        refs = [one["bom-ref"] for one in after["components"]]
        self.assertEqual([one["ref"] for one in after["dependencies"]], refs)
        self.assertEqual(after["dependencies"][0]["dependsOn"], refs[1:])
        self.assertEqual(after["metadata"]["tools"][-1], {"name": "anycuda", "version": "0.1.0"})
        self.assertEqual(after["version"], 2)

    def test_missing_document_is_written(self):
        made = self.make({}, [])
        self.assertEqual((list(made.texts), made.changes), ([OWN], []))
        after = json.loads(made.texts[OWN])
        self.assertEqual([one["purl"] for one in after["components"]], [ANYCUDA])
        self.assertEqual(after["compositions"][0]["aggregate"], "incomplete")
        self.assertNotIn("serialNumber", after)
        self.assertNotIn("timestamp", after["metadata"])

    def test_anycudas_identifier_names_no_registry(self):
        """Anybody can take the name on PyPI while anycuda is not there. The wheel itself keeps its purl."""
        for found in {}, {AUDITWHEEL: dumped(of_auditwheel("zlib"))}:
            (text,) = self.make(found, []).texts.values()
            purls = {one["name"]: one["purl"] for one in json.loads(text)["components"]}
            self.assertEqual(purls["anycuda"], ANYCUDA)
            self.assertNotIn(b"pkg:pypi/anycuda", text)
            self.assertIn(ROOT_REF.encode(), text)

    def test_again_with_other_stubs(self):
        first = self.make({}, [])
        other = {"thing.libs/libanycuda_cuda-89abcdef.so": "cd" * 32}
        after = json.loads(self.make(first.texts, [], other).texts[OWN])
        (anycuda,) = after["components"]
        self.assertEqual([one["name"] for one in anycuda["components"]], sorted({**STUBS, **other}))
        self.assertEqual([one["ref"] for one in after["dependencies"]], [ROOT_REF, ANYCUDA])

    def test_packages_that_bring_the_file(self):
        for package, file in (("libcudart12", "libcudart-8774224f.so.12.4.127"), ("libcudart11.0", "libcudart.so.11.0"),
                              ("nvidia-cuda-runtime-cu12", "libcudart.so.12"), ("cuda-nvrtc-12-0", "libnvrtc.so.12"),
                              ("cuda-nvrtc-12-0", "libnvrtc-builtins-4425561a.so.12.4.127"),
                              ("libcublas-12-4", "libcublasLt-0a1b2c3d.so.12"),
                              ("libnvjitlink-12-4", "libnvJitLink.so.12"),
                              ("libcudnn9-cuda-12", "libcudnn-01234567.so.9"), ("libnccl", "libnccl.so.2")):
            with self.subTest(package=package, file=file):
                after = json.loads(self.make({AUDITWHEEL: dumped(of_auditwheel(package))}, [file]).texts[AUDITWHEEL])
                self.assertEqual([one["name"] for one in after["components"]], ["thing", "anycuda"])

    def test_packages_of_others_stay(self):
        for package, file in (("cuda-nvrtc-12-4", "libcudart.so.12"), ("nvidia-driver-cuda-libs", "libcuda.so.1"),
                              ("nvidia-cuda-runtime-cu12", "libnvidia-ml.so.1"),
                              ("cuda-toolkit", "libcublas.so.12"), ("libcurl4", "libcurand.so.10")):
            with self.subTest(package=package):
                made = self.make({AUDITWHEEL: dumped(of_auditwheel(package))}, [file])
                self.assertIn(package, made.texts[AUDITWHEEL].decode())
                self.assertIn(f"no SBOM of the wheel names the package of {file}, so no component was removed for it",
                              made.notes)

    def test_two_files_of_one_package(self):
        document = of_auditwheel("libcublas-12-4")
        second = component("libcublas-12-4", "pkg:rpm/almalinux/libcublas-12-4@1#other")
        document["components"].append(second)
        for left_out, kept in ((["libcublas.so.12"], [second["bom-ref"]]),
                               (["libcublas.so.12", "libcublasLt.so.12"], [])):
            after = json.loads(self.make({AUDITWHEEL: dumped(document)}, left_out).texts[AUDITWHEEL])
            self.assertEqual([one["bom-ref"] for one in after["components"]], [ROOT_REF, *kept, ANYCUDA])

    def test_another_tools_document_loses_what_is_left_out_only(self):
        cargo = f"{INFO}/sboms/thing.cyclonedx.json"
        made = self.make({cargo: dumped(of_auditwheel("cuda-cudart-12-4", "serde"))})
        self.assertEqual(set(made.texts), {cargo, OWN})
        self.assertEqual([one["name"] for one in json.loads(made.texts[cargo])["components"]], ["thing", "serde"])
        untouched = self.make({cargo: dumped(of_auditwheel("serde"))})
        self.assertEqual(set(untouched.texts), {OWN})

    def test_a_document_of_cyclonedx_1_6(self):
        document = {**of_auditwheel(), "specVersion": "1.6"}
        document["metadata"]["tools"] = {"components": [{"type": "application", "name": "auditwheel"}]}
        after = json.loads(self.make({AUDITWHEEL: dumped(document)}, []).texts[AUDITWHEEL])
        self.assertEqual(after["metadata"]["tools"]["components"][-1],
                         {"type": "application", "name": "anycuda", "version": "0.1.0"})

    def test_invalid_references_stay(self):
        document = of_auditwheel("cuda-cudart-12-4")
        document["dependencies"][0]["dependsOn"].append({"ref": []})
        after = json.loads(self.make({AUDITWHEEL: dumped(document)}).texts[AUDITWHEEL])
        self.assertEqual(after["dependencies"][0]["dependsOn"], [{"ref": []}, ANYCUDA])

    def test_what_is_damaged_stays(self):
        good = of_auditwheel("cuda-cudart-12-4")
        spoiled = []
        for key, value in (("components", {}), ("components", [1]), ("components", [{"name": 1}]), ("metadata", []),
                           ("dependencies", [{"ref": []}]), ("dependencies", [{"ref": "a", "dependsOn": "b"}]),
                           ("bomFormat", "SPDX")):
            spoiled.append(dumped({**copy.deepcopy(good), key: value}))
        for content in (b"", b"{", b"[]", b"\xff", b"[" * 100000, b'{"bomFormat": "CycloneDX", "components": null}',
                        *spoiled):
            with self.subTest(content=content[:60]):
                made = self.make({AUDITWHEEL: content})
                self.assertEqual(list(made.texts), [OWN])
                self.assertEqual(list(self.make({OWN: content}).texts), [])
                self.assertIn("is not a CycloneDX file that anycuda can read", self.make({OWN: content}).notes[0])


class Licence(unittest.TestCase):
    def add(self, metadata: str, *files: str) -> licence.Licensed:
        return licence.add(metadata.encode(), INFO, [f"{INFO}/{file}" for file in files])

    def test_metadata_names_it(self):
        made = self.add("Metadata-Version: 2.4\nName: thing\nLicense-File: LICENSE\nRequires-Dist: numpy\n\nText\n",
                        "licenses/LICENSE")
        self.assertEqual(made.metadata.decode(), "Metadata-Version: 2.4\nName: thing\nLicense-File: LICENSE\n"
                                                 "License-File: anycuda/LICENSE\nRequires-Dist: numpy\n\nText\n")
        self.assertEqual((made.renamed, made.notes), ({}, []))
        self.assertEqual(licence.add(made.metadata, INFO, []).metadata, made.metadata)

    def test_the_version_is_the_one_that_has_the_field(self):
        for before, after in (("1.0", "2.4"), ("2.1", "2.4"), ("2.3", "2.4"), ("2.4", "2.4"), ("2.5", "2.5"),
                              ("3.0", "3.0"), ("x", "x"), ("2." + "9" * 5000, "2." + "9" * 5000)):
            with self.subTest(before=before[:9]):
                made = self.add(f"Metadata-Version: {before}\r\nName: thing")
                self.assertEqual(made.metadata.decode(), f"Metadata-Version: {after}\r\nName: thing\r\n"
                                                         "License-File: anycuda/LICENSE\r\n")

    def test_licences_of_older_metadata_move(self):
        for place in ("LICENSE", "license_files/LICENSE"):
            made = self.add("Metadata-Version: 2.1\nLicense-File: LICENSE\n", place)
            self.assertEqual((made.renamed, made.notes), ({f"{INFO}/{place}": f"{INFO}/licenses/LICENSE"}, []))
        made = self.add("Metadata-Version: 2.1\nLicense-File: LICENSE\n", "licenses/LICENSE", "LICENSE")
        self.assertEqual(made.renamed, {})

    def test_licences_that_lead_out_or_are_missing_are_reported(self):
        for name in ("../evil", "/evil", "a/../b", "missing"):
            made = self.add(f"Metadata-Version: 2.1\nLicense-File: {name}\n", "evil", "b", "../evil")
            self.assertEqual(made.renamed, {}, name)
            self.assertIn(f"names the licence {name}, which the wheel lacks", made.notes[0])
        for name in ("a\0b/LICENSE", "a\x1bb/LICENSE"):
            self.assertEqual(self.add(f"Metadata-Version: 2.1\nLicense-File: {name}\n", "LICENSE").renamed, {}, name)

    def test_metadata_without_fields(self):
        self.assertEqual(licence.add(b"", INFO, []).metadata, b"")


@with_real_libraries
class Wheels(RepairCase):
    def read(self, path: Path, name: str) -> bytes:
        with zipfile.ZipFile(path) as wheel:
            return wheel.read(name)

    def test_a_wheel_gets_both(self):
        path = self.wheel({"thing/a.so": self.library(), f"{INFO}/LICENSE": b"theirs"},
                          metadata="License-File: LICENSE\n")
        out = repaired(path, self.top / "out")
        self.assertEqual(problems(out), [])
        with zipfile.ZipFile(out) as wheel:
            names = wheel.namelist()
            self.assertEqual(wheel.read(f"{INFO}/licenses/LICENSE"), b"theirs")
            self.assertEqual(wheel.read(licence.path(INFO)), (ROOT / "LICENSE").read_bytes())
            self.assertEqual(wheel.getinfo(OWN).external_attr >> 16, 0o100644)
            metadata = wheel.read(f"{INFO}/METADATA").decode()
            document = json.loads(wheel.read(OWN))
            (anycuda,) = document["components"]
            self.assertEqual(anycuda["purl"], ANYCUDA.replace("0.1.0", anycuda["version"]))
            (stub,) = anycuda["components"]
            self.assertEqual(stub["hashes"][0]["content"], hashlib.sha256(wheel.read(stub["name"])).hexdigest())
        self.assertNotIn(f"{INFO}/LICENSE", names)
        self.assertEqual(names[-1], f"{INFO}/RECORD")
        self.assertEqual(metadata.splitlines()[:5], ["Metadata-Version: 2.4", "Name: thing", "Version: 1.0",
                                                     "License-File: LICENSE", "License-File: anycuda/LICENSE"])

    def test_a_wheel_that_gets_no_stub_stays(self):
        path = self.wheel({"thing/a.py": b"1"})
        self.assertEqual(repaired(path, self.top / "out").read_bytes(), path.read_bytes())

    def test_files_where_folders_must_be_are_refused(self):
        for name in ("licenses", "licenses/anycuda", "sboms"):
            path = self.wheel({"thing/a.so": self.library(), f"{INFO}/{name}": b"1"})
            self.assertIn(f"{INFO}/{name} is a file", self.refused(path, status=2))

    def test_sboms_that_are_too_large_stay(self):
        large = b" " * (sbom.LARGEST + 1)
        path = self.wheel({"thing/a.so": self.library(), AUDITWHEEL: large})
        self.assertEqual(self.read(repaired(path, self.top / "out"), AUDITWHEEL), large)

    def test_the_sbom_of_a_real_wheel(self):
        """Of mooncake, whose auditwheel found no library of CUDA to bring along."""
        source = real_wheel("mooncake")
        out = repaired(source, self.top / "out")
        (name,) = [name for name in zipfile.ZipFile(source).namelist() if name.endswith(".cdx.json")]
        before, after = (json.loads(self.read(path, name)) for path in (source, out))
        self.assertEqual(after["components"][:-1], before["components"])
        stubs = {one["name"] for one in after["components"][-1]["components"]}
        self.assertEqual(stubs, {name for name in zipfile.ZipFile(out).namelist() if "/libanycuda_" in name})
        self.assertFalse([name for name in zipfile.ZipFile(out).namelist() if name.endswith("anycuda.cdx.json")])


if __name__ == "__main__":
    unittest.main()
