# SPDX-License-Identifier: Apache-2.0
"""The list of wheels of docs/wheels.md."""

import unittest
from pathlib import Path

from wheelreach import wheel_list
from wheelreach.wheel_list import Entry, ListError

LIST = Path(__file__).resolve().parents[2] / "tools" / "reach" / "wheels.txt"


class Parse(unittest.TestCase):
    def test_lines_become_entries_in_their_order(self):
        self.assertEqual(wheel_list.parse("# old\n\nk2==1.23.4 python=3.9\nfaiss-gpu-cu12==1.14.1.post1  # new\n"),
                         [Entry("k2", "1.23.4", "3.9"), Entry("faiss-gpu-cu12", "1.14.1.post1", "3.11")])

    def test_line_without_version_is_refused_with_its_number(self):
        for line in ("k2", "k2==", "k2>=1", "k2==1 python=3", "k2==1 3.9", "--index-url==1", "k2==1 with=",
                     "k2==1 with=torch", "k2==1 with=torch==1,", "k2==1 with=a==1 with=b==1", "k2==1 after=/lib/x.so",
                     "k2==1 after=../x.so", "k2==1 with=a==1 after=../x.so", "k2==1 after=a.so",
                     "k2==1 with=a==1 after=a.so,", "k2==1 with=a==1,a==2", "k2==1 cuda=12"):
            with self.subTest(line=line), self.assertRaisesRegex(ListError, "^line 2: "):
                wheel_list.parse(f"\n{line}\n")

    def test_packages_beside_it_are_for_the_same_python(self):
        self.assertEqual(wheel_list.parse("k2==1 with=torch==2,x.y==3+cpu python=3.9 after=a/b.so,c.so.1"),
                         [Entry("k2", "1", "3.9", (Entry("torch", "2", "3.9"), Entry("x.y", "3+cpu", "3.9")),
                                ("a/b.so", "c.so.1"))])

    def test_same_wheel_twice_is_refused(self):
        for second in ("a==1", "a==1 with=b==1"):  # the results of both would have one name
            with self.assertRaisesRegex(ListError, "line 3: a==1 is in the list twice"):
                wheel_list.parse(f"a==1\na==2\n{second}\n")

    def test_project_list_is_valid(self):
        names = [entry.name for entry in wheel_list.parse(LIST.read_text())]
        self.assertIn("faiss-gpu-cu12", names)
        self.assertEqual(names, sorted(names))


class Select(unittest.TestCase):
    ENTRIES = wheel_list.parse("a==1\na==2\nb==1\n")

    def test_nothing_named_selects_all(self):
        self.assertEqual(wheel_list.select(self.ENTRIES, []), self.ENTRIES)

    def test_name_selects_each_version_and_requirement_one(self):
        self.assertEqual(wheel_list.select(self.ENTRIES, ["a"]), self.ENTRIES[:2])
        self.assertEqual(wheel_list.select(self.ENTRIES, ["b", "a==2"]), self.ENTRIES[1:])

    def test_unknown_name_is_refused(self):
        with self.assertRaisesRegex(ListError, "not in the list: c"):
            wheel_list.select(self.ENTRIES, ["a", "c"])


if __name__ == "__main__":
    unittest.main()
