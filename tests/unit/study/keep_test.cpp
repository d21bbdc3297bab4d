#include "study/rows/keep.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "space/stored_rules.hpp"
#include "study_fixture.hpp"

namespace scalesweep::study {
namespace {

using test::small_spec;

std::vector<std::int64_t> ids_of(const store::Table& rows) {
  return rows.values<std::int64_t>(0);
}

// As the engine does it: each lease reduced, all of them reduced again.
engine::RangeResult run_in_leases(const Study& study, PointId lease) {
  engine::RangeResult all = test::empty_result(study);
  const engine::Evaluator evaluator = study.make_evaluator();
  for (PointId first = 0; first < study.space().size(); first += lease) {
    engine::RangeResult part = test::empty_result(study);
    evaluator.evaluate({first, std::min(first + lease, study.space().size())}, part);
    evaluator.reduce(part);
    for (std::size_t row = 0; row < part.rows.rows(); ++row) {
      all.rows.append_row(part.rows, row);
    }
    for (std::size_t i = 0; i < part.counts.size(); ++i) {
      all.counts[i] += part.counts[i];
    }
  }
  if (evaluator.select) {
    all.rows.select((*evaluator.select)(all.rows));
  }
  return all;
}

struct Reference {
  explicit Reference(const Study& whole)
      : schema(whole.description().schema), rows(test::evaluate_all(whole).rows) {}
  double at(const char* column, std::size_t row) const {
    return rows.number(column_named(schema, column), row);
  }
  store::Schema schema;
  store::Table rows;
};

TEST(Keep, FeasibleKeepsWhatFitsAndCountsTheRest) {
  const Reference all(test::load_good(small_spec()));
  std::vector<std::int64_t> expected;
  for (std::size_t row = 0; row < all.rows.rows(); ++row) {
    if (all.at("status", row) == 0.0) {
      expected.push_back(static_cast<std::int64_t>(row));
    }
  }
  const Study study = test::load_good(small_spec("[keep]\npolicy = \"feasible\"\n"));
  const engine::RangeResult kept = run_in_leases(study, 100);
  EXPECT_EQ(ids_of(kept.rows), expected);
  EXPECT_EQ(kept.counts[index_of(Status::does_not_fit)] + kept.counts[index_of(Status::ok)],
            study.space().size());
}

TEST(Keep, BestOfEachGroupAgreesWithSorting) {
  const Reference all(test::load_good(small_spec()));
  std::map<std::pair<double, double>, std::vector<std::pair<double, std::int64_t>>> groups;
  for (std::size_t row = 0; row < all.rows.rows(); ++row) {
    if (all.at("status", row) == 0.0) {
      groups[{all.at("logic", row), all.at("memory", row)}].emplace_back(
          all.at("step_time", row), static_cast<std::int64_t>(row));
    }
  }
  std::vector<std::int64_t> expected;
  for (auto& [group, members] : groups) {
    std::sort(members.begin(), members.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(3, members.size()); ++i) {
      expected.push_back(members[i].second);
    }
  }
  std::sort(expected.begin(), expected.end());
  const Study study = test::load_good(
      small_spec("[keep]\npolicy = { best = { k = 3, per = [\"logic\", \"memory\"] } }\n"));
  for (const PointId lease : {50, 64, 1000, 100000}) {
    EXPECT_EQ(ids_of(run_in_leases(study, lease).rows), expected) << "leases of " << lease;
  }
}

TEST(Keep, FrontierAgreesWithTheDefinition) {
  const Reference all(test::load_good(small_spec()));
  const std::vector<const char*> objectives = {"step_time", "memory_total"};
  const auto dominates = [&](std::size_t a, std::size_t b) {
    bool better = false;
    for (const char* objective : objectives) {
      if (all.at(objective, a) > all.at(objective, b)) {
        return false;
      }
      better = better || all.at(objective, a) < all.at(objective, b);
    }
    return better || a < b;  // of equals the smaller id stays
  };
  std::vector<std::int64_t> expected;
  for (std::size_t row = 0; row < all.rows.rows(); ++row) {
    bool stays = all.at("status", row) == 0.0;
    for (std::size_t other = 0; stays && other < all.rows.rows(); ++other) {
      stays = other == row || all.at("status", other) != 0.0 || !dominates(other, row);
    }
    if (stays) {
      expected.push_back(static_cast<std::int64_t>(row));
    }
  }
  const Study study =
      test::load_good(small_spec("[keep]\npolicy = \"frontier\"\n[objectives]\nminimize = "
                                 "[\"step_time\", \"memory_total\"]\n"));
  EXPECT_GT(expected.size(), 1U);
  for (const PointId lease : {37, 500, 100000}) {
    EXPECT_EQ(ids_of(run_in_leases(study, lease).rows), expected) << "leases of " << lease;
  }
}

// The frontier of each group is that of the group alone.
TEST(Keep, FrontiersOfGroupsAreThoseOfEachAlone) {
  const std::string rest =
      "[keep]\npolicy = \"frontier\"\n[objectives]\nminimize = [\"step_time\", \"memory_total\"]\n";
  const auto study_of = [&](const std::string& batches) {
    return test::load_good(
        test::replaced(small_spec(rest), "global_batch = 32", "global_batch = " + batches));
  };
  const auto times = [](const Study& study, const store::Table& rows, double batch) {
    const store::Schema& schema = study.description().schema;
    std::vector<double> found;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (rows.number(column_named(schema, "global_batch"), row) == batch) {
        found.push_back(rows.number(column_named(schema, "step_time"), row));
      }
    }
    return found;
  };
  const Study both = study_of("[32, 64]");
  EXPECT_EQ(both.spec().keep.per, std::vector<std::string>{"global_batch"});
  for (const PointId lease : {37, 500, 100000}) {
    const store::Table rows = run_in_leases(both, lease).rows;
    const std::vector<std::int64_t> ids = ids_of(rows);
    EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
    for (const double batch : {0.0, 1.0}) {
      const Study alone = study_of(batch == 0.0 ? "32" : "64");
      const store::Table own = run_in_leases(alone, lease).rows;
      EXPECT_GT(own.rows(), 1U);
      EXPECT_EQ(times(both, rows, batch), times(alone, own, 0.0)) << "leases of " << lease;
    }
  }
}

TEST(Keep, AxesWithNumbersCanBeObjectives) {
  const std::string spec = test::replaced(
      small_spec("[keep]\npolicy = \"frontier\"\n[objectives]\nminimize = [\"accelerators\", "
                 "\"step_time\"]\n"),
      "accelerators = 16", "accelerators = [16, 8]");
  const Study study = test::load_good(spec);
  const engine::RangeResult kept = run_in_leases(study, 200);
  ASSERT_EQ(kept.rows.rows(), 2U);  // the fastest on 8 and the fastest on 16
  const std::size_t column = column_named(study.description().schema, "accelerators");
  EXPECT_NE(kept.rows.number(column, 0), kept.rows.number(column, 1));
}

TEST(Keep, CostAndCarbonCanBeMinimised) {
  const Reference all(test::load_good(small_spec()));
  for (const std::string objective : {"cost_per_million_tokens", "carbon_per_million_tokens"}) {
    std::size_t best = all.rows.rows();
    for (std::size_t row = 0; row < all.rows.rows(); ++row) {
      const bool cheaper = best == all.rows.rows() ||
                           all.at(objective.c_str(), row) < all.at(objective.c_str(), best);
      if (all.at("status", row) == 0.0 && cheaper) {
        best = row;
      }
    }
    ASSERT_LT(best, all.rows.rows());
    EXPECT_GT(all.at(objective.c_str(), best), 0.0);
    const Study study =
        test::load_good(small_spec("[keep]\npolicy = { best = { k = 1 } }\n"
                                   "[objectives]\nminimize = [\"" +
                                   objective + "\"]\n"));
    EXPECT_EQ(ids_of(run_in_leases(study, 100).rows),
              std::vector<std::int64_t>{static_cast<std::int64_t>(best)})
        << objective;
  }
}

TEST(Keep, ColumnsCanBeMaximised) {
  const auto kept_by = [](const std::string& keep, const std::string& objectives) {
    return run_in_leases(
        test::load_good(small_spec("[keep]\npolicy = " + keep + "\n[objectives]\n" + objectives)),
        100);
  };
  const std::string best = "{ best = { k = 2, per = [\"logic\"] } }";
  const engine::RangeResult fastest = kept_by(best, "minimize = \"step_time\"\n");
  const engine::RangeResult most = kept_by(best, "maximize = \"tokens_per_second\"\n");
  ASSERT_EQ(fastest.rows.rows(), 4U);
  EXPECT_EQ(ids_of(most.rows), ids_of(fastest.rows));
  // The rate is stored in fewer digits than the time, so that some of its values are equal.
  EXPECT_EQ(ids_of(kept_by("\"frontier\"",
                           "minimize = [\"step_time\", \"memory_total\"]\n"
                           "maximize = \"tokens_per_second\"\n")
                       .rows),
            ids_of(kept_by("\"frontier\"", "minimize = [\"step_time\", \"memory_total\"]\n").rows));
}

TEST(Keep, TheBestSoFarOfWhatIsMaximisedIsNegative) {
  const Study study =
      test::load_good(small_spec("[objectives]\nmaximize = \"tokens_per_second\"\n"));
  const engine::RangeResult all = test::evaluate_all(study);
  const std::size_t column = column_named(study.description().schema, "tokens_per_second");
  const std::size_t status = column_named(study.description().schema, "status");
  double most = 0.0;
  for (std::size_t row = 0; row < all.rows.rows(); ++row) {
    if (all.rows.number(status, row) == 0.0) {
      most = std::max(most, all.rows.number(column, row));
    }
  }
  EXPECT_GT(most, 0.0);
  EXPECT_EQ(all.best_objective, -most);
  EXPECT_EQ(study.description().root_attributes.at("objectives"),
            R"([{"maximize":"tokens_per_second"}])");
}

TEST(Keep, ObjectiveThatWouldKeepTheWorstIsRefused) {
  EXPECT_EQ(test::load_text(small_spec("[objectives]\nminimize = [\"tokens_per_second\"]\n"
                                       "maximize = \"step_time\"\n"))
                .messages,
            "spec.toml:21:13: error: 'tokens_per_second' is better when it is larger, and minimize "
            "would take the worst for the best; name it in maximize\n"
            "spec.toml:22:12: error: 'step_time' is better when it is smaller, and maximize would "
            "take the worst for the best; name it in minimize\n");
  // An axis is better neither way.
  test::load_good(small_spec("[objectives]\nmaximize = [\"accelerators\"]\n"));
}

TEST(Keep, ObjectiveWithoutOrderOrUnknownIsRefused) {
  const test::Loaded no_order =
      test::load_text(small_spec("[objectives]\nminimize = [\"logic\", \"step_tmie\"]\n"));
  EXPECT_FALSE(no_order.study);
  EXPECT_EQ(no_order.messages,
            "spec.toml:21:13: error: 'logic' has no order; name something measured, such as "
            "step_time\n"
            "spec.toml:21:22: error: a study has no column 'step_tmie'; did you mean "
            "'step_time'?\n");
}

TEST(Keep, ObjectiveThatIsNoAxisOfThisStudyIsRefused) {
  const test::Loaded loaded =
      test::load_text(small_spec("[objectives]\nminimize = [\"device\"]\n"));
  EXPECT_FALSE(loaded.study);
  EXPECT_NE(loaded.messages.find("a study has no column 'device'"), std::string::npos)
      << loaded.messages;
}

TEST(Keep, RuleThatIsStoredIsReadBack) {
  for (const char* text :
       {R"({"policy":"all"})", R"({"policy":"feasible"})", R"({"policy":"frontier"})",
        R"({"policy":"best","k":12})", R"({"policy":"best","k":3,"per":["logic","memory"]})",
        R"({"policy":"frontier","per":["model","batch"],"counts":"bounded"})"}) {
    const std::optional<space::Keep> keep = space::keep_of_json(text);
    ASSERT_TRUE(keep) << text;
    EXPECT_EQ(space::keep_json(*keep), text);
  }
  for (const char* text :
       {"", "all", "[]", "{}", R"({"policy":"some"})", R"({"policy":1})",
        R"({"policy":"best","k":0})", R"({"policy":"best","k":"3"})",
        R"({"policy":"best","k":2.5})", R"({"policy":"best","k":1e300})",
        R"({"policy":"all","per":["logic"]})", R"({"policy":"all","counts":"bounded"})",
        R"({"policy":"best","counts":"guessed"})", R"({"policy":"several"})"}) {
    EXPECT_FALSE(space::keep_of_json(text)) << text;
  }
}

TEST(Keep, RuleOfADescriptionSelectsAsThatOfItsStudy) {
  for (const char* keep : {"policy = \"frontier\"\n", "policy = \"frontier\"\nper = [\"memory\"]\n",
                           "policy = { best = { k = 2, per = [\"logic\"] } }\n",
                           "policy = \"best\"\n[objectives]\nmaximize = \"tokens_per_second\"\n"}) {
    const Study study = test::load_good(small_spec(std::string("[keep]\n") + keep));
    const std::optional<store::RowSelector> selector = selector_of(study.description());
    ASSERT_TRUE(selector);
    const store::Table rows = test::evaluate_all(test::load_good(small_spec())).rows;
    EXPECT_EQ((*selector)(rows), (*study.make_evaluator().select)(rows));
  }
  EXPECT_FALSE(selector_of(test::load_good(small_spec()).description())) << "rows are final";
}

TEST(Keep, RuleThatIsNotKnownIsRefused) {
  store::StudyDescription description = test::load_good(small_spec()).description();
  description.root_attributes["keep"] = "every second";
  try {
    selector_of(description);
    FAIL() << "was not refused";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), ExitCode::bad_input);
    EXPECT_STREQ(failure.what(),
                 "the study keeps rows by a rule that is not known here: 'every second'; merge it "
                 "with the program that ran it");
  }
}

}  // namespace
}  // namespace scalesweep::study
