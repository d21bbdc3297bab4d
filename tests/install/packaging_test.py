"""What packaging/ says is what packages.txt and CMakeLists.txt say.

    packaging_test.py SOURCE_FOLDER
"""
import re
import subprocess
import sys
import types
import unittest
from pathlib import Path

SOURCE = Path(sys.argv[1])
PACKAGING = SOURCE / "packaging"
# Of packages.txt: by what names Spack's recipes ask for them.
VIRTUAL = {"gcc": {"c", "cxx"}, "pkgconf": {"pkgconfig"}, "openmpi": {"mpi"}}
OWN = {"libcsv"}  # recipes beside that of scalesweep


def needed_packages():
    """Lines of packages.txt that a build and a run need, without those of tests and options."""
    for line in (SOURCE / "packages.txt").read_text().splitlines():
        words = line.split("#")[0].split()
        if words and not any(word.startswith("for=") for word in words):
            yield words


def project(name):
    found = re.search(rf"^project\(.*\b{name} ([\d.]+)",
                      (SOURCE / "CMakeLists.txt").read_text(), re.MULTILINE)
    return found.group(1)


def recipe_of(package):
    """What a recipe says, collected by stand-ins of Spack's directives."""
    said = {"version": [], "depends_on": [], "variant": [], "conflicts": []}
    module = types.ModuleType("spack.package")

    def collect(directive):
        return lambda *words, **options: said.setdefault(directive, []).append((words, options))

    for directive in ("version", "depends_on", "variant", "conflicts", "license", "generator"):
        setattr(module, directive, collect(directive))
    module.CMakePackage = module.AutotoolsPackage = object
    sys.modules["spack"] = types.ModuleType("spack")
    sys.modules["spack.package"] = module
    file = PACKAGING / "spack" / "packages" / package / "package.py"
    names = {}
    exec(compile(file.read_text(), str(file), "exec"), names)
    said["class"] = names[package.capitalize()]
    return said


class Spack(unittest.TestCase):
    def test_depends_on_what_packages_txt_names(self):
        said = {re.split(r"[@+~ ]", words[0])[0]: words[0]
                for words, _ in recipe_of("scalesweep")["depends_on"]}
        expected, whole = set(OWN), []
        for words in needed_packages():
            spack = next((word[6:] for word in words if word.startswith("spack=")), None)
            if spack is None:
                self.assertIn(words[0].removesuffix("-dev"), OWN)
            elif spack != "-":
                name = re.split(r"[@+~]", spack)[0]
                expected |= VIRTUAL.get(name, {name})
                whole += [spack] if name != spack else []
        self.assertEqual(set(said), expected)
        for spec in whole:  # with their variants
            self.assertIn(spec, said.values())

    def test_its_version_and_cmake_are_those_of_the_project(self):
        recipe = recipe_of("scalesweep")
        self.assertIn((project("VERSION"),), [words for words, _ in recipe["version"]])
        least = re.search(r"cmake_minimum_required\(VERSION ([\d.]+)\)",
                          (SOURCE / "CMakeLists.txt").read_text()).group(1)
        self.assertIn(f"cmake@{least}:", [words[0] for words, _ in recipe["depends_on"]])
        self.assertIn(f"scalesweep@{project('VERSION')}",
                      (PACKAGING / "spack/packages/scalesweep/package.py").read_text())

    def test_its_options_are_options_of_the_build(self):
        options = set(re.findall(r"\b(SCALESWEEP_[A-Z_]+)\b", "".join(
            path.read_text() for path in (SOURCE / "CMakeLists.txt",
                                          SOURCE / "src" / "cmake" / "Tests.cmake"))))
        stand_in = recipe_of("scalesweep")["class"]()
        stand_in.define = lambda name, value: name
        stand_in.define_from_variant = lambda name, variant: name
        self.assertLessEqual(set(stand_in.cmake_args()), options)

    def test_libcsv_is_a_recipe(self):
        self.assertEqual(len(recipe_of("libcsv")["version"]), 1)


class Containers(unittest.TestCase):
    def test_they_name_no_package_of_their_own(self):
        for file in ("Dockerfile", "scalesweep.def"):
            text = (PACKAGING / file).read_text()
            installed = re.findall(r"apt-get install ([^\n]*)", text)
            self.assertEqual(installed, ["-y /packages/scalesweep_*.deb"]
                             if file == "scalesweep.def"
                             else ["-y /packages/scalesweep_*.deb \\"], file)
            self.assertIn("/source/packaging/build_deb.sh /packages", text)
            self.assertEqual(set(re.findall(r"debian:\d+", text)), {"debian:12"})

    def test_what_builds_the_package_asks_for_all_that_a_build_needs(self):
        names = subprocess.run(
            ["bash", "-c", "source .ci/common.sh && package_names debian package"], cwd=SOURCE,
            check=True, capture_output=True, text=True).stdout.split()
        self.assertLessEqual({words[0] for words in needed_packages()}, set(names))
        self.assertIn("file", names)
        self.assertIn("npm", names)
        self.assertNotIn("libgtest-dev", names)
        self.assertNotIn("chromium", names)


class Documents(unittest.TestCase):
    def test_name_the_version_of_the_project(self):
        for file in ("packaging/README.md", "python/README.md"):
            found = re.findall(r"scalesweep[-_](\d+\.\d+\.\d+)", (SOURCE / file).read_text())
            self.assertEqual(set(found), {project("VERSION")}, file)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
