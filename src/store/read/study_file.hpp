// One study on disk: segments while it runs, one HDF5 file at the end. FORMAT.md is the contract.
//
// NAME.h5.d/ holds study.json (identity) and immutable segments, each written whole by the rank
// that computed it: closed, fsynced, renamed, directory fsynced. That survives SIGKILL of anything
// at any moment. finish() checks that every id is covered exactly once, merges into
// NAME.h5.partial, fsyncs and renames; where it was stopped or killed, the next one goes on.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/id_range.hpp"
#include "store/read/table.hpp"

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

// How many values of one quantity fell where, over all ids that have one, rows kept or not. Value v
// is in bin i where edges[i - 1] <= v < edges[i]; the first and the last bin are open.
struct Histogram {
  std::string name;  // a column, or an axis with values
  std::string units;
  std::string long_name;
  std::string description;
  std::vector<double> edges;  // ascending
};

// Text attributes and texts, by name: title, source, history, ... on the root; /provenance/<name>.
struct StudyDescription {
  std::string identity;                               // hash of everything that decides the values
  std::map<std::string, std::string> identity_parts;  // what went into it, to show what differs
  std::int64_t points = 0;                            // ids are 0 ... points - 1
  std::int64_t chunk_rows = 16384;
  Schema schema;  // column 0 is point_id (i64)
  std::vector<AxisValues> axes;
  std::vector<std::string> count_names;  // of Counts, in order
  std::vector<Histogram> histograms;     // behind them in Counts, edges + 1 bins each
  std::map<std::string, std::string> root_attributes;
  std::map<std::string, std::string> provenance;
};

// How many ids ended in which status, in the order of StudyDescription::count_names, then the bins
// of its histograms one after the other. Counts of parts add up to those of the whole.
using Counts = std::vector<std::int64_t>;
Counts zero_counts(const StudyDescription& study);

struct Segment {
  IdRange ids;  // evaluated; rows may be fewer where a policy keeps some only
  std::filesystem::path path;
  std::int64_t rows = 0;
  Counts counts;
};

// What NAME.h5 is at the end: all rows, or virtual datasets over the segments, which stay in
// NAME.h5.d (half the disk, no copying; for studies whose rows are final when they are written).
enum class Layout { merged, by_segment };

enum class OutputState { absent, resumable, finished, other_study, foreign };

struct OutputReport {
  OutputState state = OutputState::absent;
  std::string detail = {};  // for other_study: what differs; for foreign: what the file is
  std::vector<Segment> segments = {};  // for resumable: valid ones, in id order, disjoint
  std::vector<std::string> ignored =
      {};                          // for resumable: files in NAME.h5.d that do not count, and why
  Layout layout = Layout::merged;  // for finished
};

// Told often while much is read or written: which pass it is ("checking segments") and how much of
// it is done, 0 to 1. Called by the thread that calls.
using PassProgress = std::function<void(std::string_view pass, double done)>;

// What stands at `output`: never changes anything. Reads every segment whole, to verify it, that
// has some of `ids` (all, if not given); others are not reported.
OutputReport inspect_output(const std::filesystem::path& output, const StudyDescription& study,
                            std::optional<IdRange> ids = std::nullopt);

// Removes NAME.h5.d of a run that computed nothing yet, whatever its study, and says whether it
// did: not where anything else lies there. Nobody may be at work on it.
bool discard_unstarted(const std::filesystem::path& output);

// Whether what is written is on disk (fsync of file and folder) or only with the operating system
// when a call returns: after a power cut the latter may be gone. The death of a process takes
// neither.
enum class Durability { synced, scratch };

// Creates NAME.h5.d with study.json if absent. Throws Failure(cannot_create), also if another
// study is already there.
void prepare_output(const std::filesystem::path& output, const StudyDescription& study,
                    Durability durability = Durability::synced);

// Durable when it returns. `rows` are in ascending order of id, all within `ids`. Throws
// Failure(io) naming the file and the reason (disk full, ...), and leaves nothing behind then.
Segment write_segment(const std::filesystem::path& output, const StudyDescription& study,
                      IdRange ids, const Table& rows, const Counts& counts,
                      Durability durability = Durability::synced);

// Chooses which rows of a whole study stay, for policies that reduce (best, frontier). Gets all
// rows that the segments kept; the chosen ones are stored in order of id.
using RowSelector = std::function<std::vector<std::size_t>(const Table&)>;

// One segment in place of the valid ones that cover exactly `ids`, whose chunks are copied where
// they can be; those are removed once it is durable. `selector` drops rows that a policy need not
// keep (RowSelector over rows of these ids alone). Nothing where there is only one, `ids` are not
// covered, or others that overlap would cover less without the parts. Few files open quickly.
std::optional<Segment> compact_segments(const std::filesystem::path& output,
                                        const StudyDescription& study, IdRange ids,
                                        const std::optional<RowSelector>& selector,
                                        Durability durability = Durability::synced);

struct FinishOptions {
  Layout layout = Layout::merged;
  Durability durability = Durability::synced;
  std::function<bool()> stop_requested = {};          // asked several times a second
  std::int64_t buffer_bytes = std::int64_t{1} << 26;  // of values in memory, about
  double checkpoint_seconds = 1.0;  // a killed merge repeats about this much of its work
  PassProgress progress = {};
};

struct FinishReport {
  bool complete = true;            // false: stopped; the same call goes on where it was
  std::int64_t copied_bytes = 0;   // encoded chunks that were taken over as they are
  std::int64_t earlier_bytes = 0;  // of those: by an earlier call that was stopped or killed
  std::int64_t encoded_rows = 0;   // encoded anew, where a policy left chunks ragged
};

// Verifies coverage, merges, fsyncs, renames to `output`, removes NAME.h5.d (unless the layout
// needs it). Memory does not grow with the number of rows; with a selector it holds what is chosen
// and the next segments. Does nothing but remove NAME.h5.d if the finished study is there already.
// A finished study by segments becomes a merged one. Throws Failure: internal if ids were never
// evaluated, io if segments are damaged, cannot be written or do not fit on the disk,
// cannot_create if something else stands at `output`, usage for a selector with by_segment.
FinishReport finish(const std::filesystem::path& output, const StudyDescription& study,
                    const std::optional<RowSelector>& selector, const FinishOptions& options = {});

// The description that prepare_output wrote to NAME.h5.d, or that of a finished file: all but
// provenance of later runs. Throws as read_progress does.
StudyDescription read_description(const std::filesystem::path& output);

// What can be told of an output without knowing its study.
struct OutputProgress {
  bool finished = false;
  std::string title;
  std::string identity;
  std::int64_t points = 0;  // of the whole study
  std::int64_t done = 0;    // ids evaluated
  std::int64_t rows = 0;    // rows kept
  std::int64_t segments = 0;
  Layout layout = Layout::merged;  // of a finished one
  std::vector<std::string> count_names;
  Counts counts;           // so far, in the order of count_names; without histograms
  std::int64_t bytes = 0;  // on disk
  // Of an unfinished one: ids a second over the last minutes of writing, by the times of its
  // segments; and how long ago the last one was written. 0 where there are too few to tell.
  double recent_rate = 0.0;
  double seconds_since_last = 0.0;
  std::vector<IdRange> missing;  // disjoint, in order
};

// Reads NAME.h5, or else NAME.h5.d. Throws Failure(no_input) if neither is there,
// Failure(bad_input) if they are not ours.
OutputProgress read_progress(const std::filesystem::path& output,
                             const PassProgress& progress = {});

}  // namespace scalesweep::store
