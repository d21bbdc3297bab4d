// What the options of a framework that trains are made of.
#pragma once

#include "deploy/options.hpp"
#include "deploy/parts/hosts.hpp"
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
  std::string_view version;  // of the program

  bool since(std::string_view first) const { return !is_older(version, first); }
  const workload::TransformerModel& model() const { return job.model; }
};

}  // namespace scalesweep::deploy
