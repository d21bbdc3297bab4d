// Whole runs as a study has them: columns, statuses, what bounds keep, and mistakes.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "study/columns/estimate_columns.hpp"
#include "study_fixture.hpp"

namespace scalesweep::study {
namespace {

using testing::HasSubstr;

std::string with_tokens(const std::string& rest = "",
                        const std::string& length = "tokens = \"2 T\"") {
  return test::replaced(test::small_spec(rest), "global_batch = 32\n",
                        "global_batch = 32\n" + length + "\n");
}

std::vector<double> column(const Study& study, const store::Table& rows, const std::string& name) {
  const std::size_t place = column_named(study.description().schema, name);
  std::vector<double> values;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    values.push_back(rows.number(place, row));
  }
  return values;
}

// In the order of their ids.
store::Table kept_rows(const Study& study) {
  engine::RangeResult result = test::evaluate_all(study);
  study.make_evaluator().reduce(result);
  return std::move(result.rows);
}

const std::string feasible = "[keep]\npolicy = \"feasible\"\n";

TEST(WholeRunStudy, TellsOfRunsWhereTokensAreAskedForAlone) {
  const Study plain = test::load_good(test::small_spec());
  for (const store::Column& one : plain.description().schema) {
    EXPECT_NE(one.name, "time_to_train");
  }
  const Study study = test::load_good(with_tokens(feasible));
  const store::Table rows = test::evaluate_all(study).rows;
  ASSERT_GT(rows.rows(), 10U);
  const auto step_s = column(study, rows, "step_time");
  const auto run_s = column(study, rows, "time_to_train");
  const auto goodput = column(study, rows, "goodput");
  std::vector<double> sum_s(rows.rows());
  for (const store::Column& one : run_columns()) {
    if (one.name.starts_with("run_") && one.units == "s" && one.name != "run_storage") {
      const auto part_s = column(study, rows, one.name);
      for (std::size_t row = 0; row < sum_s.size(); ++row) {
        sum_s[row] += part_s[row];
      }
    }
  }
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    EXPECT_NEAR(run_s[row] * goodput[row] / (step_s[row] * 2e12 / (32.0 * 2048.0)), 1.0, 1e-6);
    EXPECT_NEAR(sum_s[row] / run_s[row], 1.0, 1e-6);
  }
}

TEST(WholeRunStudy, StepsAreTokensOfAnyBatch) {
  const Study tokens = test::load_good(with_tokens(feasible, "tokens = \"65.536 B\""));
  const Study steps = test::load_good(with_tokens(feasible, "steps = 1000000"));
  EXPECT_EQ(column(tokens, test::evaluate_all(tokens).rows, "time_to_train"),
            column(steps, test::evaluate_all(steps).rows, "time_to_train"));
}

// What is asked of a run changes no step.
TEST(WholeRunStudy, LeavesStepsAsTheyAre) {
  const Study plain = test::load_good(test::small_spec(feasible));
  const Study run = test::load_good(with_tokens(feasible));
  EXPECT_EQ(column(plain, test::evaluate_all(plain).rows, "step_time"),
            column(run, test::evaluate_all(run).rows, "step_time"));
}

TEST(WholeRunStudy, CheckpointsThatDoNotFitTheIntervalHaveAStatus) {
  const Study study = test::load_good(
      with_tokens("[run]\nstorage = \"shared\"\ncheckpoint_interval = [\"1 s\", \"30 min\"]\n"
                  "[keep]\npolicy = \"all\"\n"));
  const engine::RangeResult result = test::evaluate_all(study);
  const std::vector<std::string>& names = study.description().count_names;
  const auto place = std::find(names.begin(), names.end(), "checkpoint_too_slow") - names.begin();
  ASSERT_LT(place, static_cast<std::ptrdiff_t>(names.size()));
  EXPECT_EQ(result.counts[static_cast<std::size_t>(place)], result.counts[0]);
  EXPECT_GT(result.counts[0], 0);
  const auto statuses = column(study, result.rows, "status");
  const auto behind_s = column(study, result.rows, "checkpoint_behind");
  for (std::size_t row = 0; row < statuses.size(); ++row) {
    if (statuses[row] == static_cast<double>(place)) {
      EXPECT_GT(behind_s[row], 1.0);
    }
  }
  Point point = study.point_at(0);
  ASSERT_TRUE(point.job.run);
  EXPECT_EQ(point.job.run->interval_s, 1.0);
}

// Days and dollars have bounds as steps have: the same rows stay.
TEST(WholeRunStudy, BoundsKeepWhatIsBest) {
  for (const std::string objectives :
       {"\"time_to_train\"", "\"run_cost\"", "\"time_to_train\", \"run_cost\", \"run_carbon\""}) {
    const std::string policy = objectives.find(',') == std::string::npos ? "best" : "frontier";
    const auto rest = [&](const std::string& counts) {
      return "[run]\ncheckpoint = [\"synchronous\", \"peer\"]\nrecovery = [\"replace\", "
             "\"shrink\"]\nspares = [0, 0.5]\n[keep]\npolicy = \"" +
             policy + "\"\nper = [\"logic\"]\ncounts = \"" + counts +
             "\"\n[objectives]\nminimize = [" + objectives + "]\n";
    };
    const Study exact = test::load_good(with_tokens(rest("exact")));
    const Study bounded = test::load_good(with_tokens(rest("bounded")));
    const store::Table all = kept_rows(exact);
    const store::Table some = kept_rows(bounded);
    EXPECT_EQ(column(exact, all, "time_to_train"), column(bounded, some, "time_to_train"))
        << objectives;
    EXPECT_EQ(column(exact, all, "point_id"), column(bounded, some, "point_id")) << objectives;
  }
}

// A layout with fewer replicas takes longer steps and reads less when it starts again: on a hundred
// thousand devices it is done first, though layouts before it by their steps cannot be. However the
// points are dealt out.
TEST(WholeRunStudy, BoundsKeepLayoutsThatRestartFaster) {
  const auto spec = [](const std::string& counts) {
    return "schema = 1\ntitle = \"Restarts\"\n[workload]\nkind = \"training\"\nmodel = "
           "\"llama-3.1-405b\"\nsequence = 8192\nglobal_batch = 2048\ntokens = \"15 T\"\n"
           "[system]\naccelerators = 131072\ndevice = \"h100-sxm\"\n[run]\nreliability = "
           "\"default\"\ncheckpoint = \"synchronous\"\nspares = 0.01\nrecovery = \"replace\"\n"
           "[strategy]\ntensor_parallel = [4, 8, 16]\npipeline_parallel = [1, 2, 4, 8, 16]\n"
           "context_parallel = [1, 2]\nchunks = [1, 2, 4]\nmicro_batch = [1, 2]\nrecompute = "
           "[\"none\", \"selective\", \"full\"]\nzero = [1, 3]\nuneven_stages = true\n[keep]\n"
           "policy = \"best\"\nper = []\ncounts = \"" +
           counts + "\"\n[objectives]\nminimize = \"time_to_train\"\n";
  };
  const Study exact = test::load_good(spec("exact"));
  const Study bounded = test::load_good(spec("bounded"));
  const PointId points = bounded.space().size();
  const std::vector<double> expected = column(exact, kept_rows(exact), "point_id");
  for (PointId middle = 1; middle < points; ++middle) {
    const engine::Evaluator evaluator = bounded.make_evaluator();
    engine::RangeResult result = test::empty_result(bounded);
    evaluator.evaluate({0, middle}, result);
    evaluator.evaluate({middle, points}, result);
    evaluator.reduce(result);
    ASSERT_EQ(column(bounded, result.rows, "point_id"), expected) << middle;
  }
}

// The rows of a phase are those of a study of its sequence, batch, documents and tokens.
TEST(WholeRunStudy, EachPhaseIsAStudyOfItsOwn) {
  const auto asked = [&](const std::string& what) {
    return test::replaced(test::small_spec("context_parallel = [1, 2]\n" + feasible),
                          "sequence = 2048\nglobal_batch = 32\n", what);
  };
  const Study recipe = test::load_good(
      asked("tokens = [\"1 T\", \"2 T\"]\nphases = [\n"
            "  { name = \"short\", share = 0.25, sequence = 2048, global_batch = 32 },\n"
            "  { name = \"packed\", share = 0.5, sequence = 3072, global_batch = 64,"
            " document = 512 },\n"
            "  { name = \"long\", share = 0.25, sequence = 4096, global_batch = 16 },\n]\n"));
  const std::vector<Study> plain = {
      test::load_good(asked("sequence = 2048\nglobal_batch = 32\n"
                            "tokens = [\"250 B\", \"500 B\"]\n")),
      test::load_good(asked("sequence = 3072\nglobal_batch = 64\ndocument = 512\n"
                            "tokens = [\"500 B\", \"1 T\"]\n")),
      test::load_good(asked("sequence = 4096\nglobal_batch = 16\n"
                            "tokens = [\"250 B\", \"500 B\"]\n"))};
  const store::Table rows = test::evaluate_all(recipe).rows;
  const auto phases = column(recipe, rows, "phase");
  for (std::size_t phase = 0; phase < plain.size(); ++phase) {
    const store::Table own = test::evaluate_all(plain[phase]).rows;
    ASSERT_GT(own.rows(), 10U) << phase;
    for (const store::Column& one : recipe.description().schema) {
      const bool is_told_apart = one.name == "point_id" || one.name == "phase";
      if (is_told_apart) {
        continue;
      }
      const auto all = column(recipe, rows, one.name);
      std::vector<double> of_phase;
      for (std::size_t row = 0; row < all.size(); ++row) {
        if (phases[row] == static_cast<double>(phase)) {
          of_phase.push_back(all[row]);
        }
      }
      EXPECT_THAT(of_phase, testing::Pointwise(testing::NanSensitiveDoubleEq(),
                                               column(plain[phase], own, one.name)))
          << phase << " " << one.name;
    }
  }
}

TEST(WholeRunStudy, PhasesArePartOfWhatAStudyIs) {
  const auto with_share = [](const std::string& share) {
    return test::load_good(test::replaced(with_tokens(feasible), "global_batch = 32\n",
                                          "phases = [{ name = \"a\", share = " + share +
                                              ", global_batch = 16 }, { name = \"b\", "
                                              "share = 0.5, global_batch = 32 }]\n"));
  };
  const Study study = with_share("0.5");
  EXPECT_NE(study.description().identity, with_share("0.5000001").description().identity);
  EXPECT_THAT(study.description().identity_parts.at("spec"),
              HasSubstr("phase a: share 0.5, global_batch 16\n"));
  EXPECT_THAT(study.description().identity_parts.at("catalog"), HasSubstr("optimizers adam"));
}

TEST(WholeRunStudy, EveryColumnIsTheOneOfItsName) {
  estimator::RunEstimate run;
  double next = 1.0;
  const auto value = [&] { return next *= 1.7; };
  for (double& part : run.times.values) {
    part = value();
  }
  run.checkpoint = {value(), value(), value(), {}};
  run.charges[estimator::Resource::storage] = value();
  run.interval_s = value();
  run.restart_s = value();
  run.failures_per_s = value();
  run.devices = value();
  run.energy_j = value();
  run.reached = {1.5, 1.25, 3.0, 0.03};
  estimator::TrainingEstimate step;
  step.model_flop_utilization = 0.4;
  EstimateRow row;
  add_run(row, run, step, {});
  const store::Schema schema = run_columns();
  const double time_s = run.times.sum();
  const std::map<std::string, double> expected = {
      {"time_to_train", time_s},
      {"goodput", run.times.values[0] / time_s},
      {"effective_utilization", 0.4 * run.times.values[0] / time_s},
      {"run_device_hours", run.devices * time_s / 3600.0},
      {"run_energy", run.energy_j},
      {"run_steps", run.times.values[0]},
      {"run_input", run.times.values[1]},
      {"run_slow_devices", run.times.values[2]},
      {"run_checkpoints", run.times.values[3]},
      {"run_lost_work", run.times.values[4]},
      {"run_restarts", run.times.values[5]},
      {"run_repairs", run.times.values[6]},
      {"run_storage", run.charges[estimator::Resource::storage]},
      {"reached_time", 1.5 * time_s},
      {"reached_time_low", 1.25 * time_s},
      {"reached_time_high", 3.0 * time_s},
      {"reported_losses", 0.03},
      {"run_failures", run.failures_per_s * time_s},
      {"time_between_failures", 1.0 / run.failures_per_s},
      {"restart_time", run.restart_s},
      {"checkpoint_size", run.checkpoint.bytes},
      {"checkpoint_stop", run.checkpoint.stop_s},
      {"checkpoint_behind", run.checkpoint.behind_s},
      {"checkpoint_every", run.interval_s},
  };
  ASSERT_EQ(row.figures.size(), schema.size());
  ASSERT_EQ(expected.size() + 2, schema.size());
  for (std::size_t i = 0; i < schema.size(); ++i) {
    const auto found = expected.find(schema[i].name);
    if (found == expected.end()) {
      EXPECT_TRUE(std::isnan(row.figures[i])) << schema[i].name;  // without a price
    } else {
      EXPECT_DOUBLE_EQ(row.figures[i], found->second) << schema[i].name;
    }
  }
}

TEST(WholeRunStudy, NobodyReachesWhatNoFailuresAre) {
  const Study study =
      test::load_good(with_tokens(feasible + "[run]\nreliability = [\"none\", \"default\"]\n"));
  const store::Table rows = test::evaluate_all(study).rows;
  const auto entry = column(study, rows, "reliability");
  const auto run_s = column(study, rows, "time_to_train");
  const auto bar = column(study, rows, "relative_uncertainty");
  const auto reached_s = column(study, rows, "reached_time");
  const auto low_s = column(study, rows, "reached_time_low");
  const auto high_s = column(study, rows, "reached_time_high");
  std::size_t known = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    if (entry[row] == 0.0) {
      EXPECT_TRUE(std::isnan(reached_s[row]) && std::isnan(low_s[row]) && std::isnan(high_s[row]));
      continue;
    }
    ++known;
    EXPECT_GT(reached_s[row], run_s[row]);
    // Never narrower than what is known of a step.
    EXPECT_GE(high_s[row] / reached_s[row], (1.0 + bar[row]) * (1.0 - 1e-6));
    EXPECT_GE(reached_s[row] / low_s[row], (1.0 + bar[row]) * (1.0 - 1e-6));
  }
  EXPECT_GT(known, 10U);
  EXPECT_LT(known, rows.rows());
}

TEST(WholeRunStudy, MistakesSayWhereAndWhatToDo) {
  EXPECT_THAT(test::load_text(test::small_spec("[run]\nspares = 0.1\n")).messages,
              HasSubstr("spec.toml:20:1: error: [run] is of a whole run; say how long it is, for "
                        "example tokens = \"15 T\" in [workload], or leave [run] out"));
  EXPECT_THAT(test::load_text(with_tokens("", "tokens = \"2 T\"\nsteps = 100")).messages,
              HasSubstr("'steps' is said by 'tokens' already; leave one of them out"));
  EXPECT_THAT(test::load_text(with_tokens("[run]\nreliability = \"rsc-3\"\n")).messages,
              HasSubstr("22:15: error: the catalog has no reliability 'rsc-3' (nearest: 'rsc-"));
  EXPECT_THAT(test::load_text(with_tokens("[run]\ncheckpoint = \"async\"\n")).messages,
              HasSubstr("unknown checkpoint 'async'; did you mean 'asynchronous'?"));
  EXPECT_THAT(test::load_text(with_tokens("", "tokens = 15")).messages,
              HasSubstr("a number of tokens is expected"));
  EXPECT_THAT(test::load_text(with_tokens("[run]\nspares = 2\n")).messages,
              HasSubstr("spares must be"));
}

}  // namespace
}  // namespace scalesweep::study
