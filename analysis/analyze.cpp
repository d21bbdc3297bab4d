#include "analysis/analyze.hpp"

#include <fmt/format.h>

#include "analysis/closest.hpp"
#include "analysis/frontier_tables.hpp"
#include "analysis/layout.hpp"
#include "analysis/operators.hpp"
#include "analysis/reading.hpp"
#include "analysis/scan.hpp"
#include "analysis/source_file.hpp"
#include "analysis/tables.hpp"
#include "analysis/transitions.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

Source describe_source(const std::filesystem::path& study, const store::StudyReader& reader) {
  Source source;
  source.file = study;
  const auto attribute = [&](const std::string& name) {
    const auto found = reader.root_attributes().find(name);
    return found == reader.root_attributes().end() ? std::string() : found->second;
  };
  source.title = attribute("title");
  source.identity = attribute("identity");
  if (reader.complete()) {
    source.sha256 = file_sha256(study);
  }
  source.rows = reader.rows();
  source.points = reader.points();
  source.counts = reader.counts();
  return source;
}

// Rows of the study of the best points, by cell without the empty ones, and where each cell went.
std::vector<std::int64_t> best_study_rows(const Scan& scan, std::vector<std::int64_t>& best_rows) {
  std::vector<std::int64_t> rows;
  for (const BestRow& best : scan.best) {
    best_rows.push_back(best.row < 0 ? -1 : static_cast<std::int64_t>(rows.size()));
    if (best.row >= 0) {
      rows.push_back(best.row);
    }
  }
  return rows;
}

std::vector<std::string> notes_of(const StudyLayout& layout, const Scan& scan) {
  std::vector<std::string> notes = scan.frontiers.notes;
  if (layout.axes[layout.along].labels.size() == 1) {
    notes.push_back(fmt::format("axis '{}' has one value: nothing can change along it",
                                layout.axes[layout.along].name));
  }
  return notes;
}

void add_notes(const store::StudyReader& reader, AnalysisResult& result) {
  std::vector<std::string> notes = reading_notes(reader);
  if (result.source.rows < reader.done()) {
    notes.push_back(
        fmt::format("the file keeps {} of {} points: combinations may look empty that are not",
                    with_thousands(result.source.rows), with_thousands(reader.done())));
  }
  result.notes.insert(result.notes.begin(), notes.begin(), notes.end());
}

AnalysisResult analyze_reader(const store::StudyReader& reader, const AnalyzeOptions& options) {
  const StudyLayout layout = read_layout(reader, options);
  const Resources resources = make_resources(layout.resources);
  const Scan scan = scan_study(reader, layout, options);

  AnalysisResult result;
  result.axes = layout.axes;
  result.along = layout.axes[layout.along].name;
  for (const std::size_t axis : layout.panels) {
    result.panels.push_back(layout.axes[axis].name);
  }
  result.time = layout.time.words;
  result.better = layout.time.better;
  result.better_words = layout.time.better_words;
  result.objectives = layout.objectives;
  result.resources = resources.names;
  result.groups = resources.groups;
  result.strategy = layout.strategy;

  result.frontier = point_table(reader, layout, resources, scan.frontier);
  result.frontier.name = "frontier";
  result.frontier.description =
      "feasible points that no other dominates in " + words_of(layout.objectives);
  add_frontier_columns(result.frontier, scan.frontiers);
  result.frontier_groups = frontier_group_table(layout, scan.per, scan.frontiers, result.frontier);
  result.best = point_table(reader, layout, resources, best_study_rows(scan, result.best_rows));
  result.best.name = "best";
  result.best.description = fmt::format(
      "the feasible point with the least {} for every combination of "
      "the varying axes, ties to the smallest id",
      layout.time.better_words);
  const std::vector<Path> paths = paths_of(scan.grid, result.best_rows);
  result.transitions = transition_table(layout, resources, result.best, paths);
  result.strategy_changes = strategy_change_table(layout, result.best, paths);
  result.coverage = coverage_table(layout, scan);
  result.cloud = cloud_table(reader, layout, scan.cloud);
  result.findings = findings_of(layout, resources, result.best, paths);
  result.operators = operator_table(layout, result.best);
  result.notes = notes_of(layout, scan);
  if (scan.feasible_rows == 0) {
    for (const std::string& sentence : closest_points(reader)) {
      result.notes.push_back(sentence);
    }
  }
  return result;
}

}  // namespace

std::vector<const ResultTable*> tables_of(const AnalysisResult& result) {
  std::vector<const ResultTable*> tables = {
      &result.frontier,         &result.frontier_groups, &result.best, &result.transitions,
      &result.strategy_changes, &result.coverage,        &result.cloud};
  if (!result.operators.schema.empty()) {
    tables.push_back(&result.operators);
  }
  return tables;
}

AnalysisResult analyze(const std::filesystem::path& study, const AnalyzeOptions& options) {
  const store::StudyReader reader(study, store::Unfinished::read);
  try {
    AnalysisResult result = analyze_reader(reader, options);
    result.source = describe_source(study, reader);
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
