// A training run in phases: what is read of them, and every mistake at its place.
#include "space/axes/phases.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <utility>
#include <vector>

#include "space/model_shape.hpp"
#include "space/space.hpp"
#include "unit/space/spec_reading.hpp"

namespace scalesweep::space {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view recipe = R"(schema = 1
title = "recipe"
[workload]
kind = "training"
model = "gpt3-175b"
tokens = ["1 T", "2 T"]
phases = [
  { name = "short", share = 0.25, sequence = 4096, global_batch = 64 },
  { name = "base", share = 0.7, sequence = 8192, global_batch = 64, document = 2048 },
  { name = "long", share = 0.05, sequence = 65536, global_batch = 4 },
]
[system]
accelerators = 8
device = "h100-sxm"
[strategy]
)";

std::string with(std::string_view from, std::string_view to) {
  return tests::with(recipe, from, to);
}

TEST(Phases, AreAnAxisInPlaceOfWhatTheySay) {
  const Spec spec = good(std::string(recipe));
  EXPECT_THAT(names_of(spec),
              ElementsAre("model", "phase", "accelerators", "precision", "attention", "framework",
                          "tokens", "device", "topology"));
  const Axis& axis = axis_of(spec, "phase");
  EXPECT_EQ(axis.kind, AxisKind::name);
  EXPECT_THAT(axis.labels, ElementsAre("short", "base", "long"));
  EXPECT_EQ(axis.positions[1].line, 9);
  ASSERT_EQ(spec.phases.size(), 3U);
  EXPECT_EQ(spec.phases[0].share, 0.25);
  EXPECT_EQ(spec.phases[1].sequence, 8192);
  EXPECT_EQ(spec.phases[1].document, 2048);
  EXPECT_EQ(spec.phases[2].global_batch, 4);
  EXPECT_FALSE(spec.phases[2].document);
  EXPECT_EQ(phases_text(spec.phases),
            "phase short: share 0.25, sequence 4096, global_batch 64\n"
            "phase base: share 0.7, sequence 8192, global_batch 64, document 2048\n"
            "phase long: share 0.05, sequence 65536, global_batch 4\n");
}

TEST(Phases, MayBeTablesOfTheirOwn) {
  const Spec spec = good(
      "schema = 1\ntitle = 'a'\n[workload]\nkind = 'training'\nmodel = 'gpt3-175b'\n"
      "tokens = '1 T'\nsequence = 4096\n[[workload.phases]]\nname = 'small'\nshare = 0.5\n"
      "global_batch = 8\n[[workload.phases]]\nname = 'large'\nshare = 0.5\nglobal_batch = 16\n"
      "[system]\naccelerators = 8\ndevice = 'h100-sxm'\n[strategy]\n");
  EXPECT_THAT(axis_of(spec, "phase").labels, ElementsAre("small", "large"));
}

// A ramp of the batch: what no phase says stays an axis.
TEST(Phases, LeaveAnAxisWhatNoneOfThemSays) {
  std::string text = with("sequence = 4096, ", "");
  text = tests::with(text, "sequence = 8192, ", "");
  text = tests::with(text, "sequence = 65536, ", "");
  const Spec spec = good(tests::with(text, "tokens =", "sequence = [2048, 4096]\ntokens ="));
  EXPECT_THAT(axis_of(spec, "sequence").labels, ElementsAre("2048", "4096"));
  EXPECT_FALSE(spec.phases[0].sequence);
  EXPECT_FALSE(find_axis(spec.axes, "global_batch"));
  EXPECT_THAT(refused(text), HasSubstr("a.toml:3:1: error: missing key 'sequence'; write for "
                                       "example sequence = 2048"));
}

TEST(Phases, TakeFromTheWorkloadWhatSomeOfThemSay) {
  const std::string text = with("sequence = 4096, ", "");
  const Spec spec =
      good(tests::with(text, "tokens =", "sequence = 2048\ndocument = 512\ntokens ="));
  EXPECT_FALSE(find_axis(spec.axes, "sequence"));
  EXPECT_FALSE(find_axis(spec.axes, "document"));
  EXPECT_EQ(spec.phases[0].sequence, 2048);
  EXPECT_EQ(spec.phases[1].sequence, 8192);
  EXPECT_EQ(spec.phases[0].document, 512);
  EXPECT_EQ(spec.phases[1].document, 2048);
  EXPECT_EQ(refused(text),
            "a.toml:8:3: error: phase 'short' has no sequence, and neither has [workload]; write "
            "it in one of them\n");
  EXPECT_EQ(refused(tests::with(text, "tokens =", "sequence = [2048, 4096]\ntokens =")),
            "a.toml:6:12: error: 'sequence' is one value where some phases have their own; write "
            "it in the phases\n");
  EXPECT_EQ(refused(tests::with(text, "tokens =", "sequence = 0\ntokens =")),
            "a.toml:6:12: error: sequence must be between 1 and 1,000,000,000, not 0\n");
}

TEST(Phases, HaveSharesThatSumToOne) {
  EXPECT_EQ(refused(with("share = 0.05", "share = 0.06")),
            "a.toml:7:10: error: the shares of the phases sum to 1.01, not to 1\n");
  EXPECT_EQ(refused(with("share = 0.05", "share = 0.05001")),
            "a.toml:7:10: error: the shares of the phases sum to 1.00001, not to 1\n");
  EXPECT_EQ(good(with("share = 0.05", "share = 0.0500005")).phases.size(), 3U);
  EXPECT_EQ(refused(with("share = 0.25", "share = 0")),
            "a.toml:8:29: error: share must be above 0 and below 1, not 0\n");
  EXPECT_EQ(refused(with("share = 0.25", "share = 1")),
            "a.toml:8:29: error: share must be above 0 and below 1, not 1\n");
  EXPECT_THAT(refused(with("share = 0.25", "share = '25 %'")), HasSubstr("a.toml:8:29: error: "));
}

TEST(Phases, AreNamedByFilters) {
  EXPECT_EQ(good(std::string(recipe) + "[[filter]]\nwhere = \"phase == 'long' or tp == 8\"\n")
                .filters.size(),
            1U);
  Diagnostics diagnostics;
  EXPECT_TRUE(read_spec(
      "a.toml", std::string(recipe) + "[[filter]]\nwhere = \"phase != 'longer'\"\n", diagnostics));
  EXPECT_THAT(diagnostics.text(), HasSubstr("longer"));
}

// Each phase has the strategies of a study that has its sequence and its batch.
TEST(Phases, HaveStrategiesOfTheirOwn) {
  workload::TransformerModel model;
  model.layers = 8;
  model.hidden = 1024;
  model.heads = 16;
  model.kv_heads = 16;
  model.ffn = 4096;
  const auto strategies = [&](const Spec& spec) {
    Diagnostics diagnostics;
    const auto space = Space::build(
        spec, [&](const std::string&) { return model; }, diagnostics);
    EXPECT_TRUE(space) << diagnostics.text();
    std::vector<std::vector<parallel::Strategy>> lists;
    for (PointId id = 0; id < space->size();) {
      const auto run = space->run_at(id);
      lists.emplace_back(run.strategies.begin(), run.strategies.end());
      id = run.ids.last;
    }
    return lists;
  };
  const std::string widths = "context_parallel = [1, 2]\n";
  const auto lists = strategies(good(with("[\"1 T\", \"2 T\"]", "'1 T'") + widths));
  ASSERT_EQ(lists.size(), 3U);
  const std::vector<std::pair<int, int>> shapes = {{4096, 64}, {8192, 64}, {65536, 4}};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::string text = fmt::format(
        "schema = 1\ntitle = 'a'\n[workload]\nkind = 'training'\nmodel = 'gpt3-175b'\n"
        "sequence = {}\nglobal_batch = {}\n[system]\naccelerators = 8\ndevice = 'h100-sxm'\n"
        "[strategy]\n{}",
        shapes[i].first, shapes[i].second, widths);
    EXPECT_EQ(lists[i], strategies(good(text)).front()) << i;
  }
  EXPECT_NE(lists[0].size(), lists[2].size());
}

}  // namespace
}  // namespace scalesweep::space
