// Strategies of recommendation models: an even share of the samples, and where tables are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "parallel/enumerate.hpp"
#include "parallel/fields.hpp"
#include "workload/model.hpp"

namespace scalesweep::parallel {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

StrategyTable tables_on(std::int64_t devices, std::int64_t batch, StrategyRules rules) {
  return enumerate_strategies(rules, {}, {devices, batch, 0});
}

std::vector<TableSharding> shardings_of(const StrategyTable& table) {
  std::vector<TableSharding> shardings;
  for (const Strategy& strategy : table.strategies) {
    shardings.push_back(strategy.table_sharding);
  }
  return shardings;
}

TEST(TableSharding, AllButCopiesAreTried) {
  const StrategyTable table = tables_on(16, 1600, table_rules());
  EXPECT_THAT(shardings_of(table), ElementsAre(TableSharding::table, TableSharding::column,
                                               TableSharding::row, TableSharding::mixed));
  EXPECT_EQ(table.strategies.front().devices(), 16);
  EXPECT_EQ(table.strategies.front().micro_batch, 100);
}

TEST(TableSharding, OneDeviceHasWholeTables) {
  const StrategyTable table = tables_on(1, 100, table_rules());
  EXPECT_THAT(shardings_of(table), ElementsAre(TableSharding::table));
  StrategyRules rules = table_rules();
  rules.table_sharding = {TableSharding::row};
  EXPECT_THAT(tables_on(1, 100, rules).rejections.front().rule,
              HasSubstr("on one device tables are whole"));
}

TEST(TableSharding, DevicesDivideTheBatch) {
  const StrategyTable table = tables_on(7, 100, table_rules());
  EXPECT_TRUE(table.strategies.empty());
  EXPECT_THAT(table.rejections.front().rule, HasSubstr("accelerators (7) must divide batch (100)"));
}

TEST(TableSharding, IsAFieldOfThisKindAlone) {
  const Field* field = find_field("table_sharding");
  ASSERT_NE(field, nullptr);
  EXPECT_TRUE(field->is_of(WorkloadKind::recommendation));
  EXPECT_FALSE(field->is_of(WorkloadKind::training));
  for (const Field* other : fields_of(table_rules())) {
    EXPECT_TRUE(other->name == "table_sharding" || other->name == "data_parallel") << other->name;
  }
}

}  // namespace
}  // namespace scalesweep::parallel
