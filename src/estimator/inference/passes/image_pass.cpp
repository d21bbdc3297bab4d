#include "estimator/inference/passes/image_pass.hpp"

#include <algorithm>
#include <cmath>

#include "workload/encoder/inputs.hpp"

namespace scalesweep::estimator {
namespace {

using workload::Encoder;
using workload::InferenceSlice;
using workload::Operator;

// Of a device.
struct ImageBatch {
  double pieces = 0.0;
  double patches = 0.0;  // of each
  double tokens = 0.0;   // that they become
};

ImageBatch images_of(const Encoder& encoder, const InferenceSlice& slice) {
  if (!encoder.asked() || encoder.prompt_tokens <= 0.0) {
    return {};
  }
  const workload::EncodedInput image = workload::encoded_input(encoder);
  const double images = encoder.inputs * slice.prefill.tokens() / encoder.prompt_tokens /
                        static_cast<double>(slice.context_shards);
  return {images * image.pieces, image.patches, images * image.tokens};
}

// Nothing is kept of keys and values, and all linear layers are as activations are.
InferenceSlice slice_of(const ImageBatch& images, const InferenceSlice& prompts) {
  InferenceSlice slice;
  // Fewer than one piece in the mean: one in some of the iterations.
  slice.prefill = {std::max(1.0, images.pieces), images.patches, 0.0};
  slice.tensor_shards = prompts.tensor_shards;
  slice.activation_bytes = prompts.activation_bytes;
  slice.linear = workload::LinearFormats({prompts.activation_bytes, prompts.activation_bytes, {}});
  slice.cache_bytes = prompts.activation_bytes;
  slice.flash_attention = prompts.flash_attention;
  slice.fused_pointwise = prompts.fused_pointwise;
  slice.composed = prompts.composed;
  return slice;
}

void add(InferenceBlock& sum, double n, const InferenceBlock& block) {
  sum.linear.add(n, block.linear);
  sum.attention.add(n, block.attention);
  sum.other.add(n, block.other);
  sum.communication.add(n, block.communication);
  sum.issue_s += n * block.issue_s;
}

}  // namespace

void add_images(InferenceJob& job) {
  Encoder& encoder = job.model.encoder;
  if (encoder.asked()) {
    job.prompt += std::llround(workload::encoded_tokens(encoder));
    encoder.prompt_tokens = static_cast<double>(job.prompt);
  }
}

double encoded_patches(const Encoder& encoder, double prompt_tokens) {
  InferenceSlice slice;
  slice.prefill = {1.0, prompt_tokens, 0.0};
  const ImageBatch images = images_of(encoder, slice);
  return images.pieces * images.patches;
}

std::vector<EncoderBlock> encoder_blocks(const InferenceJob& job, const InferenceSlice& slice) {
  const Encoder& encoder = job.model.encoder;
  const ImageBatch images = images_of(encoder, slice);
  if (images.pieces <= 0.0) {
    return {};
  }
  const workload::TransformerModel& model = *encoder.model;
  const InferenceSlice pieces = slice_of(images, slice);
  const double share = images.pieces / pieces.prefill.sequences;
  std::vector<EncoderBlock> blocks = {
      {"patches", share,
       workload::in_activations(workload::inference_embedding_operators(model, pieces))}};
  const auto add_layers = [&](std::string_view name, workload::AttentionSpan span) {
    if (const double layers = workload::layers_with(model, span); layers > 0.0) {
      blocks.push_back({name, share * layers,
                        workload::in_activations(workload::inference_layer_operators(
                            model, pieces, workload::LayerKind::dense, span))});
    }
  };
  add_layers("encoder layer", workload::AttentionSpan::whole);
  add_layers("encoder layer with windows", workload::AttentionSpan::window);
  blocks.push_back(
      {"projector", share,
       workload::inference_projector_operators(job.model, images.tokens / share,
                                               slice.tensor_shards, slice.activation_bytes)});
  return blocks;
}

InferenceBlock encoder_kernels(const InferenceSetting& setting, const InferenceSlice& slice) {
  InferenceBlock sum;
  for (const EncoderBlock& of : encoder_blocks(setting.job, slice)) {
    InferenceBlock block;
    block.add(setting, of.operators, kernels_of(setting, slice.prefill));
    add(sum, of.times, block);
  }
  return sum;
}

EncoderMessages encoder_messages(const Replica& replica, const InferenceSlice& slice) {
  const Encoder& of = replica.job().model.encoder;
  const ImageBatch images = images_of(of, slice);
  if (images.pieces <= 0.0 || replica.strategy.tensor_parallel <= 1) {
    return {};
  }
  const InferenceSlice pieces = slice_of(images, slice);
  const double bytes =
      pieces.prefill.tokens() * static_cast<double>(of.model->hidden) * pieces.activation_bytes;
  const Message reduce = {"reduce sums", parallel::CollectiveKind::all_reduce,
                          replica.group(parallel::Dimension::tensor), bytes};
  const double share = images.pieces / pieces.prefill.sequences;
  return {share * static_cast<double>(of.model->layers), {reduce, reduce}};
}

void add_encoder_messages(InferenceBlock& encoder, const Replica& replica,
                          const InferenceSlice& slice) {
  const EncoderMessages sent = encoder_messages(replica, slice);
  InferenceBlock layer;
  layer.add(replica.setting, sent.messages);
  add(encoder, sent.times, layer);
}

}  // namespace scalesweep::estimator
