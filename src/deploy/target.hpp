// A framework that can be launched: its tables of options and how its command is made of them.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deploy/memory/engine_memory.hpp"
#include "deploy/options.hpp"
#include "deploy/parts/documents.hpp"
#include "deploy/parts/vendors.hpp"
#include "deploy/parts/versions.hpp"
#include "deploy/rules/rule.hpp"

namespace scalesweep::deploy {

// Where options stand that are not on the command line.
struct ConfigFile {
  std::string_view name;
  Language language = Language::toml;
};

struct TargetText {
  std::string_view name;              // of the framework in the catalog
  std::span<const Version> versions;  // whose options were read, from the oldest to the newest
  std::string_view source;            // the files that parse them
  std::span<const Vendor> runs_on;    // whose devices
  std::span<const Rule> rules = {};
};

// How a point is started, of targets whose versions or devices differ in it.
struct TrainingForm {
  ConfigFile file = {};
  std::string_view script;
  // What stands in the file where it is in none of the languages of documents.
  std::string (*content)(const TrainingRun& run, std::span<const Flag> flags) = nullptr;
  // One process takes all devices of a server: `script` is all that is typed.
  bool is_one_process = false;
};

struct TrainingTarget {
  TargetText text;
  std::span<const TrainingOption> options;
  ConfigFile file = {};
  std::string_view script = "";  // what torchrun starts, with what it is given
  std::vector<std::string> (*notes)(const TrainingRun& run) = nullptr;  // of this point
  std::string_view variables = "";  // what the variables of the command stand for
  TrainingForm (*form)(const TrainingRun& run) = nullptr;  // instead of `file` and `script`
};

struct ServingTarget {
  TargetText text;
  std::span<const ServingOption> options;
  ConfigFile file = {};
  std::string_view program;  // "vllm serve $MODEL"
  EngineMemory (*memory)(const ServingRun& run) = nullptr;
  std::vector<std::string> (*notes)(const ServingRun& run) = nullptr;
  // Why it cannot run a pool of this point, where no ability tells; "": it can.
  std::string (*problem)(const ServingRun& run) = nullptr;
  std::string_view backend;  // its name in Dynamo
};

std::span<const TrainingTarget* const> training_targets();
std::span<const ServingTarget* const> serving_targets();

// Why nobody runs it on a device of this name; "" where it does.
std::string device_problem(const TargetText& target, std::string_view device);

// Of the target of a framework by its name ("vllm@0.11", "megatron-lm-2025"); null where none is.
const TargetText* text_of_framework(std::string_view framework);

// One file each in targets/.
const TrainingTarget& megatron_lm();
const TrainingTarget& megatron_bridge();
const TrainingTarget& torchtitan();
const TrainingTarget& nanotron();
const TrainingTarget& maxtext();
const TrainingTarget& deepspeed();
const ServingTarget& vllm();
const ServingTarget& sglang();
const ServingTarget& tensorrt_llm();

}  // namespace scalesweep::deploy
