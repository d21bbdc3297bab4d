#include "store/read/progress.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>
#include <system_error>

#include "core/host/files.hpp"
#include "store/hdf5/file_problem.hpp"
#include "store/seal/open.hpp"
#include "store/segments/description.hpp"
#include "store/segments/linked_segments.hpp"
#include "store/segments/segment.hpp"
#include "store/segments/stored_study.hpp"
#include "store/versions/former_names.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using h5::Hid;

std::int64_t bytes_of(const fs::path& path) {
  std::error_code code;
  const std::uintmax_t bytes = fs::file_size(path, code);
  return code ? 0 : static_cast<std::int64_t>(bytes);
}

OutputProgress finished_progress(const fs::path& output) {
  return with_study(output, ExitCode::bad_input, [&] {
    const Hid file = open_checked(output);
    const StoredStudy study = read_stored_study(file.get());
    check_readable(study.format_version);
    OutputProgress progress;
    progress.finished = true;
    progress.title = study.title;
    progress.identity = study.identity;
    progress.points = study.points;
    progress.done = study.points;
    progress.rows = h5::read_int_attribute(file.get(), "rows");
    progress.count_names = read_count_names(file.get());
    progress.counts = h5::read_ints(file.get(), "summary/counts");
    progress.bytes = bytes_of(output);
    progress.layout = layout_of(file.get());
    if (progress.layout == Layout::by_segment) {
      const LinkedSegments linked = linked_segments(file.get(), output);
      progress.segments = linked.segments;
      progress.bytes += linked.bytes;
    }
    return progress;
  });
}

// When a segment was written, and how many ids it covers.
struct Written {
  double at_s = 0.0;  // since the epoch
  std::int64_t ids = 0;
};

double seconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The rate over the last minutes of work: time between segments counts, breaks between runs do not.
void add_rate(std::vector<Written> written, OutputProgress& progress) {
  if (written.empty()) {
    return;
  }
  std::sort(written.begin(), written.end(),
            [](const Written& a, const Written& b) { return a.at_s > b.at_s; });
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  progress.seconds_since_last = std::max(seconds_of(now) - written.front().at_s, 0.0);
  // Segments that were joined say nothing of when their ids were computed.
  std::vector<std::int64_t> sizes;
  for (const Written& one : written) {
    sizes.push_back(one.ids);
  }
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  constexpr std::int64_t joined = 4;  // times what is usual
  const std::int64_t most_ids = joined * *middle;
  std::erase_if(written, [&](const Written& one) { return one.ids > most_ids; });
  constexpr double break_s = 60.0;
  constexpr double window_s = 300.0;
  double work_s = 0.0;
  std::int64_t ids = 0;
  for (std::size_t i = 0; i + 1 < written.size() && work_s < window_s; ++i) {
    const double gap_s = written[i].at_s - written[i + 1].at_s;
    if (gap_s <= break_s) {
      work_s += gap_s;
      ids += written[i].ids;
    }
  }
  progress.recent_rate = work_s > 0.0 ? static_cast<double>(ids) / work_s : 0.0;
}

// Whether it counts; if not it is named.
bool add_segment(const Segment& listed, std::size_t count_names, OutputProgress& progress) {
  try {
    const Hid file = open_checked(listed.path);
    const SegmentHeader header = read_segment_header(file.get());
    if (header.identity != progress.identity || header.ids != listed.ids) {
      throw h5::Hdf5Error("it is of another study, or of other ids");
    }
    ++progress.segments;
    progress.done += listed.ids.size();
    progress.rows += header.rows;
    // Behind the counts come the bins of histograms.
    const std::size_t counts = std::min(count_names, header.counts.size());
    progress.counts.resize(counts, 0);
    std::transform(progress.counts.begin(), progress.counts.end(), header.counts.begin(),
                   progress.counts.begin(), std::plus<>());
    return true;
  } catch (const h5::Hdf5Error& error) {
    progress.ignored.push_back(
        fmt::format("{}: {}", listed.path.filename().string(), error.what()));
    return false;
  }
}

// The headers alone: what is damaged further in shows when the study goes on.
void add_segments(const fs::path& folder, std::size_t count_names, const PassProgress& told,
                  OutputProgress& progress) {
  std::vector<Segment> segments;
  for (const ListedSegment& listed : listed_segments(folder)) {
    segments.push_back({listed.ids, listed.path, 0, {}});
  }
  std::vector<IdRange> covered;
  std::vector<Written> written;
  const std::vector<Segment> cover = disjoint_cover(segments);
  std::size_t looked_at = 0;
  for (const Segment& segment : cover) {
    struct stat status = {};
    if (::stat(segment.path.c_str(), &status) == 0 && add_segment(segment, count_names, progress)) {
      covered.push_back(segment.ids);
      written.push_back({seconds_of(status.st_mtim), segment.ids.size()});
    }
    tell(told, checking_segments, ++looked_at, cover.size());
  }
  progress.missing = missing_ranges(covered, progress.points);
  add_rate(std::move(written), progress);
}

// Of all that is in the folder, and of a merge that is going on.
std::int64_t bytes_in(const fs::path& folder) {
  std::int64_t bytes = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    bytes += bytes_of(entry.path());
  }
  return bytes;
}

OutputProgress running_progress(const fs::path& output, const fs::path& folder,
                                const PassProgress& told) {
  const fs::path description = folder / description_name;
  OutputProgress progress;
  try {
    std::error_code code;
    if (!fs::exists(description, code)) {
      throw std::runtime_error("it is missing");
    }
    const StoredStudy study = parse_study_json(read_file(description));
    progress.title = study.title;
    progress.identity = study.identity;
    progress.points = study.points;
  } catch (const std::runtime_error& error) {
    refuse(
        fmt::format("{}: {}; copy it again: or the run command that began the study writes it "
                    "again, where {} is whole",
                    description.string(), error.what(), template_name));
  }
  std::size_t count_names = std::numeric_limits<std::size_t>::max();
  try {
    progress.count_names = read_description(output).count_names;
    count_names = progress.count_names.size();
  } catch (const Failure& failure) {
    progress.ignored.emplace_back(failure.what());  // without names, all that is counted is told
  }
  add_segments(folder, count_names, told, progress);
  progress.bytes = bytes_in(folder) + bytes_of(partial_name(output));
  return progress;
}

StudyDescription described(const fs::path& path, const std::string& format) {
  const Hid file = open_checked(path);
  expect_format(file.get(), format);
  check_readable(h5::read_int_attribute(file.get(), "format_version"));
  return read_description(file.get());
}

}  // namespace

StudyDescription read_description(const fs::path& output) {
  h5::quiet();
  if (is_finished_file(output)) {
    return with_study(output, ExitCode::bad_input, [&] { return described(output, study_format); });
  }
  const fs::path path = segments_folder(output) / template_name;
  constexpr const char* writes_again = "the run command that began the study writes it again";
  std::error_code code;
  if (!fs::exists(path, code)) {
    refuse(fmt::format("{}: it is missing; {}", path.string(), writes_again));
  }
  try {
    return described(path, running_format);
  } catch (const h5::Hdf5Error& error) {
    const bool is_damage = error.way_out().empty() || error.way_out() == damaged_way_out;
    throw Failure(study_problem_code(error, ExitCode::bad_input),
                  fmt::format("{}: {}; {}", path.string(), error.what(),
                              is_damage ? writes_again : error.way_out()));
  }
}

OutputProgress read_progress(const fs::path& output, const PassProgress& progress) {
  h5::quiet();
  const auto read = [&] {
    OutputProgress found = is_finished_file(output)
                               ? finished_progress(output)
                               : running_progress(output, segments_folder(output), progress);
    std::transform(found.count_names.begin(), found.count_names.end(), found.count_names.begin(),
                   status_now);
    return found;
  };
  try {
    return read();
  } catch (const std::exception&) {
    // A run that ends removes the folder while it is read; then the file is there.
    std::error_code code;
    if (!fs::is_regular_file(output, code)) {
      throw;
    }
  }
  return read();
}

}  // namespace scalesweep::store
