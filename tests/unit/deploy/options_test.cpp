// Every option that can be written stands among the documented ones of its framework
// (documented_options.txt), whatever point it is written for.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <sstream>
#include <string>

#include "core/host/files.hpp"
#include "deploy/target.hpp"
#include "deployed.hpp"
#include "support/small_study.hpp"

namespace scalesweep::deploy {
namespace {

struct Documented {
  std::string source;
  std::set<std::string> names;
};

std::map<std::string, Documented> documented() {
  std::map<std::string, Documented> all;
  std::istringstream text(
      read_file(test::source_folder() / "tests/unit/deploy/documented_options.txt"));
  Documented* target = nullptr;
  for (std::string line; std::getline(text, line);) {
    if (line.empty() || line.starts_with("#")) {
      continue;
    }
    if (line.starts_with("[")) {
      const std::size_t end = line.find(']');
      target = &all[line.substr(1, end - 1)];
      target->source = line.substr(end + 1);
    } else {
      target->names.insert(line);
    }
  }
  return all;
}

template <typename Target>
void expect_documented(const Target& target, const std::map<std::string, Documented>& all) {
  const auto found = all.find(std::string(target.text.name));
  ASSERT_NE(found, all.end()) << target.text.name;
  EXPECT_NE(found->second.source.find("unverified"), std::string::npos) << target.text.name;
  std::set<std::string> written;
  for (const auto& option : target.options) {
    std::string name(option.name);
    if (name.ends_with('=')) {
      name.pop_back();
    }
    EXPECT_TRUE(written.insert(name).second) << target.text.name << " twice: " << name;
    EXPECT_TRUE(found->second.names.contains(name)) << target.text.name << ": " << name;
    EXPECT_FALSE(option.why.empty()) << name;
    const bool in_file = option.place == Place::file;
    EXPECT_FALSE(in_file && target.file.name.empty()) << name;
    const bool is_variable = option.place == Place::environment;
    EXPECT_NE(in_file || is_variable, name.starts_with("--") || option.name.ends_with('=')) << name;
    EXPECT_EQ(is_variable,
              name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string::npos)
        << name;
  }
}

TEST(Options, AreDocumented) {
  const std::map<std::string, Documented> all = documented();
  for (const TrainingTarget* target : training_targets()) {
    expect_documented(*target, all);
  }
  for (const ServingTarget* target : serving_targets()) {
    expect_documented(*target, all);
  }
}

// The names of the options that stand between `program` and what it starts, wherever in the text it
// does.
std::set<std::string> options_of(const std::string& program, const std::string& text) {
  std::set<std::string> names;
  std::istringstream words(text);
  bool reading = false;
  bool after_option = false;
  for (std::string word; words >> word;) {
    if (word == program) {
      reading = true;
      after_option = false;
    } else if (reading && word.starts_with("--")) {
      names.insert(word.substr(0, word.find('=')));
      after_option = word.find('=') == std::string::npos;
    } else if (reading && word != "\\") {
      reading = after_option;  // the value of the option before it, else what is started
      after_option = false;
    }
  }
  return names;
}

void expect_documented_options(const std::string& program, const std::string& as,
                               const std::string& text) {
  const Documented known = documented().at(as);
  EXPECT_EQ(known.source.find("unverified"), std::string::npos) << as;
  const std::set<std::string> names = options_of(program, text);
  EXPECT_FALSE(names.empty()) << program << ": " << text;
  for (const std::string& name : names) {
    EXPECT_TRUE(known.names.contains(name)) << program << ": " << name;
  }
}

TEST(Options, OfLaunchersAreDocumented) {
  const Deployment one = test::deployed(
      test::training_spec("llama-3-8b", test::dense_workload, 8,
                          "tensor_parallel = 8\npipeline_parallel = 1\nchunks = 1\nmicro_batch = "
                          "1\nrecompute = \"full\"\nzero = 0\nsequence_parallel = true"),
      "megatron-lm");
  expect_documented_options("torchrun", "torchrun", one.command);
  const Deployment many = test::deployed(
      test::training_spec("llama-3-70b", test::dense_workload, 256, test::dense_strategy),
      "megatron-lm");
  expect_documented_options("torchrun", "torchrun", many.command);
  expect_documented_options("#SBATCH", "sbatch", test::file(many, "train.sbatch"));
  const Deployment pools = test::deployed(
      test::serving_spec("llama-3-70b",
                         "prompt = 1000\noutput = 500\nframework = \"vllm\"\nbatching = "
                         "\"disaggregated\"\ntime_per_output_token = \"50 ms\"",
                         32, "tensor_parallel = 8"),
      "vllm");
  const std::string script = test::file(pools, "serve.sbatch");
  expect_documented_options("#SBATCH", "sbatch", script);
  expect_documented_options("srun", "srun", script);
}

}  // namespace
}  // namespace scalesweep::deploy
