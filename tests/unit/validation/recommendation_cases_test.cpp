#include "validation/kinds/recommendation_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shipped_catalog.hpp"
#include "validation/cases/case_file.hpp"

namespace scalesweep::validation {
namespace {

using testing::HasSubstr;

using test::shipped_catalog;

const std::string header =
    "case,device,gpus,framework,recommender,work,batch,table_sharding,samples_per_s\n";

CaseFile evaluated(const std::string& rows, Diagnostics& diagnostics) {
  return evaluate_file("cases.csv", header + rows, shipped_catalog(), "", diagnostics).value();
}

TEST(RecommendationCases, AreToldByTheirModel) {
  Diagnostics diagnostics;
  const CaseFile cases = evaluated("a,h100-sxm,8,,dcnv2,,65536,mixed,1e7\n", diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  EXPECT_EQ(cases.kind, &recommendation_cases());
  EXPECT_EQ(cases.kind->value_column, "samples_per_s");
  const CaseRow& row = cases.rows.front();
  EXPECT_EQ(row.shape, "dlrm-dcnv2");
  EXPECT_EQ(row.framework, "hugectr");
  EXPECT_EQ(row.op, "training");
  EXPECT_TRUE(row.is_rate);
  ASSERT_TRUE(row.predicted.value);
  EXPECT_GT(*row.predicted.value, 0.0);
}

TEST(RecommendationCases, ARowSaysWhatIsWrong) {
  const auto messages = [](const std::string& row) {
    Diagnostics diagnostics;
    (void)evaluated(row, diagnostics);
    return diagnostics.text();
  };
  EXPECT_THAT(messages("a,h100-sxm,8,,dcnv3,,65536,mixed,1\n"), HasSubstr("cases.csv:2:5"));
  EXPECT_THAT(messages("a,h100-sxm,8,vllm-2023,dcnv2,,65536,mixed,1\n"),
              HasSubstr("nobody says how 'vllm-2023' runs models with embedding tables"));
  EXPECT_THAT(messages("a,h100-sxm,7,,dcnv2,,65536,mixed,1\n"),
              HasSubstr("65536 samples are no multiple of gpus (7)"));
  EXPECT_THAT(messages("a,h100-sxm,8,,dcnv2,,65536,rows,1\n"), HasSubstr("table_sharding"));
}

}  // namespace
}  // namespace scalesweep::validation
