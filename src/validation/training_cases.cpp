#include "validation/training_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "estimator/run/failures.hpp"
#include "estimator/run/whole_run.hpp"
#include "parallel/enumerate.hpp"
#include "validation/cases/case_figures.hpp"
#include "validation/cases/case_sources.hpp"
#include "validation/cases/expert_ranks.hpp"
#include "validation/cases/measured_network.hpp"
#include "validation/cases/model_shape.hpp"
#include "validation/cases/recipes.hpp"
#include "workload/encoder/inputs.hpp"
#include "workload/framework.hpp"

namespace scalesweep::validation {
namespace {

using technology::Precision;

// Devices that share the network ports counted by scale_out_gbps_per_node: a board of eight, or the
// tray of four of systems whose scale-up domain is a rack.
double devices_per_node(const technology::System& system) {
  constexpr int board = 8;
  constexpr double tray = 4.0;
  return system.scale_up_domain() > board ? tray : static_cast<double>(board);
}

// Fused attention is the usual choice on H100 and what came after: the devices with 8-bit matrix
// units.
bool usually_fuses_attention(const technology::Device& device, Precision precision) {
  return technology::element_bytes(precision) <= 2.0 && precision != Precision::fp16 &&
         device.tensor_peak[technology::index_of(Precision::fp8)].si() > 0.0;
}

class TrainingReader {
 public:
  TrainingReader(RowReader& row, const CaseDefaults& defaults)
      : row_(row), defaults_(defaults), source_(source_of(row)) {}

  std::optional<TrainingCase> read() {
    TrainingCase c;
    constexpr std::array<std::string_view, 2> outcomes = {"success", "oom"};
    const bool ran = row_.choice("outcome", outcomes) == 0;
    const auto measured = row_.number("step_time_s");
    c.measured_step_s = ran ? measured.value_or(0.0) : 0.0;
    c.measured_figures = read_case_figures(row_);
    c.gpus = row_.integer("gpus", std::nullopt);
    read_system(c);
    read_job(c);
    read_model(c.job);
    c.job.uncertainty = defaults_.catalog.uncertainty(c.system.device.name, c.framework);
    read_strategy(c);
    read_run(c);
    const auto bus = row_.number("measured_all_reduce_gb_per_s");
    if (bus && row_.good()) {
      apply_measured_bus_bandwidth(c.system, c.job, c.strategy, *bus * 1e9);
    }
    if (row_.good()) {
      c.not_modelled = not_modelled(c);
    }
    return row_.good() ? std::optional(std::move(c)) : std::nullopt;
  }

 private:
  void read_system(TrainingCase& c) {
    const std::string device = row_.entry("device", catalog::Section::devices);
    if (device.empty()) {
      return;
    }
    const bool other = device == "h100-sxm" && !source_.h100.empty();
    c.system = defaults_.systems.of(other ? std::string(source_.h100) : device, c.gpus);
    read_power_limit(row_, c.system.device);
    const double node = devices_per_node(c.system);
    if (const auto gigabits = row_.number("scale_out_gbps_per_node")) {
      c.system.set_scale_out_rate(BytesPerSecond::si(*gigabits * 1e9 / 8.0 / node));
    }
  }

  void read_model(estimator::TrainingJob& job) {
    workload::TransformerModel& model = job.model;
    model = validation::read_model(row_, defaults_, {job.sequence, source_.plain_gpt});
    if (source_.llama_405b_kv_heads > 0 && model.name == "llama-3-405b") {
      model.kv_heads = source_.llama_405b_kv_heads;
    }
    if (row_.boolean("multi_token_prediction", false)) {
      model.prediction_layers = std::max<std::int64_t>(1, model.prediction_layers);
    } else {
      model.prediction_layers = 0;
    }
    model.document = row_.integer("document", 0);
    read_trained_images(job, model);
    if (row_.boolean("token_drop", false) && model.experts.on()) {
      model.experts.capacity = 1.0;  // no expert takes more than its even share
    }
    if (const auto capacity = row_.number("capacity_factor")) {
      model.experts.capacity = *capacity;
      if (!model.experts.on()) {
        row_.error("capacity_factor", "needs a model with experts");
      }
    }
  }

  // Tokens of images are among those of a sequence.
  void read_trained_images(const estimator::TrainingJob& job, workload::TransformerModel& model) {
    read_inputs(row_, model);
    if (row_.has("trained") && !model.encoder.on()) {
      row_.error("trained",
                 "the model has no encoder, and all of it is trained; name a model that has one, "
                 "or leave this cell empty");
    }
    const double tokens = row_.good() ? encoded_tokens(model.encoder) : 0.0;
    if (tokens > static_cast<double>(job.sequence)) {
      row_.error(row_.has("recordings") ? "recordings" : "images",
                 fmt::format("they make {:.6g} tokens of a sequence of {}, which they are counted "
                             "among; write fewer, or a longer seq",
                             tokens, job.sequence));
    }
  }

  void read_job(TrainingCase& c) {
    estimator::TrainingJob& job = c.job;
    job.sequence = row_.integer("seq", std::nullopt);
    job.global_batch = row_.integer("global_batch", std::nullopt);
    Precision linear = row_.precision("precision", Precision::bf16);
    const std::optional<workload::Recipe> recipe = read_recipe(row_, linear);
    const Precision gradients = row_.precision(
        "grad_precision", linear == Precision::fp16 ? Precision::fp16 : Precision::fp32);
    job.precision = estimator::mixed_precision(linear, gradients);
    job.precision.recipe = recipe ? recipe : named_recipe(row_, linear);
    job.flash_attention = row_.boolean(
        "flash_attention",
        source_.flash_attention.value_or(usually_fuses_attention(c.system.device, linear)));
    const workload::Framework used = framework();
    c.framework = used.name;
    job.stack = used.training;
    defaults_.catalog.use_libraries(c.system.device.name, used.name, c.system.device);
    read_tuning(job);
    // Which operators selective recomputation runs again, where not as the framework does.
    if (row_.has("selective_recompute")) {
      job.stack.selective_recompute = static_cast<workload::SelectiveRecompute>(
          row_.choice("selective_recompute", workload::selective_recompute_names));
    }
  }

  void read_tuning(estimator::TrainingJob& job) {
    job.optimizer = defaults_.catalog.optimizer();
    if (row_.has("optimizer")) {
      const std::string name = row_.entry("optimizer", catalog::Section::optimizers);
      job.optimizer = name.empty() ? job.optimizer : defaults_.catalog.optimizer(name);
    }
    job.tuning.rank = row_.integer("adapter_rank", 0);
    job.tuning.layers = static_cast<workload::AdapterLayers>(
        row_.choice("adapter_layers", workload::adapter_layers_names));
    job.tuning.frozen = static_cast<workload::FrozenWeights>(
        row_.choice("frozen_weights", workload::frozen_weights_names));
    job.tuning.parts =
        static_cast<workload::TrainedParts>(row_.choice("trained", workload::trained_parts_names));
    if (row_.has("adapter_layers") && job.tuning.rank == 0) {
      row_.error("adapter_layers", "needs adapter_rank");
    }
    if (row_.has("frozen_weights") && !job.tuning.on()) {
      row_.error("frozen_weights", "needs adapter_rank, or trained encoder or projector");
    }
  }

  workload::Framework framework() {
    const catalog::Catalog& catalog = defaults_.catalog;
    if (row_.has("framework")) {
      const std::string name = row_.entry("framework", catalog::Section::frameworks);
      return name.empty() ? workload::Framework()
                          : catalog.framework(
                                framework_variant(name, row_.text("case"), row_.text("source")));
    }
    if (!defaults_.framework.empty()) {
      return catalog.framework(defaults_.framework);
    }
    const bool known = catalog.has(catalog::Section::frameworks, source_.framework);
    return catalog.framework(known ? source_.framework : fallback_framework);
  }

  void read_strategy(TrainingCase& c) {
    parallel::Strategy& s = c.strategy;
    s.tensor_parallel = size("tp");
    s.pipeline_parallel = size("pp");
    s.context_parallel = size("cp");
    s.expert_parallel = size("ep");
    s.chunks = size("virtual_pp");
    s.first_stage_layers = static_cast<std::int32_t>(row_.integer("first_stage_layers", 0, 0));
    s.last_stage_layers = static_cast<std::int32_t>(row_.integer("last_stage_layers", 0, 0));
    s.micro_batch = static_cast<std::int32_t>(row_.integer("micro_batch", std::nullopt));
    const std::int64_t others =
        std::int64_t{s.tensor_parallel} * s.pipeline_parallel * s.context_parallel;
    s.data_parallel =
        static_cast<std::int32_t>(row_.integer("dp", std::max<std::int64_t>(1, c.gpus / others)));
    s.zero = static_cast<std::uint8_t>(row_.choice("zero", zero_stages));
    s.sequence_parallel = row_.boolean("sequence_parallel", false);
    s.recompute =
        static_cast<parallel::Recompute>(row_.choice("recompute", parallel::recompute_names));
    s.recompute_every = size("recompute_every");
    s.schedule = static_cast<parallel::Schedule>(row_.choice("schedule", parallel::schedule_names));
    s.shard_group = static_cast<std::int32_t>(row_.integer("shard_group", 0, 0));
    if (!row_.good()) {
      return;
    }
    if (s.devices() != c.gpus) {
      row_.error("dp", fmt::format("tp x pp x cp x dp = {} x {} x {} x {} are {} devices, not the "
                                   "{} of gpus",
                                   s.tensor_parallel, s.pipeline_parallel, s.context_parallel,
                                   s.data_parallel, s.devices(), c.gpus));
    }
    // Published tables have layouts with more expert-parallel ranks than a stage has: they run as
    // they are.
    (void)place_experts(s);
    const std::int64_t per_step = std::int64_t{s.micro_batch} * s.data_parallel;
    if (c.job.global_batch % per_step != 0) {
      row_.error("global_batch", fmt::format("{} is no multiple of micro_batch x dp = {}",
                                             c.job.global_batch, per_step));
      return;
    }
    s.micro_batches = static_cast<std::int32_t>(c.job.global_batch / per_step);
    check_rules(c);
  }

  // The whole run, with the rates of failures of an entry or as many as were counted.
  void read_run(TrainingCase& c) {
    const std::optional<double> tokens = row_.number("tokens_billion");
    if (!tokens) {
      return;
    }
    const catalog::Catalog& catalog = defaults_.catalog;
    const auto entry = [&](std::string_view column, catalog::Section section) {
      return row_.has(column) ? row_.entry(column, section) : std::string("default");
    };
    const std::string reliability = entry("reliability", catalog::Section::reliability);
    const std::string storage = entry("storage", catalog::Section::storage);
    if (reliability.empty() || storage.empty()) {
      return;
    }
    estimator::RunPlan plan;
    plan.devices = static_cast<double>(c.gpus);
    plan.tokens = 1e9 * *tokens;
    plan.reliability = catalog.reliability(reliability);
    plan.storage = catalog.storage(storage);
    if (row_.has("checkpoint")) {
      plan.checkpoint = static_cast<estimator::CheckpointKind>(
          row_.choice("checkpoint", estimator::checkpoint_kind_names));
    }
    plan.interval_s = row_.number("checkpoint_interval_s").value_or(0.0);
    plan.recovery =
        static_cast<estimator::Recovery>(row_.choice("recovery", estimator::recovery_names));
    plan.spare_share = row_.number("spare_share");
    if (const auto per_day = row_.number("failures_per_day")) {
      const double rate =
          estimator::failure_rates(plan.reliability, 1.0, c.system, plan.devices).sum();
      plan.failure_factor = *per_day / (rate * 86400.0);
    }
    c.run = plan;
  }

  // Schedules, groups that shard and layers that are recomputed follow the rules of studies, each
  // by itself, so that a mistake is told where it is. Published layouts break other rules, and run
  // as they are.
  void check_rules(const TrainingCase& c) {
    const parallel::Strategy& s = c.strategy;
    parallel::StrategyRules plain;
    plain.tensor_parallel = parallel::only(1);
    plain.context_parallel = parallel::only(s.context_parallel);
    plain.pipeline_parallel = parallel::only(s.pipeline_parallel);
    plain.micro_batch = parallel::only(s.micro_batch);
    plain.chunks = parallel::only(1);
    plain.sequence_parallel = {false};
    plain.zero = {0};
    plain.recompute = {parallel::Recompute::none};
    plain.uneven_stages = true;
    parallel::StrategyRules rules = plain;
    if (s.schedule != parallel::Schedule::one_forward_one_backward) {
      rules.schedule = {s.schedule};
      rules.chunks = parallel::only(s.chunks);
      check_rule("schedule", rules, c);
    }
    check_edges(c, plain);
    rules = plain;
    rules.recompute = {s.recompute};
    rules.recompute_every = parallel::only(s.recompute_every);
    check_rule("recompute_every", rules, c);
    rules = plain;
    rules.zero = {s.zero};
    rules.shard_group = {s.shard_group};
    check_rule("shard_group", rules, c);
    if (row_.has("selective_recompute") && s.recompute != parallel::Recompute::selective) {
      row_.error("selective_recompute", "needs recompute selective");
    }
  }

  void check_edges(const TrainingCase& c, parallel::StrategyRules rules) {
    const parallel::Strategy& s = c.strategy;
    rules.first_stage_layers = {s.first_stage_layers};
    rules.last_stage_layers = {s.last_stage_layers};
    rules.chunks = parallel::only(s.chunks);
    check_rule(s.first_stage_layers > 0 ? "first_stage_layers" : "last_stage_layers", rules, c);
  }

  void check_rule(std::string_view column, const parallel::StrategyRules& rules,
                  const TrainingCase& c) {
    if (!row_.has(column)) {
      return;
    }
    const parallel::JobShape shape = {c.strategy.replicas() * c.strategy.pipeline_parallel,
                                      c.job.global_batch, c.job.sequence};
    const auto table = parallel::enumerate_strategies(rules, c.job.model, shape);
    if (table.strategies.empty()) {
      row_.error(column, table.rejections.back().rule);
    }
  }

  std::int32_t size(std::string_view column) {
    return static_cast<std::int32_t>(row_.integer(column, 1));
  }

  static std::string not_modelled(const TrainingCase& c) {
    const Precision linear = c.job.precision.linear;
    if (technology::matrix_peak(c.system.device, linear).si() <= 0.0) {
      return fmt::format("the catalog has no {} rate for {}", technology::name_of(linear),
                         c.system.device.name);
    }
    return "";
  }

  static constexpr std::array<std::string_view, 4> zero_stages = {"0", "1", "2", "3"};

  RowReader& row_;
  const CaseDefaults& defaults_;
  const CaseSource& source_;
};

}  // namespace

std::optional<TrainingCase> read_training_case(RowReader& row, const CaseDefaults& defaults) {
  return TrainingReader(row, defaults).read();
}

namespace {

void predict_training(const TrainingCase& c, CaseRow& r) {
  set_labels(r, c);
  r.shape = shape_name(c.job.model);
  r.lengths = fmt::format("{}", c.job.sequence);
  r.tokens = static_cast<double>(c.job.global_batch) * static_cast<double>(c.job.sequence);
  r.measured_figures = c.measured_figures;
  if (c.measured_step_s > 0.0) {
    r.measured = c.measured_step_s;
  }
  if (!c.not_modelled.empty()) {
    r.predicted.note = c.not_modelled;
    return;
  }
  const estimator::TrainingEstimate estimate =
      estimator::estimate_training({c.job, c.system, c.strategy});
  Prediction& p = r.predicted;
  p.value = estimate.step_time_s();
  p.relative_uncertainty = known(estimate.relative_uncertainty);
  p.traits = estimate.traits;
  p.figures = energy_at(estimate.device_power_w, c.gpus, r.tokens / estimate.step_time_s());
  if (c.run) {
    const estimator::RunEstimate run =
        estimator::RunEstimator(*c.run, c.job, c.system)(estimate, c.strategy);
    p.figures.goodput = run.goodput();
    p.figures.time_to_train_days = run.time_s() / 86400.0;
    p.reached = run.reached;
  }
  p.memory.states_bytes = estimate.memory.states_bytes;
  p.memory.allocated_bytes = estimate.memory.total_bytes();
  p.memory.reserved_bytes = estimate.memory.reserved_bytes;
  p.fits = estimate.verdict == estimator::Verdict::fits;
  p.bottleneck = name_of(estimator::dominant(estimate.step));
  p.device_power_w = estimate.device_power_w;
  p.clock_lowered = estimate.clock_fraction < 1.0;
  if (r.measured) {
    r.measured_utilization = estimate.model_flop_utilization * *p.value / *r.measured;
  }
}

void read_and_predict_training(RowReader& row, CaseMemo& memo, CaseRow& r) {
  r.measured_memory = read_measured_memory(row);
  if (const auto c = read_training_case(row, memo.defaults)) {
    if (row.has("outcome") || c->measured_step_s > 0.0) {
      r.measured_fits = row.text("outcome") != "oom";
    }
    predict_training(*c, r);
  }
}

}  // namespace

const CaseKind& training_cases() {
  static constexpr CaseKind kind = {"training", "step_time_s", "", training_columns,
                                    read_and_predict_training};
  return kind;
}

}  // namespace scalesweep::validation
