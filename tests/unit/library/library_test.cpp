#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <scalesweep/scalesweep.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "core/host/installation.hpp"
#include "support/small_study.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::library {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Close {
  void operator()(scalesweep_study* study) const { scalesweep_close(study); }
};
using Opened = std::unique_ptr<scalesweep_study, Close>;

// The text of a message, which is freed.
std::string taken(char* message) {
  const std::string text = message == nullptr ? "" : message;
  scalesweep_free_text(message);
  return text;
}

struct Outcome {
  Opened study;
  int code = 0;
  std::string message;
};

struct CloseCatalog {
  void operator()(scalesweep_catalog* catalog) const { scalesweep_close_catalog(catalog); }
};
using Catalog = std::unique_ptr<scalesweep_catalog, CloseCatalog>;

Catalog shipped_catalog() {
  scalesweep_catalog* catalog = nullptr;
  EXPECT_EQ(scalesweep_open_catalog(test::nodes_folder().c_str(), &catalog, nullptr),
            SCALESWEEP_OK);
  return Catalog(catalog);
}

Outcome open_text(const std::string& text) {
  const Catalog catalog = shipped_catalog();
  scalesweep_study* study = nullptr;
  char* message = nullptr;
  Outcome outcome;
  outcome.code = scalesweep_open_text(text.c_str(), "mine.toml", catalog.get(), &study, &message);
  outcome.study.reset(study);
  outcome.message = taken(message);
  return outcome;
}

Opened opened(const std::string& text) {
  Outcome outcome = open_text(text);
  EXPECT_EQ(outcome.code, SCALESWEEP_OK) << outcome.message;
  return std::move(outcome.study);
}

std::vector<std::int64_t> all_ids(const Opened& study) {
  std::vector<std::int64_t> ids(static_cast<std::size_t>(scalesweep_size(study.get())));
  std::iota(ids.begin(), ids.end(), std::int64_t{0});
  return ids;
}

// Column major, all columns.
std::vector<double> rows_of(const Opened& study, const std::vector<std::int64_t>& ids,
                            int threads = 1) {
  std::vector<double> values(ids.size() * scalesweep_column_count(study.get()));
  char* message = nullptr;
  const int code = scalesweep_evaluate(study.get(), ids.data(), ids.size(), nullptr, 0, threads,
                                       values.data(), &message);
  EXPECT_EQ(taken(message), "");
  EXPECT_EQ(code, SCALESWEEP_OK);
  return values;
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

// As a run of the program computes them where it keeps all.
std::vector<double> rows_of_a_run(const std::string& text) {
  const test::TemporaryFolder folder;
  std::ofstream(folder.path() / "s.toml") << text;
  Diagnostics diagnostics;
  const auto study =
      study::Study::load(folder.path() / "s.toml", test::nodes_folder(), diagnostics);
  const store::StudyDescription& description = study->description();
  engine::RangeResult result{store::Table(description.schema), store::zero_counts(description),
                             std::numeric_limits<double>::infinity()};
  study->make_evaluator().evaluate({0, study->space().size()}, result);
  std::vector<double> values;
  for (std::size_t c = 0; c < description.schema.size(); ++c) {
    const auto& numbers = description.schema[c].numbers;  // of which tables hold places
    for (std::size_t r = 0; r < result.rows.rows(); ++r) {
      const double value = result.rows.number(c, r);
      values.push_back(numbers ? numbers->values()[static_cast<std::size_t>(value)] : value);
    }
  }
  return values;
}

TEST(Library, EstimatesWhatARunOfTheProgramDoes) {
  const Opened study = opened(test::small_spec());
  EXPECT_TRUE(same_bits(rows_of(study, all_ids(study)), rows_of_a_run(test::small_spec())));
  EXPECT_TRUE(same_bits(rows_of(study, all_ids(study), 3), rows_of_a_run(test::small_spec())));
}

TEST(Library, GivesTheSameBitsHoweverPointsAreAsked) {
  const Opened study = opened(test::small_spec());
  std::vector<std::int64_t> ids = all_ids(study);
  const std::vector<double> straight = rows_of(study, ids);
  std::reverse(ids.begin(), ids.end());
  ids.push_back(7);
  ids.push_back(7);
  const std::vector<double> other = rows_of(study, ids, 2);
  const std::size_t points = ids.size() - 2;
  for (std::size_t c = 0; c < scalesweep_column_count(study.get()); ++c) {
    for (std::size_t r = 0; r < ids.size(); ++r) {
      const double expected = straight[c * points + static_cast<std::size_t>(ids[r])];
      ASSERT_EQ(std::memcmp(&other[c * ids.size() + r], &expected, sizeof(double)), 0)
          << scalesweep_column_at(study.get(), c)->name << " of " << ids[r];
    }
  }
  std::vector<double> one(scalesweep_column_count(study.get()));
  ASSERT_EQ(scalesweep_evaluate_point(study.get(), 5, one.data(), nullptr), SCALESWEEP_OK);
  for (std::size_t c = 0; c < one.size(); ++c) {
    EXPECT_EQ(std::memcmp(&one[c], &straight[c * points + 5], sizeof(double)), 0);
  }
}

TEST(Library, GivesARowOfEachPointWhateverThePolicyKeeps) {
  const std::vector<double> plain = rows_of(opened(test::small_spec()), {0, 1, 2, 3, 40});
  for (const char* const keep :
       {"policy = \"feasible\"", "policy = \"best\"\nk = 1",
        "policy = \"best\"\nk = 1\ncounts = \"bounded\"", "policy = \"frontier\""}) {
    const Opened study = opened(test::small_spec(std::string("[keep]\n") + keep + "\n"));
    // Statuses of bounded counts are further labels of the column: places stay.
    EXPECT_TRUE(same_bits(rows_of(study, {0, 1, 2, 3, 40}), plain)) << keep;
  }
}

TEST(Library, ServesSeveralThreadsAtOnce) {
  const Opened study = opened(test::small_spec());
  const std::vector<double> expected = rows_of(study, all_ids(study));
  std::vector<std::vector<double>> found(4);
  {
    std::vector<std::jthread> threads;
    for (std::vector<double>& values : found) {
      threads.emplace_back([&] { values = rows_of(study, all_ids(study), 2); });
    }
  }
  for (const std::vector<double>& values : found) {
    EXPECT_TRUE(same_bits(values, expected));
  }
}

TEST(Library, EndsEarlyWhereItIsAskedTo) {
  const Opened study = opened(test::small_spec());
  const std::vector<std::int64_t> ids = all_ids(study);
  const std::size_t column = scalesweep_find_column(study.get(), "step_time");
  const auto evaluate = [&](int* stop, std::vector<double>& values) {
    char* message = nullptr;
    const int code = scalesweep_evaluate_until(study.get(), ids.data(), ids.size(), &column, 1, 2,
                                               stop, values.data(), &message);
    EXPECT_EQ(taken(message), "");
    return code;
  };
  std::vector<double> expected(ids.size());
  EXPECT_EQ(evaluate(nullptr, expected), SCALESWEEP_OK);
  int stop = 1;
  std::vector<double> none(ids.size(), -1.0);
  EXPECT_EQ(evaluate(&stop, none), SCALESWEEP_STOPPED);
  EXPECT_EQ(std::count(none.begin(), none.end(), -1.0), static_cast<std::ptrdiff_t>(ids.size()));
  stop = 0;
  std::vector<double> all(ids.size());
  EXPECT_EQ(evaluate(&stop, all), SCALESWEEP_OK);
  EXPECT_TRUE(same_bits(all, expected));
}

TEST(Library, EndsEarlyInTheMiddle) {
  const Opened study = opened(test::small_spec());
  // Again and again the same points: far more of them than anybody waits for.
  std::vector<std::int64_t> ids(2'000'000);
  for (std::size_t i = 0; i < ids.size(); ++i) {
    ids[i] = static_cast<std::int64_t>(i) % scalesweep_size(study.get());
  }
  const std::size_t column = scalesweep_find_column(study.get(), "step_time");
  std::vector<double> values(ids.size(), -1.0);
  int stop = 0;
  int code = SCALESWEEP_OK;
  {
    const std::jthread other([&] {
      code = scalesweep_evaluate_until(study.get(), ids.data(), ids.size(), &column, 1, 2, &stop,
                                       values.data(), nullptr);
    });
    std::atomic_ref<int>(stop).store(1);
  }
  EXPECT_EQ(code, SCALESWEEP_STOPPED);
  EXPECT_EQ(values.back(), -1.0);
}

TEST(Library, TellsStudiesApartByWhatDecidesTheirValues) {
  const Opened study = opened(test::small_spec());
  const std::string identity = scalesweep_identity(study.get());
  EXPECT_FALSE(identity.empty());
  const Opened same = opened(test::small_spec("# a comment\n"));
  EXPECT_EQ(scalesweep_identity(same.get()), identity);
  const Opened other = opened(test::small_spec("recompute = \"full\"\n"));
  EXPECT_NE(scalesweep_identity(other.get()), identity);
  EXPECT_STREQ(scalesweep_identity(nullptr), "");
}

TEST(Library, DescribesColumnsAndObjectives) {
  const Opened study =
      opened(test::small_spec("[objectives]\nmaximize = [\"model_flop_utilization\"]\n"));
  EXPECT_STREQ(scalesweep_title(study.get()), "Small study");
  const std::size_t time = scalesweep_find_column(study.get(), "step_time");
  ASSERT_NE(time, SCALESWEEP_NONE);
  const scalesweep_column* const column = scalesweep_column_at(study.get(), time);
  EXPECT_STREQ(column->units, "s");
  EXPECT_STREQ(column->better, "smaller");
  EXPECT_EQ(column->type, SCALESWEEP_NUMBER);
  EXPECT_EQ(scalesweep_column_at(study.get(), 0)->type, SCALESWEEP_INTEGER);
  for (const char* const name : {"accelerators", "sequence", "global_batch", "tensor_parallel"}) {
    const std::size_t count = scalesweep_find_column(study.get(), name);
    EXPECT_EQ(scalesweep_column_at(study.get(), count)->type, SCALESWEEP_INTEGER) << name;
  }
  const std::size_t power = scalesweep_find_column(study.get(), "power");
  EXPECT_EQ(scalesweep_column_at(study.get(), power)->type, SCALESWEEP_NUMBER);
  const scalesweep_column* const status =
      scalesweep_column_at(study.get(), scalesweep_find_column(study.get(), "status"));
  EXPECT_EQ(status->type, SCALESWEEP_LABEL);
  EXPECT_STREQ(status->labels[0], "ok");
  EXPECT_EQ(scalesweep_find_column(study.get(), "step_tme"), SCALESWEEP_NONE);
  EXPECT_EQ(scalesweep_column_at(study.get(), 10'000), nullptr);
  ASSERT_EQ(scalesweep_objective_count(study.get()), 1U);
  EXPECT_STREQ(scalesweep_objective_at(study.get(), 0)->name, "model_flop_utilization");
  EXPECT_EQ(scalesweep_objective_at(study.get(), 0)->maximize, 1);
}

// By its name.
std::map<std::string, const scalesweep_parameter*> parameters_of(const Opened& study) {
  std::map<std::string, const scalesweep_parameter*> parameters;
  for (std::size_t p = 0; p < scalesweep_parameter_count(study.get()); ++p) {
    const scalesweep_parameter* const parameter = scalesweep_parameter_at(study.get(), p);
    parameters[parameter->name] = parameter;
  }
  return parameters;
}

TEST(Library, SaysWhatMayBeChosen) {
  const Opened study = opened(test::small_spec("[[together]]\naxes = [\"logic\", \"memory\"]\n"));
  const auto parameters = parameters_of(study);
  EXPECT_EQ(parameters.at("logic")->choice, SCALESWEEP_AXIS);
  EXPECT_EQ(parameters.at("logic")->values, nullptr);
  EXPECT_STREQ(parameters.at("logic")->labels[1], "N3");
  EXPECT_EQ(parameters.at("memory")->choice, SCALESWEEP_TOGETHER);
  EXPECT_STREQ(parameters.at("memory")->follows, "logic");
  EXPECT_STREQ(parameters.at("power")->units, "W");
  EXPECT_EQ(parameters.at("power")->values[0], 500.0);
  const scalesweep_parameter* const tensor = parameters.at("tensor_parallel");
  EXPECT_EQ(tensor->choice, SCALESWEEP_LAYOUT);
  ASSERT_EQ(tensor->count, 4U);
  EXPECT_EQ(tensor->values[3], 8.0);
  EXPECT_EQ(parameters.at("data_parallel")->choice, SCALESWEEP_DERIVED);
  EXPECT_EQ(scalesweep_parameter_at(study.get(), 10'000), nullptr);
}

TEST(Library, FindsEachPointByItsChoices) {
  for (const std::string rest : {"", "[[together]]\naxes = [\"logic\", \"memory\"]\n"}) {
    const Opened study = opened(test::small_spec(rest));
    std::vector<std::int32_t> choices(scalesweep_parameter_count(study.get()));
    for (std::int64_t id = 0; id < scalesweep_size(study.get()); ++id) {
      ASSERT_EQ(scalesweep_choices_of(study.get(), id, choices.data(), nullptr), SCALESWEEP_OK);
      // What follows from the rest may be left open.
      for (std::size_t p = 0; p < choices.size(); ++p) {
        const scalesweep_parameter* const parameter = scalesweep_parameter_at(study.get(), p);
        const bool follows =
            parameter->choice == SCALESWEEP_TOGETHER || parameter->choice == SCALESWEEP_DERIVED;
        choices[p] = follows || parameter->count == 1 ? -1 : choices[p];
      }
      std::int64_t found = -1;
      ASSERT_EQ(scalesweep_id_of(study.get(), choices.data(), &found, nullptr), SCALESWEEP_OK);
      ASSERT_EQ(found, id);
    }
  }
}

// The code and the message where `name` has the choice and the other fields of layouts are open.
std::pair<int, std::string> id_with(const Opened& study, const std::string& name, int choice) {
  std::vector<std::int32_t> choices(scalesweep_parameter_count(study.get()), -1);
  for (std::size_t p = 0; p < choices.size(); ++p) {
    const scalesweep_parameter* const parameter = scalesweep_parameter_at(study.get(), p);
    choices[p] = parameter->name == name ? choice : parameter->choice == SCALESWEEP_AXIS ? 0 : -1;
  }
  std::int64_t id = 0;
  char* message = nullptr;
  const int code = scalesweep_id_of(study.get(), choices.data(), &id, &message);
  return {code, taken(message)};
}

TEST(Library, SaysWhyNoPointOrNotOneHasTheChoices) {
  const Opened study = opened(test::small_spec());
  const auto several = id_with(study, "tensor_parallel", 0);
  EXPECT_EQ(several.first, SCALESWEEP_NO_POINT);
  EXPECT_THAT(several.second, AllOf(StartsWith("several layouts have logic N7,"),
                                    HasSubstr("; choose recompute as well")))
      << several.second;
  const auto open = id_with(study, "logic", -1);
  EXPECT_EQ(open.first, SCALESWEEP_USAGE);
  EXPECT_EQ(open.second, "choose a value of logic: it is one of N7, N3");
  const auto none = id_with(study, "logic", 2);
  EXPECT_EQ(none.first, SCALESWEEP_USAGE);
  EXPECT_EQ(none.second, "logic has 2 values; there is no choice 2");

  // Two stages hold one chunk each only if interleaved: TP 8 leaves 2 devices, PP 4 needs 4.
  std::vector<std::int32_t> choices(scalesweep_parameter_count(study.get()), -1);
  for (std::size_t p = 0; p < choices.size(); ++p) {
    const scalesweep_parameter* const parameter = scalesweep_parameter_at(study.get(), p);
    const std::string name = parameter->name;
    choices[p] = name == "tensor_parallel"              ? 3
                 : name == "pipeline_parallel"          ? 2
                 : parameter->choice == SCALESWEEP_AXIS ? 0
                                                        : -1;
  }
  std::int64_t id = 0;
  char* message = nullptr;
  EXPECT_EQ(scalesweep_id_of(study.get(), choices.data(), &id, &message), SCALESWEEP_NO_POINT);
  EXPECT_THAT(taken(message), AllOf(StartsWith("no valid layout has logic N7,"),
                                    HasSubstr("tensor_parallel 8, pipeline_parallel 4")));
}

TEST(Library, TellsEveryMistakeOfASpecAsTheProgramDoes) {
  std::string text = test::small_spec();
  text = test::replaced(text, "model = ", "modle = ");
  text = test::replaced(text, "\"HBM3\"", "\"HBM9\"");
  const Outcome outcome = open_text(text);
  EXPECT_EQ(outcome.code, SCALESWEEP_BAD_INPUT);
  EXPECT_EQ(outcome.study, nullptr);
  EXPECT_THAT(outcome.message, HasSubstr("mine.toml:5:1: error: unknown key 'modle'"));
  EXPECT_THAT(outcome.message, HasSubstr("mine.toml:11:"));
}

TEST(Library, SaysWhichFileOrCatalogIsMissing) {
  scalesweep_catalog* catalog = nullptr;
  char* message = nullptr;
  EXPECT_EQ(scalesweep_open_catalog("/nowhere", &catalog, &message), SCALESWEEP_NO_INPUT);
  EXPECT_EQ(catalog, nullptr);
  EXPECT_EQ(taken(message),
            "the argument catalog /nowhere: no such folder; give one like the nodes/ that comes "
            "with scalesweep");
  scalesweep_study* study = nullptr;
  EXPECT_EQ(scalesweep_open_file("/nowhere/mine.toml", nullptr, &study, &message),
            SCALESWEEP_NO_INPUT);
  EXPECT_EQ(study, nullptr);
  EXPECT_THAT(taken(message), HasSubstr("/nowhere/mine.toml"));
}

TEST(Library, TellsTheMistakesOfACatalog) {
  const test::TemporaryFolder folder;
  test::write_text(folder.path() / "mine.toml", "schema = 1\n[device.mine]\nspeed = 1\n");
  scalesweep_catalog* catalog = nullptr;
  char* message = nullptr;
  EXPECT_EQ(scalesweep_open_catalog(folder.path().c_str(), &catalog, &message),
            SCALESWEEP_BAD_INPUT);
  EXPECT_EQ(catalog, nullptr);
  EXPECT_THAT(taken(message), HasSubstr("mine.toml:3:1: error: unknown key 'speed'"));
}

TEST(Library, OpensASpecFromItsFileWithoutACatalogAtHand) {
  const test::TemporaryFolder folder;
  const std::string file = (folder.path() / "mine.toml").string();
  test::write_text(file, test::small_spec());
  scalesweep_study* study = nullptr;
  ASSERT_EQ(scalesweep_open_file(file.c_str(), nullptr, &study, nullptr), SCALESWEEP_OK);
  const Opened opened_file(study);
  EXPECT_TRUE(same_bits(rows_of(opened_file, {3}), rows_of(opened(test::small_spec()), {3})));
}

TEST(Library, RefusesArgumentsThatCannotBe) {
  const Opened study = opened(test::small_spec());
  const auto message_of = [&](std::int64_t id, std::size_t column, int threads) {
    double value = 0.0;
    char* message = nullptr;
    EXPECT_EQ(scalesweep_evaluate(study.get(), &id, 1, &column, 1, threads, &value, &message),
              SCALESWEEP_USAGE);
    return taken(message);
  };
  const std::int64_t size = scalesweep_size(study.get());
  const std::string last = std::to_string(size - 1);
  EXPECT_EQ(message_of(size, 0, 1),
            "there is no point " + std::to_string(size) + "; ids are 0 to " + last);
  EXPECT_THAT(message_of(-1, 0, 1), StartsWith("there is no point -1"));
  EXPECT_THAT(message_of(0, 9999, 1), StartsWith("there is no column 9999; there are "));
  EXPECT_THAT(message_of(0, 0, -1), HasSubstr("threads must be 0"));
  char* message = nullptr;
  EXPECT_EQ(scalesweep_open_text(nullptr, nullptr, nullptr, nullptr, &message), SCALESWEEP_USAGE);
  EXPECT_THAT(taken(message), HasSubstr("must not be null"));
  EXPECT_EQ(scalesweep_evaluate(nullptr, nullptr, 0, nullptr, 0, 1, nullptr, &message),
            SCALESWEEP_USAGE);
  EXPECT_THAT(taken(message), HasSubstr("must not be null"));
  std::int32_t choice = 0;
  EXPECT_EQ(scalesweep_choices_of(study.get(), size, &choice, &message), SCALESWEEP_NO_POINT);
  EXPECT_THAT(taken(message), StartsWith("there is no point"));
  EXPECT_EQ(scalesweep_size(nullptr), 0);
  scalesweep_close(nullptr);
}

TEST(Library, HasTheKeysOfASpec) {
  char* schema = nullptr;
  ASSERT_EQ(scalesweep_spec_schema(&schema, nullptr), SCALESWEEP_OK);
  EXPECT_THAT(taken(schema), HasSubstr("\"tensor_parallel\""));
  EXPECT_EQ(scalesweep_interface_version(), SCALESWEEP_INTERFACE_VERSION);
  EXPECT_THAT(scalesweep_version(), HasSubstr("."));
}

TEST(Installation, IsLookedForBesideTheFileThatHoldsTheCode) {
  EXPECT_EQ(own_file().filename(), "library_test");
  const auto places = places_of("nodes", "nodes");
  ASSERT_GE(places.size(), 2U);
  EXPECT_EQ(places.front().filename(), "nodes");
  EXPECT_EQ(places.front().parent_path().filename(), "scalesweep");
  EXPECT_EQ(places.back(), test::nodes_folder());
}

}  // namespace
}  // namespace scalesweep::library
