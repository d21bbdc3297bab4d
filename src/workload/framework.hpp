// A software stack as the catalog knows it: one set of numbers for each kind of work that it does.
// A job holds the stack of its own kind alone.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "workload/diffusion/diffusion_stack.hpp"
#include "workload/recommendation/recommendation_stack.hpp"
#include "workload/reinforcement/reinforcement_stack.hpp"
#include "workload/serving/serving_stack.hpp"
#include "workload/stacks/runs.hpp"
#include "workload/training/training_stack.hpp"

namespace scalesweep::workload {

struct Framework {
  std::string name;
  std::string version;   // of its name ("vllm@0.11"), else of `runs`; "" where neither says one
  std::string released;  // the day of that version, "2025-10-02"; "" where nobody says
  // The stack that it is on other devices, "vllm", and how the names of its own begin, "mi"; "" of
  // a stack that is no port.
  std::string port_of;
  std::string port_devices;
  bool trains = true;       // how it trains is known
  bool serves = false;      // how it serves requests is known
  bool recommends = false;  // how it runs models with embedding tables is known
  bool diffuses = false;    // how it runs diffusion models is known
  TrainingStack training = {};
  ReinforcementStack reinforcement = {};
  ServingStack serving = {};
  RecommendationStack recommendation = {};
  DiffusionStack diffusion = {};
  // Which layouts it can run; nothing: nobody says, and no estimate asks.
  std::optional<Runs> runs = std::nullopt;
  // Whose kernels it launches where the catalog has entries of them for a device; else those that
  // the device's entry speaks of.
  std::vector<std::string> libraries = {};

  friend bool operator==(const Framework&, const Framework&) = default;
};

}  // namespace scalesweep::workload
