#include "store/read/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "unit/store/sample_study.hpp"

namespace scalesweep::store {
namespace {

using test::keep_all;
using test::sample_rows;
using test::sample_study;

TEST(Table, StartsEmptyWithTheTypesOfTheSchema) {
  const Schema schema = sample_study(10, 4).schema;
  Table table(schema);
  EXPECT_EQ(table.rows(), 0U);
  EXPECT_EQ(table.columns(), schema.size());
  EXPECT_NO_THROW(table.values<std::int64_t>(0));
  EXPECT_THROW(table.values<double>(0), std::bad_variant_access);
}

TEST(Table, GivesEveryTypeAsANumber) {
  const StudyDescription study = sample_study(10, 4);
  const Table table = sample_rows(study, {0, 10}, keep_all);
  EXPECT_EQ(table.number(0, 7), 7.0);
  EXPECT_EQ(table.number(1, 7), 1.0);
  EXPECT_EQ(table.number(5, 7), 1.0);
  EXPECT_EQ(table.number(3, 7), table.values<double>(3)[7]);
  EXPECT_EQ(table.number(4, 7), static_cast<double>(table.values<float>(4)[7]));
}

TEST(Table, SelectsRowsInTheGivenOrder) {
  const StudyDescription study = sample_study(10, 4);
  Table table = sample_rows(study, {0, 10}, keep_all);
  table.select({9, 0, 4});
  EXPECT_THAT(table.values<std::int64_t>(0), testing::ElementsAre(9, 0, 4));
  EXPECT_EQ(table.rows(), 3U);
  EXPECT_TRUE(table.rectangular());
}

TEST(Table, AppendsRowsAndTables) {
  const StudyDescription study = sample_study(10, 4);
  Table table = sample_rows(study, {0, 3}, keep_all);
  const Table more = sample_rows(study, {3, 6}, keep_all);
  table.append(more);
  table.append_row(sample_rows(study, {6, 9}, keep_all), 0);
  test::expect_equal(table, sample_rows(study, {0, 7}, keep_all), study.schema);
}

TEST(Table, KnowsWhetherItIsRagged) {
  Table table(sample_study(10, 4).schema);
  EXPECT_TRUE(table.rectangular());
  table.values<std::int64_t>(0).push_back(1);
  EXPECT_FALSE(table.rectangular());
  table.clear();
  EXPECT_TRUE(table.rectangular());
}

TEST(NumberList, FindsWhatItHasToTheBit) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const NumberList list({8192.0, 0.1 + 0.2, nan, -1.0, 0.0});
  for (std::size_t guess = 0; guess < 7; ++guess) {
    for (std::size_t place = 0; place < list.values().size(); ++place) {
      EXPECT_EQ(list.index_of(list.values()[place], guess), place);
    }
    EXPECT_FALSE(list.index_of(0.3, guess));
    EXPECT_FALSE(list.index_of(-0.0, guess));
  }
  EXPECT_FALSE(NumberList({}).index_of(1.0, 0));
  EXPECT_TRUE(NumberList::are_distinct({1.0, 2.0, nan}));
  EXPECT_FALSE(NumberList::are_distinct({1.0, 2.0, 1.0}));
}

}  // namespace
}  // namespace scalesweep::store
