"""One number for one point, also by commands that are asked in other words: of drawn questions.

`recommend` answers, and the spec that it saves, run, explained and given to the Python package,
has the same numbers at the points that it names. A row of a study, written as a measured case, is
predicted by `validate` as the study has it.
"""
import json
import random
import tomllib

import case_files
from asked import ALL_ROWS, ARGUMENTS, SOURCE, Laws, ended, main, numpy, program, results_of, sys

sys.path.insert(0, str(SOURCE / "tests/support"))
import exported_rows  # noqa: E402
import scalesweep  # noqa: E402

WRONG = (64, 65)   # a question or a spec that cannot be
MOST_CASES = 40    # of a study
TRUTHS = {"on": True, "off": False}  # as studies and as case files have them
TIE = 1.01         # what is proposed is the simplest layout within 1 % of the best
# Figures of an answer: the column of the study.
FIGURES = {"step_time_s": "step_time", "tokens_per_second": "tokens_per_second",
           "tokens_per_second_per_device": "tokens_per_second_per_device",
           "mfu": "model_flop_utilization",
           "usd_per_million_tokens": "cost_per_million_tokens", "memory_bytes": "memory_total",
           "memory_capacity_bytes": "memory_capacity",
           "relative_uncertainty": "relative_uncertainty",
           "time_per_output_token_s": "time_per_output_token",
           "time_to_first_token_s": "time_to_first_token", "goodput": "goodput",
           "device_hours": "run_device_hours", "run_cost_usd": "run_cost",
           "reported_losses": "reported_losses"}
IN_OTHER_UNITS = ("days", "run_energy_kwh", "days_as_reached", "days_as_reached_low",
                  "days_as_reached_high")


def some(chance, options, share=0.4):
    """Words of some of {option: values}."""
    return [word for option, values in options.items() if chance.random() < share
            for word in (option, str(chance.choice(values)))]


def question(chance):
    """The words of one."""
    models = ("llama-3-8b", "llama-2-7b", "qwen2.5-7b", "mixtral-8x7b", "gemma-2-9b", "llama-3-70b",
              "opt-13b", "deepseek-v3")
    devices = ("h100", "a100-sxm-80gb", "b200", "mi300x", "h200", "h100,a100", "gb200", "v100")
    words = ["--model", chance.choice(models), "--device", chance.choice(devices),
             "--top", str(chance.choice((1, 3, 8)))]
    words += ["--budget", chance.choice(("40 kW", "1 MUSD"))] if chance.random() < 0.2 else \
        ["--devices", chance.choice(("1", "8", "16", "8,16", "64", "24"))]
    if chance.random() < 0.5:
        words += ["--train", *some(chance, {
            "--sequence": (1024, 4096), "--global-batch": (16, 64, 96), "--precision":
            ("bf16", "fp8", "fp16"), "--framework": ("megatron-lm", "torchtitan", "fsdp"),
            "--run-tokens": ("1 T", "20 B"), "--network": ("NDRx8", "HDRx8")})]
        return words
    prompts = chance.choice(("500", "4000", "200,3000"))
    words += ["--serve", "--prompt", prompts,
              "--output-tokens", ",".join(["200"] * (1 + prompts.count(",")))]
    if chance.random() < 0.3:
        words += ["--concurrency", chance.choice(("4", "16,64"))]
    else:
        words += some(chance, {"--request-rate": ("0.5 Hz", "10 Hz")}, 0.3)
        words += some(chance, {"--ttft-p99": ("2 s", "10 s"), "--tpot-p90": ("60 ms",)}, 0.2)
    return words + some(chance, {
        "--ttft": ("1 s", "4 s"), "--tpot": ("30 ms", "80 ms"), "--precision":
        ("bf16", "fp8", "w4a16"), "--framework": ("vllm", "sglang", "tensorrt-llm")})


class Recommended(Laws):
    def test_is_what_its_spec_says(self):
        chance = random.Random(ARGUMENTS.seed)
        answered = 0
        for at in range(ARGUMENTS.specs):
            words = question(chance)
            spec, kept = self.folder / f"question-{at}.toml", self.folder / f"question-{at}.h5"
            said = ended("recommend", *words, "--format", "json", "--save-spec", spec, "-o", kept)
            with self.subTest(" ".join(words)):
                if said.returncode in WRONG:
                    continue
                self.assertEqual(said.returncode, 0, said.stderr)
                answered += self.expect_answers(json.loads(said.stdout), spec, kept)
        self.assertGreater(answered, ARGUMENTS.specs // 5)

    def expect_answers(self, told, spec, kept):
        """How many were right."""
        again = spec.with_suffix(".again.h5")
        program("run", spec, "-o", again, "--quiet", "--no-sync")
        self.expect_same_file(kept, again, "the saved spec")
        results = results_of(again)
        self.assertEqual(told["feasible"], int((results["status"] == 0).sum()))
        answers = [one for one in told.get("answers", [told]) if one["verdict"]["answered"]]
        self.assertEqual(bool(answers), told["feasible"] > 0)
        for answer in answers:
            self.expect_answer(answer, spec, results, len(answers) == 1)
        return len(answers)

    def expect_answer(self, answer, spec, results, is_only):
        verdict, proposed = answer["verdict"], answer["layouts"][0]
        self.assertEqual(results["status"][verdict["point_id"]], 0)
        objective = results[verdict["objective"]]
        self.assertEqual(verdict["value"], objective[verdict["point_id"]])
        best = objective[proposed["point_id"]]
        if is_only:
            feasible = objective[results["status"] == 0]
            is_most = verdict["aim"].startswith("most")
            # What is better known may be proposed in its place.
            of_best = verdict.get("best_by_estimate", verdict)["value"]
            least = feasible.max() / of_best if is_most else of_best / feasible.min()
            self.assertLessEqual(least, 1.0 if "best_by_estimate" in verdict else TIE)
        for layout in answer["layouts"]:
            for name, column in FIGURES.items():
                if name in layout and column in results:
                    self.assertEqual(layout[name], results[column][layout["point_id"]], name)
        self.expect_point(spec, proposed, verdict["objective"], best)

    def expect_point(self, spec, layout, objective, value):
        """By the words of the layout: `explain` finds the point, and a spec of it alone has the
        number."""
        fields = {name: one for name, one in layout.items()
                  if name not in ("point_id", *FIGURES, *IN_OTHER_UNITS)}
        words = [word for name, one in fields.items()
                 for word in ("--set", f"{name}={case_files.cell_text(one)}")]
        explained = json.loads(program("explain", spec, *words, "--format", "json"))
        self.assertEqual(explained["point"][0]["value"], layout["point_id"])
        told = {line["name"]: line["value"] for line in explained["result"]}
        self.assertAlmostEqual(told[objective] / value, 1.0, delta=1e-5)
        with open(spec, "rb") as file:
            tables = tomllib.load(file)
        for table in tables.values():
            if isinstance(table, dict):
                table.update({name: fields[name] or self.zero_of(table[name])
                              for name in fields.keys() & table.keys()})
        study = scalesweep.Study(tables)
        columns = study.arrays(numpy.arange(len(study)))
        is_point = numpy.ones(len(study), bool)
        for name in fields.keys() & columns.keys():
            if name in ("data_parallel", "micro_batches"):
                is_point &= columns[name] == fields[name]
        self.assertIn(value, columns[objective][is_point])

    @staticmethod
    def zero_of(values):
        """What a spec writes for a number that is 0: `none` where it may."""
        first = values[0] if isinstance(values, list) else values
        return first if first in ("none", "all", "even") else type(first)(0)


class Validated(Laws):
    def test_row_of_a_study_is_predicted_as_a_case(self):
        chance = random.Random(ARGUMENTS.seed)
        right = dict.fromkeys(case_files.KINDS, 0)
        for kind in case_files.KINDS:
            tried = 0
            while right[kind] < ARGUMENTS.specs // 3 and tried < 4 * ARGUMENTS.specs:
                tried += 1
                with self.subTest(kind, number=tried):
                    right[kind] += self.expect_cases(kind, *case_files.drawn(kind, chance), chance)
        for kind, count in right.items():
            self.assertGreater(count, ARGUMENTS.specs // 6, kind)

    def expect_cases(self, kind, cells, values, chance):
        """Whether the drawn spec has rows to ask."""
        spec = self.folder / f"{kind}.toml"
        spec.write_text(case_files.spec_text(kind, values))
        path, cases = spec.with_suffix(".h5"), spec.with_suffix(".csv")
        path.unlink(missing_ok=True)
        if ended("run", spec, "-o", path, *ALL_ROWS).returncode != 0:
            return False
        study = exported_rows.Rows(path)
        rows = [row for row in range(len(study)) if self.can_be_case(kind, cells, study, row)]
        rows = sorted(chance.sample(rows, min(len(rows), MOST_CASES)))
        written = [(row, metric, self.case(kind, cells, study, row, metric))
                   for row in rows for metric in case_files.KINDS[kind].metrics or [""]]
        if not written:
            return False
        case_files.write_cases(cases, [case for _, _, case in written])
        predictions = cases.with_name(f"{kind}-predicted.csv")
        predictions.unlink(missing_ok=True)
        program("validate", cases, "--predictions", predictions)
        for (row, metric, _), told in zip(written, case_files.read_cases(predictions), strict=True):
            self.expect_predicted(kind, study, row, metric, told, spec)
        return True

    @staticmethod
    def can_be_case(kind, cells, study, row):
        """A case has one micro-batch of requests, and a request for each replica."""
        if study.value("status", row) != "ok":
            return False
        if kind == "serving":
            return study.value("data_parallel", row) <= cells["concurrency"]
        return kind != "inference" or study.value("micro_batches", row) == 1

    @staticmethod
    def case(kind, cells, study, row, metric):
        of_kind = case_files.KINDS[kind]
        case = {"case": f"point {row}", **cells, **of_kind.fixed}
        for name, column in of_kind.layout.items():
            value = study.value(column, row) if column in study.columns else None
            if value is not None:
                case[name] = TRUTHS.get(value, value)
        return {**case, "metric": metric} if metric else case

    def expect_predicted(self, kind, study, row, metric, told, spec):
        of_kind = case_files.KINDS[kind]
        column = of_kind.metrics[metric] if metric else of_kind.result
        where = f"{spec.read_text()}\npoint {row}, {column}: {told}"
        value = told[of_kind.predicted]
        self.assertNotEqual(value, "", where)
        held = study.value(column, row)
        self.assertAlmostEqual(float(value) / held, 1.0, delta=1e-5, msg=f"{held} in {where}")
        # First tokens of services have a bar of their own.
        bar = ("first_token_uncertainty" if (kind, metric) == ("serving", "ttft_s")
               else "relative_uncertainty")
        if told.get("predicted_relative_uncertainty"):
            self.assertAlmostEqual(float(told["predicted_relative_uncertainty"]),
                                   study.value(bar, row), delta=1e-5, msg=where)
        self.assertIn(told.get("predicted_fits", "true"), ("true", ""), where)


if __name__ == "__main__":
    main()
