# SPDX-License-Identifier: Apache-2.0
"""The data of `anycuda doctor` (doctor/data/) and the code that uses it: hints, commands, kinds of containers. No build
is needed."""

import ast
import copy
import json
import re
import string
import sys
import tomllib
import unittest

from doctor_support import ROOT
from situation_support import error_names

sys.path.insert(0, str(ROOT / "packaging" / "python"))

from anycuda.doctor import containers, driver_situation, outcomes, packages, records, situation  # noqa: E402
from anycuda.doctor.containers import ContainerKind  # noqa: E402
from anycuda.doctor.packages import Manager, Purpose  # noqa: E402
from anycuda.doctor.situation import Situation  # noqa: E402

DOCTOR = ROOT / "packaging/python/anycuda/doctor"
# The function that gives the values of each section's placeholders. Those of "other" are given where hint() is called.
GIVEN_BY = {"driver_file": "_bad_file", "driver_answer": "_about_answer", "container": "_without_driver",
            "library_file": "_about_file", "variable": "_faults"}


def data(name: str) -> dict:
    return json.loads((DOCTOR / "data" / f"{name}.json").read_text(encoding="utf-8"))


def placeholders(*texts: str) -> set[str]:
    return {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def outcome_rows() -> dict:
    return tomllib.loads((ROOT / "compat/catalogue/outcomes.toml").read_text(encoding="utf-8"))


class Given:
    """The names that a call of hint() gives: for the texts, and for the commands."""

    def __init__(self, call: ast.Call, function: ast.FunctionDef) -> None:
        self.function = function.name
        first = call.args[0]
        named = isinstance(first, ast.Attribute) and isinstance(first.value, ast.Name) and first.value.id == "Situation"
        self.situation = Situation[first.attr] if named else None
        self.texts = {keyword.arg for keyword in call.keywords}
        ready = call.args[2] if len(call.args) > 2 else ast.Dict([], [])
        if isinstance(ready, ast.Name):
            ready = next(node.value for node in ast.walk(function) if isinstance(node, ast.Assign)
                         and isinstance(node.targets[0], ast.Name) and node.targets[0].id == ready.id)
        self.commands = self.texts | {key.value for key in ready.keys}


def calls() -> list[Given]:
    """All calls of hint()."""
    functions = [node for file in sorted(DOCTOR.glob("*.py")) for node in ast.parse(file.read_text()).body
                 if isinstance(node, ast.FunctionDef)]
    return [Given(node, function) for function in functions for node in ast.walk(function)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "hint"]


class Hints(unittest.TestCase):
    def setUp(self):
        self.data = data("hints")
        self.sections = self.data["hints"]

    def test_situations_in_code_and_data_are_the_same(self):
        names = [name for section in self.sections.values() for name in section]
        self.assertEqual(set(names) ^ set(Situation), set(), "only in one of situation.py and data/hints.json")
        self.assertEqual(len(names), len(set(names)), "a name stands in two sections")

    def test_every_situation_is_named_where_it_is_found(self):
        code = "".join(file.read_text() for file in DOCTOR.glob("*.py"))
        columns = {row.get(column) for row in outcome_rows()["state"].values()
                   for column in ("broken", "refused", "driver")}
        unused = [member.name for member in Situation if member not in columns and member not in list(ContainerKind)
                  and not re.search(rf"\bSituation\.{member.name}\b", code)]
        self.assertEqual(unused, [], "no code returns these situations")

    def test_texts_are_sentences_with_a_source(self):
        for name, text in ((name, text) for section in self.sections.values() for name, text in section.items()):
            self.assertEqual(list(text), ["cause", "remedy", "commands", "source"], name)
            for sentence in (text["cause"], text["remedy"]):
                self.assertRegex(sentence, r"(?s)\A[A-Z{/].*\.\Z", name)
            self.assertTrue(all(isinstance(command, str) and command for command in text["commands"]), name)
            self.assertTrue(text["source"] in self.data["sources"] or text["source"].startswith(("https://", "docs/")),
                            name)
        used = {text["source"] for section in self.sections.values() for text in section.values()}
        self.assertLessEqual(set(self.data["sources"]), used)

    def test_code_gives_each_placeholder(self):
        section_of = {name: section for section, texts in self.sections.items() for name in texts}
        given = calls()
        self.assertEqual({call.function for call in given if call.situation is None}, set(GIVEN_BY.values()))
        for name, section in section_of.items():
            text = self.sections[section][name]
            by_name = [call for call in given if call.situation == name]
            by_section = [call for call in given
                          if call.situation is None and call.function == GIVEN_BY.get(section)]
            self.assertTrue(by_name or by_section, f"{name}: no call of hint() names it")
            for call in by_name + by_section:
                where = f"{name}: {call.function}() does not give it"
                self.assertLessEqual(placeholders(text["cause"], text["remedy"]), call.texts, where)
                self.assertLessEqual(placeholders(*text["commands"]), call.commands, where)

    def test_call_gives_nothing_in_vain(self):
        for call in calls():
            texts = [self.sections[section][call.situation] for section in self.sections
                     if call.situation in self.sections[section]]
            texts = texts or list(self.sections[next(section for section, function in GIVEN_BY.items()
                                                     if function == call.function)].values())
            used = {name for text in texts for name in
                    placeholders(text["cause"], text["remedy"], *text["commands"])}
            self.assertLessEqual(call.commands, used, f"{call.function}() {call.situation or ''}")

    def test_states_of_files_name_situations(self):
        for state, row in outcome_rows()["state"].items():
            self.assertLessEqual({row.get("broken"), row.get("refused")} - {None}, set(self.sections["library_file"]))
            self.assertIn(row.get("driver", "driver_damaged"), self.sections["driver_file"], state)

    def test_texts_are_read(self):
        text = situation.text_of(Situation.DRIVER_TRUNCATED)
        self.assertEqual((text.commands, text.source),
                         (("{reinstall}",), self.data["sources"]["installation guide"]))
        self.assertEqual(situation.text_of(Situation.CRASH).source, "docs/doctor.md")

    def test_statuses_are_those_of_the_driver_api(self):
        names = {34: "STUB_LIBRARY", 2: "OUT_OF_MEMORY", 100: "NO_DEVICE", 101: "INVALID_DEVICE",
                 802: "SYSTEM_NOT_READY", 803: "SYSTEM_DRIVER_MISMATCH", 804: "COMPAT_NOT_SUPPORTED_ON_DEVICE",
                 805: "MPS_CONNECTION_FAILED", 806: "MPS_RPC_FAILURE", 807: "MPS_SERVER_NOT_READY",
                 808: "MPS_MAX_CLIENTS_REACHED", 809: "MPS_MAX_CONNECTIONS_REACHED", 810: "MPS_CLIENT_TERMINATED",
                 999: "UNKNOWN"}
        self.assertEqual({number: error_names()[number] for number in names},
                         {number: f"CUDA_ERROR_{name}" for number, name in names.items()})
        self.assertLessEqual(set(driver_situation.BY_STATUS), set(names))


class Containers(unittest.TestCase):
    def test_kinds_in_code_and_data_are_the_same(self):
        kinds = [kind for kind in ContainerKind if kind]
        self.assertEqual(list(data("containers")), kinds)
        self.assertEqual(set(data("hints")["hints"]["container"]), set(kinds))

    def test_facts(self):
        fields = {"name": str, "mark": str, "variables": list, "restart": str, "with_compute": str}
        for kind, facts in data("containers").items():
            self.assertIn("name", facts)
            for name, value in facts.items():
                self.assertIsInstance(value, fields[name], kind)
            re.compile(facts.get("mark", ""))
        for kind in ContainerKind:
            about = containers.about(kind)
            self.assertTrue(about.name and about.restart and about.with_compute, kind)


class Commands(unittest.TestCase):
    def setUp(self):
        self.data = data("packages")

    def test_managers_in_code_and_data_are_the_same(self):
        self.assertEqual(list(self.data["environments"]), [manager for manager in Manager if manager != "system"])

    def test_purposes_in_code_and_data_are_the_same(self):
        purposes = {purpose for named in self.data.values() for commands in named.values() for purpose in commands}
        self.assertEqual(purposes - {"family"}, set(Purpose))

    def test_each_purpose_has_its_placeholders(self):
        """A fixed set for each purpose, which packages.py gives."""
        environment = {"pipx", "prefix", "name", "python", "project"}
        given = {"install": environment | {"packages"}, "install_into_feature": environment | {"packages"},
                 "repair": environment | {"package"}, "uninstall": environment | {"package"},
                 "reinstall": {"package"}, "remove": {"package"}, "provide": {"file", "any_file"},
                 "fabric_manager": {"branch", "version"}, "driver": set(), "driver_library": {"branch"},
                 "nvml": {"branch"}, "family": set()}
        for section, named in self.data.items():
            for name, commands in named.items():
                for purpose, command in commands.items():
                    self.assertLessEqual(placeholders(command), given[purpose], f"{section}, {name}, {purpose}")

    def test_managers_have_the_commands_that_they_need(self):
        for name, commands in self.data["environments"].items():
            needed = {"install", "repair"} | ({"uninstall"} if Manager(name).has_wheels else set())
            self.assertLessEqual(needed, set(commands), name)
        for name, commands in self.data["distributions"].items():
            self.assertIn(commands["family"], self.data["families"], name)
        for name, commands in self.data["families"].items():
            self.assertLessEqual({"reinstall", "remove", "provide"}, set(commands), name)

    def test_distribution_that_is_unknown(self):
        self.assertEqual(packages.provide("own", "x.so.1"), "ldconfig -p | grep x.so.1")
        self.assertTrue(packages.install_driver("own").startswith("# "))


class Words(unittest.TestCase):
    """Words that the doctor's library writes."""

    def test_words_in_code_are_those_of_the_library(self):
        rows = outcome_rows()
        for kind, group in ((outcomes.FileState, "state"), (outcomes.CandidateVerdict, "verdict"),
                            (outcomes.SearchTier, "tier")):
            self.assertLessEqual(set(kind) - {"not_looked_at"}, set(rows[group]))

    def test_kinds_of_records_are_those_of_the_libraries(self):
        code = "".join(file.read_text() for folder in ("compat/doctor", "compat/find")
                       for file in (ROOT / folder).glob("*.cc"))
        code += (DOCTOR / "about_files.py").read_text() + (DOCTOR / "ask_here.py").read_text()
        for kind in records.RecordKind:
            self.assertIn(f'"{kind}"', code)

    def test_word_of_a_newer_library_stays(self):
        word = outcomes.FileState("half_open")
        self.assertEqual((word, f"{word}", json.dumps(word), word.replace("_", " ")),
                         ("half_open", "half_open", '"half_open"', "half open"))
        self.assertEqual({"half_open": 1}[word], 1)
        self.assertNotIn(word, list(outcomes.FileState))
        self.assertEqual(copy.deepcopy(word), "half_open")
        (record,) = records.parse(b"news\ta=1\n")
        self.assertEqual((record.kind, record.text("a")), ("news", "1"))


if __name__ == "__main__":
    unittest.main()
