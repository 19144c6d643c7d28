# SPDX-License-Identifier: Apache-2.0
"""The order of the Python package: imports go one way, functions are short, and names are nouns and verbs."""

from __future__ import annotations

import ast
import unittest

from include_graph import find_cycle
from package_graph import PACKAGE, TREES, functions, imported, imports, variables

# Folder -> the folders that it imports, the lowest first. Every folder except elf/ may also import the modules beside
# the folders, such as failure.py, which import no folder.
LAYERS: dict[str, set[str]] = {
    "elf": set(),
    "elf/edit": {"elf"},
    "wheels": set(),
    "matrix": set(),
    "config": {"elf"},
    "analysis": {"elf", "matrix", "wheels"},
    "run": {"analysis", "elf"},
    "patch": {"analysis", "elf", "elf/edit"},
    "doctor": {"analysis", "elf", "matrix"},
    "find": {"doctor"},
    "check": {"analysis", "doctor", "matrix", "wheels"},
    "repair": {"analysis", "check", "elf", "elf/edit", "wheels"},
}
LONGEST = 40  # lines of a function
# Imports (importer, imported) that close a circle, with the reason. Also those in functions and for types only count.
ALLOWED_CIRCLES: set[tuple[str, str]] = set()

# Temporary: parts of the package that are being changed. Remove each entry when its rule holds.
MENDING_OF = {"repair/verdict"}
MENDING_ONE = {"analysis", "check", "repair"}  # folders


def layer_of(name: str) -> str:
    """The folder of a module in the table; "" for the modules beside the folders."""
    parts = name.split("/")
    prefixes = ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
    return next((prefix for prefix in prefixes if prefix in LAYERS), "")


class Imports(unittest.TestCase):
    def test_between_folders_are_those_of_the_table(self) -> None:
        graph = imports(layer_of)
        self.assertEqual({folder: graph[folder] - {""} for folder in LAYERS}, LAYERS)

    def test_every_folder_is_in_the_table(self) -> None:
        self.assertEqual({file.parent.name for file in PACKAGE.glob("*/__init__.py")},
                         {folder for folder in LAYERS if "/" not in folder})

    def test_of_lower_folders_never_lead_up(self) -> None:
        folders = list(LAYERS)
        for folder, others in LAYERS.items():
            self.assertLessEqual(others, set(folders[:folders.index(folder)]), folder)

    def test_of_the_modules_beside_the_folders_lead_to_no_folder(self) -> None:
        self.assertEqual(imports(layer_of)[""], set())

    def test_of_the_elf_package_stay_within_it(self) -> None:
        self.assertEqual({folder: imports(layer_of)[folder] for folder in ("elf", "elf/edit")},
                         {"elf": set(), "elf/edit": {"elf"}})

    def test_between_modules_have_no_circle(self) -> None:
        graph = imports(str)
        self.assertIn("elf/read", graph["analysis/contents"])
        for importer, other in ALLOWED_CIRCLES:
            graph[importer].discard(other)
        self.assertEqual(find_cycle(graph), [])

    def test_in_functions_and_for_types_are_found(self) -> None:
        code = ("from .. import kind\nfrom ..elf import ElfError, read\nif TYPE_CHECKING:\n    from .ties import Tie\n"
                "def f():\n    from . import named\n    import anycuda.elf.lookup\n")
        self.assertEqual(list(imported("analysis/opened", ast.parse(code))),
                         ["kind", "elf", "elf/read", "analysis/ties", "analysis/named", "elf/lookup"])


class Functions(unittest.TestCase):
    def test_are_short(self) -> None:
        lines = {(module, name): count for module, tree in TREES.items() for name, count in functions(tree).items()}
        self.assertGreater(len(lines), 500)
        self.assertEqual({place: count for place, count in lines.items()
                          if count > LONGEST}, {})

    def test_have_a_verb_not_only_of(self) -> None:
        self.assertEqual({module for module, tree in TREES.items() if "of" in functions(tree)} - MENDING_OF, set())

    def test_are_found_in_classes_and_functions(self) -> None:
        code = "class A:\n    def of(self):\n        async def g():\n            pass\n        return g\n"
        self.assertEqual(functions(ast.parse(code)), {"of": 4, "g": 2})


class Variables(unittest.TestCase):
    def test_are_nouns(self) -> None:
        self.assertEqual([module for module, tree in TREES.items()
                          if "one" in variables(tree) and module.split("/")[0] not in MENDING_ONE], [])

    def test_are_found_in_comprehensions_and_parameters(self) -> None:
        code = "a: int = 1\nlambda b: [c for c in d]\ndef f(e, *, g=0):\n    for h, (i,) in j: k = l.m\n"
        self.assertEqual(variables(ast.parse(code)), set("abceghik"))


if __name__ == "__main__":
    unittest.main()
