// Explanations of batches of diffusion models, and what is not drawn of them.
#include <nlohmann/json.hpp>

#include "cli_fixture.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;

std::string video_spec() {
  return R"(schema = 1
title = "Video"
[workload]
kind = "diffusion"
diffusion_model = "wan-2.1-t2v-14b"
batch = 1
width = 832
height = 480
frames = 81
denoising_steps = 30
[system]
accelerators = 8
device = "h100-sxm"
[strategy]
tensor_parallel = 2
context_parallel = 2
context_exchange = "all_to_all"
)";
}

class ExplainDiffusion : public CliTest {
 protected:
  std::string explain(const std::string& format) const {
    const Said said = scalesweep(
        {"explain", write("spec.toml", video_spec()), "--point", "0", "--format", format});
    EXPECT_EQ(said.code, 0) << said.err;
    return said.out;
  }
};

double value_of(const json& sheet, const std::string& name) {
  for (const json& row : sheet) {
    if (row.at("name") == name) {
      return row.at("value");
    }
  }
  return 0.0;
}

double sum_of(const json& sheet) {
  double sum = 0.0;
  for (const json& row : sheet) {
    sum += row.at("time").get<double>();
  }
  return sum;
}

TEST_F(ExplainDiffusion, TextHasAllSheets) {
  const std::string text = explain("text");
  for (const char* word :
       {"Point 0 of Video",          "images_per_second",
        "denoising_steps",           "attended_tokens",
        "energy_per_image",          "Time of a batch by the resource that set it",
        "Time of a batch by phase",  "Terms, each alone",
        "text encoder, once",        "linear layers, a step",
        "attention, a step",         "pointwise, a step",
        "tensor reduction, a step",  "context exchange, a step",
        "guidance exchange, a step", "decoder, once",
        "Memory of a device",        "transformer",
        "encoders and decoder",      "Device and networks"}) {
    EXPECT_TRUE(contains(text, word)) << word << "\n" << text;
  }
}

TEST_F(ExplainDiffusion, PartsSumToTheBatch) {
  const json sheets = json::parse(explain("json"));
  const double time_s = value_of(sheets.at("result"), "batch_time");
  EXPECT_GT(time_s, 0.0);
  EXPECT_NEAR(sum_of(sheets.at("resources")), time_s, 1e-9 * time_s);
  EXPECT_NEAR(sum_of(sheets.at("phases")), time_s, 1e-9 * time_s);
  EXPECT_EQ(value_of(sheets.at("result"), "denoising_steps"), 30.0);
  EXPECT_LT(30.0 * value_of(sheets.at("result"), "step_time"), time_s);
}

TEST_F(ExplainDiffusion, CsvIsTheTerms) {
  EXPECT_EQ(explain("csv").substr(0, 18), "name,alone_s,bound");
}

TEST_F(ExplainDiffusion, SaysWhatADeviceLacks) {
  const std::string large = replaced(replaced(video_spec(), "width = 832", "width = 60000"),
                                     "height = 480", "height = 60000");
  const Said said = scalesweep({"explain", write("spec.toml", large), "--point", "0"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "does_not_fit: a device lacks ")) << said.out;
}

TEST_F(ExplainDiffusion, IsNotDrawn) {
  const Said said = scalesweep(
      {"explain", write("spec.toml", video_spec()), "--point", "0", "--trace", path("a.json")});
  EXPECT_EQ(said.code, 64) << said.out;
  EXPECT_TRUE(contains(said.err, "--trace: points of kind = \"diffusion\" are not drawn"))
      << said.err;
}

TEST_F(ExplainDiffusion, TrainingHasItsTerms) {
  std::string spec = replaced(replaced(video_spec(), "denoising_steps = 30", "work = \"training\""),
                              "batch = 1", "batch = 2");
  const std::string strategy = "[strategy]\n";
  spec = spec.substr(0, spec.find(strategy)) + strategy +
         "tensor_parallel = 2\ncontext_parallel = 2\ncontext_exchange = \"ring\"\nzero = 3\n"
         "recompute = \"full\"\nmicro_batch = 1\n";
  const std::string file = write("spec.toml", spec);
  const Said text = scalesweep({"explain", file, "--point", "0"});
  EXPECT_EQ(text.code, 0) << text.err;
  for (const char* word :
       {"text encoder, a micro-batch", "latent encoder, a micro-batch",
        "linear layers forward, a micro-batch", "linear layers backward, a micro-batch",
        "attention backward, a micro-batch", "pointwise backward, a micro-batch",
        "tensor reduction, a pass of a micro-batch", "context exchange backward, a micro-batch",
        "sharded weights beside the passes of a micro-batch", "replica_exchange", "recompute",
        "optimizer", "averaged weights", "frozen encoders", "gradients"}) {
    EXPECT_TRUE(contains(text.out, word)) << word << "\n" << text.out;
  }
  const Said said = scalesweep({"explain", file, "--point", "0", "--format", "json"});
  const json sheets = json::parse(said.out);
  const double time_s = value_of(sheets.at("result"), "batch_time");
  EXPECT_NEAR(sum_of(sheets.at("phases")), time_s, 1e-9 * time_s);
  EXPECT_NEAR(sum_of(sheets.at("resources")), time_s, 1e-9 * time_s);
}

}  // namespace
}  // namespace scalesweep::test
