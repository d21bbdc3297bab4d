#include "cli/explain/explain_inference.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "analysis/words/value_text.hpp"
#include "cli/explain/explain_parts.hpp"
#include "cli/explain/explained_figures.hpp"
#include "core/text.hpp"
#include "estimator/error_bar.hpp"
#include "estimator/explain/iteration_operators.hpp"
#include "estimator/inference/inference.hpp"
#include "estimator/inference/inference_memory.hpp"
#include "estimator/inference/load/day_mean.hpp"
#include "estimator/inference/service/serving.hpp"
#include "estimator/inference/service/steady_state.hpp"
#include "estimator/reuse/adapters.hpp"
#include "estimator/reuse/prefix_loads.hpp"
#include "study/kinds/serving.hpp"

namespace scalesweep::cli {
namespace {

using estimator::InferenceJob;
using estimator::Iteration;
using estimator::IterationOperator;
using estimator::ServingJob;

// The two iterations that a replica's operators are shown of.
struct Shown {
  InferenceJob job;
  Iteration prefill;
  Iteration decode;
  double kept_in_l2 = 0.0;
};

Shown shown_of(const InferenceJob& job, const parallel::Strategy& strategy, double kept_in_l2) {
  const auto prompt = static_cast<double>(job.prompt);
  const double hits = std::min(prompt * job.cached_share(), prompt - 1.0);
  const double sequences = strategy.micro_batch;
  Shown shown{job, {}, {}, kept_in_l2};
  shown.prefill.prefill =
      estimator::first_prompts(sequences, prompt - hits, hits, job.chunk_tokens(strategy));
  shown.decode.decode = {sequences, static_cast<double>(job.speculation.draft) + 1.0,
                         prompt + 0.5 * static_cast<double>(job.output - 1)};
  return shown;
}

// With what the tiers of a cache find under this strategy.
ServingJob serving_job(const study::Point& point, const estimator::ServingEstimate& estimate) {
  const auto& job = study::work_of<ServingJob>(point.job);
  if (estimator::finds_sessions(job)) {
    return estimator::with_session_hits(job, point.strategy, estimate.request_rate);
  }
  return job.inference.prefixes.curve ? estimator::with_prefix_hits(job, point.strategy) : job;
}

// A prompt alone or its first chunk, and a mean iteration of the batch that the service settles at.
Shown shown_of(const ServingJob& job, const parallel::Strategy& strategy,
               const estimator::ServingEstimate& estimate) {
  const estimator::RequestMix mix = estimator::mix_of(job);
  Shown shown{job.inference, {}, {}, estimate.kept_in_l2};
  shown.prefill.prefill = estimator::first_prompts(1.0, mix.fresh, mix.prompt - mix.fresh,
                                                   job.inference.chunk_tokens(strategy));
  const double own = estimate.requests().in_flight_per_replica;
  const double sequences = std::max(1.0, own / strategy.micro_batches);
  shown.decode.decode = {sequences, static_cast<double>(job.inference.speculation.draft) + 1.0,
                         mix.cache};
  return shown;
}

Cell flop_cell(double flop) {
  return {with_si_prefix(flop, "FLOP"), flop};
}

Cell intensity_cell(const IterationOperator& op) {
  if (op.message || op.bytes <= 0.0) {
    return {"", nullptr};
  }
  return {fmt::format("{:.3g}", op.intensity()), op.intensity()};
}

std::vector<SheetColumn> operator_columns() {
  return {{"name", "", Align::left},
          {"times", "times", Align::right},
          {"flop", "FLOP", Align::right},
          {"bytes", "bytes", Align::right},
          {"intensity", "FLOP/B", Align::right},
          {"once_s", "once", Align::right},
          {"pass_s", "in all", Align::right},
          {"share", "share", Align::right},
          {"bound", "bound by", Align::left},
          {"format", "format", Align::left},
          {"shape", "shape", Align::left}};
}

std::vector<Cell> operator_row(const IterationOperator& op, const std::string& name,
                               double whole_s) {
  const double once_s = op.once.time.total_s();
  return {name,
          plain_cell(op.times),
          op.message ? Cell{"", nullptr} : flop_cell(op.flop),
          bytes_cell(op.bytes),
          intensity_cell(op),
          seconds_cell(once_s),
          seconds_cell(op.times * once_s),
          share_cell(op.times * once_s, whole_s),
          std::string(estimator::name_of(op.bound)),
          op.format,
          op.shape};
}

double total_s(const std::vector<IterationOperator>& operators) {
  double sum_s = 0.0;
  for (const IterationOperator& op : operators) {
    sum_s += op.times * op.once.time.total_s();
  }
  return sum_s;
}

// Each block under a line of its own in text; beside every operator for programs.
Sheet iteration_sheet(std::string name, std::string title,
                      const std::vector<IterationOperator>& operators, Format format) {
  const bool text = format == Format::text;
  Sheet sheet{std::move(name), std::move(title), operator_columns(), {}, true};
  if (!text) {
    sheet.columns.insert(sheet.columns.begin(), {"block", "block", Align::left});
  }
  const double whole_s = total_s(operators);
  std::string block;
  for (const IterationOperator& op : operators) {
    if (text && op.block != block) {
      std::vector<Cell> line(sheet.columns.size(), Cell{"", nullptr});
      line.front() = op.block;
      sheet.rows.push_back(std::move(line));
    }
    block = op.block;
    std::vector<Cell> row = operator_row(op, text ? "  " + op.name : op.name, whole_s);
    if (!text) {
      row.insert(row.begin(), op.block);
    }
    sheet.rows.push_back(std::move(row));
  }
  if (text) {
    std::vector<Cell> sum(sheet.columns.size(), Cell{"", nullptr});
    sum[0] = "sum";
    sum[6] = seconds_cell(whole_s);
    sum[7] = share_cell(whole_s, whole_s);
    sheet.rows.push_back(std::move(sum));
  }
  return sheet;
}

// What activations are of.
Cell chunk_cell(const InferenceJob& job, const parallel::Strategy& strategy) {
  const double tokens = job.chunk_tokens(strategy);
  const char* said = job.prefill_chunk ? "" : ", of the framework";
  return {tokens > 0.0 ? fmt::format("{:.6g} tokens{}", tokens, said)
                       : fmt::format("whole prompts{}", said),
          tokens};
}

// Names of columns.
void add_counts(const ExplainedFigures& figures, Sheet& sheet,
                std::span<const estimator::RequestCount> counts) {
  for (const estimator::RequestCount& count : counts) {
    figures.add_to(sheet, {count.name});
  }
}

constexpr std::span counts_in_flight = std::span(estimator::request_counts).first<2>();
constexpr std::span counts_that_fit = std::span(estimator::request_counts).last<2>();

void add_memory_sheet(std::vector<Sheet>& sheets, const InferenceJob& job,
                      const parallel::Strategy& strategy, const ExplainedFigures& figures,
                      double draft_bytes) {
  Sheet sheet = pairs_sheet("memory", "Memory of the fullest device");
  const auto add = [&](const char* name, const char* column) {
    sheet.rows.push_back({name, figures.cell(column)});
  };
  add("weights", "memory_weights");
  add("cache", "memory_cache");
  add("activations", "memory_activations");
  add("total", "memory_total");
  add("usable", "memory_usable");
  sheet.rows.push_back({"prefill_chunk", chunk_cell(job, strategy)});
  if (figures["memory_prefixes"] > 0.0) {
    add("prefixes", "memory_prefixes");
  }
  if (figures["memory_adapters"] > 0.0) {
    add("of_adapters", "memory_adapters");
  }
  if (draft_bytes > 0.0) {
    sheet.rows.push_back({"of_drafter", bytes_cell(draft_bytes)});
  }
  add_counts(figures, sheet, counts_that_fit);
  if (const double kept = figures["kept_in_l2"]; kept > 0.0) {
    sheet.rows.push_back({"kept_in_l2", Cell{fmt::format("{:.0f} % of weights and cache stay in L2 "
                                                         "from pass to pass",
                                                         100.0 * kept),
                                             kept}});
  }
  sheets.push_back(std::move(sheet));
}

// Nothing of requests that share nothing.
void add_reuse_sheet(std::vector<Sheet>& sheets, const InferenceJob& job,
                     const estimator::PrefixUse& use, double sequences) {
  Sheet sheet = pairs_sheet("reuse", "What requests share");
  for (std::size_t tier = 0; tier < estimator::prefix_tier_count; ++tier) {
    if (use.found[tier] > 0.0) {
      sheet.rows.push_back(
          {fmt::format("found_in_{}", estimator::prefix_tier_names.list()[tier]),
           Cell{fmt::format("{:.1f} % of a prompt", 100.0 * use.found[tier]), use.found[tier]}});
    }
  }
  if (use.load_s > 0.0) {
    sheet.rows.push_back({"prefix_loaded", bytes_cell(use.loaded_bytes)});
    sheet.rows.push_back({"prefix_load", seconds_cell(use.load_s)});
    sheet.rows.push_back({"prefix_recompute", seconds_cell(use.recompute_s)});
    const double even = use.loaded_bytes / use.recompute_s;
    sheet.rows.push_back(
        {"faster", fmt::format("{}; both take as long at {} to each device",
                               use.load_s <= use.recompute_s ? "to load" : "to compute again",
                               with_si_prefix(even, "B/s"))});
  }
  if (job.adapters.on()) {
    const double distinct = estimator::distinct_adapters(job.adapters, sequences);
    sheet.rows.push_back(
        {"adapters", Cell{fmt::format("{:.4g} of {} in an iteration of {:.4g} sequences", distinct,
                                      job.adapters.count, sequences),
                          distinct}});
  }
  if (!sheet.rows.empty()) {
    sheets.push_back(std::move(sheet));
  }
}

// "1 prompt", "3.5 prompts".
std::string several(double count, std::string_view thing) {
  return fmt::format("{:.4g} {}{}", count, thing, count == 1.0 ? "" : "s");
}

void add_operator_sheets(std::vector<Sheet>& sheets, const Shown& shown,
                         const technology::System& system, const parallel::Strategy& strategy,
                         Format format) {
  const estimator::InferenceSetting setting =
      estimator::InferenceSetting(shown.job, system).keeping(shown.kept_in_l2);
  const estimator::Rates& linear = setting.of(workload::LinearPart::mlp);
  const double ridge = linear.tensor_flop_per_s / linear.dram_bytes_per_s;
  const auto& prefill = shown.prefill.prefill;
  const auto& decode = shown.decode.decode;
  const std::string note =
      fmt::format("one device; compute and DRAM balance at {:.3g} FLOP/B", ridge);
  sheets.push_back(
      iteration_sheet("prefill_operators",
                      fmt::format("Operators of the prefill of {} of {:.6g} tokens, {}",
                                  several(prefill.sequences, "prompt"), prefill.new_tokens, note),
                      estimator::iteration_operators({setting, strategy}, shown.prefill), format));
  sheets.push_back(iteration_sheet(
      "decode_operators",
      fmt::format("Operators of the decode of {} with {:.6g} tokens before, {}",
                  several(decode.sequences, "sequence"), decode.cached_tokens, note),
      estimator::iteration_operators({setting, strategy}, shown.decode), format));
}

std::vector<Cell> beyond_context_row(const workload::TransformerModel& model) {
  return {"note", fmt::format("prompt and output are longer than the {} tokens of the model",
                              with_thousands(model.max_positions))};
}

Cell rate_of_tokens(double per_s) {
  return {analysis::rate_text(per_s, "tokens"), per_s};
}

}  // namespace

void add_inference_sheets(std::vector<Sheet>& sheets, const study::Study& study,
                          const study::Point& point, Format format) {
  const auto& job = study::work_of<InferenceJob>(point.job);
  const technology::System& system = *point.system.system;
  const estimator::InferenceEstimate estimate =
      estimator::estimate_inference(job, system, point.strategy);
  const ExplainedFigures figures(study.kind(), point, estimate);
  Sheet result = pairs_sheet("result", "Result");
  result.rows = {
      {"status",
       limited_text(estimate.verdict == estimator::Verdict::fits ? "ok" : "does_not_fit",
                    study::status_of_batch(estimate), system.device, estimate.unkept_power_w)}};
  figures.add_to(result, {"latency", "time_to_first_token", "time_per_output_token"});
  result.rows.push_back(
      {"relative_uncertainty",
       uncertainty_cell(estimator::at_limit(job.uncertainty, estimate.limit_uncertainty),
                        point.strategy.devices(), estimate.traits, "latency")});
  figures.add_to(result, {"bottleneck", "tokens_per_second", "tokens_per_second_per_device",
                          "energy_per_token", "device_power"});
  add_counts(figures, result, counts_in_flight);
  if (estimate.beyond_context) {
    result.rows.push_back(beyond_context_row(job.model));
  }
  sheets.push_back(std::move(result));
  add_time_sheets(sheets, "Latency", estimate.latency, estimator::inference_phase_names,
                  estimate.phase_s);
  add_operator_sheets(sheets, shown_of(job, point.strategy, estimate.kept_in_l2), system,
                      point.strategy, format);
  add_memory_sheet(sheets, job, point.strategy, figures, estimate.memory.draft_bytes);
  add_reuse_sheet(sheets, job, estimate.prefixes, point.strategy.micro_batch);
  add_price_and_device(sheets, study, point,
                       {"One batch", figures.time_s(), estimate.energy.total_j()}, job.recipe());
}

namespace {

// Of time / limit - 1.
Cell miss_cell(double miss) {
  return {miss < 1.0 ? fmt::format("{:.1f} % beyond the limits", 100.0 * miss)
                     : fmt::format("{:.3g} times what the limits allow", 1.0 + miss),
          miss};
}

Cell first_token_cell(const estimator::ServingEstimate& estimate) {
  Cell cell = seconds_cell(estimate.time_to_first_token_s);
  if (estimate.always_full()) {
    cell.text += " from a place in the batch on";
  }
  return cell;
}

Cell cap_cell(const estimator::ServingEstimate& estimate) {
  return {fmt::format("{:.0f} requests of a replica at a time, of {:.0f} that fit: with more of "
                      "them less is served within the limits",
                      estimate.cap, estimate.requests().largest_batch_per_replica),
          estimate.cap};
}

estimator::ServingEstimate serving_estimate(const study::Point& point) {
  const auto& job = study::work_of<ServingJob>(point.job);
  const auto pool = study::prefill_pool_of(job, point.system);
  return estimator::estimate_service(job, *point.system.system, point.strategy,
                                     pool ? &*pool : nullptr);
}

// The pool of prompts of a disaggregated service.
void add_prefill_rows(Sheet& result, const study::Point& point,
                      const estimator::ServingEstimate& estimate) {
  if (estimate.prefill_replicas <= 0.0) {
    return;
  }
  const auto& systems = point.system;
  const parallel::Strategy& strategy = estimate.prefill_strategy;
  const std::string& device =
      (systems.prefill_system ? *systems.prefill_system : *systems.system).device.name;
  const double devices = estimate.prefill_devices();
  result.rows.push_back(
      {"prefill_devices", {fmt::format("{:.0f} x {}", devices, device), devices}});
  result.rows.push_back(
      {"prefill_replicas",
       {fmt::format("{:.0f} of TP{} PP{} EP{}", estimate.prefill_replicas, strategy.tensor_parallel,
                    strategy.pipeline_parallel, strategy.expert_parallel),
        estimate.prefill_replicas}});
}

Cell percentile_cell(double s) {
  return std::isfinite(s) ? seconds_cell(s)
         : std::isnan(s)  ? Cell("not known of requests that follow each other")
                          : Cell("without end: the batch is always full; give an arrival_rate");
}

Sheet day_sheet(const estimator::DayMean& day) {
  Sheet sheet = pairs_sheet("day", "Mean over the day of the load curve, whose peak is above");
  const auto devices = [](double n) { return Cell(fmt::format("{:.4g}", n), n); };
  sheet.rows = {
      {"tokens_per_second", rate_of_tokens(day.tokens_per_s)},
      {"devices on", devices(day.devices_on)},
      {"devices paid for", devices(day.devices_paid)},
      {"utilisation", {fmt::format("{:.1f} %", 100.0 * day.utilisation), day.utilisation}},
      {"energy_per_token",
       {with_si_prefix(day.power_w / day.tokens_per_s, "J"), day.power_w / day.tokens_per_s}}};
  return sheet;
}

}  // namespace

namespace {

// Of all its devices.
Sheet service_sheet(const study::Point& point, const ServingJob& job,
                    const estimator::ServingEstimate& estimate, const ExplainedFigures& figures) {
  Sheet result = pairs_sheet("result", "Result");
  const study::UnkeptLimit unkept = study::unkept_limit(
      estimate, point.system.system->device,
      point.system.prefill_system ? &point.system.prefill_system->device : nullptr);
  result.rows = {
      {"status", limited_text(std::string(estimator::serving_verdict_names[estimate.verdict]),
                              study::status_of(estimate), *unkept.device, unkept.power_w)}};
  if (!has_time(estimate)) {
    return result;
  }
  if (estimate.miss > 0.0) {
    result.rows.push_back({"miss", miss_cell(estimate.miss)});
  }
  result.rows.push_back({"bound", std::string(estimator::serving_bound_names[estimate.bound])});
  result.rows.push_back(
      {"request_rate",
       {fmt::format("{:.4g} requests/s", estimate.request_rate), estimate.request_rate}});
  figures.add_to(result, {"tokens_per_second", "tokens_per_second_per_device"});
  result.rows.push_back({"time_to_first_token", first_token_cell(estimate)});
  figures.add_to(result, {"waiting", "time_per_output_token"});
  for (const workload::RequestLatency& one : workload::request_latencies) {
    result.rows.push_back(
        {std::string(one.name.view()), percentile_cell(estimator::percentile_of(estimate, one))});
  }
  result.rows.push_back(
      {"relative_uncertainty",
       uncertainty_cell(estimator::at_limit(job.inference.uncertainty, estimate.limit_uncertainty),
                        point.strategy.devices(), estimate.traits, "time per output token")});
  technology::Traits of_prompts = estimate.traits;
  of_prompts.set(static_cast<std::size_t>(technology::Trait::power_limit_not_measured),
                 estimate.prefill_limit_uncertainty > 0.0);
  result.rows.push_back(
      {"first_token_uncertainty",
       uncertainty_cell(
           estimator::at_limit(job.first_token_uncertainty, estimate.prefill_limit_uncertainty),
           point.strategy.devices(), of_prompts, "time to first token")});
  if (job.sessions.on()) {
    const double session_s =
        job.sessions.length_s(estimate.time_to_first_token_s, estimate.time_per_output_token_s);
    result.rows.push_back({"session_time", seconds_cell(session_s)});
    result.rows.push_back(
        {"open_sessions", plain_cell(estimate.request_rate / job.sessions.turns * session_s)});
  }
  figures.add_to(result, {"device_power"});
  add_counts(figures, result, counts_in_flight);
  if (estimate.cap > 0.0) {
    result.rows.push_back({"batch_cap", cap_cell(estimate)});
  }
  add_prefill_rows(result, point, estimate);
  if (estimate.beyond_context) {
    result.rows.push_back(beyond_context_row(job.inference.model));
  }
  return result;
}

}  // namespace

void add_serving_sheets(std::vector<Sheet>& sheets, const study::Study& study,
                        const study::Point& point, Format format) {
  const estimator::ServingEstimate estimate = serving_estimate(point);
  const ServingJob job = serving_job(point, estimate);
  const technology::System& system = *point.system.system;
  const double prefill_devices = job.prefill ? estimate.prefill_devices() : 0.0;
  const ExplainedFigures figures(study.kind(), point, estimate, prefill_devices);
  sheets.push_back(service_sheet(point, job, estimate, figures));
  if (estimate.day.known()) {
    sheets.push_back(day_sheet(estimate.day));
  }
  if (estimate.iteration_s() > 0.0) {
    add_time_sheets(sheets, "A mean iteration", estimate.iteration,
                    estimator::inference_phase_names, estimate.phase_s);
  }
  const Shown shown = shown_of(job, point.strategy, estimate);
  add_operator_sheets(sheets, shown, system, point.strategy, format);
  if (has_memory(estimate)) {
    add_memory_sheet(sheets, job.inference, point.strategy, figures, estimate.memory.draft_bytes);
  }
  add_reuse_sheet(sheets, job.inference, estimate.prefixes, shown.decode.decode.sequences);
  add_price_and_device(sheets, study, point,
                       {"One second", has_time(estimate) ? 1.0 : std::nan(""),
                        estimate.energy.total_j(), estimate.tokens_per_s, prefill_devices},
                       job.inference.recipe());
}

namespace {

Sheet operators_sheet(const study::Point& point, const Shown& shown) {
  const estimator::InferenceSetting setting =
      estimator::InferenceSetting(shown.job, *point.system.system).keeping(shown.kept_in_l2);
  Sheet sheet{"operators", "", operator_columns(), {}, true};
  sheet.columns.insert(sheet.columns.begin(), {"block", "block", Align::left});
  sheet.columns.insert(sheet.columns.begin(), {"phase", "phase", Align::left});
  for (const auto& [phase, iteration] :
       {std::pair{"prefill", shown.prefill}, std::pair{"decode", shown.decode}}) {
    const auto operators = estimator::iteration_operators({setting, point.strategy}, iteration);
    const double whole_s = total_s(operators);
    for (const IterationOperator& op : operators) {
      std::vector<Cell> row = operator_row(op, op.name, whole_s);
      row.insert(row.begin(), op.block);
      row.insert(row.begin(), phase);
      sheet.rows.push_back(std::move(row));
    }
  }
  return sheet;
}

}  // namespace

namespace {

std::vector<OperatorLane> lanes_of(const study::Point& point, const Shown& shown,
                                   double first_token_s, double each_token_s,
                                   const std::string& besides) {
  const estimator::InferenceSetting setting =
      estimator::InferenceSetting(shown.job, *point.system.system).keeping(shown.kept_in_l2);
  const estimator::Replica replica{setting, point.strategy};
  return {{"prefill", estimator::iteration_operators(replica, shown.prefill), "time_to_first_token",
           first_token_s, besides},
          {"decode", estimator::iteration_operators(replica, shown.decode), "time_per_output_token",
           each_token_s, besides}};
}

}  // namespace

std::vector<OperatorLane> operator_lanes(const study::Study& study, const study::Point& point) {
  if (&study.kind() == &study::serving_kind()) {
    const estimator::ServingEstimate estimate = serving_estimate(point);
    const ServingJob job = serving_job(point, estimate);
    return lanes_of(point, shown_of(job, point.strategy, estimate), estimate.time_to_first_token_s,
                    estimate.time_per_output_token_s,
                    "the host, other stages and other requests besides");
  }
  const auto& job = study::work_of<InferenceJob>(point.job);
  const estimator::InferenceEstimate estimate =
      estimator::estimate_inference(job, *point.system.system, point.strategy);
  return lanes_of(point, shown_of(job, point.strategy, estimate.kept_in_l2),
                  estimate.time_to_first_token_s(), estimate.time_per_output_token_s(),
                  "the host and other stages besides");
}

Sheet inference_operators(const study::Point& point) {
  const auto& job = study::work_of<InferenceJob>(point.job);
  const double kept = estimator::kept_share(job, *point.system.system, point.strategy);
  return operators_sheet(point, shown_of(job, point.strategy, kept));
}

Sheet serving_operators(const study::Point& point) {
  const estimator::ServingEstimate estimate = serving_estimate(point);
  const ServingJob job = serving_job(point, estimate);
  return operators_sheet(point, shown_of(job, point.strategy, estimate));
}

}  // namespace scalesweep::cli
