#include "store/merge/finish.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <system_error>

#include "core/contracts.hpp"
#include "core/text.hpp"
#include "store/hdf5/names.hpp"
#include "store/merge/merge.hpp"
#include "store/merge/merge_journal.hpp"
#include "store/merge/virtual_layout.hpp"
#include "store/segments/output.hpp"
#include "store/segments/segment.hpp"
#include "store/segments/stored_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;

void check_coverage(const fs::path& folder, const SegmentScan& scan, std::int64_t points) {
  std::vector<IdRange> covered;
  for (const Segment& segment : scan.segments) {
    covered.push_back(segment.ids);
  }
  const std::vector<IdRange> missing = missing_ranges(covered, points);
  if (missing.empty()) {
    return;
  }
  constexpr std::size_t shown = 8;
  std::vector<std::string> words;
  std::int64_t ids = 0;
  for (const IdRange& range : missing) {
    ids += range.size();
    words.push_back(fmt::format("{} to {}", range.first, range.last - 1));
  }
  std::string message =
      fmt::format("{}: {} of {} ids are missing: {}", folder.string(), with_thousands(ids),
                  with_thousands(points), join_first(shown, words));
  if (!scan.ignored.empty()) {
    message += fmt::format("; these files do not count: {}", join(scan.ignored, ", "));
  }
  message += "; the same command again computes what is missing";
  throw Failure(scan.ignored.empty() ? ExitCode::internal : ExitCode::io, message);
}

// Only what the store itself puts there; anything else stays, and so does the folder then.
bool is_description(const std::string& name) {
  return name.ends_with(".tmp") || name == description_name || name == template_name ||
         name == std::string(description_name) + ".partial" || name == journal_name;
}

// study.json last: as long as it is there, a run after one that was killed here can lock the folder
// and go on.
void remove_folder(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> ours;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (parse_segment_name(name) || is_description(name)) {
      ours.push_back(entry.path());
    }
  }
  std::partition(ours.begin(), ours.end(),
                 [](const fs::path& path) { return path.filename() != description_name; });
  for (const fs::path& path : ours) {
    fs::remove(path, ignored);
  }
  fs::remove(folder, ignored);
}

// What processes left that were killed while they joined segments.
void remove_unfinished(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::path> unfinished;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".tmp") {
      unfinished.push_back(entry.path());
    }
  }
  for (const fs::path& path : unfinished) {
    fs::remove(path, ignored);
  }
}

FinishReport link(const fs::path& output, const StudyDescription& study,
                  const std::vector<Segment>& segments, const FinishOptions& options) {
  discard_merge(output);
  const auto gathered = gather_segments(output, study, segments, options);
  if (!gathered) {
    return {.complete = false};
  }
  link_segments(output, study, *gathered, options.durability);
  remove_unfinished(segments_folder(output));
  return {};
}

// Segments by their headers first. Where one turns out to be damaged, every value of all of them is
// looked at: others may cover its ids, or what is missing can be told.
FinishReport finish_segments(
    const fs::path& folder, const StudyDescription& study, const PassProgress& progress,
    const std::function<FinishReport(const std::vector<Segment>&)>& put_together) {
  Verify verify = Verify::header;
  while (true) {
    const SegmentScan scan = scan_segments(folder, study, verify, {.progress = progress});
    check_coverage(folder, scan, study.points);
    try {
      return put_together(scan.segments);
    } catch (const DamagedSegment&) {
      if (verify == Verify::values) {
        throw;
      }
      verify = Verify::values;
    }
  }
}

}  // namespace

void remove_emptied(const fs::path& output) {
  const fs::path folder = segments_folder(output);
  std::error_code ignored;
  if (fs::is_directory(fs::symlink_status(folder, ignored))) {
    fs::remove(folder, ignored);  // refused where it is not empty
  }
}

bool discard_unstarted(const fs::path& output) {
  const fs::path folder = segments_folder(output);
  std::error_code ignored;
  if (fs::exists(fs::symlink_status(output)) || !fs::is_directory(folder, ignored)) {
    return false;
  }
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (!is_description(entry.path().filename().string())) {
      return false;
    }
  }
  remove_folder(folder);
  return !fs::exists(folder, ignored);
}

FinishReport finish(const fs::path& output, const StudyDescription& study,
                    const std::optional<RowSelector>& selector, const FinishOptions& options,
                    MergeSharing* sharing) {
  SCALESWEEP_EXPECT(is_well_formed(study));
  const bool by_segment = options.layout == Layout::by_segment;
  if (by_segment && selector) {
    throw Failure(ExitCode::usage,
                  "--layout virtual keeps the rows where they are, and cannot choose among them at "
                  "the end as this policy does; leave the layout out");
  }
  h5::quiet();
  const fs::path folder = segments_folder(output);
  Existing existing = Existing::keep;
  if (fs::exists(fs::symlink_status(output))) {
    const OutputReport report = inspect_output(output, study);
    if (report.state != OutputState::finished) {
      throw Failure(ExitCode::cannot_create,
                    fmt::format("{}: something else has appeared here meanwhile ({}); it is left "
                                "as it is, and the results are in {}",
                                output.string(), report.detail, folder.string()));
    }
    if (report.layout == Layout::merged) {
      remove_folder(folder);
      return {};
    }
    if (by_segment) {
      return {};
    }
    existing = Existing::replace;  // stays valid until the merged one takes its name
  }
  if (!fs::is_directory(folder)) {
    // Its segments were there before: somebody took it away meanwhile.
    throw Failure(ExitCode::io, fmt::format("{}: there is no such folder", folder.string()));
  }
  const auto put_together = [&](const std::vector<Segment>& segments) {
    return by_segment ? link(output, study, segments, options)
                      : merge(output, study, segments, selector, options, existing, sharing);
  };
  const FinishReport report = finish_segments(folder, study, options.progress, put_together);
  if (report.complete && !by_segment) {
    remove_folder(folder);
  }
  return report;
}

std::int64_t most_merging_ranks(const StudyDescription& study, std::int64_t rows) {
  return std::max<std::int64_t>(merged_grid(study, rows, {}).blocks(), 1);
}

}  // namespace scalesweep::store
