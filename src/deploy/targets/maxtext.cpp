// MaxText: keys of its configuration behind the file that has all of them.
#include <algorithm>
#include <numeric>

#include "deploy/parts/vendors.hpp"
#include "deploy/rules/program_rules.hpp"
#include "deploy/target.hpp"
#include "deploy/targets/training_values.hpp"

namespace scalesweep::deploy {
namespace {

using parallel::Recompute;
using technology::Precision;
using R = TrainingRun;

bool is_tpu(const R& r) {
  return vendor_of(r.system.device.name) == Vendor::google;
}

// How many of an axis are inside a slice of TPUs, which all are, or a server of GPUs, and how many
// servers it goes over: axes come in turn, the innermost first.
enum class Axis : std::uint8_t { tensor, context, expert, fsdp, data };

std::int64_t size_of(const R& r, Axis axis) {
  const parallel::Strategy& s = r.strategy;
  const bool is_sharded = s.zero == 3;
  switch (axis) {
    case Axis::tensor:
      return s.tensor_parallel;
    case Axis::context:
      return s.context_parallel;
    case Axis::expert:
      return s.expert_parallel;
    case Axis::fsdp:
      return is_sharded ? sharded_ranks(s) / s.expert_parallel : 1;
    case Axis::data:
      return is_sharded ? replicated_ranks(s) : s.data_parallel;
  }
  return 1;
}

std::int64_t inside(const R& r, Axis asked) {
  std::int64_t left = is_tpu(r) ? r.strategy.devices() : r.hosts.per_node;
  for (const Axis axis : {Axis::tensor, Axis::context, Axis::expert, Axis::fsdp, Axis::data}) {
    const std::int64_t here = std::gcd(size_of(r, axis), left);
    if (axis == asked) {
      return here;
    }
    left /= here;
  }
  return 1;
}
Value beyond(const R& r, Axis axis) {
  const std::int64_t slices = size_of(r, axis) / inside(r, axis);
  return text_if(slices > 1, slices);
}

bool splits_norms(const R& r) {
  return r.strategy.tensor_parallel > 1 && r.strategy.sequence_parallel;
}
bool has_context(const R& r) {
  return r.strategy.context_parallel > 1;
}
bool exchanges_heads(const R& r) {
  return has_context(r) && r.strategy.context_exchange == parallel::ContextExchange::all_to_all;
}

Value quantization(const R& r) {
  if (multiplies(r, Precision::mxfp8)) {
    return "te_mxfp8";
  }
  if (!multiplies(r, Precision::fp8)) {
    return std::nullopt;
  }
  if (is_tpu(r)) {
    return "fp8_full";
  }
  return fp8_recipe(r) == workload::Recipe::delayed ? "te_fp8_delayedscaling"
                                                    : "te_fp8_currentscaling";
}

// Of GPUs on several servers, which JAX has to be told of (max_utils.py:319 of e591f30c).
bool is_told_of_servers(const R& r) {
  return !is_tpu(r) && r.hosts.nodes > 1;
}

constexpr auto options = std::to_array<TrainingOption>({
    {"JAX_COORDINATOR_IP", "servers",
     [](const R& r) { return text_if(is_told_of_servers(r), "$HEAD"); }, Place::environment},
    {"JAX_COORDINATOR_PORT", "servers",
     [](const R& r) { return text_if(is_told_of_servers(r), 29500); }, Place::environment},
    {"NNODES", "servers", [](const R& r) { return text_if(is_told_of_servers(r), r.hosts.nodes); },
     Place::environment},
    {"NODE_RANK", "servers",
     [](const R& r) { return text_if(is_told_of_servers(r), "$NODE_RANK"); }, Place::environment},
    {"run_name=", "model", [](const R&) { return text("$RUN_NAME"); }},
    {"base_output_directory=", "model", [](const R&) { return text("$OUTPUT"); }},
    {"model_name=", "model", [](const R& r) { return text(maxtext_model(r.model())); }},
    {"hardware=", "device", [](const R& r) { return text(is_tpu(r) ? "tpu" : "gpu"); }},
    {"max_target_length=", "sequence", [](const R& r) { return text(r.job.sequence); }},
    {"per_device_batch_size=", "micro_batch / (tensor_parallel x context_parallel)",
     [](const R& r) {
       return text(static_cast<double>(r.strategy.micro_batch) /
                   (r.strategy.tensor_parallel * r.strategy.context_parallel));
     }},
    {"gradient_accumulation_steps=", "micro_batches",
     [](const R& r) { return text(r.strategy.micro_batches); }},
    {"dtype=", "precision: activations",
     [](const R& r) {
       return text(r.job.precision.activations == Precision::fp32 ? "float32" : "bfloat16");
     }},
    {"quantization=", "precision: linear, recipe", quantization},
    {"use_qwix_quantization=", "precision: linear",
     [](const R& r) { return text_if(is_tpu(r) && multiplies(r, Precision::fp8), "true"); }},
    {"remat_policy=", "recompute",
     [](const R& r) {
       const Recompute recompute = r.strategy.recompute;
       return text(recompute == Recompute::full        ? "full"
                   : recompute == Recompute::selective ? "minimal"
                                                       : "minimal_with_context");
     }},
    {"shard_optimizer_over_data=", "zero",
     [](const R& r) { return text_if(r.strategy.zero == 1, "true"); }},
    {"optimizer_memory_host_offload=", "offload_optimizer",
     [](const R& r) { return text_if(r.strategy.offload_optimizer, "true"); }},
    {"ici_tensor_parallelism=", "tensor_parallel",
     [](const R& r) { return text(splits_norms(r) ? 1 : inside(r, Axis::tensor)); }},
    {"ici_tensor_sequence_parallelism=", "tensor_parallel, sequence_parallel",
     [](const R& r) { return text_if(splits_norms(r), inside(r, Axis::tensor)); }},
    {"ici_context_parallelism=", "context_parallel",
     [](const R& r) { return text_if(has_context(r), inside(r, Axis::context)); }},
    {"ici_expert_parallelism=", "expert_parallel",
     [](const R& r) { return text_if(has_experts(r), inside(r, Axis::expert)); }},
    {"ici_fsdp_parallelism=", "data_parallel, zero, shard_group",
     [](const R& r) { return text(inside(r, Axis::fsdp)); }},
    {"ici_data_parallelism=", "data_parallel, zero, shard_group",
     [](const R& r) { return text(inside(r, Axis::data)); }},
    {"dcn_tensor_parallelism=", "tensor_parallel",
     [](const R& r) { return splits_norms(r) ? std::nullopt : beyond(r, Axis::tensor); }},
    {"dcn_tensor_sequence_parallelism=", "tensor_parallel, sequence_parallel",
     [](const R& r) { return splits_norms(r) ? beyond(r, Axis::tensor) : std::nullopt; }},
    {"dcn_context_parallelism=", "context_parallel",
     [](const R& r) { return beyond(r, Axis::context); }},
    {"dcn_expert_parallelism=", "expert_parallel",
     [](const R& r) { return beyond(r, Axis::expert); }},
    {"dcn_fsdp_parallelism=", "data_parallel, zero, shard_group",
     [](const R& r) { return beyond(r, Axis::fsdp); }},
    {"dcn_data_parallelism=", "data_parallel, zero, shard_group",
     [](const R& r) { return text(size_of(r, Axis::data) / inside(r, Axis::data)); }},
    {"context_parallel_strategy=", "context_exchange",
     [](const R& r) { return text_if(has_context(r), exchanges_heads(r) ? "ulysses" : "ring"); }},
    {"context_parallel_load_balance=", "context_exchange",
     [](const R& r)
         -> Value { return has_context(r) ? truth(!exchanges_heads(r)) : std::nullopt; }},
    {"attention=", "device, context_parallel",
     [](const R& r)
         -> Value {
       const Value of_tpu = text_if(has_context(r), "flash");
       return is_tpu(r) ? of_tpu : text("cudnn_flash_te");
     }},
    // The kernel of TPUs, which is interpreted elsewhere (layers/moe.py:1521).
    {"megablox=", "device, model: experts",
     [](const R& r) { return text_if(!is_tpu(r) && has_experts(r), "false"); }},
    {"use_tokamax_splash=", "context_parallel",
     [](const R& r) { return text_if(is_tpu(r) && has_context(r), "true"); }},
    {"packing=", "device, context_parallel",
     [](const R& r) { return text_if(has_context(r) || !is_tpu(r), "false"); }},
});

std::vector<std::string> notes(const R& r) {
  std::vector<std::string> all = notes_of_layout(r, parallel::RankOrder::tp_cp_ep_dp_pp);
  if (r.hosts.nodes > 1) {
    all.push_back(fmt::format("the command is started once on each of {} hosts at the same time{}",
                              r.hosts.nodes,
                              is_tpu(r) ? "" : ", with NODE_RANK its number from 0 on"));
  }
  if (is_tpu(r)) {
    all.emplace_back(
        "all devices are one slice here; of several, dcn_data_parallelism or dcn_fsdp_parallelism "
        "is their number, and that of ici as much less");
  }
  if (r.strategy.recompute == Recompute::none) {
    all.emplace_back(
        "minimal_with_context keeps what matrices and attention give: sums, norms and activations "
        "are computed again");
  }
  const auto recipe = fp8_recipe(r);
  if (recipe && recipe != workload::Recipe::delayed && recipe != workload::Recipe::current) {
    all.emplace_back("fp8 is scaled by tensor: this program has no scales by row or block");
  }
  if (r.model().prediction_layers > 0) {
    all.emplace_back(
        "mtp_num_layers is yours to set: without it no prediction modules are trained");
  }
  return all;
}

TrainingForm form(const R&) {
  return {{},
          "python3 -m maxtext.trainers.pre_train.train src/maxtext/configs/base.yml",
          nullptr,
          true};
}

constexpr auto versions = std::to_array<Version>({
    {"main-2026-08-22", "e591f30c"},
});
constexpr std::array runs_on = {Vendor::google, Vendor::nvidia};

}  // namespace

const TrainingTarget& maxtext() {
  static const TrainingTarget target = {
      .text = {.name = "maxtext",
               .versions = versions,
               .source = "src/maxtext/configs/types.py",
               .runs_on = runs_on,
               .rules = maxtext_rules()},
      .options = options,
      .notes = notes,
      .variables =
          "RUN_NAME names the run and OUTPUT a folder or bucket; data, tokenizer, "
          "learning rate and number of steps are those of base.yml: add yours",
      .form = form};
  return target;
}

}  // namespace scalesweep::deploy
