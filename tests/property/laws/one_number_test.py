"""One number for one point, whoever is asked: of drawn specs.

Exports in every format, `explain` of the spec and of the file, and the Python package tell of the
same points what the file holds.
"""
import json

from asked import (ALL_ROWS, ARGUMENTS, SOURCE, TITLE, Laws, draw_specs, main, numpy, program,
                   results_of, sys)

sys.path.insert(0, str(SOURCE / "tests/support"))
import exported_rows  # noqa: E402
import scalesweep  # noqa: E402


class OneNumber(Laws):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.files = {spec: spec.with_suffix(".h5")
                     for spec in draw_specs(cls.folder, "--title", TITLE)}
        for spec, path in cls.files.items():
            program("run", spec, "-o", path, *ALL_ROWS)

    def test_exports_tell_what_the_file_holds(self):
        for path in self.files.values():
            study = exported_rows.Rows(path)
            for export, rows in exported_rows.exported(program, path).items():
                self.assertEqual(len(rows), len(study), f"{path.stem}.{export}")
                for row, values in enumerate(rows):
                    for column in study.order:
                        told = exported_rows.difference(study, column, row, values[column])
                        self.assertEqual(told, "", f"{path.stem}.{export}, row {row}, {column}")

    def test_package_and_explain_tell_what_the_file_holds(self):
        for spec, path in self.files.items():
            results = results_of(path)
            study = scalesweep.Study(spec)
            for name, values in study.arrays(results["point_id"]).items():
                if name in results and results[name].dtype.kind == "f":
                    numpy.testing.assert_array_equal(values, results[name], name)
            for row in numpy.flatnonzero(results["status"] == 0)[:1]:
                self.expect_explained(spec, path, results, int(row))

    def expect_explained(self, spec, path, results, row):
        point = int(results["point_id"][row])
        told = []
        for study in (spec, path):
            explained = json.loads(program("explain", study, "--point", point, "--format", "json"))
            told.append({line["name"]: line["value"] for line in explained["result"]})
        self.assertEqual(told[0], told[1])
        for name, value in told[0].items():
            held = results.get(name)
            if held is not None and held.dtype.kind == "f" and isinstance(value, float):
                self.assertAlmostEqual(held[row] / value if value else held[row] + 1.0, 1.0,
                                       delta=1e-5, msg=name)


if __name__ == "__main__":
    main()
