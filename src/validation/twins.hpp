// Twins: devices derived from a template on the published budgets of catalogued ones, and held to
// these in whole work, which peaks alone say little of. `catalog compare` shows them, and a test
// bounds how far they are apart.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.hpp"
#include "estimator/parts/charges.hpp"
#include "parallel/strategy.hpp"
#include "technology/precision.hpp"

namespace scalesweep::validation {

enum class TwinPhase : std::uint8_t { step, prefill, decode };

// What twins are compared in. Of a training step `tokens` is the sequence, else the prompt; decode
// begins after it.
struct TwinWork {
  std::string_view name;
  TwinPhase phase;
  std::string_view model;
  std::string_view framework;
  technology::Precision precision;  // of the matrix products of a step; else the default, 16 bit
  std::int64_t batch;
  std::int64_t tokens;
  std::int64_t output;  // tokens that are generated
  int tensor_parallel;
  int pipeline_parallel;
  int data_parallel;
  int micro_batches;  // of a step

  int devices() const { return tensor_parallel * pipeline_parallel * data_parallel; }
};
std::span<const TwinWork> twin_works();

// What one of the two devices does in a work.
struct TwinSide {
  estimator::Charges time;
  double power_w = 0.0;  // average of one device
};

TwinSide work_on(const technology::System& system, const TwinWork& work,
                 const catalog::Catalog& catalog);

struct TwinRow {
  const TwinWork* work = nullptr;
  TwinSide derived;
  TwinSide catalogued;

  double time_ratio() const { return derived.time.total_s() / catalogued.time.total_s(); }
  double share(const TwinSide& side, estimator::Resource resource) const {
    return side.time[resource] / side.time.total_s();
  }
  // What the catalogued device spends most time in.
  estimator::Resource bottleneck() const { return estimator::dominant(catalogued.time); }
  // Whose share differs most, and by how much.
  estimator::Resource most_moved() const;
  double share_difference() const;
};

struct Twin {
  std::string device;
  std::string architecture;
  std::string none;  // why there is no twin; nothing that follows then holds
  technology::Derivation derivation;
  double flop_per_clock = 0.0;  // 16-bit, of a core; a budget that it was given
  // Of all works whose precision both devices have.
  std::vector<TwinRow> rows;
};

// `device` and `architecture` are names of the catalog; both run with the networks that the device
// usually has.
Twin twin_of(const catalog::Catalog& catalog, const std::string& device,
             const std::string& architecture);

}  // namespace scalesweep::validation
