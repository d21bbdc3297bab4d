// Rows of [workload] of images and audio among the tokens of language models.
#include <array>

#include "space/keys/rows.hpp"
#include "workload/training/tuning.hpp"

namespace scalesweep::space {
namespace {

constexpr auto trained_parts = std::span<const std::string_view>(workload::trained_parts_names);

// clang-format off
constexpr std::array image_keys_of_models = {
    Key{.path = "workload.images", .kind = KeyKind::number, .fallback = "0",
        .example = "[0, 1, 4]",
        .description = "of a sequence, or of the prompt of a request, in the mean; for a model "
                       "with an `encoder`, which runs beside the embedding. A training `sequence` "
                       "has their tokens among its own, to a `prompt` they are added",
        .range = config::from_zero, .list = true, .axis = "images", .asked = true,
        .variants = training | requests},
    Key{.path = "workload.image_width", .kind = KeyKind::integer, .fallback = "448",
        .example = "[448, 1344]", .units = "pixels",
        .description = "of an image, from which the model's tiles or its own scaling follow",
        .list = true, .axis = "image_width", .asked = true, .variants = training | requests,
        .needs = "images"},
    Key{.path = "workload.image_height", .kind = KeyKind::integer, .fallback = "448",
        .example = "[448, 1008]", .units = "pixels", .description = "the other side",
        .list = true, .axis = "image_height", .asked = true, .variants = training | requests,
        .needs = "images"},
    Key{.path = "workload.recordings", .kind = KeyKind::number, .fallback = "0",
        .example = "[0, 1, 4]",
        .description = "of audio, as `images` are; for a model with an `encoder` of `audio`",
        .range = config::from_zero, .list = true, .axis = "recordings", .asked = true,
        .variants = training | requests},
    Key{.path = "workload.recording_length", .kind = KeyKind::quantity, .fallback = "\"30 s\"",
        .example = "[\"10 s\", \"5 min\"]",
        .description = "of a recording, from which the model's clips follow",
        .dimension = Dimension::seconds, .list = true, .axis = "recording_length", .asked = true,
        .variants = training | requests, .needs = "recordings"},
    Key{.path = "workload.input_spread", .kind = KeyKind::number, .fallback = "0",
        .example = "[0, 0.5, 1]",
        .description = "standard deviation of what a sequence has of `images` or `recordings` over "
                       "its mean: 0: all sequences alike; 1: some have none and a few many; "
                       "never more than a `sequence` holds. Replicas and stages then wait for "
                       "those that encode more",
        .range = config::from_zero, .list = true, .axis = "input_spread", .asked = true,
        .variants = training, .needs = "images or recordings"},
    Key{.path = "workload.trained", .kind = KeyKind::name, .fallback = "\"all\"",
        .example = "[\"language_model\", \"projector\"]",
        .description = "parts of a model with an `encoder` that are trained: all, or one of them "
                       "with the projector between encoder and language model, or that alone. "
                       "With `adapter_rank` the language model is trained by adapters",
        .words = trained_parts, .list = true, .axis = "trained", .asked = true,
        .variants = training},
};
// clang-format on

}  // namespace

std::span<const Key> image_keys() {
  return image_keys_of_models;
}

}  // namespace scalesweep::space
