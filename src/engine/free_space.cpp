#include "engine/free_space.hpp"

#include <fmt/format.h>
#include <sys/statvfs.h>

#include <algorithm>

#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::engine {
namespace {

// Of every rank: names, folders, blocks that are not full.
constexpr double bytes_beside = 64.0 * 1024.0;
// Segments under way, and those that one in their place is about to make superfluous.
constexpr double segments_at_once = 2.0;

}  // namespace

SpaceNeeded space_needed(const SpaceQuestion& question) {
  SpaceNeeded needed;
  needed.segments_bytes = question.bytes_per_id * static_cast<double>(question.ids_to_do);
  if (question.merges && question.layout == store::Layout::merged) {
    const double whole = question.bytes_per_id * static_cast<double>(question.ids_of_study);
    needed.merged_bytes = std::max(0.0, whole - question.partial_bytes);
  }
  return needed;
}

std::optional<double> free_bytes(const std::filesystem::path& path) {
  struct statvfs file_system = {};
  if (::statvfs(path.c_str(), &file_system) != 0 || file_system.f_blocks == 0) {
    return std::nullopt;
  }
  return static_cast<double>(file_system.f_bavail) * static_cast<double>(file_system.f_frsize);
}

void expect_room(const std::filesystem::path& output, const SpaceNeeded& needed,
                 double free_bytes) {
  if (needed.total() <= free_bytes) {
    return;
  }
  const std::string parts =
      needed.merged_bytes > 0.0
          ? fmt::format(" ({} for segments, {} for the merged file beside them)",
                        with_si_prefix(needed.segments_bytes, "B"),
                        with_si_prefix(needed.merged_bytes, "B"))
          : "";
  const char* half = needed.merged_bytes > 0.0 ? ", --layout virtual (needs no merged file)" : "";
  throw Failure(ExitCode::cannot_create,
                fmt::format("{}: about {} will be needed{}, but only {} are free there; choose "
                            "another -o, keep fewer rows (--keep best or frontier){}, or go on all "
                            "the same with --no-space-check",
                            output.string(), with_si_prefix(needed.total(), "B"), parts,
                            with_si_prefix(free_bytes, "B"), half));
}

double reserve_bytes(int live_ranks, double bytes_per_id, double ids_per_second_per_rank,
                     double segment_seconds, double most_per_rank) {
  const double segment = bytes_per_id * ids_per_second_per_rank * segment_seconds;
  return live_ranks * (segments_at_once * std::min(segment, most_per_rank) + bytes_beside);
}

}  // namespace scalesweep::engine
