"""Dakota looks for the best point of a spec, by its file interface.

    python3 dakota_study.py input SPEC.toml > study.in     # what Dakota reads: dakota -i study.in
    python3 dakota_study.py run SPEC.toml PARAMS RESULTS   # what Dakota calls for each point

Parameters are sets: of integers, of real numbers or of strings. A point that is no valid layout or
not feasible is told as Dakota is told of failures, by the word fail.
"""
import sys
from pathlib import Path

import scalesweep

# After what an own study needs: another method, more evaluations.
INPUT = """environment
  tabular_data
method
  coliny_ea
    max_function_evaluations = 500
    seed = 1
variables
{variables}
interface
  analysis_drivers = '{driver}'
  fork
  failure_capture recover 1e30
responses
  response_functions = 1
    descriptors = '{objective}'
  no_gradients
  no_hessians
"""
KINDS = {int: "discrete_design_set integer", float: "discrete_design_set real",
         str: "discrete_design_set string"}


def kind_of(parameter):
    kinds = {type(choice) for choice in parameter.choices}
    return float if kinds == {int, float} else kinds.pop()


def variables_of(space):
    """The block `variables`: sets of one kind stand together, their elements in ascending order."""
    lines = []
    for kind, words in KINDS.items():
        some = [of for of in space.parameters if kind_of(of) is kind]
        if not some:
            continue
        quote = "'" if kind is str else ""
        elements = [f"{quote}{choice}{quote}" for of in some for choice in sorted(of.choices)]
        lines += [f"  {words} = {len(some)}",
                  "    descriptors = " + " ".join(f"'{of.name}'" for of in some),
                  "    elements_per_variable = " + " ".join(str(len(of.choices)) for of in some),
                  "    elements = " + " ".join(elements)]
    return "\n".join(lines)


def input_text(spec, space):
    driver = f"{sys.executable} {Path(__file__).resolve()} run {Path(spec).resolve()}"
    return INPUT.format(variables=variables_of(space), driver=driver,
                        objective=space.study.objectives[0].name)


def values_of(text, space):
    """Of a file of parameters, `NUMBER variables` and then so many lines `VALUE NAME`."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    if not lines or len(lines[0]) < 2 or lines[0][1] != "variables":
        raise ValueError("no file of parameters as Dakota writes it: the first line is not "
                         "'NUMBER variables'")
    given = {words[-1]: " ".join(words[:-1]) for words in lines[1:1 + int(lines[0][0])]}
    kinds = {of.name: kind_of(of) for of in space.parameters}
    return {name: kinds[name](value) for name, value in given.items()}


def run(spec, parameters, results):
    space = scalesweep.Space(spec)
    loss = space.loss(values_of(Path(parameters).read_text(), space))
    name = space.study.objectives[0].name
    Path(results).write_text("fail\n" if loss == float("inf") else f"{loss:.17g} {name}\n")


def main(command, spec, *files):
    if command == "input":
        print(input_text(spec, scalesweep.Space(spec)), end="")
    else:
        run(spec, *files)


if __name__ == "__main__":
    if len(sys.argv) not in (3, 5) or sys.argv[1] not in ("input", "run"):
        sys.exit(__doc__)
    main(*sys.argv[1:])
