// What a study keeps whose counts are bounded is what stays of all points.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "engine/run_threads.hpp"
#include "store/read/outcomes.hpp"
#include "store/read/reader.hpp"
#include "study/kinds/serving.hpp"
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

// Batches of requests: dense models and experts, catalogued devices and derived ones.
std::string any_inference_spec() {
  return fmt::format(
      "schema = 1\ntitle = \"Search\"\n[workload]\nkind = \"inference\"\nmodel = {}\nprompt = "
      "[100, 2000]\noutput = {}\nbatch = [1, 64]\nframework = {}\n[system]\n{}[strategy]\n"
      "tensor_parallel = [1, 4, 8]\npipeline_parallel = [1, 2]\n{}[objectives]\n{}{}",
      *rc::gen::element<std::string>(R"("llama-2-7b")", R"(["llama-2-7b", "mixtral-8x7b"])"),
      *rc::gen::element(1, 200), *rc::gen::element<std::string>(R"("vllm")", R"("tensorrt-llm")"),
      any_system(), *rc::gen::element<std::string>("", "expert_parallel = [1, 2]\n"),
      *rc::gen::element<std::string>("", "minimize = \"time_to_first_token\"\n",
                                     "minimize = \"energy_per_token\"\n",
                                     "minimize = [\"time_per_output_token\", "
                                     "\"cost_per_million_tokens\"]\n",
                                     "minimize = \"memory_total\"\nmaximize = "
                                     "\"tokens_per_second_per_device\"\n"),
      *rc::gen::element<std::string>("", "[[filter]]\nwhere = \"tensor_parallel <= 4\"\n"));
}

// Whole runs that fail as often as those of thousands of devices, or start again all the time.
std::string any_run() {
  return fmt::format(
      "[run]\nreliability = {}\nfailure_factor = [1, 300, 30000]\nstorage = \"shared\"\ncheckpoint "
      "= {}\n"
      "recovery = {}\nspares = [0, 0.5]\n{}",
      *rc::gen::element<std::string>(R"("default")", R"(["by-hand", "none"])"),
      *rc::gen::element<std::string>(R"("peer")", R"(["synchronous", "asynchronous"])"),
      *rc::gen::element<std::string>(R"("replace")", R"(["replace", "shrink"])"),
      *rc::gen::element<std::string>("", "checkpoint_interval = [\"2 s\", \"10 min\"]\n"));
}

std::string any_run_objectives() {
  return *rc::gen::element<std::string>(
      "minimize = \"time_to_train\"\n", "minimize = \"run_cost\"\n", "minimize = \"run_energy\"\n",
      "maximize = \"effective_utilization\"\n",
      "minimize = [\"time_to_train\", \"run_cost\", \"run_carbon\"]\n");
}

std::string any_training_spec() {
  const std::string model =
      *rc::gen::element<std::string>(R"("llama-2-7b")", R"(["llama-2-7b", "llama-2-13b"])");
  const bool whole = *rc::gen::inRange(0, 3) == 0;
  return fmt::format(
      "schema = 1\ntitle = \"Search\"\n[workload]\nkind = \"training\"\nmodel = {}\nsequence = "
      "2048\nglobal_batch = 32\n{}[system]\n{}{}[strategy]\n{}[objectives]\n{}{}",
      model, whole ? "tokens = \"1 T\"\n" : "", any_system(), whole ? any_run() : "",
      any_strategy(), whole ? any_run_objectives() : any_objectives(),
      *rc::gen::element<std::string>("", "[[filter]]\nwhere = \"tensor_parallel <= 2\"\n"));
}

// Services within limits, at a load, or in a closed loop; of one pool, two, or one beside others.
std::string any_serving_spec() {
  const bool beside = *rc::gen::inRange(0, 4) == 0;
  const std::string batching =
      beside ? R"("disaggregated")" : R"(["separate", "chunked", "disaggregated"])";
  const std::string load = *rc::gen::element<std::string>(
      "", "time_per_output_token = [\"12 ms\", \"30 ms\"]\n",
      "time_to_first_token = \"300 ms\"\ntime_per_output_token = \"25 ms\"\n",
      "arrival_rate = [\"2 Hz\", \"40 Hz\"]\ntime_per_output_token = \"25 ms\"\n",
      "concurrency = [8, 200]\n");
  const std::string objectives = *rc::gen::element<std::string>(
      "minimize = \"device_seconds_per_token\"\n", "minimize = \"energy_per_token\"\n",
      "minimize = [\"cost_per_million_tokens\", \"energy_per_token\"]\n",
      "minimize = [\"carbon_per_million_tokens\", \"accelerators\"]\n",
      "maximize = \"tokens_per_second\"\n", "maximize = \"request_rate\"\n");
  return fmt::format(
      "schema = 1\ntitle = \"Search\"\n[workload]\nkind = \"serving\"\nmodel = {}\nprompt = [200, "
      "3000]\noutput = 200\nframework = \"vllm\"\nbatching = {}\n{}[system]\n{}[strategy]\n"
      "tensor_parallel = [1, 4, 8]\npipeline_parallel = [1, 2]\n{}{}[objectives]\n{}{}",
      *rc::gen::element<std::string>(R"("llama-2-7b")", R"(["llama-2-7b", "mixtral-8x7b"])"),
      batching, load, any_system(),
      *rc::gen::element<std::string>("", "expert_parallel = [1, 2]\n"),
      beside ? "[prefill]\ntensor_parallel = [1, 4]\n" : "", objectives,
      *rc::gen::element<std::string>("", "[[filter]]\nwhere = \"tensor_parallel <= 4\"\n"));
}

std::string any_spec() {
  return *rc::gen::arbitrary<bool>() ? any_training_spec() : any_inference_spec();
}

std::string any_keep() {
  return *rc::gen::element<std::string>(
      "[keep]\npolicy = \"best\"\n", "[keep]\npolicy = \"best\"\nk = 5\nper = []\n",
      "[keep]\npolicy = \"best\"\nk = 2\nper = [\"accelerators\", \"model\"]\n",
      "[keep]\npolicy = \"frontier\"\n", "[keep]\npolicy = \"frontier\"\nper = []\n");
}

// What every estimate is asked for; some are met by none, some by all.
std::string any_requirement() {
  return *rc::gen::element<std::string>(
      "", "", "[[require]]\nwhere = \"memory_total < 0.5 * memory_capacity\"\n",
      "[[require]]\nname = \"cool\"\nwhere = \"average_power < '300 W'\"\n[[require]]\nname = "
      "\"even\"\nwhere = \"tensor_parallel < 4 or accelerators == 8\"\n",
      "[[require]]\nwhere = \"energy_per_token < 1e-9\"\n",
      "[[require]]\nwhere = \"energy_per_token > 1e-9\"\n");
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

// What a study keeps of all points at once, and with bounded counts however they are dealt out.
struct ExactAndBounded {
  Study exact;
  engine::RangeResult expected;
  engine::RangeResult found;
};
ExactAndBounded exact_and_bounded(const std::string& spec) {
  const Study exact = test::load_quickly(spec);
  const Study bounded = test::load_quickly(spec + "counts = \"bounded\"\n");
  const PointId size = exact.space().size();
  return {exact, run(exact, size, 1),
          run(bounded, *rc::gen::inRange<PointId>(size / 20 + 1, size + 1),
              *rc::gen::inRange<std::size_t>(1, 4))};
}

RC_GTEST_PROP(Search, KeepsWhatStaysOfAllServicesHoweverTheyAreDealtOut, ()) {
  const std::string spec = any_serving_spec() + any_requirement() + any_keep();
  const auto [exact, expected, found] = exact_and_bounded(spec);
  test::expect_same_rows(expected.rows, found.rows);
  RC_ASSERT(!testing::Test::HasFailure());
  const std::size_t required = exact.spec().requirements.size();
  std::int64_t left = 0;
  for (std::size_t i = 0; i < exact.description().count_names.size(); ++i) {
    const auto status = static_cast<Status>(i);
    const bool misses = i + required >= exact.description().count_names.size();
    if (status == Status::ok || status == misses_limits || misses) {
      RC_ASSERT(expected.counts[i] >= found.counts[i]);
      left += expected.counts[i] - found.counts[i];
    } else if (status != pruned) {
      RC_ASSERT(expected.counts[i] == found.counts[i]);
    }
  }
  RC_ASSERT(left == found.counts[index_of(pruned)]);
  RC_ASSERT(left == found.skipped);
  RC_CLASSIFY(left > 0, "some are left");
}

// Of points that fit, those that miss a requirement and are ok are counted as far as they are
// asked.
RC_GTEST_PROP(Search, KeepsWhatMeetsItsRequirementsOfAllPoints, ()) {
  const std::string requirement = any_requirement();
  RC_PRE(!requirement.empty());
  const auto [exact, expected, found] = exact_and_bounded(any_spec() + requirement + any_keep());
  test::expect_same_rows(expected.rows, found.rows);
  RC_ASSERT(!testing::Test::HasFailure());
  const std::size_t required = exact.spec().requirements.size();
  const std::size_t others = exact.description().count_names.size() - required;
  const std::size_t not_asked = others;  // stands before the requirements
  std::int64_t left = 0;
  for (std::size_t i = 0; i < exact.description().count_names.size(); ++i) {
    const std::int64_t asked = found.counts[i < others ? i : i + 1];
    if (i == index_of(Status::ok) || i >= others) {
      RC_ASSERT(expected.counts[i] >= asked);
      left += expected.counts[i] - asked;
    } else {
      RC_ASSERT(expected.counts[i] == asked);
    }
  }
  RC_ASSERT(left == found.counts[not_asked]);
  RC_ASSERT(left == found.skipped);
  RC_CLASSIFY(left > 0, "some are not asked");
  RC_CLASSIFY(expected.rows.rows() == 0, "nothing stays");
}

RC_GTEST_PROP(Search, KeepsWhatStaysOfAllPointsHoweverTheyAreDealtOut, ()) {
  const std::string spec = any_spec() + any_keep();
  const auto [exact, expected, found] = exact_and_bounded(spec);
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

// Some axes of derived devices, which may be too small, too hot or have no room for their stacks.
std::string any_searched_system() {
  const std::string by =
      *rc::gen::element<std::string>("stacks = { from = 2, to = 8, values = 3 }",
                                     "memory_edge_share = { from = 0.1, to = 0.7, "
                                     "values = 4 }");
  return fmt::format(
      "[system]\naccelerators = 16\nlogic = [\"N7\", \"N3\"]\nmemory = \"HBM3\"\n"
      "scale_up = {{ link = \"NVLink4\", domain = 8 }}\nscale_out = \"NDRx8\"\n"
      "[system.device]\ntemplate = \"tensor-core-gpu\"\n"
      "die_area = {{ from = \"{} mm2\", to = \"840 mm2\", values = 2 }}\n"
      "power = {{ from = \"{} W\", to = \"900 W\", values = 3 }}\n"
      "core_area_share = {{ from = 0.4, to = 0.95, values = 3 }}\n{}\n",
      *rc::gen::element(100, 400), *rc::gen::element(60, 250), by);
}

double first_value(const Study& study, const store::Table& rows, std::size_t row) {
  const space::Objective& objective = study.spec().objectives.front();
  return objective.to_minimize(
      rows.number(column_named(study.description().schema, objective.column), row));
}

// What of all points is better than what was found, and than what may be left by the certificate.
void expect_within(const Study& study, const engine::RangeResult& found,
                   const engine::RangeResult& all, double tolerance) {
  const std::vector<std::string>& names = study.description().count_names;
  const auto not_searched = static_cast<std::size_t>(
      std::find(names.begin(), names.end(), "not_searched") - names.begin());
  std::int64_t counted = 0;
  for (const std::int64_t points : found.counts) {
    counted += points;
  }
  RC_ASSERT(counted == study.space().size());
  RC_ASSERT(found.rows.rows() > 0 || all.rows.rows() == 0);
  if (all.rows.rows() == 0) {
    return;
  }
  const double best = first_value(study, all.rows, 0);
  const double best_found = first_value(study, found.rows, 0);
  RC_ASSERT(best_found >= best);
  RC_ASSERT(best_found - best <= 1.0001 * tolerance * std::fabs(best));
  double left = std::numeric_limits<double>::infinity();
  for (const auto& outcome : found.outcomes) {
    if (store::OutcomeNumbers(study.description()).place(outcome.cell).status ==
        static_cast<std::int64_t>(not_searched)) {
      left = std::min(left, outcome.nearest);
    }
  }
  RC_ASSERT(std::min(left, best_found) <= best);
  RC_CLASSIFY(found.counts[not_searched] > study.space().size() / 2, "leaves out more than half");
}

struct SearchedWork {
  std::string workload;  // and the strategies
  std::string objectives;
};

SearchedWork any_searched_work() {
  if (*rc::gen::arbitrary<bool>()) {
    return {
        "[workload]\nkind = \"inference\"\nmodel = \"llama-2-7b\"\nprompt = 1000\noutput = "
        "200\nbatch = 64\nframework = \"vllm\"\n[strategy]\ntensor_parallel = [1, 4]\n"
        "pipeline_parallel = [1, 2]\n",
        *rc::gen::element<std::string>(
            "minimize = \"latency\"\n", "minimize = \"time_to_first_token\"\n",
            "minimize = \"energy_per_token\"\n", "minimize = \"cost_per_million_tokens\"\n",
            "maximize = \"tokens_per_second_per_device\"\n")};
  }
  if (*rc::gen::inRange(0, 3) == 0) {
    return {
        "[workload]\nkind = \"training\"\nmodel = \"llama-2-7b\"\nsequence = 2048\n"
        "global_batch = 32\ntokens = \"1 T\"\n[run]\nfailure_factor = 100\n[strategy]\n"
        "tensor_parallel = [1, 4]\nmicro_batch = [1, 2]\nrecompute = [\"none\", \"full\"]\n",
        *rc::gen::element<std::string>("minimize = \"time_to_train\"\n",
                                       "minimize = \"run_cost\"\n", "minimize = \"run_energy\"\n",
                                       "maximize = \"effective_utilization\"\n")};
  }
  return {
      "[workload]\nkind = \"training\"\nmodel = \"llama-2-7b\"\nsequence = 2048\n"
      "global_batch = 32\n[strategy]\ntensor_parallel = [1, 4]\nmicro_batch = [1, 2]\n"
      "recompute = [\"none\", \"full\"]\n",
      *rc::gen::element<std::string>(
          "minimize = \"step_time\"\n", "minimize = \"energy_per_token\"\n",
          "minimize = \"cost_per_million_tokens\"\n", "maximize = \"tokens_per_second\"\n",
          "maximize = \"model_flop_utilization\"\n")};
}

// The best of [search] are those of all devices, but for its tolerance; whoever has which lease.
RC_GTEST_PROP(GridSearch, FindsWhatIsBestOfAllHoweverItIsDealtOut, ()) {
  const SearchedWork work = any_searched_work();
  const double tolerance = *rc::gen::element(0.001, 0.05);
  const std::string system = any_searched_system();
  const std::string last =
      system.find("stacks") != std::string::npos ? "stacks" : "memory_edge_share";
  const std::string spec = "schema = 1\ntitle = \"Search\"\n" + work.workload + system +
                           "[objectives]\n" + work.objectives + any_requirement() +
                           "[keep]\npolicy = \"best\"\nper = []\n";
  const Study searched = test::load_quickly(
      spec + fmt::format("[search]\naxes = [\"die_area\", \"power\", \"core_area_share\", "
                         "\"{}\"]\ntolerance = {}\n",
                         last, tolerance));
  const Study exact = test::load_quickly(spec + "counts = \"bounded\"\n");
  const PointId size = searched.space().size();
  const engine::RangeResult all = run(exact, size, 1);
  const engine::RangeResult whole = run(searched, size, 1);
  expect_within(searched, whole, all, tolerance);
  const engine::RangeResult dealt =
      run(searched, *rc::gen::inRange<PointId>(size / 20 + 1, size + 1),
          *rc::gen::inRange<std::size_t>(1, 4));
  test::expect_same_rows(whole.rows, dealt.rows);
  RC_ASSERT(!testing::Test::HasFailure());
  // How many are asked for requirements depends on what was found before.
  if (searched.spec().requirements.empty()) {
    RC_ASSERT(whole.counts == dealt.counts);
    expect_same_outcomes(whole.outcomes, dealt.outcomes);
  }
}

// Those of a model or a climb are those of devices that it looked at, whoever has which lease; of
// services, too, and of objectives without bounds.
RC_GTEST_PROP(GridSearch, LooksAtTheSameDevicesHoweverItIsDealtOut, ()) {
  const bool serves = *rc::gen::arbitrary<bool>();
  const SearchedWork work =
      serves ? SearchedWork{"[workload]\nkind = \"serving\"\nmodel = \"llama-2-7b\"\nprompt = 500\n"
                            "output = 200\nframework = \"vllm\"\ntime_per_output_token = \"20 "
                            "ms\"\n[strategy]\ntensor_parallel = [1, 4]\n",
                            *rc::gen::element<std::string>(
                                "minimize = \"cost_per_million_tokens\"\n",
                                "minimize = [\"time_to_first_token\", \"energy_per_token\"]\n")}
             : any_searched_work();
  const std::string keep = *rc::gen::element<std::string>("best", "frontier");
  const std::string system = any_searched_system();
  const std::string last =
      system.find("stacks") != std::string::npos ? "stacks" : "memory_edge_share";
  const Study study = test::load_quickly(
      "schema = 1\ntitle = \"Search\"\n" + work.workload + system + "[objectives]\n" +
      work.objectives + any_requirement() + "[keep]\nper = []\npolicy = \"" + keep + "\"\n" +
      fmt::format("[search]\naxes = [\"die_area\", \"power\", \"core_area_share\", \"{}\"]\n"
                  "method = \"{}\"\ndevices = {}\n",
                  last, *rc::gen::element("model", "climb"), *rc::gen::inRange(1, 50)));
  const PointId size = study.space().size();
  const engine::RangeResult whole = run(study, size, 1);
  std::int64_t counted = 0;
  for (std::size_t i = 0; i < study.description().count_names.size(); ++i) {
    counted += whole.counts[i];
  }
  RC_ASSERT(counted == size);
  const engine::RangeResult dealt = run(study, *rc::gen::inRange<PointId>(size / 20 + 1, size + 1),
                                        *rc::gen::inRange<std::size_t>(1, 4));
  test::expect_same_rows(whole.rows, dealt.rows);
  RC_ASSERT(!testing::Test::HasFailure());
  RC_CLASSIFY(whole.rows.rows() > 0, "finds something");
}

// Of a product small enough that all of it may be looked at, a model and a climb find something
// exactly where something is, wherever they begin.
RC_GTEST_PROP(GridSearch, FindsSomethingOfASmallProductWhereSomethingIs, ()) {
  const SearchedWork work = any_searched_work();
  const std::string system = any_searched_system();
  const std::string last =
      system.find("stacks") != std::string::npos ? "stacks" : "memory_edge_share";
  const std::string spec = "schema = 1\ntitle = \"Search\"\n" + work.workload + system +
                           "[objectives]\n" + work.objectives + any_requirement() +
                           "[keep]\npolicy = \"best\"\nper = []\n";
  const Study searched = test::load_quickly(
      spec + fmt::format("[search]\naxes = [\"die_area\", \"power\", \"core_area_share\", "
                         "\"{}\"]\nmethod = \"{}\"\n",
                         last, *rc::gen::element("model", "climb")));
  const Study exact = test::load_quickly(spec + "counts = \"bounded\"\n");
  const PointId size = searched.space().size();
  const bool finds = run(searched, size, 1).rows.rows() > 0;
  const bool is_there = run(exact, size, 1).rows.rows() > 0;
  RC_ASSERT(finds == is_there);
  RC_CLASSIFY(!is_there, "nothing is there");
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
