# SPDX-License-Identifier: Apache-2.0
"""Every function of the maths libraries on the real libraries, without a GPU: a call through the stub has the result
of a direct call, be it a status, a text, written memory or a signal. Programs of every major, on every release."""

import os
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import call_client
import small_library
from abi_support import real
from call_client import Call
from generate import dispositions
from real_libraries import LIBRARIES, Real, linked, missing, real_files

from anycuda.elf import read

BUILD = os.environ.get("ANYCUDA_BUILD")
# What a call writes differs from call to call, for this reason; its status is compared.
UNEQUAL = {
    "ncclGetUniqueId": "it is a random number and a port that was free",
    "pncclGetUniqueId": "the same function",
}


@dataclass(frozen=True)
class Pair:
    """Programs for a major on a file of the library, with each call's counterpart among the file's own functions, or
    the answer that the stub has to give."""
    file: Real
    caller: str
    counterparts: dict[Call, Call]
    answers: dict[Call, str]

    def __str__(self) -> str:
        return f"{self.file.library}: built for {self.caller}, on {self.file.release}"


def pair(file: Real, caller: str, found: dict) -> Pair:
    database, status = real(file.library), small_library.described(file.library).status
    exported = {symbol.name for symbol in read.read(file.path).exports()}
    runtime = database.major(file.release)
    counterparts, answers = {}, {}
    for name, function in database.functions.items():
        if caller not in function.majors:
            continue
        disposition = found[name, caller, runtime]
        if disposition.kind in ("adapted", "emulated") or disposition.fallback:
            continue  # answers_test.cc
        called = () if disposition.kind in ("absent", "rejected") else (disposition.target, *disposition.fallbacks)
        target = next((one for one in called if one in exported), None)
        calls = call_client.calls_of(function, caller)
        if target and caller != runtime:
            calls = calls[-1:]  # the same function as for its own major: once is enough
        for call in calls:
            if target:
                counterparts[call] = Call(target, call.kind, call.pointers)
            elif call.kind == "i" and not call.pointers and call_client.gives_a_number(function, caller):
                answers[call] = str(status["rejected" if disposition.kind == "rejected" else "absent"])
    return Pair(file, caller, counterparts, answers)


@unittest.skipUnless(BUILD, "needs a build")
class EveryRealCall(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="anycuda-real-calls-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.began = time.monotonic()

    def environment(self, file: Real) -> dict[str, str]:
        """The wheels' folders stand for one site-packages, in which the libraries find each other."""
        fence = os.environ.get("ANYCUDA_FENCE")
        # Some descriptors have members that nothing sets: this allocator leaves the same bytes there both ways.
        return {"LD_LIBRARY_PATH": ":".join(map(str, file.folders)), "HOME": str(self.folder),
                "MALLOC_PERTURB_": "85", "GLIBC_TUNABLES": "glibc.malloc.tcache_count=0",
                **({"LD_AUDIT": fence, "ANYCUDA_TEST_FENCE": str(self.folder)} if fence else {})}

    def progress(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", flush=True)

    def in_order(self, library: str, calls) -> list[Call]:
        """What a program may ask any library comes first: it loads the library and needs no GPU."""
        questions = small_library.described(library).questions
        return sorted(set(calls), key=lambda call: (call.name not in questions, call.name, call.kind, call.pointers))

    def directly(self, program: Path, file: Real, pairs: list[Pair]) -> dict[Call, str]:
        calls = self.in_order(file.library, (call for pair in pairs for call in pair.counterparts.values()))
        found, _ = call_client.run(program, calls, self.environment(file), apart=True, library=file.path)
        self.progress(f"{file.library} {file.release}: {len(calls)} calls directly")
        return found

    def through_the_stub(self, program: Path, one: Pair) -> dict[Call, str]:
        about = small_library.described(one.file.library)
        environment = {**self.environment(one.file), about.variable: str(one.file.path), "ANYCUDA_LOG": "off",
                       "ANYCUDA_SYSTEM_ROOT": str(self.folder / "empty")}
        calls = self.in_order(one.file.library, [*one.counterparts, *one.answers])
        found, _ = call_client.run(program, calls, environment, apart=True)
        self.progress(f"{one}: {len(calls)} calls")
        return found

    def with_objects(self, direct: Path, through: Path, own: Pair, results: dict[Call, str]) -> tuple[int, list[str]]:
        """Descriptors and other objects that need no GPU, in place of null handles, for the library's own major: how
        many calls were compared, and the differences."""
        own_names = {call.name for call, target in own.counterparts.items() if call == target}
        functions = [real(own.file.library).functions[name] for name in sorted(own_names)]
        objects = call_client.creators(functions, own.caller, results)
        calls = [call_client.call_with(objects, function, own.caller) for function in functions]
        one = Pair(own.file, own.caller, {call: call for call in calls if call}, {})
        if not one.counterparts:
            return 0, []
        self.progress(f"{own}, with {', '.join(sorted(objects))}:")
        found = self.differences(one, self.directly(direct, own.file, [one]), self.through_the_stub(through, one))
        return len(one.counterparts), found

    def differences(self, one: Pair, direct: dict[Call, str], stub: dict[Call, str]) -> list[str]:
        wanted = {call: direct[own] for call, own in one.counterparts.items()} | one.answers

        def compared(call: Call, result: str) -> str:
            return result.split()[0] if call.name in UNEQUAL else result

        return [f"{one}: {call}: {stub[call]!r}, and not {wanted[call]!r}" for call in sorted(wanted, key=str)
                if compared(call, stub[call]) != compared(call, wanted[call])]

    def test_every_call(self):
        if missing():
            self.skipTest(missing())
        directly = call_client.build(self.folder / "directly")
        with ThreadPoolExecutor(max(2, os.cpu_count() or 2)) as pool:
            work, programs = [], {}
            for library in LIBRARIES:
                database = real(library)
                found = dispositions.dispositions(database)
                for caller in database.majors:
                    names = sorted(name for name, function in database.functions.items() if caller in function.majors)
                    stub = Path(BUILD) / "lib" / linked(library, caller)
                    programs[library, caller] = call_client.build(self.folder / f"{library}-{caller}", names,
                                                                  (str(stub), f"-Wl,-rpath,{BUILD}/lib"))
                for file in real_files(library):
                    pairs = [pair(file, caller, found) for caller in database.majors]
                    stubs = [pool.submit(self.through_the_stub, programs[library, one.caller], one) for one in pairs]
                    work.append((pairs, pool.submit(self.directly, directly, file, pairs), stubs))
            differ, compared, later = [], 0, []
            for pairs, direct, stubs in work:
                for one, stub in zip(pairs, stubs):
                    self.assertGreater(len(one.counterparts), 5, str(one))
                    differ += self.differences(one, direct.result(), stub.result())
                    compared += len(one.counterparts) + len(one.answers)
                    library = one.file.library
                    if one.caller == real(library).major(one.file.release):
                        later.append(pool.submit(self.with_objects, directly, programs[library, one.caller], one,
                                                 direct.result()))
            for more in later:
                compared += more.result()[0]
                differ += more.result()[1]
        self.progress(f"{compared} calls compared")
        if differ:
            self.fail("\n".join([f"{len(differ)} calls:", *differ]))


if __name__ == "__main__":
    unittest.main()
