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
#include "deploy/parts/versions.hpp"
#include "parallel/strategy.hpp"
#include "technology/device.hpp"

namespace scalesweep::deploy {

struct TrainingRun;  // parts/training_run.hpp
struct ServingRun;   // parts/serving_run.hpp

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
  Versions in = {};  // that have it
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

// Those that the version of the run has and that are written, in the order of the table. `file`:
// its name, of options in a file.
template <typename Run>
std::vector<Flag> flags_of(std::span<const Option<Run>> options, const Run& run,
                           std::string_view file = "") {
  std::vector<Flag> flags;
  for (const Option<Run>& option : options) {
    const Value value = option.in.has(run.version) ? option.value(run) : std::nullopt;
    if (value) {
      flags.push_back({std::string(option.name), *value, std::string(option.why),
                       option.place == Place::file ? std::string(file) : "",
                       option.place == Place::environment});
    }
  }
  return flags;
}

}  // namespace scalesweep::deploy
