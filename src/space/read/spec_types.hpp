// What a spec says: axes, rules of the strategy, filters, what to keep.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "citation/dataset.hpp"
#include "core/diagnostic.hpp"
#include "core/enum_names.hpp"
#include "parallel/enumerate.hpp"
#include "space/objective.hpp"

namespace scalesweep::space {

// What the values of an axis name, so that study can look them up and a reader can sort them.
// Integers and numbers have no units.
enum class AxisKind { name, integer, number, quantity };

// A value that is not known: its mean, and its standard deviation as a part of that.
struct Distribution {
  double mean = 0.0;  // SI
  double spread = 0.0;
};

// One independent dimension of the study, in the order the user wrote the values. Every scalar key
// of [workload] and [system] is an axis; one value is an axis of length one.
struct Axis {
  std::string name;  // model, sequence, global_batch, precision, accelerators, device, logic, ...
  AxisKind kind = AxisKind::name;
  std::string units;                      // "m2", "W", "B s-1", ... (SI) for quantities
  std::vector<std::string> labels;        // as a person reads them: "N7", "2048", "826 mm2"
  std::vector<double> values;             // SI value; for names 0, 1, 2, ...
  std::vector<SourcePosition> positions;  // where each value stands, for errors found later
  std::vector<std::string> written = {};  // names as the spec has them, where `labels` are others
  std::string follows = {};  // a slower axis that it varies together with, whose index it has
  bool searched = false;     // by [search]: faster than all that are not
  bool is_default = false;   // its key is not written
  std::optional<Distribution> drawn = {};  // that the values are drawn from
  std::size_t size() const { return labels.size(); }
};

struct Filter {
  std::string expression;
  SourcePosition position;
  // Of the first character of the expression, so that a mistake in it has its own column; 0 where
  // the string is not written plainly on one line.
  int first_column = 0;
};

// What an estimate must meet beside fitting, a condition on its columns.
struct Requirement {
  std::string name;  // a word
  Filter condition;
};

enum class KeepPolicy { all, feasible, best, frontier };

// What is said of points that are not kept. Bounded: one that cannot be among those that stay is
// not estimated; how time, energy and cost are distributed over all of them is then not known.
enum class Counts { exact, bounded };
inline constexpr auto counts_names = enum_names<Counts>("exact", "bounded");

struct Keep {
  KeepPolicy policy = KeepPolicy::all;
  int best_count = 1;             // of best
  std::vector<std::string> per;   // of best and frontier: axes that make the groups
  Counts counts = Counts::exact;  // of best and frontier

  // Whether rows of all leases together are reduced once more.
  bool reduces() const { return policy == KeepPolicy::best || policy == KeepPolicy::frontier; }
};

// A share of a budget that [allocate] varies.
struct ShareRange {
  std::string name;  // "core_area_share"
  double from = 0.0;
  double to = 1.0;
};

// The shares that are found for every combination of the other axes: a grid of candidates over
// their ranges, then rounds of 3 values each around the best candidate so far. Candidates are the
// values of the axis `allocation`.
struct Allocation {
  std::vector<ShareRange> shares;
  int grid = 5;         // values of each share in the first round
  int rounds = 2;       // after the first
  Objective objective;  // no column: the first objective of the study
  SourcePosition position;
  SourcePosition objective_position;

  std::int64_t first_round() const;  // candidates of it
  std::int64_t later_round() const;  // of each
  std::int64_t candidates() const { return first_round() + rounds * later_round(); }
};

// Axes that are divided where the best may be, for every combination of the others.
// What is looked for: what the policy keeps, with a proof; or the values of one axis between which
// what limits the best point changes.
enum class SearchFor { best, transitions };
inline constexpr auto search_for_names = enum_names<SearchFor>("best", "transitions");

// How the best is looked for: by bounds, with a proof; by a model of what was looked at, with what
// it expects of the rest; or going to what is better alone.
enum class SearchMethod { bounds, model, climb };
inline constexpr auto search_method_names = enum_names<SearchMethod>("bounds", "model", "climb");

struct AxisSearch {
  std::vector<std::string> axes;
  SearchFor find = SearchFor::best;
  std::optional<SearchMethod> method;  // of the best; nothing: what goes with the kind of work
  std::int64_t first_values = 9;       // of transitions: that are looked at first
  // Of the best: what is not looked at is not better by more than this part.
  double tolerance = 0.001;
  // That are looked at in one combination; nothing: as many as go with the method.
  std::optional<std::int64_t> most_devices;
  SourcePosition position;

  bool finds_by(SearchMethod one) const { return find == SearchFor::best && method == one; }
  // What the spec leaves open, for a kind of work that is searched by this where it says nothing.
  AxisSearch settled(SearchMethod usual) const;
};

// A precision that is written as a table: formats of some classes of tensors; the others follow
// from the linear layers' one.
struct PrecisionTable {
  struct Format {
    std::string tensors;  // "linear", "moments", ...
    std::string format;   // "fp8", which others must know
    SourcePosition position;
  };
  std::string name;  // on the axis `precision`
  std::vector<Format> formats;
  double gradient_compression = 1.0;  // bytes sent over bytes of gradients
  std::string recipe;                 // how operands are scaled; "": as the framework does
  SourcePosition recipe_position;
  std::string checkpoint;  // of the model, by the format of its weights; "": formats are said here
  SourcePosition checkpoint_position;
};

// A class of the requests of a service.
struct RequestClass {
  double prompt = 0.0;  // tokens, a mean
  double output = 0.0;  // tokens, a mean
  double share = 1.0;   // relative
  SourcePosition position;
};

// A part of a training run, of its share of the tokens.
struct TrainingPhase {
  std::string name;  // on the axis `phase`
  double share = 0.0;
  // Of every step in it; nothing: what an axis of the study says, or of a document the sequence.
  std::optional<std::int64_t> sequence = {};
  std::optional<std::int64_t> global_batch = {};
  std::optional<std::int64_t> document = {};
  SourcePosition position = {};
};

// A cache of so many tokens finds this share of all tokens of prompts.
struct ReusePoint {
  double tokens = 0.0;
  double share = 0.0;
};

// Of real requests, what their classes do not say; the study does not need their file again.
struct RequestTrace {
  std::string file;    // as it was opened
  std::string sha256;  // of what was in it
  std::int64_t requests = 0;
  double arrival_rate = 0.0;  // per second
  // Squared coefficient of variation of the times between arrivals.
  double burstiness = 1.0;
  // Arrivals in each hour of the day, from the first of them on, over those in the fullest hour,
  // and the rate in that one; nothing of less than a day.
  std::vector<double> hours = {};
  double busiest_rate = 0.0;
  // Variance over mean of the number of arrivals in times in which 32 come in the mean; 0: too few.
  double dispersion = 0.0;
  // Rising and linear in between; empty where the file says of no prompt how it begins.
  std::vector<ReusePoint> reuse = {};
};

// Devices of a service that process prompts and nothing else; which and how many are axes.
struct PrefillPool {
  parallel::StrategyRules strategy;  // of which the best is taken
  SourcePosition position;
};

struct WorkloadForm;
using WorkloadForms = std::vector<const WorkloadForm*>;
const WorkloadForms& workload_forms();

struct Spec {
  std::string title;
  std::string text;  // the file as read, for the provenance
  std::string file;
  const WorkloadForm* kind = nullptr;
  std::vector<TrainingPhase> phases;   // of training, values of the axis `phase`; empty: one
  std::vector<RequestClass> requests;  // of serving; empty: prompt and output are axes
  std::optional<RequestTrace> trace;   // that the requests are of
  std::vector<double> load_curve;      // of its peak, in equal parts of the day; empty: none
  std::vector<Axis> axes;              // in the canonical order of Space
  bool extrapolate = false;            // nodes beyond the last one of a series are asked for
  std::optional<Allocation> allocation;
  std::optional<AxisSearch> search;
  std::vector<PrecisionTable> precisions;  // of the axis `precision`, those that are tables
  parallel::StrategyRules strategy;
  std::optional<PrefillPool> prefill;
  std::vector<Filter> filters;
  std::vector<Requirement> requirements;  // columns and axes, which study checks
  Keep keep;
  SourcePosition counts_position;     // of [keep] counts
  bool operators = false;             // rows hold the figures of every operator; inference only
  std::vector<Objective> objectives;  // columns or axes, which study checks
  std::vector<SourcePosition> objective_positions;
  SourcePosition strategy_position;  // of [strategy], for rules that leave nothing
  citation::Dataset dataset;         // no part of the identity
};

// The index of an axis by name, nothing if the spec has no such axis.
inline std::optional<std::size_t> find_axis(const std::vector<Axis>& axes,
                                            const std::string& name) {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == name; });
  return found == axes.end() ? std::nullopt
                             : std::optional(static_cast<std::size_t>(found - axes.begin()));
}

}  // namespace scalesweep::space
