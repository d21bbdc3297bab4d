// Rows of [workload] that diffusion models alone have.
#include <array>

#include "estimator/diffusion/job.hpp"
#include "keys/rows.hpp"

namespace scalesweep::keys {
namespace {

using estimator::DiffusionJob;
using estimator::DiffusionTraining;
using workload::ImageSize;

constexpr std::array<std::string_view, 2> state_formats = {"fp32", "as_weights"};
constexpr std::array<std::string_view, 2> averages = {"fp32", "none"};
constexpr std::array<std::string_view, 2> latent_sources = {"encoded", "stored"};

template <auto member>
constexpr auto in_image = into<&DiffusionJob::image, member>;
// A word that a flag of training stands for.
template <const auto& word, auto flag>
void set_flag(DiffusionJob& job, const AxisValue& value) {
  job.training.*flag = value.label == word;
}

// clang-format off
constexpr auto diffusion_table = std::to_array<Row>({
    {{.path = "workload.width", .kind = KeyKind::integer, .need = Need::required,
        .example = "1280", .units = "pixels",
        .description = "of an image, or of each frame; what does not fill a token is filled up",
        .list = true, .axis = "width", .asked = true, .variants = diffusion},
     sets<in_image<&ImageSize::width>>},
    {{.path = "workload.height", .kind = KeyKind::integer, .need = Need::required,
        .example = "720", .units = "pixels", .description = "the other side",
        .list = true, .axis = "height", .asked = true, .variants = diffusion},
     sets<in_image<&ImageSize::height>>},
    {{.path = "workload.frames", .kind = KeyKind::integer, .fallback = "1",
        .example = "[1, 81]", .units = "frames",
        .description = "of a video; a model that makes images has one",
        .list = true, .axis = "frames", .asked = true, .variants = diffusion},
     sets<in_image<&ImageSize::frames>>},
    {{.path = "workload.denoising_steps", .kind = KeyKind::integer, .fallback = "of the model",
        .example = "[4, 50]",
        .description = "steps from noise to latents, in each of which the transformer runs once, "
                       "or twice with guidance, over every image or video",
        .list = true, .axis = "denoising_steps", .asked = true, .variants = diffusion,
        .needs = "work = \"inference\"",
        .because = "in training each image has one noise level a step"},
     sets<into<&DiffusionJob::model, &workload::DiffusionModel::steps>>},
    {{.path = "workload.precision", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"bf16\"", .example = "[\"bf16\", \"fp8\"]",
        .description = "operands of the linear layers of the transformer, and from 16 bits on "
                       "activations, attention and the decoder; below, these are bf16",
        .list = true, .axis = "precision", .variants = diffusion},
     sets<format<&DiffusionJob::operands>>},
    {{.path = "workload.framework", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"diffusers\"", .example = "\"diffusers\"",
        .description = "the software, an entry of `nodes/frameworks-diffusion.toml`",
        .list = true, .axis = "framework", .names = frameworks, .variants = diffusion},
     sets<set_diffusion_stack>},
    {{.path = "workload.states", .kind = KeyKind::name, .fallback = "\"fp32\"",
        .example = "[\"fp32\", \"as_weights\"]",
        .description = "of training: master weights, sums of gradients and moments are fp32, or "
                       "all in the format of the weights, without a master copy",
        .words = state_formats, .list = true, .axis = "states", .variants = diffusion,
        .needs = "work = \"training\""},
     sets<set_flag<state_formats[1], &DiffusionTraining::states_as_weights>>},
    {{.path = "workload.weight_average", .kind = KeyKind::name, .fallback = "\"fp32\"",
        .example = "\"none\"",
        .description = "of training: a moving average of the weights is kept beside them and "
                       "brought forward each step, or there is none",
        .words = averages, .list = true, .axis = "weight_average", .variants = diffusion,
        .needs = "work = \"training\""},
     sets<set_flag<averages[0], &DiffusionTraining::averages_weights>>},
    {{.path = "workload.latents", .kind = KeyKind::name, .fallback = "\"encoded\"",
        .example = "[\"encoded\", \"stored\"]",
        .description = "of training: frozen encoders make latents and texts' embeddings in each "
                       "step, or both were computed before and are read",
        .words = latent_sources, .list = true, .axis = "latents", .asked = true,
        .variants = diffusion, .needs = "work = \"training\""},
     sets<set_flag<latent_sources[0], &DiffusionTraining::encodes>>},
});
// clang-format on

}  // namespace

std::span<const Row> diffusion_rows() {
  return diffusion_table;
}

}  // namespace scalesweep::keys
