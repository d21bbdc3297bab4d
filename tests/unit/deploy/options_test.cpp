// Every option that can be written stands in the table of the real options of its program
// (tests/programs/tables), in each version that has it; variables and options of launchers among
// the documented ones (documented_options.txt).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
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

// Names may be several, "--port, -p". Of DeepSpeed those of Megatron-DeepSpeed as well.
std::map<std::string, std::string> types_of(const std::filesystem::path& file) {
  std::map<std::string, std::string> types;
  std::istringstream text(read_file(file));
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("#") || line.starts_with("names\t")) {
      continue;
    }
    std::istringstream cells(line);
    std::string names;
    std::string kind;
    std::string type;
    std::getline(cells, names, '\t');
    std::getline(cells, kind, '\t');
    std::getline(cells, type, '\t');
    std::replace(names.begin(), names.end(), '|', ' ');
    std::istringstream words(names);
    for (std::string word; words >> word;) {
      types[word] = type;
    }
  }
  return types;
}

std::map<std::string, std::string> real_options(const TargetText& target, const Version& version) {
  const std::filesystem::path folder = test::source_folder() / "tests/programs/tables";
  auto types = types_of(folder / fmt::format("{}@{}.tsv", target.name, version.name));
  EXPECT_FALSE(types.empty()) << target.name << version.name;
  if (target.name == "deepspeed") {
    types.merge(types_of(folder / "megatron-deepspeed@main-2025-07-16.tsv"));
  }
  return types;
}

// Itself, or below a key that holds a table of anything.
bool is_real(const std::map<std::string, std::string>& types, std::string name) {
  if (types.contains(name) || (name.starts_with("--") && types.contains(name.substr(2)))) {
    return true;  // torchtitan takes keys of its file as options
  }
  for (std::size_t dot = name.rfind('.'); dot != std::string::npos; dot = name.rfind('.')) {
    name.erase(dot);
    if (const auto above = types.find(name); above != types.end()) {
      return above->second != "table";
    }
  }
  return false;
}

template <typename Target>
void expect_real(const Target& target) {
  const std::set<std::string> variables = documented().at("variables").names;
  for (const Version& version : target.text.versions) {
    const auto types = real_options(target.text, version);
    std::set<std::string> written;
    for (const auto& option : target.options) {
      const std::string at = fmt::format("{}@{}: {}", target.text.name, version.name, option.name);
      std::string name(option.name);
      if (name.ends_with('=')) {
        name.pop_back();
      }
      EXPECT_FALSE(option.why.empty()) << at;
      if (!option.in.has(version.name)) {
        continue;
      }
      EXPECT_TRUE(written.insert(name).second) << "twice: " << at;
      if (option.place == Place::environment) {
        EXPECT_TRUE(variables.contains(name)) << at;
        continue;
      }
      EXPECT_TRUE(is_real(types, name)) << at;
      const bool in_file = option.place == Place::file;
      EXPECT_FALSE(in_file && target.file.name.empty()) << at;
      EXPECT_NE(in_file, name.starts_with("--") || option.name.ends_with('=')) << at;
    }
  }
}

TEST(Options, AreThoseOfTheProgramInEachVersion) {
  for (const TrainingTarget* target : training_targets()) {
    expect_real(*target);
  }
  for (const ServingTarget* target : serving_targets()) {
    expect_real(*target);
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
