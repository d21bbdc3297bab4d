#include "validation/inference_cases.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "catalog/read/checkpoints.hpp"
#include "estimator/inference/passes/image_pass.hpp"
#include "estimator/inference/service/prefill_layout.hpp"
#include "parallel/expert_devices.hpp"
#include "parallel/shared_cache.hpp"
#include "validation/cases/case_figures.hpp"
#include "validation/cases/expert_ranks.hpp"
#include "validation/cases/model_shape.hpp"
#include "validation/cases/recipes.hpp"
#include "workload/framework.hpp"
#include "workload/serving/model_parts.hpp"
#include "workload/stacks/versions.hpp"

namespace scalesweep::validation {
namespace {

using technology::Precision;

double bits(Precision precision) {
  return 8.0 * technology::element_bytes(precision);
}

// Whether so many tokens are the mean of lengths that a benchmark draws from 0.8 to 1 of a nominal
// one, a power of two: 922 of 1024, 7373 of 8192.
bool is_mean_of_drawn(std::int64_t tokens) {
  const auto nominal = static_cast<std::uint64_t>(std::llround(static_cast<double>(tokens) / 0.9));
  return std::has_single_bit(nominal) && std::llround(0.9 * static_cast<double>(nominal)) == tokens;
}

// The probability that each of `draft` tokens is kept where so many come out of an iteration on
// average, 1 to draft + 1: the inverse of Speculation::tokens_per_iteration.
double acceptance_of(double tokens, std::int64_t draft) {
  double low = 0.0;
  double high = 1.0;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    const estimator::Speculation speculation = {.draft = draft, .acceptance = middle};
    (speculation.tokens_per_iteration() < tokens ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// Of a row that has one of both.
void read_acceptance(RowReader& row, estimator::Speculation& speculation) {
  if (!row.has("accepted_tokens")) {
    if (!row.has("acceptance")) {
      row.error("acceptance",
                "is required beside draft: the probability that a token is kept; or "
                "accepted_tokens, how many come out of an iteration");
    }
    return;
  }
  if (row.has("acceptance")) {
    row.error("accepted_tokens", "says the same as acceptance; leave one of both empty");
    return;
  }
  const double tokens = row.required_number("accepted_tokens");
  const double most = static_cast<double>(speculation.draft) + 1.0;
  if (row.good() && (tokens < 1.0 || tokens > most)) {
    row.error("accepted_tokens",
              fmt::format("of a draft of {} an iteration gives 1 to {} tokens, its own included, "
                          "not {}",
                          speculation.draft, most, tokens));
    return;
  }
  speculation.acceptance = acceptance_of(tokens, speculation.draft);
}

// The columns draft, acceptance or accepted_tokens, draft_time and draft_model.
void read_draft(RowReader& row, estimator::InferenceJob& job) {
  for (const char* const column : {"acceptance", "accepted_tokens", "draft_time", "draft_model"}) {
    if (row.has(column) && !row.has("draft")) {
      row.error(column, "needs draft: the tokens that are proposed for an iteration");
      return;
    }
  }
  if (!row.has("draft")) {
    return;
  }
  row.read_keys(job, {"draft", "acceptance", "draft_time", "draft_model"});
  if (row.good() && job.speculation.draft > 0) {
    read_acceptance(row, job.speculation);
  }
}

// The columns prefill_gpus, prefill_tp, prefill_pp, prefill_dp and prefill_ep; nothing without the
// first. `is_open`: the row is of so many open requests.
std::optional<estimator::PrefillDevices> read_prefill_pool(RowReader& row, bool is_open) {
  for (const char* const column : {"prefill_tp", "prefill_pp", "prefill_dp", "prefill_ep"}) {
    if (row.has(column) && !row.has("prefill_gpus")) {
      row.error(column, "needs prefill_gpus: the devices that prompts alone have");
      return std::nullopt;
    }
  }
  if (!row.has("prefill_gpus")) {
    return std::nullopt;
  }
  if (!is_open) {
    row.error("prefill_gpus", "two pools serve open requests: write concurrency instead of batch");
    return std::nullopt;
  }
  parallel::Strategy strategy;
  const auto size = [&row](const char* column) {
    return static_cast<std::int32_t>(row.integer(column, 1));
  };
  strategy.tensor_parallel = size("prefill_tp");
  strategy.pipeline_parallel = size("prefill_pp");
  strategy.data_parallel = size("prefill_dp");
  strategy.expert_parallel = size("prefill_ep");
  const std::int64_t devices = row.integer("prefill_gpus", std::nullopt);
  if (!row.good()) {
    return std::nullopt;
  }
  if (devices % strategy.devices() != 0) {
    row.error("prefill_gpus",
              fmt::format("prefill_tp x prefill_pp x prefill_dp = {} devices do not divide {}",
                          strategy.devices(), devices));
    return std::nullopt;
  }
  place_experts(row, strategy, "prefill_ep");
  estimator::PrefillDevices pool;
  pool.groups = {estimator::group_of_replicas(strategy)};
  pool.devices = devices;
  return pool;
}

class InferenceReader {
 public:
  InferenceReader(RowReader& row, const CaseDefaults& defaults)
      : row_(row), defaults_(defaults), source_(inference_source_of(row)) {}

  std::optional<InferenceCase> read() {
    InferenceCase c;
    read_metric(c);
    const std::string device = row_.entry("device", catalog::Section::devices);
    read_framework(c);
    read_sizes(c);
    if (!device.empty()) {
      c.system = defaults_.systems.of(device, c.gpus);
      defaults_.catalog.use_libraries(device, c.framework, c.system.device);
      read_power_limit(row_, c.system.device);
    }
    read_requests(c);
    c.job.model = read_model(row_, defaults_, {c.job.prompt + c.job.output, true});
    read_prompt_images(c.job);
    if (source_.copies_of_one) {
      c.job.model.experts.alike = static_cast<double>(c.job.batch);
    }
    if (row_.has("prefill_chunk")) {
      c.job.prefill_chunk = row_.integer("prefill_chunk", std::nullopt, 0);
    } else if (source_.prefill_chunk > 0) {
      c.job.prefill_chunk = source_.prefill_chunk;
    }
    read_precision(c);
    read_strategy(c);
    read_draft(row_, c.job);
    c.prefill = read_prefill_pool(row_, c.concurrency > 0.0);
    if (source_.balances_experts && c.strategy.redundant_experts == 0) {
      c.job.model.experts.skew = 0.0;
    }
    if (!row_.good()) {
      return std::nullopt;
    }
    const bool waits = c.metric == InferenceMetric::first_token && c.concurrency > 0.0;
    c.job.uncertainty = defaults_.catalog.uncertainty(
        device, c.framework,
        waits ? catalog::MeasuredWork::first_token : catalog::MeasuredWork::inference);
    c.rate_without_prompt = source_.rate_without_prompt;
    c.lengths = read_lengths(c);
    c.requests_each = source_.requests_each;
    c.separate_prompts = tells_versions(row_) && c.job.stack.separate_prompts;
    c.group = inference_group(source_, c.framework, c.metric);
    if (c.not_modelled.empty()) {
      c.not_modelled = not_modelled(c);
    }
    return c;
  }

 private:
  void read_metric(InferenceCase& c) {
    if (!row_.has("metric")) {
      row_.error("metric", "is required: one of latency_s, ttft_s, tpot_s, tokens_per_s");
    }
    c.metric = static_cast<InferenceMetric>(row_.choice("metric", inference_metric_names));
    c.measured = row_.number("value");
    c.measured_figures = read_case_figures(row_);
  }

  void read_framework(InferenceCase& c) {
    const catalog::Catalog& catalog = defaults_.catalog;
    std::string name = defaults_.framework;
    if (row_.has("framework")) {
      name = row_.entry("framework", catalog::Section::frameworks);
      // A cell names the stack, the source which version of it: tensorrt-llm, tensorrt-llm-2023.
      // The stack itself where the catalog had none when the row was written.
      const std::string stack(workload::stack_name(name).stack);
      if (source_.framework.starts_with(stack + "-") ||
          source_.framework.starts_with(stack + "@") || stack == source_.named_as) {
        name = source_.framework;
      }
      if (name.empty()) {
        return;
      }
      name = version_of_row(row_, catalog, name);
    } else if (name.empty()) {
      name = catalog.has(catalog::Section::frameworks, source_.framework) ? source_.framework
                                                                          : fallback_framework;
    }
    const workload::Framework& framework = catalog.framework(name);
    c.framework = framework.name;
    c.job.stack = framework.serving;
  }

  void read_requests(InferenceCase& c) {
    c.job.prompt = row_.integer("prompt_tokens", std::nullopt);
    c.job.output = row_.integer("output_tokens", std::nullopt);
    const bool is_open = row_.has("concurrency");
    if (is_open == row_.has("batch")) {
      row_.error("batch", is_open ? "a batch that starts together has no concurrency; leave one of "
                                    "both empty"
                                  : "is required, or concurrency: requests at a time");
    }
    if (is_open) {
      c.concurrency = static_cast<double>(row_.integer("concurrency", std::nullopt));
    } else {
      c.job.batch = row_.integer("batch", 1);
    }
    const bool is_gap = c.metric == InferenceMetric::output_token;
    if (source_.under_load && (is_gap || c.metric == InferenceMetric::tokens_per_second)) {
      c.concurrency = static_cast<double>(c.job.batch);
      c.median_gap = is_gap;
    }
    if (c.metric == InferenceMetric::output_token && row_.good() && c.job.output < 2) {
      row_.error("output_tokens", "a time per token after the first needs at least 2");
    }
    if (is_open && c.metric == InferenceMetric::latency) {
      row_.error("metric", "the latency of a batch needs a batch, not a concurrency");
    }
  }

  // As the row says, else as its source asks for them.
  estimator::Lengths read_lengths(const InferenceCase& c) {
    if (row_.has("lengths")) {
      if (c.concurrency <= 0.0) {
        row_.error("lengths",
                   "of a batch that starts together they are fixed; it is for rows with "
                   "a concurrency");
      }
      return static_cast<estimator::Lengths>(row_.choice("lengths", estimator::lengths_names));
    }
    const bool drawn = is_mean_of_drawn(c.job.prompt) || is_mean_of_drawn(c.job.output);
    return source_.fixed_lengths && !drawn ? estimator::Lengths::fixed : estimator::Lengths::drawn;
  }

  // Their tokens come beside those of text, which rows count.
  void read_prompt_images(estimator::InferenceJob& job) {
    read_inputs(row_, job.model);
    if (row_.good()) {
      estimator::add_images(job);
    }
  }

  // Linear layers in the format of the row, but for those that the published checkpoint of the
  // model in the format of the weights keeps wider; all else in 16 bits, as published engines of 8
  // bits and below run; the cache in that of the row or source.
  void read_precision(InferenceCase& c) {
    const technology::Device& device = c.system.device;
    Precision linear = row_.precision("precision", Precision::bf16);
    const std::optional<workload::Recipe> recipe = read_recipe(row_, linear);
    const bool narrow = bits(linear) < 16.0;
    const Precision wide = narrow ? usual_sixteen_bit(device) : linear;
    // Weights alone may be stored in less than they are multiplied in.
    const Precision weights = row_.precision("weight_precision", linear);
    check_weights(row_, "weight_precision", weights, linear);
    const auto checkpoint =
        bits(weights) < 16.0 ? catalog::checkpoint_of(defaults_.catalog, c.job.model.name, weights)
                             : std::nullopt;
    estimator::InferencePrecision& p = c.job.precision;
    p = estimator::of_checkpoint(checkpoint.value_or(technology::CheckpointFormats{}), linear,
                                 weights, wide);
    p.recipe = recipe ? recipe : named_recipe(row_, linear);
    const Precision usual_cache = narrow && source_.narrow_cache ? Precision::fp8 : wide;
    p.cache = row_.precision("kv_precision", usual_cache);
    read_parts(p);
  }

  // What a row says of some layers alone.
  void read_parts(estimator::InferencePrecision& p) {
    using workload::LinearPart;
    const auto said = [&](const char* column, std::optional<Precision>& format) {
      if (row_.has(column)) {
        format = row_.precision(column, Precision::bf16);
      }
    };
    said("shared_precision", p.shared);
    if (row_.has("attention_precision")) {
      p.attention_output.reset();
    }
    said("attention_precision", p.attention);
    said("expert_weight_precision", p.expert_weights);
    if (row_.has("expert_precision")) {
      // Of a row that does not say it, weights are as they were, or as they are multiplied.
      p.expert_weights = p.expert_weights.value_or(p.weights_of(LinearPart::experts));
      said("expert_precision", p.experts);
      if (!row_.has("expert_weight_precision") && bits(*p.expert_weights) > bits(*p.experts)) {
        p.expert_weights = p.experts;
      }
    }
    p.head = row_.precision("head_precision", p.head);
    check_weights(row_, "expert_weight_precision", p.weights_of(LinearPart::experts),
                  p.operands_of(LinearPart::experts));
  }

  // Of the groups, and the devices of all.
  void read_sizes(InferenceCase& c) {
    parallel::Strategy& s = c.strategy;
    s.tensor_parallel = size("tp");
    s.pipeline_parallel = size("pp");
    s.decode_context_parallel = size("dcp");
    s.expert_parallel = size("ep");
    s.redundant_experts = static_cast<std::int32_t>(row_.integer("redundant_experts", 0, 0));
    s.expert_devices = static_cast<std::int32_t>(row_.integer("expert_devices", 0, 0));
    s.data_parallel = size("dp");
    c.gpus = row_.integer("gpus", s.devices());
  }

  void read_strategy(InferenceCase& c) {
    parallel::Strategy& s = c.strategy;
    if (!row_.good()) {
      return;
    }
    if (s.devices() != c.gpus) {
      const std::string more =
          s.expert_devices > 0 ? fmt::format(" and expert_devices = {}", s.expert_devices) : "";
      row_.error("gpus", fmt::format("tp x pp x dp = {} x {} x {}{} are {} devices, not {}",
                                     s.tensor_parallel, s.pipeline_parallel, s.data_parallel, more,
                                     s.devices(), c.gpus));
    }
    // A part of them whole on each rank, the matrices of all cut among the others: engines can.
    if (s.replicas() % s.expert_parallel != 0 && s.expert_parallel < s.tensor_parallel &&
        s.tensor_parallel % s.expert_parallel == 0) {
      c.not_modelled = fmt::format("experts over {} of the {} tensor-parallel ranks have no layout",
                                   s.expert_parallel, s.tensor_parallel);
      s.expert_parallel = 1;
    }
    place_experts(row_, s);
    if (const std::string rule = parallel::broken_expert_devices_rule(s, c.job.model.experts.count);
        !rule.empty()) {
      row_.error("expert_devices", rule);
    }
    if (s.redundant_experts > 0 && s.expert_parallel == 1 && s.expert_devices <= 1) {
      row_.error("redundant_experts", "copies of experts need ranks to hold them: an ep above 1");
    }
    const std::string broken = parallel::broken_cache_rule(
        c.job.model, s.tensor_parallel, s.context_parallel, s.decode_context_parallel);
    if (!broken.empty()) {
      row_.error("dcp", broken);
    }
    if (c.concurrency <= 0.0) {
      deal_batch(c);
    }
  }

  void deal_batch(InferenceCase& c) {
    parallel::Strategy& s = c.strategy;
    if (c.job.batch % s.data_parallel != 0) {
      const std::int64_t below = c.job.batch / s.data_parallel * s.data_parallel;
      row_.error(
          "batch",
          fmt::format("{} requests cannot be dealt to {} replicas evenly; a batch is that "
                      "of all replicas: write {}{}, or a smaller dp",
                      c.job.batch, s.data_parallel, below > 0 ? fmt::format("{} or ", below) : "",
                      below + s.data_parallel));
      return;
    }
    const auto batch = static_cast<std::int32_t>(c.job.batch / s.data_parallel);
    const bool cut = source_.cuts_batch_by_stages && batch % s.pipeline_parallel == 0;
    s.micro_batches = cut ? s.pipeline_parallel : 1;
    s.micro_batch = batch / s.micro_batches;
  }

  std::int32_t size(std::string_view column) {
    return static_cast<std::int32_t>(row_.integer(column, 1));
  }

  // Of linear layers that the model has.
  static std::vector<Precision> multiplied(const estimator::InferenceJob& job) {
    using workload::LinearPart;
    std::vector<Precision> formats = {job.precision.activations};
    for (const LinearPart part :
         {LinearPart::attention, LinearPart::attention_output, LinearPart::mlp, LinearPart::experts,
          LinearPart::shared_experts}) {
      if (workload::has_part(job.model.experts, part)) {
        formats.push_back(job.precision.operands_of(part));
      }
    }
    return formats;
  }

  static std::string not_modelled(const InferenceCase& c) {
    for (const Precision precision : multiplied(c.job)) {
      if (technology::matrix_peak(c.system.device, precision).si() <= 0.0) {
        return fmt::format("the catalog has no {} rate for {}{}", technology::name_of(precision),
                           c.system.device.name,
                           bits(precision) < 16.0 ? "; weights alone have it in weight_precision, "
                                                    "beside a precision that the device multiplies"
                                                  : "");
      }
    }
    return "";
  }

  RowReader& row_;
  const CaseDefaults& defaults_;
  const InferenceSource& source_;
};

}  // namespace

std::optional<InferenceCase> read_inference_case(RowReader& row, const CaseDefaults& defaults) {
  return InferenceReader(row, defaults).read();
}

namespace {

void predict_inference(const InferenceCase& c, CaseRow& r) {
  set_labels(r, c);
  r.group = c.group;
  r.shape = shape_name(c.job.model);
  r.lengths = fmt::format("{}+{}", c.job.prompt, c.job.output);
  r.tokens = tokens_of(c);
  r.is_rate = c.metric == InferenceMetric::tokens_per_second;
  r.measured = c.measured;
  r.measured_figures = c.measured_figures;
  if (!c.not_modelled.empty()) {
    r.predicted.note = c.not_modelled;
    return;
  }
  const InferencePrediction prediction = predict(c);
  Prediction& p = r.predicted;
  p.value = prediction.value;
  p.relative_uncertainty = p.value ? known(prediction.relative_uncertainty) : std::nullopt;
  p.traits = prediction.traits;
  p.figures = prediction.figures;
  p.memory.states_bytes = prediction.memory.weights_bytes;
  p.memory.allocated_bytes = p.memory.reserved_bytes = prediction.memory.total_bytes();
  p.requests = prediction.requests;
  p.fits = prediction.fits;
  p.bottleneck = prediction.bottleneck;
  if (prediction.device_power_w > 0.0) {
    p.device_power_w = prediction.device_power_w;
  }
  if (!p.value) {
    p.note = "does not fit into memory";
  }
}

}  // namespace

const CaseKind& inference_cases() {
  static constexpr CaseKind kind = {"inference", "value", "metric", inference_columns,
                                    read_and_predict<read_inference_case, predict_inference>};
  return kind;
}

}  // namespace scalesweep::validation
