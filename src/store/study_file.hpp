// One study on disk: segments while it runs, one HDF5 file at the end. FORMAT.md is the contract.
//
// NAME.h5.d/ holds study.json (identity) and immutable segments, each written whole by the rank
// that computed it: closed, fsynced, renamed, directory fsynced. That survives SIGKILL of anything
// at any moment. finish() checks that every id is covered exactly once, merges into
// NAME.h5.partial, fsyncs and renames.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/id_range.hpp"
#include "store/table.hpp"

namespace scalesweep::store {

// Of study files, segments and study.json; changed together with FORMAT.md.
constexpr std::int64_t format_version = 1;

// Coordinate values of one axis, written to /axes/<name>.
struct AxisValues {
  std::string name;
  std::string units;  // "" where the values are names
  std::string description;
  std::vector<std::string> labels;
  std::vector<double> values;
};

// Text attributes and texts, by name: title, source, history, ... on the root; /provenance/<name>.
struct StudyDescription {
  std::string identity;                               // hash of everything that decides the values
  std::map<std::string, std::string> identity_parts;  // what went into it, to show what differs
  std::int64_t points = 0;                            // ids are 0 ... points - 1
  std::int64_t chunk_rows = 16384;
  Schema schema;  // column 0 is point_id (i64)
  std::vector<AxisValues> axes;
  std::vector<std::string> count_names;  // of SegmentCounts, in order
  std::map<std::string, std::string> root_attributes;
  std::map<std::string, std::string> provenance;
};

// How many ids ended in which status, in the order of StudyDescription::count_names.
using Counts = std::vector<std::int64_t>;

struct Segment {
  IdRange ids;  // evaluated; rows may be fewer where a policy keeps some only
  std::filesystem::path path;
  std::int64_t rows = 0;
  Counts counts;
};

enum class OutputState { absent, resumable, finished, other_study, foreign };

struct OutputReport {
  OutputState state = OutputState::absent;
  std::string detail;                // for other_study: what differs; for foreign: what the file is
  std::vector<Segment> segments;     // for resumable: valid ones, in id order, disjoint
  std::vector<std::string> ignored;  // for resumable: files in NAME.h5.d that do not count, and why
};

// What stands at `output`: never changes anything. Reads every segment whole, to verify it.
OutputReport inspect_output(const std::filesystem::path& output, const StudyDescription& study);

// Creates NAME.h5.d with study.json if absent. Throws Failure(cannot_create), also if another
// study is already there.
void prepare_output(const std::filesystem::path& output, const StudyDescription& study);

// Durable when it returns. `rows` are in ascending order of id, all within `ids`. Throws
// Failure(io) naming the file and the reason (disk full, ...), and leaves nothing behind then.
Segment write_segment(const std::filesystem::path& output, const StudyDescription& study,
                      IdRange ids, const Table& rows, const Counts& counts);

// Chooses which rows of a whole study stay, for policies that reduce (best, frontier). Gets all
// rows that the segments kept; the chosen ones are stored in order of id.
using RowSelector = std::function<std::vector<std::size_t>(const Table&)>;

// Verifies coverage, merges, fsyncs, renames to `output`, removes NAME.h5.d. With no selector,
// chunks are streamed: memory does not grow with the number of rows. Does nothing but remove
// NAME.h5.d if the finished study is there already. Throws Failure: internal if ids were never
// evaluated, io if segments are damaged or cannot be written, cannot_create if something else
// stands at `output`.
void finish(const std::filesystem::path& output, const StudyDescription& study,
            const std::optional<RowSelector>& selector);

// What can be told of an output without knowing its study.
struct OutputProgress {
  bool finished = false;
  std::string title;
  std::string identity;
  std::int64_t points = 0;  // of the whole study
  std::int64_t done = 0;    // ids evaluated
  std::int64_t rows = 0;    // rows kept
  std::int64_t segments = 0;
  Counts counts;  // so far, in the order of count_names of the study
};

// Reads NAME.h5, or else NAME.h5.d. Throws Failure(no_input) if neither is there,
// Failure(bad_input) if they are not ours.
OutputProgress read_progress(const std::filesystem::path& output);

}  // namespace scalesweep::store
