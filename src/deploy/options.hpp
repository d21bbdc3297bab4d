// An option of a framework is one row of a table: how it is named, what of a point it says, and its
// value. The tables are in targets/, one file for each framework.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deploy/deployment.hpp"
#include "deploy/parts/hosts.hpp"
#include "estimator/inference/job.hpp"
#include "estimator/training/job.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::deploy {

// What is said of a training point.
struct TrainingRun {
  const estimator::TrainingJob& job;
  const technology::System& system;
  const parallel::Strategy& strategy;
  Hosts hosts;

  const workload::TransformerModel& model() const { return job.model; }
};

// Which part of a service a server is of.
enum class Pool : std::uint8_t { all, decode, prefill };

// What is said of a server: replicas of a service that share experts, or one.
struct ServingRun {
  const estimator::InferenceJob& job;
  const technology::System& system;
  const parallel::Strategy& strategy;  // of all servers of the pool
  Pool pool = Pool::all;
  Hosts hosts = {};              // of one server
  std::int64_t servers = 1;      // that are alike
  std::int64_t replicas = 1;     // of one server, which share experts
  std::int64_t sequences = 1;    // at a time, of a replica
  std::int64_t chunk = 0;        // prompt tokens of an iteration and replica; 0: whole prompts
  std::int64_t prompt = 0;       // the longest
  std::int64_t longest = 0;      // prompt and output
  double memory_share = 0.0;     // of the option of the engine
  bool follows_prompts = false;  // prompts come in while others decode

  std::int64_t ranks() const { return replicas * strategy.tensor_parallel; }  // of a stage
  // That an iteration takes at most.
  std::int64_t tokens() const { return std::max(chunk > 0 ? chunk : prompt, sequences); }
};

// Nothing: the option is not written. A switch has the value "".
using Value = std::optional<std::string>;

// On the command line, in a file, or a variable of the environment.
enum class Place : std::uint8_t { command, file, environment };

template <typename Run>
struct Option {
  std::string_view name;
  std::string_view why;
  Value (*value)(const Run&);
  Place place = Place::command;
};
using TrainingOption = Option<TrainingRun>;
using ServingOption = Option<ServingRun>;

template <typename T>
Value text(const T& value) {
  return fmt::format("{}", value);
}
template <typename T>
Value text_if(bool written, const T& value) {
  return written ? Value(fmt::format("{}", value)) : std::nullopt;
}
inline Value switch_if(bool on) {
  return on ? Value("") : std::nullopt;
}
inline Value truth(bool value) {
  return value ? "true" : "false";
}

// Those that are written, in the order of the table. `file`: its name, of options in a file.
template <typename Run>
std::vector<Flag> flags_of(std::span<const Option<Run>> options, const Run& run,
                           std::string_view file = "") {
  std::vector<Flag> flags;
  for (const Option<Run>& option : options) {
    if (const Value value = option.value(run)) {
      flags.push_back({std::string(option.name), *value, std::string(option.why),
                       option.place == Place::file ? std::string(file) : "",
                       option.place == Place::environment});
    }
  }
  return flags;
}

}  // namespace scalesweep::deploy
