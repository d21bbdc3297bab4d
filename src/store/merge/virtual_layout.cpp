#include "store/merge/virtual_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "store/hdf5/columns.hpp"
#include "store/merge/merge.hpp"
#include "store/segments/partial_file.hpp"
#include "store/segments/stored_study.hpp"
#include "store/segments/study_writer.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using h5::check;
using h5::Hid;
using h5::owned;

// The usual limit is 1024 open files for a process.
constexpr std::size_t most_segments = 256;

// What is read where a segment is missing.
std::array<std::uint8_t, 8> sentinel(ColumnType type) {
  std::array<std::uint8_t, 8> bytes{};
  const auto set = [&](const auto value) { std::memcpy(bytes.data(), &value, sizeof value); };
  switch (type) {
    case ColumnType::f64:
      set(std::nan(""));
      break;
    case ColumnType::f32:
      set(std::nanf(""));
      break;
    case ColumnType::i64:
      set(std::int64_t{-1});
      break;
    case ColumnType::i32:
      set(std::int32_t{-1});
      break;
    case ColumnType::u8:
      set(std::uint8_t{255});
      break;
  }
  return bytes;
}

Hid linked_column(hid_t group, const Column& column, hid_t type, const std::string& folder,
                  const std::vector<Segment>& segments, std::int64_t rows) {
  const std::string what = fmt::format("cannot link '{}'", column.name);
  const Hid properties = owned(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  check(H5Pset_obj_track_times(properties.get(), false), what);
  const auto fill = sentinel(stored_type(column));
  check(H5Pset_fill_value(properties.get(), type, fill.data()), what);
  const auto extent = static_cast<hsize_t>(rows);
  const Hid space = owned(H5Screate_simple(1, &extent, nullptr), H5Sclose, what);
  hsize_t first = 0;
  for (const Segment& segment : segments) {
    const auto count = static_cast<hsize_t>(segment.rows);
    if (count == 0) {
      continue;
    }
    check(H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr), what);
    const Hid source = owned(H5Screate_simple(1, &count, nullptr), H5Sclose, what);
    const std::string file = folder + "/" + segment.path.filename().string();
    const std::string dataset = "/results/" + column.name;
    check(
        H5Pset_virtual(properties.get(), space.get(), file.c_str(), dataset.c_str(), source.get()),
        what);
    first += count;
  }
  check(H5Sselect_all(space.get()), what);
  return owned(H5Dcreate2(group, column.name.c_str(), type, space.get(), H5P_DEFAULT,
                          properties.get(), H5P_DEFAULT),
               H5Dclose, what);
}

void write_list(hid_t file, const std::string& folder, const std::vector<Segment>& segments) {
  const Hid group = h5::create_group(file, "segments");
  std::vector<std::string> names;
  std::vector<std::int64_t> first_ids;
  std::vector<std::int64_t> last_ids;
  std::vector<std::int64_t> rows;
  for (const Segment& segment : segments) {
    names.push_back(folder + "/" + segment.path.filename().string());
    first_ids.push_back(segment.ids.first);
    last_ids.push_back(segment.ids.last);
    rows.push_back(segment.rows);
  }
  h5::write_texts(group.get(), "names", names);
  h5::write_ints(group.get(), "first_ids", first_ids);
  h5::write_ints(group.get(), "last_ids", last_ids);
  h5::write_ints(group.get(), "rows", rows);
}

}  // namespace

std::optional<std::vector<Segment>> gather_segments(const fs::path& output,
                                                    const StudyDescription& study,
                                                    std::vector<Segment> segments,
                                                    const FinishOptions& options) {
  if (segments.size() <= most_segments) {
    return segments;
  }
  // Bounds depend on the study alone, so that a call that goes on joins what is left to be joined.
  const auto part_of = [&](const Segment& segment) {
    return segment.ids.first / std::max<std::int64_t>(study.points / most_segments + 1, 1);
  };
  std::vector<Segment> joined;
  for (std::size_t s = 0; s < segments.size();) {
    std::size_t end = s + 1;
    while (end < segments.size() && part_of(segments[end]) == part_of(segments[s])) {
      ++end;
    }
    if (options.stop_requested && options.stop_requested()) {
      return std::nullopt;
    }
    const std::vector<Segment> parts(segments.begin() + static_cast<std::ptrdiff_t>(s),
                                     segments.begin() + static_cast<std::ptrdiff_t>(end));
    joined.push_back(parts.size() == 1
                         ? parts.front()
                         : join_segments(output, study, parts, std::nullopt, options.durability));
    s = end;
    tell(options.progress, "joining segments", s, segments.size());
  }
  return joined;
}

void link_segments(const fs::path& output, const StudyDescription& study,
                   const std::vector<Segment>& segments, Durability durability) {
  const Totals totals = total_of(segments, study);
  const std::string folder = segments_folder(output).filename().string();
  // The first version that knows virtual datasets.
  PartialFile file(output, H5F_LIBVER_V110);
  h5::with_file(file.path(), ExitCode::io, [&] {
    h5::write_text_attribute(file.id(), "layout", by_segment_layout);
    write_list(file.id(), folder, segments);
    StudyWriter writer(file.id(), study, study_format, totals.rows);
    writer.add_columns([&](hid_t group, const Column& column, hid_t type) {
      return totals.rows == 0 ? create_column(group, column, type, 0, effective_chunk_rows(study))
                              : linked_column(group, column, type, folder, segments, totals.rows);
    });
    writer.close(totals.counts, totals.outcomes);
  });
  file.commit(Existing::keep, durability);
}

}  // namespace scalesweep::store
