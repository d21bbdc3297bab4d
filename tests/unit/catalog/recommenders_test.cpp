// Models with embedding tables: what an entry can say, what it cannot, and those that ship.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_catalog.hpp"
#include "support/shipped_catalog.hpp"
#include "workload/framework.hpp"
#include "workload/recommendation/recommendation.hpp"

namespace scalesweep::catalog {
namespace {

using test::complaints;
using test::example_text;
using test::load_text;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string small = R"(
[recommender.small]
source = "paper"
kind = "published"
table_rows = [1000, 50]
table_dim = 16
table_pooling = [3, 1]
dense_features = 4
bottom_widths = [32, 16]
top_widths = [8, 1]
)";

std::string text_with(const std::string& from = "", const std::string& to = "") {
  std::string entry = small;
  if (!from.empty()) {
    entry.replace(entry.find(from), from.size(), to);
  }
  return example_text + entry;
}

std::string complaints_of(const std::string& from, const std::string& to) {
  return complaints(text_with(from, to));
}

TEST(Recommenders, ListsAreOfEachTable) {
  const Catalog catalog = load_text(text_with());
  const workload::RecommendationModel& model = catalog.recommender("small");
  ASSERT_EQ(model.tables.size(), 2U);
  EXPECT_EQ(model.tables[0], (workload::TableGroup{1, 1000, 16, 3.0}));
  EXPECT_EQ(model.tables[1], (workload::TableGroup{1, 50, 16, 1.0}));
  EXPECT_EQ(model.interaction, workload::Interaction::dot);
  EXPECT_EQ(model.access_skew, 0.0);
}

TEST(Recommenders, OneNumberIsOfAllTables) {
  const Catalog catalog = load_text(
      text_with("table_pooling = [3, 1]\n", "table_pooling = 7\ntable_count = [10, 1]\n"));
  const workload::RecommendationModel& model = catalog.recommender("small");
  EXPECT_EQ(model.tables[1].pooling, 7.0);
  EXPECT_EQ(model.table_count(), 11.0);
}

TEST(Recommenders, SayWhatIsWrong) {
  EXPECT_THAT(complaints(text_with()), IsEmpty());
  EXPECT_THAT(complaints_of("[3, 1]", "[3, 1, 2]"),
              HasSubstr("has 3 values and table_rows 2; give one for all tables, or one for each"));
  EXPECT_THAT(complaints_of("[32, 16]", "[32, 8]"),
              HasSubstr("the last of them is 8 and rows of a table have 16 elements"));
  EXPECT_THAT(complaints_of("table_dim = 16\n", ""), HasSubstr("missing key 'table_dim'"));
  EXPECT_THAT(complaints_of("table_dim = 16\n", "table_dim = 16\ninteraction = \"cross\"\n"),
              AllOf(HasSubstr("needs cross_layers"), HasSubstr("needs cross_rank")));
  EXPECT_THAT(complaints_of("table_dim = 16\n", "table_dim = 16\ninteraction = \"sum\"\n"),
              HasSubstr("'sum'"));
}

// The sums of both count files of Criteo, and sizes that MLCommons states.
TEST(Recommenders, ShippedOnesAreOfTheirPublishedSize) {
  const Catalog& shipped = scalesweep::test::shipped_catalog();
  const workload::RecommendationModel& dlrm = shipped.recommender("dlrm-mlperf");
  EXPECT_EQ(dlrm.table_count(), 26.0);
  EXPECT_EQ(dlrm.table_parameters() / 128, 187'767'399.0);
  EXPECT_EQ(dlrm.interactions(), 479);
  const workload::RecommendationModel& crossed = shipped.recommender("dcnv2");
  EXPECT_EQ(crossed.table_parameters() / 128, 204'184'588.0);
  EXPECT_EQ(crossed.lookups(), 214.0);
  EXPECT_EQ(crossed.interactions(), 3456);
  EXPECT_EQ(shipped.recommender("hstu-like").tokens(), 1024.0);
  const auto bytes = [&](const char* name) {
    return 4.0 * shipped.recommender(name).table_parameters();
  };
  EXPECT_EQ(bytes("dlrm-rmc1"), 4.0 * 8 * 4e6 * 32);
  EXPECT_EQ(bytes("dlrm-rmc2"), 4.0 * 32 * 5e5 * 64);
  EXPECT_EQ(bytes("dlrm-rmc3"), 4.0 * 10 * 2e6 * 32);
  // In the code of their authors the first number of a bottom MLP is its input.
  const workload::RecommendationModel& rmc3 = shipped.recommender("dlrm-rmc3");
  EXPECT_EQ(rmc3.dense_features, 2560);
  EXPECT_EQ(rmc3.bottom_widths.front(), 1024);
}

TEST(Recommenders, FrameworksSayThatTheyRunThem) {
  const Catalog& shipped = scalesweep::test::shipped_catalog();
  EXPECT_TRUE(shipped.framework("hugectr").recommends);
  EXPECT_FALSE(shipped.framework("hugectr").trains);
  EXPECT_FALSE(shipped.framework("hugectr").serves);
  EXPECT_FALSE(shipped.framework("megatron-lm").recommends);
}

}  // namespace
}  // namespace scalesweep::catalog
