// The columns of a batch of a diffusion model.
#include "study/columns/estimate_columns.hpp"
#include "study/columns/shared_columns.hpp"

namespace scalesweep::study {
namespace {

using Estimate = estimator::DiffusionEstimate;
using At = Evaluated<Estimate>;
using Row = ColumnRow<Estimate>;
using Of = Shared<Estimate>;

constexpr auto figure_rows = joined(
    std::to_array<Row>({
        {"images_per_second", "s-1", "images per second",
         "Images or videos that come out, or are trained on, per second, whole job.", "throughput",
         Better::larger, [](const At& at) { return at.tokens / at.time_s; }},
        {"images_per_second_per_device", "s-1", "images per second per device",
         "images_per_second over devices.", "device_throughput", Better::larger,
         [](const At& at) { return at.tokens / at.time_s / at.job.devices(); }},
        {"step_time", "s", "time of a denoising step",
         "One pass of the transformer over every image or video, or two with guidance, and what "
         "comes with it. Of training the batch_time.",
         "", Better::smaller, [](const At& at) { return at.estimate.step_s; }},
        {"attended_tokens", "1", "attended tokens",
         "Tokens of one pass that attend to each other: those of latents, and of text where it is "
         "among them.",
         "", Better::neither, [](const At& at) { return at.estimate.tokens; }},
        {"model_flop_utilization", "1", "model FLOP utilization",
         "FLOP of the transformer, all steps, over the peak of all devices in the time of a batch. "
         "Of training three times those forward.",
         "as_rate utilization", Better::larger,
         [](const At& at) { return at.estimate.model_flop_utilization; }},
        {"clock", "Hz", "clock",
         "Clock of the device; below its own where a batch would exceed the thermal design power.",
         "", Better::neither,
         [](const At& at) { return at.job.clock_hz * at.estimate.clock_fraction; }},
        {"energy_per_batch", "J", "energy per batch",
         "Energy of all devices and networks in one batch.", "", Better::smaller,
         [](const At& at) { return at.energy_j; }},
        {"energy_per_image", "J", "energy per image", "Energy per batch over its images or videos.",
         "unit_energy", Better::smaller, &Of::unit_energy},
    }),
    Of::power("Energy per batch over its time and devices: networks are part of it."),
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
        {"memory_usable", "B", "memory usable",
         "Bytes of one device that tensors may use. It decides what fits.", "", Better::neither,
         [](const At& at) { return at.estimate.memory.usable_bytes; }},
        {"memory_short", "B", "memory short",
         "memory_total less memory_usable: what a device lacks; below 0 what it has left.",
         "nearest:does_not_fit", Better::smaller,
         [](const At& at) { return at.estimate.memory.short_bytes(); }},
    }),
    Of::device, Of::shares_and_capital,
    std::to_array<Row>({
        {"cost_per_million_images", "USD", "cost per million images",
         "Capital written off in the time of a batch, and the energy of devices, networks and "
         "servers.",
         "as_time unit_cost", Better::smaller, &Of::unit_cost},
    }),
    Of::cost_parts,
    std::to_array<Row>({
        {"carbon_per_million_images", "kg", "carbon per million images",
         "Embodied and operational CO2 equivalent.", "as_time", Better::smaller, &Of::unit_carbon},
    }));

}  // namespace

EstimateColumns diffusion_columns() {
  return {
      time_column("batch_time", "batch time",
                  "Time of a batch: text encoders, all denoising steps, and the decoder; or of a "
                  "training step: encoders, both passes, gradients and optimizer.",
                  "time rank"),
      estimator::diffusion_phase_names,
      schema_of(figure_rows),
      {},
      {"batch_time", "energy_per_image", "accelerators"}};
}

double shortfall_of(const Estimate& estimate, const JobFigures& job) {
  return nearest_figure<figure_rows, row_with<figure_rows>("nearest:does_not_fit")>(estimate, job);
}

void fill_row(EstimateRow& row, const Estimate& estimate, const JobFigures& job) {
  const double time_s = estimate.batch_time_s();
  set_row<figure_rows>(row, status_of(estimate.verdict),
                       At::of(estimate, job, time_s, time_s, job.tokens), estimate.batch,
                       estimate.phase_s);
}

}  // namespace scalesweep::study
