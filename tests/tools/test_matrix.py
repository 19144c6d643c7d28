# SPDX-License-Identifier: Apache-2.0
"""The matrix as the generator makes it: from a disposition, which is about a major, to each release."""

import json
import unittest

from abi_support import DESCRIBED, SmallDatabase, real
from generate import abi_text, dispositions, matrix
from generate.matrix import Answer
from matrix_support import LIBRARIES, dispositions_of, rows_of

VERSIONS = "11.8  x\n12.0  x\n12.1  x\n12.2  x\n13.0  x\n"
DRIVER = {"versions": "11.8  x\n12.0  x\n12.2  x\n13.0  x\n", "drivers": "535  x\n550  x\n"}


def rows(functions: str, driver: str = "", **files: str) -> matrix.Matrix:
    """The rows of a small library; `driver` is what cuda.h declares."""
    with SmallDatabase("cuda", functions=driver, exports="\n", **DRIVER) as cuda:
        names = "".join(f"{name}\n" for name in cuda.functions)
        with SmallDatabase(versions=VERSIONS, functions=functions, types="\n", driver=names,
                           **files) as database:
            return matrix.of_library(database, dispositions.dispositions(database), cuda)


def kinds(row: list[Answer]) -> str:
    return " ".join(answer.kind for answer in row)


class Releases(unittest.TestCase):
    def test_a_release_that_lacks_the_name_is_absent(self):
        row = rows("f\n  12.1-13.0  int ()\n")["f", "12"]
        self.assertEqual(kinds(row), "absent absent direct direct direct")
        self.assertEqual(row[1], Answer("absent", since="12.1", reason="not before 12.1"))
        self.assertEqual([answer.since for answer in row[2:]], ["12.1", "12.1", "13.0"])
        self.assertEqual((row[0].since, row[0].reason), ("", "not yet in 11 (first in 12.1)"))

    def test_a_release_after_the_last_with_the_name_is_absent(self):
        row = rows("f\n  12.0-12.1  int ()\n")["f", "12"]
        self.assertEqual(kinds(row), "absent direct direct absent absent")
        self.assertEqual(row[3], Answer("absent", reason="not after 12.1"))

    def test_a_release_between_two_with_the_name_is_absent(self):
        row = rows("f\n  12.0  int ()\n  12.2  int ()\n")["f", "12"]
        self.assertEqual(row[2], Answer("absent", since="12.2", reason="12.0 and 12.2 have it, 12.1 does not"))

    def test_of_several_names_the_first_that_a_release_has(self):
        text = "__aDo_12_2\n  12.2  int ()\naDo\n  12.1-12.2  int ()\n__aDo_12_0\n  12.0-12.2  int ()\n"
        lines = "12 __a*_12_# = 12 a*  one function\n12 __a*_12_# = 12 __a*_12_0  the oldest name\n"
        row = rows(text, renames=lines)["__aDo_12_2", "12"]
        self.assertEqual([(a.kind, a.target, a.reason, a.since) for a in row[1:4]], [
            ("renamed", "__aDo_12_0", "the oldest name", "12.0"),
            ("renamed", "aDo", "one function", "12.0"),
            ("direct", "", "", "12.0"),
        ])

    def test_a_rename_says_what_is_called_and_why(self):
        text = "f\n  12.0-12.2  int ()\ng\n  13.0  int ()\n"
        row = rows(text, renames="12 f = 13 g  its new name\n")["f", "12"]
        self.assertEqual(row[4], Answer("renamed", "g", since="13.0", reason="its new name"))

    def test_rejected_is_rejected_in_every_release(self):
        row = rows("f\n  12.1-13.0  int ()\n", rejects="13>12 f  means another thing\n")["f", "13"]
        self.assertEqual(kinds(row), "absent rejected rejected rejected direct")
        self.assertEqual(row[1].reason, "means another thing")

    TEXT = "f\n  13.0  int ()\ng\n  12.1-13.0  int ()\n"

    def test_an_adapter_needs_all_that_it_needs(self):
        row = rows(self.TEXT, adapters="13>12 f emulated make needs g  made of g\n")["f", "13"]
        self.assertEqual(kinds(row), "absent absent emulated emulated direct")
        self.assertEqual(row[1].reason, "not before 12.1, the first release with g")
        self.assertEqual(row[2], Answer("emulated", "", "make", ("g",), "12.1", "", "made of g"))

    def test_driver_counts_only_if_newer_than_the_runtime(self):
        declared = "cuOld\n  11.8-13.0  int ()\ncuNew\n  12.2-13.0  int ()\n"
        for needs, driver in (("cuOld", ""), ("cuOld,cuNew", "12.2"), ("g,cuNew", "12.2")):
            lines = f"13>12 f emulated make needs {needs}  why\n"
            row = rows(self.TEXT, declared, adapters=lines)["f", "13"]
            self.assertEqual(row[3].driver, driver, needs)

    def test_variables_are_not_calls(self):
        with SmallDatabase("cuda", functions="cuF\n  11.8-13.0  int ()\n",
                           exports="cuF  535-550  x\nflag  535-550  data 4\n", **DRIVER) as cuda:
            self.assertEqual(list(matrix.of_driver(cuda)), [("cuF", "any")])


class Driver(unittest.TestCase):
    def test_driver_has_its_exports_and_the_newest_all(self):
        functions = {"cuA": "11.8", "cuB": "12.2", "cuNew": "12.8", "cuElsewhere": "11.8"}
        with SmallDatabase("cuda", functions="".join(f"{name}\n  {since}-13.0  int ()\n"
                                                     for name, since in functions.items()),
                           exports="cuA  535-550  x\ncuB  550  x\ncuC  535-550  x\ncuD  550  x\n",
                           versions="11.8  x\n12.2  x\n12.8  x\n13.0  x\n", drivers="535  x\n550  x\n") as cuda:
            found = matrix.of_driver(cuda)
            branches = matrix.driver_runtimes(cuda)
        self.assertEqual((branches[0], branches[-2:]), ("520", ["580", "13.0"]))

        def has(name: str) -> list[str]:
            return [branch for branch, answer in zip(branches, found[name, "any"]) if answer.kind == "direct"]

        self.assertEqual(has("cuA"), branches)
        self.assertEqual(has("cuB"), branches[branches.index("545"):])  # the exports of 535 count more than its cuda.h
        self.assertEqual(found["cuB", "any"][0].since, "12.2")
        self.assertEqual(has("cuNew"), branches[branches.index("570"):])  # by cuda.h
        self.assertEqual(has("cuElsewhere"), ["13.0"])  # of another platform, as no harvested driver has it
        self.assertEqual(has("cuC"), branches)  # no header says since when
        self.assertEqual(has("cuD"), branches[branches.index("550"):])


class Whole(unittest.TestCase):
    def test_every_symbol_has_a_row_for_every_caller_and_release(self):
        for library in LIBRARIES:
            database, found = real(library), rows_of(library)
            wanted = {(f.name, abi_text.major_of(v)) for f in database.functions.values() for v in f.versions}
            self.assertEqual(set(found), wanted)
            self.assertEqual({len(row) for row in found.values()}, {len(database.versions)})
        self.assertEqual(len(rows_of("cuda")),
                         sum(not f.data_size for f in real("cuda").functions.values()))

    def test_releases_list_only_exported_names(self):
        for library in LIBRARIES:
            database = real(library)
            exported = {release: set(database.exports(release)) for release in database.versions}
            for (symbol, caller), row in rows_of(library).items():
                for release, answer in zip(database.versions, row):
                    disposition = dispositions_of(library)[
                        symbol, database.major(f"{caller}.0"), database.major(release)]
                    names = {disposition.target, *disposition.fallbacks} & exported[release]
                    where = (symbol, caller, release)
                    if answer.kind in ("direct", "renamed"):
                        self.assertIn(answer.target or symbol, names, where)
                        self.assertEqual(answer.kind == "renamed", bool(answer.target), where)
                    elif answer.kind in ("adapted", "emulated"):
                        mine = {n for n in answer.needs if n in database.functions}
                        self.assertLessEqual(mine, exported[release], where)
                        self.assertFalse(disposition.fallback and names, where)
                    elif answer.kind == "absent" and disposition.kind in ("direct", "renamed"):
                        self.assertFalse(names, where)
                    else:
                        self.assertTrue(answer.reason, where)
                    fallback = disposition.fallback.kind if disposition.fallback else disposition.kind
                    self.assertIn(answer.kind, (disposition.kind, fallback, "absent", "direct", "renamed"),
                                  where)

    def test_known_dispositions(self):
        row = dict(zip(real("nvrtc").versions, rows_of("nvrtc")["nvrtcGetNVVM", "12"]))
        self.assertEqual((row["12.9"].kind, row["13.5"].target), ("direct", "nvrtcGetLTOIR"))
        row = dict(zip(real("cudart").versions, rows_of("cudart")["cudaLibraryLoadData", "12"]))
        self.assertEqual([row[v].kind for v in ("12.6", "12.8", "13.0")],
                         ["absent", "direct", "direct"])
        row = rows_of("cuda")["cuLibraryGetKernelCount", "any"]
        self.assertEqual((row[0].kind, row[-1].kind, row[0].since), ("absent", "direct", "12.4"))

    def test_the_file_says_the_same(self):
        text = json.loads(matrix.text("1.2.3"))
        self.assertEqual((text["format"], text["anycuda"]), (matrix.FORMAT, "1.2.3"))
        self.assertEqual(list(text["libraries"]),
                         sorted(DESCRIBED, key=lambda name: (DESCRIBED[name].is_driver, name)))
        for name, library in text["libraries"].items():
            answers = [Answer(**dict(zip(library["answer_fields"], values)))
                       for values in library["answers"]]
            self.assertEqual(len(answers), len(set(map(str, answers))))
            read = {}
            for symbol, caller, runs in library["rows"]:
                read[symbol, caller] = [answers[number] for count, number in zip(runs[::2], runs[1::2])
                                        for _ in range(count)]
            self.assertEqual(str(read), str({key: [_listed(a) for a in row]
                                             for key, row in rows_of(name).items()}))


def _listed(answer: Answer) -> Answer:
    """As JSON has it."""
    return Answer(**{**answer.__dict__, "needs": list(answer.needs)})


if __name__ == "__main__":
    unittest.main()
