// The names on a spec's axes, looked up in a catalog: from axis indices to a job and a system.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "space/spec/spec.hpp"
#include "study/columns/schema.hpp"
#include "study/point_estimate.hpp"
#include "technology/cost.hpp"
#include "technology/derive/derive.hpp"
#include "technology/device.hpp"
#include "technology/economics.hpp"

namespace scalesweep::study {

// The system of a point, or why there is none.
struct SystemChoice {
  Status status = Status::ok;
  std::string reason;                        // a sentence; "" if ok
  std::optional<technology::System> system;  // if ok
  // Of a derived device: what was asked for, and what became of it, also where it failed.
  std::optional<catalog::DerivedSystem> asked;
  std::optional<technology::Derivation> derivation;
  // What the system costs and emits; nothing if the catalog does not know what making it takes.
  std::optional<technology::Ownership> ownership;
};

class Resolver {
 public:
  // Reports every name that the catalog lacks, at its place in the spec, with the closest one, and
  // nodes beyond a series. Axes may be missing where the spec has other mistakes.
  static void check(const space::Spec& spec, const catalog::Catalog& catalog,
                    Diagnostics& diagnostics);
  // Of a complete spec whose names were checked.
  Resolver(const space::Spec& spec, std::shared_ptr<const catalog::Catalog> catalog);

  Job job(std::span<const std::int32_t> axis_index) const;
  double accelerators(std::span<const std::int32_t> axis_index) const;
  // `allocated` are the shares of a derived device that no axis says.
  SystemChoice system(std::span<const std::int32_t> axis_index,
                      const technology::Shares& allocated = {}) const;
  // Assumptions of the catalog with those that the spec replaces.
  technology::Economics economics(std::span<const std::int32_t> axis_index) const;

  // Entries of the catalog that the study rests on, in catalog order.
  const std::vector<const catalog::Entry*>& entries() const { return entries_; }
  // Nodes beyond their series, "logic foundry/A10+1 (extrapolated)".
  std::vector<std::string> extrapolated() const;

 private:
  // An axis that may be absent.
  struct Coordinate {
    const space::Axis* axis = nullptr;
    std::size_t index = 0;

    bool exists() const { return axis != nullptr; }
    const std::string& label(std::span<const std::int32_t> axis_index) const {
      return axis->labels[static_cast<std::size_t>(axis_index[index])];
    }
    double value(std::span<const std::int32_t> axis_index) const {
      return axis->values[static_cast<std::size_t>(axis_index[index])];
    }
    double value_or(std::span<const std::int32_t> axis_index, double otherwise) const {
      return exists() ? value(axis_index) : otherwise;
    }
    std::int64_t integer(std::span<const std::int32_t> axis_index) const {
      return static_cast<std::int64_t>(value_or(axis_index, 0.0));
    }
  };

  // A value of [economics] that is written.
  struct Override {
    Coordinate value;
    void (*set)(technology::Economics& economics, double value);
  };

  Coordinate coordinate(std::string_view name) const;
  void find_coordinates();
  void find_overrides();
  void find_precisions(const std::vector<space::PrecisionTable>& tables);
  std::size_t precision_index(std::span<const std::int32_t> axis_index) const;
  std::vector<technology::Precision> multiplied(std::span<const std::int32_t> axis_index) const;
  workload::Framework framework(std::span<const std::int32_t> axis_index) const;
  technology::Uncertainty uncertainty(std::span<const std::int32_t> axis_index,
                                      catalog::MeasuredWork work) const;
  estimator::TrainingJob training(std::span<const std::int32_t> axis_index) const;
  estimator::InferenceJob inference(std::span<const std::int32_t> axis_index) const;
  estimator::ServingJob serving(std::span<const std::int32_t> axis_index) const;
  using EntryName = std::pair<catalog::Section, std::string>;
  using EntryNames = std::vector<EntryName>;
  std::vector<std::string> scalings_used() const;
  void imply_by_device(const std::string& name, EntryNames& names) const;
  void imply_by_node(const std::string& node, EntryNames& names) const;
  EntryNames implied_entries() const;
  void collect_entries();
  technology::Budget budget(std::span<const std::int32_t> axis_index,
                            const technology::Shares& allocated) const;
  SystemChoice derived(std::span<const std::int32_t> axis_index,
                       const technology::Shares& allocated) const;
  SystemChoice catalogued(std::span<const std::int32_t> axis_index) const;

  std::shared_ptr<const std::vector<space::Axis>> axes_;
  std::shared_ptr<const catalog::Catalog> catalog_;
  WorkloadKind kind_;
  std::vector<estimator::RequestClass> requests_;  // of serving; empty: of the axes
  std::vector<const catalog::Entry*> entries_;
  Coordinate model_, sequence_, global_batch_, precision_, attention_, framework_, accelerators_;
  Coordinate prompt_, output_, batch_, prefix_hits_, prefill_chunk_;
  Coordinate draft_, acceptance_, draft_time_;
  Coordinate batching_, prefill_share_, arrival_rate_, first_token_limit_, output_token_limit_;
  Coordinate device_, memory_of_, power_limit_;
  Coordinate architecture_, logic_, scaling_, memory_, package_;
  Coordinate die_area_, dies_, power_, stacks_, pin_rate_, flop_per_clock_;
  Coordinate core_area_share_, memory_edge_share_, memory_power_share_;
  Coordinate scale_up_, scale_up_domain_, scale_out_, topology_;
  Coordinate economics_;
  std::vector<Override> overrides_;
  // By value of the axis, at least one; of the kind.
  std::vector<estimator::PrecisionPolicy> precisions_;
  std::vector<estimator::InferencePrecision> inference_precisions_;
};

}  // namespace scalesweep::study
