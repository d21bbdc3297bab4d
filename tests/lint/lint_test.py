#!/usr/bin/env python3
"""The checks of this folder must find what they are there to find."""
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_layers
import check_sources

TABLE = """# Layers
| layer | folder | holds | may use |
|---|---|---|---|
| 0 | `src/core` | text | – |
| 1 | `src/store` | files | core |
| 2 | `src/engine` | leases | store |
| 3 | `src/engine_mpi` | messages | engine |
| 3 | `analysis` | figures | store |
| 4 | `src/cli` | commands | all |
"""


class TemporaryTree(unittest.TestCase):
    """A small tree that keeps every rule, for a test to break one."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.write("src/README.md", TABLE)
        self.layer("src/core", "core", "", "")
        self.layer("src/store", "store", "core", '#include "core/core.hpp"\n')
        self.layer("src/engine", "engine", "store", '#include "core/core.hpp"\n')
        self.layer("src/engine_mpi", "engine_mpi", "engine", "#include <mpi.h>\n")
        self.layer("analysis", "analysis", "store", '#include "store/store.hpp"\n')
        self.layer("src/cli", "cli", "core store engine engine_mpi analysis",
                   '#include "analysis/analysis.hpp"\n')

    def write(self, path, text):
        target = self.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def layer(self, folder, name, depends, includes):
        file = name.rsplit("/", 1)[-1]
        self.write(f"{folder}/{file}.hpp", f"#pragma once\n{includes}")
        self.write(f"{folder}/{file}.cpp", f'#include "{name}/{file}.hpp"\n')
        self.write(f"{folder}/CMakeLists.txt",
                   f"scalesweep_add_layer({name}\n  SOURCES {file}.cpp\n  DEPENDS {depends})\n")

    def assert_one(self, found, *words):
        self.assertEqual(len(found), 1, found)
        for word in words:
            self.assertIn(word, found[0])


class Layers(TemporaryTree):
    def found(self):
        return list(check_layers.violations(self.root))

    def test_a_tree_that_keeps_the_table_passes(self):
        self.assertEqual(self.found(), [])

    def test_an_include_upwards_is_found(self):
        self.write("src/store/store.hpp", '#pragma once\n\n#include "engine/engine.hpp"\n')
        self.assert_one(self.found(), "src/store/store.hpp:3", "store may not include engine/")

    def test_an_include_sideways_is_found(self):
        self.write("analysis/analysis.cpp", '#include "engine/engine.hpp"\n')
        self.assert_one(self.found(), "analysis/analysis.cpp:1", "analysis may not include engine/")

    def test_mpi_elsewhere_is_found(self):
        self.write("src/engine/engine.cpp", "#include <mpi.h>\n")
        self.assert_one(self.found(), "src/engine/engine.cpp:1", "mpi.h")

    def test_an_include_without_a_folder_is_found(self):
        self.write("src/core/core.cpp", '#include "core.hpp"\n')
        self.assert_one(self.found(), "src/core/core.cpp:1", 'write #include "layer/core.hpp"')

    def test_an_include_of_nothing_is_found(self):
        self.write("src/core/core.cpp", '#include "core/gone.hpp"\n')
        self.assert_one(self.found(), "src/core/gone.hpp does not exist")

    def test_headers_that_include_each_other_are_found(self):
        self.write("src/core/core.hpp", '#pragma once\n#include "core/other.hpp"\n')
        self.write("src/core/other.hpp", '#pragma once\n#include "core/core.hpp"\n')
        self.assert_one(self.found(), "src/core: units that need each other: src/core/core, "
                        "src/core/other")

    def test_units_that_need_each_other_by_way_of_a_source_are_found(self):
        self.write("src/core/other.hpp", '#pragma once\n#include "core/core.hpp"\n')
        self.assertEqual(self.found(), [])
        self.write("src/core/core.cpp", '#include "core/core.hpp"\n#include "core/more.hpp"\n')
        self.write("src/core/more.hpp", '#pragma once\n#include "core/other.hpp"\n')
        self.assert_one(self.found(), "src/core/core, src/core/more, src/core/other")

    def test_a_folder_with_many_names_is_found(self):
        for i in range(15):
            self.write(f"src/core/parts/part{i}.hpp", "#pragma once\n")
            self.write(f"analysis/part{i}.hpp", "#pragma once\n")
        self.assertEqual(self.found(), [])
        for i in range(15, 19):
            self.write(f"src/core/parts/part{i}.hpp", "#pragma once\n")
        self.assert_one(self.found(), "src/core/parts: 19 names")
        self.write("analysis/part15.hpp", "#pragma once\n")
        self.assertEqual(len(self.found()), 2)

    def test_cmake_that_disagrees_with_the_table_is_found(self):
        self.write("src/store/CMakeLists.txt", "scalesweep_add_layer(store SOURCES store.cpp)\n")
        self.assert_one(self.found(), "src/store/CMakeLists.txt", "DEPENDS nothing", "says core")

    def test_a_source_that_cmake_does_not_name_is_found(self):
        self.write("src/core/forgotten.cpp", "")
        self.assert_one(self.found(), "src/core/CMakeLists.txt", "does not name forgotten.cpp")

    def test_a_kind_of_work_names_sources_of_several_layers(self):
        self.write("src/core/speech.cpp", "")
        self.write("src/kinds/speech.cmake", "scalesweep_kind_sources(core APART speech.cpp)\n"
                   "scalesweep_kind_sources(core_test speech_test.cpp)\n")
        self.assertEqual(self.found(), [])
        (self.root / "src/core/speech.cpp").unlink()
        self.assert_one(self.found(), "src/kinds/speech.cmake: names speech.cpp", "src/core")

    def test_an_arrow_upwards_in_the_table_is_found(self):
        self.write("src/README.md", TABLE.replace("files | core", "files | core, engine"))
        self.assertTrue(any("arrows point downwards" in line for line in self.found()))
        self.assertTrue(any("layers form a cycle" in line for line in self.found()))

    def test_numbers_of_stacks_that_too_many_sources_see_are_found(self):
        self.write("src/workload/serving/serving_stack.hpp", "#pragma once\n")
        self.write("src/workload/job.hpp", '#include "workload/serving/serving_stack.hpp"\n')
        for number in range(130):
            self.write(f"tests/unit/{number}.cpp", '#include "workload/job.hpp"\n')
        self.assertEqual(list(check_layers.check_reach(self.root)), [])
        self.write("tests/unit/other.cpp", '#include "workload/job.hpp"\n')
        self.assert_one(list(check_layers.check_reach(self.root)),
                        "src/workload/serving/serving_stack.hpp: 131 sources see it; at most 130")

    def test_a_folder_without_a_row_is_found(self):
        self.write("src/extra/extra.hpp", "#pragma once\n")
        self.assert_one(self.found(), "src/extra/extra.hpp: in no folder of the layer table")


class Rooms(TemporaryTree):
    """Layers that are folders of a folder."""

    def setUp(self):
        super().setUp()
        rooms = ("| 3 | `analysis/low` | text | core |\n"
                 "| 3 | `analysis/high` | uses it | analysis/low |\n")
        self.write("src/README.md", TABLE.replace("| 4 |", rooms + "| 4 |"))
        self.layer("analysis/low", "analysis/low", "core", '#include "core/core.hpp"\n')
        self.layer("analysis/high", "analysis/high", "analysis/low",
                   '#include "analysis/low/low.hpp"\n')
        self.layer("src/cli", "cli",
                   "core store engine engine_mpi analysis analysis/low analysis/high", "")

    def found(self):
        return list(check_layers.violations(self.root))

    def test_that_keep_the_table_pass(self):
        self.assertEqual(self.found(), [])

    def test_an_include_upwards_is_found(self):
        self.write("analysis/low/low.cpp", '#include "analysis/high/high.hpp"\n')
        self.assert_one(self.found(), "analysis/low/low.cpp:1",
                        "analysis/low may not include analysis/high/")

    def test_an_include_of_the_folder_around_them_is_found(self):
        self.write("analysis/low/low.cpp", '#include "analysis/analysis.hpp"\n')
        self.assert_one(self.found(), "analysis/low may not include analysis/analysis.hpp")

    def test_what_one_may_use_another_does_not_get(self):
        self.write("analysis/analysis.hpp", '#include "analysis/low/low.hpp"\n')
        self.assert_one(self.found(), "analysis may not include analysis/low/")

    def test_sources_are_named_by_their_own_room(self):
        self.write("analysis/low/forgotten.cpp", "")
        self.assert_one(self.found(), "analysis/low/CMakeLists.txt", "does not name forgotten.cpp")


class Sources(TemporaryTree):
    def found(self):
        return list(check_sources.violations(self.root))

    def test_a_clean_tree_passes(self):
        self.assertEqual(self.found(), [])

    def test_a_long_file_is_found(self):
        self.write("src/core/core.hpp", "int x;\n" * 601)
        self.assert_one(self.found(), "src/core/core.hpp:1", "file of 601 lines")

    def test_a_long_line_is_found(self):
        self.write("src/core/core.hpp", "// " + "x" * 98 + "\n")
        self.assert_one(self.found(), "src/core/core.hpp:1", "101 columns")

    def test_wide_lines_of_the_report_are_found(self):
        for name in ("page.js", "test.mjs", "style.css"):
            with self.subTest(name):
                self.write(f"analysis/report/{name}", "x" * 101 + "\n")
                self.assert_one(self.found(), f"analysis/report/{name}:1", "101 columns")
                (self.root / "analysis/report" / name).unlink()

    def test_something_left_to_do_is_found(self):
        self.write("src/core/core.hpp", "int x;\n// TO" "DO: y\n")
        self.assert_one(self.found(), "src/core/core.hpp:2", "left to do")

    def test_tabs_and_blanks_are_found(self):
        self.write("src/core/core.hpp", "\tint x; \n")
        self.assertEqual(len(self.found()), 2)

    def test_an_empty_line_at_the_end_is_found(self):
        self.write("nodes/a.toml", "x = 1\n\n")
        self.assert_one(self.found(), "nodes/a.toml:2", "empty line at the end")

    def test_an_escape_beside_the_one_is_found(self):
        for line in ('t += "&lt;";', r"""t += "'\\''";"""):
            self.write("src/core/core.cpp", f'#include "core/core.hpp"\n{line}\n')
            self.assertIn("an escape of its own", " ".join(check_sources.violations(self.root)))

    def test_a_link_to_nothing_is_found(self):
        self.write("README.md", "[a](src/README.md#x), [b](https://x.y), [c](gone.md)\n")
        self.assert_one(self.found(), "README.md:1", "link to gone.md")

    def test_a_path_that_is_gone_is_found(self):
        self.write("src/core/core.cpp", "int x;\n")
        self.write("src/core/README.md", "`core/core`, `src/core/core.cpp`, `core/*.cpp`, `a/b`\n")
        self.assertEqual(self.found(), [])
        self.write("src/core/README.md", "x\n`core/gone.cpp`\n")
        self.assert_one(self.found(), "src/core/README.md:2", "names core/gone.cpp")

    def test_a_long_first_page_is_found(self):
        most = check_sources.DOCUMENT_LINES["README.md"]
        self.write("README.md", "a\n" * most)
        self.write("nodes/README.md", "a\n" * (most + 1))
        self.assertEqual(self.found(), [])
        self.write("README.md", "a\n" * (most + 1))
        self.assert_one(self.found(), f"README.md:{most + 1}", f"at most {most}")

    def test_a_long_function_is_found(self):
        body = "  call();\n" * 60
        self.write("src/core/core.cpp", f"int x;\n\nvoid long_one(\n    int y) {{\n{body}}}\n")
        self.assert_one(self.found(), "src/core/core.cpp:3", "function of 63 lines")

    def test_a_long_member_in_a_class_in_a_namespace_is_found(self):
        body = "    if (x) {\n      call();\n    }\n" * 20
        self.write("src/core/core.hpp", "namespace a::b {\ntemplate <class T>\nclass C : public D"
                   f"<T> {{\n  auto f() const -> int {{\n{body}  }}\n}};\n}}\n")
        self.assert_one(self.found(), "src/core/core.hpp:4", "function of 62 lines")

    def test_long_tables_and_comments_are_no_functions(self):
        rows = '    {1, "}{"},\n' * 100
        comment = "/*\n" + "void f() {\n" * 100 + "*/\n"
        self.write("src/core/core.cpp",
                   f"const Table table = {{\n{rows}}};\n{comment}enum class E {{\n{rows}}};\n")
        self.assertEqual(self.found(), [])

    def test_a_long_python_function_is_found(self):
        self.write("analysis/a.py", "def f():\n" + "    x = 1\n" * 60)
        self.assert_one(self.found(), "analysis/a.py:1", "function of 61 lines")


if __name__ == "__main__":
    unittest.main()
