// Values of options of `run` that are more than a word.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "core/id_range.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::cli {

struct Shard {
  std::int64_t number = 1;  // from 1
  std::int64_t count = 1;
};

// "3/16". Throws Failure(usage).
Shard parse_shard(const std::string& text);

// The ids of one of `count` shards of nearly equal size, whole chunks each where there are enough
// of them, so that merging copies them; empty where there are more shards than points. Together
// they are all ids, each once.
IdRange ids_of(const Shard& shard, std::int64_t points, std::int64_t chunk_rows);

// Seconds of "55 min", "4 h", and of what Slurm writes: "03:55:00", "1-12:00:00". Throws
// Failure(usage).
double parse_time_limit(const std::string& text);

// "merged" or "virtual". Throws Failure(usage).
store::Layout parse_layout(const std::string& text);

// Whether a study may be written there. Throws Failure(cannot_create).
void check_place(const std::filesystem::path& output);

}  // namespace scalesweep::cli
