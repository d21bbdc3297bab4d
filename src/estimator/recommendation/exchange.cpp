#include "estimator/recommendation/exchange.hpp"

#include <algorithm>

#include "estimator/parts/collective.hpp"

namespace scalesweep::estimator {
namespace {

using parallel::CollectiveKind;

// Where devices have different shares, all wait for the widest, and the others send less.
Cost uneven(Cost of_widest, double mean_over_widest) {
  of_widest.work *= mean_over_widest;
  return of_widest;
}

// Gradients that every device has of all samples it saw: reduced as they are, or, where that is
// less, rows that were looked up are gathered with their indices and added up by each device.
Cost gradient_cost(const RecommendationJob& job, const PlacedTables& tables,
                   DeviceCollectives& devices) {
  const double w = job.activation_bytes();
  const double samples = static_cast<double>(job.batch);
  double reduced = job.model.dense_parameters() * w;
  const double copies = tables.copied_elements * w;
  const double rows =
      samples * (tables.copied_columns * w + tables.copied_lookups * row_index_bytes);
  const bool as_they_are = 2.0 * copies <= rows;
  reduced += as_they_are ? copies : 0.0;
  Cost cost = devices.send(CollectiveKind::all_reduce, reduced);
  if (!as_they_are) {
    cost += devices.send(CollectiveKind::all_gather, rows);
  }
  return cost;
}

}  // namespace

DeviceCollectives::DeviceCollectives(std::int64_t devices, const technology::System& system)
    : system_(&system), devices_(devices), group_(parallel::group_of(devices, levels_of(system))) {}

const Cost& DeviceCollectives::send(CollectiveKind kind, double bytes) {
  for (const Known& known : known_) {
    if (known.kind == kind && known.bytes == bytes) {
      return known.cost;
    }
  }
  parallel::Collective collective;
  collective.kind = kind;
  collective.group = group_;
  collective.bytes = bytes;
  return known_.emplace_back(Known{kind, bytes, collective_cost(collective, *system_).cost}).cost;
}

RowExchange row_exchange(const RecommendationJob& job, const PlacedTables& tables,
                         DeviceCollectives& devices) {
  RowExchange exchange;
  if (devices.devices() <= 1) {
    return exchange;
  }
  const double w = job.activation_bytes();
  const auto samples = static_cast<double>(job.batch);
  const double own_samples = samples / static_cast<double>(devices.devices());
  const double pooled = samples * tables.widest_columns * w;
  const double unpooled = own_samples * tables.unpooled_columns * w;
  const double summed = samples * tables.summed_columns * w;
  const double mean = samples * tables.mean_columns * w;
  const double together = pooled + unpooled;
  const double evenness = together > 0.0 ? (mean + unpooled) / together : 1.0;
  const Cost rows = uneven(devices.send(CollectiveKind::all_to_all, together), evenness);
  exchange.forward = rows + devices.send(CollectiveKind::reduce_scatter, summed);
  exchange.bytes = together + summed;
  if (job.stack.exchanges_indices) {
    const double bytes = own_samples * tables.sent_indices * row_index_bytes;
    exchange.indices = devices.send(CollectiveKind::all_to_all, bytes);
    exchange.bytes += bytes;
  }
  if (job.trains()) {
    exchange.backward = rows + devices.send(CollectiveKind::all_gather, summed);
    exchange.gradients = gradient_cost(job, tables, devices);
    exchange.bytes += together + summed;
  }
  return exchange;
}

}  // namespace scalesweep::estimator
