"""Commands that documents show, and what they show that these print."""
import re
import shlex
from dataclasses import dataclass, field

FENCE = re.compile(r"^(\s*)```(\S*)\s*$")
# What an unmarked block begins with where it is a list of commands and no output.
PROGRAMS = ("scalesweep mpirun mpiexec export source sbatch python3 ctest cmake git cp mkdir cd "
            "for time pip npm docker podman apptainer conda spack nix").split()
PROGRAM = re.compile(r"\$ |[A-Z_]+=\S|(" + "|".join(PROGRAMS) +
                     r"|docs/\S+|[\w./-]+\.(sh|py))(\s|$)")
LANGUAGES = {"", "sh", "bash", "shell", "console"}


@dataclass
class Command:
    document: str
    line: int  # of the document, from 1
    text: str  # without its prompt, on one line
    shown: list = field(default_factory=list)  # lines of output, as shown below it
    end: int = 0  # line of the document behind those

    @property
    def place(self):
        return f"{self.document}:{self.line}: {self.text}"


def blocks(lines):
    """(language, number of the first line, lines) of fenced and indented blocks."""
    number, before = 0, ""
    while number < len(lines):
        line = lines[number]
        fence = FENCE.match(line)
        if fence:
            end = next((n for n in range(number + 1, len(lines)) if FENCE.match(lines[n])),
                       len(lines))
            yield fence[2], number + 1, lines[number + 1:end]
            number = end + 1
            before = ""
            continue
        if line.startswith("    ") and not before.strip():
            end = number
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            yield "", number, [text[4:] for text in lines[number:end]]
            number = end
            before = ""
            continue
        before = line
        number += 1


def commands_of_block(document, first, lines):
    """Commands are the lines with a prompt, or where there is none, all of them."""
    prompts = any(line.startswith("$ ") for line in lines)
    number, current = 0, None
    while number < len(lines):
        line = lines[number]
        if prompts and not line.startswith("$ "):
            if current:
                current.shown.append(line)
                current.end = first + number + 1
            number += 1
            continue
        if not line.strip():
            number += 1
            continue
        begin, text = number, line.removeprefix("$ ")
        loop = re.match(r"(for|while) ", text)
        while text.endswith("\\") or loop and not re.search(r"\bdone\b", text):
            number += 1
            text = text.removesuffix("\\").rstrip() + \
                ("\n" if loop else " ") + lines[number].strip()
        current = Command(document, first + begin + 1, text.strip(), [], first + number + 1)
        yield current
        number += 1


def without_comment(text):
    """A command less the remark behind it."""
    return re.sub(r"\s+#\s.*$", "", text)


def commands_of(document, text):
    for language, first, lines in blocks(text.split("\n")):
        if language not in LANGUAGES:
            continue
        filled = [line for line in lines if line.strip()]
        if not filled or not (language in LANGUAGES - {"", "console"} or PROGRAM.match(filled[0])):
            continue
        yield from commands_of_block(document, first, lines)


INLINE = re.compile(r"(?<!`)`([^`]*\bscalesweep [a-z][^`]*)`(?!`)")
OPTION = re.compile(r"(?<!\S)(--[a-z][a-z-]*|-[a-z](?=\s|$))")


def mentions_of(text):
    """(line, command, options) of commands of scalesweep within sentences and tables."""
    for number, line in enumerate(text.split("\n"), start=1):
        for match in INLINE.finditer(line):
            for part in re.split(r"&&|\|(?!\|)", match[1]):
                words = re.search(r"\bscalesweep ([a-z]+)(.*)", part)
                if words:
                    quoted = re.sub(r"'[^']*'|\"[^\"]*\"", "''", words[2])
                    yield number, words[1], OPTION.findall(quoted)


# What differs from one run to the next: durations of the program itself.
TIMES = re.compile(r"in \d[\d.,]* (ns|us|µs|ms|s)\b")


def settled(text):
    """Words apart by one blank: a document wraps lines where a terminal does."""
    return TIMES.sub("in ...", re.sub(r"\s+", " ", text).strip())


def difference(shown, printed):
    """The first part that is shown and not printed there, or None. `...` stands for any lines."""
    rest = settled(printed)
    parts = re.split(r"^\.\.\.$", "\n".join(shown), flags=re.MULTILINE)
    for number, part in enumerate(parts):
        wanted = settled(part)
        at = rest.find(wanted)
        if at < 0 or number == 0 and at > 0:
            return wanted
        rest = rest[at + len(wanted):]
    return parts[-1].strip() and rest.strip() and "the end" or None


def first_word(text):
    return shlex.split(text.split("\n")[0], comments=True)[0]
