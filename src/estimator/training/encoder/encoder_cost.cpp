// What an encoder takes of a training step, on the stages that hold it: its layers are those of any
// model, over pieces of images or clips of audio instead of sequences.
#include "estimator/training/layer_cost.hpp"

#include <algorithm>
#include <cmath>

#include "workload/encoder/inputs.hpp"

namespace scalesweep::estimator {
namespace {

using workload::Encoder;

double encoder_layers(const Encoder& encoder) {
  return static_cast<double>(encoder.model->layers);
}

// Nothing of it is kept or goes backward.
void leave_forward_pass(BlockCost& block) {
  BlockCost forward;
  forward.forward = block.forward;
  block = forward;
}

}  // namespace

EncoderWork EncoderWork::of(const TrainingJob& job, const parallel::Strategy& strategy) {
  const Encoder& encoder = job.model.encoder;
  const workload::EncodedInput image = workload::encoded_input(encoder);
  const double pieces = encoder.inputs * image.pieces * strategy.micro_batch /
                        static_cast<double>(strategy.context_parallel);
  EncoderWork work = {job, strategy};
  work.job.model = *encoder.model;
  work.job.sequence = static_cast<std::int64_t>(image.patches);
  work.job.tuning = {};
  work.job.precision.linear = job.precision.activations;
  work.job.precision.recipe = std::nullopt;
  work.strategy.context_parallel = 1;
  work.strategy.expert_parallel = 1;
  work.strategy.micro_batch = static_cast<std::int32_t>(std::max(1.0, std::round(pieces)));
  work.share = pieces / work.strategy.micro_batch;
  return work;
}

BlockCost encoder_cost(const Setting& setting, const BlockRates& rates, KernelMemo& memo) {
  const EncoderWork work = EncoderWork::of(setting.job, setting.strategy);
  const LayerCosts parts =
      encoder_layer_costs({work.job, setting.system, work.strategy}, rates, memo);
  BlockCost cost;
  cost.add(work.share * encoder_layers(setting.job.model.encoder), parts.layer);
  cost.add(work.share, parts.embedding);
  if (!setting.job.tuning.trains_encoder()) {
    leave_forward_pass(cost);
  }
  return cost;
}

double encoder_kernels_s(const Setting& setting, const BlockRates& rates, KernelMemo& memo) {
  const EncoderWork work = EncoderWork::of(setting.job, setting.strategy);
  const Setting alone = {work.job, setting.system, work.strategy};
  const KernelSetting kernels(alone, rates, memo, true);
  const auto seconds = [&](const BlockName& name) {
    const KernelSums& sums = kernels(name);
    return setting.job.tuning.trains_encoder() ? sums.passes_s() : sums.forward.time.total_s();
  };
  const KernelSetting behind(setting, rates, memo);
  double sum_s = behind({.part = BlockName::Part::projector}).passes_s();
  sum_s += work.share * seconds({.part = BlockName::Part::embedding});
  return sum_s + work.share * encoder_layers(setting.job.model.encoder) * seconds({});
}

workload::SavedActivations saved_encoder(const Setting& setting) {
  const Encoder& encoder = setting.job.model.encoder;
  const EncoderWork work = EncoderWork::of(setting.job, setting.strategy);
  workload::SavedActivations saved;
  if (setting.job.tuning.trains_encoder()) {
    const workload::SavedActivations layer = workload::saved_activations(
        work.job.model, slice_of(work.job, work.strategy), workload::LayerKind::dense);
    const double layers = work.share * encoder_layers(encoder);
    saved.dropped_bytes = layers * layer.dropped_bytes;
    saved.kept_bytes = layers * layer.kept_bytes;
    saved.input_bytes = layers * layer.input_bytes;
    saved.most_dropped_bytes = work.share * layer.most_dropped_bytes;
    saved.most_bytes = work.share * layer.most_bytes;
  }
  const double projector =
      workload::saved_by_projector(setting.job.model, slice_of(setting.job, setting.strategy));
  saved.kept_bytes += projector;
  saved.input_bytes += projector;
  return saved;
}

}  // namespace scalesweep::estimator
