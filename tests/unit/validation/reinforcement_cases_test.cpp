#include "validation/kinds/reinforcement_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "core/documents/csv_table.hpp"
#include "support/shipped_catalog.hpp"
#include "validation/cases/case_file.hpp"
#include "workload/framework.hpp"

namespace scalesweep::validation {
namespace {

using testing::HasSubstr;

using test::shipped_catalog;

const std::string header =
    "case,device,gpus,rollout_gpus,staleness,framework,rollout_framework,model,critic,prompts,"
    "samples,prompt,output,updates,zero,iteration_s\n";

CaseFile evaluated(const std::string& rows, Diagnostics& diagnostics) {
  return evaluate_file("cases.csv", header + rows, shipped_catalog(), "", diagnostics).value();
}

TEST(ReinforcementCases, AreToldByTheirPrompts) {
  Diagnostics diagnostics;
  const CaseFile cases = evaluated(
      "a,h100-sxm,16,,,,,llama-3-8b,,64,4,512,512,,,20\n"
      "b,h100-sxm,16,8,1,verl,sglang,llama-3-8b,llama-3-8b,64,4,512,512,2,,20\n",
      diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  EXPECT_EQ(cases.kind->name, "reinforcement_learning");
  EXPECT_EQ(cases.kind->value_column, "iteration_s");
  const CaseRow& row = cases.rows.front();
  EXPECT_EQ(row.shape, "llama-3-8b");
  EXPECT_EQ(row.framework, "fsdp, " + test::shipped_catalog().framework("vllm").name);
  EXPECT_EQ(row.lengths, "512+512");
  EXPECT_EQ(row.tokens, 64.0 * 4.0 * 512.0);
  EXPECT_EQ(row.measured, 20.0);
  ASSERT_TRUE(row.predicted.value);
  EXPECT_GT(*row.predicted.value, 0.0);
  EXPECT_EQ(cases.rows[1].framework, "verl, " + test::shipped_catalog().framework("sglang").name);
}

std::optional<ReinforcementCase> read(const std::string& row, std::string& messages) {
  Diagnostics diagnostics;
  const CsvTable table = CsvTable::parse("cases.csv", header + row, diagnostics).value();
  RowReader reader(table, 0, shipped_catalog(), diagnostics);
  Systems systems(shipped_catalog());
  auto found = read_reinforcement_case(reader, {shipped_catalog(), systems, ""});
  messages = diagnostics.text();
  return found;
}

TEST(ReinforcementCases, RolloutsHaveDevicesOfTheirOwnWhereTheyAreSaid) {
  std::string messages;
  const auto own = read("a,h100-sxm,16,12,4,,,llama-3-8b,,64,4,512,512,,,20\n", messages);
  ASSERT_TRUE(own) << messages;
  EXPECT_TRUE(own->job.is_separate());
  EXPECT_EQ(own->trainers, 4);
  EXPECT_EQ(own->job.staleness, 4);
  const auto shared = read("a,h100-sxm,16,,,,,llama-3-8b,,64,4,512,512,,,20\n", messages);
  ASSERT_TRUE(shared) << messages;
  EXPECT_FALSE(shared->job.is_separate());
  EXPECT_EQ(shared->trainers, 16);
}

// Devices that do not divide the sequences of an update are dealt one more each.
TEST(ReinforcementCases, DealUnevenUpdatesOut) {
  std::string messages;
  const auto c = read("a,h100-sxm,24,,,,,llama-3-8b,,64,4,512,512,,,20\n", messages);
  ASSERT_TRUE(c) << messages;
  EXPECT_GT(best_of(*c).iteration_s(), 0.0);
}

TEST(ReinforcementCases, ARowSaysWhatIsWrong) {
  const auto of = [](const std::string& row) {
    std::string messages;
    read(row, messages);
    return messages;
  };
  EXPECT_THAT(of("a,h100-sxm,16,,,,,llama-9,,64,4,512,512,,,1\n"), HasSubstr("llama-9"));
  EXPECT_THAT(of("a,h100-sxm,16,,,,,llama-3-8b,,64,4,512,512,3,,1\n"),
              HasSubstr("3 updates do not share 256 samples evenly"));
  EXPECT_THAT(of("a,h100-sxm,16,,2,,,llama-3-8b,,64,4,512,512,,,1\n"),
              HasSubstr("goes with rollout_gpus"));
  EXPECT_THAT(of("a,h100-sxm,16,16,,,,llama-3-8b,,64,4,512,512,,,1\n"),
              HasSubstr("no devices are left that train"));
  EXPECT_THAT(of("a,h100-sxm,16,,,,fsdp,llama-3-8b,,64,4,512,512,,,1\n"),
              HasSubstr("nobody says how 'fsdp' serves requests"));
  EXPECT_THAT(of("a,h100-sxm,16,,,vllm-2023,,llama-3-8b,,64,4,512,512,,,1\n"),
              HasSubstr("nobody says how 'vllm-2023' trains"));
}

}  // namespace
}  // namespace scalesweep::validation
