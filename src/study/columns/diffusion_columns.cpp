// The columns of a batch of a diffusion model.
#include "study/columns/estimate_columns.hpp"
#include "study/columns/shared_columns.hpp"

namespace scalesweep::study {
namespace {

using Estimate = estimator::DiffusionEstimate;
using At = Evaluated<Estimate>;
using Row = ColumnRow<Estimate>;
using Of = SharedByBatches<Estimate, image_unit>;

constexpr auto figure_rows = joined(
    Of::throughput("Images or videos that come out, or are trained on, per second, whole job."),
    std::to_array<Row>({
        {"step_time", "s", "time of a denoising step",
         "One pass of the transformer over every image or video, or two with guidance, and what "
         "comes with it. Of training the batch_time.",
         "", Better::smaller, [](const At& at) { return at.estimate.step_s; }},
        {"attended_tokens", "1", "attended tokens",
         "Tokens of one pass that attend to each other: those of latents, and of text where it is "
         "among them.",
         "", Better::neither, [](const At& at) { return at.estimate.tokens; }},
        Of::utilization(
            "FLOP of the transformer, all steps, over the peak of all devices in the time of a "
            "batch. Of training three times those forward."),
    }),
    Of::clock_and_energy("Energy per batch over its images or videos."),
    Of::memory(
        "Bytes in use on a device: weights, what training keeps of them, activations and what "
        "comes out or goes in."),
    std::to_array<Row>({
        {"memory_denoiser", "B", "memory of the denoiser",
         "Share of memory_weights: the transformer; the others are text encoders and decoder.", "",
         Better::smaller, [](const At& at) { return at.estimate.memory.denoiser_bytes; }},
        {"memory_gradients", "B", "memory of gradients",
         "Share of memory_total: of training, gradients of the transformer.", "", Better::smaller,
         [](const At& at) { return at.estimate.memory.gradients_bytes; }},
        {"memory_optimizer", "B", "memory of optimizer",
         "Share of memory_total: of training, master weights and moments.", "", Better::smaller,
         [](const At& at) { return at.estimate.memory.optimizer_bytes; }},
        {"memory_average", "B", "memory of averaged weights",
         "Share of memory_total: of training, the moving average of weights.", "", Better::smaller,
         [](const At& at) { return at.estimate.memory.average_bytes; }},
        Of::memory_activations(
            "Share of memory_total: the most that a layer, or a frame in the autoencoder, works "
            "on, and what training keeps for the backward pass."),
        {"memory_output", "B", "memory of what comes out",
         "Share of memory_total: latents, and pixels made of them or encoded.", "", Better::smaller,
         [](const At& at) { return at.estimate.memory.output_bytes; }},
    }),
    Of::room("memory_total less memory_usable: what a device lacks; below 0 what it has left."),
    Of::device_and_price());

}  // namespace

EstimateColumns diffusion_columns() {
  return Of::columns(figure_rows, estimator::diffusion_phase_names,
                     "Time of a batch: text encoders, all denoising steps, and the decoder; or of "
                     "a training step: encoders, both passes, gradients and optimizer.");
}

double shortfall_of(const Estimate& estimate, const JobFigures& job) {
  return memory_shortfall<figure_rows>(estimate, job);
}

void fill_row(EstimateRow& row, const Estimate& estimate, const JobFigures& job) {
  set_batch_row<figure_rows>(row, estimate, job, estimate.batch);
}

}  // namespace scalesweep::study
