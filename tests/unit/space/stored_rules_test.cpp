// Rules as a file holds them, and back.
#include "space/stored_rules.hpp"

#include <gtest/gtest.h>

namespace scalesweep::space {
namespace {

TEST(StoredRules, ObjectivesAreReadBackInTheirOrder) {
  const std::vector<Objective> objectives = {
      {"step_time"}, {"tokens_per_second", Direction::maximize}, {"accelerators"}};
  const std::string text = objectives_json(objectives);
  EXPECT_EQ(text, R"([{"minimize":"step_time"},{"maximize":"tokens_per_second"},)"
                  R"({"minimize":"accelerators"}])");
  EXPECT_EQ(objectives_of_json(text), objectives);
  for (const char* other : {"", "step_time", "{}", "3", R"([{"minimize":3}])", R"([{"a":"b"}])"}) {
    EXPECT_TRUE(objectives_of_json(other).empty()) << other;
  }
}

TEST(StoredRules, ASearchIsReadBack) {
  for (const char* text :
       {R"({"axes":["die_area","power"],"find":"best","method":"bounds","tolerance":0.001,)"
        R"("devices":100000})",
        R"({"axes":["die_area"],"find":"best","method":"climb","devices":400})",
        R"({"axes":["die_area"],"find":"transitions","first_values":9})"}) {
    const auto search = search_of_json(text);
    ASSERT_TRUE(search) << text;
    EXPECT_EQ(search_json(*search), text);
  }
  for (const char* other : {"", "{}", "die_area; tolerance 0.001", R"({"axes":[],"find":"best"})",
                            R"({"axes":["die_area"],"find":"worst"})",
                            R"({"axes":["die_area"],"find":"best","devices":1.5})"}) {
    EXPECT_FALSE(search_of_json(other)) << other;
  }
}

TEST(StoredRules, PeopleReadARuleInWords) {
  Keep keep;
  EXPECT_EQ(keep_text(keep), "all");
  keep = {KeepPolicy::best, 3, {"logic", "memory"}, Counts::bounded};
  EXPECT_EQ(keep_text(keep), "best 3 per logic, memory; counts bounded");
  keep = {KeepPolicy::frontier, 1, {}, Counts::exact};
  EXPECT_EQ(keep_text(keep), "frontier");
}

}  // namespace
}  // namespace scalesweep::space
