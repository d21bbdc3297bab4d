#include "study/columns/estimate_columns.hpp"

#include "estimator/inference/inference.hpp"
#include "estimator/inference/serving.hpp"
#include "estimator/training/training.hpp"
#include "study/columns/figures.hpp"

namespace scalesweep::study {
namespace {

// Of more than one kind.
constexpr Described device_power = {
    "device_power", "W", "average power of a device",
    "What the thermal design power covers: of the networks only what the device itself burns."};
constexpr Described memory_weights = {"memory_weights", "B", "memory of weights",
                                      "Share of memory_total: parameters."};
constexpr Described memory_capacity = {"memory_capacity", "B", "memory capacity",
                                       "Bytes that one device has."};
// What a technology of a name comes to: an axis of names is read as these.
constexpr Described tensor_peak = {
    "tensor_peak", "s-1", "peak of matrix units",
    "FLOP per second of one device at its own clock, dense, at the precision of linear layers."};
constexpr Described dram_bandwidth = {"dram_bandwidth", "B s-1", "DRAM bandwidth",
                                      "Bytes per second of the memory of one device."};
constexpr Described scale_up_bandwidth = {
    "scale_up_bandwidth", "B s-1", "scale-up bandwidth",
    "Bytes per second of one device inside its domain, one direction."};
constexpr Described scale_out_bandwidth = {
    "scale_out_bandwidth", "B s-1", "scale-out bandwidth",
    "Bytes per second of one device between domains, one direction."};
constexpr Described share_core_area = {
    "share_core_area", "1", "area share of cores",
    "Of the die area that interfaces leave: cores; L2 has the rest. NaN for a catalogued device."};
constexpr Described share_memory_edge = {
    "share_memory_edge", "1", "edge share of memory",
    "Of the outer die edge: memory. NaN for a catalogued device."};
constexpr Described share_memory_power = {
    "share_memory_power", "1", "power share of memory",
    "Of the power: what memory takes. NaN for a catalogued device."};
constexpr Described capital_cost = {
    "capital_cost", "USD", "capital cost",
    "Price of all devices with their networks and servers. NaN where the catalog lacks a part, "
    "here and in what follows."};
constexpr Described tokens_per_second_per_device = {"tokens_per_second_per_device", "s-1",
                                                    "output throughput per device",
                                                    "tokens_per_second over devices."};
constexpr Described memory_total = {
    "memory_total", "B", "memory used",
    "Bytes in use on the fullest device at this batch: weights, cache and activations."};
constexpr Described memory_activations = {"memory_activations", "B", "memory of activations",
                                          "Share of memory_total: what an iteration works on."};
constexpr Described memory_usable = {
    "memory_usable", "B", "memory usable",
    "Bytes of one device that the framework may use. It decides what fits."};
constexpr Described largest_batch = {
    "largest_batch", "1", "largest batch",
    "Requests of all replicas that fit at a time; 0: not even the weights fit."};
constexpr Described carbon_per_million_tokens = {"carbon_per_million_tokens", "kg",
                                                 "carbon per million output tokens",
                                                 "Embodied and operational CO2 equivalent."};

// Of a step.
constexpr std::array<Described, training_figure_count> training_figures = {{
    {"model_flop_utilization", "1", "model FLOP utilization",
     "Model FLOP, recomputation not counted, over the peak of all devices in the step time."},
    {"tokens_per_second", "s-1", "training throughput", "Tokens trained on per second, whole job."},
    {"clock", "Hz", "clock",
     "Clock of the device; below its own where the step would exceed the thermal design power."},
    {"energy_per_step", "J", "energy per step", "Energy of all devices and networks in one step."},
    {"energy_per_token", "J", "energy per token", "Energy per step over tokens per step."},
    {"average_power", "W", "average power per device",
     "Energy per step over step time and devices: networks are part of it."},
    device_power,
    {"energy_tensor", "J", "energy of matrix units",
     "Share of energy_per_step: matrix operations, registers and shared memory included."},
    {"energy_vector", "J", "energy of vector units",
     "Share of energy_per_step: other operations, registers and shared memory included."},
    {"energy_dram", "J", "energy of DRAM", "Share of energy_per_step: bytes to and from DRAM."},
    {"energy_l2", "J", "energy of L2", "Share of energy_per_step: bytes to and from L2."},
    {"energy_scale_up", "J", "energy of scale-up",
     "Share of energy_per_step: bytes inside the domain, all hops."},
    {"energy_scale_out", "J", "energy of scale-out",
     "Share of energy_per_step: bytes between domains, all hops."},
    {"energy_static", "J", "static energy",
     "Share of energy_per_step: leakage; 0 where the catalog knows idle power only."},
    {"energy_idle", "J", "idle energy",
     "Share of energy_per_step: what else devices burn whatever they do."},
    {"energy_active", "J", "active energy",
     "Share of energy_per_step: what devices burn beside that while a program keeps them busy, "
     "waits "
     "included: clock tree, instruction issue."},
    {"memory_total", "B", "memory used", "Bytes in use on the fullest device."},
    memory_weights,
    {"memory_gradients", "B", "memory of gradients", "Share of memory_total: gradients."},
    {"memory_optimizer", "B", "memory of optimizer", "Share of memory_total: optimizer states."},
    {"memory_activations", "B", "memory of activations",
     "Share of memory_total: activations kept for the backward pass."},
    {"memory_reserved", "B", "memory reserved",
     "What the allocator of the framework holds at the peak: memory_total and its slack. It "
     "decides "
     "what fits."},
    memory_capacity,
    tensor_peak,
    dram_bandwidth,
    scale_up_bandwidth,
    scale_out_bandwidth,
    share_core_area,
    share_memory_edge,
    share_memory_power,
    capital_cost,
    {"cost_per_step", "USD", "cost per step",
     "Capital written off in the step time, and the energy of devices, networks and servers."},
    {"cost_per_million_tokens", "USD", "cost per million tokens",
     "Cost per step over millions of tokens per step."},
    {"embodied_carbon_per_step", "kg", "embodied carbon per step",
     "CO2 equivalent of making devices and servers, written off in the step time."},
    {"operational_carbon_per_step", "kg", "operational carbon per step",
     "CO2 equivalent of the energy of devices, networks and servers."},
    {"carbon_per_million_tokens", "kg", "carbon per million tokens",
     "Embodied and operational carbon per step over millions of tokens per step."},
    {"relative_uncertainty", "1", "relative uncertainty of the step time",
     "Two of three measured steps of this device, framework and scale lie within it; where none "
     "was "
     "measured, the largest of the others. NaN where the catalog has none."},
}};

// Of a batch that starts together.
constexpr std::array<Described, inference_figure_count> inference_figures = {{
    {"time_to_first_token", "s", "time to first token", "From the start to the first token."},
    {"time_per_output_token", "s", "time per output token",
     "Mean of all tokens of a request after the first; 0 where there are none."},
    {"tokens_per_second", "s-1", "output throughput",
     "Output tokens per second, all replicas, from the start to the last token."},
    tokens_per_second_per_device,
    {"energy_per_batch", "J", "energy per batch",
     "Energy of all devices and networks from the start to the last token."},
    {"energy_per_token", "J", "energy per output token",
     "energy_per_batch over output tokens: the energy of the prompt is part of it."},
    {"average_power", "W", "average power per device",
     "energy_per_batch over latency and devices: networks are part of it."},
    device_power,
    memory_total,
    memory_weights,
    {"memory_cache", "B", "memory of the cache",
     "Share of memory_total: keys and values of whole requests, prompt and output."},
    memory_activations,
    memory_usable,
    memory_capacity,
    tensor_peak,
    dram_bandwidth,
    scale_up_bandwidth,
    scale_out_bandwidth,
    largest_batch,
    share_core_area,
    share_memory_edge,
    share_memory_power,
    capital_cost,
    {"cost_per_million_tokens", "USD", "cost per million output tokens",
     "Capital written off in the latency, and the energy of devices, networks and servers."},
    carbon_per_million_tokens,
    {"relative_uncertainty", "1", "relative uncertainty of the latency",
     "Two of three measured cases lie within it. NaN where it is not known."},
}};

// Of a service in its steady state.
constexpr std::array<Described, serving_figure_count> serving_figures = {{
    {"request_rate", "Hz", "request rate",
     "Requests answered per second, all replicas: the most that the limits allow, or all that "
     "arrive."},
    {"batch", "1", "batch", "Sequences being answered at a time, all replicas."},
    {"time_to_first_token", "s", "time to first token", "Mean over requests, waiting included."},
    {"waiting", "s", "waiting", "Share of time_to_first_token: before a prompt is begun."},
    {"prefill_replicas", "1", "replicas that process prompts", "Of disaggregated ones; else 0."},
    {"tokens_per_second", "s-1", "output throughput", "Output tokens per second, all replicas."},
    tokens_per_second_per_device,
    {"device_seconds_per_token", "s", "device time per output token",
     "Devices over tokens_per_second: the inverse of the throughput per device, to be minimised."},
    {"seconds_per_request", "s", "system time per request",
     "The inverse of request_rate, to be minimised."},
    {"miss", "1", "miss of the limits",
     "The largest of time / limit - 1, and of arrivals / the largest rate - 1; 0 where the limits "
     "are met, NaN where the model does not fit."},
    {"energy_per_token", "J", "energy per output token",
     "Energy of all devices and networks per second over tokens_per_second."},
    {"average_power", "W", "average power per device",
     "Energy per second over devices: networks are part of it."},
    device_power,
    memory_total,
    memory_weights,
    {"memory_cache", "B", "memory of the cache",
     "Share of memory_total: keys and values of all sequences being answered."},
    memory_activations,
    memory_usable,
    memory_capacity,
    tensor_peak,
    dram_bandwidth,
    scale_up_bandwidth,
    scale_out_bandwidth,
    largest_batch,
    share_core_area,
    share_memory_edge,
    share_memory_power,
    capital_cost,
    {"cost_per_million_tokens", "USD", "cost per million output tokens",
     "Capital written off, and the energy of devices, networks and servers."},
    carbon_per_million_tokens,
    {"relative_uncertainty", "1", "relative uncertainty of the time per output token",
     "Two of three measured cases lie within it. NaN where it is not known."},
}};

constexpr std::array<LabelColumn, 1> serving_labels = {
    {{"bound", "bound of the rate",
      "What keeps the rate from being higher: memory for more caches, a limit, iterations that "
      "last longer than requests take to arrive; arrivals: nothing, all that arrive are answered.",
      estimator::serving_bound_names}}};

constexpr EstimateColumns training_columns = {
    {"step_time", "s", "step time", "Time of one training step: forward, backward and update."},
    estimator::phase_names,
    training_figures,
    {},
    {"step_time", "energy_per_token", "accelerators"},
    "step_time"};

constexpr EstimateColumns inference_columns = {
    {"latency", "s", "latency", "Time from the start of a batch of requests to its last token."},
    estimator::inference_phase_names,
    inference_figures,
    {},
    {"latency", "energy_per_token", "accelerators"},
    "latency"};

constexpr EstimateColumns serving_columns = {
    {"time_per_output_token", "s", "time per output token",
     "Mean over the tokens of requests after their first. Charges and phases are those of a mean "
     "iteration of a replica that decodes, scaled to it."},
    estimator::inference_phase_names,
    serving_figures,
    serving_labels,
    {"device_seconds_per_token", "time_per_output_token", "accelerators"},
    "device_seconds_per_token"};

}  // namespace

const EstimateColumns& estimate_columns(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::inference:
      return inference_columns;
    case WorkloadKind::serving:
      return serving_columns;
    case WorkloadKind::training:
      break;
  }
  return training_columns;
}

}  // namespace scalesweep::study
