#include "estimator/inference/bounds/asked_rate.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "estimator/inference/queueing/queueing.hpp"
#include "estimator/parts/power/energy.hpp"
#include "estimator/parts/power/power_limit.hpp"

namespace scalesweep::estimator {
namespace {

// What tests draw of states that differ in their sequences alone (AskedRateProperty): fewer may
// fill tiles and waves of GEMMs better, and be served faster altogether (by 38 % at the most in
// 20,000 draws) or take less energy each (31 % less in 30,000; once 52 %, where so few rows of each
// expert are multiplied without the matrix units, whose tiles many fill to a small part).
constexpr double fewer_are_faster = 0.5;
constexpr double fewer_take_less = 0.6;
// An iteration of more sequences takes longer, within what tiles change.
constexpr double more_are_shorter = 0.03;
// What an estimate takes of its limit at the most, and still keeps its clock.
constexpr double surely_below_limit = 0.9;
constexpr int most_trials = 3;
constexpr double rate_rounding = 1e-4;

bool is_far_below(double request_rate, double asked) {
  return (1.0 + fewer_are_faster) * request_rate < asked;
}

// So few rows are multiplied without the matrix units, and may take far less time than one more:
// sequences of all replicas whose iterations have no more.
double few_sequences(const Service& service) {
  const Demand& demand = *service.demand;
  const double rows = demand.setting.system.device.matmul_fit.gemv_rows;
  const double draft = static_cast<double>(demand.job.inference.speculation.draft);
  return std::max(1.0, std::floor(rows / (draft + 1.0))) * service.replicas() *
         service.decode.micro_batches;
}

// No clock takes less: what is switched goes with the square of the voltage.
LeastEnergy slowest(const technology::System& system, LeastEnergy full, double devices) {
  const technology::System slow = at_clock_step(system, slowest_step(system.device));
  const double share = system.device.vector_energy.si() > 0.0
                           ? slow.device.vector_energy / system.device.vector_energy
                           : 1.0;
  return {idle_energy(slow, devices).total_j(), share * full.request_j};
}

}  // namespace

bool arrives_less(const ServingJob& job, double asked) {
  return job.arrival_rate > 0.0 && (1.0 + rate_rounding) * job.arrival_rate < asked;
}

LeastEnergy least_idle_energy(const technology::System& system, double devices) {
  return slowest(system, {}, devices);
}

LeastEnergy least_energy(const Service& service, const SteadyState& state, bool prompts_too) {
  const technology::System& system = service.demand->setting.system;
  const auto devices = static_cast<double>(service.decode.devices());
  const Work work = prompts_too ? state.work_per_s + state.prompt_work_per_s : state.work_per_s;
  const double idle_w = idle_energy(system, devices).total_j();
  const double device_w = idle_energy_of_devices(system.device, devices).total_j();
  const double work_w = energy_of(system, work, 0.0, 1.0).total_j();
  const LeastEnergy full = {idle_w, (1.0 - fewer_take_less) * work_w / state.request_rate};
  const double limit_w = surely_below_limit * devices * system.device.thermal_design_power.si();
  const bool is_slower = state.clock_step > 0 ||
                         (prompts_too && service.prompts && service.prompts->clock_fraction < 1.0);
  return is_slower || (limit_w > 0.0 && device_w + work_w > limit_w)
             ? slowest(system, full, devices)
             : full;
}

double AskedService::rate(const SteadyState& state) {
  if (!rate_) {
    rate_ = (*asked_)(least_energy(*service_, state, prompts_too_));
  }
  return *rate_;
}

bool AskedService::is_less(const SteadyState& state) {
  const double asked = rate(state);
  if (!is_far_below(state.request_rate, asked)) {
    return false;
  }
  const double few = few_sequences(*service_);
  if (state.batch <= few) {
    return true;
  }
  if (!few_rate_) {
    few_rate_ = service_->at(loop_, few).request_rate;
  }
  return is_far_below(*few_rate_, asked);
}

namespace {

struct Tried {
  double own = 0.0;  // sequences of a replica
  double request_rate = 0.0;
};

// Between two states as a power of the sequences, a little below what is asked for. Where there is
// no lower one, so many fewer as are asked for less: no less is served then.
double guess(const std::optional<Tried>& low, const Tried& high, double asked) {
  const double aim = 0.97 * asked / (1.0 + fewer_are_faster);
  const double slope =
      low ? std::log(high.own / low->own) / std::log(high.request_rate / low->request_rate) : 1.0;
  const double own = high.own * std::pow(aim / high.request_rate, slope);
  return own > 1.0 ? std::floor(own) : own;
}

// Whether no state that serves what is asked for keeps the limit on the time per output token,
// which grows with the sequences.
bool decodes_less(const Service& service, double limit_s, AskedService& asked,
                  const SteadyState& most) {
  const auto is_slow = [&](const SteadyState& state) {
    return state.time_per_output_token_s > (1.0 + more_are_shorter) * limit_s;
  };
  if (!is_slow(most)) {
    return false;
  }
  Tried high = {most.batch / service.replicas(), most.request_rate};
  std::optional<Tried> low;
  for (int trial = 0; trial < most_trials; ++trial) {
    const double own = guess(low, high, asked.rate(most));
    if (!(own < high.own) || (low && own <= low->own)) {
      return false;
    }
    const SteadyState state = service.at(Loop::open, own * service.replicas());
    const bool less = asked.is_less(state);
    if (less == is_slow(state)) {
      return less;
    }
    (less ? low.emplace() : high) = {own, state.request_rate};
  }
  return false;
}

}  // namespace

// Replicas that process prompts are as few as take what is asked for, and all others decode: of
// those, the time per output token alone limits how many sequences there are.
bool split_serves_less(const Demand& demand, const parallel::Strategy& strategy,
                       const AskedRate& asked) {
  const std::int32_t together = replicas_in_step(strategy);
  const std::int32_t groups = strategy.data_parallel / together;
  const auto is_known = [](const Service& service) {
    return service.most_batch >= service.replicas() && !service.may_keep;
  };
  const ServingJob& job = demand.job;
  const double any =
      asked(least_idle_energy(demand.setting.system, static_cast<double>(strategy.devices())));
  if (any <= 0.0 || job.concurrency > 0.0) {
    return false;
  }
  const Service one = pools_service(demand, strategy, together);
  if (!is_known(one)) {
    return false;
  }
  if (arrives_less(job, any)) {
    return true;
  }
  const double of_group = together * highest_utilisation / one.prompts->next_s;
  double least_groups = 1.0;
  while (least_groups < groups && (1.0 + rate_rounding) * least_groups * of_group < any) {
    ++least_groups;
  }
  if (least_groups >= groups) {
    return true;
  }
  const Service service =
      pools_service(demand, strategy, static_cast<std::int32_t>(least_groups) * together);
  const SteadyState most = service.at(Loop::open, service.most_batch);
  AskedService of_service(service, Loop::open, asked, true);
  const bool is_free = job.arrival_rate > 0.0 || demand.mix.decoded() <= 0.0;
  const double limit_s = is_free ? 0.0 : job.limits.time_per_output_token_s;
  return of_service.is_less(most) ||
         (limit_s > 0.0 && decodes_less(service, limit_s, of_service, most));
}

ServingEstimate serving_at_most(double request_rate, double output_tokens,
                                const LeastEnergy& energy) {
  ServingEstimate estimate;
  estimate.request_rate = request_rate;
  estimate.tokens_per_s = request_rate * output_tokens;
  estimate.energy.tensor_j = energy.idle_w + request_rate * energy.request_j;
  return estimate;
}

}  // namespace scalesweep::estimator
