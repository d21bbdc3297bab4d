#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <system_error>

#include "core/files.hpp"
#include "store/segment.hpp"
#include "store/stored_study.hpp"
#include "store/study_file.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;

OutputProgress finished_progress(const fs::path& output) {
  return h5::with_file(output, ExitCode::bad_input, [&] {
    const h5::Hid file = h5::open_file(output);
    const StoredStudy study = read_stored_study(file.get());
    if (study.format_version != format_version) {
      throw h5::Hdf5Error(fmt::format("it is in format version {}, this program reads version {}",
                                      study.format_version, format_version));
    }
    OutputProgress progress{true, study.title, study.identity, study.points, study.points, 0,
                            0,    {}};
    progress.rows = h5::read_int_attribute(file.get(), "rows");
    progress.counts = h5::read_ints(file.get(), "summary/counts");
    return progress;
  });
}

// The headers alone: what is damaged further in shows when the study goes on.
void add_segments(const fs::path& folder, OutputProgress& progress) {
  std::vector<Segment> segments;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (const auto ids = parse_segment_name(entry.path().filename().string())) {
      segments.push_back({*ids, entry.path(), 0, {}});
    }
  }
  for (const Segment& segment : disjoint_cover(segments)) {
    try {
      const h5::Hid file = h5::open_file(segment.path);
      const SegmentHeader header = read_segment_header(file.get());
      if (header.identity != progress.identity || header.ids != segment.ids) {
        continue;
      }
      ++progress.segments;
      progress.done += segment.ids.size();
      progress.rows += header.rows;
      progress.counts.resize(std::max(progress.counts.size(), header.counts.size()), 0);
      std::transform(header.counts.begin(), header.counts.end(), progress.counts.begin(),
                     progress.counts.begin(), std::plus<>());
    } catch (const h5::Hdf5Error&) {
      continue;  // does not count
    }
  }
}

OutputProgress running_progress(const fs::path& folder) {
  const fs::path description = folder / "study.json";
  OutputProgress progress;
  try {
    const StoredStudy study = parse_study_json(read_file(description));
    progress.title = study.title;
    progress.identity = study.identity;
    progress.points = study.points;
  } catch (const std::runtime_error& error) {
    throw Failure(ExitCode::bad_input, fmt::format("{}: {}", description.string(), error.what()));
  }
  add_segments(folder, progress);
  return progress;
}

}  // namespace

OutputProgress read_progress(const fs::path& output) {
  h5::quiet();
  std::error_code code;
  if (fs::is_regular_file(output, code)) {
    return finished_progress(output);
  }
  const fs::path folder = segments_folder(output);
  if (fs::is_directory(folder, code)) {
    return running_progress(folder);
  }
  throw Failure(ExitCode::no_input,
                fmt::format("{}: neither it nor {} is there", output.string(), folder.string()));
}

}  // namespace scalesweep::store
