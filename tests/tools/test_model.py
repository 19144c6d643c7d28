# SPDX-License-Identifier: Apache-2.0
"""The database as objects, and facts about NVIDIA's releases that must be in it."""

import re
import unittest

from abi_support import facts, SmallDatabase, real
from generate import abi_text, ctype, model

MINORS = [
    "11.7",
    "11.8",
    "12.0",
    "12.1",
    "12.2",
    "12.3",
    "12.4",
    "12.5",
    "12.6",
    "12.8",
    "12.9",
    "13.0",
    "13.1",
    "13.2",
    "13.3",
    "13.4",
    "13.5",
]


class Releases(unittest.TestCase):
    def test_every_minor_is_there(self):
        for library in ("cudart", "nvrtc", "cuda"):
            self.assertEqual(real(library).versions, MINORS, library)
        self.assertEqual(real("nvjitlink").versions, MINORS[2:])

    def test_majors(self):
        self.assertEqual(real("cudart").majors, ["11", "12", "13"])
        self.assertEqual(real("nvjitlink").majors, ["12", "13"])
        self.assertEqual(real("cuda").majors, [model.NATIVE])

    def test_missing_database_is_an_error(self):
        with self.assertRaisesRegex(FileNotFoundError, "versions.txt"):
            model.load(facts("nothing"))


class Exports(unittest.TestCase):
    def count(self, library: str, version: str) -> int:
        return len(real(library).exports(version))

    def test_cudart(self):
        counts = {
            v: self.count("cudart", v) for v in ("11.7", "11.8", "12.0", "12.9", "13.0", "13.5")
        }
        self.assertEqual(
            counts, {"11.7": 389, "11.8": 395, "12.0": 392, "12.9": 435, "13.0": 422, "13.5": 458}
        )

    def test_nvrtc(self):
        self.assertEqual([self.count("nvrtc", v) for v in ("11.8", "12.9", "13.5")], [18, 27, 31])

    def test_nvjitlink(self):
        self.assertEqual([self.count("nvjitlink", v) for v in ("12.0", "12.9")], [13, 145])

    def test_the_counts_are_those_of_the_library_files(self):
        for library in ("cudart", "nvrtc", "nvjitlink"):
            database = real(library)
            for version, about in database.about.items():
                self.assertEqual(int(about.rpartition("exports ")[2]), self.count(library, version))

    def test_the_driver(self):
        database = real("cuda")
        self.assertEqual(database.driver_versions, ["535", "550"])
        functions = [
            f for f in database.functions.values() if "535" in f.drivers and not f.data_size
        ]
        self.assertEqual(len(functions), 600)
        self.assertLess(set(database.exports("535")), set(database.exports("550")))
        self.assertEqual(database.functions["cudbgIpcFlag"].data_size, 4)

    def test_what_goes_and_what_comes(self):
        database = real("cudart")
        for before, after, gone, come in (("11.8", "12.0", 14, 11), ("12.9", "13.0", 30, 17)):
            old, new = set(database.exports(before)), set(database.exports(after))
            self.assertEqual((len(old - new), len(new - old)), (gone, come))

    def test_within_a_major_no_name_goes(self):
        for library in ("cudart", "nvrtc", "nvjitlink", "cuda"):
            database = real(library)
            for before, after in zip(database.versions, database.versions[1:]):
                if abi_text.major_of(before) == abi_text.major_of(after):
                    self.assertLessEqual(
                        set(database.exports(before)),
                        set(database.exports(after)),
                        f"{library} {after}",
                    )

    def test_since(self):
        functions = real("cudart").functions
        self.assertEqual(functions["cudaMalloc"].since, "11.7")
        self.assertEqual(functions["cudaMemPrefetchAsync_v2"].since, "12.2")
        self.assertEqual(functions["cudaThreadExit"].until, "12.9")
        self.assertEqual(functions["cudaGetDeviceProperties_v2"].majors, ("12",))


class Prototypes(unittest.TestCase):
    def test_every_prototype_of_every_release_resolves(self):
        for library in ("cudart", "nvrtc", "nvjitlink", "cuda"):
            for function in real(library).functions.values():
                for version in function.versions:
                    function.prototype(version)

    def test_few_functions_have_none(self):
        unknown = {name for name, f in real("cudart").functions.items() if f.source == "unknown"}
        self.assertEqual(
            unknown,
            {
                "__cudaGetProcAddress",
                "cudaSubgridCreate",
                "cudaSubgridWorkerGridCreate",
                "cudaSubgridWorksetCreate",
            },
        )

    def test_per_thread_forms_have_the_type_of_their_base(self):
        """A per-thread form differs from its base in nothing but the stream it means."""
        for library in ("cudart", "cuda"):
            functions = real(library).functions
            for name, function in functions.items():
                base = functions.get(re.sub(r"_(ptsz|ptds)$", "", name))
                if base is function or base is None:
                    continue
                for version in function.versions:
                    mine, theirs = function.texts[version], base.texts.get(version, "?")
                    if "?" not in (mine, theirs):
                        self.assertEqual(
                            [p.type for p in ctype.parse_prototype(mine)[1]],
                            [p.type for p in ctype.parse_prototype(theirs)[1]],
                            f"{name} in {version}",
                        )

    def test_kinds(self):
        functions = real("cudart").functions
        launch = functions["cudaLaunchKernel"].prototype("12.4")
        self.assertEqual(
            [p.kind for p in launch.params],
            ["pointer", "struct", "struct", "pointer", "integer", "pointer"],
        )
        self.assertEqual(launch.params[1].classes, ("integer", "integer"))
        extent = functions["cudaMalloc3D"].prototype("12.4").params[1]
        self.assertEqual((extent.size, extent.classes), (24, ("memory",)))
        limit = functions["cudaSetDoubleForDevice"].prototype("12.4").params[0]
        self.assertEqual(limit.kind, "pointer")
        self.assertEqual(functions["cudaCreateChannelDesc"].prototype("13.0").result_kind, "struct")
        self.assertEqual(functions["cudaGetErrorString"].prototype("13.0").result_kind, "string")
        self.assertEqual(
            functions["__cudaRegisterFatBinary"].prototype("11.8").result_kind, "pointer"
        )
        self.assertEqual(
            functions["__cudaUnregisterFatBinary"].prototype("11.8").result_kind, "void"
        )
        self.assertEqual(functions["cudaMalloc"].prototype("11.8").result_kind, "status")

    def test_a_float_by_value_is_in_a_vector_register(self):
        param = real("cuda").functions["cuTexRefSetMipmapLevelBias"].prototype("12.0").params[1]
        self.assertEqual((param.kind, param.size, param.sse), ("float", 4, True))

    def test_12_keeps_the_properties_of_11_under_the_old_name(self):
        functions = real("cudart").functions
        database = real("cudart")
        sizes = {}
        for name, version in (
            ("cudaGetDeviceProperties", "11.8"),
            ("cudaGetDeviceProperties", "12.4"),
            ("cudaGetDeviceProperties_v2", "12.4"),
            ("cudaGetDeviceProperties", "13.0"),
        ):
            kind = functions[name].prototype(version).params[0].type
            types = database.type_table(version)
            sizes[name, version] = types.resolve(types.resolve_text(kind).type.inner).size
        self.assertEqual(
            sizes,
            {
                ("cudaGetDeviceProperties", "11.8"): 728,
                ("cudaGetDeviceProperties", "12.4"): 728,
                ("cudaGetDeviceProperties_v2", "12.4"): 1032,
                ("cudaGetDeviceProperties", "13.0"): 1008,
            },
        )

    def test_one_handwritten_prototype_contradicts_the_headers(self):
        found = set()
        for library in ("cudart", "cuda", "nvrtc", "nvjitlink"):
            database = real(library)
            raw = abi_text.read_block(database.path / "functions.txt", database.versions)
            for name, function in database.functions.items():
                for version, text in function.texts.items():
                    declared = raw.get(name, {}).get(version, ("?",))[0]
                    if "?" not in (declared, text) and _types(declared) != _types(text):
                        found.add((name, abi_text.major_of(version)))
        self.assertEqual(found, {("cudaGetDeviceProperties", "12")})

    def test_name_keeps_its_type_after_the_header_drops_it(self):
        function = real("nvjitlink").functions["__nvJitLinkCreate_12_4"]
        self.assertEqual(len(function.prototype("12.9").params), 3)

    def test_a_borrowed_type_must_exist(self):
        with SmallDatabase(
            versions="11.8  x\n12.0  x\n",
            functions="f\n  12.0  ?\n",
            types="struct S\n  11.8  size 4 align 4\n      0  int  a\n",
            internals="f\n  12  int (struct S@11.8 * s)\n",
        ) as database:
            types = database.type_table("12.0")
            text = database.functions["f"].prototype("12.0").params[0].type
            self.assertEqual(types.resolve(types.resolve_text(text).type.inner).size, 4)


def _types(text: str) -> tuple:
    result, params, variadic = ctype.parse_prototype(text)
    return result, tuple(param.type for param in params), variadic


class Layouts(unittest.TestCase):
    def size(self, name: str, version: str) -> int:
        return real("cudart").type_table(version).record(name).size

    def test_sizes(self):
        self.assertEqual(
            [self.size("struct cudaDeviceProp", v) for v in ("11.8", "12.9", "13.0")],
            [728, 1032, 1008],
        )
        self.assertEqual(
            [self.size("struct cudaPointerAttributes", v) for v in ("12.9", "13.0")], [24, 88]
        )

    def test_bit_fields_and_unnamed_members_are_read(self):
        key = "struct cudaMemLocation"
        self.assertEqual(real("cudart").type_table("13.5").record(key).fields[1].name, "-")


class Errors(unittest.TestCase):
    def test_cudart_speaks_as_the_library_does(self):
        by_value = {value: (name, text) for value, name, text in real("cudart").errors}
        self.assertEqual(
            by_value[35],
            (
                "cudaErrorInsufficientDriver",
                "CUDA driver version is insufficient for CUDA runtime version",
            ),
        )
        self.assertEqual(by_value[100][1], "no CUDA-capable device is detected")
        self.assertTrue(all(text for _, text in by_value.values()))

    def test_every_status_value_is_in_the_list(self):
        for library in ("cudart", "cuda", "nvrtc", "nvjitlink"):
            database = real(library)
            known = {value for value, _, _ in database.errors}
            for version in database.versions:
                values = database.type_table(version).enumerators[database.status_type].values()
                self.assertLessEqual(set(values), known, f"{library} {version}")

    def test_the_newest_release_speaks(self):
        self.assertEqual(len(real("cudart").errors_of("11")), 125)
        self.assertGreater(len(real("cudart").errors_of("13")), 125)

    def test_the_driver_has_words_for_almost_all(self):
        silent = [name for _, name, text in real("cuda").errors if not text]
        self.assertEqual(silent, ["CUDA_ERROR_MULTICAST_RESOURCE_FULL"])


class Macros(unittest.TestCase):
    def test_redirections(self):
        database = real("cudart")
        self.assertEqual(
            database.redirects("12.4")["cudaGetDeviceProperties"], "cudaGetDeviceProperties_v2"
        )
        self.assertNotIn("cudaGetDeviceProperties", database.redirects("13.0"))
        self.assertEqual(
            database.redirects("12.4", per_thread=True)["cudaMemcpy"], "cudaMemcpy_ptds"
        )
        self.assertEqual(
            real("cuda").redirects("11.8")["cuModuleGetGlobal"], "cuModuleGetGlobal_v2"
        )

    def test_values(self):
        self.assertEqual(real("cudart").macros("13.5")["cudaStreamPerThread"], 2)
        self.assertEqual(real("cuda").macros("12.4")["CUDA_VERSION"], 12040)


if __name__ == "__main__":
    unittest.main()
