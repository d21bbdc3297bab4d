// The images of prompts: one pass through the encoder and the projector, in the iteration that
// takes the prompts.
#pragma once

#include <string_view>
#include <vector>

#include "estimator/inference/passes/inference_blocks.hpp"
#include "workload/encoder/encoder.hpp"

namespace scalesweep::estimator {

// Adds the tokens of images to the prompt, which counts those of text.
void add_images(InferenceJob& job);

// Patches that are encoded for so many tokens of prompts. A part of a prompt has its share of the
// images; what a cache has of a prompt is not encoded.
double encoded_patches(const workload::Encoder& encoder, double prompt_tokens);

// Kernels of it that are alike, so many times: on one device, for a batch of whole pieces.
struct EncoderBlock {
  std::string_view name;
  double times = 1.0;  // a fraction where a mean batch is less than one piece
  std::vector<workload::Operator> operators;
};
std::vector<EncoderBlock> encoder_blocks(const InferenceJob& job,
                                         const workload::InferenceSlice& slice);

// On one device. Stacks leave the encoder's weights in the format of activations and run it kernel
// by kernel; it is cut like the layers behind it.
InferenceBlock encoder_kernels(const InferenceSetting& setting,
                               const workload::InferenceSlice& slice);

// Two reductions a layer (Shoeybi et al., arXiv:1909.08053, section 3), of so many layers.
struct EncoderMessages {
  double times = 0.0;
  std::vector<Message> messages = {};
};
EncoderMessages encoder_messages(const Replica& replica, const workload::InferenceSlice& slice);
void add_encoder_messages(InferenceBlock& encoder, const Replica& replica,
                          const workload::InferenceSlice& slice);

}  // namespace scalesweep::estimator
