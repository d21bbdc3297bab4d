// [prefill] and [decode]: what they say, and what does not go with them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "space/read/spec.hpp"

namespace scalesweep::space {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string spec_of(const std::string& pools, const std::string& workload = "",
                    const std::string& system =
                        "[system]\ndevice = \"h200-sxm\"\n"
                        "accelerators = 64\n") {
  return "schema = 1\ntitle = \"pools\"\n[workload]\nkind = \"serving\"\nmodel = \"deepseek-v3\"\n"
         "prompt = 4000\noutput = 500\n" +
         workload + system + pools;
}

std::optional<Spec> read(const std::string& text, Diagnostics& diagnostics) {
  return read_spec("pools.toml", text, diagnostics);
}

std::string message_of(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(read(text, diagnostics)) << text;
  return diagnostics.text();
}

const Axis& axis_of(const Spec& spec, const std::string& name) {
  return spec.axes.at(find_axis(spec.axes, name).value());
}

TEST(SpecPools, AreTwoSetsOfDevicesAndLayouts) {
  Diagnostics diagnostics;
  const auto spec = read(spec_of("[strategy]\npipeline_parallel = 1\ntensor_parallel = 8\n"
                                 "[prefill]\ndevice = [\"h100-sxm\", \"b200-sxm\"]\n"
                                 "accelerators = [16, 32]\ntensor_parallel = [1, 2]\n"
                                 "[decode]\ndevice = \"mi300x\"\naccelerators = 8\n"
                                 "tensor_parallel = 4\n",
                                 "", ""),
                         diagnostics);
  ASSERT_TRUE(spec) << diagnostics.text();
  EXPECT_THAT(axis_of(*spec, "prefill_device").labels, ElementsAre("h100-sxm", "b200-sxm"));
  EXPECT_THAT(axis_of(*spec, "prefill_accelerators").values, ElementsAre(16, 32));
  EXPECT_THAT(axis_of(*spec, "device").labels, ElementsAre("mi300x"));
  EXPECT_THAT(axis_of(*spec, "accelerators").values, ElementsAre(8));
  EXPECT_THAT(axis_of(*spec, "batching").labels, ElementsAre("disaggregated"));
  EXPECT_THAT(spec->strategy.tensor_parallel.values, ElementsAre(4));
  EXPECT_THAT(spec->strategy.pipeline_parallel.values, ElementsAre(1));
  ASSERT_TRUE(spec->prefill);
  EXPECT_THAT(spec->prefill->strategy.tensor_parallel.values, ElementsAre(1, 2));
  EXPECT_THAT(spec->prefill->strategy.pipeline_parallel.values, ElementsAre(1));
}

TEST(SpecPools, HaveDevicesOfExpertsWhereTokensAreDecoded) {
  Diagnostics diagnostics;
  const auto spec =
      read(spec_of("[prefill]\n[decode]\nexpert_devices = [\"none\", 16]\n"), diagnostics);
  ASSERT_TRUE(spec) << diagnostics.text();
  EXPECT_THAT(spec->strategy.expert_devices, ElementsAre(0, 16));
  EXPECT_THAT(spec->prefill->strategy.expert_devices, ElementsAre(0));
  const auto of_both = read(spec_of("[strategy]\nexpert_devices = 16\n[prefill]\n"), diagnostics);
  ASSERT_TRUE(of_both) << diagnostics.text();
  EXPECT_THAT(of_both->prefill->strategy.expert_devices, ElementsAre(0));
  EXPECT_THAT(message_of(spec_of("[prefill]\nexpert_devices = 16\n")),
              HasSubstr("error: devices of prompts have experts beside attention; leave "
                        "'expert_devices' out, or write it in [decode]"));
}

TEST(SpecPools, HaveNoLoadCurve) {
  EXPECT_EQ(message_of(spec_of("[prefill]\n", "load_curve = [0.5, 1]\n")),
            "pools.toml:8:14: error: a load curve does not go with [prefill], whose devices do not "
            "follow it; leave one of both out, or let some replicas process prompts: batching = "
            "\"disaggregated\" alone\n");
}

TEST(SpecPools, MayHaveTheDevicesOfTheSystem) {
  Diagnostics diagnostics;
  const auto spec = read(spec_of("[prefill]\n"), diagnostics);
  ASSERT_TRUE(spec) << diagnostics.text();
  EXPECT_TRUE(spec->prefill);
  EXPECT_FALSE(find_axis(spec->axes, "prefill_device"));
  EXPECT_FALSE(find_axis(spec->axes, "prefill_accelerators"));
  const auto without = read(spec_of(""), diagnostics);
  EXPECT_FALSE(without->prefill);
}

TEST(SpecPools, GoWithNothingElseThatSharesOutDevices) {
  EXPECT_THAT(
      message_of(spec_of("[prefill]\n", "batching = [\"chunked\", \"disaggregated\"]\n")),
      HasSubstr("pools.toml:8:13: error: with [prefill] prompts are processed on devices of "
                "their own: write batching = \"disaggregated\" alone"));
  EXPECT_THAT(message_of(spec_of("[prefill]\n",
                                 "batching = \"disaggregated\"\n"
                                 "prefill_share = 0.5\n")),
              HasSubstr("with [prefill] its 'accelerators' say how many devices process prompts"));
  EXPECT_THAT(message_of(spec_of("[decode]\ntensor_parallel = 8\n")),
              HasSubstr("[decode] is one of two pools; write [prefill] for the other one"));
  EXPECT_THAT(message_of(spec_of("[prefill]\n[decode]\naccelerators = 8\n")),
              HasSubstr("'accelerators' stands in [system] and in [decode]"));
  EXPECT_THAT(message_of(spec_of("[prefill]\nchunks = 2\n")), HasSubstr("unknown key 'chunks'"));
  EXPECT_THAT(message_of(spec_of("[prefill]\naccelerators = 0\n")),
              HasSubstr("prefill_accelerators must be between 1 and"));
  EXPECT_THAT(message_of(spec_of("[prefill]\n[decode]\ndevice = { template = \"x\" }\n", "",
                                 "[system]\naccelerators = 8\n")),
              HasSubstr("[decode] names catalogued devices; derive one in [system]"));
}

TEST(SpecPools, AreOfServing) {
  const std::string text =
      "schema = 1\ntitle = \"t\"\n[workload]\nkind = \"training\"\nmodel = \"gpt3-175b\"\n"
      "sequence = 2048\nglobal_batch = 64\n[system]\ndevice = \"h100-sxm\"\naccelerators = 8\n"
      "[prefill]\naccelerators = 8\n";
  const std::string message = message_of(text);
  EXPECT_THAT(message, HasSubstr("pools.toml:11:1: error: [prefill] goes with kind = \"serving\", "
                                 "not \"training\"; leave it out"));
  EXPECT_EQ(message.find("error"), message.rfind("error")) << message;
}

}  // namespace
}  // namespace scalesweep::space
