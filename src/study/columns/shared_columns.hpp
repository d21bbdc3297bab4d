// Rows that estimates of several kinds have, each written once, and how tables are filled and
// described. For the tables of the kinds only.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>

#include "study/columns/column_row.hpp"
#include "study/columns/schema.hpp"

namespace scalesweep::study {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

template <typename Estimate>
struct Shared {
  using At = Evaluated<Estimate>;
  using Row = ColumnRow<Estimate>;

  static constexpr Row device_power = {
      "device_power",
      "W",
      "average power of a device",
      "What the thermal design power covers: of the networks only what the device itself burns.",
      "",
      Better::smaller,
      [](const At& at) { return at.estimate.device_power_w; }};
  static constexpr Row memory_weights = {
      "memory_weights",
      "B",
      "memory of weights",
      "Share of memory_total: parameters.",
      "",
      Better::smaller,
      [](const At& at) { return at.estimate.memory.weights_bytes; }};
  static constexpr Row memory_capacity = {
      "memory_capacity",
      "B",
      "memory capacity",
      "Bytes that one device has.",
      "",
      Better::neither,
      [](const At& at) { return at.job.memory_capacity_bytes; }};

  // What a technology of a name comes to: an axis of names is read as these.
  static constexpr Row tensor_peak = {
      "tensor_peak",
      "s-1",
      "peak of matrix units",
      "FLOP per second of one device at its own clock, dense, at the precision of linear layers.",
      "rate:tensor_compute axis:logic axis:device",
      Better::neither,
      [](const At& at) { return at.job.tensor_peak_flop_per_s; }};
  static constexpr Row dram_bandwidth = {"dram_bandwidth",
                                         "B s-1",
                                         "DRAM bandwidth",
                                         "Bytes per second of the memory of one device.",
                                         "rate:dram axis:device axis:memory axis:memory_of",
                                         Better::neither,
                                         [](const At& at) { return at.job.dram_bytes_per_s; }};
  static constexpr Row scale_up_bandwidth = {
      "scale_up_bandwidth",
      "B s-1",
      "scale-up bandwidth",
      "Bytes per second of one device inside its domain, one direction.",
      "rate:scale_up axis:device axis:scale_up",
      Better::neither,
      [](const At& at) { return at.job.scale_up_bytes_per_s; }};
  static constexpr Row scale_out_bandwidth = {
      "scale_out_bandwidth",
      "B s-1",
      "scale-out bandwidth",
      "Bytes per second of one device between domains, one direction.",
      "rate:scale_out axis:device axis:scale_out axis:topology",
      Better::neither,
      [](const At& at) { return at.job.scale_out_bytes_per_s; }};

  static constexpr Row share_core_area = {
      "share_core_area",
      "1",
      "area share of cores",
      "Of the die area that interfaces leave: cores; L2 has the rest. NaN for a catalogued device.",
      "allocated",
      Better::neither,
      [](const At& at) { return at.job.shares.core_area.value_or(unknown); }};
  static constexpr Row share_memory_edge = {
      "share_memory_edge",
      "1",
      "edge share of memory",
      "Of the outer die edge: memory. NaN for a catalogued device.",
      "allocated",
      Better::neither,
      [](const At& at) { return at.job.shares.memory_edge.value_or(unknown); }};
  static constexpr Row share_memory_power = {
      "share_memory_power",
      "1",
      "power share of memory",
      "Of the power: what memory takes. NaN for a catalogued device.",
      "allocated",
      Better::neither,
      [](const At& at) { return at.job.shares.memory_power.value_or(unknown); }};

  static constexpr Row capital_cost = {
      "capital_cost",
      "USD",
      "capital cost",
      "Price of all devices with their networks and servers. NaN where the catalog lacks a part, "
      "here and in what follows.",
      "",
      Better::smaller,
      [](const At& at) { return at.price.capital_usd; }};

  // The same value with words of its own in every kind.
  static constexpr Row energy_per_token(std::string_view long_name, std::string_view description) {
    return {"energy_per_token", "J", long_name, description, "", Better::smaller, [](const At& at) {
              return at.energy_j / at.tokens;
            }};
  }
  static constexpr Row average_power(std::string_view description) {
    return {"average_power",
            "W",
            "average power per device",
            description,
            "",
            Better::smaller,
            [](const At& at) { return at.energy_j / at.period_s / at.job.accelerators; }};
  }
  static constexpr Row memory_total(std::string_view description) {
    return {"memory_total", "B", "memory used", description, "", Better::smaller, [](const At& at) {
              return at.estimate.memory.total_bytes();
            }};
  }
  static constexpr Row memory_activations(std::string_view description) {
    return {"memory_activations",
            "B",
            "memory of activations",
            description,
            "",
            Better::smaller,
            [](const At& at) { return at.estimate.memory.activations_bytes; }};
  }
  static constexpr Row cost_per_million_tokens(std::string_view long_name,
                                               std::string_view description) {
    return {"cost_per_million_tokens",
            "USD",
            long_name,
            description,
            "as_time",
            Better::smaller,
            [](const At& at) { return at.price.cost_usd() / (at.tokens * 1e-6); }};
  }
  static constexpr Row carbon_per_million_tokens(std::string_view long_name,
                                                 std::string_view description) {
    return {"carbon_per_million_tokens",
            "kg",
            long_name,
            description,
            "as_time",
            Better::smaller,
            [](const At& at) { return at.price.carbon_kg() / (at.tokens * 1e-6); }};
  }
  static constexpr Row relative_uncertainty(std::string_view long_name,
                                            std::string_view description) {
    return {"relative_uncertainty",
            "1",
            long_name,
            description,
            "uncertainty",
            Better::neither,
            [](const At& at) {
              const double known = at.estimate.relative_uncertainty;
              return known > 0.0 ? known : unknown;
            }};
  }
};

// Of inference and serving.
template <typename Estimate>
struct SharedByInference : Shared<Estimate> {
  using At = Evaluated<Estimate>;
  using Row = ColumnRow<Estimate>;

  static constexpr Row tokens_per_second_per_device = {
      "tokens_per_second_per_device",
      "s-1",
      "output throughput per device",
      "tokens_per_second over devices.",
      "",
      Better::larger,
      [](const At& at) { return at.estimate.tokens_per_s / at.job.accelerators; }};
  static constexpr Row memory_total = Shared<Estimate>::memory_total(
      "Bytes in use on the fullest device at this batch: weights, cache and activations.");
  static constexpr Row memory_activations =
      Shared<Estimate>::memory_activations("Share of memory_total: what an iteration works on.");
  static constexpr Row memory_usable = {
      "memory_usable",
      "B",
      "memory usable",
      "Bytes of one device that the framework may use. It decides what fits.",
      "",
      Better::neither,
      [](const At& at) { return at.estimate.memory.usable_bytes; }};
  static constexpr Row largest_batch = {
      "largest_batch",
      "1",
      "largest batch",
      "Requests of all replicas that fit at a time; 0: not even the weights fit.",
      "nearest:does_not_fit",
      Better::larger,
      [](const At& at) { return at.estimate.memory.largest_batch; }};
  static constexpr Row carbon_per_million_tokens = Shared<Estimate>::carbon_per_million_tokens(
      "carbon per million output tokens", "Embodied and operational CO2 equivalent.");

  static constexpr Row tokens_per_second(std::string_view description) {
    return {"tokens_per_second",
            "s-1",
            "output throughput",
            description,
            "",
            Better::larger,
            [](const At& at) { return at.estimate.tokens_per_s; }};
  }
  static constexpr Row memory_cache(std::string_view description) {
    return {"memory_cache",
            "B",
            "memory of the cache",
            description,
            "",
            Better::smaller,
            [](const At& at) { return at.estimate.memory.cache_bytes; }};
  }
};

// Phases times `scale`, then the figures of a table. Each getter is known when this is compiled, so
// that none is called through its pointer.
template <const auto& rows, typename Estimate, std::size_t phases>
void set_figures(EstimateRow& row, const std::array<double, phases>& phase_s,
                 const Evaluated<Estimate>& at, double scale = 1.0) {
  row.figures.resize(phases + std::size(rows));
  double* value = row.figures.data();
  for (const double phase : phase_s) {
    *value++ = scale * phase;
  }
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((*value++ = rows[i].getter(at)), ...);
  }
  (std::make_index_sequence<std::size(rows)>{});
}

template <typename Estimate>
store::Column column_of(const ColumnRow<Estimate>& row, store::ColumnType type) {
  store::Column column;
  column.name = row.name;
  column.type = type;
  column.units = row.units;
  column.long_name = row.long_name;
  column.description = row.description;
  column.role = row.role;
  column.better = name_of(row.better);
  return column;
}

template <typename Estimate>
store::Column column_of(const LabelRow<Estimate>& row) {
  store::Column column;
  column.name = row.name;
  column.type = store::ColumnType::u8;
  column.long_name = row.long_name;
  column.description = row.description;
  column.labels.assign(row.words.begin(), row.words.end());
  column.labels.emplace_back("none");
  return column;
}

template <const auto& rows>
store::Schema schema_of() {
  store::Schema schema;
  for (const auto& row : rows) {
    schema.push_back(column_of(row, store::ColumnType::f32));
  }
  return schema;
}

}  // namespace scalesweep::study
