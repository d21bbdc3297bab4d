#include "estimator/recommendation/lookups.hpp"

#include <algorithm>
#include <cmath>

#include "workload/recommendation/row_popularity.hpp"

namespace scalesweep::estimator {
namespace {

// DRAM hands out no less at a time: a burst of an HBM pseudo channel (JESD235), and of others
// alike.
constexpr double burst_bytes = 64.0;
// What going to another row of cells takes, in bytes that would stream meanwhile. Rows of 512 bytes
// are read at 1300 of the 1430 GB/s that A100 streams (Mudigere et al., arXiv:2104.05158, section
// 5.1; from memory).
constexpr double opening_bytes = 51.0;
// A radix sort of indices with their bags, eight bits a pass: 12 bytes are read and written in each
// of four (Adinets and Merrill, Onesweep, arXiv:2206.01784, section 2).
constexpr double sort_bytes = 4.0 * 2.0 * 12.0;
// Its passes, and what finds the runs of equal indices.
constexpr double sort_launches = 6.0;

double row_bytes(const RecommendationJob& job, const DeviceTables& tables) {
  return tables.dim * job.table_bytes();
}

// That DRAM is busy for with one row, as bytes that stream.
double dram_row_bytes(double bytes) {
  return std::ceil(bytes / burst_bytes) * burst_bytes + opening_bytes;
}

double looked_up_bytes(const RecommendationJob& job, const std::vector<DeviceTables>& tables) {
  double bytes = 0.0;
  for (const DeviceTables& one : tables) {
    bytes += one.lookups() * row_bytes(job, one);
  }
  return bytes;
}

// What a kernel moves, and takes of the DRAM's time as bytes that stream.
struct Traffic {
  double dram_bytes = 0.0;
  double dram_busy_bytes = 0.0;
  double l2_bytes = 0.0;
  double host_bytes = 0.0;
  double flop = 0.0;

  void stream(double bytes) {
    dram_bytes += bytes;
    dram_busy_bytes += bytes;
    l2_bytes += bytes;
  }
  void rows(double count, double bytes) {
    dram_bytes += count * std::ceil(bytes / burst_bytes) * burst_bytes;
    dram_busy_bytes += count * dram_row_bytes(bytes);
  }
};

Cost cost_of(const Traffic& traffic, double launches, const RowRates& row_rates) {
  const Rates& rates = row_rates.rates;
  const double l2_bytes = rates.streamed_l2_bytes(traffic.l2_bytes);
  Cost cost;
  cost.time = longer(Charges::of(Resource::dram, traffic.dram_busy_bytes / rates.dram_bytes_per_s),
                     Charges::of(Resource::l2, l2_bytes / rates.l2_bytes_per_s));
  cost.time = longer(cost.time,
                     Charges::of(Resource::vector_compute, traffic.flop / rates.vector_flop_per_s));
  cost.time = longer(cost.time,
                     Charges::of(Resource::host, traffic.host_bytes / row_rates.host_bytes_per_s));
  cost.time += Charges::of(Resource::latency, launches * rates.latency_s);
  cost.work[Amount::vector_flop] = traffic.flop;
  cost.work[Amount::dram_bytes] = traffic.dram_bytes;
  cost.work[Amount::l2_bytes] = l2_bytes;
  return cost;
}

// Rows of one of these tables that stay in L2.
double rows_in_l2(const RecommendationJob& job, const DeviceTables& tables, double all_bytes,
                  const Rates& rates) {
  const double capacity = rates.matmul_fit.resident_share * rates.l2_capacity_bytes;
  const double own = tables.lookups() * row_bytes(job, tables) / all_bytes;
  return own * capacity / (tables.count * row_bytes(job, tables));
}

double share_of(const RecommendationJob& job, const DeviceTables& tables, double kept) {
  return workload::most_popular_share(tables.rows, kept, job.model.access_skew);
}

bool takes_pairs(const RecommendationJob& job) {
  return job.stack.fused_lookup && job.model.interaction == workload::Interaction::dot;
}

// Products of all pairs of vectors of a sample, beside what the kernel reads.
void add_pairs(Cost& cost, const workload::RecommendationModel& model, double samples,
               const Rates& rates) {
  const double vectors = model.table_count() + 1.0;
  const double flop = 2.0 * samples * whole_steps(vectors, rates.matrix_unit.rows) *
                      whole_steps(vectors, rates.matrix_unit.columns) *
                      static_cast<double>(model.bottom_output());
  const Charges launch = Charges::of(Resource::latency, rates.latency_s);
  const Charges products = Charges::of(Resource::tensor_compute, flop / rates.tensor_flop_per_s);
  cost.time = longer(cost.time - launch, products) + launch;
  cost.work[Amount::tensor_flop] += flop;
  cost.work[Amount::tensor_joules] += flop * rates.tensor_j_per_flop;
}

}  // namespace

LookupCost lookup_cost(const RecommendationJob& job, const std::vector<DeviceTables>& tables,
                       bool has_all_tables, const RowRates& rates) {
  const double all_bytes = looked_up_bytes(job, tables);
  LookupCost result;
  if (all_bytes <= 0.0) {
    return result;
  }
  Traffic traffic;
  result.has_pairs = has_all_tables && takes_pairs(job);
  double found = 0.0;
  for (const DeviceTables& one : tables) {
    const double lookups = one.lookups();
    const double bytes = row_bytes(job, one);
    const double in_l2 = share_of(job, one, rows_in_l2(job, one, all_bytes, rates.rates));
    const double in_memory = std::max(in_l2, share_of(job, one, job.resident * one.rows));
    traffic.rows((in_memory - in_l2) * lookups, bytes);
    traffic.host_bytes += (1.0 - in_memory) * lookups * std::max(bytes, burst_bytes);
    traffic.l2_bytes += lookups * bytes;
    const double sums = result.has_pairs ? 0.0 : one.results() * one.dim * job.activation_bytes();
    traffic.stream(lookups * row_index_bytes + sums);
    traffic.flop += lookups * one.dim;
    found += in_l2 * lookups;
    result.lookups += lookups;
  }
  result.found_in_l2 = found / result.lookups;
  if (result.has_pairs) {
    const double samples = tables.front().samples;
    traffic.stream(samples * job.activation_bytes() *
                   static_cast<double>(job.model.interactions() + job.model.bottom_output()));
  }
  result.cost = cost_of(traffic, 1.0, rates);
  if (result.has_pairs) {
    add_pairs(result.cost, job.model, tables.front().samples, rates.rates);
  }
  return result;
}

Cost update_cost(const RecommendationJob& job, const std::vector<DeviceTables>& tables,
                 const RowRates& rates) {
  const OptimizerState state = state_of(job.table_optimizer);
  Traffic traffic;
  for (const DeviceTables& one : tables) {
    const double lookups = one.lookups();
    const double bytes = row_bytes(job, one);
    const double gradient = one.dim * job.activation_bytes();
    // A bag's gradient comes from DRAM once, for all its rows.
    const double sums = one.results();
    traffic.stream(sums * gradient + lookups * sort_bytes);
    traffic.l2_bytes += (lookups - sums) * gradient;
    const double reached = one.count * workload::distinct_rows(one.rows, one.samples * one.pooling,
                                                               job.model.access_skew);
    const double in_memory = share_of(job, one, job.resident * one.rows);
    const double read_and_written = 2.0 * reached * in_memory;
    traffic.rows(read_and_written, bytes);
    traffic.l2_bytes += read_and_written * bytes;
    if (state.of_element > 0.0 || state.of_row > 0.0) {
      const double held = full_bytes * (state.of_element * one.dim + state.of_row);
      traffic.rows(read_and_written, held);
      traffic.l2_bytes += read_and_written * held;
    }
    traffic.host_bytes += 2.0 * (1.0 - in_memory) * reached * std::max(bytes, burst_bytes);
    traffic.flop += 3.0 * lookups * one.dim;
  }
  return traffic.flop > 0.0 ? cost_of(traffic, sort_launches + 1.0, rates) : Cost{};
}

}  // namespace scalesweep::estimator
