// Conditions: of filters over what a point is, and over the columns of what came out.
#include "analysis/file/columns.hpp"

#include <algorithm>

#include "fuzz/known_study.hpp"
#include "fuzz/laws.hpp"
#include "parallel/fields.hpp"
#include "space/filter.hpp"

namespace scalesweep::fuzz {
namespace {

constexpr std::int64_t most_rows = 64;

const store::Table& known_rows() {
  static const store::Table rows = [] {
    const study::Study& study = known_study();
    engine::RangeResult result = empty_result(study);
    study.make_evaluator().evaluate({0, std::min(most_rows, study.space().size())}, result);
    return result.rows;
  }();
  return rows;
}

void add_labels(std::vector<std::string>& words, const std::vector<std::string>& labels) {
  for (const std::string& label : labels) {
    words.push_back("'" + label + "'");
  }
}

std::vector<std::string> operators() {
  return {
      " and ", " or ", "not ",         " == ", " != ",  " <= ",  " >= ", " < ",   " > ",   " + ",
      " - ",   " * ",  " / ",          " % ",  "(",     ")",     "true", "false", "1e308", "0.5",
      "''",    "\"",   "((((",         "----", "'2 s'", "'0 W'", "nan",  "inf",   "é",     " = ",
      "&&",    "||",   "not not not ", "1e-9"};
}

}  // namespace

void run_filter(Bytes input) {
  const space::Space& space = known_study().space();
  const space::Filter filter = {text_of(input), {"spec.toml", 3, 9}, 9};
  Diagnostics diagnostics;
  space::check_filter(filter, space.axes(), true, diagnostics);
  diagnostics.text();
  bool made = false;
  made = succeeds([&] {
    space::FilterSet filters({filter}, space.axes());
    filters.axes_of_axis_filters();
    const space::Run run = space.run_at(space.size() / 2);
    const std::size_t strategies = std::min<std::size_t>(run.strategies.size(), 8);
    for (std::size_t i = 0; i < strategies; ++i) {
      const bool passes = filters.passes(run, i);
      require(passes == filters.passes(run.axis_index, run.strategies[i]),
              "a point passes by itself where it passes among others");
    }
  });
  require(made != diagnostics.has_errors(), "a filter that is checked computes, and no other");
}

void run_condition(Bytes input) {
  const store::StudyDescription& study = known_study().description();
  const store::Table& rows = known_rows();
  const std::string text = text_of(input);
  const auto problems = analysis::condition_problems(text, study.schema, study.axes);
  const bool wrong = std::any_of(problems.begin(), problems.end(), [](const auto& problem) {
    return problem.severity == Severity::error;
  });
  const bool made = succeeds([&] {
    const analysis::Condition condition(text, study.schema, study.axes);
    std::vector<std::uint8_t> holds;
    condition.select(rows, study.schema, holds);
    require(holds.size() == rows.rows(), "each row meets the condition or does not");
  });
  require(made != wrong, "a condition without problems computes, and no other");
}

std::vector<std::string> filter_words() {
  std::vector<std::string> words = operators();
  for (const parallel::Field& field : parallel::strategy_fields()) {
    words.emplace_back(field.name);
  }
  for (const space::Axis& axis : known_study().space().axes()) {
    words.push_back(axis.name);
    add_labels(words, axis.labels);
  }
  return words;
}

std::vector<std::string> condition_words() {
  std::vector<std::string> words = operators();
  for (const store::Column& column : known_study().description().schema) {
    words.push_back(column.name);
    add_labels(words, column.labels);
  }
  return words;
}

}  // namespace scalesweep::fuzz
