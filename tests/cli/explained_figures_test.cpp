// What `explain` shows of a point is what its row in the study holds, kind by kind.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cli/explain/explain_report.hpp"
#include "unit/study/study_fixture.hpp"

namespace scalesweep::cli {
namespace {

struct Workload {
  std::string kind;
  std::string keys;
};

const Workload workloads[] = {
    {"training", "model = \"llama-2-7b\"\nsequence = 2048\nglobal_batch = 64\n"},
    {"inference", "model = \"llama-2-7b\"\nprompt = 500\noutput = 100\nbatch = 16\n"},
    {"serving",
     "model = \"llama-2-7b\"\nprompt = 500\noutput = 100\ntime_per_output_token = \"100 ms\"\n"},
    {"recommendation", "recommender = \"dlrm-dcnv2\"\nbatch = 65536\n"},
    {"diffusion", "diffusion_model = \"flux-1-dev\"\nwidth = 512\nheight = 512\nbatch = 8\n"},
    {"reinforcement_learning",
     "model = \"llama-2-7b\"\nprompts = 64\nsamples = 4\nprompt = 500\noutput = 500\n"},
};

std::string spec_of(const Workload& workload) {
  return "schema = 1\ntitle = \"Explained\"\n[workload]\nkind = \"" + workload.kind + "\"\n" +
         workload.keys + "[system]\naccelerators = 8\ndevice = \"h100-sxm\"\n";
}

// How many lines of a sheet are columns of the study, each with the value that its row holds.
int expect_columns(const Sheet& sheet, const store::Schema& schema, const store::Table& table,
                   std::size_t row) {
  int columns = 0;
  for (const std::vector<Cell>& line : sheet.rows) {
    const auto column = std::find_if(schema.begin(), schema.end(), [&](const auto& one) {
      return one.name == line.front().text;
    });
    const std::optional<double> shown = line.back().value.number();
    if (column == schema.end() || !shown || !column->labels.empty()) {
      continue;
    }
    const double held = table.number(static_cast<std::size_t>(column - schema.begin()), row);
    EXPECT_NEAR(*shown, held, 1e-6 * std::fabs(held)) << column->name;
    ++columns;
  }
  return columns;
}

// A study of these with its rows, and the first that is feasible.
struct Evaluated {
  explicit Evaluated(const Workload& workload)
      : study(test::load_quickly(spec_of(workload))), rows(test::evaluate_all(study).rows) {
    const std::size_t column = study::column_named(study.description().schema, "status");
    const auto& status = rows.values<std::uint8_t>(column);
    row = static_cast<std::size_t>(std::find(status.begin(), status.end(), 0) - status.begin());
  }
  std::vector<Sheet> sheets(Format format) const {
    const auto id = static_cast<PointId>(rows.number(0, row));
    return explain_sheets(study, study.point_at(id), format);
  }

  study::Study study;
  store::Table rows;
  std::size_t row = 0;
};

TEST(ExplainedFigures, AreThoseOfTheRow) {
  for (const Workload& workload : workloads) {
    const Evaluated of(workload);
    ASSERT_LT(of.row, of.rows.rows()) << workload.kind;
    int columns = 0;
    for (const Sheet& sheet : of.sheets(Format::json)) {
      columns += sheet.name == "result"
                     ? expect_columns(sheet, of.study.description().schema, of.rows, of.row)
                     : 0;
    }
    EXPECT_GT(columns, 7) << workload.kind;
  }
}

// "17.3 sequences/s" of a kind that counts sequences.
TEST(ExplainedFigures, RatesAreInTheUnitOfTheKind) {
  for (const Workload& workload : workloads) {
    const Evaluated of(workload);
    const std::string many(of.study.kind().unit.many);
    std::string shown;
    std::string price;
    for (const Sheet& sheet : of.sheets(Format::text)) {
      for (const std::vector<Cell>& line : sheet.rows) {
        shown = line.front().text == many + "_per_second" ? line.back().text : shown;
      }
      price = sheet.name == "step_cost" ? sheet.columns[2].header : price;
    }
    EXPECT_NE(shown.find(" " + many + "/"), std::string::npos) << workload.kind << ": " << shown;
    EXPECT_EQ(price, "a million " + many) << workload.kind;
  }
}

}  // namespace
}  // namespace scalesweep::cli
