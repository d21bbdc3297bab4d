// What results must meet: statuses, counts and rows, and what is said of requirements that are
// none.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "study_fixture.hpp"

namespace scalesweep::study {
namespace {

using testing::HasSubstr;

std::string requirement(const std::string& where, const std::string& name = "") {
  return "[[require]]\nwhere = \"" + where + "\"\n" +
         (name.empty() ? "" : "name = \"" + name + "\"\n");
}

std::string kept(const std::string& policy) {
  return "[keep]\npolicy = \"" + policy + "\"\n";
}

std::int64_t count_of(const Study& study, const engine::RangeResult& result,
                      const std::string& status) {
  const std::vector<std::string>& names = study.description().count_names;
  const auto place = std::find(names.begin(), names.end(), status);
  EXPECT_NE(place, names.end()) << status;
  return result.counts[static_cast<std::size_t>(place - names.begin())];
}

std::map<PointId, std::string> status_by_id(const Study& study, const store::Table& rows) {
  const store::Schema& schema = study.description().schema;
  const std::size_t status = column_named(schema, "status");
  std::map<PointId, std::string> found;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    found[rows.values<std::int64_t>(0)[row]] =
        schema[status].labels[rows.values<std::uint8_t>(status)[row]];
  }
  return found;
}

// Feasible points without requirements, and halves of them by time and by memory.
class RequirementsOfAStudy : public testing::Test {
 protected:
  void SetUp() override {
    const Study study = test::load_good(test::small_spec(kept("all")));
    const store::Schema& schema = study.description().schema;
    const store::Table rows = test::evaluate_all(study).rows;
    const std::size_t status = column_named(schema, "status");
    std::vector<double> times;
    std::vector<double> memories;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      if (rows.number(status, row) == 0.0) {
        const PointId id = rows.values<std::int64_t>(0)[row];
        time_s_[id] = rows.number(column_named(schema, "step_time"), row);
        memory_bytes_[id] = rows.number(column_named(schema, "memory_total"), row);
        times.push_back(time_s_[id]);
        memories.push_back(memory_bytes_[id]);
      }
    }
    ASSERT_GT(times.size(), 8U);
    std::sort(times.begin(), times.end());
    std::sort(memories.begin(), memories.end());
    most_s_ = times[times.size() / 2];
    most_bytes_ = memories[memories.size() / 2];
    for (const auto& [id, time_s] : time_s_) {
      expected_[id] = time_s > most_s_                  ? "misses_fast"
                      : memory_bytes_[id] > most_bytes_ ? "misses_requirement_2"
                                                        : "ok";
    }
    spec_ = requirement("step_time <= " + fmt::format("{}", most_s_), "fast") +
            requirement(fmt::format("not memory_total > {} and scale_up_domain > 0", most_bytes_));
  }

  std::int64_t expected_count(const std::string& status) const {
    return std::count_if(expected_.begin(), expected_.end(),
                         [&](const auto& one) { return one.second == status; });
  }

  std::map<PointId, double> time_s_;
  std::map<PointId, double> memory_bytes_;
  double most_s_ = 0.0;
  double most_bytes_ = 0.0;
  std::map<PointId, std::string> expected_;
  std::string spec_;
};

TEST_F(RequirementsOfAStudy, GiveWhatMissesThemTheFirstOfTheirStatuses) {
  const Study study = test::load_good(test::small_spec(spec_ + kept("all")));
  const engine::RangeResult result = test::evaluate_all(study);
  const std::map<PointId, std::string> found = status_by_id(study, result.rows);
  EXPECT_EQ(found.size(), static_cast<std::size_t>(study.space().size()));
  for (const auto& [id, status] : expected_) {
    EXPECT_EQ(found.at(id), status) << id;
  }
  for (const std::string status : {"ok", "misses_fast", "misses_requirement_2"}) {
    EXPECT_GT(expected_count(status), 0) << status;
    EXPECT_EQ(count_of(study, result, status), expected_count(status)) << status;
  }
}

TEST_F(RequirementsOfAStudy, DecideWhatIsFeasible) {
  for (const char* policy : {"feasible", "frontier", "best"}) {
    const Study study = test::load_good(test::small_spec(spec_ + kept(policy)));
    engine::RangeResult result = test::evaluate_all(study);
    study.make_evaluator().reduce(result);
    EXPECT_GT(result.rows.rows(), 0U) << policy;
    for (const auto& [id, status] : status_by_id(study, result.rows)) {
      EXPECT_EQ(status, "ok") << policy;
      EXPECT_EQ(expected_.at(id), "ok") << policy << " " << id;
    }
    for (const std::string status : {"ok", "misses_fast", "misses_requirement_2"}) {
      EXPECT_EQ(count_of(study, result, status), expected_count(status)) << policy;
    }
    if (std::string(policy) == "feasible") {
      EXPECT_EQ(static_cast<std::int64_t>(result.rows.rows()), expected_count("ok"));
    }
  }
}

TEST(Requirements, ArePartOfTheIdentity) {
  const auto identity = [](const std::string& text) {
    return test::load_good(test::small_spec(text)).description().identity;
  };
  std::set<std::string> identities;
  for (const std::string& text :
       {std::string(), requirement("step_time < '2 s'"), requirement("step_time < '3 s'"),
        requirement("step_time < '2 s'", "fast")}) {
    identities.insert(identity(text));
  }
  EXPECT_EQ(identities.size(), 4U);
}

TEST(Requirements, ThatAreNoneAreReportedWhereTheyStand) {
  const auto said = [](const std::string& text) {
    return test::load_text(test::small_spec(text)).messages;
  };
  EXPECT_THAT(said(requirement("memry_total < '60 GB'")),
              HasSubstr(":10: error: requirement: there is no column 'memry_total'; did you mean "
                        "'memory_total'?"));
  EXPECT_THAT(
      said(requirement("step_time < 2 and memory_total < '2 s'")),
      HasSubstr(":43: error: requirement: 's' is a unit of a time, but a data size is expected "
                "here"));
  EXPECT_THAT(said(requirement("step_time + 1")),
              HasSubstr("error: requirement: this is a number, and a condition is wanted"));
  EXPECT_THAT(said("[[require]]\nname = \"fast\"\n"), HasSubstr("where"));
  EXPECT_THAT(said(requirement("step_time < 2", "in budget")),
              HasSubstr("'in budget' is no name of a requirement: letters, digits and _ only"));
  EXPECT_THAT(said(requirement("step_time < 2", "a") + requirement("step_time < 3", "a")),
              HasSubstr("another requirement is called 'a'"));
  std::string many;
  for (int i = 0; i <= 100; ++i) {
    many += requirement("step_time < 2");
  }
  EXPECT_THAT(said(many),
              HasSubstr("there are 100 requirements at most; join conditions with and"));
}

TEST(Requirements, HaveNamesOfTheirOwn) {
  const std::string said = test::load_text(R"(schema = 1
title = "Requests"
[workload]
kind = "serving"
model = "llama-2-7b"
prompt = 500
output = 200
[system]
accelerators = 1
device = "h100-sxm"
[strategy]
tensor_parallel = 1
[[require]]
name = "limits"
where = "memory_total < '60 GB'"
)")
                               .messages;
  EXPECT_THAT(said, HasSubstr("spec.toml:15:9: error: 'limits' cannot be the name of a "
                              "requirement: misses_limits is another status of this kind of "
                              "workload\n"));
}

// Those beyond the limit are told once, and as nothing else.
TEST(Requirements, AreAHundredAtMost) {
  const auto said = [](int count) {
    std::string rest;
    for (int i = 0; i < count; ++i) {
      rest += requirement("step_time < '2 s'");
    }
    return test::load_text(test::small_spec(rest)).messages;
  };
  EXPECT_EQ(said(100), "");
  EXPECT_EQ(said(104),
            "spec.toml:220:1: error: there are 100 requirements at most; join conditions with "
            "and\n");
}

// What is skipped is not asked, and is counted as that; what stays is the same.
TEST(Requirements, AreAskedOfWhatMayStayWithBoundedCounts) {
  const std::string spec = test::small_spec(requirement("micro_batch > 1") + kept("best"));
  const Study exact = test::load_good(spec);
  const Study bounded = test::load_good(spec + "counts = \"bounded\"\n");
  engine::RangeResult all = test::empty_result(exact);
  engine::RangeResult asked = test::empty_result(bounded);
  exact.make_evaluator().evaluate({0, exact.space().size()}, all);
  bounded.make_evaluator().evaluate({0, bounded.space().size()}, asked);
  all.rows.select((*exact.make_evaluator().select)(all.rows));
  asked.rows.select((*bounded.make_evaluator().select)(asked.rows));
  test::expect_same_rows(all.rows, asked.rows);
  EXPECT_EQ(bounded.description().count_names.back(), "misses_requirement_1");
  EXPECT_EQ(count_of(bounded, asked, "pruned"), asked.skipped);
  EXPECT_GT(asked.skipped, 0);
  const auto fitting = [](const Study& study, const engine::RangeResult& result) {
    return count_of(study, result, "ok") + count_of(study, result, "misses_requirement_1");
  };
  EXPECT_EQ(fitting(exact, all), fitting(bounded, asked) + asked.skipped);
}

// The fastest candidate that a requirement leaves is found, not the fastest of all.
TEST(Requirements, HoldForWhatAllocationFinds) {
  const auto spec = [](const std::string& text) {
    return R"(schema = 1
title = "Shares"
[workload]
kind = "training"
model = "llama-2-7b"
sequence = 2048
global_batch = 64
[system]
accelerators = 8
logic = "N5"
memory = "HBM3"
scale_up = "NVLink4"
scale_out = "NDRx8"
device = { template = "tensor-core-gpu", die_area = "800 mm2", power = "700 W", stacks = 4 }
[allocate]
core_area_share = { from = 0.3, to = 0.9 }
grid = 3
rounds = 1
[strategy]
tensor_parallel = [1, 8]
)" + text;
  };
  const auto best_share = [&](const std::string& text) {
    const Study study = test::load_good(spec(text));
    const store::Schema& schema = study.description().schema;
    const store::Table rows = test::evaluate_all(study).rows;
    double best_s = std::numeric_limits<double>::infinity();
    double share = 0.0;
    for (std::size_t row = 0; row < rows.rows(); ++row) {
      const double time_s = rows.number(column_named(schema, "step_time"), row);
      if (time_s < best_s) {
        best_s = time_s;
        share = rows.number(column_named(schema, "share_core_area"), row);
      }
    }
    return share;
  };
  const double of_all = best_share(kept("feasible"));
  const double limit = of_all - 0.01;
  const std::string require = requirement(fmt::format("share_core_area < {}", limit));
  const double of_rest = best_share(require + kept("feasible"));
  EXPECT_LT(of_rest, limit);
  // The second round is around the best that is left.
  EXPECT_GT(of_rest, 0.0);
}

}  // namespace
}  // namespace scalesweep::study
