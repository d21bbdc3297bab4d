// A column of an estimate is one row of a table: what a file says of it and where its value is
// from. The tables are training_columns.cpp, inference_columns.cpp and serving_columns.cpp; rows
// that several kinds have are in shared_columns.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "study/columns/absent.hpp"
#include "study/step_price.hpp"
#include "technology/cost.hpp"
#include "technology/derive/derive.hpp"

namespace scalesweep::study {

// What a kind of work counts: its rates are of them, its energy and its cost over them.
struct WorkUnit {
  std::string_view one;   // "sample"
  std::string_view many;  // "samples"
};
inline constexpr WorkUnit token_unit = {"token", "tokens"};
inline constexpr WorkUnit sample_unit = {"sample", "samples"};
inline constexpr WorkUnit image_unit = {"image", "images"};  // or a video

// What a row needs to know of the job and the device beside the estimate.
struct JobFigures {
  double work_units = 0.0;             // of a step, or that come out of a batch; not of serving
  double accelerators = 1.0;           // of the strategy
  double prefill_devices = 0.0;        // beside them, which process prompts
  double memory_capacity_bytes = 0.0;  // of one device
  // Rates that are bought, at the device's own clock: of its matrix units at the precision of the
  // linear layers, of its memory, of its share of the networks in one direction.
  double tensor_peak_flop_per_s = 0.0;
  double dram_bytes_per_s = 0.0;
  double scale_up_bytes_per_s = 0.0;
  double scale_out_bytes_per_s = 0.0;
  double clock_hz = 0.0;  // of the device, before any power limit of the step
  // Of the system; nothing: the columns of cost and carbon are NaN.
  std::optional<technology::Ownership> ownership = std::nullopt;
  std::optional<technology::Ownership> prefill_ownership = std::nullopt;
  technology::Shares shares = {};  // of a derived device, NaN of a catalogued one

  double devices() const { return accelerators + prefill_devices; }
};

// Energy counts once, at the price that all devices have.
inline StepPrice price_of(const JobFigures& job, double period_s, double energy_j) {
  if (!job.ownership) {
    return no_price;
  }
  StepPrice price = step_price(*job.ownership, period_s, job.accelerators, energy_j);
  if (job.prefill_devices > 0.0) {
    price += job.prefill_ownership
                 ? step_price(*job.prefill_ownership, period_s, job.prefill_devices, 0.0)
                 : no_price;
  }
  return price;
}

// On wafers of the dies of all devices; NaN where it does not decide their yield, or of several.
inline double density_of_defects(const JobFigures& job) {
  if (!job.ownership || !job.ownership->device.defect_density) {
    return unknown;
  }
  const technology::DeviceCost& device = job.ownership->device;
  if (job.prefill_devices > 0.0 && job.prefill_ownership) {
    const technology::DeviceCost& other = job.prefill_ownership->device;
    if (other.die_yield != device.die_yield || other.clustering != device.clustering ||
        other.defect_density != device.defect_density) {
      return unknown;
    }
  }
  return device.defect_density->si();
}

// An estimate with what several getters need of it, computed once for a point.
template <typename Estimate>
struct Evaluated {
  const Estimate& estimate;
  const JobFigures& job;
  double time_s;    // what charges and phases sum to
  double period_s;  // that energy, units and price are of: a step, a batch, one second of a service
  double energy_j;
  double work_units;  // trained on, or that come out
  StepPrice price;

  static Evaluated of(const Estimate& estimate, const JobFigures& job, double time_s,
                      double period_s, double work_units) {
    const double energy_j = estimate.energy.total_j();
    return {
        estimate, job, time_s, period_s, energy_j, work_units, price_of(job, period_s, energy_j)};
  }
};

// Of two points that are alike in all else, the one that has less or more of it.
enum class Better : std::uint8_t { neither, smaller, larger };
constexpr std::string_view name_of(Better better) {
  constexpr std::string_view names[] = {"", "smaller", "larger"};
  return names[static_cast<std::size_t>(better)];
}

// Whether a figure is never better where time and energy grow and nothing else changes: then a
// bound of both bounds it, too; of a service, where its rate falls and the energy of a request
// grows. `exact`: it is of the memory, which no bound of a time leaves open.
enum class Bounded : std::uint8_t { no, yes, exact };

// What bounds of estimates a kind of work has before they are made: none; of the rate of a service,
// and so of what falls as it rises; or of the time and energy of a step or a batch, on one device
// and on all of a box of devices.
enum class Bounds : std::uint8_t { none, of_rate, of_time };

// `role`: words of the table of roles in FORMAT.md, what analysis takes the column for; "" where it
// is one number among others.
template <typename At>
struct FigureRow {
  std::string_view name;
  std::string_view units;
  std::string_view long_name;
  std::string_view description;
  std::string_view role;
  Better better;
  double (*getter)(const At&);
  Bounded bounded = Bounded::no;
};
template <typename Estimate>
using ColumnRow = FigureRow<Evaluated<Estimate>>;

}  // namespace scalesweep::study
