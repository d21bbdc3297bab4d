// What a file says of the points that it does not keep is what one that keeps all of them says.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <map>
#include <vector>

#include "engine/run_threads.hpp"
#include "store/merge/finish.hpp"
#include "store/read/reader.hpp"
#include "support/small_study.hpp"
#include "support/temporary_folder.hpp"
#include "unit/study/study_fixture.hpp"

namespace scalesweep::study {
namespace {

// Of a group and a status: how many points, and the best of the column that says how near they
// came.
struct Outcome {
  std::int64_t points = 0;
  double nearest = std::nan("");
  friend bool operator==(const Outcome& a, const Outcome& b) {
    return a.points == b.points &&
           (a.nearest == b.nearest || (std::isnan(a.nearest) && std::isnan(b.nearest)));
  }
};
// By the name of the table, then the values and the status.
using All = std::map<std::string, std::map<std::vector<std::int64_t>, Outcome>>;

void showValue(const All& all, std::ostream& out) {
  for (const auto& [table, groups] : all) {
    for (const auto& [key, outcome] : groups) {
      out << table;
      for (const std::int64_t one : key) {
        out << " " << one;
      }
      out << ": " << outcome.points << ", " << outcome.nearest << "\n";
    }
  }
}

All stored_in(const std::vector<store::StoredOutcomes>& stored) {
  All all;
  for (const store::StoredOutcomes& one : stored) {
    for (const store::OutcomeRow& row : one.rows) {
      std::vector<std::int64_t> key = row.values;
      key.push_back(row.status);
      all[one.table.name][key] = {row.points, row.nearest};
    }
  }
  return all;
}

// How near a row came to being feasible, by what the columns of its file say; the less the nearer.
double distance_of(const store::Schema& schema, const store::Table& rows, std::size_t row,
                   const std::string& status) {
  for (std::size_t c = 0; c < schema.size(); ++c) {
    if (schema[c].role == "nearest:" + status) {
      const double value = rows.number(c, row);
      return schema[c].units == "B"
                 ? value / rows.number(column_named(schema, "memory_capacity"), row)
                 : value;
    }
  }
  return std::nan("");
}

// Of rows of all points, in the plainest way.
All counted_in(const store::StudyDescription& study, const store::Table& rows) {
  All all;
  const std::size_t status_column = column_named(study.schema, "status");
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto status = static_cast<std::size_t>(rows.number(status_column, row));
    const std::string& name = study.count_names[status];
    const double distance = distance_of(study.schema, rows, row, name);
    for (const store::OutcomeTable& table : study.outcomes.tables) {
      std::vector<std::int64_t> key;
      for (const std::string& axis : table.axes) {
        key.push_back(
            static_cast<std::int64_t>(rows.number(column_named(study.schema, axis), row)));
      }
      key.push_back(static_cast<std::int64_t>(status));
      Outcome& outcome = all[table.name][key];
      ++outcome.points;
      outcome.nearest = name == "does_not_fit" && study.outcomes.nearest[status] == "largest_batch"
                            ? std::fmax(outcome.nearest, distance)
                            : std::fmin(outcome.nearest, distance);
    }
  }
  return all;
}

// Some points do not fit, some do, and of serving some miss the limits.
std::string training(const std::string& models, const std::string& devices) {
  return fmt::format(R"(schema = 1
title = "Training"
[workload]
kind = "training"
model = [{}]
sequence = [2048, 4096]
global_batch = 32
[system]
accelerators = [8, 16]
device = [{}]
scale_out = "NDRx8"
[strategy]
tensor_parallel = {{ powers_of_two_to = 8 }}
pipeline_parallel = [1, 2]
micro_batch = [1, 2]
)",
                     models, devices);
}
std::string requests(const std::string& kind, const std::string& more) {
  return fmt::format(R"(schema = 1
title = "Requests"
[workload]
kind = "{}"
model = ["llama-2-7b", "llama-2-70b"]
prompt = [500, 2000]
output = 200
{}[system]
accelerators = [1, 4]
device = ["a100-sxm-40gb", "h100-sxm"]
[strategy]
tensor_parallel = {{ powers_of_two_to = 4 }}
)",
                     kind, more);
}

std::string any_spec() {
  const std::string models = *rc::gen::element<std::string>(
      R"("llama-2-7b")", R"("llama-2-7b", "llama-2-70b")", R"("gpt3-175b", "llama-2-13b")");
  const std::string devices = *rc::gen::element<std::string>(
      R"("h100-sxm")", R"("a100-sxm-40gb", "h100-sxm")", R"("a100-sxm-80gb", "h200-sxm")");
  std::string spec =
      *rc::gen::element(training(models, devices), requests("inference", "batch = [1, 256]\n"),
                        requests("serving", "time_to_first_token = [\"20 ms\", \"1 s\"]\n"));
  return spec + *rc::gen::element<std::string>("", "[[filter]]\nwhere = \"tensor_parallel <= 2\"\n",
                                               "[[filter]]\nwhere = \"accelerators >= 4\"\n");
}

std::string any_keep() {
  return *rc::gen::element<std::string>(
      "[keep]\npolicy = \"feasible\"\n", "[keep]\npolicy = \"best\"\n",
      "[keep]\npolicy = \"best\"\nper = [\"device\"]\n", "[keep]\npolicy = \"frontier\"\n");
}

RC_GTEST_PROP(Outcomes, AreThoseOfAllPointsWhateverIsKeptAndHoweverItIsCut, ()) {
  const std::string spec = any_spec();
  const Study whole = test::load_quickly(spec);
  const Study study = test::load_quickly(spec + any_keep());
  const PointId size = study.space().size();
  const auto lease = *rc::gen::inRange<PointId>(1, size + 1);

  store::Outcomes outcomes;
  const engine::Evaluator evaluator = study.make_evaluator();
  for (PointId first = 0; first < size; first += lease) {
    engine::RangeResult part = test::empty_result(study);
    evaluator.evaluate({first, std::min(first + lease, size)}, part);
    evaluator.reduce(part);
    store::add_outcomes(outcomes, part.outcomes);
  }

  const All expected = counted_in(whole.description(), test::evaluate_all(whole).rows);
  RC_ASSERT(stored_in(store::by_table(study.description(), outcomes)) == expected);
  RC_ASSERT(stored_in(store::by_table(whole.description(), test::evaluate_all(whole).outcomes)) ==
            expected);
}

engine::RunOptions options_for(const std::filesystem::path& output) {
  engine::RunOptions options;
  options.output = output;
  options.durability = store::Durability::scratch;
  options.quiet = true;
  return options;
}

// On so many ranks; without `shard` to the finished file.
void run(const Study& study, const std::filesystem::path& output, int ranks, double segment_seconds,
         std::optional<IdRange> shard = std::nullopt) {
  engine::RunOptions options = options_for(output);
  options.segment_seconds = segment_seconds;
  options.shard = shard;
  const engine::RunReport report = engine::run_on_threads(
      ranks, study.description(), [&] { return study.make_evaluator(); }, options);
  ASSERT_EQ(report.exit, ExitCode::ok);
}

All of_file(const std::filesystem::path& file,
            store::Unfinished unfinished = store::Unfinished::refuse) {
  return stored_in(store::StudyReader(file, unfinished).outcomes());
}

class OutcomesOfFiles : public testing::Test {
 protected:
  const std::string spec =
      training(R"("llama-2-7b", "llama-2-70b")", R"("a100-sxm-40gb", "h100-sxm")");
  const Study whole = test::load_quickly(spec);
  const All expected = counted_in(whole.description(), test::evaluate_all(whole).rows);
  const test::TemporaryFolder folder;
};

TEST_F(OutcomesOfFiles, AreTheSameForAnyNumberOfRanks) {
  for (const char* keep : {"all", "feasible", "best", "frontier"}) {
    const Study study = test::load_quickly(spec + fmt::format("[keep]\npolicy = \"{}\"\n", keep));
    for (const int ranks : {1, 3}) {
      const auto file = folder / fmt::format("{}-{}.h5", keep, ranks);
      run(study, file, ranks, 0.001);
      EXPECT_EQ(of_file(file), expected) << keep << " on " << ranks;
    }
  }
}

TEST_F(OutcomesOfFiles, AreThoseOfShardsTogetherAndOfWhatIsDoneSoFar) {
  const Study study = test::load_quickly(spec + "[keep]\npolicy = \"best\"\n");
  const PointId size = study.space().size();
  const PointId cut = size / 3;
  const auto file = folder / "a.h5";
  run(study, file, 2, 5.0, IdRange{0, cut});

  store::Table part = test::evaluate_all(whole).rows;
  part.resize(static_cast<std::size_t>(cut));
  EXPECT_EQ(of_file(file, store::Unfinished::read), counted_in(whole.description(), part));

  run(study, file, 1, 5.0, IdRange{cut, size});
  store::finish(file, study.description(), study.make_evaluator().select);
  EXPECT_EQ(of_file(file), expected);
}

TEST_F(OutcomesOfFiles, AreThoseOfAStudyThatGoesOn) {
  const Study study = test::load_quickly(spec + "[keep]\npolicy = \"frontier\"\n");
  const auto file = folder / "a.h5";
  run(study, file, 1, 5.0, IdRange{10, 50});
  run(study, file, 2, 0.001);
  EXPECT_EQ(of_file(file), expected);
}

}  // namespace
}  // namespace scalesweep::study
