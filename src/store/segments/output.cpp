#include "store/segments/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "core/contracts.hpp"
#include "core/host/files.hpp"
#include "store/hdf5/columns.hpp"
#include "store/hdf5/file_image.hpp"
#include "store/hdf5/file_problem.hpp"
#include "store/read/outcomes.hpp"
#include "store/seal/open.hpp"
#include "store/segments/description.hpp"
#include "store/segments/partial_file.hpp"
#include "store/segments/segment.hpp"
#include "store/segments/stored_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;
using h5::Hid;

OutputReport foreign(std::string detail) {
  return {.state = OutputState::foreign, .detail = std::move(detail)};
}

OutputReport inspect_file(const fs::path& output, const StudyDescription& study) {
  if (const FileProblem problem = problem_of(output); !problem.empty()) {
    return foreign(problem.what);
  }
  try {
    const Hid file = open_checked(output);
    const std::string differs = difference(read_stored_study(file.get()), study);
    if (differs.empty()) {
      return {.state = OutputState::finished, .layout = layout_of(file.get())};
    }
    return {.state = OutputState::other_study, .detail = differs};
  } catch (const h5::Hdf5Error& error) {
    return foreign(error.what());
  }
}

bool is_leftover(const std::string& name) {
  return name.ends_with(".tmp") || name == template_name ||
         name == std::string(description_name) + ".partial";
}

// A folder without study.json: of a run that was stopped before it wrote it, or somebody's.
OutputReport inspect_undescribed(const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!is_leftover(name)) {
      return foreign(fmt::format("the folder {} is not of a running study: it holds '{}' and no {}",
                                 folder.string(), name, description_name));
    }
  }
  return {};
}

// Whether study.h5, which says the same and more, is whole and of this study.
bool is_template_of(const fs::path& path, const StudyDescription& study) {
  try {
    const Hid file = open_checked(path);
    expect_format(file.get(), running_format);
    return h5::read_int_attribute(file.get(), "format_version") == format_version &&
           h5::read_text_attribute(file.get(), "identity") == study.identity &&
           h5::read_int_attribute(file.get(), "points") == study.points &&
           h5::read_int_attribute(file.get(), "chunk_rows") == effective_chunk_rows(study);
  } catch (const h5::Hdf5Error&) {
    return false;
  }
}

// What study.json says: why the folder is none of this study, or what is wrong with that file
// alone.
struct Described {
  std::optional<OutputReport> report = std::nullopt;
  std::string damage = {};
};

Described describe(const fs::path& folder, const StudyDescription& study) {
  const fs::path description = folder / description_name;
  OutputReport report;
  std::string damage;
  std::error_code code;
  if (!fs::exists(description, code)) {
    report = inspect_undescribed(folder);
    damage = "it is missing";
  } else {
    try {
      const StoredStudy stored = parse_study_json(read_file(description));
      std::string differs = difference(stored, study);
      if (differs.empty()) {
        return {};
      }
      if (stored.format_version < format_version && is_readable(stored.format_version)) {
        differs +=
            ": the scalesweep that began it goes on with it, and 'scalesweep merge' makes the file "
            "where all of it is computed";
      }
      return {OutputReport{.state = OutputState::other_study, .detail = std::move(differs)}};
    } catch (const Failure&) {
      throw;  // it cannot be read now, which says nothing of what is in it
    } catch (const std::runtime_error& error) {
      damage = error.what();
      report = foreign(fmt::format("{}: {}", description.string(), damage));
    }
  }
  if (report.state != OutputState::foreign || !is_template_of(folder / template_name, study)) {
    return {report};
  }
  return {.damage = fmt::format("{}: {}", description_name, damage)};
}

OutputReport inspect_folder(const fs::path& folder, const StudyDescription& study,
                            std::optional<IdRange> ids, const PassProgress& progress) {
  std::error_code code;
  if (!fs::is_directory(folder, code)) {
    return foreign(fmt::format("{} is in the way: it is not a folder", folder.string()));
  }
  const Described described = describe(folder, study);
  if (described.report) {
    return *described.report;
  }
  SegmentScan scan =
      scan_segments(folder, study, Verify::values, {.ids = ids, .progress = progress});
  if (!described.damage.empty()) {
    scan.ignored.insert(scan.ignored.begin(), described.damage);
  }
  return {.state = OutputState::resumable,
          .segments = std::move(scan.segments),
          .ignored = std::move(scan.ignored)};
}

void build_segment(FileImage& image, const StudyDescription& study, IdRange ids, const Table& rows,
                   const Counts& counts, const std::optional<Outcomes>& outcomes) {
  const hid_t file = image.create();
  ChunkEncoder encoder;
  std::vector<double> numbers;
  std::vector<SealedChunk> chunks;
  const auto row_count = static_cast<std::int64_t>(rows.rows());
  describe_segment(file, study, {study.identity, ids, row_count, counts, outcomes},
                   [&](std::vector<Hid>& datasets) {
                     for (std::size_t c = 0; c < study.schema.size(); ++c) {
                       const Column& column = study.schema[c];
                       ColumnWriter writer(std::move(datasets[c]), column.name,
                                           stored_bytes(column),
                                           segment_chunk_rows(study, ids, row_count));
                       writer.append(stored_values(rows, c, column, numbers), encoder);
                       writer.finish(encoder);
                       writer.add_chunks_to(chunks);
                     }
                   });
  image.close(std::move(chunks));
}

bool ids_ascend_within(const Table& rows, IdRange ids) {
  const auto& values = rows.values<std::int64_t>(0);
  const bool inside = values.empty() || (values.front() >= ids.first && values.back() < ids.last);
  return inside && std::adjacent_find(values.begin(), values.end(),
                                      [](auto a, auto b) { return a >= b; }) == values.end();
}

}  // namespace

OutputReport inspect_output(const fs::path& output, const StudyDescription& study,
                            std::optional<IdRange> ids, const PassProgress& progress) {
  SCALESWEEP_EXPECT(is_well_formed(study));
  h5::quiet();
  try {
    if (fs::exists(fs::symlink_status(output))) {
      return inspect_file(output, study);
    }
    const fs::path folder = segments_folder(output);
    if (fs::exists(fs::symlink_status(folder))) {
      return inspect_folder(folder, study, ids, progress);
    }
  } catch (const fs::filesystem_error& error) {
    return foreign(fmt::format("it cannot be looked at: {}", error.code().message()));
  }
  return {};
}

namespace {

void write_description(const fs::path& path, const StudyDescription& study, Durability durability) {
  const std::string json = study_json(study);
  write_bytes(path, {reinterpret_cast<const std::uint8_t*>(json.data()), json.size()}, durability);
}

}  // namespace

void prepare_output(const fs::path& output, const StudyDescription& study, Durability durability) {
  SCALESWEEP_EXPECT(is_well_formed(study));
  const fs::path folder = segments_folder(output);
  std::error_code code;
  fs::create_directory(folder, code);
  if (code || !fs::is_directory(folder)) {
    const fs::path parent = parent_folder(output);
    std::error_code ignored;
    const std::string why = fs::is_directory(parent, ignored)
                                ? (code ? code.message() : "a file of this name is in the way")
                                : fmt::format("there is no folder {}", parent.string());
    throw Failure(ExitCode::cannot_create,
                  fmt::format("{}: cannot create: {}", folder.string(), why));
  }
  if (durability == Durability::synced) {
    sync_path(parent_folder(output));
  }
  const fs::path description = folder / description_name;
  if (!fs::exists(description)) {
    write_template(folder, study, durability);  // before the file that says that all is there
    write_description(description, study, durability);
    return;
  }
  std::string differs;
  try {
    differs = difference(parse_study_json(read_file(description)), study);
  } catch (const std::runtime_error& error) {
    if (is_template_of(folder / template_name, study)) {
      write_description(description, study, durability);
      return;
    }
    differs = error.what();
  }
  if (!differs.empty()) {
    throw Failure(ExitCode::cannot_create,
                  fmt::format("{}: another study is here: {}", folder.string(), differs));
  }
  if (!is_template_of(folder / template_name, study)) {
    write_template(folder, study, durability);  // it is missing or damaged
  }
}

Segment write_segment(const std::filesystem::path& output, const StudyDescription& study,
                      IdRange ids, const Table& rows, const Counts& counts, Durability durability,
                      const std::optional<Outcomes>& outcomes) {
  SCALESWEEP_EXPECT(is_well_formed(study) && counts.size() == zero_counts(study).size());
  SCALESWEEP_EXPECT(!outcomes || are_outcomes_of(study, *outcomes));
  SCALESWEEP_EXPECT(ids.first >= 0 && !ids.empty() && ids.last <= study.points);
  if (rows.columns() != study.schema.size() || !rows.rectangular() ||
      !ids_ascend_within(rows, ids)) {
    throw Failure(ExitCode::internal,
                  fmt::format("the rows of ids {} to {} are not a table of this study", ids.first,
                              ids.last - 1));
  }
  h5::quiet();
  const std::filesystem::path path = segments_folder(output) / segment_name(ids);
  FileImage image;
  h5::with_file(path, ExitCode::io,
                [&] { build_segment(image, study, ids, rows, counts, outcomes); });
  write_bytes(path, image.bytes(), durability);
  return {ids, path, static_cast<std::int64_t>(rows.rows()), counts, outcomes};
}

}  // namespace scalesweep::store
