#include "analysis/diff/diff.hpp"
#include "analysis/diff/output.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/diff/match.hpp"
#include "core/failure.hpp"
#include "store/segments/output.hpp"
#include "unit/analysis/synthetic_study.hpp"

namespace scalesweep::analysis {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::names;
using testing::TemporaryFolder;
using testing::TestPoint;
using testing::TestStudy;
using testing::values;

TestPoint point(std::int32_t logic, std::int32_t tensor_parallel, double compute_s, double dram_s,
                std::uint8_t status = 0) {
  TestPoint result;
  result.axes = {logic, 0};
  result.tensor_parallel = tensor_parallel;
  result.charges_s[0] = compute_s;
  result.charges_s[2] = dram_s;
  result.energy_j = 1.0;
  result.status = status;
  return result;
}

TestStudy two_nodes() {
  TestStudy study;
  study.axes = {names("logic", {"N7", "N5"}), names("model", {"gpt3-175b"})};
  study.points = {point(0, 1, 8.0, 1.0), point(0, 2, 6.0, 2.0), point(1, 1, 4.0, 1.0),
                  point(1, 2, 2.0, 2.0)};
  study.objectives = "step_time";
  return study;
}

class Diff : public ::testing::Test {
 protected:
  StudyDiff diff(const TestStudy& from, const TestStudy& to) {
    from.write(file("a"));
    to.write(file("b"));
    return diff_studies(file("a"), file("b"), {});
  }
  std::string file(const std::string& name) const {
    return (folder_.path() / (name + ".h5")).string();
  }
  TemporaryFolder folder_;
};

TEST_F(Diff, equal_studies) {
  const StudyDiff found = diff(two_nodes(), two_nodes());
  EXPECT_TRUE(found.same_results());
  EXPECT_EQ(found.matched, 4);
  EXPECT_EQ(found.equal, 4);
  EXPECT_THAT(found.columns, IsEmpty());
  EXPECT_EQ(diff_text(found, "a.h5", "b.h5", 0),
            "a.h5 -> b.h5\n\nthe studies are the same: 4 points with equal values\n");
}

TEST_F(Diff, values_that_differ) {
  TestStudy changed = two_nodes();
  changed.points[1].charges_s[0] = 8.0;  // step time 8 -> 10, +25 %
  changed.points[2].charges_s[0] = 3.5;  // 5 -> 4.5, -10 %
  const StudyDiff found = diff(two_nodes(), changed);
  EXPECT_FALSE(found.same_results());
  EXPECT_EQ(found.matched, 4);
  EXPECT_EQ(found.equal, 2);
  ASSERT_EQ(found.columns.size(), 2u);
  const ColumnChange& charge = found.columns[1];
  EXPECT_EQ(charge.name, "charge_tensor_compute");
  const ColumnChange& time = found.columns[0];  // before what differs more
  EXPECT_EQ(time.name, "step_time");
  EXPECT_EQ(time.units, "s");
  EXPECT_EQ(time.differing, 2);
  EXPECT_DOUBLE_EQ(time.median_relative, 0.075) << "between 25 % and -10 %";
  EXPECT_DOUBLE_EQ(time.largest_relative, 0.25);
  EXPECT_EQ(time.from, "8");
  EXPECT_EQ(time.to, "10");
  EXPECT_EQ(time.point, "logic N7, TP2 PP1 no-rc");
}

// Points are matched by what they are: another axis value and another order shift all ids.
TEST_F(Diff, ids_may_shift) {
  TestStudy other = two_nodes();
  other.axes[0] = names("logic", {"N3", "N5", "N7"});
  other.points = {point(0, 1, 1.0, 1.0), point(1, 2, 2.0, 2.0), point(1, 1, 4.0, 1.0),
                  point(2, 1, 8.0, 1.0), point(2, 2, 6.0, 2.0)};
  const StudyDiff found = diff(two_nodes(), other);
  EXPECT_EQ(found.matched, 4);
  EXPECT_EQ(found.equal, 4);
  EXPECT_EQ(found.rows_to, 5);
  EXPECT_THAT(found.columns, IsEmpty());
  ASSERT_EQ(found.axes.size(), 1u);
  EXPECT_EQ(found.axes[0].name, "logic");
  EXPECT_THAT(found.axes[0].gained, ElementsAre("N3"));
  EXPECT_THAT(found.axes[0].lost, IsEmpty());
  EXPECT_FALSE(found.same_results());
  EXPECT_THAT(diff_text(found, "a", "b", 0), HasSubstr("logic gains N3"));
  EXPECT_THAT(diff_text(found, "a", "b", 0),
              HasSubstr("0 only in the first, 1 only in the second"));
}

TEST_F(Diff, quantities_match_by_value_and_an_axis_of_one_value_need_not_be_there) {
  TestStudy from = two_nodes();
  TestStudy to = two_nodes();
  from.axes.push_back(values("die_area", {8e-4}, "m2"));
  to.axes.push_back(values("die_area", {8e-4}, "m2"));
  to.axes.back().labels = {"8 cm2"};
  from.axes.push_back(names("memory", {"HBM3"}));
  for (TestPoint& one : from.points) {
    one.axes = {one.axes[0], 0, 0, 0};
  }
  for (TestPoint& one : to.points) {
    one.axes = {one.axes[0], 0, 0};
  }
  const StudyDiff found = diff(from, to);
  EXPECT_EQ(found.matched, 4);
  EXPECT_THAT(found.columns_lost, ElementsAre("memory"));
}

TEST_F(Diff, points_are_compared_across_what_alone_was_changed) {
  TestStudy from = two_nodes();
  TestStudy to = two_nodes();
  from.axes[1] = values("power", {700.0}, "W");
  to.axes[1] = values("power", {600.0}, "W");
  to.points[0].charges_s[0] = 9.0;
  const StudyDiff found = diff(from, to);
  EXPECT_EQ(found.matched, 4);
  EXPECT_EQ(found.equal, 3);
  EXPECT_THAT(found.notes,
              ElementsAre("points are compared across 'power': 700 W in the first, 600 W in the "
                          "second"));
}

// Each point of two_nodes at two values of one more axis.
TestStudy with_axis(const store::AxisValues& axis) {
  TestStudy study = two_nodes();
  const std::vector<TestPoint> before = study.points;
  study.axes.push_back(axis);
  study.points.clear();
  for (TestPoint one : before) {
    for (const std::int32_t value : {0, 1}) {
      one.axes = {one.axes[0], 0, value};
      study.points.push_back(one);
    }
  }
  return study;
}

TEST_F(Diff, an_axis_that_one_study_lacks_is_ignored) {
  TestStudy from = with_axis(names("memory", {"HBM3", "HBM4"}));
  from.points[1].charges_s[0] = 9.0;  // the first point with HBM4
  const StudyDiff found = diff(from, two_nodes());
  EXPECT_EQ(found.rows_from, 8);
  EXPECT_EQ(found.rows_to, 4);
  EXPECT_EQ(found.matched, 8);
  EXPECT_EQ(found.equal, 7);
  EXPECT_EQ(found.only_from, 0);
  EXPECT_EQ(found.only_to, 0);
  EXPECT_FALSE(found.same_results());
  ASSERT_FALSE(found.notes.empty());
  EXPECT_EQ(found.notes.front(),
            "'memory' has 2 values in the first study and is no axis of the second: it is ignored, "
            "and a point of the second is compared with those of the first at all values");
  // Row by row: the two points of each one, in the order of the first study.
  const Matching matching =
      match_rows(store::StudyReader(file("a")), store::StudyReader(file("b")));
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const RowPair& pair : matching.pairs) {
    pairs.emplace_back(pair.from, pair.to);
  }
  EXPECT_THAT(pairs,
              ElementsAre(std::pair(0, 0), std::pair(1, 0), std::pair(2, 1), std::pair(3, 1),
                          std::pair(4, 2), std::pair(5, 2), std::pair(6, 3), std::pair(7, 3)));
}

TEST_F(Diff, an_axis_of_one_value_in_one_study_chooses_the_points_at_that_value) {
  TestStudy to = two_nodes();
  to.axes.push_back(names("memory", {"HBM4"}));
  for (TestPoint& one : to.points) {
    one.axes = {one.axes[0], 0, 0};
  }
  TestStudy from = with_axis(names("memory", {"HBM3", "HBM4"}));
  from.points[0].charges_s[0] = 9.0;  // with HBM3: compared with nothing
  const StudyDiff found = diff(from, to);
  EXPECT_EQ(found.matched, 4);
  EXPECT_EQ(found.equal, 4);
  EXPECT_EQ(found.only_from, 4);
  EXPECT_EQ(found.only_to, 0);
}

TEST_F(Diff, axes_that_each_study_has_alone_keep_points_apart) {
  const StudyDiff found = diff(with_axis(names("memory", {"HBM3", "HBM4"})),
                               with_axis(names("scale_up", {"NVLink4", "NVLink5"})));
  EXPECT_EQ(found.matched, 0);
  ASSERT_FALSE(found.notes.empty());
  EXPECT_EQ(found.notes.front(),
            "points cannot be matched: 'memory' has 2 values in the first study and is no axis of "
            "the second, and 'scale_up' has 2 values in the second and is no axis of the first");
}

TEST_F(Diff, statuses_and_answers) {
  TestStudy changed = two_nodes();
  changed.points[3].status = 1;          // the best of N5 no longer fits
  changed.points[2].charges_s[0] = 0.5;  // and the other is limited by DRAM there
  const StudyDiff found = diff(two_nodes(), changed);
  EXPECT_THAT(found.statuses,
              ElementsAre(std::pair(std::pair<std::string, std::string>("ok", "does_not_fit"), 1)));
  std::vector<std::string> texts;
  for (const AnswerChange& change : found.answers) {
    texts.push_back(change.table + " " + change.what + " " + change.text);
  }
  EXPECT_THAT(texts, ::testing::Contains("frontier gained logic N5, TP1 PP1 no-rc"));
  EXPECT_THAT(texts, ::testing::IsSupersetOf({HasSubstr("best changed logic N5: TP2"),
                                              HasSubstr("frontier lost logic N5, ")}));
  const std::string text = diff_text(found, "a", "b", 0);
  EXPECT_THAT(text, HasSubstr("  ok -> does_not_fit: 1\n"));
  EXPECT_THAT(text, HasSubstr("Frontier: 1 gained, 1 lost\n"));
  EXPECT_THAT(text, HasSubstr("Best strategies: 1 changed\n"));
}

TEST_F(Diff, what_the_studies_are_made_of) {
  const auto write = [&](const std::string& name, const std::string& spec,
                         const std::string& catalog, const std::string& estimator) {
    store::StudyDescription study = two_nodes().description();
    study.identity = name;
    study.identity_parts = {{"spec", spec}, {"catalog", catalog}, {"estimator", estimator}};
    store::prepare_output(file(name), study);
  };
  write("a", "zero: 0, 1\nkeep: all\nfilter: a < 1\nfilter: b < 1\n",
        "logic N7 density: 91\nlogic N7 voltage: 0.7 V\nlogic N3 voltage: 0.6 V\n", "abc");
  write("b", "zero: 0\nkeep: all\nfilter: a < 1\nfilter: c < 1\n",
        "logic N7 density: 95\nlogic N5 density: 171\nlogic N5 voltage: 0.7 V\n", "def");
  const StudyDiff found = diff_studies(file("a"), file("b"), {});
  std::vector<std::string> texts;
  for (const KeyChange& change : found.keys) {
    texts.push_back(change.part + "|" + change.key + "|" + change.from + "|" + change.to);
  }
  EXPECT_THAT(texts,
              ElementsAre("spec|zero|0, 1|0", "spec|filter|a < 1; b < 1|a < 1; c < 1",
                          "catalog|logic N7 density|91|95", "catalog|logic N7 voltage|0.7 V|",
                          "catalog|logic N3 voltage|0.6 V|", "catalog|logic N5 density||171",
                          "catalog|logic N5 voltage||0.7 V", "estimator||abc|def"));
  EXPECT_THAT(diff_text(found, "a", "b", 0), HasSubstr("Spec\n"
                                                       "  zero: 0, 1 -> 0\n"
                                                       "  filter: a < 1; b < 1 -> a < 1; c < 1\n"
                                                       "\n"
                                                       "Catalog\n"
                                                       "  logic N7 density: 91 -> 95\n"
                                                       "  logic N7 voltage: 0.7 V -> (none)\n"
                                                       "  logic N3: only in the first (1 value)\n"
                                                       "  logic N5: only in the second (2 values)\n"
                                                       "\n"
                                                       "Made by another version\n"
                                                       "  estimator: abc -> def\n"));
  // Neither is finished, which is said.
  ASSERT_EQ(found.notes.size(), 2u);
  EXPECT_THAT(found.notes[0], HasSubstr("a.h5: of 4 points 0 are computed so far"));
}

TEST_F(Diff, says_which_coordinate_has_nothing_in_common) {
  TestStudy other = two_nodes();
  for (TestPoint& one : other.points) {
    one.tensor_parallel *= 16;
  }
  const StudyDiff found = diff(two_nodes(), other);
  EXPECT_EQ(found.matched, 0);
  EXPECT_THAT(found.notes,
              ::testing::Contains("no point is in both: 'tensor_parallel' has no value in both"));
}

// Blocks are compared by several threads; what comes first among equals may not depend on them.
TEST_F(Diff, any_number_of_threads_finds_the_same) {
  TestStudy changed = testing::scaling_study(4, 3, 4);
  changed.write(file("a"));
  for (std::size_t i = 0; i < changed.points.size(); i += 7) {
    changed.points[i].charges_s[0] *= i % 2 == 0 ? 1.25 : 0.75;
  }
  changed.points.erase(changed.points.begin() + 100, changed.points.begin() + 2000);
  changed.write(file("b"));
  const auto text = [&](std::size_t threads) {
    DiffOptions options;
    options.reading.threads = threads;
    return diff_json(diff_studies(file("a"), file("b"), options), "a", "b");
  };
  const std::string one = text(1);
  EXPECT_EQ(one, text(4));
  const auto document = nlohmann::json::parse(one);
  EXPECT_EQ(document["points"]["matched"], document["points"]["to"]);
  EXPECT_GT(document["columns"].size(), 1u);
}

TEST_F(Diff, json_holds_everything) {
  TestStudy changed = two_nodes();
  changed.points[1].charges_s[0] = 8.0;
  const nlohmann::json document =
      nlohmann::json::parse(diff_json(diff(two_nodes(), changed), "a.h5", "b.h5"));
  EXPECT_EQ(document["same_results"], false);
  EXPECT_EQ(document["points"]["matched"], 4);
  EXPECT_EQ(document["points"]["equal"], 3);
  EXPECT_EQ(document["columns"][0]["name"], "step_time");
  EXPECT_EQ(document["columns"][0]["largest_relative"], 0.25);
}

// Every pair that looking at all pairs finds, and no other.
TEST_F(Diff, matches_what_brute_force_matches) {
  const auto scattered = [](unsigned seed, std::int32_t tensor_most) {
    TestStudy study = two_nodes();
    study.points.clear();
    for (std::int32_t logic = 0; logic < 2; ++logic) {
      for (std::int32_t tensor = 1; tensor <= tensor_most; ++tensor) {
        if ((static_cast<unsigned>(tensor * 7 + logic) * seed) % 3 != 0) {
          study.points.push_back(point(logic, tensor, 1.0 * tensor, 1.0));
        }
      }
    }
    std::reverse(study.points.begin(), study.points.end());
    return study;
  };
  const TestStudy a = scattered(5, 40);
  const TestStudy b = scattered(7, 60);
  a.write(file("a"));
  b.write(file("b"));
  std::vector<std::pair<std::int64_t, std::int64_t>> expected;
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    for (std::size_t j = 0; j < b.points.size(); ++j) {
      if (a.points[i].axes == b.points[j].axes &&
          a.points[i].tensor_parallel == b.points[j].tensor_parallel) {
        expected.emplace_back(i, j);
      }
    }
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> found;
  for (const RowPair& pair :
       match_rows(store::StudyReader(file("a")), store::StudyReader(file("b"))).pairs) {
    found.emplace_back(pair.from, pair.to);
  }
  EXPECT_GT(found.size(), 20u);
  EXPECT_EQ(found, expected);
}

TEST_F(Diff, files_that_are_no_studies) {
  two_nodes().write(file("a"));
  EXPECT_THROW(diff_studies(file("a"), file("missing"), {}), Failure);
}

}  // namespace
}  // namespace scalesweep::analysis
