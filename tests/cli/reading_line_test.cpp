#include "cli/output/reading_line.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

namespace scalesweep::cli {
namespace {

class ReadingLines : public ::testing::Test {
 protected:
  std::string shown() {
    std::string text = err_.str();
    err_.str("");
    return text;
  }
  std::ostringstream err_;
  double now_s_ = 100.0;
  ReadingLine line_{err_, true, [this] { return now_s_; }, [] { return std::size_t{30}; }};
};

TEST_F(ReadingLines, ComeAfterASecondAndAreRewrittenFiveTimesASecond) {
  const auto progress = line_.progress();
  now_s_ = 100.9;
  progress("choosing rows", 0.1);
  EXPECT_EQ(shown(), "");
  now_s_ = 101.1;
  progress("choosing rows", 0.126);
  EXPECT_EQ(shown(), "\rchoosing rows 12 %");
  now_s_ = 101.2;
  progress("choosing rows", 0.15);
  EXPECT_EQ(shown(), "");
  now_s_ = 101.4;
  progress("rows", 0.25);  // wipes what was longer
  EXPECT_EQ(shown(), "\rrows 25 %         ");
}

TEST_F(ReadingLines, AreWipedAtTheEnd) {
  const auto progress = line_.progress();
  now_s_ = 102.0;
  progress("choosing rows", 0.5);
  shown();
  line_.end();
  EXPECT_EQ(shown(), "\r" + std::string(18, ' ') + "\r");
  now_s_ = 103.0;
  progress("choosing rows", 0.9);
  line_.end();
  EXPECT_EQ(shown(), "");
}

TEST_F(ReadingLines, LeaveTheLastColumnFree) {
  now_s_ = 102.0;
  line_.progress()("a pass that has a very long name", 0.5);
  EXPECT_EQ(shown(), "\ra pass that has a very long n");
}

TEST(ReadingLine, IsNotThereWhereNobodyWatches) {
  std::ostringstream err;
  ReadingLine line(
      err, false, [] { return 0.0; }, [] { return std::size_t{80}; });
  EXPECT_FALSE(line.progress());
  line.end();
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace scalesweep::cli
