#include "store/segments/committed_part.hpp"

#include <algorithm>
#include <functional>
#include <system_error>

#include "store/read/outcomes.hpp"
#include "store/read/progress.hpp"
#include "store/seal/open.hpp"
#include "store/segments/segment.hpp"
#include "store/segments/stored_study.hpp"
#include "store/versions/former_names.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;

// The usual limit is 1024 open files for a process. Open files outlive a run that joins them.
constexpr std::size_t most_open = 512;

// False where a segment was joined into another one since it was listed.
bool open_segments(const SegmentScan& scan, CommittedPart& part) {
  part.segments.clear();
  part.done = 0;
  part.counts = zero_counts(part.description);
  part.outcomes = sum_of_outcomes(scan.segments);
  part.ignored = scan.ignored;
  std::int64_t first_row = 0;
  for (const Segment& segment : scan.segments) {
    h5::Hid file;
    if (part.segments.size() < most_open) {
      try {
        file = open_again(segment.path);
      } catch (const h5::Hdf5Error&) {
        std::error_code code;
        if (!fs::exists(segment.path, code)) {
          return false;
        }
        throw;
      }
    }
    part.segments.push_back({std::move(file), segment.path, first_row, first_row + segment.rows});
    first_row += segment.rows;
    part.done += segment.ids.size();
    std::transform(part.counts.begin(), part.counts.end(), segment.counts.begin(),
                   part.counts.begin(), std::plus<>());
  }
  return true;
}

}  // namespace

CommittedPart open_committed(const fs::path& output, const PassProgress& progress) {
  const fs::path folder = segments_folder(output);
  CommittedPart part;
  part.description = read_description(output);
  part.description_file = open_checked(folder / template_name);
  constexpr int most_rounds = 100;
  for (int round = 0; round < most_rounds; ++round) {
    const SegmentScan scan =
        scan_segments(folder, part.description, Verify::values, {.progress = progress});
    if (open_segments(scan, part)) {
      return part;
    }
  }
  throw h5::Hdf5Error("its files change faster than they can be read; try again later");
}

std::map<std::string, std::int64_t> counts_by_name(const CommittedPart& part) {
  std::map<std::string, std::int64_t> result;
  for (std::size_t i = 0; i < part.description.count_names.size(); ++i) {
    result[status_now(part.description.count_names[i])] += part.counts[i];
  }
  return result;
}

std::vector<StoredHistogram> histograms_of(const CommittedPart& part) {
  std::vector<StoredHistogram> result;
  auto next = part.counts.begin() + static_cast<long>(part.description.count_names.size());
  for (const Histogram& histogram : part.description.histograms) {
    const auto end = next + static_cast<long>(histogram.edges.size()) + 1;
    result.push_back({histogram, std::vector<std::int64_t>(next, end)});
    result.back().histogram.name = column_now(histogram.name);
    next = end;
  }
  return result;
}

}  // namespace scalesweep::store
