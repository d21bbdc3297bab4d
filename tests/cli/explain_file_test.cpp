// Explanations out of a finished file alone.
#include <gtest/gtest.h>

#include "cli_fixture.hpp"
#include "store/read/reader.hpp"
#include "support/edit_study.hpp"
#include "support/specs.hpp"

namespace scalesweep::test {
namespace {

namespace fs = std::filesystem;

// A file of an objective, so that few rows are kept.
const std::string best_of_many = "[keep]\npolicy = \"best\"\n";

class ExplainFile : public CliTest {
 protected:
  // Without the folder of the catalog, unless one is given.
  Said explain(const std::string& study, const std::vector<std::string>& rest,
               const std::string& catalog = "/no/such/folder") const {
    std::vector<std::string> arguments = {"explain", study};
    arguments.insert(arguments.end(), rest.begin(), rest.end());
    if (is_file(study)) {
      arguments.insert(arguments.end(), {"--catalog", catalog});
    }
    return scalesweep(arguments);
  }

  // What the spec says is what the file says when the spec is gone.
  void expect_same(const std::string& text, const std::vector<std::string>& rest) const {
    const std::string spec = write("spec.toml", text);
    fs::remove(path("out.h5"));
    const Said run = scalesweep({"run", spec, "-o", path("out.h5"), "--quiet"});
    ASSERT_EQ(run.code, 0) << run.err;
    const Said of_spec = explain(spec, rest);
    ASSERT_EQ(of_spec.code, 0) << of_spec.err;
    fs::remove(spec);
    fs::remove(path("trace.csv"));
    const Said of_file = explain(path("out.h5"), rest);
    EXPECT_EQ(of_file.code, 0) << of_file.err;
    EXPECT_EQ(of_file.out, of_spec.out);
    EXPECT_FALSE(contains(of_file.err, "note:")) << of_file.err;
  }

  // A file as another version of the estimator would have made it.
  std::string of_other_version() const {
    const std::string file = study();
    set_text(file, "provenance/identity/estimator", "0123");
    set_text(file, "provenance/version", "scalesweep 0.0");
    return file;
  }

  static std::string held(const std::string& file, const std::string& name) {
    return store::StudyReader(file).provenance().at(name);
  }

 private:
  static bool is_file(const std::string& study) { return study.ends_with(".h5"); }
};

TEST_F(ExplainFile, NeedsNeitherSpecNorCatalogOfTraining) {
  expect_same(small_spec(), {"--point", "7"});
  expect_same(small_spec(), {"--set", "logic=N3", "--set", "tensor_parallel=4"});
}

TEST_F(ExplainFile, NeedsNeitherSpecNorCatalogOfInference) {
  expect_same(tests::inference_spec(1), {"--point", "0", "--format", "json"});
}

// Nor what would train where the study does not say: its file has no such entry.
TEST_F(ExplainFile, NeedsNoOptimizerButItsOwn) {
  const std::string parallel = R"([system]
accelerators = 8
device = "h100-sxm"
[strategy]
tensor_parallel = 1
pipeline_parallel = 1
micro_batch = 1
zero = 0
recompute = "none"
sequence_parallel = false
)";
  const std::string head = "schema = 1\ntitle = \"Trained\"\n[workload]\n";
  for (const char* work : {R"(kind = "training"
model = "llama-2-7b"
sequence = 2048
global_batch = 32
)",
                           R"(kind = "reinforcement_learning"
model = "llama-3-8b"
prompts = 64
samples = 4
prompt = 512
output = 1024
)"}) {
    expect_same(head + work + "optimizer = \"soap\"\n" + parallel, {"--point", "0"});
  }
  expect_same(head + R"(kind = "diffusion"
diffusion_model = "wan-2.1-t2v-14b"
batch = 1
height = 480
width = 832
frames = 81
work = "training"
optimizer = "adafactor"
[system]
accelerators = 8
device = "h100-sxm"
)",
              {"--point", "0"});
}

TEST_F(ExplainFile, NeedsNoTraceOfRequestsEither) {
  std::string trace = "arrival,prompt,output,prefix,prefix_tokens\n";
  for (int i = 0; i < 40; ++i) {
    trace += std::to_string(0.37 * i) + ",2000,100,helper,1200\n";
  }
  write("trace.csv", trace);
  expect_same(R"(schema = 1
title = "Traced"
[workload]
kind = "serving"
model = "llama-3-70b"
requests = "trace.csv"
prefix_cache_host = "100 GB"
framework = "tensorrt-llm"
batching = "chunked"
time_to_first_token = "2 s"
time_per_output_token = "50 ms"
[system]
accelerators = 8
device = "h100-sxm"
[strategy]
tensor_parallel = 8
)",
              {"--point", "0"});
}

TEST_F(ExplainFile, ExplainsPointsThatItsRowsLeaveOut) {
  const std::string file = study(best_of_many);
  ASSERT_EQ(store::StudyReader(file).rows(), 1);
  const Said left_out = explain(file, {"--point", "0"});
  EXPECT_EQ(left_out.code, 0) << left_out.err;
  EXPECT_TRUE(contains(left_out.out, "step_time")) << left_out.out;
  EXPECT_EQ(left_out.out, explain(spec(best_of_many), {"--point", "0"}).out);
  const Said beyond = explain(file, {"--point", "1000000"});
  EXPECT_EQ(beyond.code, 64);
  EXPECT_TRUE(contains(beyond.err, "--point 1000000: the points of this study are 0 to "));
}

// The policy of the run is part of its identity, and not in the spec.
TEST_F(ExplainFile, KnowsThePolicyThatTheRunWasGiven) {
  const Said run =
      scalesweep({"run", spec(), "-o", path("kept.h5"), "--keep", "best=2:logic", "--quiet"});
  ASSERT_EQ(run.code, 0) << run.err;
  const Said said = explain(path("kept.h5"), {"--point", "3"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.err, "");
}

TEST_F(ExplainFile, OfAnotherEstimatorSaysSo) {
  const std::string file = of_other_version();
  const Said said = explain(file, {"--point", "7"}, nodes_folder().string());
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.err, "note: " + file +
                          " was computed by another version of the estimator (scalesweep 0.0); "
                          "what follows is the estimate of this one\n");
}

TEST_F(ExplainFile, SaysWhereTheRowHoldsAnotherValue) {
  const std::string file = of_other_version();
  const std::string catalog = held(file, "catalog");
  set_text(file, "provenance/catalog", replaced(catalog, "3.2 Gb/s\", note", "0.32 Gb/s\", note"));
  const Said said = explain(file, {"--point", "7"}, nodes_folder().string());
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err, "holds step_time = ")) << said.err;
  EXPECT_TRUE(contains(said.err, " s for point 7; computed now it is ")) << said.err;
}

TEST_F(ExplainFile, TakesEntriesThatItLacksFromTheCatalogAndSaysWhich) {
  const std::string file = of_other_version();
  const std::string catalog = held(file, "catalog");
  const std::size_t begin = catalog.find("# scale_out 'NDR'");
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = catalog.find("\n# ", begin);
  set_text(file, "provenance/catalog",
           catalog.substr(0, begin) + (end == std::string::npos ? "" : catalog.substr(end + 1)));
  const std::string nodes = nodes_folder().string();
  const Said said = explain(file, {"--point", "7"}, nodes);
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out, explain(spec(), {"--point", "7"}).out);
  EXPECT_TRUE(contains(said.err, "note: the file does not hold scale_out NDR: taken from " + nodes))
      << said.err;
}

TEST_F(ExplainFile, ReadsTheCatalogWhereItCannotReadTheEntriesOfTheFile) {
  const std::string file = of_other_version();
  set_text(file, "provenance/catalog", held(file, "catalog") + "[device.other]\nno_such_key = 1\n");
  const std::string nodes = nodes_folder().string();
  const Said said = explain(file, {"--point", "7"}, nodes);
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err,
                       "note: this version cannot read the entries that the file holds; "
                       "those of " +
                           nodes + " stand for them, with the same values\n"))
      << said.err;
}

TEST_F(ExplainFile, ThatWasChangedIsRefused) {
  const std::string file = study();
  set_text(file, "provenance/spec",
           replaced(held(file, "spec"), "sequence = 2048", "sequence = 4096"));
  const Said said = explain(file, {"--point", "7"});
  EXPECT_EQ(said.code, 65);
  EXPECT_EQ(said.err, "scalesweep: error: " + file +
                          ": the texts in its /provenance make another study than the file says it "
                          "is (it differs in: spec); they were changed after it was computed. Give "
                          "the spec instead\n");
}

TEST_F(ExplainFile, WhoseSpecCannotBeReadSaysWhere) {
  const std::string file = study();
  set_text(file, "provenance/spec",
           replaced(held(file, "spec"), "sequence = 2048", "sequense = 2048"));
  const Said said = explain(file, {"--point", "7"});
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(contains(said.err, "out.h5:/provenance/spec:")) << said.err;
  EXPECT_TRUE(contains(said.err, "sequense")) << said.err;
  EXPECT_TRUE(contains(said.err, "this version cannot read the study that " + file +
                                     " holds; give its spec instead\n"))
      << said.err;
}

}  // namespace
}  // namespace scalesweep::test
