// A frontier built block by block is the frontier of all rows, however they come.
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>

#include "property/reduce/arbitrary_rows.hpp"
#include "reduce/frontier/frontier_builder.hpp"

namespace scalesweep::reduce {
namespace {

using testing::arbitrary_rows;
using testing::Rows;

void add(FrontierBuilder& builder, const Rows& rows, std::size_t first, std::size_t last) {
  std::vector<std::span<const double>> part;
  for (const std::vector<double>& column : rows.columns) {
    part.push_back(std::span(column).subspan(first, last - first));
  }
  builder.add(part, std::span(rows.ids).subspan(first, last - first));
}

// What a builder must give, from ranks of all rows at once.
RankedRows expected_rows(const Rows& rows, const std::vector<std::int32_t>& ranks) {
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < ranks.size(); ++row) {
    if (ranks[row] > 0) {
      kept.push_back(row);
    }
  }
  testing::sort_by_id(rows, kept);
  const Rows at = rows.at(kept);
  RankedRows result{at.columns, at.ids, {}};
  for (const std::size_t row : kept) {
    result.ranks.push_back(ranks[row]);
  }
  return result;
}

bool equal(const RankedRows& a, const RankedRows& b) {
  return a.columns == b.columns && a.ids == b.ids && a.ranks == b.ranks;
}

RC_GTEST_PROP(BuilderProperty, AnyCutIntoBlocksAndPartsGivesTheDefinition, ()) {
  const auto objectives = *rc::gen::inRange<std::size_t>(1, max_columns + 1);
  const auto most = *rc::gen::inRange(1, 4);
  const Rows rows = arbitrary_rows(objectives, 100);
  std::vector<FrontierBuilder> parts(3, FrontierBuilder(objectives, most));
  for (std::size_t first = 0; first < rows.size();) {
    const auto last = *rc::gen::inRange(first, rows.size()) + 1;
    FrontierBuilder& part = parts[*rc::gen::inRange<std::size_t>(0, parts.size())];
    add(part, rows, first, last);
    if (*rc::gen::arbitrary<bool>()) {
      part.reduce();  // learns what dominates from what it has
    }
    first = last;
  }
  parts[0].merge(parts[1]);
  parts[2].merge(parts[0]);
  RC_ASSERT(
      equal(parts[2].finish(), expected_rows(rows, testing::ranks_by_definition(rows, most))));
  const auto with_nan = static_cast<std::int64_t>([&] {
    std::size_t count = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      count += testing::has_nan(rows, row) ? 1 : 0;
    }
    return count;
  }());
  RC_ASSERT(parts[2].rows_with_nan() == with_nan);
}

enum class Cloud { uniform, products, steps, on_the_frontier };

Rows cloud_of(Cloud cloud, std::size_t objectives, std::size_t count) {
  std::mt19937_64 generator(objectives * 31 + static_cast<std::size_t>(cloud));
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  Rows rows;
  rows.columns.resize(objectives);
  for (std::size_t row = 0; row < count; ++row) {
    double sum = 0.0;
    for (std::vector<double>& column : rows.columns) {
      column.push_back(uniform(generator));
      sum += column.back();
    }
    double scale = 1e-3;
    for (std::vector<double>& column : rows.columns) {
      double& value = column.back();
      switch (cloud) {
        case Cloud::uniform:
          break;
        case Cloud::products:
          value = scale * std::exp(9.0 * value);
          scale *= 1e7;
          break;
        case Cloud::steps:
          value = std::floor(value * 12.0);
          break;
        case Cloud::on_the_frontier:
          value /= sum;
          break;
      }
    }
    rows.ids.push_back(static_cast<std::int64_t>((row * 7919) % count));
  }
  return rows;
}

// Long enough for every way in which two halves are joined.
TEST(Pareto, LongFrontiersEqualTheirDefinition) {
  for (const Cloud cloud : {Cloud::products, Cloud::steps, Cloud::on_the_frontier}) {
    for (const std::size_t objectives : {3UL, 4UL, 6UL}) {
      Rows rows = cloud_of(cloud, objectives, 2503);
      for (std::size_t row = 0; row < rows.size(); row += 3) {
        rows.columns[row % objectives][row] *= 1.02;
      }
      EXPECT_EQ(pareto_frontier(rows.views(), rows.ids), testing::frontier_by_definition(rows))
          << static_cast<int>(cloud) << ' ' << objectives;
    }
  }
}

// Long enough for a builder to reduce and to learn by itself.
TEST(Builder, LongCloudsGiveTheFrontierOfAllRows) {
  for (const Cloud cloud :
       {Cloud::uniform, Cloud::products, Cloud::steps, Cloud::on_the_frontier}) {
    for (const std::size_t objectives : {2UL, 3UL, 5UL}) {
      const Rows rows = cloud_of(cloud, objectives, cloud == Cloud::on_the_frontier ? 8009 : 40009);
      for (const std::int32_t most : {1, 2}) {
        FrontierBuilder builder(objectives, most);
        for (std::size_t first = 0; first < rows.size(); first += 5000) {
          add(builder, rows, first, std::min(first + 5000, rows.size()));
        }
        EXPECT_TRUE(equal(builder.finish(),
                          expected_rows(rows, dominance_ranks(rows.views(), rows.ids, most))))
            << static_cast<int>(cloud) << ' ' << objectives << ' ' << most;
      }
    }
  }
}

TEST(Builder, MemoryStaysNearTheFrontier) {
  const Rows rows = cloud_of(Cloud::uniform, 4, 40009);
  FrontierBuilder builder(4);
  std::size_t most_waiting = 0;
  for (int repetition = 0; repetition < 5; ++repetition) {
    Rows shifted = rows;
    for (std::int64_t& id : shifted.ids) {
      id += repetition * 100000;
    }
    add(builder, shifted, 0, rows.size());
    most_waiting = std::max(most_waiting, builder.waiting());
  }
  EXPECT_LT(most_waiting, 20000);
}

TEST(Builder, CarriedColumnsComeAlongAndDecideNothing) {
  Rows rows = cloud_of(Cloud::products, 3, 20011);
  const std::vector<std::size_t> kept = pareto_frontier(rows.views(), rows.ids);
  rows.columns.emplace_back();
  for (const std::int64_t id : rows.ids) {
    rows.columns.back().push_back(id % 3 == 0 ? std::nan("") : static_cast<double>(-id));
  }
  FrontierBuilder builder(3, 1, 1);
  add(builder, rows, 0, rows.size());
  const RankedRows found = builder.finish();
  ASSERT_EQ(found.ids.size(), kept.size());
  for (std::size_t member = 0; member < kept.size(); ++member) {
    EXPECT_EQ(found.ids[member], rows.ids[kept[member]]);
    const double carried = rows.columns.back()[kept[member]];
    EXPECT_TRUE(found.columns[3][member] == carried || std::isnan(carried));
  }
}

TEST(Builder, NothingComesOfNothing) {
  FrontierBuilder builder(3);
  builder.reduce();
  EXPECT_TRUE(builder.finish().ids.empty());
}

}  // namespace
}  // namespace scalesweep::reduce
