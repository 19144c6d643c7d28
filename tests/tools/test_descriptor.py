# SPDX-License-Identifier: Apache-2.0
"""Descriptors: a typing error in library.json stops the build with a message."""

import json
import tempfile
import unittest
from pathlib import Path

from abi_support import ROOT
from generate import descriptor
from generate_support import DRIVER, LIBRARY, load


class Sound(unittest.TestCase):
    def test_what_the_file_says_is_there(self):
        found = load({"driver_bound": True, "special_functions": {"core": "error_name"}})
        self.assertEqual([m.number for m in found.majors], [11, 12, 13])
        self.assertEqual(found.majors[0].soname, "libsmall.so.11.2")
        self.assertEqual(found.wheel_folders, ("nvidia/small/lib",))
        self.assertTrue(found.driver_bound)
        self.assertTrue(found.has_symbol_versions)
        self.assertEqual(found.required_symbols[12], {"core"})

    def test_what_may_be_left_out_has_a_value(self):
        found = load()
        self.assertFalse(found.driver_bound or found.one_per_process or found.is_driver)
        self.assertEqual((found.output, found.lto_ir_to, found.lto_ir_from, found.peer), ("",) * 4)
        self.assertEqual((found.builtin, found.special_functions, found.before_first_call), ({}, {}, ""))

    def test_deprecated_keys_still_work(self):
        old = {"advice": "try", "core": ["old"], "own": {"f": "g"}, "roles": {"f": "error_name"},
               "no_library_status": {"f": 0}}
        found = load({**old, "install_hint": None, "required_symbols": None})
        self.assertEqual((found.install_hint, found.required_symbols[12]), ("try", {"old"}))
        self.assertEqual((found.builtin, found.special_functions), ({"f": "g"}, {"f": "error_name"}))
        self.assertEqual(found.failing_results, {"f": 0})

    def test_majors_are_in_the_order_of_their_numbers(self):
        rows = {n: {"soname": f"libsmall.so.{n}", "node": None} for n in ("13", "9", "10")}
        self.assertEqual([m.number for m in load({"majors": rows}).majors], [9, 10, 13])

    def test_required_symbols_may_differ_by_major(self):
        found = load({"required_symbols": {"11": ["old"], "13": ["core"]}})
        self.assertEqual(found.required_symbols, {11: {"old"}, 13: {"core"}})

    def test_separate_releases_need_one_soname(self):
        rows = {n: {"soname": "libsmall.so.2", "node": None} for n in ("11", "12")}
        found = load({"majors": rows, "own_releases": True})
        self.assertTrue(found.own_releases)
        self.assertEqual([m.cuda_majors for m in found.majors], [(11, 12)])
        with self.assertRaisesRegex(ValueError, "own_releases: .* must have one SONAME"):
            load({"own_releases": True})

    def test_callers_of_an_earlier_major_ask_for_another_soname(self):
        rows = {n: {"soname": "libsmall.so.9", "node": "libsmall.so.9"} for n in ("11", "12")}
        callers = {"built_for": "8", "served_by": "9", "soname": "libsmall.so.8"}
        found = load({"majors": rows, "own_releases": True, "callers": callers, "group": "toolkit"})
        self.assertEqual((found.caller_of(11), found.runtime_of(11)), ("8", "9"))
        asked = found.asked_for(found.majors[0])
        self.assertEqual((asked.cuda_majors, asked.soname, asked.symbol_version), ((11, 12), *["libsmall.so.8"] * 2))
        # Its files are another library's: others look for those.
        plain = load({"group": "toolkit"})
        self.assertEqual([one.callers for one, _ in plain.relatives([found, plain])], [None])
        self.assertEqual((plain.caller_of(11), plain.runtime_of(11), plain.asked_for(plain.majors[0])),
                         ("11", "11", plain.majors[0]))
        with self.assertRaisesRegex(ValueError, "callers must have built_for, served_by and soname, and own_releases"):
            load({"callers": callers})
        with self.assertRaisesRegex(ValueError, "callers must have"):
            load({"majors": rows, "own_releases": True, "callers": {"soname": "libsmall.so.8"}})

    def test_a_driver_has_no_symbol_versions(self):
        self.assertFalse(load(base=DRIVER).has_symbol_versions)

    def test_a_peer_is_at_either_end(self):
        self.assertEqual(load({"lto_ir_to": "linker"}).peer, "linker")
        self.assertEqual(load({"lto_ir_from": "compiler"}).peer, "compiler")

    def test_every_real_one_and_its_peer_agree(self):
        real = {file.parent.name: descriptor.load(file) for file in (ROOT / "stubs").glob("*/library.json")}
        pairs = [(library, real[library.peer]) for library in real.values() if library.peer]
        self.assertEqual(sorted((a.name, b.name) for a, b in pairs),
                         [("nvjitlink", "nvrtc"), ("nvrtc", "nvjitlink")])
        for library, peer in pairs:
            descriptor.check_peers(library, peer)

    def test_every_real_one_is_sound(self):
        files = sorted((ROOT / "stubs").glob("*/library.json"))
        self.assertGreaterEqual(len(files), 4)
        for file in files:
            self.assertEqual(descriptor.load(file).name, file.parent.name)


class Wrong(unittest.TestCase):
    def refuse(self, changes: dict, *words: str):
        with self.assertRaises(ValueError) as caught:
            load(changes)
        for word in ("library.json", *words):
            self.assertIn(word, str(caught.exception))

    def test_a_missing_key_is_named(self):
        for key in LIBRARY:
            self.refuse({key: None}, "missing", key)

    def test_an_unknown_key_is_named(self):
        self.refuse({"sonames": []}, "unknown", "sonames")

    def test_an_unknown_role_is_named(self):
        self.refuse({"special_functions": {"core": "errorname"}}, "errorname", "error_name")

    def test_an_unknown_output_is_named(self):
        self.refuse({"output": "sass", "driver_bound": True}, "sass", "cubin")

    def test_what_a_library_makes_needs_a_driver(self):
        self.refuse({"output": "ptx"}, "output", "driver_bound")

    def test_version_function_has_name_form_and_release(self):
        whole = {"name": "smallVersion", "form": "number", "since": "12.0"}
        self.assertEqual(load({"version_function": whole}).version_function, whole)
        self.refuse({"version_function": {"name": "smallVersion"}}, "version_function", "since")
        self.refuse({"version_function": {**whole, "form": "text"}}, "text", "major_minor")
        self.refuse({"version_function": {**whole, "since": "12"}}, "since", "'12'")

    def test_an_opened_file_has_the_reported_version(self):
        whole = {"opens": "libsmall-parts.so",
                 "version_function": {"name": "smallVersion", "form": "number", "since": "12.0"}}
        self.assertEqual(load(whole).opens, "libsmall-parts.so")
        self.refuse({"opens": "libsmall-parts.so"}, "opens", "version_function")
        self.refuse({**whole, "opens": "libsmall-parts"}, "opens", ".so")

    def test_lto_ir_goes_one_way(self):
        self.refuse({"lto_ir_to": "a", "lto_ir_from": "b"}, "lto_ir_to", "lto_ir_from")

    def test_status_must_be_whole(self):
        self.refuse({"status": {"no_library": 1, "absent": 2}}, "rejected")

    def test_a_major_must_be_whole(self):
        self.refuse({"majors": {"12": {"soname": "libsmall.so.12"}}}, "12", "node")
        self.refuse({"majors": {"twelve": {"soname": "x", "node": None}}}, "twelve", "number")

    def test_the_names_of_a_major_begin_like_the_files(self):
        for row in ({"soname": "libother.so.12", "node": None},
                    {"soname": "libsmall.so.12", "node": "OTHER_12"}):
            self.refuse({"majors": {"12": row}}, "must begin with file_prefix")

    def test_number_of_majors_equals_the_loaders_limit(self):
        rows = {str(n): {"soname": f"libsmall.so.{n}", "node": None} for n in range(11, 19)}
        self.refuse({"majors": rows}, "8 majors", "loader/open.cc")
        self.refuse({"majors": {}}, "0 majors")

    def test_folders_are_a_list(self):
        self.refuse({"wheel_folders": "nvidia/small/lib"}, "wheel_folders", "list")

    def test_distributions_are_named_by_majors_that_there_are(self):
        wheels = {"12": "nvidia-small-cu12", "13": "nvidia-small"}
        found = load({"wheels": wheels, "toolkit_extra": "small", "companions": ["libsmaller"]})
        self.assertEqual((found.wheels, found.toolkit_extra, found.companions), (wheels, "small", ("libsmaller",)))
        self.assertEqual((load().wheels, load().toolkit_extra, load().companions), ({}, "", ()))
        self.refuse({"wheels": {"14": "nvidia-small"}}, "wheels", "'14'")
        self.refuse({"wheels": {"12": "NVIDIA_small"}}, "wheels", "normalised")
        self.refuse({"toolkit_extra": "small"}, "toolkit_extra", "wheels")
        self.refuse({"companions": "libsmaller"}, "companions", "list")

    def test_questions_are_a_sorted_list(self):
        self.assertEqual(load({"questions": ["core", "old"]}).questions, ("core", "old"))
        self.assertEqual(load().questions, ())
        self.refuse({"questions": "core"}, "questions", "list")
        self.refuse({"questions": ["old", "core"]}, "questions", "sorted")
        self.refuse({"questions": ["old", "old"]}, "questions", "each name once")

    def test_required_symbols_know_the_majors_that_there_are(self):
        self.refuse({"required_symbols": {"11": ["old"], "14": ["core"]}}, "14")

    def test_text_that_is_not_json_is_an_error(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "library.json"
            file.write_text("{", encoding="utf-8")
            with self.assertRaises(json.JSONDecodeError):
                descriptor.load(file)


class Peers(unittest.TestCase):
    def refuse(self, library: dict, peer: dict):
        with self.assertRaisesRegex(ValueError, "library.json names"):
            descriptor.check_peers(load(library), load({"name": "other", **peer}))

    def test_say_the_same_of_their_lto_ir(self):
        descriptor.check_peers(load({"lto_ir_to": "other"}), load({"name": "other", "lto_ir_from": "small"}))
        descriptor.check_peers(load(), load({"name": "other"}))

    def test_that_contradict_each_other_are_an_error(self):
        self.refuse({"lto_ir_to": "other"}, {})
        self.refuse({"lto_ir_to": "other"}, {"lto_ir_to": "small"})
        self.refuse({"lto_ir_to": "other"}, {"lto_ir_from": "third"})
        self.refuse({"lto_ir_from": "third"}, {"lto_ir_to": "small"})


class Room(unittest.TestCase):
    def test_is_what_the_loader_says(self):
        source = (ROOT / "loader" / "open.cc").read_text(encoding="utf-8")
        # one more for the unversioned names
        self.assertIn(f"kMaxSymbolVersions = {descriptor.MAX_MAJORS + 1};", source)


if __name__ == "__main__":
    unittest.main()
