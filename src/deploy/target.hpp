// A framework that can be launched: its tables of options and how its command is made of them.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deploy/options.hpp"
#include "deploy/parts/documents.hpp"
#include "deploy/parts/engine_memory.hpp"

namespace scalesweep::deploy {

// Where options stand that are not on the command line.
struct ConfigFile {
  std::string_view name;
  Language language = Language::toml;
};

struct TargetText {
  std::string_view name;     // of the framework in the catalog
  std::string_view version;  // that the options are of
  std::string_view source;   // the files that parse them
  // The newest version whose parser was seen to take all of them as well; "": that one alone.
  std::string_view up_to = "";
};

struct TrainingTarget {
  TargetText text;
  std::span<const TrainingOption> options;
  ConfigFile file = {};
  std::string_view script;  // what torchrun starts, with what it is given
  std::vector<std::string> (*notes)(const TrainingRun& run) = nullptr;  // of this point
  std::string_view variables;  // what the variables of the command stand for
};

struct ServingTarget {
  TargetText text;
  std::span<const ServingOption> options;
  ConfigFile file = {};
  std::string_view program;  // "vllm serve $MODEL"
  EngineMemory memory;
  std::vector<std::string> (*notes)(const ServingRun& run) = nullptr;
  // Why it cannot run a pool of this point, where no ability tells; "": it can.
  std::string (*problem)(const ServingRun& run) = nullptr;
  // What a pool of [prefill] and the other one are told, beside the options.
  std::string_view image;    // of containers
  std::string_view backend;  // its name in Dynamo
};

std::span<const TrainingTarget* const> training_targets();
std::span<const ServingTarget* const> serving_targets();

// One file each in targets/.
const TrainingTarget& megatron_lm();
const TrainingTarget& megatron_bridge();
const TrainingTarget& torchtitan();
const TrainingTarget& nanotron();
const TrainingTarget& deepspeed();
const ServingTarget& vllm();
const ServingTarget& sglang();
const ServingTarget& tensorrt_llm();

}  // namespace scalesweep::deploy
