// Models of rows: experts, heads and windows that a shape says in columns.
#include "validation/cases/model_shape.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shipped_catalog.hpp"

namespace scalesweep::validation {
namespace {

using testing::HasSubstr;
using workload::TransformerModel;

struct Read {
  TransformerModel model;
  std::string mistakes;
};

Read read(const std::string& columns, const std::string& cells) {
  Diagnostics diagnostics;
  const auto table = CsvTable::parse("f.csv", columns + "\n" + cells + "\n", diagnostics);
  Systems systems(test::shipped_catalog());
  const CaseDefaults defaults{test::shipped_catalog(), systems, ""};
  RowReader row(*table, 0, test::shipped_catalog(), diagnostics);
  Read result;
  result.model = read_model(row, defaults, {4096, true});
  result.mistakes = diagnostics.text();
  return result;
}

// 1,024 wide, 24 layers, 16 heads, with these further cells.
Read shape(const std::string& columns, const std::string& cells) {
  return read("case,hidden,layers,heads,vocab," + columns, "a,1024,24,16,32000," + cells);
}

TEST(ModelShape, SaysExperts) {
  const Read found = shape(
      "ffn,gated_ffn,experts,experts_per_token,expert_ffn,shared_expert_ffn,dense_layers,"
      "expert_every",
      "4096,true,64,6,512,1024,1,2");
  EXPECT_EQ(found.mistakes, "");
  const workload::Experts& experts = found.model.experts;
  EXPECT_EQ(experts.count, 64);
  EXPECT_EQ(experts.top_k, 6);
  EXPECT_EQ(experts.ffn, 512);
  EXPECT_EQ(experts.shared_ffn, 1024);
  EXPECT_EQ(experts.dense_layers, 1);
  EXPECT_EQ(experts.every, 2);
  EXPECT_EQ(found.model.max_positions, 4096);
  EXPECT_FALSE(found.model.biases) << "no GPT";
}

// The columns of a catalogued model give that model, to the parameter.
TEST(ModelShape, OfACataloguedModelIsThatModel) {
  const TransformerModel known = test::shipped_catalog().model("mixtral-8x7b");
  const Read found =
      read("case,hidden,layers,heads,kv_heads,ffn,gated_ffn,vocab,experts,experts_per_token",
           "a,4096,32,32,8,14336,true,32000,8,2");
  EXPECT_EQ(found.mistakes, "");
  EXPECT_EQ(found.model.parameters(), known.parameters());
  EXPECT_EQ(found.model.active_parameters(), known.active_parameters());
}

TEST(ModelShape, LeavesExpertsAndWindowsOutWhereNothingSaysThem) {
  const Read found = shape("experts,sliding_window,head_dim", ",,");
  EXPECT_EQ(found.mistakes, "");
  EXPECT_FALSE(found.model.experts.on());
  EXPECT_FALSE(found.model.local.on());
  EXPECT_EQ(found.model.head_dim, 64);
  EXPECT_TRUE(found.model.biases);
}

TEST(ModelShape, SaysTheWidthOfHeadsAndWindows) {
  EXPECT_EQ(shape("head_dim", "128").model.head_dim, 128);
  EXPECT_EQ(shape("sliding_window", "512").model.local.layers, 24) << "all of them";
  const Read some = shape("sliding_window,sliding_layers", "512,20");
  EXPECT_EQ(some.mistakes, "");
  EXPECT_EQ(some.model.local.window, 512);
  EXPECT_EQ(some.model.local.layers, 20);
}

TEST(ModelShape, MistakesAreToldWhereTheyAre) {
  const auto mistakes = [](const std::string& columns, const std::string& cells) {
    return shape(columns, cells).mistakes;
  };
  EXPECT_THAT(mistakes("experts", "8"),
              HasSubstr("experts_per_token: is required: a whole number of at least 1"));
  EXPECT_THAT(mistakes("experts,experts_per_token", "8,9"),
              HasSubstr("f.csv:2:7: error: experts_per_token: a token cannot go to 9 of 8 experts; "
                        "write at most 8"));
  EXPECT_THAT(mistakes("experts,experts_per_token,dense_layers", "8,2,24"),
              HasSubstr("dense_layers: 24 of 24 layers leave none with experts; write less"));
  EXPECT_THAT(mistakes("expert_ffn", "512"),
              HasSubstr("expert_ffn: is of models with experts; write their number in the column "
                        "experts, or leave this cell empty"));
  EXPECT_THAT(mistakes("sliding_layers", "2"),
              HasSubstr("sliding_layers: needs the tokens of their window in the column "
                        "sliding_window"));
  EXPECT_THAT(mistakes("sliding_window,sliding_layers", "512,25"),
              HasSubstr("sliding_layers: the model has 24 layers, not 25"));
  EXPECT_THAT(mistakes("head_dim", "0"),
              HasSubstr("head_dim: '0' is not a whole number of at least 1"));
  EXPECT_THAT(mistakes("experts", "many"), HasSubstr("'many' is not a whole number"));
}

TEST(ModelShape, BesideANameHasToAgreeWithIt) {
  const auto named = [](const std::string& columns, const std::string& cells) {
    return read("case,model," + columns, "a,mixtral-8x7b," + cells);
  };
  EXPECT_EQ(named("experts,experts_per_token,head_dim", "8,2,128").mistakes, "");
  EXPECT_EQ(named("layers,experts", "4,8").model.layers, 4);
  EXPECT_THAT(named("experts", "16").mistakes,
              HasSubstr("experts: mixtral-8x7b of the catalog has 8, not 16; leave the cell empty, "
                        "or leave model empty and write the shape in its columns"));
  EXPECT_THAT(named("sliding_window", "4096").mistakes,
              HasSubstr("sliding_window: mixtral-8x7b of the catalog has 0, not 4096"));
}

}  // namespace
}  // namespace scalesweep::validation
