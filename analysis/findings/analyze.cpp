#include "analysis/findings/analyze.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/bottlenecks/tables.hpp"
#include "analysis/effects/phases.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/reading.hpp"
#include "analysis/findings/along.hpp"
#include "analysis/findings/closest.hpp"
#include "analysis/findings/parts.hpp"
#include "analysis/findings/tables/declared.hpp"
#include "analysis/flips/find_flips.hpp"
#include "analysis/frontier/shown_members.hpp"
#include "analysis/selection/counted_outcomes.hpp"
#include "analysis/selection/kept_points.hpp"
#include "analysis/selection/read_layout.hpp"
#include "analysis/selection/selection.hpp"
#include "analysis/verdict/find_verdicts.hpp"
#include "analysis/words/words.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

Source describe_source(const std::filesystem::path& study, const store::StudyReader& reader,
                       const ReadingOptions& how) {
  Source source;
  source.file = study;
  source.title = reader.root_attribute("title");
  source.identity = reader.root_attribute("identity");
  if (reader.complete()) {
    source.sha256 = file_sha256(study, how);
  }
  source.rows = reader.rows();
  source.points = reader.points();
  source.counts = reader.counts();
  return source;
}

// An objective of the study's own that is nowhere a number is a note.
FrontierRequest request_of(const StudyLayout& layout, const AnalyzeOptions& options) {
  FrontierRequest request;
  request.objectives = layout.objectives;
  request.where = options.where;
  request.per = options.per;
  request.reading = options.reading;
  request.refuse_missing = !options.objectives.empty();
  request.ranks = options.ranks;
  if (request.per.empty()) {
    request.per = questions_of(layout);
  }
  return request;
}

// The panels, then the axis along which the study is read.
Grid shown_grid(const StudyLayout& shown) {
  std::vector<std::size_t> axes = shown.panels;
  axes.push_back(shown.along);
  return Grid(shown, axes);
}

std::vector<std::string> notes_of(const StudyLayout& layout, const Scan& scan) {
  std::vector<std::string> notes = scan.frontiers.notes;
  if (layout.axes[layout.along].labels.size() == 1) {
    notes.push_back(fmt::format("the {} has one value: nothing can change along it",
                                words(layout.axes[layout.along].name)));
  }
  return notes;
}

void add_notes(const store::StudyReader& reader, AnalysisResult& result) {
  const std::vector<std::string> notes = reading_notes(reader);
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
}

// What the answers lack where the file does not keep all that they are asked of.
void judge_kept_points(const store::StudyReader& reader, const StudyLayout& layout,
                       const Scan& scan, const AnalyzeOptions& options, AnalysisResult& result) {
  const KeptPoints kept(reader);
  result.keeps_feasible = kept.are_all_feasible();
  Question best{{{layout.time.better, Direction::minimize}}, {}, options.where};
  best.per.push_back(layout.axes[layout.along].name);
  for (const std::size_t axis : layout.panels) {
    best.per.push_back(layout.axes[axis].name);
  }
  result.frontier_is_whole =
      kept.hold_frontier({layout.objectives, scan.per, options.where, false, options.ranks});
  std::vector<std::string> of_these;
  if (!result.frontier_is_whole) {
    of_these.emplace_back("the frontier");
  } else if (scan.frontiers.has_error_bars && !kept.are_all_feasible()) {
    of_these.emplace_back("what is beyond doubt");
  }
  if (!kept.hold_best(best)) {
    of_these.emplace_back("the best of each combination");
  }
  std::vector<std::string> lacks;
  if (!of_these.empty()) {
    lacks.push_back(
        fmt::format("{} {} of these alone", listed(of_these), of_these.size() == 1 ? "is" : "are"));
  }
  if (!kept.hold_combinations(best)) {
    lacks.emplace_back("combinations may look empty that are not");
  }
  if (!kept.are_all_feasible()) {
    lacks.emplace_back("effects of the strategy are left out");
  }
  if (!lacks.empty()) {
    result.notes.insert(result.notes.begin(), kept.note(listed(lacks)));
  }
}

// What one strategy held along each path comes to, in place of the best; `rows` are rows of the
// study by shown cell.
void hold_strategies(const StudyLayout& shown, const std::vector<WantedStrategy>& wanted,
                     const std::vector<FoundStrategy>& found, const std::vector<std::size_t>& cells,
                     std::vector<std::int64_t>& rows, std::vector<std::string>& notes) {
  std::size_t lost = 0;
  std::vector<std::size_t> reasons(kept_status_names(shown).size(), 0);
  std::size_t next = 0;
  for (std::size_t cell = 0; cell < rows.size(); ++cell) {
    const bool is_wanted = next < wanted.size() && wanted[next].cell == cells[cell];
    if (!is_wanted) {
      rows[cell] = -1;  // nothing is feasible yet
      continue;
    }
    const FoundStrategy& one = found[next++];
    if (one.status != 0) {
      ++lost;
      ++reasons[one.status < 0 ? reasons.size() - 1 : static_cast<std::size_t>(one.status)];
    }
    rows[cell] = one.status == 0 ? one.row : -1;
  }
  if (lost > 0) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      if (reasons[i] > 0) {
        texts.push_back(fmt::format("{} {}", words(kept_status_names(shown)[i]), reasons[i]));
      }
    }
    notes.push_back(
        fmt::format("the strategy that is held is not feasible in {} of {} combinations ({})", lost,
                    wanted.size(), join(texts, ", ")));
  }
}

void describe(AnalysisResult& result, const Reading& all, const Resources& resources) {
  const StudyLayout& shown = all.shown;
  result.axes = shown.axes;
  result.along = shown.axes[shown.along].name;
  for (const std::size_t axis : shown.along_axes) {
    result.along_axes.push_back(shown.axes[axis].name);
  }
  for (const std::size_t axis : shown.panels) {
    result.panels.push_back(shown.axes[axis].name);
  }
  result.together = shown.together;
  result.time = shown.time.words;
  result.better = shown.time.better;
  result.better_words = shown.time.better_words;
  result.objectives = shown.objectives;
  result.resources = resources.names;
  result.groups = resources.groups;
  result.strategy = shown.strategy;
  for (const std::size_t field : shown.compared) {
    result.compared.push_back(shown.strategy[field]);
  }
}

// Rows of the study that are points, and where each cell went.
std::vector<std::int64_t> compact(const std::vector<std::int64_t>& rows,
                                  std::vector<std::int64_t>& places) {
  std::vector<std::int64_t> kept;
  places.clear();
  for (const std::int64_t row : rows) {
    places.push_back(row < 0 ? -1 : static_cast<std::int64_t>(kept.size()));
    if (row >= 0) {
      kept.push_back(row);
    }
  }
  return kept;
}

// Tables of points, most of which several tables have: these are read in one go, as reading some
// rows takes almost as long as reading all.
class Points {
 public:
  Points(const store::StudyReader& reader, const StudyLayout& layout, const Resources& resources,
         const Scan& scan)
      : reader_(reader), layout_(layout), resources_(resources), rows_(scan.frontier) {
    for (const BestRow& best : scan.best) {
      if (best.row >= 0) {
        rows_.push_back(best.row);
      }
    }
    std::sort(rows_.begin(), rows_.end());
    rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
    points_ = point_table(reader, layout, resources, rows_);
  }

  ResultTable of(const std::vector<std::int64_t>& rows) const {
    std::vector<std::size_t> places;
    for (const std::int64_t row : rows) {
      const auto found = std::lower_bound(rows_.begin(), rows_.end(), row);
      if (found == rows_.end() || *found != row) {
        return point_table(reader_, layout_, resources_, rows);
      }
      places.push_back(static_cast<std::size_t>(found - rows_.begin()));
    }
    ResultTable points = points_;
    points.table.select(places);
    return points;
  }

 private:
  const store::StudyReader& reader_;
  const StudyLayout& layout_;
  const Resources& resources_;
  std::vector<std::int64_t> rows_;  // ascending
  ResultTable points_;              // of them
};

// A table of points with the axis `path` where the study is read along one.
ResultTable shown_points(const Points& all_points, const Reading& all,
                         std::vector<std::int64_t>& places) {
  ResultTable points = all_points.of(compact(all.rows, places));
  if (all.shown.axes.size() > all.layout.axes.size()) {
    const Grid grid = shown_grid(all.shown);
    std::vector<std::int32_t> steps;
    for (std::size_t cell = 0; cell < all.rows.size(); ++cell) {
      if (all.rows[cell] >= 0) {
        steps.push_back(grid.coordinates(cell).back());
      }
    }
    add_axis_column(points, axis_column(all.shown, all.shown.along), steps);
  }
  return points;
}

std::vector<double> betters(const Scan& scan) {
  std::vector<double> better;
  for (const BestRow& best : scan.best) {
    better.push_back(best.better);
  }
  return better;
}

Combinations combinations_of(const StudyLayout& layout, const Scan& scan, const Points& all_points,
                             const std::vector<Ties>& ties, const std::vector<std::string>& phase) {
  std::vector<std::int64_t> rows;
  for (const BestRow& best : scan.best) {
    rows.push_back(best.row);
  }
  Combinations all;
  all.best = all_points.of(compact(rows, all.places));
  all.ties = ties;
  all.phase_axes = phase_axes(layout, phase);
  return all;
}

// The best of each value of a field: where the best points alone are kept, nobody knows them.
Effects effects_in(const store::StudyReader& reader, const StudyLayout& layout, const Scan& scan,
                   const StrategyScan& strategies) {
  return effects_of(
      layout, scan.grid, betters(scan),
      KeptPoints(reader).are_all_feasible() ? strategies.fields : std::vector<FieldBests>{});
}

// With the best points as they are read; no layout stands in for one that is held.
void add_ties(Reading& all, const Resources& resources, const AnalysisResult& result,
              const ResultTable& best, const std::vector<Ties>& ties, bool are_known) {
  all.ties_are_known = are_known || result.held;
  if (result.held) {
    all.ties = ties_of(attributions(best, resources));
    return;
  }
  all.ties.resize(best.table.rows());
  for (std::size_t cell = 0; cell < all.cells.size(); ++cell) {
    if (result.best_rows[cell] >= 0) {
      all.ties[static_cast<std::size_t>(result.best_rows[cell])] = ties[all.cells[cell]];
    }
  }
}

Asked ask(const Reading& all, const ResultTable& best, bool hold) {
  Asked asked;
  if (hold) {
    asked.wanted = held_strategies(all.shown, best, all.paths, all.cells);
    return asked;
  }
  asked.steps = strategy_steps(all.shown, best, all.paths, all.cells);
  for (const StrategyStep& step : asked.steps) {
    asked.wanted.push_back(step.kept);
  }
  return asked;
}

std::string best_description(const StudyLayout& layout, bool held) {
  return held ? fmt::format("the strategy that is best at the first value, held along {}",
                            layout.axes[layout.along].name)
              : fmt::format(
                    "the feasible point with the least {} for every combination of "
                    "the varying axes, ties to the smallest id",
                    layout.time.better_words);
}

// Members, and points of the ranks behind them if asked for, one a row, in ascending order of id
// within a workload.
ResultTable frontier_table(const Points& points, const StudyLayout& layout, const Scan& scan,
                           const std::vector<ShownFrontier>& pictured) {
  ResultTable frontier = points.of(scan.frontier);
  frontier.description =
      "feasible points that no other dominates in " + words_of(layout.objectives);
  if (scan.frontiers.ranks > 1) {
    frontier.description += fmt::format(", and those behind them to rank {}", scan.frontiers.ranks);
  }
  add_frontier_columns(frontier, scan.frontiers, pictured);
  return frontier;
}

void add_cell_frontiers(AnalysisResult& result, const store::StudyReader& reader,
                        const StudyLayout& layout, const Resources& resources,
                        const AnalyzeOptions& options) {
  if (options.for_filters) {
    result.cell_frontiers = cell_frontiers(reader, layout, resources, request_of(layout, options));
  }
}

// By cell of its grid what all points ended in, kept in the file or not. False where the file does
// not say.
bool count_all_points(const store::StudyReader& reader, const StudyLayout& layout,
                      const std::string& where, Scan& scan) {
  if (KeptPoints(reader).are_all()) {
    return true;
  }
  std::vector<std::string> axes;
  for (const std::size_t axis : scan.grid.axes()) {
    axes.push_back(layout.axes[axis].name);
  }
  const auto counted = counted_outcomes(reader, layout, axes, where);
  if (!counted) {
    return false;
  }
  const std::size_t statuses = layout.statuses.size();
  std::fill(scan.statuses.begin(), scan.statuses.end(), 0);
  for (const auto& [key, outcomes] : *counted) {
    const std::size_t cell = scan.grid.cell({key.begin(), key.end()});
    std::copy(outcomes.points.begin(), outcomes.points.end(),
              scan.statuses.begin() + static_cast<std::ptrdiff_t>(cell * statuses));
  }
  return true;
}

// The groups that lead at the best point of every cell or at one that ties.
std::vector<Leaders> leading_groups(const std::vector<Ties>& ties) {
  std::vector<Leaders> groups;
  for (const Ties& one : ties) {
    groups.push_back(one.leaders[static_cast<std::size_t>(LimitLevel::group)]);
  }
  return groups;
}

// Another order of the same axes.
void reorder(const StudyLayout& layout, Scan& scan, std::vector<Ties>& ties) {
  const Grid grid = shown_grid(layout);
  const std::vector<std::size_t>& from = scan.grid.axes();
  std::vector<BestRow> best;
  std::vector<Ties> ties_there;
  std::vector<std::int64_t> statuses;
  const std::size_t per_cell = scan.statuses.size() / scan.best.size();
  for (std::size_t cell = 0; cell < grid.size(); ++cell) {
    const std::vector<std::int32_t> there = grid.coordinates(cell);
    std::vector<std::int32_t> here(from.size(), 0);
    for (std::size_t i = 0; i < from.size(); ++i) {
      const auto place = std::find(grid.axes().begin(), grid.axes().end(), from[i]);
      here[i] = there[static_cast<std::size_t>(place - grid.axes().begin())];
    }
    const std::size_t old = scan.grid.cell(here);
    best.push_back(scan.best[old]);
    ties_there.push_back(std::move(ties[old]));
    const auto first = scan.statuses.begin() + static_cast<std::ptrdiff_t>(old * per_cell);
    statuses.insert(statuses.end(), first, first + static_cast<std::ptrdiff_t>(per_cell));
  }
  scan.grid = grid;
  scan.best = std::move(best);
  scan.tied.clear();  // that was of the old order
  ties = std::move(ties_there);
  scan.statuses = std::move(statuses);
}

// Reads the study along the axis along which most moves, where nobody named one, and shows the
// phases over the pair that says most. What is read is the same; its order is another one.
std::string read_along_moves(const store::StudyReader& reader, const AnalyzeOptions& options,
                             const Moves& moves, StudyLayout& layout, Scan& scan,
                             std::vector<Ties>& ties) {
  const std::string sentence = moves.axes.empty() ? "" : moves_words(layout, moves.axes.front());
  if (!options.along.empty() || moves.axes.size() < 2 || sentence.empty()) {
    return "";
  }
  const std::string& name = layout.axes[moves.axes.front().axis].name;
  const StudyLayout other =
      read_layout(reader, {name, options.objectives, options.where, options.reading});
  const auto sorted = [](const StudyLayout& one) {
    std::vector<std::size_t> axes = shown_grid(one).axes();
    std::sort(axes.begin(), axes.end());
    return axes;
  };
  if (sorted(other) == sorted(layout)) {
    layout = other;
    reorder(layout, scan, ties);
    return sentence;
  }
  return "";
}

void add_sentences(AnalysisResult& result, const store::StudyReader& reader, const Reading& all,
                   const Resources& resources, const Scan& scan) {
  for (std::string& finding : findings_of(all, resources, result)) {
    result.findings.push_back(std::move(finding));
  }
  for (const std::string& note : notes_of(all.shown, scan)) {
    result.notes.push_back(note);
  }
  for (const std::string& sentence : shares_at_bounds(reader, result)) {
    result.notes.push_back(sentence);
  }
  if (scan.feasible_rows == 0) {
    for (const std::string& sentence : closest_points(reader)) {
      result.notes.push_back(sentence);
    }
  }
}

// What each question is answered with, and what the answers lack.
void add_answers(AnalysisResult& result, const store::StudyReader& reader,
                 const StudyLayout& layout, const Resources& resources, const Scan& scan,
                 const AnalyzeOptions& options) {
  result.frontiers = scan.frontiers;
  add_cell_frontiers(result, reader, layout, resources, options);
  result.verdicts = find_verdicts(reader, layout, scan.per, options.where);
  find_flips(reader, layout, options.where, result.verdicts);
  add_savings(options.savings, result.verdicts);
  judge_kept_points(reader, layout, scan, options, result);
}

AnalysisResult analyze_reader(const store::StudyReader& reader, const AnalyzeOptions& options) {
  Reading all;
  all.layout =
      read_layout(reader, {options.along, options.objectives, options.where, options.reading});
  const Resources resources = make_resources(all.layout.resources);
  const Selection selection(reader, options.where);
  AnalysisResult result;
  result.held = options.hold;
  Scan scan = scan_study(reader, all.layout, request_of(all.layout, options));
  result.coverage_is_whole = count_all_points(reader, all.layout, options.where, scan);
  const Points points(reader, all.layout, resources, scan);
  std::vector<Ties> ties = find_ties(reader, all.layout, resources, scan);
  const Moves moves = moves_of(all.layout, scan, leading_groups(ties));
  const std::string most_moves = read_along_moves(reader, options, moves, all.layout, scan, ties);
  const Along along = make_along(all.layout);
  all.shown = layout_along(all.layout, along);
  const Grid grid = shown_grid(all.shown);
  all.cells = cells_along(along, scan.grid, grid);
  for (const std::size_t cell : all.cells) {
    all.rows.push_back(scan.best[cell].row);
  }

  describe(result, all, resources);
  ResultTable best = shown_points(points, all, result.best_rows);
  all.paths = paths_of(grid, result.best_rows);
  const Asked asked = ask(all, best, options.hold);
  const StrategyScan strategies =
      scan_strategies(reader, all.layout, selection, scan.grid, asked.wanted);
  if (options.hold) {
    hold_strategies(all.shown, asked.wanted, strategies.found, all.cells, all.rows, result.notes);
    best = shown_points(points, all, result.best_rows);
    all.paths = paths_of(grid, result.best_rows);
  }
  best.description = best_description(all.shown, options.hold);
  add_ties(all, resources, result, best, ties, scan.keeps_ties);
  const std::vector<ShownFrontier> pictured = shown_frontiers(scan.frontiers, most_pictured);
  const ResultTable frontier = frontier_table(points, all.layout, scan, pictured);
  add_answers(result, reader, all.layout, resources, scan, options);

  const bool chooses_phase = options.phase.empty() && options.along.empty();
  const Combinations combinations =
      combinations_of(all.layout, scan, points, ties,
                      chooses_phase ? telling_pair(all.layout, moves) : options.phase);
  for (const std::size_t axis : combinations.phase_axes) {
    result.phase_axes.push_back(all.layout.axes[axis].name);
  }
  const Effects effects = effects_in(reader, all.layout, scan, strategies);
  result.notes.insert(result.notes.end(), effects.notes.begin(), effects.notes.end());
  result.tables =
      make_tables(declared_tables(),
                  {reader, all, resources, scan, best, frontier, pictured, combinations, asked,
                   strategies, moves, effects, result.verdicts, result.coverage_is_whole});
  add_sentences(result, reader, all, resources, scan);
  if (!most_moves.empty()) {
    result.findings.push_back(most_moves);
  }
  return result;
}

}  // namespace

AnalysisResult analyze(const std::filesystem::path& study, const AnalyzeOptions& options) {
  const store::StudyReader reader(study, store::Unfinished::read, options.reading.progress);
  try {
    AnalysisResult result = analyze_reader(reader, options);
    result.source = describe_source(study, reader, options.reading);
    add_notes(reader, result);
    return result;
  } catch (const Failure& failure) {
    if (failure.code() != ExitCode::bad_input) {
      throw;
    }
    throw Failure(failure.code(), fmt::format("{}: {}", study.string(), failure.what()));
  }
}

}  // namespace scalesweep::analysis
