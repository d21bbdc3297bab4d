#include "validation/training_cases.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "validation/cases/case_sources.hpp"
#include "validation/cases/expert_ranks.hpp"
#include "validation/cases/measured_network.hpp"

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

// MXFP8 runs on the 8-bit matrix units: where the catalog has no rate of its own for it, at theirs.
Precision catalogued(Precision linear, const technology::Device& device) {
  const auto has = [&](Precision precision) {
    return device.tensor_peak[technology::index_of(precision)].si() > 0.0;
  };
  return linear == Precision::mxfp8 && !has(linear) && has(Precision::fp8) ? Precision::fp8
                                                                           : linear;
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
    c.measured_energy = read_energy(row_);
    c.gpus = row_.integer("gpus", std::nullopt);
    read_system(c);
    read_model(c.job.model);
    read_job(c);
    read_strategy(c);
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
    c.system = defaults_.systems.of(other ? std::string(source_.h100) : device);
    read_power_limit(c.system.device);
    const double node = devices_per_node(c.system);
    if (const auto gigabits = row_.number("scale_out_gbps_per_node")) {
      c.system.set_scale_out_rate(BytesPerSecond::si(*gigabits * 1e9 / 8.0 / node));
    }
  }

  // Devices that are set to less than their design power.
  void read_power_limit(technology::Device& device) {
    const std::optional<double> limit_w = row_.number("power_limit_w");
    const double design_w = device.thermal_design_power.si();
    if (limit_w && design_w > 0.0 && *limit_w > design_w) {
      row_.error("power_limit_w", fmt::format("{} is above the design power of {}, {} W",
                                              row_.text("power_limit_w"), device.name, design_w));
    } else if (limit_w) {
      device.thermal_design_power = Watts::si(*limit_w);
    }
  }

  void read_model(workload::TransformerModel& model) {
    if (row_.has("model")) {
      read_named_model(model);
    } else {
      read_shape(model);
    }
    if (row_.boolean("multi_token_prediction", false)) {
      model.prediction_layers = std::max<std::int64_t>(1, model.prediction_layers);
    } else {
      model.prediction_layers = 0;
    }
    if (row_.boolean("token_drop", false) && model.experts.on()) {
      model.experts.capacity = 1.0;  // no expert takes more than its even share
    }
  }

  void read_named_model(workload::TransformerModel& model) {
    const std::string name = row_.entry("model", catalog::Section::models);
    if (name.empty()) {
      return;
    }
    model = defaults_.catalog.model(name);
    model = workload::with_layers(model, row_.integer("layers", model.layers));
    if (source_.llama_405b_kv_heads > 0 && name == "llama-3-405b") {
      model.kv_heads = source_.llama_405b_kv_heads;
    }
  }

  void read_shape(workload::TransformerModel& model) {
    if (!row_.knows("hidden") && !row_.knows("layers")) {
      row_.error("model",
                 "is required: a model of the catalog, or hidden, layers, heads and vocab");
      return;
    }
    model.hidden = row_.integer("hidden", std::nullopt);
    model.layers = row_.integer("layers", std::nullopt);
    model.heads = row_.integer("heads", std::nullopt);
    model.kv_heads = row_.integer("kv_heads", model.heads);
    model.head_dim = model.hidden / model.heads;
    model.ffn = row_.integer("ffn", 4 * model.hidden);
    model.vocab = row_.integer("vocab", std::nullopt);
    model.gated_ffn = row_.boolean("gated_ffn", false);
    model.tied_embeddings = row_.boolean("tied_embeddings", false);
    model.max_positions = row_.integer("seq", std::nullopt);
    // What the GPT family and later models differ in besides the MLP.
    const bool grouped = model.kv_heads < model.heads;
    model.biases = model.dropout = model.learned_positions =
        source_.plain_gpt && !model.gated_ffn && !grouped;
  }

  void read_job(TrainingCase& c) {
    estimator::TrainingJob& job = c.job;
    job.sequence = row_.integer("seq", std::nullopt);
    job.global_batch = row_.integer("global_batch", std::nullopt);
    const Precision linear =
        catalogued(row_.precision("precision", Precision::bf16), c.system.device);
    const Precision gradients = row_.precision(
        "grad_precision", linear == Precision::fp16 ? Precision::fp16 : Precision::fp32);
    job.precision = estimator::mixed_precision(linear, gradients);
    job.flash_attention = row_.boolean(
        "flash_attention",
        source_.flash_attention.value_or(usually_fuses_attention(c.system.device, linear)));
    job.framework = framework();
  }

  workload::Framework framework() {
    const catalog::Catalog& catalog = defaults_.catalog;
    if (row_.has("framework")) {
      const std::string name = row_.entry("framework", catalog::Section::frameworks);
      return name.empty() ? workload::Framework()
                          : catalog.framework(framework_variant(name, row_.text("case")));
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
    s.micro_batch = static_cast<std::int32_t>(row_.integer("micro_batch", std::nullopt));
    const std::int64_t others =
        std::int64_t{s.tensor_parallel} * s.pipeline_parallel * s.context_parallel;
    s.data_parallel =
        static_cast<std::int32_t>(row_.integer("dp", std::max<std::int64_t>(1, c.gpus / others)));
    s.zero = static_cast<std::uint8_t>(row_.choice("zero", zero_stages));
    s.sequence_parallel = row_.boolean("sequence_parallel", false);
    s.recompute =
        static_cast<parallel::Recompute>(row_.choice("recompute", parallel::recompute_names));
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
  }

  std::int32_t size(std::string_view column) {
    return static_cast<std::int32_t>(row_.integer(column, 1));
  }

  static std::string not_modelled(const TrainingCase& c) {
    const Precision linear = c.job.precision.linear;
    if (c.system.device.tensor_peak[technology::index_of(linear)].si() <= 0.0) {
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

}  // namespace scalesweep::validation
