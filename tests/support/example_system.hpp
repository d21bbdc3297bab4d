// A system that tests of several layers share: round rates.
#pragma once

#include "technology/device.hpp"

namespace scalesweep::test {

// Kernels and collectives of its libraries.
inline technology::MatMulFit example_matmul_fit() {
  return {.pipeline_fill = 64.0,
          .least_tile = 8192.0,
          .accumulator_share = 0.75,
          .operand_share = 0.8,
          .resident_share = 0.5,
          .weight_copies = 5.0,
          .all_reused_share = 0.4,
          .none_reused_share = 0.8,
          .conversion_flop = 4.0,
          .gemv_rows = 4.0,
          .gemv_bytes = 2.0,
          .gemv_columns = 64.0,
          .gemv_stream_share = 0.92,
          .quantize_stream_share = 0.7,
          .power_window_s = 7e-3};
}
inline technology::AttentionFit example_attention_fit() {
  return {.block_rows = 128.0,
          .idle_tail = 0.75,
          .core_blocks = 4.0,
          .block_bytes = 4096.0,
          .full_blocks = 1.8,
          .least_part = 256.0,
          .pass_heads = 8.0,
          .latent_share = 0.67,
          .latent_rows = 64.0};
}
inline technology::CollectiveFit example_collective_fit() {
  return {.word_bytes_per_s = 16e9,
          .pair_word_bytes_per_s = 5e9,
          .line_flag_share = 0.48,
          .line_step = 0.25,
          .line_flag_part_bytes = 1.5e6,
          .handshake_hidden = 0.5,
          .pair_handshake = 5.0,
          .pair_share = 0.8,
          .pair_half_share = 0.2,
          .far_step = 2.3333333333333335,
          .flag_step = 0.2,
          .two_shot_share = 0.7};
}

// About an A100 with eight to a node, in round numbers.
inline technology::System example_system() {
  technology::System system;
  technology::Device& device = system.device;
  device.name = "example";
  device.cores = 100;
  device.clock = Hertz::si(1.4e9);
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    device.tensor_peak[p] = FlopPerSecond::si(300e12);
    device.tensor_sustained[p] = 0.8;
    device.tensor_energy[p] = JoulesPerFlop::si(0.6e-12);
  }
  device.vector_peak = FlopPerSecond::si(20e12);
  device.vector_energy = JoulesPerFlop::si(5e-12);
  device.dram = {Bytes::si(80e9), BytesPerSecond::si(2e12), 0.8, JoulesPerByte::si(35e-12)};
  device.l2 = {Bytes::si(40e6), BytesPerSecond::si(5e12), 1.0, JoulesPerByte::si(5e-12)};
  device.shared = {Bytes::si(192e3), BytesPerSecond::si(19e12), 1.0, JoulesPerByte::si(1e-12)};
  device.kernel_latency = Seconds::si(4e-6);
  device.matrix_unit.accumulators = Bytes::si(256.0 * 1024.0);
  device.matmul_fit = example_matmul_fit();
  device.attention_fit = example_attention_fit();
  device.thermal_design_power = Watts::si(400);
  device.idle_power = Watts::si(80);
  technology::Network& up = system.scale_up();
  up.name = "up";
  up.bandwidth = BytesPerSecond::si(300e9);
  up.sustained = 0.75;
  up.latency = Seconds::si(1.5e-6);
  up.call_latency = Seconds::si(8e-6);
  up.half_size = Bytes::si(1e6);
  up.handshake = Seconds::si(2e-6);
  up.own_part = 0.5;
  up.fit = example_collective_fit();
  up.energy = JoulesPerByte::si(10e-12);
  system.scale_up_domain() = 8;
  system.scale_out() = up;
  system.scale_out().name = "out";
  system.scale_out().bandwidth = BytesPerSecond::si(25e9);
  system.scale_out().sustained = 0.9;
  system.scale_out().latency = Seconds::si(4e-6);
  system.scale_out().energy = JoulesPerByte::si(200e-12);
  return system;
}

}  // namespace scalesweep::test
