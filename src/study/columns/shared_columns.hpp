// Rows that estimates of several kinds have, each written once, and how tables are filled and
// described. For the tables of the kinds only.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/documents/fixed_text.hpp"
#include "estimator/inference/load/request_counts.hpp"
#include "estimator/reuse/prefix_tiers.hpp"
#include "study/columns/absent.hpp"
#include "study/columns/column_row.hpp"
#include "study/columns/schema.hpp"
#include "technology/uncertainty.hpp"

namespace scalesweep::study {

// What is known of a layout that has no time, as one that memory does not hold: what it takes of a
// device, and the devices. Names of figures begin so.
inline constexpr auto of_layout = std::to_array<std::string_view>(
    {"memory_", "largest_batch", "tensor_peak", "dram_bandwidth", "scale_up_bandwidth",
     "scale_out_bandwidth", "share_", "training_devices", "rollout_devices"});
constexpr bool needs_time(std::string_view figure) {
  return std::none_of(of_layout.begin(), of_layout.end(),
                      [&](std::string_view begin) { return figure.starts_with(begin); });
}

// What charges and phases sum to.
inline store::Column time_column(std::string name, std::string long_name, std::string description,
                                 std::string role) {
  return {std::move(name),
          store::ColumnType::f64,
          "s",
          std::move(long_name),
          std::move(description),
          {},
          std::move(role),
          "smaller"};
}

template <typename Rows>
store::Schema schema_of(const Rows& rows) {
  store::Schema schema;
  for (const auto& row : rows) {
    schema.push_back({std::string(row.name),
                      store::ColumnType::f32,
                      std::string(row.units),
                      std::string(row.long_name),
                      std::string(row.description),
                      {},
                      std::string(row.role),
                      std::string(name_of(row.better))});
  }
  return schema;
}

// What is a function is the same value with words of its own in every kind.
template <typename Estimate>
struct Shared {
  using At = Evaluated<Estimate>;
  using Row = ColumnRow<Estimate>;

  // Of one unit of work.
  static double unit_energy(const At& at) { return at.energy_j / at.work_units; }
  static double unit_cost(const At& at) { return at.price.cost_usd() / (at.work_units * 1e-6); }
  static double unit_carbon(const At& at) { return at.price.carbon_kg() / (at.work_units * 1e-6); }

  static constexpr auto energy(std::string_view of_token, std::string_view of_token_description,
                               std::string_view average_description) {
    return joined(
        std::to_array<Row>({{"energy_per_token", "J", of_token, of_token_description, "unit_energy",
                             Better::smaller, &unit_energy, Bounded::yes}}),
        power(average_description));
  }
  static constexpr auto power(std::string_view average_description) {
    return std::to_array<Row>({
        {"average_power", "W", "average power per device", average_description, "", Better::smaller,
         [](const At& at) { return at.energy_j / at.period_s / at.job.devices(); }},
        {"device_power", "W", "average power of a device",
         "What the thermal design power covers: of the networks only what the device itself burns.",
         "", Better::smaller, [](const At& at) { return at.estimate.device_power_w; }},
    });
  }
  static constexpr auto memory(std::string_view total_description) {
    return std::to_array<Row>({
        {"memory_total", "B", "memory used", total_description, "", Better::smaller,
         [](const At& at) { return at.estimate.memory.total_bytes(); }, Bounded::exact},
        {"memory_weights", "B", "memory of weights", "Share of memory_total: parameters.", "",
         Better::smaller, [](const At& at) { return at.estimate.memory.weights_bytes; },
         Bounded::exact},
    });
  }
  static constexpr Row memory_activations(std::string_view description) {
    return {"memory_activations",
            "B",
            "memory of activations",
            description,
            "",
            Better::smaller,
            [](const At& at) { return at.estimate.memory.activations_bytes; },
            Bounded::exact};
  }

  // What a technology of a name comes to: an axis of names is read as these.
  static constexpr auto device = std::to_array<Row>({
      {"memory_capacity", "B", "memory capacity", "Bytes that one device has.", "capacity",
       Better::neither, [](const At& at) { return at.job.memory_capacity_bytes; }},
      {"tensor_peak", "s-1", "peak of matrix units",
       "FLOP per second of one device at its own clock, dense, at the precision of linear layers.",
       "rate:tensor_compute axis:logic axis:device", Better::neither,
       [](const At& at) { return at.job.tensor_peak_flop_per_s; }},
      {"dram_bandwidth", "B s-1", "DRAM bandwidth", "Bytes per second of the memory of one device.",
       "rate:dram axis:device axis:memory axis:memory_of", Better::neither,
       [](const At& at) { return at.job.dram_bytes_per_s; }},
      {"scale_up_bandwidth", "B s-1", "scale-up bandwidth",
       "Bytes per second of one device inside its domain, one direction.",
       "rate:scale_up axis:device axis:scale_up", Better::neither,
       [](const At& at) { return at.job.scale_up_bytes_per_s; }},
      {"scale_out_bandwidth", "B s-1", "scale-out bandwidth",
       "Bytes per second of one device between domains, one direction.",
       "rate:scale_out axis:device axis:scale_out axis:topology", Better::neither,
       [](const At& at) { return at.job.scale_out_bytes_per_s; }},
  });
  static constexpr auto shares_and_capital = std::to_array<Row>({
      {"share_core_area", "1", "area share of cores",
       "Of the die area that interfaces leave: cores; L2 has the rest. NaN for a catalogued "
       "device.",
       "allocated", Better::neither,
       [](const At& at) { return at.job.shares.core_area.value_or(unknown); }},
      {"share_memory_edge", "1", "edge share of memory",
       "Of the outer die edge: memory. NaN for a catalogued device.", "allocated", Better::neither,
       [](const At& at) { return at.job.shares.memory_edge.value_or(unknown); }},
      {"share_memory_power", "1", "power share of memory",
       "Of the power: what memory takes. NaN for a catalogued device.", "allocated",
       Better::neither, [](const At& at) { return at.job.shares.memory_power.value_or(unknown); }},
      {"capital_cost", "USD", "capital cost",
       "Price of all devices with their networks and servers, and of the site by their power. NaN "
       "where the catalog lacks a part, here and in what follows.",
       "", Better::smaller, [](const At& at) { return at.price.capital_usd; }, Bounded::yes},
      {"price_of_wafer", "USD", "price of a wafer", "Of a processed wafer of the dies of a device.",
       "wafer_price", Better::neither,
       [](const At& at) {
         return at.job.ownership ? at.job.ownership->device.wafer_price.si() : unknown;
       }},
      {"yield_of_dies", "1", "yield of dies", "Part of the dies of a wafer that is sold.",
       "die_yield", Better::neither,
       [](const At& at) {
         return at.job.ownership ? at.job.ownership->device.die_yield : unknown;
       }},
      {"density_of_defects", "m-2", "density of defects",
       "On a wafer of these dies. NaN where their yield is given, or where devices that process "
       "prompts have other dies.",
       "defect_density", Better::neither, [](const At& at) { return density_of_defects(at.job); }},
      {"clustering_of_defects", "1", "clustering of defects",
       "alpha of the yield (1 + A D0 / alpha)^-alpha.", "defect_clustering", Better::neither,
       [](const At& at) {
         return at.job.ownership ? at.job.ownership->device.clustering : unknown;
       }},
  });

  static constexpr Row cost_per_million_tokens(std::string_view long_name,
                                               std::string_view description) {
    return {"cost_per_million_tokens", "USD",           long_name,  description,
            "as_time unit_cost",       Better::smaller, &unit_cost, Bounded::yes};
  }
  template <technology::Capital part>
  static double part_of_cost(const At& at) {
    return at.price.parts_usd[static_cast<std::size_t>(part)] / (at.work_units * 1e-6);
  }
  template <technology::Repricing what>
  static double repriced_part(const At& at) {
    return at.price.repricing_usd[static_cast<std::size_t>(what)] / (at.work_units * 1e-6);
  }
  static constexpr auto cost_parts = std::to_array<Row>({
      {"cost_silicon", "USD", "cost of silicon",
       "Share of the cost per million: dies, at what their maker asks for them.",
       "as_time cost:silicon", Better::smaller, &part_of_cost<technology::Capital::silicon>,
       Bounded::yes},
      {"cost_memory", "USD", "cost of memory",
       "Share of the cost per million: DRAM of the devices.", "as_time cost:memory",
       Better::smaller, &part_of_cost<technology::Capital::memory>, Bounded::yes},
      {"cost_package", "USD", "cost of packages",
       "Share of the cost per million: what carries dies and memory, and assembly.",
       "as_time cost:package", Better::smaller, &part_of_cost<technology::Capital::package>,
       Bounded::yes},
      {"cost_network", "USD", "cost of networks",
       "Share of the cost per million: links, adapters, switches and cables.",
       "as_time cost:network", Better::smaller, &part_of_cost<technology::Capital::network>,
       Bounded::yes},
      {"cost_server", "USD", "cost of servers",
       "Share of the cost per million: hosts, boards and chassis.", "as_time cost:server",
       Better::smaller, &part_of_cost<technology::Capital::server>, Bounded::yes},
      {"cost_facility", "USD", "cost of the facility",
       "Share of the cost per million: building, delivery of power and cooling, by the power "
       "that must be there.",
       "as_time cost:facility", Better::smaller, &part_of_cost<technology::Capital::facility>,
       Bounded::yes},
      {"cost_energy", "USD", "cost of energy",
       "Share of the cost per million: energy of devices, networks and servers.",
       "as_time cost:energy", Better::smaller,
       [](const At& at) { return at.price.energy_usd / (at.work_units * 1e-6); }, Bounded::yes},
      // What a row needs to be priced again.
      {"cost_by_other_margin", "USD", "cost by the other margin",
       "Cost per million if the maker's margin were a fixed sum per device, that of the product "
       "its template or it is priced like; with [economics] margin if it grew with what dies cost. "
       "NaN where no product says.",
       "as_time cost_by_other_margin", Better::smaller,
       [](const At& at) { return at.price.otherwise_usd() / (at.work_units * 1e-6); },
       Bounded::yes},
      {"cost_of_wafers", "USD", "cost that grows with wafers",
       "Part of the cost per million that is proportional to the price of wafers, as margins are "
       "taken: dies, and those that assembly loses.",
       "as_time cost_of_wafers", Better::smaller, &repriced_part<technology::Repricing::wafers>,
       Bounded::yes},
      {"cost_of_lost_memory", "USD", "cost of lost memory",
       "Part of cost_package: stacks that assembly loses.", "as_time cost_of_lost_memory",
       Better::smaller, &repriced_part<technology::Repricing::lost_memory>, Bounded::yes},
  });

  static constexpr Row carbon_per_million_tokens(std::string_view long_name,
                                                 std::string_view description) {
    return {"carbon_per_million_tokens",
            "kg",
            long_name,
            description,
            "as_time",
            Better::smaller,
            &unit_carbon,
            Bounded::yes};
  }
  static constexpr double known_or_not(double uncertainty) {
    return uncertainty > 0.0 ? uncertainty : unknown;
  }
  static constexpr Row relative_uncertainty(std::string_view long_name,
                                            std::string_view description) {
    return {"relative_uncertainty",
            "1",
            long_name,
            description,
            "uncertainty",
            Better::neither,
            [](const At& at) { return known_or_not(at.estimate.relative_uncertainty); }};
  }
};

// Of inference and serving.
template <typename Estimate>
struct SharedByInference : Shared<Estimate> {
  using Of = Shared<Estimate>;
  using At = Evaluated<Estimate>;
  using Row = ColumnRow<Estimate>;

  static constexpr auto throughput(std::string_view description) {
    return std::to_array<Row>({
        {"tokens_per_second", "s-1", "output throughput", description, "throughput", Better::larger,
         [](const At& at) { return at.estimate.tokens_per_s; }, Bounded::yes},
        {"tokens_per_second_per_device", "s-1", "output throughput per device",
         "tokens_per_second over devices.", "device_throughput", Better::larger,
         [](const At& at) { return at.estimate.tokens_per_s / at.job.devices(); }, Bounded::yes},
    });
  }
  template <std::size_t which>
  static constexpr Row request_count(std::string_view role, Better better) {
    constexpr const estimator::RequestCount& count = estimator::request_counts[which];
    return {
        count.name,
        "1",
        count.long_name,
        count.description,
        role,
        better,
        [](const At& at) { return at.estimate.requests().*estimator::request_counts[which].value; },
        Bounded::exact};
  }
  static constexpr auto in_flight() {
    return std::to_array<Row>(
        {request_count<0>("", Better::neither), request_count<1>("", Better::neither)});
  }
  template <estimator::PrefixTier tier>
  static double found(const At& at) {
    return at.estimate.prefixes.found[index_of(tier)];
  }
  // What requests share.
  static constexpr auto reuse() {
    return std::to_array<Row>({
        {"found_in_device", "1", "found in device memory",
         "Share of prompts whose keys and values device memory has already.", "", Better::larger,
         &found<estimator::PrefixTier::device>},
        {"found_in_host", "1", "found in host memory", "The same of host memory, to be loaded.", "",
         Better::larger, &found<estimator::PrefixTier::host>},
        {"found_in_storage", "1", "found in storage", "The same of storage, to be loaded.", "",
         Better::larger, &found<estimator::PrefixTier::storage>},
        {"prefix_load", "s", "time to load a prefix",
         "What a mean request finds in the host and in storage, with nothing beside it.", "",
         Better::smaller, [](const At& at) { return at.estimate.prefixes.load_s; }},
        {"prefix_recompute", "s", "time to compute a prefix again",
         "What prefix_load would take if it were computed, by a replica that does nothing else.",
         "", Better::neither, [](const At& at) { return at.estimate.prefixes.recompute_s; }},
        {"memory_prefixes", "B", "memory of prefixes",
         "Share of memory_total: for prompts of requests that are done, beside memory_cache.", "",
         Better::smaller, [](const At& at) { return at.estimate.memory.prefix_bytes; },
         Bounded::exact},
        {"memory_adapters", "B", "memory of adapters", "Share of memory_weights.", "",
         Better::smaller, [](const At& at) { return at.estimate.memory.adapter_bytes; },
         Bounded::exact},
    });
  }
  static constexpr auto memory_and_device(std::string_view cache_description) {
    return joined(
        Of::memory(
            "Bytes in use on the fullest device at this batch: weights, cache, activations and "
            "prefixes."),
        std::to_array<Row>({
            {"memory_cache", "B", "memory of the cache", cache_description, "", Better::smaller,
             [](const At& at) { return at.estimate.memory.cache_bytes; }, Bounded::exact},
            Of::memory_activations("Share of memory_total: what an iteration works on."),
            {"memory_usable", "B", "memory usable",
             "Bytes of one device that the framework may use. It decides what fits.", "",
             Better::neither, [](const At& at) { return at.estimate.memory.usable_bytes; }},
        }),
        Of::device,
        std::to_array<Row>({request_count<2>("nearest:does_not_fit", Better::larger),
                            request_count<3>("", Better::larger)}),
        Of::shares_and_capital);
  }
  static constexpr auto price(std::string_view cost_description, std::string_view uncertainty) {
    return joined(std::to_array<Row>({Of::cost_per_million_tokens("cost per million output tokens",
                                                                  cost_description)}),
                  Of::cost_parts,
                  std::to_array<Row>({
                      Of::carbon_per_million_tokens("carbon per million output tokens",
                                                    "Embodied and operational CO2 equivalent."),
                      Of::relative_uncertainty(
                          uncertainty,
                          "Two of three measured cases lie within it. NaN where it is not known."),
                  }));
  }
};

// Of batches whose devices work at one clock (estimator::BatchEstimate), in the words of what they
// are made of.
template <typename Estimate, const WorkUnit& unit>
struct SharedByBatches : Shared<Estimate> {
  using Of = Shared<Estimate>;
  using At = Evaluated<Estimate>;
  using Row = ColumnRow<Estimate>;

  static constexpr FixedText rate = {unit.many, "_per_second"};
  static constexpr FixedText rate_words = {unit.many, " per second"};
  static constexpr FixedText device_rate = {unit.many, "_per_second_per_device"};
  static constexpr FixedText device_rate_words = {unit.many, " per second per device"};
  static constexpr FixedText device_rate_description = {unit.many, "_per_second over devices."};
  static constexpr FixedText energy_of_one = {"energy_per_", unit.one};
  static constexpr FixedText energy_of_one_words = {"energy per ", unit.one};
  static constexpr FixedText cost = {"cost_per_million_", unit.many};
  static constexpr FixedText cost_words = {"cost per million ", unit.many};
  static constexpr FixedText carbon = {"carbon_per_million_", unit.many};
  static constexpr FixedText carbon_words = {"carbon per million ", unit.many};

  static constexpr auto throughput(std::string_view description) {
    return std::to_array<Row>({
        {rate.view(), "s-1", rate_words.view(), description, "throughput", Better::larger,
         [](const At& at) { return at.work_units / at.time_s; }},
        {device_rate.view(), "s-1", device_rate_words.view(), device_rate_description.view(),
         "device_throughput", Better::larger,
         [](const At& at) { return at.work_units / at.time_s / at.job.devices(); }},
    });
  }
  static constexpr Row utilization(std::string_view description) {
    return {"model_flop_utilization",
            "1",
            "model FLOP utilization",
            description,
            "as_rate utilization",
            Better::larger,
            [](const At& at) { return at.estimate.model_flop_utilization; }};
  }
  static constexpr auto clock_and_energy(std::string_view energy_of_one_description) {
    return joined(
        std::to_array<Row>({
            {"clock", "Hz", "clock",
             "Clock of the device; below its own where a batch would exceed the thermal design "
             "power.",
             "", Better::neither,
             [](const At& at) { return at.job.clock_hz * at.estimate.clock_fraction; }},
            {"energy_per_batch", "J", "energy per batch",
             "Energy of all devices and networks in one batch.", "", Better::smaller,
             [](const At& at) { return at.energy_j; }},
            {energy_of_one.view(), "J", energy_of_one_words.view(), energy_of_one_description,
             "unit_energy", Better::smaller, &Of::unit_energy},
        }),
        Of::power("Energy per batch over its time and devices: networks are part of it."));
  }
  // What decides whether it fits.
  static constexpr auto room(std::string_view short_description) {
    return std::to_array<Row>({
        {"memory_usable", "B", "memory usable",
         "Bytes of one device that tensors may use. It decides what fits.", "", Better::neither,
         [](const At& at) { return at.estimate.memory.usable_bytes; }},
        {"memory_short", "B", "memory short", short_description, "nearest:does_not_fit",
         Better::smaller, [](const At& at) { return at.estimate.memory.short_bytes(); }},
    });
  }
  static constexpr auto device_and_price() {
    return joined(
        Of::device, Of::shares_and_capital,
        std::to_array<Row>({
            {cost.view(), "USD", cost_words.view(),
             "Capital written off in the time of a batch, and the energy of devices, networks and "
             "servers.",
             "as_time unit_cost", Better::smaller, &Of::unit_cost},
        }),
        Of::cost_parts,
        std::to_array<Row>({
            {carbon.view(), "kg", carbon_words.view(), "Embodied and operational CO2 equivalent.",
             "as_time", Better::smaller, &Of::unit_carbon},
        }));
  }

  template <typename Rows>
  static EstimateColumns columns(const Rows& rows, std::span<const std::string_view> phases,
                                 std::string time_description) {
    return {time_column("batch_time", "batch time", std::move(time_description), "time rank"),
            phases,
            schema_of(rows),
            {},
            {"batch_time", energy_of_one.view(), "accelerators"}};
  }
};

// Replaces what the row holds. Where the time is NaN, so is every figure that needs one; `charges`
// and the phases of the estimate, times `scale`, sum to the time. Each getter is known when this is
// compiled, so that none is called through its pointer.
template <const auto& rows, typename Estimate, std::size_t phases>
void set_row(EstimateRow& row, Status status, const Evaluated<Estimate>& at,
             const estimator::Charges& charges, const std::array<double, phases>& phase_s,
             double scale = 1.0) {
  row.status = status;
  row.time_s = at.time_s;
  row.charges = scale * charges;
  row.labels.clear();
  row.figures.resize(phases + rows.size());
  double* value = row.figures.data();
  const bool has_time = std::isfinite(at.time_s);
  for (const double phase : phase_s) {
    *value++ = has_time ? scale * phase : unknown;
  }
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((*value++ = has_time || !needs_time(rows[i].name) ? rows[i].getter(at) : unknown), ...);
  }
  (std::make_index_sequence<rows.size()>{});
}

// Of each figure.
template <typename Rows>
std::vector<Bounded> bounded_of(const Rows& rows) {
  std::vector<Bounded> bounded;
  for (const auto& row : rows) {
    bounded.push_back(row.bounded);
  }
  return bounded;
}

// The first row whose role is this one alone.
template <const auto& rows>
constexpr std::size_t row_with(std::string_view role) {
  std::size_t row = 0;
  while (row < rows.size() && rows[row].role != role) {
    ++row;
  }
  return row;
}

// How near an estimate came to being feasible, by the row with the role nearest:<status>, as
// store::OutcomeCell has it: of bytes over the capacity of a device, as the columns hold both; the
// negative of what is better where it is larger. What the row needs of the estimate is not its
// energy or price.
template <const auto& rows, std::size_t row, typename Estimate>
double nearest_figure(const Estimate& estimate, const JobFigures& job) {
  static_assert(row < rows.size());
  const Evaluated<Estimate> at = {estimate, job, 0.0, 0.0, 0.0, 0.0, no_price};
  constexpr bool is_of_capacity = rows[row].units == "B";
  const double value = stored_figure(rows[row].getter(at));
  const double scaled =
      is_of_capacity ? value / static_cast<double>(static_cast<float>(job.memory_capacity_bytes))
                     : value;
  return rows[row].better == Better::larger ? -scaled : scaled;
}

// A label of what an estimator says.
inline store::Column least_known_column() {
  store::Column column = with_absent_none(
      labelled("least_known", "least known of the point",
               "What no measured case has, of device, framework and scale or as a trait of the "
               "point, which widens relative_uncertainty; the first if there are several. none: "
               "all has been measured, or there is no estimate.",
               or_none(technology::trait_names.list())));
  column.role = "least_known";
  return column;
}

template <typename Estimate>
std::uint8_t least_known_label(const Estimate& estimate) {
  return static_cast<std::uint8_t>(estimate.least_known);
}

// Of a step or a batch, whose charges sum to its time: a row of its estimate, a figure of what it
// is at least, and how near it came to the memory of a device.
template <const auto& rows, typename Estimate>
void set_batch_row(EstimateRow& row, const Estimate& estimate, const JobFigures& job,
                   const estimator::Charges& charges) {
  const double time_s = charges.total_s();
  set_row<rows>(row, status_of_batch(estimate),
                Evaluated<Estimate>::of(estimate, job, time_s, time_s, job.work_units), charges,
                estimate.phase_s);
  if constexpr (requires { estimate.least_known; }) {
    row.labels = {least_known_label(estimate)};
  }
}

template <const auto& rows, typename Estimate>
double bounded_batch_figure(const Estimate& least, const JobFigures& job,
                            const estimator::Charges& charges, std::size_t figure) {
  const double time_s = charges.total_s();
  return rows[figure].getter(Evaluated<Estimate>::of(least, job, time_s, time_s, job.work_units));
}

template <const auto& rows, typename Estimate>
double memory_shortfall(const Estimate& estimate, const JobFigures& job) {
  return nearest_figure<rows, row_with<rows>("nearest:does_not_fit")>(estimate, job);
}

}  // namespace scalesweep::study
