# SPDX-License-Identifier: Apache-2.0
"""docs/cross-major-cells.md: it agrees with the database, and stays readable."""

import re
import unittest

from abi_support import ROOT
from matrix_support import LIBRARIES, anycuda, built, dispositions_of

from anycuda.matrix import data, page  # matrix_support puts it on the path

PAGE = ROOT / "docs" / "cross-major-cells.md"
UPDATE = (
    "export PYTHONPATH=stubs/tools:packaging/python; python3 -m generate.matrix --version 0 --out /dev/stdout | "
    "python3 -m anycuda matrix --file /dev/stdin --markdown > docs/cross-major-cells.md"
)


def written() -> str:
    status, out, _ = anycuda("matrix", "--file", str(built()), "--markdown")
    assert status == 0
    return out


def run(symbol: str, caller: str, runtimes: str, kind: str, reason: str = "", since: str = "",
        driver: str = "") -> data.Run:
    return data.Run("small", symbol, caller, tuple(runtimes.split()), data.Disposition(kind), "", "", (), since, driver,
                    reason)


def small(*runs: data.Run, is_driver: bool = False, own_releases: str = "") -> str:
    """The page of a library with these runs, without the introduction."""
    releases = own_releases.split() or (["535", "550", "13.5"] if is_driver else ["11.8", "12.0", "13.0"])
    library = data.Library("small", "Small", "libsmall_stub.so", is_driver,
                           {"absent": 302, "rejected": 801}, ["11", "12", "13"], releases, list(runs),
                           bool(own_releases))
    return page.markdown(data.Matrix("1", {"small": library})).split("libsmall_stub.so`)\n\n")[1]


class CheckedIn(unittest.TestCase):
    def test_it_is_what_the_database_gives(self):
        if PAGE.read_text(encoding="utf-8") != written():
            self.fail(f"{PAGE.name} is not what the database gives. Write it again and look at the "
                      f"difference:\n    {UPDATE}\n(or a build's own: {page.COMMAND})")

    def test_every_rejected_and_absent_cell_is_on_it(self):
        text = written()
        for library in LIBRARIES:
            product = text.split(f"(`lib{library}_stub.so`)")[1].split("\n## ")[0]
            functions = set(re.findall(r"`(\w+)`(?: \(`(_pts[zd])`\))?", product))
            names = {name for name, _ in functions} | {name + suffix for name, suffix in functions}
            expected = {key[0] for key, one in dispositions_of(library).items()
                        if one.kind in ("rejected", "absent") and key[1] != key[2]}
            self.assertEqual(expected - names, set())
        self.assertIn("`cuFuncLoad`", text.split("(`libcuda_stub.so`)")[1])

    def test_lines_are_short(self):
        self.assertLessEqual(max(map(len, written().splitlines())), page.WIDTH + 1)


class Groups(unittest.TestCase):
    def test_same_reason_in_the_same_directions_is_printed_once(self):
        text = small(run("f", "12", "13.0", "rejected", "unsafe"), run("g", "11", "13.0", "rejected", "unsafe"),
                     run("g_ptsz", "11", "13.0", "rejected", "unsafe"),
                     run("g", "12", "13.0", "rejected", "unsafe"),
                     run("g_ptsz", "12", "13.0", "rejected", "unsafe"))
        self.assertEqual(text, ("### Rejected: error 801\n\n- **11 or 12 on 13**: unsafe\\\n  `g` (`_ptsz`)\n"
                                "- **12 on 13**: unsafe\\\n  `f`\n"))

    def test_directions_that_share_nothing_stand_side_by_side(self):
        text = small(run("f", "11", "12.0", "rejected", "no"), run("f", "12", "11.8", "rejected", "no"),
                     run("f", "12", "13.0", "rejected", "no"))
        self.assertIn("**11 on 12; 12 on 11 or 13**: no\\", text)

    def test_a_form_whose_base_is_elsewhere_has_its_whole_name(self):
        self.assertIn("`f_ptsz`", small(run("f_ptsz", "12", "13.0", "rejected", "no")))

    def test_releases_and_majors_in_a_reason_do_not_split_it(self):
        text = small(run("f", "11", "13.0", "rejected", "2 bytes (built for 11.8, on 13.0)"),
                     run("f", "12", "13.0", "rejected", "2 bytes (built for 12.0, on 13.0)"),
                     run("g", "13", "11.8", "absent", "not yet in 11 (first in 13.0)"),
                     run("g", "13", "12.0", "absent", "not yet in 12 (first in 13.0)"))
        self.assertIn("- **11 or 12 on 13**: 2 bytes\\", text)
        self.assertIn("- **13 on 11 or 12**: added in 13.0\\", text)

    def test_each_kind_of_absence_has_its_section(self):
        text = small(run("gone", "11", "12.0", "absent", "no longer in 12 (last in 11.8)"),
                     run("new", "13", "12.0", "absent", "not yet in 12 (first in 13.0)"),
                     run("later", "13", "12.0", "absent", "not before 12.1", since="12.1"),
                     run("newest", "13", "12.0", "emulated", "why", driver="12.4"))
        titles = [line.split(":")[0] for line in text.splitlines() if line.startswith("###")]
        self.assertEqual(titles, ["### Absent", "### Added in a later major than the installed one",
                                  "### Absent only in the first releases of the installed major",
                                  "### Only with a new enough driver"])
        self.assertIn("**11 on 12**: removed after 11.8\\\n  `gone`", text)
        self.assertIn("**13 on 12**: works from 12.1 on\\\n  `later`", text)
        self.assertIn("**13 on 12**: needs a driver of CUDA 12.4 or later\\\n  `newest`", text)

    def test_a_soname_of_two_majors_is_told_apart(self):
        text = small(run("f", "13", "11.8", "absent", "not before 12.1", since="12.1"),
                     run("f", "13", "12.0", "absent", "not before 12.1", since="12.1"),
                     run("g", "11", "12.0", "absent", "not after 11.8"))
        self.assertIn("**13 on 11**: added in 12.1\\\n  `f`", text)
        self.assertIn("**13 on 12**: works from 12.1 on\\\n  `f`", text)
        self.assertIn("**11 on 12**: removed after 11.8\\\n  `g`", text)

    def test_direct_calls_and_the_callers_major_are_left_out(self):
        self.assertEqual(small(run("f", "12", "13.0", "direct"),
                               run("f", "12", "12.0", "absent", "not before 12.1", since="12.1")),
                         "All calls work.\n")

    def test_versions_are_sorted_as_numbers(self):
        text = small(*(run(f"f{minor}", "13", "12.0", "absent", f"not yet in 12 (first in 12.{minor})")
                       for minor in (10, 9)))
        self.assertLess(text.index("`f9`"), text.index("`f10`"))

    def test_the_driver(self):
        reason = "it lacks it (in cuda.h since 12.4)"
        text = small(run("cuF", "any", "535", "absent", reason, since="12.4"), is_driver=True)
        self.assertIn("- **on 535**: declared since 12.4\\\n  `cuF`", text)

    def test_a_function_that_no_driver_has(self):
        text = small(run("cuF", "any", "535 550", "absent", since="11.7"),
                     run("cuG", "any", "535 550", "absent", since="13.5"), run("cuH", "any", "535", "absent"),
                     is_driver=True)
        self.assertIn("- **on 535-550**: declared since 11.7, but absent on every branch\\\n  `cuF`", text)
        self.assertIn("- **on 535-550**: declared since 13.5\\\n  `cuG`", text)
        self.assertIn("- **on 535**: declared by no header\\\n  `cuH`", text)

    def test_a_library_with_releases_of_its_own(self):
        def on(symbol: str, *kinds: str) -> list[data.Run]:
            return [run(symbol, "any", release, kind, "") for release, kind in zip(releases.split(), kinds)]

        releases = "small-1.0 small-1.1.0 small-1.1 small-1.2"
        text = small(*on("always", *["direct"] * 4), *on("new", "absent", "absent", "direct", "direct"),
                     *on("once", "absent", "direct", "absent", "absent"),
                     *on("again", "direct", "direct", "absent", "direct"), own_releases=releases)
        self.assertNotIn("always", text)
        self.assertIn("of these releases: 1.0, 1.1.0, 1.1, 1.2.", " ".join(text.split()))
        for line in ("- from 1.1 on\\\n  `new`", "- only 1.1.0\\\n  `once`",
                     "- 1.0 to 1.1.0, and from 1.2 on\\\n  `again`"):
            self.assertIn(line, text)
        self.assertLess(text.index("`once`"), text.index("`new`"))  # 1.1.0, and then 1.1


if __name__ == "__main__":
    unittest.main()
