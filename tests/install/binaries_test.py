#!/usr/bin/env python3
"""What every program and library that is built or installed asks of the loader.

    binaries_test.py BUILD_FOLDER [HARDENED...]

None is searched for in the current folder, or in one that goes with it: a run path has no empty and
no relative entry, and none of the build folder. Whatever a call leads to is resolved at the start
and read-only then, and programs lie at addresses of their own with each start. The files HARDENED
also guard their stack. Needs readelf; skipped (exit code 77) without.
"""
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BUILD, HARDENED = Path(sys.argv[1]).resolve(), [Path(name) for name in sys.argv[2:]]
# What CMake compiles to try something, and programs that npm brought.
OTHERS = {"CMakeFiles", "node_modules"}
SKIPPED = 77


def readelf(path, *options):
    return subprocess.run(["readelf", "--wide", *options, path], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout


def is_linked(path):
    """A program or shared library, and no object file."""
    with path.open("rb") as file:
        head = file.read(18)
    return head[:4] == b"\x7fELF" and int.from_bytes(head[16:18], sys.byteorder) in (2, 3)


def linked_files(folder):
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and not OTHERS & set(path.parts) \
                and is_linked(path):
            yield path


def run_path_entries(dynamic):
    for match in re.finditer(r"\((RUNPATH|RPATH)\).*\[(.*)\]", dynamic):
        yield from match[2].split(":")


def problems(path):
    """Words on what the loader is asked for and should not be."""
    dynamic, segments = readelf(path, "--dynamic"), readelf(path, "--segments")
    for entry in run_path_entries(dynamic):
        if not entry.startswith("/"):
            yield f"run path entry '{entry}' is that of the current folder"
        elif Path(entry).resolve().is_relative_to(BUILD):
            yield f"run path entry '{entry}' is of the build folder"
    if not re.search(r"\bBIND_NOW\b|\bFlags:.*\bNOW\b", dynamic):
        yield "calls are resolved late (no BIND_NOW)"
    if "GNU_RELRO" not in segments:
        yield "what is resolved stays writable (no RELRO)"
    if re.search(r"^\s*INTERP\b", segments, re.MULTILINE) and \
            not re.search(r"\bFlags:.*\bPIE\b", dynamic):
        yield "a program at fixed addresses (no PIE)"
    if re.search(r"^\s*GNU_STACK\b.*\bRWE\b", segments, re.MULTILINE):
        yield "its stack may hold code"


def missing_guards(path):
    symbols = readelf(path, "--dyn-syms")
    if "__stack_chk_fail" not in symbols:
        yield "no guards on the stack (-fstack-protector-strong)"
    if not re.search(r"\b__(?!stack)\w+_chk\b", symbols):
        yield "no calls that know how large their target is (_FORTIFY_SOURCE)"


class Binaries(unittest.TestCase):
    def assert_clean(self, folder, at_least):
        found = list(linked_files(folder))
        self.assertGreaterEqual(len(found), at_least)
        for path in found:
            self.assertEqual(list(problems(path)), [], path)

    def test_of_the_build_folder(self):
        self.assert_clean(BUILD, 2)

    def test_installed(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["cmake", "--install", BUILD, "--prefix", folder], check=True,
                           stdout=subprocess.DEVNULL)
            self.assert_clean(Path(folder), 2)

    def test_what_ships_is_hardened(self):
        for path in HARDENED:
            self.assertEqual(list(missing_guards(path)), [], path)


class Faults(unittest.TestCase):
    """Each fault is found in a library or program that has it."""

    def found(self, *flags, shared=True):
        with tempfile.TemporaryDirectory() as folder:
            source, made = Path(folder) / "a.c", Path(folder) / "a"
            source.write_text("int answer(void) { return 42; } int main(void) { return 0; }\n")
            good = ["-fPIC", "-shared"] if shared else ["-fPIE", "-pie"]
            subprocess.run(["cc", *good, "-Wl,-z,relro,-z,now", *flags, source, "-o", made],
                           check=True)
            return " ".join(problems(made))

    def test_nothing_in_what_is_right(self):
        self.assertEqual(self.found(), "")
        self.assertEqual(self.found(shared=False), "")
        self.assertEqual(self.found("-Wl,-rpath,/opt/mpi/lib"), "")

    def test_run_paths(self):
        for path in ("/opt/mpi/lib:", ":/opt/mpi/lib", "/opt/mpi/lib::/opt/lib", "lib", "./lib"):
            for tags in ("--enable-new-dtags", "--disable-new-dtags"):
                self.assertIn("that of the current folder",
                              self.found(f"-Wl,-rpath,{path}", f"-Wl,{tags}"), path)
        self.assertIn("of the build folder", self.found(f"-Wl,-rpath,{BUILD}/lib"))

    def test_late_calls_fixed_addresses_and_code_on_the_stack(self):
        self.assertIn("BIND_NOW", self.found("-Wl,-z,lazy"))
        self.assertIn("RELRO", self.found("-Wl,-z,norelro"))
        self.assertIn("PIE", self.found("-fno-pie", "-no-pie", shared=False))
        self.assertIn("stack may hold code", self.found("-Wl,-z,execstack"))


if __name__ == "__main__":
    if not shutil.which("readelf") or not shutil.which("cc"):
        print("skipped: no readelf or no cc (Debian: apt-get install binutils gcc)")
        sys.exit(SKIPPED)
    unittest.main(argv=sys.argv[:1])
