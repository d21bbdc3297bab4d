"""Every text that comes from a user is shown as what it is: of drawn nasty texts.

Titles, fields of [dataset], names of own devices, models and precisions, files and folders are
drawn of what terminals, HTML, Markdown, CSV, shells, YAML, TOML and TeX take for their own. What
commands print and write is read back by readers of these languages: it gives the text back, or
shows it without what it would do. Nothing drawn does harm where it is run.
"""
import csv
import json
import os
import random
import re
import shutil
import subprocess
import tomllib

import parsers
from asked import ARGUMENTS, Laws, ended, h5py, main, program, sys

try:
    import yaml
except ImportError:
    yaml = None

ATOMS = ("'", '"', "`", "|", "<b>", "</script>", "<!--", "&amp;", "$(true)", "%s", "%", "_x_",
         "{y}", "}", "\\", "=1+1", "@a", "-b", "+c", "#", ": ", "[d](e)", "$x_1$", "~~", ";", ",",
         "é中🚀", "null", " ", "*e*", "!", "\\frac{", "^", "?", "\\n", "0x1F", "1e5", "---", "'''",
         "${HOME}", "]]>", "\\u0041", "a", "b", "7")
CONTROLS = ("\n", "\x1b[31m", "\x07", "\x7f", "\u0085", "\u202e", "\u2028", "\t", "\x01")
FORMULA = ("=", "+", "-", "@", "\t", "\r")
HTML_REPORT = 78  # this program was built without it


def text(chance, atoms=ATOMS, most=7):
    drawn = "".join(chance.choice(atoms) for _ in range(chance.randint(1, most))).strip()
    return drawn or "'"


def toml(value):
    """A text as TOML has it: escapes of JSON, but those of pairs, and of DEL and C1."""
    escaped = json.dumps(value, ensure_ascii=False)
    return "".join(f"\\u{ord(c):04x}" if 0x7f <= ord(c) <= 0x9f else c for c in escaped)


def key(name):
    """As the header of an entry has it."""
    return name if re.fullmatch(r"[\w-]+", name, re.ASCII) else toml(name)


class Drawn:
    """The texts of one study, and the study of them."""

    def __init__(self, chance, folder):
        name = text(chance).replace("/", ":").strip(". ") or "x"
        self.folder = folder / f"in {name}"
        self.title = text(chance, ATOMS + CONTROLS)
        self.device, self.other = (f"{text(chance)}{number}" for number in (1, 2))
        self.model, self.precision = text(chance) + "m", text(chance) + "p"
        self.fields = {key: text(chance, ATOMS + CONTROLS)
                       for key in ("institution", "project", "publisher", "summary", "version")}
        self.keywords = [text(chance, ATOMS + CONTROLS).replace(",", ".") for _ in range(2)]
        self.creator, self.affiliation = text(chance).replace(",", "."), text(chance)
        self.funder = text(chance)
        (self.folder / "nodes").mkdir(parents=True)
        self.spec = self.folder / f"spec {name}.toml"
        self.file = self.folder / f"out {name}.h5"

    def write(self):
        (self.folder / "nodes" / "own.toml").write_text(
            f'schema = 1\n[device.{key(self.device)}]\nlike = "h100-sxm"\n'
            f'[device.{key(self.other)}]\nlike = "a100-sxm-80gb"\n'
            f'[model.{key(self.model)}]\nlike = "llama-3-8b"\n', encoding="utf-8")
        fields = "".join(f"{key} = {toml(one)}\n" for key, one in self.fields.items())
        self.spec.write_text(f'''schema = 1
title = {toml(self.title)}
[workload]
kind = "inference"
model = {toml(self.model)}
prompt = 100
output = 20
batch = [1, 8]
framework = "vllm"
precision = {{ name = {toml(self.precision)}, operands = "bf16" }}
[system]
accelerators = 2
device = [{toml(self.device)}, {toml(self.other)}]
[strategy]
tensor_parallel = [1, 2]
pipeline_parallel = 1
[dataset]
{fields}keywords = [{", ".join(map(toml, self.keywords))}]
funding = [{{ funder = {toml(self.funder)} }}]
creators = [{{ name = {toml(self.creator)}, affiliation = {toml(self.affiliation)} }}]
''', encoding="utf-8")


class Texts(Laws):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        chance = random.Random(ARGUMENTS.seed)
        cls.studies = []
        for number in range(ARGUMENTS.specs // 3):
            drawn = Drawn(chance, cls.folder / str(number))
            drawn.write()
            drawn.printed = program("run", drawn.spec, "-o", drawn.file, "--no-sync")
            cls.studies.append(drawn)

    def test_a_terminal_hears_nothing(self):
        for drawn in self.studies:
            out = drawn.folder / "analysis"
            for words in (("check", drawn.spec), ("status", drawn.file), ("plan", drawn.spec),
                          ("analyze", drawn.file, "-o", out, "--no-figures"),
                          ("query", drawn.file), ("explain", drawn.file, "--point", 0),
                          ("explain", drawn.spec, "--point", 0, "--format", "json"),
                          ("run", drawn.spec, "-o", drawn.folder / "\x1b[1mno" / "out.h5"),
                          ("query", drawn.file, "--where", f"{drawn.title} == 1"),
                          ("catalog", "show", drawn.title), ("merge", drawn.title)):
                said = ended(*words)
                printed = said.stdout + said.stderr
                self.assertIsNone(parsers.HEARD.search(printed), (words, printed))
            shown = " ".join(program("status", drawn.file).split())
            self.assertIn(" ".join(parsers.printable(drawn.title).split()), shown)

    def test_csv_has_the_names(self):
        for drawn in self.studies:
            for options in ((), ("--spreadsheet",)):
                said = program("query", drawn.file, "--all-statuses", "--select",
                               "device,precision,model,status", "--format", "csv", *options)
                rows = list(csv.reader(said.splitlines(keepends=True), strict=True))
                self.assertEqual({len(row) for row in rows}, {4}, said)
                names = [drawn.device, drawn.other, drawn.precision, drawn.model]
                guarded = [f"'{one}" if options and one.startswith(FORMULA) else one
                           for one in names]
                self.assertEqual({cell for row in rows[1:] for cell in row[:3]}, set(guarded))
            for format in ("json", "jsonl"):
                said = program("query", drawn.file, "--all-statuses", "--select", "device",
                               "--format", format)
                rows = json.loads(said)["rows"] if format == "json" else map(
                    json.loads, said.splitlines())
                self.assertEqual({row["device"] for row in rows}, {drawn.device, drawn.other})

    def test_tables_of_an_analysis_are_tables(self):
        for drawn in self.studies:
            folder = drawn.folder / "tables"
            program("analyze", drawn.file, "-o", folder, "--no-figures", "--spreadsheet")
            for table in folder.glob("*.csv"):
                with open(table, newline="", encoding="utf-8") as file:
                    rows = list(csv.reader(file, strict=True))
                self.assertEqual(len(set(map(len, rows))), 1, table)
                for cell in (cell for row in rows for cell in row):
                    self.assertFalse(cell.startswith(FORMULA) and not self.is_number(cell), cell)

    @staticmethod
    def is_number(cell):
        try:
            float(cell)
        except ValueError:
            return False
        return True

    def test_a_report_has_no_tag_of_theirs(self):
        tame = Drawn(random.Random(0), self.folder / "tame")
        tame.title = tame.device = tame.other = tame.model = tame.precision = "tame"
        tame.other += "-2"
        tame.write()
        program("run", tame.spec, "-o", tame.file, "--no-sync", "--quiet")
        made = tame.folder / "report.html"
        said = ended("report", tame.file, "-o", made)
        if said.returncode == HTML_REPORT:
            self.skipTest("built without the report")
        self.assertEqual(said.returncode, 0, said.stderr)
        wanted = parsers.Html(made.read_text(encoding="utf-8"))
        for drawn in self.studies:
            made = drawn.folder / "report.html"
            program("report", drawn.file, "-o", made)
            page = parsers.Html(made.read_text(encoding="utf-8"))
            self.assertEqual(page.tags, wanted.tags)
            self.assertEqual(parsers.plain("".join(page.texts["title"])),
                             parsers.plain(drawn.title))
            data = [json.loads(one) for one in page.texts["script"] if one.startswith("{")]
            self.assertIn(drawn.title, self.texts_of(data))

    def texts_of(self, data):
        """All texts in JSON."""
        if isinstance(data, dict):
            return {text for one in data.items() for text in self.texts_of(list(one))}
        if isinstance(data, list):
            return {text for one in data for text in self.texts_of(one)}
        return {data} if isinstance(data, str) else set()

    def test_a_published_folder_shows_them(self):
        for drawn in self.studies:
            folder = drawn.folder / "published"
            program("publish", drawn.file, "-o", folder, "--no-figures", "--csv")
            card = (folder / "README.md").read_text(encoding="utf-8")
            heading, markup = parsers.shown_line(card.split("\n")[0][2:])
            self.assertEqual((heading, markup), (parsers.plain(drawn.title), []))
            rows = {row[0]: row[1] for row in next(parsers.tables(card))}
            for key, name in (("institution", "Institution"), ("project", "Project"),
                              ("publisher", "Publisher"), ("version", "Version")):
                self.assertEqual(parsers.shown_line(rows[name]),
                                 (parsers.plain(drawn.fields[key]), []))
            self.assertEqual(parsers.shown_line(rows["Keywords"]),
                             (parsers.plain(", ".join(drawn.keywords)), []))
            for table in parsers.tables(card):
                self.assertEqual(len(set(map(len, table))), 1, table)
            self.expect_metadata(drawn, folder)
            subprocess.run(["sha256sum", "-c", "--quiet", "manifest-sha256.txt"], cwd=folder,
                           check=True)

    def expect_metadata(self, drawn, folder):
        schema = json.loads((folder / "schema-org.jsonld").read_text(encoding="utf-8"))
        self.assertEqual(schema["name"], drawn.title)
        if yaml is None:
            return
        said = yaml.safe_load((folder / "CITATION.cff").read_text(encoding="utf-8"))
        self.assertEqual(said["title"], drawn.title)
        self.assertEqual(said["keywords"], drawn.keywords)
        self.assertEqual(said["version"], drawn.fields["version"])
        self.assertEqual(said["abstract"], drawn.fields["summary"])
        self.assertEqual((said["authors"][0]["family-names"], said["authors"][0]["affiliation"]),
                         (drawn.creator, drawn.affiliation))

    def test_a_shell_reads_the_command_that_was_typed(self):
        for drawn in self.studies:
            with h5py.File(drawn.file) as file:
                line = file["provenance/command"][()].decode()
            self.assertEqual(self.read_by_shell(line),
                             ["run", str(drawn.spec), "-o", str(drawn.file), "--no-sync"])
            following = drawn.printed[drawn.printed.index("scalesweep analyze"):].splitlines()[0]
            self.assertEqual(self.read_by_shell(following),
                             ["analyze", str(drawn.file)])

    @staticmethod
    def read_by_shell(line):
        """Arguments of a command, as bash has them."""
        assert line.split(" ")[0].endswith("scalesweep"), line
        said = subprocess.run(["bash", "-c", "printf '%s\\0' " + line.split(" ", 1)[1]],
                              capture_output=True, check=True)
        return said.stdout.decode().split("\0")[:-1]

    def test_what_to_launch_is_read_by_what_runs_it(self):
        for drawn in self.studies:
            for framework in ("vllm", "sglang", "tensorrt-llm"):
                folder = drawn.folder / framework
                program("launch", drawn.spec, "--point", 0, "--for", framework, "-o", folder)
                for file in folder.iterdir():
                    self.expect_readable(file)

    def expect_readable(self, file):
        said = file.read_text(encoding="utf-8")
        if file.suffix == ".sh" or "#!" in said[:2]:
            subprocess.run(["bash", "-n", str(file)], check=True)
        elif file.suffix == ".json":
            json.loads(said)
        elif file.suffix == ".toml":
            tomllib.loads(said)
        elif file.suffix in (".yaml", ".yml") and yaml:
            list(yaml.safe_load_all(said))

    def test_a_saved_spec_has_the_names(self):
        for drawn in (one for one in self.studies if "," not in one.device):  # a list of them
            saved = drawn.folder / "saved.toml"
            nodes = drawn.folder / "nodes"
            program("recommend", "--model", drawn.model, "--device", drawn.device, "--devices", 8,
                    "--serve", "--prompt", 100, "--output-tokens", 10, "--save-spec", saved,
                    "--catalog-add", nodes)
            tables = tomllib.loads(saved.read_text(encoding="utf-8"))
            self.assertEqual((tables["workload"]["model"], tables["system"]["device"]),
                             (drawn.model, drawn.device))

    def test_figures_take_no_text_for_a_formula(self):
        if subprocess.run([sys.executable, "-c", "import matplotlib"], check=False,
                          capture_output=True).returncode != 0:
            self.skipTest("there is no matplotlib")
        drawn = self.studies[0]
        folder = drawn.folder / "figures"
        said = ended("analyze", drawn.file, "-o", folder, "--figures", "verdict,frontier")
        self.assertNotIn("no figures", said.stdout + said.stderr)
        self.assertTrue(list(folder.rglob("*.png")))


if __name__ == "__main__":
    os.environ.setdefault("HWLOC_COMPONENTS", "-opencl")
    assert shutil.which("bash")
    main()
