#include "store/segments/linked_segments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>

#include "core/host/files.hpp"
#include "store/hdf5/columns.hpp"
#include "store/hdf5/file_problem.hpp"
#include "store/seal/open.hpp"
#include "store/segments/partial_file.hpp"
#include "store/segments/segment.hpp"
#include "store/segments/stored_study.hpp"
#include "store/versions/former_texts.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using h5::Hid;

struct Listed {
  std::vector<std::string> names;
  std::vector<std::int64_t> first_ids;
  std::vector<std::int64_t> last_ids;
  std::vector<std::int64_t> rows;
};

// "NAME.h5.d/0-255.h5": of the folder beside the file, whoever wrote its name.
bool is_beside(const fs::path& name) {
  const auto parts = std::distance(name.begin(), name.end());
  const bool is_plain = std::none_of(name.begin(), name.end(), [](const fs::path& part) {
    return part.empty() || part == "." || part == "..";
  });
  return parts == 2 && is_plain && name.is_relative();
}

Listed read_list(hid_t file) {
  const Hid group = h5::open_group(file, "segments");
  Listed list{h5::read_texts(group.get(), "names"), h5::read_ints(group.get(), "first_ids"),
              h5::read_ints(group.get(), "last_ids"), h5::read_ints(group.get(), "rows")};
  const std::size_t count = list.names.size();
  if (list.first_ids.size() != count || list.last_ids.size() != count ||
      list.rows.size() != count) {
    throw h5::Hdf5Error("'segments' is incomplete");
  }
  for (const std::string& name : list.names) {
    if (!is_beside(name)) {
      throw h5::Hdf5Error(
          fmt::format("it looks for rows in '{}', which is not in the folder beside it", name));
    }
  }
  return list;
}

}  // namespace

std::vector<LinkedSegment> open_linked_segments(hid_t file, const fs::path& output) {
  const std::string identity = h5::read_text_attribute(file, "identity");
  const Listed list = read_list(file);
  std::vector<LinkedSegment> opened;
  std::int64_t first_row = 0;
  for (std::size_t s = 0; s < list.names.size(); ++s) {
    const fs::path path = parent_folder(output) / list.names[s];
    try {
      std::error_code code;
      if (!fs::exists(path, code)) {
        throw h5::Hdf5Error("it is missing");
      }
      Hid segment = open_checked(path);
      const SegmentHeader header = read_segment_header(segment.get());
      if (header.identity != identity ||
          header.ids != IdRange{list.first_ids[s], list.last_ids[s]} ||
          header.rows != list.rows[s]) {
        throw h5::Hdf5Error("it is not the one that belongs here");
      }
      const Hid results = h5::open_group(segment.get(), "results");
      for (const std::string& name :
           h5::read_texts_attribute(h5::open_group(file, "results").get(), "columns")) {
        if (shape_of(h5::open_dataset(results.get(), name).get(), name).rows != header.rows) {
          throw h5::Hdf5Error("it is not the one that belongs here");
        }
      }
      opened.push_back({std::move(segment), path, first_row, first_row + header.rows});
      first_row += header.rows;
    } catch (const h5::Hdf5Error& error) {
      throw h5::Hdf5Error(fmt::format("its rows are in {}: {}", path.string(), error.what()),
                          fmt::format("copy the folder {} again along with it, or remove both and "
                                      "run the study again",
                                      segments_folder(output).filename().string()));
    }
  }
  return opened;
}

void read_linked(const std::vector<LinkedSegment>& segments, const Column& column,
                 std::int64_t first, std::int64_t last, std::uint8_t* values) {
  const std::size_t width = type_bytes(column.type);
  for (const LinkedSegment& segment : segments) {
    const std::int64_t from = std::max(first, segment.first_row);
    const std::int64_t to = std::min(last, segment.last_row);
    if (from >= to) {
      continue;
    }
    with_study(segment.path, ExitCode::io, [&] {
      const Hid opened = segment.file ? Hid() : open_again(segment.path);
      const hid_t file = segment.file ? segment.file.get() : opened.get();
      const Hid dataset = open_column(file, column.name);
      read_rows(dataset.get(), column, from - segment.first_row, to - segment.first_row,
                values + static_cast<std::size_t>(from - first) * width);
    });
  }
}

LinkedSegments linked_segments(hid_t file, const fs::path& output) {
  LinkedSegments result;
  for (const std::string& name : read_list(file).names) {
    std::error_code code;
    const std::uintmax_t bytes = fs::file_size(parent_folder(output) / name, code);
    result.bytes += code ? 0 : static_cast<std::int64_t>(bytes);
    ++result.segments;
  }
  return result;
}

}  // namespace scalesweep::store
