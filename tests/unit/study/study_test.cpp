#include "study/study.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "core/version.hpp"
#include "study/resolve/choose.hpp"
#include "study/sample.hpp"
#include "study_fixture.hpp"

namespace scalesweep::study {
namespace {

using test::replaced;
using test::small_spec;

std::string identity(const std::string& text) {
  return test::load_good(text).description().identity;
}

TEST(Names, EveryUnknownOneIsReportedAtItsPlaceInOnePass) {
  std::string text = small_spec();
  text = replaced(text, "\"llama-2-7b\"", "\"lama-2-7b\"");
  text = replaced(text, "[\"N7\", \"N3\"]", "[\"N7\", \"N33\"]");
  text = replaced(text, "\"HBM2E\", \"HBM3\"", "\"HBM2E\", \"HMB3\"");
  text = replaced(text, "\"NDRx8\"", "\"NTRx8\"");
  text = replaced(text, "\"tensor-core-gpu\"", "\"tensor-core-cpu\"");
  const test::Loaded loaded = test::load_text(text);
  EXPECT_FALSE(loaded.study);
  EXPECT_EQ(loaded.messages,
            "spec.toml:5:9: error: the catalog has no model 'lama-2-7b'; did you mean "
            "'llama-2-7b'?\n"
            "spec.toml:10:16: error: the catalog has no logic 'N33' (nearest: 'N3', another "
            "generation or size)\n"
            "spec.toml:11:20: error: the catalog has no memory 'HMB3'; did you mean 'HBM3'?\n"
            "spec.toml:13:23: error: the catalog has no scale_out 'NTRx8'; did you mean "
            "'NDRx8'?\n"
            "spec.toml:14:23: error: the catalog has no template 'tensor-core-cpu'; did you mean "
            "'tensor-core-gpu'?\n");
}

TEST(Names, AreCheckedBesideMistakesOfForm) {
  std::string text = replaced(small_spec(), "\"HBM3\"", "\"HBM33\"");
  text = replaced(text, "global_batch", "global_bach");
  text += "[objectives]\nminimize = [\"step_tim\"]\n";
  const test::Loaded loaded = test::load_text(text);
  EXPECT_NE(loaded.messages.find("did you mean 'step_time'?"), std::string::npos)
      << loaded.messages;
  EXPECT_NE(loaded.messages.find("global_bach"), std::string::npos) << loaded.messages;
  EXPECT_NE(loaded.messages.find("the catalog has no memory 'HBM33'"), std::string::npos)
      << loaded.messages;
}

TEST(Names, ScalingAndPrecisionAreChecked) {
  std::string text = replaced(small_spec(), "[\"N7\", \"N3\"]",
                              "[\"N7\", \"N3\"]\nscaling = [\"foundry\", \"fondry\"]");
  text = replaced(text, "global_batch = 32", "global_batch = 32\nprecision = \"fp15\"");
  const test::Loaded loaded = test::load_text(text);
  EXPECT_NE(loaded.messages.find("error: there is no scaling 'fondry'; did you mean 'foundry'?"),
            std::string::npos)
      << loaded.messages;
  EXPECT_NE(loaded.messages.find("error: there is no precision 'fp15'; did you mean 'fp16'?"),
            std::string::npos)
      << loaded.messages;
}

TEST(Names, NodeMustBeInTheScalingAskedFor) {
  const test::Loaded loaded = test::load_text(replaced(
      small_spec(), "[\"N7\", \"N3\"]", "[\"N7\", \"N4\"]\nscaling = \"iso-performance\""));
  EXPECT_EQ(loaded.messages,
            "spec.toml:10:16: error: the scaling 'iso-performance' has no node 'N4'; take it out "
            "or choose another scaling\n");
}

TEST(Load, MissingFilesAreFailuresWithTheirCode) {
  Diagnostics diagnostics;
  try {
    Study::load("/nowhere/spec.toml", test::nodes_folder(), diagnostics);
    FAIL() << "a missing spec was accepted";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::no_input);
    EXPECT_NE(std::string(failure.what()).find("/nowhere/spec.toml"), std::string::npos);
  }
}

TEST(Identity, DependsOnWhatDecidesTheValuesAlone) {
  const std::string base = identity(small_spec());
  EXPECT_EQ(identity("# a comment\n" + small_spec()), base);
  EXPECT_EQ(identity(replaced(small_spec(), "Small study", "Another title")), base);
  EXPECT_EQ(identity(small_spec("[objectives]\nminimize = [\"memory_total\"]\n")), base);
  EXPECT_NE(identity(replaced(small_spec(), "[\"N7\", \"N3\"]", "[\"N3\", \"N7\"]")), base);
  EXPECT_NE(identity(replaced(small_spec(), "500 W", "501 W")), base);
  EXPECT_NE(identity(replaced(small_spec(), "chunks = [1, 2]", "chunks = [1]")), base);
  EXPECT_NE(identity(small_spec("[[filter]]\nwhere = \"tensor_parallel <= 8\"\n")), base);
  EXPECT_NE(identity(small_spec("[keep]\npolicy = \"feasible\"\n")), base);
}

TEST(Identity, DependsOnEveryKeyOfTheStrategy) {
  const std::string base = identity(small_spec());
  std::set<std::string> seen = {base};
  for (const char* key :
       {"zero = [0, 3]", "recompute = 'full'", "sequence_parallel = true", "context_parallel = 2",
        "expert_parallel = [1, 2]", "experts_over_tensor = [false, true]",
        "recompute_every = [1, 2]", "shard_group = ['all', 2]",
        "schedule = ['1f1b', 'zero_bubble']", "context_exchange = ['ring', 'all_to_all']",
        "rank_order = 'tp-pp-cp-ep-dp'", "offload_activations = true", "offload_optimizer = true",
        "uneven_stages = true"}) {
    EXPECT_TRUE(seen.insert(identity(small_spec(std::string(key) + "\n"))).second) << key;
  }
  EXPECT_EQ(identity(small_spec("schedule = '1f1b'\nrank_order = ['tp-cp-ep-dp-pp']\n")), base);
}

TEST(Identity, ObjectivesCountWhereTheyDecideWhatIsKept) {
  const std::string frontier = "[keep]\npolicy = \"frontier\"\n";
  EXPECT_NE(identity(small_spec(frontier + "[objectives]\nminimize = [\"accelerators\"]\n")),
            identity(small_spec(frontier + "[objectives]\nmaximize = [\"accelerators\"]\n")));
  EXPECT_NE(identity(small_spec(frontier + "[objectives]\nminimize = [\"memory_total\"]\n")),
            identity(small_spec(frontier + "[objectives]\nminimize = [\"step_time\"]\n")));
}

TEST(Identity, NamesTheCatalogValuesAndTheEstimator) {
  const Study study = test::load_good(small_spec());
  const auto& parts = study.description().identity_parts;
  EXPECT_EQ(parts.at("estimator"), build_info().estimator_hash);
  EXPECT_NE(parts.at("spec").find("logic: N7, N3"), std::string::npos) << parts.at("spec");
  EXPECT_NE(parts.at("catalog").find("memories HBM3 "), std::string::npos) << parts.at("catalog");
  EXPECT_NE(parts.at("catalog").find("logic foundry/N3 "), std::string::npos);
  EXPECT_EQ(parts.at("catalog").find("memories HBM4 "), std::string::npos) << "not used";
}

TEST(Identity, ReplacingThePolicyChangesIt) {
  Study study = test::load_good(small_spec());
  const std::string before = study.description().identity;
  space::Keep keep;
  keep.policy = space::KeepPolicy::feasible;
  study.set_keep(keep);
  EXPECT_NE(study.description().identity, before);
  EXPECT_EQ(study.description().identity, identity(small_spec("[keep]\npolicy = \"feasible\"\n")));
}

TEST(Description, SaysWhereItComesFrom) {
  Study study = test::load_good(small_spec());
  study.describe_run("scalesweep run spec.toml -o out.h5", 4);
  const store::StudyDescription& description = study.description();
  EXPECT_EQ(description.root_attributes.at("title"), "Small study");
  EXPECT_EQ(
      description.root_attributes.at("objectives"),
      R"([{"minimize":"step_time"},{"minimize":"energy_per_token"},{"minimize":"accelerators"}])");
  EXPECT_EQ(description.provenance.at("spec"), small_spec());
  EXPECT_NE(description.provenance.at("catalog").find("HBM3"), std::string::npos);
  // NVLink4 is used and takes values from NVLink3: its text is kept, its values are no values of
  // the study.
  EXPECT_NE(description.provenance.at("catalog").find("[scale_up.NVLink3]"), std::string::npos);
  const std::string& identity = description.identity_parts.at("catalog");
  EXPECT_NE(identity.find("scale_up NVLink4 "), std::string::npos);
  EXPECT_EQ(identity.find("scale_up NVLink3 "), std::string::npos);
  EXPECT_EQ(description.provenance.at("command"), "scalesweep run spec.toml -o out.h5");
  EXPECT_EQ(description.provenance.at("ranks"), "4");
  EXPECT_FALSE(description.provenance.at("host").empty());
  EXPECT_EQ(description.points, study.space().size());
  EXPECT_EQ(description.count_names.size(), status_count + 1);
  EXPECT_EQ(description.axes.size(), study.space().axes().size());
}

TEST(Choose, FindsThePointThatIsSet) {
  const Study study = test::load_good(small_spec());
  const PointId wanted = study.space().size() / 3;
  std::vector<Setting> settings;
  for (const CoordinateText& text : coordinates(study, study.point_at(wanted))) {
    settings.push_back({text.name, text.label});
  }
  EXPECT_EQ(choose_point(study, settings).id, wanted);
}

TEST(Choose, TakesTheFastestThatFitsOfWhatIsOpen) {
  const Study study = test::load_good(small_spec());
  const Choice choice = choose_point(study, {{"logic", "N3"}, {"memory", "HBM3"}});
  const engine::RangeResult all = test::evaluate_all(study);
  const Point chosen = study.point_at(choice.id);
  const std::size_t step = column_named(study.description().schema, "step_time");
  const std::size_t status = column_named(study.description().schema, "status");
  EXPECT_EQ(all.rows.number(status, static_cast<std::size_t>(choice.id)), 0.0);
  for (PointId id = 0; id < study.space().size(); ++id) {
    const auto row = static_cast<std::size_t>(id);
    if (study.point_at(id).axis_index == chosen.axis_index && all.rows.number(status, row) == 0.0) {
      EXPECT_GE(all.rows.number(step, row),
                all.rows.number(step, static_cast<std::size_t>(choice.id)));
    }
  }
  EXPECT_NE(choice.how.find("scale_out = HDRx8"), std::string::npos) << choice.how;
  EXPECT_NE(choice.how.find("that fits"), std::string::npos) << choice.how;
}

TEST(Choose, TriesAllAllocationsThatAreOpen) {
  const Study study = test::load_good(
      replaced(small_spec("[allocate]\ncore_area_share = { from = 0.3, to = 0.9 }\nrounds = 1\n"),
               "chunks = [1, 2]", "chunks = [1]"));
  const Choice open = choose_point(study, {{"logic", "N3"}});
  EXPECT_NE(open.how.find("strategies and allocations that fits"), std::string::npos) << open.how;
  EXPECT_EQ(open.how.find("allocation = 0"), std::string::npos) << open.how;
  const engine::RangeResult all = test::evaluate_all(study);
  const std::size_t step = column_named(study.description().schema, "step_time");
  const std::size_t status = column_named(study.description().schema, "status");
  // Those that differ from the chosen point in allocation and strategy alone.
  const std::vector<std::int32_t> chosen = study.point_at(open.id).axis_index;
  int compared = 0;
  for (PointId id = 0; id < study.space().size(); ++id) {
    const auto row = static_cast<std::size_t>(id);
    const std::vector<std::int32_t> index = study.space().run_at(id).axis_index;
    if (all.rows.number(status, row) == 0.0 &&
        std::equal(index.begin(), index.end() - 1, chosen.begin())) {
      ++compared;
      EXPECT_GE(all.rows.number(step, row),
                all.rows.number(step, static_cast<std::size_t>(open.id)));
    }
  }
  EXPECT_GT(compared, 10);
  const Choice set = choose_point(study, {{"logic", "N3"}, {"allocation", "2"}});
  EXPECT_EQ(study.point_at(set.id).axis_index.back(), 2);
}

std::string refusal(const Study& study, const std::vector<Setting>& settings) {
  try {
    choose_point(study, settings);
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::usage);
    return failure.what();
  }
  return "accepted";
}

TEST(Choose, RefusesWhatThereIsNot) {
  const Study study = test::load_good(small_spec());
  EXPECT_EQ(refusal(study, {{"logik", "N3"}}),
            "--set logik: a point of this study has no 'logik'; did you mean 'logic'?");
  EXPECT_EQ(refusal(study, {{"logic", "N2"}}),
            "--set logic=N2: the study has no such value; did you mean 'N7'?");
  EXPECT_EQ(refusal(study, {{"tensor_parallel", "3"}}),
            "no strategy of this study is so; 'scalesweep plan' shows which values there are");
  EXPECT_EQ(refusal(study, {{"zero", "1"}, {"zero", "0"}}),
            "--set zero: given twice; a point has one value of it");
}

TEST(Reference, NamesEveryStatus) {
  const std::string reference = read_file(test::source_folder() / "sweeps" / "README.md");
  for (const std::string& name : status_names()) {
    EXPECT_NE(reference.find("`" + name + "`"), std::string::npos) << name;
  }
}

TEST(Sample, MeasuresRateAndSize) {
  const Study study = test::load_good(small_spec("[keep]\npolicy = \"feasible\"\n"));
  const Sample sample = measure_sample(study, 0.02);
  EXPECT_GT(sample.points, 0);
  EXPECT_GT(sample.points_per_second, 0.0);
  EXPECT_GT(sample.kept_fraction, 0.0);
  EXPECT_LT(sample.kept_fraction, 1.0);
  EXPECT_GT(sample.bytes_per_row, 100.0);
  EXPECT_GT(sample.stored_bytes_per_row, 10.0);
}

}  // namespace
}  // namespace scalesweep::study
