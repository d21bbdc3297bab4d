// Serving: the rate of requests that arrive all the time.
#include "study/kinds/serving.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "estimator/inference/bounds/asked_rate.hpp"
#include "estimator/inference/load/day_mean.hpp"
#include "estimator/inference/service/serving.hpp"
#include "estimator/inference/service/steady_state.hpp"
#include "estimator/parts/power/power_limit.hpp"
#include "estimator/reuse/prefix_loads.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/kinds/checks.hpp"
#include "study/kinds/estimator_of.hpp"
#include "study/kinds/inference.hpp"
#include "study/kinds/requests/images.hpp"
#include "study/kinds/requests/reuse.hpp"

namespace scalesweep::study {
namespace {

using estimator::ServingJob;

// Layouts of a pool whose size is open are looked for among those that divide this many devices.
constexpr std::int64_t many_devices = std::int64_t{4096} * 27 * 25 * 7;

// What a pool of so many devices may look like, each layout once; 0: of any number.
parallel::StrategyTable prefill_table(const parallel::StrategyRules& rules,
                                      const workload::TransformerModel& model,
                                      std::int64_t devices) {
  const parallel::JobShape shape = {
      .accelerators = devices > 0 ? devices : many_devices, .global_batch = 1, .sequence = 0};
  return parallel::enumerate_strategies(rules, model, shape);
}

std::vector<parallel::Strategy> groups_of(const parallel::StrategyTable& table) {
  std::vector<parallel::Strategy> groups;
  for (const parallel::Strategy& strategy : table.strategies) {
    groups.push_back(estimator::group_of_replicas(strategy));
  }
  std::sort(groups.begin(), groups.end());
  groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
  return groups;
}

// The layouts that a pool of prompts may have, of each model and number of devices: found once for
// a study, since nothing else that varies changes them.
class PrefillLayouts {
 public:
  PrefillLayouts(const space::Spec& spec, const StudyAxes& axes)
      : model_(axes.find("model")), accelerators_(axes.find("prefill_accelerators")) {
    if (!spec.prefill) {
      return;
    }
    for (const std::string& model : axes.labels("model")) {
      const workload::TransformerModel& shape = axes.catalog().model(model);
      std::vector<estimator::PrefillDevices>& pools = of_models_.emplace_back();
      for (const std::int64_t devices : numbers_of(spec)) {
        pools.push_back(
            {groups_of(prefill_table(spec.prefill->strategy, shape, devices)), devices});
      }
    }
  }

  // Nothing without a pool.
  std::optional<estimator::PrefillDevices> at(const PointAxes& point) const {
    if (of_models_.empty()) {
      return std::nullopt;
    }
    return of_models_[point.index_or(model_, 0)][point.index_or(accelerators_, 0)];
  }

 private:
  std::vector<std::int64_t> numbers_of(const space::Spec& spec) const {
    if (!accelerators_) {
      return {0};
    }
    std::vector<std::int64_t> numbers;
    for (const double devices : spec.axes[*accelerators_].values) {
      numbers.push_back(static_cast<std::int64_t>(devices));
    }
    return numbers;
  }

  AxisPosition model_;
  AxisPosition accelerators_;
  std::vector<std::vector<estimator::PrefillDevices>> of_models_;
};

class ServingJobs {
 public:
  ServingJobs(const space::Spec& spec, const StudyAxes& axes)
      : inference_(spec, axes),
        rules_(axes),
        prefill_(spec, axes),
        first_tokens_(axes, catalog::MeasuredWork::first_token) {
    for (const space::RequestClass& one : spec.requests) {
      requests_.push_back({one.prompt, one.output, one.share});
    }
    load_curve_.parts = spec.load_curve;
    if (spec.trace) {
      arrival_rate_ = load_curve_.on() ? spec.trace->busiest_rate : spec.trace->arrival_rate;
      burstiness_ = spec.trace->burstiness;
    }
    curve_ = hit_curve(spec);
  }

  Job operator()(const PointAxes& point) const {
    ServingJob job;
    job.inference = inference_.at(point);
    job.inference.prefixes.curve = curve_;
    job.requests = requests_;
    if (requests_.empty()) {
      job.requests.push_back({static_cast<double>(job.inference.prompt),
                              static_cast<double>(job.inference.output), 1.0});
    }
    job.arrival_rate = arrival_rate_;
    job.burstiness = burstiness_;
    job.load_curve = load_curve_;
    rules_.apply(point, job);
    if (job.sessions.on()) {
      job.sessions.prompt = job.requests.front().prompt;
      job.sessions.output = job.requests.front().output;
      job.requests = estimator::requests_of(job.sessions);
    }
    add_images(job);
    job.prefill = prefill_.at(point);
    job.first_token_uncertainty = first_tokens_.at(point);
    const Multiplied multiplied = multiplied_by(job.inference);
    return {std::move(job), 0.0, multiplied};
  }

 private:
  InferenceJobs inference_;
  AxisRules<ServingJob> rules_;
  PrefillLayouts prefill_;
  Uncertainties first_tokens_;
  std::vector<estimator::RequestClass> requests_;  // empty: of the axes
  // Where no axis says them.
  double arrival_rate_ = 0.0;
  double burstiness_ = 1.0;
  std::shared_ptr<const estimator::HitCurve> curve_;  // nothing: hits are of the axes
  estimator::LoadCurve load_curve_;
};

class Serving {
 public:
  static constexpr std::span<const KindStatus> statuses = serving_statuses;
  static constexpr Status pruned_status = pruned;

  Serving(Job job, const SystemChoice& systems, std::span<const OperatorName> /*operators*/,
          const Serving* before)
      : job_(work_of<ServingJob>(std::move(job))),
        system_(*systems.system),
        prefill_device_(systems.prefill_system
                            ? std::optional<technology::Device>(systems.prefill_system->device)
                            : std::nullopt),
        pool_(prefill_pool_of(job_, systems)),
        output_tokens_(estimator::mix_of(job_).output),
        known_(estimator::pass_memo(job_.inference, system_.device,
                                    before != nullptr ? before->known_ : nullptr)) {}

  Status estimate(const parallel::Strategy& strategy, Rows /*rows*/) {
    last_ = estimate_service(job_, system_, strategy, pool_ ? &*pool_ : nullptr, known_);
    return status_of(last_);
  }
  std::optional<Status> estimate(const parallel::Strategy& strategy,
                                 const estimator::AskedRate& asked) {
    std::optional<estimator::ServingEstimate> found = estimator::estimate_service_if_asked_for(
        job_, system_, strategy, pool_ ? &*pool_ : nullptr, known_, asked);
    if (!found) {
      return std::nullopt;
    }
    last_ = *found;
    return status_of(last_);
  }
  double figure_at_rate(const JobFigures& figures, double request_rate,
                        const estimator::LeastEnergy& energy, std::size_t figure) const {
    return bounded_figure(estimator::serving_at_most(request_rate, output_tokens_, energy), figures,
                          figure);
  }
  // Where limits are missed, the closest is the best of them.
  double rank() const {
    return last_.verdict == estimator::ServingVerdict::meets_limits ? 1.0 / last_.tokens_per_s
                                                                    : last_.miss;
  }
  std::string reason() const {
    switch (last_.verdict) {
      case estimator::ServingVerdict::does_not_fit:
        return has_memory(last_) ? memory_reason(last_.requests())
                                 : "the model does not fit the devices of [prefill]";
      case estimator::ServingVerdict::misses_limits:
        return fmt::format("the limits are missed by {:.3g} %", 100.0 * last_.miss);
      case estimator::ServingVerdict::too_few_replicas:
        return pool_ ? "no layout of [prefill] divides its devices"
                     : "disaggregated batching needs at least two replicas";
      case estimator::ServingVerdict::meets_limits:
        break;
    }
    const UnkeptLimit unkept =
        unkept_limit(last_, system_.device, prefill_device_ ? &*prefill_device_ : nullptr);
    return unkept.power_w > 0.0 ? estimator::unkept_limit_text(*unkept.device, unkept.power_w) : "";
  }
  void fill(EstimateRow& row, const JobFigures& figures) const {
    JobFigures all = figures;
    all.prefill_devices = pool_ ? last_.prefill_devices() : 0.0;
    fill_row(row, last_, all);
    if (job_.sessions.on()) {
      add_sessions(row, last_, job_.sessions);
    }
    if (job_.load_curve.on()) {
      add_day(row, last_, all);
    }
  }
  double nearest(const JobFigures& figures) const { return shortfall_of(last_, figures); }

 private:
  ServingJob job_;
  technology::System system_;
  std::optional<technology::Device> prefill_device_;  // where it is another one
  std::optional<estimator::PrefillPool> pool_;
  double output_tokens_;                        // of a mean request
  std::shared_ptr<estimator::PassMemo> known_;  // kernels
  estimator::ServingEstimate last_;
};

void check_prefill_shares(const space::Spec& spec, Diagnostics& diagnostics) {
  if (!space::find_axis(spec.axes, "prefill_share") ||
      !has_label(spec, "batching", "disaggregated")) {
    return;
  }
  for_each_label(spec, "batching", [&](const std::string& name, const SourcePosition& position) {
    if (name != "disaggregated") {
      diagnostics.warning(position, fmt::format("prefill_share changes nothing with batching = "
                                                "\"{}\": its points are the same for each",
                                                name));
    }
  });
}

// Rules that leave no layout at all; some numbers of devices without one have a status.
void check_prefill_layouts(const space::Spec& spec, const catalog::Catalog& catalog,
                           Diagnostics& diagnostics) {
  if (!spec.prefill) {
    return;
  }
  std::string removed;
  const auto has_layout = [&](const std::string& model, double devices) {
    const parallel::StrategyTable table = prefill_table(
        spec.prefill->strategy, catalog.model(model), static_cast<std::int64_t>(devices));
    if (table.strategies.empty() && !table.rejections.empty()) {
      removed = table.rejections.back().rule;
    }
    return !table.strategies.empty();
  };
  bool known = false;
  bool any = false;
  for_each_label(spec, "model", [&](const std::string& model, const SourcePosition&) {
    if (!catalog.has(catalog::Section::models, model)) {
      return;
    }
    known = true;
    if (!space::find_axis(spec.axes, "prefill_accelerators")) {
      any = any || has_layout(model, 0.0);
    }
    for_each_value(spec, "prefill_accelerators",
                   [&](double devices, const std::string&, const SourcePosition&) {
                     any = any || has_layout(model, devices);
                   });
  });
  if (known && !any) {
    diagnostics.error(spec.prefill->position,
                      fmt::format("no layout of [prefill] is valid{}{}; change its devices or "
                                  "what is tried of its layouts",
                                  removed.empty() ? "" : ": ", removed));
  }
}

// Requests wait in line behind those that began with them: where these decode beside prompts, and
// for more than one token.
void warn_of_lengths(const space::Spec& spec, Diagnostics& diagnostics) {
  const auto is_fixed = [](const ValueAt& lengths) {
    return lengths.label == estimator::lengths_names[estimator::Lengths::fixed];
  };
  constexpr const char* one_token = "answers are one token";
  const auto warn = [&diagnostics](const ValueAt& lengths, const std::string& where) {
    diagnostics.warning(lengths.position,
                        fmt::format("lengths = \"{}\" changes nothing where {}, whose first tokens "
                                    "are those of requests that differ; leave it out there",
                                    lengths.label, where));
  };
  for_each_pair(spec, "lengths", "batching", [&](const ValueAt& one, const ValueAt& batching) {
    if (is_fixed(one) && batching.label == name_of(estimator::Batching::disaggregated)) {
      warn(one, "prompts have devices of their own");
    }
  });
  for_each_pair(spec, "lengths", "output", [&](const ValueAt& one, const ValueAt& output) {
    if (is_fixed(one) && output.number == 1.0) {
      warn(one, one_token);
    }
  });
  const auto decodes = [](const space::RequestClass& one) { return one.output > 1.0; };
  if (!spec.requests.empty() && std::ranges::none_of(spec.requests, decodes)) {
    for_each_value(spec, "lengths",
                   [&](double number, const std::string& label, const SourcePosition& position) {
                     if (const ValueAt one = {number, label, position}; is_fixed(one)) {
                       warn(one, one_token);
                     }
                   });
  }
}

void check(const space::Spec& spec, const catalog::Catalog& catalog, Diagnostics& diagnostics) {
  check_inference(spec, catalog, diagnostics);
  check_prefill_shares(spec, diagnostics);
  warn_of_mixed_prompts(spec, catalog, estimator::name_of(estimator::Batching::chunked),
                        estimator::name_of(estimator::Batching::separate), diagnostics);
  warn_of_lengths(spec, diagnostics);
  check_prefill_layouts(spec, catalog, diagnostics);
  check_sessions(spec, diagnostics);
}

store::Schema optional_columns(const space::Spec& spec) {
  store::Schema columns = has_sessions(spec) ? session_columns() : store::Schema();
  if (!spec.load_curve.empty()) {
    const store::Schema day = day_columns();
    columns.insert(columns.end(), day.begin(), day.end());
  }
  return columns;
}

}  // namespace

UnkeptLimit unkept_limit(const estimator::ServingEstimate& estimate,
                         const technology::Device& device, const technology::Device* prefill) {
  return estimate.unkept_power_w > 0.0 || prefill == nullptr
             ? UnkeptLimit{&device,
                           std::max(estimate.unkept_power_w, estimate.prefill_unkept_power_w)}
             : UnkeptLimit{prefill, estimate.prefill_unkept_power_w};
}

std::optional<estimator::PrefillPool> prefill_pool_of(const ServingJob& job,
                                                      const SystemChoice& systems) {
  if (!job.prefill) {
    return std::nullopt;
  }
  const technology::System& system =
      systems.prefill_system ? *systems.prefill_system : *systems.system;
  return estimator::PrefillPool(job, system, job.prefill->groups, job.prefill->devices);
}

const WorkloadKind& serving_kind() {
  static const WorkloadKind kind = {
      .form = space::serving_form(),
      .columns = serving_columns,
      .optional_columns = optional_columns,
      .check = check,
      .jobs = [](const space::Spec& spec, const StudyAxes& axes) -> JobResolver {
        return ServingJobs(spec, axes);
      },
      .estimator = make_estimator<Serving>};
  return kind;
}

}  // namespace scalesweep::study
