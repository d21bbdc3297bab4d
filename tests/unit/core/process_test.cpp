#include "core/host/process.hpp"

#include <gtest/gtest.h>

namespace scalesweep {
namespace {

TEST(Process, GivesBothStreamsAndTheStatus) {
  std::vector<std::string> lines;
  const ProcessResult done =
      run_process({"sh", "-c", "echo out; echo one >&2; echo two >&2; exit 7"},
                  [&lines](const std::string& line) { lines.push_back(line); });
  EXPECT_TRUE(done.started);
  EXPECT_EQ(done.status, 7);
  EXPECT_EQ(done.output, "out\n");
  EXPECT_EQ(done.errors, "one\ntwo\n");
  EXPECT_EQ(lines, (std::vector<std::string>{"one", "two"}));
}

// More than a pipe holds on either stream, one after the other.
TEST(Process, NeitherStreamFillsUp) {
  const ProcessResult done =
      run_process({"sh", "-c", "head -c 300000 /dev/zero >&2; head -c 400000 /dev/zero; exit 0"});
  EXPECT_EQ(done.status, 0);
  EXPECT_EQ(done.errors.size(), 300000U);
  EXPECT_EQ(done.output.size(), 400000U);
}

TEST(Process, SaysWhatDidNotStartOrDied) {
  EXPECT_FALSE(run_process({"/no/such/program"}).started);
  EXPECT_EQ(run_process({"sh", "-c", "kill -9 $$"}).status, -1);
}

}  // namespace
}  // namespace scalesweep
