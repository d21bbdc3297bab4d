// What the environment of mpirun and srun tells.
#include "cli/launch/launch.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <map>
#include <optional>
#include <string>

#include "cli_fixture.hpp"

namespace scalesweep::cli {
namespace {

const std::vector<const char*> variables = {
    "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
    "SLURM_PROCID",         "SLURM_STEP_NUM_TASKS"};

// Sets these variables and no other of them, until it goes.
class Environment {
 public:
  explicit Environment(const std::map<std::string, std::string>& values) {
    for (const char* variable : variables) {
      const char* old = getenv(variable);
      before_[variable] = old ? std::optional<std::string>(old) : std::nullopt;
      unsetenv(variable);
    }
    for (const auto& [variable, value] : values) {
      setenv(variable.c_str(), value.c_str(), 1);
    }
  }
  ~Environment() {
    for (const auto& [variable, value] : before_) {
      value ? setenv(variable.c_str(), value->c_str(), 1) : unsetenv(variable.c_str());
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::map<std::string, std::optional<std::string>> before_;
};

TEST(Launch, PlainlyStartedIsRankZero) {
  const Environment environment(std::map<std::string, std::string>{});
  EXPECT_FALSE(was_launched());
  EXPECT_EQ(launched_rank(), 0);
}

TEST(Launch, RanksAreKnownFromEachLauncher) {
  const std::vector<std::map<std::string, std::string>> launchers = {
      {{"OMPI_COMM_WORLD_RANK", "3"}, {"OMPI_COMM_WORLD_SIZE", "4"}},
      {{"PMIX_RANK", "3"}},
      {{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}},
      {{"SLURM_PROCID", "3"}, {"SLURM_STEP_NUM_TASKS", "4"}}};
  for (const auto& launcher : launchers) {
    const Environment environment(launcher);
    EXPECT_TRUE(was_launched()) << launcher.begin()->first;
    EXPECT_EQ(launched_rank(), 3) << launcher.begin()->first;
  }
}

TEST(Launch, BatchScriptIsNotAJobStep) {
  const Environment environment(std::map<std::string, std::string>{{"SLURM_PROCID", "0"}});
  EXPECT_FALSE(was_launched());
}

TEST(Launch, OtherRanksAreSilent) {
  const Environment environment({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"}});
  const test::Said said = test::scalesweep({"rnu"});
  EXPECT_EQ(said.code, 64);
  EXPECT_EQ(said.err, "");
}

}  // namespace
}  // namespace scalesweep::cli
