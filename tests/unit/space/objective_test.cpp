#include "space/objective.hpp"

#include <gtest/gtest.h>

namespace scalesweep::space {
namespace {

constexpr auto most = Direction::maximize;

TEST(Objectives, AnIdentityHasALineForEachWord) {
  EXPECT_EQ(objective_lines({{"a"}, {"b", most}, {"c"}}), "minimize: a, c\nmaximize: b\n");
  EXPECT_EQ(objective_lines({{"a"}}), "minimize: a\n");
}

TEST(Objectives, MoreOfWhatIsMaximisedIsLessToBeMinimised) {
  EXPECT_EQ(Objective{"a"}.to_minimize(2.0), 2.0);
  EXPECT_EQ((Objective{"a", most}.to_minimize(2.0)), -2.0);
}

TEST(Objectives, NoneTakesTheWorstForTheBest) {
  EXPECT_EQ(direction_problem({"step_time"}, "smaller"), "");
  EXPECT_EQ(direction_problem({"rate", most}, "larger"), "");
  EXPECT_EQ(direction_problem({"accelerators", most}, ""), "");
  EXPECT_EQ(direction_problem({"accelerators"}, ""), "");
  EXPECT_EQ(direction_problem({"step_time", most}, "smaller"),
            "'step_time' is better when it is smaller, and maximize would take the worst for the "
            "best; name it in minimize");
  EXPECT_EQ(direction_problem({"rate"}, "larger", "--"),
            "'rate' is better when it is larger, and --minimize would take the worst for the best; "
            "name it in --maximize");
}

}  // namespace
}  // namespace scalesweep::space
