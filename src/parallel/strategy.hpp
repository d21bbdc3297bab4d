// How one training job is laid out over its devices: sizes of the parallel groups, micro-batches,
// the pipeline schedule and what is traded against memory.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace scalesweep::parallel {

enum class Recompute : std::uint8_t { none, selective, full };
inline constexpr std::array<std::string_view, 3> recompute_names = {"none", "selective", "full"};

constexpr std::string_view name_of(Recompute recompute) {
  return recompute_names[static_cast<std::size_t>(recompute)];
}
std::optional<Recompute> recompute_from(std::string_view name);

// tensor_parallel * pipeline_parallel * data_parallel devices; data_parallel * micro_batch *
// micro_batches sequences a step. `chunks` is the number of model chunks a pipeline stage holds:
// 1 is the 1F1B schedule, more is the interleaved one.
struct Strategy {
  std::int32_t tensor_parallel = 1;
  std::int32_t pipeline_parallel = 1;
  std::int32_t data_parallel = 1;
  std::int32_t chunks = 1;
  std::int32_t micro_batch = 1;    // sequences
  std::int32_t micro_batches = 1;  // per data-parallel replica and step
  Recompute recompute = Recompute::none;
  std::uint8_t zero = 0;  // 0 or 1: optimizer states sharded over data-parallel ranks
  bool sequence_parallel = false;

  friend bool operator==(const Strategy&, const Strategy&) = default;
};

}  // namespace scalesweep::parallel
