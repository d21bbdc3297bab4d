// A measured case with what the model says of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "estimator/inference/load/request_counts.hpp"
#include "estimator/parts/capacity.hpp"
#include "estimator/parts/charges.hpp"
#include "estimator/run/reached.hpp"
#include "technology/uncertainty.hpp"
#include "validation/cases/case_figures.hpp"
#include "validation/cases/row_reader.hpp"

namespace scalesweep::validation {

// Bytes of one device, each measured in its own way or not at all.
struct MemoryFigures {
  std::optional<double> states_bytes;     // weights, gradients, optimizer states
  std::optional<double> allocated_bytes;  // peak of tensors, worst device
  std::optional<double> reserved_bytes;   // what the allocator holds, worst device
};

inline constexpr double bytes_per_gb = 1e9;

// Of one row; what does not apply, or failed, is empty and `note` says why.
struct Prediction {
  std::optional<double> value;  // seconds, or what the metric of an inference case is in
  // The error bar of the time, or of the time that a rate is one over; empty where none is known.
  std::optional<double> relative_uncertainty;
  technology::Traits traits;  // that the error bar heeds
  CaseFigures figures;
  // Of the days of a whole run: what labs' runs took over what is predicted.
  estimator::ReachedTimes reached;
  MemoryFigures memory;
  std::optional<estimator::RequestCounts> requests;  // of inference
  std::optional<bool> fits;                          // reserved against usable memory
  std::string bottleneck;                            // resource whose improvement helps most
  std::optional<double> device_power_w;
  bool clock_lowered = false;
  std::string note;
};

// Of the columns memory_*_gb.
MemoryFigures read_measured_memory(RowReader& row);

struct CaseRow {
  std::string name;
  // What groups are made of.
  std::string source;
  std::string device;
  std::string framework;  // of kernels: the library
  std::string op;         // of kernels; the metric of inference; "" for a training step
  bool is_rate = false;   // what is measured is one over a time
  std::string precision;
  std::string shape;      // of the model, not of kernels
  std::string lengths;    // tokens of a sequence, "4096", or of prompt and output, "2048+128"
  std::string group;      // of inference: what agreement is asked for by name; "" for none
  std::int64_t gpus = 0;  // 0 where it does not matter
  double tokens = 0.0;    // that all devices process in the time which is measured

  std::optional<double> measured;
  CaseFigures measured_figures;
  MemoryFigures measured_memory;
  std::optional<bool> measured_fits;
  double measured_utilization = 0.0;  // model FLOP per second over peak; 0 if not known
  double design_power_w = 0.0;        // of the device, or its limit in this case; 0 if not known

  Prediction predicted;

  // predicted / measured - 1; nothing unless both are there.
  std::optional<double> error() const;
  // The same of times: what error bars are about. Half the rate is twice the time, off by 1.
  std::optional<double> time_error() const;
};

// Estimates say 0 where nothing is known.
inline std::optional<double> known(double relative_uncertainty) {
  return relative_uncertainty > 0.0 ? std::optional(relative_uncertainty) : std::nullopt;
}

// What a row says of its devices and its software.
template <typename Case>
void set_labels(CaseRow& row, const Case& of) {
  row.device = of.system.device.name;
  row.framework = of.framework;
  row.gpus = of.gpus;
  row.design_power_w = of.system.device.thermal_design_power.si();
}

// All but the value, of an estimate of a batch that holds so much beside its activations.
template <typename Estimate>
void set_batch_prediction(Prediction& prediction, const Estimate& estimate, double states_bytes) {
  prediction.memory.states_bytes = states_bytes;
  prediction.memory.allocated_bytes = prediction.memory.reserved_bytes =
      estimate.memory.total_bytes();
  prediction.fits = estimate.verdict == estimator::Verdict::fits;
  prediction.bottleneck = name_of(estimator::dominant(estimate.batch));
  prediction.device_power_w = estimate.device_power_w;
  prediction.clock_lowered = estimate.clock_fraction < 1.0;
}

}  // namespace scalesweep::validation
