// Sequences and requests longer than the context of their model: one rule for all kinds.
#include <gmock/gmock.h>

#include "unit/study/study_fixture.hpp"

namespace scalesweep::study {
namespace {

using testing::HasSubstr;

std::string spec_of(const std::string& workload, const std::string& strategy = "zero = 1\n") {
  return "schema = 1\ntitle = \"Contexts\"\n[workload]\n" + workload +
         "[system]\naccelerators = 16\ndevice = \"h100-sxm\"\n[strategy]\ntensor_parallel = 8\n" +
         strategy;
}

std::string training(const std::string& model, const std::string& lengths) {
  return spec_of("kind = \"training\"\nglobal_batch = 32\nmodel = " + model + "\n" + lengths +
                 "\n");
}

std::string inference(const std::string& model, const std::string& lengths) {
  return spec_of("kind = \"inference\"\nbatch = 1\nmodel = " + model + "\n" + lengths + "\n", "");
}

std::string reinforcement(const std::string& model, const std::string& lengths) {
  return spec_of("kind = \"reinforcement_learning\"\nprompts = 64\nsamples = 4\nmodel = " + model +
                     "\n" + lengths + "\n",
                 "zero = 3\n");
}

std::string said(const std::string& spec) {
  return test::load_text(spec).messages;
}

const std::string goes_on = " tokens; estimates go on as if it had more (within it: ";

TEST(Contexts, AreAWarningOfEveryKindAtTheKeyThatIsTooLarge) {
  const std::string model = "\"llama-2-7b\"";
  EXPECT_EQ(said(training(model, "sequence = [4096, 16384]")),
            "spec.toml:7:19: warning: a sequence of 16384 tokens is more than the context of "
            "llama-2-7b, 4096" +
                goes_on + "sequence = 4096 or less)\n");
  EXPECT_EQ(said(inference(model, "prompt = 200\noutput = 4000")),
            "spec.toml:8:10: warning: a prompt of 200 and an output of 4000 tokens are more than "
            "the context of llama-2-7b, 4096" +
                goes_on + "output = 3896 or less)\n");
  EXPECT_EQ(said(reinforcement(model, "prompt = 500000\noutput = 1000")),
            "spec.toml:8:10: warning: a prompt of 500000 and an output of 1000 tokens are more "
            "than the context of llama-2-7b, 4096" +
                goes_on + "prompt = 3096 or less)\n")
      << "the prompt is what is too long";
  EXPECT_EQ(said(reinforcement(model, "prompt = 512\noutput = 1000\nmost_output = 9000")),
            "spec.toml:10:15: warning: a prompt of 512 and an output of 9000 tokens are more than "
            "the context of llama-2-7b, 4096" +
                goes_on + "most_output = 3584 or less)\n");
  EXPECT_THAT(said(inference(model, "prompt = 5000\noutput = 6000")),
              HasSubstr("(within it: a lower prompt and a lower output)"));
}

TEST(Contexts, OfTrainedWeightsWithLearnedPositionsAreAnError) {
  const std::string model = "\"gpt3-175b\"";
  const std::string none_left =
      " tokens, whose positions are learned: it has no others; write output = 1848 or less";
  EXPECT_THAT(said(inference(model, "prompt = 200\noutput = 4000")),
              HasSubstr("error: a prompt of 200 and an output of 4000 tokens are more than the "
                        "context of gpt3-175b, 2048" +
                        none_left));
  EXPECT_THAT(said(reinforcement(model, "prompt = 200\noutput = 4000")), HasSubstr(none_left));
  EXPECT_THAT(said(training(model, "sequence = 8192")),
              HasSubstr("warning: a sequence of 8192 tokens is more than the context of gpt3-175b"))
      << "training makes the positions that it needs";
}

TEST(Contexts, OfWhatGoesTogetherAndOfDocumentsAreAskedAsTheyAre) {
  const std::string together = "[[together]]\naxes = [\"model\", \"sequence\"]\n";
  const std::string models = "[\"llama-2-7b\", \"mixtral-8x7b\"]";
  EXPECT_EQ(said(training(models, "sequence = [4096, 32768]") + together), "");
  EXPECT_THAT(said(training(models, "sequence = [32768, 4096]") + together),
              HasSubstr("a sequence of 32768 tokens is more than the context of llama-2-7b"));
  EXPECT_EQ(said(training("\"llama-2-7b\"", "sequence = 16384\ndocument = 2048")), "")
      << "positions begin anew";
}

TEST(Contexts, OfModelsAreThoseThatTheirReleasesHave) {
  for (const char* model : {"llama-3.1-8b", "llama-3.1-70b", "llama-3.3-70b", "llama-3.1-405b"}) {
    const std::string quoted = std::string("\"") + model + "\"";
    EXPECT_EQ(said(training(quoted, "sequence = 131072")), "") << model;
  }
  EXPECT_THAT(said(training("\"llama-3-8b\"", "sequence = 131072")),
              HasSubstr("the context of llama-3-8b, 8192 tokens"));
  EXPECT_EQ(said(training("\"qwen3-8b\"", "sequence = 40960")), "");
}

TEST(Specs, AStudyThatHasRunIsNoSpec) {
  EXPECT_EQ(said("\x89HDF\r\n\x1a\n and more"),
            "spec.toml: error: is a study that has run (HDF5) and no spec; 'scalesweep analyze "
            "spec.toml' reads it, a spec is the .toml file that it was made from\n");
}

}  // namespace
}  // namespace scalesweep::study
