// What a study answers to each of its questions. A question is what is asked rather than chosen:
// one combination of the values of the columns that frontiers keep apart (a model, a sequence
// length, limits). Its answer is the best point by the first objective.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analysis/file/objective.hpp"
#include "analysis/verdict/recipe/recipe.hpp"

namespace scalesweep::analysis {

inline constexpr double nothing_known = std::numeric_limits<double>::quiet_NaN();

// A point that somebody could build.
struct Contender {
  std::int64_t row = -1;  // of the study; -1: none
  std::int64_t id = -1;
  double value = nothing_known;      // of the objective
  double error_bar = nothing_known;  // relative, of the value; 0: taken as certain, NaN: unknown
  bool is_measured = true;           // nothing of it was measured nowhere (role least_known)
  std::vector<std::int32_t> choice;  // of each axis of Verdicts::chosen, the index of its value
  std::vector<std::string> labels;   // of the same values
  std::vector<double> strategy;      // values of Verdicts::strategy
  std::string layout;                // "TP8 PP1 DP128 b4 no-rc Z1 SP"
};

// How another point stands against the best. The gap is the part by which it is worse.
enum class Standing : std::int32_t {
  tie,         // within 1 %
  near_tie,    // within the error bars: they overlap
  apart,       // beyond doubt: they do not
  unknown,     // one has no error bar
  unmeasured,  // they do not overlap, but of one something was measured nowhere
};
inline const std::vector<std::string> standing_names = {"tie", "within_error_bars", "beyond_doubt",
                                                        "unknown", "not_measured"};

struct RunnerUp {
  Contender point;
  double gap = 0.0;
  Standing standing = Standing::unknown;
};

// What a resource has of the time, and what 10 % more of it saves: computed (why/savings.hpp), or
// to first order (attribution.hpp).
struct Limit {
  std::string resource;
  double share = 0.0;
  double gain_10 = 0.0;
  // The least and the most of the layouts that tie (Verdict::tied); the share itself without any.
  double least = 0.0;
  double most = 0.0;
  // What is saved where it takes no time; NaN: it was not computed, and gain_10 is of first order.
  double without_limit = nothing_known;
};

// What a study tells of the best point in units that people use.
enum class FigureKind {
  time,
  throughput,
  device_throughput,
  device_flop_rate,
  utilization,
  cost,
  whole_run,
  run_cost,
};
struct Figure {
  FigureKind kind = FigureKind::time;
  double value = nothing_known;  // in `units`
  std::string units;             // SI
  std::string words;             // of the column: "step time"; "": of several columns
};

// Why there is no answer.
struct Obstacle {
  std::string status;       // of most points; "": the file has none of the question
  std::int64_t points = 0;  // of that status
  std::int64_t all = 0;     // of the question, in the file or counted
  std::string nearest;      // column that tells how far off the nearest of them is; "": none
  double distance = nothing_known;  // the best of that column
  bool is_of_capacity = false;      // as a part of what a device has, where it is bytes
  bool is_dropped = false;          // these points are feasible, and the file has no value of any
  bool is_unknown = false;          // [search] left others out, which may be feasible
  // What else points miss that fit, and how many.
  struct Missed {
    std::string status;
    std::int64_t points = 0;
  };
  std::vector<Missed> missed = {};
};

// The best point of a choice.
struct ChosenBest {
  std::vector<std::int32_t> choice;  // of each axis of Verdicts::compared, the index of its value
  double value = nothing_known;      // of the objective
  std::int64_t id = -1;
};

// Between two neighbouring values of an ordered axis another value of an axis of names is the best.
struct AxisFlip {
  std::string along;      // the ordered axis
  std::int32_t from = 0;  // indices of its values, ascending in value
  std::int32_t to = 0;
  std::string changed;  // the other axis
  std::int32_t before = 0;
  std::int32_t after = 0;
  double gap_before = 0.0;          // by which `after` is worse at `from`
  double gap_after = 0.0;           // by which `before` is worse at `to`
  double crossing = nothing_known;  // where they are equal, between the two; SI
};

// The value of an assumption beyond which another choice costs less, all else as it is.
struct BreakEven {
  std::int32_t assumption = 0;  // of Verdicts::assumptions
  double value = 0.0;           // as it is; SI
  double at = 0.0;              // where both cost the same
  ChosenBest other;             // its value: the cost there
};

// What a million tokens of the point that is taken cost at other values of an assumption.
struct CostSwing {
  std::int32_t assumption = 0;
  double value = 0.0;  // as it is; SI
  double low = 0.0;
  double high = 0.0;
  double cost = 0.0;  // USD
  double cost_low = 0.0;
  double cost_high = 0.0;
};

struct Verdict {
  std::vector<std::int64_t> key;  // of Verdicts::per: indices of the layout, or stored values
  std::string question;           // "llama-3-70b, sequence length 8192"; "" where there is only one
  // What is proposed; row -1: no answer. The simplest layout within 1 % of the best at its choice;
  // or what is better known and cannot be told apart from the best (reduce/choice.hpp).
  Contender taken;
  Contender best;                // by value; often the same
  bool better_known = false;     // taken for that
  std::int64_t layouts = 0;      // as well known within 1 % of the best at its choice, it included
  std::int64_t alike = 0;        // feasible, and cannot be told apart from `taken`; 0: not counted
  std::vector<RunnerUp> others;  // the best of each other choice, nearest first, a few
  std::int64_t choices = 0;      // with a feasible point, that of the best included
  std::string resource;          // with the largest share of the time at `taken`
  std::string group;             // likewise
  double group_share = 0.0;
  std::vector<Limit> limits;  // largest share first
  // Layouts within `tie` of the best at its choice, as shares are ranges over; 0: of what is
  // proposed they are not known.
  std::int64_t tied = 0;
  std::vector<std::string> groups;  // that lead in one of them, that of `taken` first
  std::vector<Figure> figures;
  std::vector<std::string> cautions;     // sentences
  Obstacle obstacle;                     // where there is no answer
  std::vector<ChosenBest> choice_bests;  // of every choice with a feasible point
  // Where the choice flips (analysis/flips); empty until somebody asks for it.
  std::vector<AxisFlip> axis_flips;
  std::vector<BreakEven> break_evens;  // nearest first
  std::vector<CostSwing> tornado;      // the largest first
  std::vector<std::string> flips;      // the nearest of them; sentences

  bool is_answered() const { return taken.row >= 0; }
};

// How a choice stands over the draws of what nobody knows (src/space/axes/draws.hpp).
struct DrawnChoice {
  std::vector<std::int32_t> choice;  // of each axis of Verdicts::chosen, the index of its value
  std::vector<std::string> labels;   // of the same values
  std::int64_t best = 0;             // draws in which it is the best
  // The objective over the draws that have a value of it: nine of ten are not better, half, one of
  // ten.
  std::int64_t draws = 0;
  double good = nothing_known;
  double median = nothing_known;
  double bad = nothing_known;
};

// What the draws of one question say together.
struct DrawnAnswer {
  std::vector<std::int64_t> key;  // as of a verdict, without the draw
  std::string question;
  std::int64_t draws = 0;            // that have an answer
  std::int64_t all = 0;              // of them all
  std::vector<DrawnChoice> choices;  // the one that is most often the best first
  Obstacle obstacle;                 // of a draw without an answer, where there is one
};

struct Verdicts {
  Objective objective;
  std::string objective_words;
  std::string objective_units;        // SI
  std::string error_bar = {};         // its column; "": none, or it is taken as certain
  std::string time_words;             // what shares are of
  std::vector<std::string> per;       // columns that tell questions apart
  std::vector<std::string> chosen;    // axes that vary and are no question: what to build
  std::vector<std::string> given;     // values of systems that do not vary: "accelerators 1024"
  std::vector<std::string> compared;  // of them, those each of whose values is in the file: choices
  std::vector<std::string> strategy;  // columns
  bool best_is_whole = true;          // of all feasible points, kept in the file or not
  bool others_are_whole = true;       // likewise
  bool layouts_are_whole = true;      // all feasible points are kept
  std::vector<std::string> assumptions = {};       // that are priced again
  std::vector<std::string> assumption_units = {};  // as people say them
  std::vector<double> assumption_scales = {};      // how many of them one of SI is
  bool prompts_apart = false;  // on devices of their own, whose axis is prefill_device
  // Where something is drawn, whose draws are questions each.
  std::vector<std::string> drawn_per = {};  // columns that tell the others apart
  std::vector<DrawnAnswer> drawn = {};      // ascending in key; empty where nothing is
  Recipes recipes = {};                     // where a run has phases, which are questions each
  std::int64_t not_asked = 0;    // combinations of `per` that filters of the spec leave out
  std::vector<Verdict> answers;  // ascending in key, those without an answer behind the others
};

inline constexpr std::size_t most_others = 4;
inline constexpr double tie = 0.01;  // a gap that nobody would choose by

}  // namespace scalesweep::analysis
