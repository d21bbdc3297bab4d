#include "space/read/spec_precision.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "space/read/spec.hpp"
#include "support/specs.hpp"

namespace scalesweep::space {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string spec_with(const std::string& precision) {
  return tests::with(tests::catalogued_spec, "global_batch = 64",
                     "global_batch = 64\nprecision = " + precision);
}

std::string refused(const std::string& precision) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read_spec("a.toml", spec_with(precision), diagnostics)) << precision;
  return diagnostics.text();
}

TEST(SpecPrecision, is_a_name_or_a_table_with_one) {
  Diagnostics diagnostics;
  const auto spec = read_spec(
      "a.toml",
      spec_with("['bf16', { name = 'lean', linear = 'fp8', gradient_compression = 0.25 }]"),
      diagnostics);
  ASSERT_TRUE(spec) << diagnostics.text();
  EXPECT_THAT(spec->axes[*find_axis(spec->axes, "precision")].labels, ElementsAre("bf16", "lean"));
  ASSERT_EQ(spec->precisions.size(), 1U);
  const PrecisionTable& lean = spec->precisions.front();
  EXPECT_EQ(lean.name, "lean");
  EXPECT_EQ(lean.gradient_compression, 0.25);
  ASSERT_EQ(lean.formats.size(), 1U);
  EXPECT_EQ(lean.formats.front().tensors, "linear");
  EXPECT_EQ(lean.formats.front().format, "fp8");
  EXPECT_EQ(lean.formats.front().position.line, 8);
}

TEST(SpecPrecision, a_table_may_say_how_operands_are_scaled) {
  Diagnostics diagnostics;
  const auto spec = read_spec(
      "a.toml", spec_with("{ name = 'mine', linear = 'fp8', recipe = 'block' }"), diagnostics);
  ASSERT_TRUE(spec) << diagnostics.text();
  EXPECT_EQ(spec->precisions.front().recipe, "block");
  EXPECT_EQ(spec->precisions.front().recipe_position.line, 8);
  EXPECT_EQ(spec->precisions.front().formats.size(), 1U) << "no class of tensors";
}

TEST(SpecPrecision, every_class_of_tensors_has_a_key) {
  std::string table = "{ name = 'all'";
  for (const std::string& key : precision_classes()) {
    table += ", " + key + " = 'bf16'";
  }
  Diagnostics diagnostics;
  const auto spec = read_spec("a.toml", spec_with(table + " }"), diagnostics);
  ASSERT_TRUE(spec) << diagnostics.text();
  EXPECT_EQ(spec->precisions.front().formats.size(), 7U);
  EXPECT_EQ(spec->precisions.front().gradient_compression, 1.0);
}

TEST(SpecPrecision, mistakes) {
  EXPECT_THAT(refused("{ linear = 'fp8' }"),
              HasSubstr("a.toml:8:13: error: this precision needs a name, for example { name = "
                        "\"lean\", linear = \"fp8\", moments = \"bf16\" }"));
  EXPECT_THAT(refused("[]"), HasSubstr("'precision' is an empty axis"));
  EXPECT_THAT(refused("['fp8', { name = 'fp8' }]"),
              HasSubstr("a.toml:8:21: error: 'fp8' stands twice on the axis precision"));
  EXPECT_THAT(refused("{ name = 'a', gradient_compression = 0 }"),
              HasSubstr("gradient_compression must be above 0 and at most 1, not 0"));
  EXPECT_THAT(refused("{ name = 'a', gradient_compression = 2 }"),
              HasSubstr("gradient_compression must be above 0 and at most 1, not 2"));
  EXPECT_THAT(refused("{ name = 'a', moment = 'bf16' }"),
              HasSubstr("unknown key 'moment' in [workload.precision]; did you mean 'moments'?"));
  EXPECT_THAT(refused("{ name = 'a', linear = 8 }"), HasSubstr("must be a string"));
  EXPECT_THAT(refused("8"), HasSubstr("must be a string"));
}

}  // namespace
}  // namespace scalesweep::space
