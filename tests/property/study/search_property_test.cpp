// What a study keeps whose counts are bounded is what stays of all points.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <vector>

#include "engine/run_threads.hpp"
#include "store/read/outcomes.hpp"
#include "store/read/reader.hpp"
#include "support/small_study.hpp"
#include "support/temporary_folder.hpp"
#include "unit/study/study_fixture.hpp"

namespace scalesweep::study {
namespace {

// Catalogued devices and derived ones, some of which a power limit slows down; dense models and
// experts; every schedule, and what hides behind passes.
std::string any_system() {
  return *rc::gen::element<std::string>(
      "accelerators = [8, 16]\ndevice = [\"a100-sxm-40gb\", \"h100-sxm\"]\nscale_out = \"NDRx8\"\n",
      "accelerators = 16\nlogic = [\"N7\", \"N3\"]\nmemory = [\"HBM2E\", \"HBM4\"]\n"
      "scale_up = { link = \"NVLink4\", domain = 8 }\nscale_out = [\"HDRx8\", \"NDRx8\"]\n"
      "device = { template = \"tensor-core-gpu\", die_area = \"826 mm2\", power = [\"250 W\", "
      "\"700 W\"], stacks = 4 }\n");
}

std::string any_strategy() {
  return *rc::gen::element<std::string>(
      "tensor_parallel = [1, 4]\npipeline_parallel = [1, 2, 4]\nchunks = [1, 2]\nmicro_batch = [1, "
      "2]\nrecompute = [\"none\", \"selective\", \"full\"]\nzero = [0, 1]\n",
      "tensor_parallel = [2, 4]\nsequence_parallel = [false, true]\nmicro_batch = \"divisors\"\n"
      "zero = [1, 2, 3]\noffload_optimizer = [false, true]\nrecompute = \"full\"\n"
      "recompute_every = [1, 2]\n",
      "tensor_parallel = [1, 2]\npipeline_parallel = [2, 4]\nschedule = [\"1f1b\", "
      "\"zero_bubble\"]\ncontext_parallel = [1, 2]\nmicro_batch = [1, 2]\n"
      "offload_activations = [false, true]\n");
}

std::string any_objectives() {
  return *rc::gen::element<std::string>(
      "", "minimize = \"step_time\"\n", "minimize = \"energy_per_token\"\n",
      "minimize = [\"cost_per_million_tokens\", \"step_time\"]\n",
      "minimize = [\"memory_total\", \"carbon_per_million_tokens\"]\n",
      "minimize = \"accelerators\"\nmaximize = \"tokens_per_second\"\n",
      "maximize = \"model_flop_utilization\"\n");
}

std::string any_spec() {
  const std::string model =
      *rc::gen::element<std::string>(R"("llama-2-7b")", R"(["llama-2-7b", "llama-2-13b"])");
  return fmt::format(
      "schema = 1\ntitle = \"Search\"\n[workload]\nkind = \"training\"\nmodel = {}\nsequence = "
      "2048\nglobal_batch = 32\n[system]\n{}[strategy]\n{}[objectives]\n{}{}",
      model, any_system(), any_strategy(), any_objectives(),
      *rc::gen::element<std::string>("", "[[filter]]\nwhere = \"tensor_parallel <= 2\"\n"));
}

std::string any_keep() {
  return *rc::gen::element<std::string>(
      "[keep]\npolicy = \"best\"\n", "[keep]\npolicy = \"best\"\nk = 5\nper = []\n",
      "[keep]\npolicy = \"best\"\nk = 2\nper = [\"accelerators\", \"model\"]\n",
      "[keep]\npolicy = \"frontier\"\n", "[keep]\npolicy = \"frontier\"\nper = []\n");
}

// As ranks do it, with leases dealt out to evaluators in turn.
engine::RangeResult run(const Study& study, PointId lease, std::size_t ranks) {
  std::vector<engine::Evaluator> evaluators;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    evaluators.push_back(study.make_evaluator());
  }
  engine::RangeResult all = test::empty_result(study);
  std::size_t next = 0;
  for (PointId first = 0; first < study.space().size(); first += lease) {
    engine::RangeResult part = test::empty_result(study);
    const engine::Evaluator& evaluator = evaluators[next++ % ranks];
    evaluator.evaluate({first, std::min(first + lease, study.space().size())}, part);
    evaluator.reduce(part);
    all.rows.append(part.rows);
    for (std::size_t i = 0; i < study.description().count_names.size(); ++i) {
      all.counts[i] += part.counts[i];
    }
    all.skipped += part.skipped;
    store::add_outcomes(all.outcomes, part.outcomes);
  }
  all.rows.select((*evaluators.front().select)(all.rows));
  return all;
}

void expect_same_outcomes(const store::Outcomes& a, const store::Outcomes& b) {
  RC_ASSERT(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    RC_ASSERT(a[i].cell == b[i].cell);
    RC_ASSERT(a[i].points == b[i].points);
    RC_ASSERT(std::memcmp(&a[i].nearest, &b[i].nearest, sizeof(double)) == 0);
  }
}

RC_GTEST_PROP(Search, KeepsWhatStaysOfAllPointsHoweverTheyAreDealtOut, ()) {
  const std::string spec = any_spec() + any_keep();
  const Study exact = test::load_quickly(spec);
  const Study bounded = test::load_quickly(spec + "counts = \"bounded\"\n");
  const PointId size = exact.space().size();
  const engine::RangeResult expected = run(exact, size, 1);
  const engine::RangeResult found =
      run(bounded, *rc::gen::inRange<PointId>(size / 20 + 1, size + 1),
          *rc::gen::inRange<std::size_t>(1, 4));
  test::expect_same_rows(expected.rows, found.rows);
  RC_ASSERT(!testing::Test::HasFailure());
  for (std::size_t i = 0; i < exact.description().count_names.size(); ++i) {
    RC_ASSERT(expected.counts[i] == found.counts[i]);
  }
  expect_same_outcomes(expected.outcomes, found.outcomes);
  RC_ASSERT(expected.skipped == 0);
  RC_CLASSIFY(found.skipped > 0, "skips");
  RC_CLASSIFY(found.skipped > expected.counts.front() / 2, "skips more than half");
}

// To the finished file, whose summary has no distributions.
TEST(Search, FilesOfAnyNumberOfRanksHoldTheSame) {
  const Study study =
      test::load_quickly(test::small_spec("[keep]\npolicy = \"frontier\"\ncounts = \"bounded\"\n"));
  const test::TemporaryFolder folder;
  std::vector<std::string> names;
  for (const store::Column& column : study.description().schema) {
    names.push_back(column.name);
  }
  std::vector<store::Table> rows;
  for (const int ranks : {1, 3}) {
    engine::RunOptions options;
    options.output = folder / fmt::format("{}.h5", ranks);
    options.durability = store::Durability::scratch;
    options.quiet = true;
    options.segment_seconds = 0.001;
    const engine::RunReport report = engine::run_on_threads(
        ranks, study.description(), [&] { return study.make_evaluator(); }, options);
    ASSERT_EQ(report.exit, ExitCode::ok);
    EXPECT_GT(report.skipped_points, 0);
    const store::StudyReader reader(options.output);
    EXPECT_TRUE(reader.histograms().empty());
    rows.push_back(reader.read(names, 0, reader.rows()));
  }
  test::expect_same_rows(rows[0], rows[1]);
}

}  // namespace
}  // namespace scalesweep::study
