# SPDX-License-Identifier: Apache-2.0
"""Reading wheels, their RECORD, and writing one that differs in a few files."""

import base64
import hashlib
import os
import random
import stat
import subprocess
import sys
import threading
import unittest
import zipfile
import zlib

from wheel_support import DATE, FolderCase, hash_of, in_zip64_form, problems

from anycuda.failure import Failure
from anycuda.wheels import archive, entries, names, packing, wheel_record, writing
from anycuda.wheels.ahead import ahead

INFO = "thing-1.0.dist-info"


def info_of(name: str, packed: int = 100, size: int = 100, offset: int = 0) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, DATE)
    info.compress_size, info.file_size, info.header_offset = packed, size, offset
    return info


class Names(unittest.TestCase):
    def test_say_what_the_wheel_promises(self):
        for file, glibc in (
            ("a-1-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl", (2, 17)),
            ("a-1-py3-none-manylinux_2_35_x86_64.manylinux_2_28_x86_64.whl", (2, 28)),
            ("a-1-1local-cp311-cp311-manylinux1_x86_64.whl", (2, 5)),
            ("a-1-cp39-abi3-linux_x86_64.whl", None),
            ("a-1-py3-none-any.whl", None),
        ):
            with self.subTest(file=file):
                self.assertEqual(names.parse(file).glibc, glibc)

    def test_invalid_wheels_are_refused(self):
        for file in ("a.whl", "a-1-py3-none.whl", "a-1-py3-none-any.zip", "a-1-b-py3-none-any.whl"):
            with self.subTest(file=file), self.assertRaisesRegex(Failure, "is not named like a wheel"):
                names.parse(file)

    def test_of_a_project_are_one_however_they_are_written(self):
        self.assertTrue(names.same("Nvidia.cuda__runtime-cu12", "nvidia-cuda-runtime_cu12"))
        self.assertFalse(names.same("nvidia-cuda-runtime", "nvidia-cuda-runtime-cu12"))


class Hostile(FolderCase):
    """Each is refused before anything is unpacked, by a sentence that says what it is."""

    def failure(self, files=None, **options) -> str:
        path = self.wheel(files or {"thing/a.py": b"1"}, **options)
        with self.assertRaises(Failure) as caught, archive.open_wheel(path) as wheel:
            for entry in wheel.entries:
                list(wheel.blocks(entry))
        return str(caught.exception)

    def test_names_that_lead_out(self):
        for name, why in (*((name, "not a normalised path") for name in ("../evil", "a/../../evil", "a/./b", "a//b")),
                          ("/evil", "absolute"), ("C:/evil", "absolute"), ("a\\..\\evil", "backslash")):
            with self.subTest(name=name):
                self.assertIn(why, self.failure({name: b"evil"}))

    def test_a_name_with_a_zero_byte(self):
        path = self.wheel({"thing/aXb": b""})
        path.write_bytes(path.read_bytes().replace(b"thing/aXb", b"thing/a\0b"))
        with self.assertRaisesRegex(Failure, "zero byte"), archive.open_wheel(path):
            pass

    def test_names_that_programs_read_differently(self):
        path = self.wheel({"thing/aXXb": b""})
        path.write_bytes(path.read_bytes().replace(b"aXXb", "a\xe9b".encode()))
        with self.assertRaisesRegex(Failure, "not marked as UTF-8"), archive.open_wheel(path):
            pass

    def test_names_that_are_not_utf8(self):
        path = self.wheel({"thing/a\xe9b": b""})
        path.write_bytes(path.read_bytes().replace("a\xe9b".encode(), b"a\xff\xfeb"))
        with self.assertRaisesRegex(Failure, "UTF-8 but is not"), archive.open_wheel(path):
            pass

    def test_two_files_of_one_name(self):
        path = self.wheel({"thing/a.py": b"1", "thing/b.py": b"2"})
        path.write_bytes(path.read_bytes().replace(b"thing/b.py", b"thing/a.py"))
        with self.assertRaisesRegex(Failure, "twice"), archive.open_wheel(path):
            pass

    def test_a_file_that_is_a_folder_too(self):
        self.assertIn("both a file and a folder", self.failure({"thing": b"1", "thing/b.py": b"2"}))

    def test_links_devices_encrypted_and_strange_compression(self):
        def link(info):
            info.external_attr = (stat.S_IFLNK | 0o777) << 16

        def pipe(info):
            info.external_attr = (stat.S_IFIFO | 0o777) << 16

        def packed(info):
            info.compress_type = zipfile.ZIP_LZMA

        for change, why in ((link, "symbolic link"), (pipe, "a device"), (packed, "method 14")):
            with self.subTest(why=why):
                self.assertIn(why, self.failure(change=change))
        info = info_of("a")
        info.flag_bits = 1
        self.assertIn("encrypted", entries.problems([info], 1000)[0])

    def test_a_name_without_a_letter(self):
        self.assertIn("the name '' in it is not a normalised path", entries.problems([info_of("")], 1000)[0])

    def test_bombs(self):
        info = info_of("a", 3 << 30, 3 << 40)
        self.assertIn("times its size", entries.problems([info], 4 << 30)[0])
        info.file_size = 30 << 30  # half a CUDA toolkit, well packed
        self.assertEqual(entries.problems([info], 4 << 30), [])

    def test_files_that_overlap(self):
        one, two = info_of("a"), info_of("b", offset=60)
        self.assertIn("'a' overlaps", entries.problems([one, two], 1000)[0])
        two.header_offset = 131
        self.assertEqual(entries.problems([one, two], 1000), [])
        self.assertIn("'b' overlaps", entries.problems([one, two], 200)[0])

    def test_cut_anywhere(self):
        whole = self.wheel({"thing/a.py": b"print()\n" * 500}).read_bytes()
        for size in (0, 10, 100, len(whole) // 2, len(whole) - 1):
            with self.subTest(size=size):
                path = self.top / "cut" / "thing-1.0-py3-none-any.whl"
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(whole[:size])
                with self.assertRaisesRegex(Failure, "not a zip file, or a truncated one"), archive.open_wheel(path):
                    pass

    def test_a_bit_that_changed(self):
        path = self.wheel({"thing/a.py": random.Random(1).randbytes(5000)})
        content = bytearray(path.read_bytes())
        content[2000] ^= 1
        path.write_bytes(content)
        with archive.open_wheel(path) as wheel, self.assertRaisesRegex(Failure, "a.py: truncated or damaged"):
            list(wheel.blocks(wheel.entries[0]))

    def test_a_size_that_is_not_the_files(self):
        path = self.wheel({"thing/a.py": b"1" * 5000})
        content = path.read_bytes()
        at = content.index(b"PK\1\2") + 24
        path.write_bytes(content[:at] + (5001).to_bytes(4, "little") + content[at + 4:])
        with archive.open_wheel(path) as wheel, self.assertRaisesRegex(Failure, "truncated: it has 5000 of 5001 bytes"):
            list(wheel.blocks(wheel.entries[0]))

    def test_a_header_that_is_not_where_the_directory_says(self):
        path = self.wheel({"thing/a.py": b"1"})
        content = bytearray(path.read_bytes())
        content[0] = 0
        path.write_bytes(content)
        with archive.open_wheel(path) as wheel:
            for way in (wheel.blocks, wheel.packed):
                with self.subTest(way=way.__name__), self.assertRaisesRegex(Failure, "damaged"):
                    list(way(wheel.entries[0]))

    def test_zips_that_are_not_wheels(self):
        path = self.top / "thing-1.0-py3-none-any.whl"
        for files, why in (({}, "but has none"), ({"thing-1.0.dist-info/RECORD": b""}, "has no METADATA"),
                           ({f"{one}.dist-info/RECORD": b"" for one in ("a-1", "b-1")}, "a-1.dist-info, b-1"),
                           ({"other-1.0.dist-info/RECORD": b""}, "does not match its file name")):
            with self.subTest(why=why):
                with zipfile.ZipFile(path, "w") as out:
                    for name, content in files.items():
                        out.writestr(name, content)
                with self.assertRaisesRegex(Failure, why), archive.open_wheel(path):
                    pass

    def test_paths_that_are_not_files(self):
        folder = self.top / "thing-1.0-py3-none-any.whl"
        with self.assertRaisesRegex(Failure, "does not exist"), archive.open_wheel(folder):
            pass
        folder.mkdir()
        with self.assertRaisesRegex(Failure, "not a regular file"), archive.open_wheel(folder):
            pass


class Records(unittest.TestCase):
    FILES = {"a.py": b"1", f"{INFO}/RECORD.jws": b"signed"}

    def compared(self, text: str) -> list[str]:
        rows = wheel_record.parse(text.encode(), "RECORD")
        found = {}
        for name, content in self.FILES.items():
            total = wheel_record.Sum(wheel_record.algorithm(rows, name))
            total.add(content)
            found[name] = total.row
        return wheel_record.compare(rows, found, f"{INFO}/RECORD")

    def test_agree(self):
        self.assertEqual(self.compared(f"a.py,{hash_of(b'1')},1\n{INFO}/RECORD,,\n"), [])
        self.assertEqual(self.compared(f"a.py,{hash_of(b'1')}=,\r\n\r\n{INFO}/RECORD,,\n"), [])
        sha512 = base64.urlsafe_b64encode(hashlib.sha512(b"1").digest()).decode()
        self.assertEqual(self.compared(f"a.py,sha512={sha512},1\n"), [])
        self.assertIn("another hash", self.compared(f"a.py,sha512=A{sha512},1\n")[0])

    def test_disagree(self):
        for text, why in ((f"a.py,{hash_of(b'2')},1\n", "has another hash than in RECORD"),
                          (f"a.py,{hash_of(b'1')},2\n", "has another hash than in RECORD"),
                          ("a.py,,\n", "no hash"), ("", "a.py is not in RECORD"),
                          (f"a.py,{hash_of(b'1')},1\nb.py,,\n", "b.py is in RECORD, but not in the wheel")):
            with self.subTest(why=why):
                self.assertIn(why, self.compared(text)[0])

    def test_message_names_three_differences(self):
        wrong = [f"{name} is not in RECORD" for name in "abcde"]
        for count, shown in ((1, "contents: a is not in RECORD"), (3, "; c is not in RECORD"),
                             (5, "RECORD; b is not in RECORD; c is not in RECORD; and 2 more")):
            with self.subTest(count=count):
                self.assertTrue(wheel_record.mismatch(wrong[:count]).endswith(shown))

    def test_cannot_be_read(self):
        for text, why in (("a,b\n", "damaged"), ("a,md5=xx,1\n", "kind 'md5'"), ("a,,x\n", "damaged"),
                          ("a,,\na,,\n", "twice"), ('"a\n', "damaged")):
            with self.subTest(text=text), self.assertRaisesRegex(Failure, why):
                wheel_record.parse(text.encode(), "RECORD")
        with self.assertRaisesRegex(Failure, "damaged"):
            wheel_record.parse(b"\xff,,\n", "RECORD")

    def test_with_endless_rows_are_not_kept(self):
        text = b"".join(b"%d,,\n" % number for number in range(1003))
        self.assertEqual(len(wheel_record.parse(text, "RECORD", 2)), 1003)
        with self.assertRaisesRegex(Failure, "RECORD names more than 1002 files, but the wheel has 1"):
            wheel_record.parse(text, "RECORD", 1)


class Ahead(unittest.TestCase):
    def test_gives_what_it_gets_in_its_order(self):
        self.assertEqual(list(ahead(iter(range(100)))), list(range(100)))
        self.assertEqual(list(ahead([])), [])

    def test_an_exception_comes_where_it_was(self):
        def items():
            yield 1
            raise Failure("broken")

        found = ahead(items())
        self.assertEqual(next(found), 1)
        with self.assertRaisesRegex(Failure, "broken"):
            next(found)

    def test_early_stop_does_not_wait(self):
        made = []
        found = ahead(made.append(number) or number for number in range(10**9))
        self.assertEqual(next(found), 0)
        found.close()
        self.assertLess(len(made), 20)


class Packed(FolderCase):
    """Several blocks, each compressed by itself."""

    def packed(self, content: bytes, kind: int = zipfile.ZIP_DEFLATED, **how) -> bytes:
        path = self.top / "packed.zip"
        with zipfile.ZipFile(path, "w") as target, packing.writer(target, packing.Packing(**how)) as writer:
            info = zipfile.ZipInfo("name", DATE)
            info.compress_type = kind
            blocks = (content[at: at + packing.BLOCK] for at in range(0, len(content), packing.BLOCK))
            writer.add(info, len(content), blocks)
        with zipfile.ZipFile(path) as found:
            self.assertEqual(found.read("name"), content)
        return path.read_bytes()

    def test_every_size_and_level_is_read_by_others(self):
        chance = random.Random(3)
        for size in (0, 1, packing.BLOCK - 1, packing.BLOCK, packing.BLOCK + 1, 5 * packing.BLOCK + 7):
            content = chance.randbytes(size // 2) + b"again and again" * (size // 15)
            for level in (-1, 0, 1, 9):
                found = {self.packed(content, level=level, threads=threads) for threads in (1, 2, 7)}
                self.assertEqual(len(found), 1, (size, level))
            self.packed(content, zipfile.ZIP_STORED, threads=2)

    def test_blocks_cost_little(self):
        """Each knows what is before it."""
        content = random.Random(5).randbytes(20000) * 100
        self.assertLess(len(self.packed(content, level=6)), 1.1 * len(zlib.compress(content, 6)))

    def test_an_error_ends_the_threads_and_writes_nothing_more(self):
        def blocks():
            yield b"1" * packing.BLOCK
            raise Failure("broken")

        before = threading.active_count()
        with self.assertRaisesRegex(Failure, "broken"), zipfile.ZipFile(self.top / "out.zip", "w") as target, \
                packing.writer(target, packing.Packing(threads=3)) as writer:
            writer.add(zipfile.ZipInfo("name", DATE), 1, blocks())
        self.assertEqual(threading.active_count(), before)


class Written(FolderCase):
    FILES = {"thing/same.py": b"same\n" * 1000, "thing/old.txt": b"old\n" * 1000, "thing/gone.txt": b"gone",
             'thing/odd "name", and comma.txt': b"1", "thing/\xe9.txt": b"2"}

    def write(self, path, out: str, **variables: str):
        """With old.txt changed, gone.txt removed and new.so added."""
        def change(file):
            file.write_bytes(file.read_bytes().replace(b"old", b"new!"))

        new = self.top / "new.so"
        new.write_bytes(b"\x7fELF" * 1000)
        changes = writing.Changes({"thing/old.txt": change}, {"thing.libs/new.so": new}, {"thing/gone.txt"})
        target, work = self.top / out, self.top / "work"
        work.mkdir(exist_ok=True)
        with archive.open_wheel(path) as wheel:
            sums = {}
            for entry in wheel.entries:
                total = wheel_record.Sum()
                for block in wheel.blocks(entry):
                    total.add(block)
                sums[entry.filename] = total.row
            writing.write(wheel, sums, changes, work, target, writing.moment_of(wheel), lambda name, size: None)
        return target

    def test_is_whole_and_as_wanted(self):
        out = self.write(self.wheel(self.FILES), "out.whl")
        self.assertEqual(problems(out), [])
        with zipfile.ZipFile(out) as wheel:
            self.assertEqual(wheel.read("thing/old.txt"), b"new!\n" * 1000)
            self.assertEqual(wheel.namelist(), [
                "thing/same.py", "thing/old.txt", 'thing/odd "name", and comma.txt', "thing/\xe9.txt",
                "thing.libs/new.so", f"{INFO}/METADATA", f"{INFO}/WHEEL", f"{INFO}/RECORD"])
            self.assertEqual({info.date_time for info in wheel.infolist()}, {DATE})
            self.assertEqual(wheel.getinfo("thing.libs/new.so").external_attr >> 16, 0o100755)

    def test_keeps_compression_permissions_times_and_packed_bytes(self):
        def change(info):
            info.compress_type = zipfile.ZIP_STORED if info.filename.endswith(".txt") else zipfile.ZIP_DEFLATED
            info.external_attr = 0o100640 << 16
            info.date_time = (2001, 2, 3, 4, 5, 6 if info.filename.endswith(".txt") else 8)
            info.extra = b"\x55\x54\x05\x00\x01\x00\x00\x00\x00"

        path = self.wheel(self.FILES, change=change)
        out = self.write(path, "out.whl")
        kept = []
        with zipfile.ZipFile(path) as old, zipfile.ZipFile(out) as new:
            for info in new.infolist():
                if info.filename == "thing.libs/new.so":
                    continue
                was = old.getinfo(info.filename)
                self.assertEqual(info.extra, b"")
                fields = ("compress_type", "external_attr", "date_time", "create_system")
                self.assertEqual([getattr(info, one) for one in fields], [getattr(was, one) for one in fields])
                if info.filename == "thing/same.py":
                    kept.append(info.compress_size == was.compress_size)
        self.assertEqual((kept, problems(out)), ([True], []))

    def test_twice_is_the_same(self):
        path = self.wheel(self.FILES)
        self.assertEqual(self.write(path, "one.whl").read_bytes(), self.write(path, "two.whl").read_bytes())

    def test_the_moment_can_be_given(self):
        path = self.wheel(self.FILES)
        for given, year in (("1700000000", 2023), ("0", None), ("never", None), ("99999999999999999999", None)):
            os.environ["SOURCE_DATE_EPOCH"] = given
            self.addCleanup(os.environ.pop, "SOURCE_DATE_EPOCH", None)
            with self.subTest(given=given), archive.open_wheel(path) as wheel:
                if year:
                    self.assertEqual(writing.moment_of(wheel)[0], year)
                else:
                    with self.assertRaisesRegex(Failure, "SOURCE_DATE_EPOCH"):
                        writing.moment_of(wheel)

    def test_a_file_that_lies_unpacked_is_taken_from_there(self):
        path = self.wheel({"thing/old.txt": b"of the wheel"})
        ready, out = self.top / "ready", self.top / "out.whl"
        ready.write_bytes(b"unpacked before")
        changes = writing.Changes({"thing/old.txt": lambda path: path.write_bytes(path.read_bytes() + b", edited")},
                                  unpacked={"thing/old.txt": ready})
        with archive.open_wheel(path) as wheel:
            sums = {entry.filename: wheel_record.Row("", "", entry.file_size) for entry in wheel.entries}
            writing.write(wheel, sums, changes, self.top, out, writing.moment_of(wheel), lambda name, size: None)
        with zipfile.ZipFile(out) as written:
            self.assertEqual(written.read("thing/old.txt"), b"unpacked before, edited")
        self.assertFalse(ready.exists())

    def test_signatures_go_since_they_would_be_wrong(self):
        out = self.write(self.wheel({**self.FILES, f"{INFO}/RECORD.jws": b"{}", f"{INFO}/RECORD.p7s": b"x"}), "out.whl")
        self.assertEqual([name for name in zipfile.ZipFile(out).namelist() if "RECORD." in name], [])
        self.assertEqual(problems(out), [])

    def test_folders_and_sizes_behind_the_data_are_read(self):
        """As zip -r and programs that write to a pipe make them."""
        path = self.wheel(self.FILES)
        piped = self.top / "piped" / path.name
        piped.parent.mkdir()
        code = ("import sys, zipfile\n"
                "old = zipfile.ZipFile(sys.argv[1])\n"
                "out = zipfile.ZipFile(sys.stdout.buffer, 'w', zipfile.ZIP_DEFLATED)\n"
                "out.writestr('thing/', b'')\n"
                "[out.writestr(name, old.read(name)) for name in old.namelist()]\nout.close()\n")
        with open(piped, "wb") as out:
            cat = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=out)
            subprocess.run([sys.executable, "-c", code, path], stdout=cat.stdin, check=True)
            cat.stdin.close()
            self.assertEqual(cat.wait(), 0)
        self.assertTrue(zipfile.ZipFile(piped).getinfo("thing/same.py").flag_bits & 8)
        new = self.write(piped, "out.whl")
        self.assertEqual(problems(new), [])
        self.assertFalse(zipfile.ZipFile(new).getinfo("thing/same.py").flag_bits & 8)
        self.assertIn("thing/", zipfile.ZipFile(new).namelist())

    def test_entries_in_the_form_for_more_than_4_gb(self):
        """What matters are the fields in the headers, not that the files are large. They are written here byte by
        byte: Pythons differ in the sizes that they leave in the header."""
        path = self.wheel(self.FILES)
        big = self.top / "big" / path.name
        big.parent.mkdir()
        big.write_bytes(in_zip64_form(path))
        self.assertEqual(big.read_bytes()[18:26], b"\xff" * 8)
        self.assertEqual(zipfile.ZipFile(big).testzip(), None)
        new = self.write(big, "out.whl")
        self.assertEqual(problems(new), [])
        self.assertNotEqual(new.read_bytes()[18:26], b"\xff" * 8)


if __name__ == "__main__":
    unittest.main()
