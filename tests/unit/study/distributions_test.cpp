#include "study/columns/distributions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "study/columns/estimate_columns.hpp"
#include "study/kinds/workload_kind.hpp"
#include "study_fixture.hpp"

namespace scalesweep::study {
namespace {

using test::small_spec;

// Counted the plain way: rows that are ok, a search among the edges.
store::Counts counted(const Study& study, const store::Histogram& histogram,
                      const store::Table& rows) {
  const store::Schema& schema = study.description().schema;
  const std::size_t column = column_named(schema, histogram.name);
  const std::size_t status = column_named(schema, "status");
  store::Counts bins(histogram.edges.size() + 1, 0);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const double value = rows.number(column, row);
    if (rows.number(status, row) == 0.0 && !std::isnan(value)) {
      const auto above = std::upper_bound(histogram.edges.begin(), histogram.edges.end(), value);
      ++bins[static_cast<std::size_t>(above - histogram.edges.begin())];
    }
  }
  return bins;
}

TEST(Distributions, CountEveryFeasiblePointOnceWhateverIsKept) {
  const Study whole = test::load_good(small_spec());
  const store::Table rows = test::evaluate_all(whole).rows;
  for (const char* policy : {"all", "feasible", "frontier"}) {
    const Study study =
        test::load_good(small_spec(std::string("[keep]\npolicy = \"") + policy + "\"\n"));
    const store::StudyDescription& description = study.description();
    const engine::RangeResult result = test::evaluate_all(study);
    ASSERT_EQ(result.counts.size(), store::zero_counts(description).size());
    std::size_t begin = description.count_names.size();
    ASSERT_EQ(description.histograms.size(), 4U);
    for (const store::Histogram& histogram : description.histograms) {
      const store::Counts expected = counted(whole, histogram, rows);
      const auto first = result.counts.begin() + static_cast<std::ptrdiff_t>(begin);
      const store::Counts bins(first, first + static_cast<std::ptrdiff_t>(expected.size()));
      EXPECT_EQ(bins, expected) << policy << ", " << histogram.name;
      EXPECT_GT(std::accumulate(bins.begin(), bins.end(), std::int64_t{0}), 0);
      begin += expected.size();
    }
  }
}

// Every kind of work counts its time, the energy and the cost of what it makes, and its memory.
TEST(Distributions, AreOfEveryKindOfWork) {
  for (const WorkloadKind* kind : workload_kinds()) {
    const EstimateColumns columns = kind->columns();
    const std::string time = columns.time.name;
    std::vector<std::string> units;
    const std::vector<store::Histogram> histograms =
        Distributions(make_schema(kind->columns(), {})).describe();
    for (const store::Histogram& histogram : histograms) {
      units.push_back(histogram.units);
    }
    EXPECT_EQ(units, (std::vector<std::string>{"s", "J", "USD", "B"})) << time;
    EXPECT_EQ(histograms.front().name, time);
  }
}

TEST(Distributions, SayWhatTheyCount) {
  const std::vector<store::Histogram> histograms =
      test::load_good(small_spec()).description().histograms;
  EXPECT_EQ(histograms[0].name, "step_time");
  EXPECT_EQ(histograms[0].units, "s");
  EXPECT_EQ(histograms[0].description,
            "How many points with status ok have this step time, stored as a row or not.");
  EXPECT_TRUE(std::is_sorted(histograms[0].edges.begin(), histograms[0].edges.end()));
  EXPECT_EQ(histograms[1].name, "energy_per_token");
  EXPECT_EQ(histograms[2].name, "cost_per_million_tokens");
  EXPECT_EQ(histograms[3].name, "memory_total");
}

}  // namespace
}  // namespace scalesweep::study
