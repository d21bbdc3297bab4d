#include "study/savings.hpp"

#include <any>
#include <limits>
#include <utility>

#include "estimator/inference/job.hpp"
#include "estimator/parts/charges.hpp"

namespace scalesweep::study {
namespace {

using estimator::Resource;

constexpr double unlimited = 1e9;  // times as fast; more than any time has digits for

void make_links_faster(technology::System& system, bool inside, double factor) {
  for (std::size_t level = 0; level < system.levels.size(); ++level) {
    if ((level <= system.domain_level) == inside) {
      system.levels[level].link.bandwidth *= factor;
    }
  }
}

void shorten_latencies(technology::System& system, double factor) {
  technology::Device& device = system.device;
  technology::AttentionKernels& attention = device.attention;
  for (Seconds* latency :
       {&device.kernel_latency, &device.matmul.split_latency, &attention.block_latency,
        &attention.prefill_latency, &attention.decode_latency, &attention.merge_latency,
        &attention.decode_block_latency, &attention.narrow_latency}) {
    *latency *= 1.0 / factor;
  }
  for (Seconds& latency : device.matmul.quantize_latency) {
    latency *= 1.0 / factor;
  }
  for (technology::LinkLevel& level : system.levels) {
    for (Seconds* latency : {&level.link.latency, &level.link.call_latency, &level.link.handshake,
                             &level.link.one_shot_latency}) {
      *latency *= 1.0 / factor;
    }
    level.link.fit.word_bytes_per_s *= factor;
    level.link.fit.direct_latency_s /= factor;
    level.link.fit.pair_word_bytes_per_s *= factor;
  }
}

// What hosts and kernels of a stack wait for, whatever the device.
void shorten_latencies(workload::ServingStack& stack, double factor) {
  for (double* fixed_s :
       {&stack.prefill_issue_interval_s, &stack.decode_issue_interval_s,
        &stack.collective_issue_interval_s, &stack.kernel_gap_s, &stack.iteration_overhead_s,
        &stack.sequence_overhead_s, &stack.request_overhead_s}) {
    *fixed_s /= factor;
  }
}

void make_faster(technology::System& system, Resource resource, double factor) {
  technology::Device& device = system.device;
  switch (resource) {
    case Resource::tensor_compute:
      for (FlopPerSecond& peak : device.tensor_peak) {
        peak *= factor;
      }
      break;
    case Resource::vector_compute:
      device.vector_peak *= factor;
      break;
    case Resource::dram:
      device.dram.bandwidth *= factor;
      break;
    case Resource::l2:
      device.l2.bandwidth *= factor;
      break;
    case Resource::shared_memory:
      device.shared.bandwidth *= factor;
      break;
    case Resource::scale_up:
    case Resource::scale_out:
      make_links_faster(system, resource == Resource::scale_up, factor);
      break;
    case Resource::host:
      device.host_bandwidth *= factor;
      break;
    case Resource::latency:
      shorten_latencies(system, factor);
      break;
    case Resource::storage:
      break;  // no step or batch reads any
  }
}

// What of a resource is part of the software.
void make_faster(Job& job, Resource resource, double factor) {
  make_training_faster(job, resource, factor);
  if (auto* const inference = std::any_cast<estimator::InferenceJob>(&job.work)) {
    if (resource == Resource::latency) {
      shorten_latencies(inference->stack, factor);
    }
  }
}

// NaN where there is no estimate.
double time_s(const WorkloadKind& kind, Job job, const SystemChoice& systems,
              const parallel::Strategy& strategy) {
  const auto estimator = kind.estimator(std::move(job), systems, {}, nullptr);
  return estimator->estimate(strategy).estimated ? estimator->rank()
                                                 : std::numeric_limits<double>::quiet_NaN();
}

double saving(const WorkloadKind& kind, const Point& point, double now_s, Resource resource,
              double factor) {
  Job job = point.job;
  SystemChoice systems = point.system;
  make_faster(job, resource, factor);
  make_faster(*systems.system, resource, factor);
  return 1.0 - time_s(kind, std::move(job), systems, point.strategy) / now_s;
}

}  // namespace

SavingsOfPoints::SavingsOfPoints(const Study& study)
    : kind_(&study.kind()), point_at_(study.make_points()) {}

std::vector<Saving> SavingsOfPoints::of(PointId id) const {
  if (kind_ != &training_kind() && kind_ != &inference_kind()) {
    return {};
  }
  const Point point = point_at_(id);
  if (point.filtered || !point.system.system) {
    return {};
  }
  const double now_s = time_s(*kind_, point.job, point.system, point.strategy);
  if (!(now_s > 0.0)) {
    return {};
  }
  std::vector<Saving> savings;
  for (std::size_t i = 0; i < estimator::resource_count; ++i) {
    const auto resource = static_cast<Resource>(i);
    if (resource != Resource::storage) {
      savings.push_back({std::string(estimator::name_of(resource)),
                         saving(*kind_, point, now_s, resource, 1.1),
                         saving(*kind_, point, now_s, resource, unlimited)});
    }
  }
  return savings;
}

}  // namespace scalesweep::study
