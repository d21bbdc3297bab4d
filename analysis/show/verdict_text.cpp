#include "analysis/show/verdict_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "analysis/file/columns.hpp"
#include "analysis/show/text/limit_text.hpp"
#include "analysis/verdict/standing.hpp"
#include "analysis/verdict/why/obstacle.hpp"
#include "analysis/words/value_text.hpp"
#include "analysis/words/words.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::size_t most_full = 8;     // questions in full
constexpr std::size_t most_lines = 24;   // of the others
constexpr std::size_t most_drawn = 6;    // choices of a question with draws
constexpr double least_gap = 0.0005;     // that is not rounded to nothing
constexpr std::size_t label_width = 11;  // of a line
constexpr std::size_t widest = 99;       // what is read easily

std::string value_text(double value, const std::string& units) {
  const NumberScale scale = scale_for(std::span(&value, 1), units);
  return shown_number(value, scale) + (scale.units.empty() ? "" : " " + scale.units);
}

// "12,345", "0.31".
std::string count_text(double value) {
  return value >= 1e4 ? with_thousands(std::llround(value)) : fmt::format("{:.4g}", value);
}

// "39 % more", "2.4 times as much".
std::string gap_text(double gap, Direction direction) {
  if (std::fabs(gap) < least_gap) {
    return "the same";
  }
  if (gap < 0.0 || direction == Direction::maximize) {
    const bool is_less = gap > 0.0 || direction == Direction::minimize;
    return percent(std::fabs(gap)) + (is_less ? " less" : " more");
  }
  return gap < 1.0 ? percent(gap) + " more" : fmt::format("{:.3g} times as much", 1.0 + gap);
}

std::string standing_text(Standing standing) {
  constexpr std::array<const char*, 5> texts = {
      "a tie", "within the error bars", "beyond doubt", "error bars not known",
      "more than the error bars, of what nobody measured"};
  return texts[static_cast<std::size_t>(standing)];
}

std::string choice_text(const Verdicts& verdicts, const Contender& point) {
  return join(choice_words(verdicts.chosen, point.labels, verdicts.prompts_apart), ", ");
}

std::string figure_text(const Figure& figure) {
  switch (figure.kind) {
    case FigureKind::time:
      return fmt::format("{} {}", value_text(figure.value, figure.units), figure.words);
    case FigureKind::throughput:
      return rate_text(figure.value, counted_in(figure.words));
    case FigureKind::device_throughput:
      return rate_text(figure.value, counted_in(figure.words)) + "/device";
    case FigureKind::device_flop_rate:
      return fmt::format("{:.4g} TFLOP/s/device", figure.value * 1e-12);
    case FigureKind::utilization:
      return percent(figure.value) + " of the peak (MFU)";
    case FigureKind::whole_run:
      return value_text(figure.value, figure.units) + " to train";
    case FigureKind::run_cost:
      return fmt::format("{:.4g} million {} for all of it", 1e-6 * figure.value, figure.units);
    case FigureKind::cost:
      break;
  }
  return unit_cost_text(figure.value, figure.units, counted_in(figure.words));
}

// The figure that is the objective, where people have words of their own for its values.
const Figure* objective_figure(const Verdicts& verdicts, const Verdict& verdict) {
  for (const Figure& figure : verdict.figures) {
    if (figure.kind != FigureKind::time && figure.words == verdicts.objective_words) {
      return &figure;
    }
  }
  return nullptr;
}

std::string objective_text(const Verdicts& verdicts, const Verdict& verdict, double value) {
  if (const Figure* figure = objective_figure(verdicts, verdict)) {
    Figure said = *figure;
    said.value = value;
    return figure_text(said);
  }
  return value_text(value, verdicts.objective_units);
}

std::string best_text(const Verdicts& verdicts, const Verdict& verdict) {
  const Contender& taken = verdict.taken;
  std::string text = objective_text(verdicts, verdict, taken.value);
  if (objective_figure(verdicts, verdict) == nullptr) {
    text += " " + verdicts.objective_words;
  }
  if (std::isnan(taken.error_bar)) {
    return text + ", error bar not known";
  }
  return taken.error_bar > 0.0 ? text + " +- " + percent(taken.error_bar) : text;
}

std::string figures_text(const Verdicts& verdicts, const Verdict& verdict) {
  std::vector<std::string> texts;
  for (const Figure& figure : verdict.figures) {
    if (figure.words != verdicts.objective_words) {
      texts.push_back(figure_text(figure));
    }
  }
  return join(texts, ", ");
}

std::string layout_text(const Verdicts& verdicts, const Verdict& verdict) {
  std::string text = verdict.taken.layout;
  if (verdict.better_known) {
    return text + "; better known than the best by estimate, which cannot be told apart from it";
  }
  const bool is_simpler = verdict.taken.row != verdict.best.row;
  if (verdict.layouts > 1 && is_simpler) {
    text += fmt::format("; the simplest of {} within 1 % of the best, {}, with {}",
                        with_thousands(verdict.layouts), verdict.best.layout,
                        objective_text(verdicts, verdict, verdict.best.value));
  } else if (verdict.layouts > 1) {
    text += fmt::format("; the best, and the simplest of {} within 1 % of it",
                        with_thousands(verdict.layouts));
  } else if (verdicts.layouts_are_whole) {
    text += "; no other is within 1 %";
  }
  return text;
}

// "H200, TP2 PP16, with 14.25 s +- 42 % if it is as good as estimated, 1.2 % less".
std::string by_estimate_text(const Verdicts& verdicts, const Verdict& verdict) {
  const Contender& best = verdict.best;
  const std::string place = best.choice == verdict.taken.choice ? "" : choice_text(verdicts, best);
  const std::string between = place.empty() || best.layout.empty() ? "" : ", ";
  const double gap = gap_of(best.value, verdict.taken.value, verdicts.objective.direction);
  return fmt::format("{}{}{}, with {} +- {} if it is as good as estimated, {}", place, between,
                     best.layout, objective_text(verdicts, verdict, best.value),
                     percent(best.error_bar), gap_text(gap, verdicts.objective.direction));
}

std::vector<std::string> other_texts(const Verdicts& verdicts, const Verdict& verdict) {
  std::vector<std::string> texts;
  for (const RunnerUp& other : verdict.others) {
    texts.push_back(fmt::format("{}: {}, {}", choice_text(verdicts, other.point),
                                gap_text(other.gap, verdicts.objective.direction),
                                standing_text(other.standing)));
  }
  const std::int64_t more = verdict.choices - 1 - static_cast<std::int64_t>(verdict.others.size());
  if (more > 0) {
    texts.push_back(fmt::format("and {} other{}", with_thousands(more), more == 1 ? "" : "s"));
  }
  return texts;
}

// Words, of which a line may end behind each: not between a number and what it counts.
std::vector<std::string> unbroken(const std::string& text) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::vector<std::string> words;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) {
      continue;
    }
    if (!words.empty() && is_digit(words.back().front()) && is_digit(words.back().back())) {
      words.back() += " " + word;
    } else {
      words.push_back(word);
    }
  }
  return words;
}

// A label, and texts in lines that stand below each other behind it.
std::string lines_text(const VerdictLine& line, std::size_t width) {
  const std::size_t indent = 4 + label_width;
  std::string text;
  for (std::size_t i = 0; i < line.texts.size(); ++i) {
    std::string current = "    " + padded(i == 0 ? line.label : "", label_width, false);
    bool is_begun = false;
    for (const std::string& word : unbroken(line.texts[i])) {
      if (is_begun && display_width(current) + 1 + display_width(word) > width) {
        text += current + "\n";
        current = std::string(indent + 2, ' ');
        is_begun = false;
      }
      current += (is_begun ? " " : "") + word;
      is_begun = true;
    }
    text += current + "\n";
  }
  return text;
}

std::string heading_of(const VerdictSheet& sheet) {
  if (sheet.question.empty() || sheet.choice.empty()) {
    return sheet.question + sheet.choice;
  }
  return sheet.question + ": " + sheet.choice;
}

std::string sheet_text(const VerdictSheet& sheet, std::size_t width) {
  const std::string heading = heading_of(sheet);
  std::string text = heading.empty() ? "" : paragraph(heading, width);
  for (const VerdictLine& line : sheet.lines) {
    text += lines_text(line, width);
  }
  return text;
}

// "best in 62 % of the draws; 0.20 USD in the median, 0.15 USD to 0.26 USD in four of five".
std::string draws_text(const Verdicts& verdicts, const DrawnAnswer& answer,
                       const DrawnChoice& choice) {
  const auto value = [&](double of) { return value_text(of, verdicts.objective_units); };
  const double share = static_cast<double>(choice.best) / static_cast<double>(answer.draws);
  return fmt::format(
      "{}; {} in the median, {} to {} in four of five",
      choice.best == 0 ? "best in no draw" : fmt::format("best in {} of the draws", percent(share)),
      value(choice.median), value(choice.good), value(choice.bad));
}

// A line for each of the questions from `first` on.
std::string table_text(const Verdicts& verdicts, std::size_t first, std::size_t width) {
  TextTable table;
  table.add_column("question", TextTable::Align::left);
  table.add_column("best", TextTable::Align::left);
  table.add_column(verdicts.objective_words, TextTable::Align::right);
  table.add_column("limit", TextTable::Align::left);
  const std::size_t last = std::min(verdicts.answers.size(), first + most_lines);
  for (std::size_t i = first; i < last; ++i) {
    const Verdict& verdict = verdicts.answers[i];
    if (verdict.is_answered()) {
      table.add_row({verdict.question, choice_text(verdicts, verdict.taken),
                     value_text(verdict.taken.value, verdicts.objective_units),
                     fmt::format("{} {}", words(verdict.group), percent(verdict.group_share))});
    } else {
      const Obstacle& obstacle = verdict.obstacle;
      table.add_row({verdict.question, "-", "-",
                     obstacle.is_dropped || obstacle.is_unknown ? no_answer_words(obstacle)
                                                                : words(obstacle.status)});
    }
  }
  std::string text = table.text(width);
  if (last < verdicts.answers.size()) {
    text += fmt::format("  ... {} more in the verdicts table\n", verdicts.answers.size() - last);
  }
  return text;
}

// "all 4 phases", "both phases", "2 of 4 phases".
std::string phases_text(const Recipes& recipes) {
  const std::size_t some = recipes.phases.size();
  if (some < recipes.all_phases) {
    return fmt::format("{} of {} phases", some, recipes.all_phases);
  }
  return some == 2 ? "both phases" : fmt::format("all {} phases", some);
}

// "46.38 million USD", "11,363 t": what runs come to is far from the units of a step.
std::string recipe_value_text(const RecipeColumn& column, double value) {
  if (column.units == "USD" || column.units == "h") {
    const std::string number =
        value < 1e6 ? count_text(value) : fmt::format("{:.4g} million", 1e-6 * value);
    return column.units == "h" ? number : number + " USD";  // its words say hours
  }
  return column.units == "kg" && value >= 1e3 ? count_text(1e-3 * value) + " t"
                                              : value_text(value, column.units);
}

// "base: 52.1 days, 74 %, in TP8 PP16 DP128".
std::string phase_text(const Recipes& recipes, const RecipeRun& run, const RecipePhase& phase,
                       bool prompts_apart) {
  const double part = phase.parts[recipes.ranked];
  std::vector<std::string> parts = {recipe_value_text(recipes.columns[recipes.ranked], part),
                                    percent(part / run.sums[recipes.ranked])};
  for (const std::string& word : choice_words(recipes.with, phase.labels, prompts_apart)) {
    parts.push_back(word);
  }
  return fmt::format("{}: {}, in {}", recipes.phases[static_cast<std::size_t>(phase.phase)],
                     join(parts, ", "), phase.layout);
}

// The runs behind the best.
std::vector<std::string> next_runs(const Verdicts& verdicts, const RecipeAnswer& answer) {
  const Recipes& recipes = verdicts.recipes;
  std::vector<std::string> texts;
  const std::size_t last = std::min(answer.runs.size(), most_others + 1);
  for (std::size_t i = 1; i < last; ++i) {
    const RecipeRun& run = answer.runs[i];
    const double sum = run.sums[recipes.ranked];
    const double gap =
        gap_of(sum, answer.runs.front().sums[recipes.ranked], recipes.objective.direction);
    texts.push_back(fmt::format(
        "{}: {}, {}", join(choice_words(recipes.chosen, run.labels, verdicts.prompts_apart), ", "),
        recipe_value_text(recipes.columns[recipes.ranked], sum),
        gap_text(gap, recipes.objective.direction)));
  }
  if (last < answer.runs.size()) {
    const std::size_t more = answer.runs.size() - last;
    texts.push_back(fmt::format("and {} other{} in the recipes table", more, more == 1 ? "" : "s"));
  }
  return texts;
}

// Why combinations of a question are not counted.
std::string lacking_cause(const Recipes& recipes) {
  if (recipes.dropped.empty()) {
    return "a phase has nothing feasible there";
  }
  std::vector<std::string> names;
  for (const std::string& name : recipes.dropped) {
    names.push_back(words(name));
  }
  return fmt::format("the file keeps the best {} of each phase alone; name {} in per of [keep]",
                     listed(names), names.size() == 1 ? "it" : "them");
}

std::string lacking_text(const Recipes& recipes, const RecipeAnswer& answer) {
  const std::int64_t lacking = answer.combinations - static_cast<std::int64_t>(answer.runs.size());
  return fmt::format("{} of {} combinations {} not counted: {}", with_thousands(lacking),
                     with_thousands(answer.combinations), lacking == 1 ? "is" : "are",
                     lacking_cause(recipes));
}

// What the phases come to together; each of them is a question below.
std::string recipes_text(const Verdicts& verdicts, std::size_t width) {
  const Recipes& recipes = verdicts.recipes;
  if (recipes.answers.empty()) {
    return "";
  }
  std::string text =
      paragraph(fmt::format("Verdict of {}: the {} {}", phases_text(recipes),
                            recipes.objective.direction == Direction::maximize ? "most" : "least",
                            recipes.columns[recipes.ranked].words),
                width)
          .substr(2);
  const std::size_t full = std::min(recipes.answers.size(), most_full);
  for (std::size_t i = 0; i < full; ++i) {
    text += (i == 0 ? "" : "\n") + sheet_text(recipe_sheet(verdicts, recipes.answers[i]), width);
  }
  if (full < recipes.answers.size()) {
    text += fmt::format("  ... {} more questions in the recipes table\n",
                        recipes.answers.size() - full);
  }
  return text + "\n";
}

// What the draws say together; each of them is in the verdicts table.
std::string drawn_text(const Verdicts& verdicts, std::size_t width) {
  std::string text = paragraph(fmt::format("Verdict: the {}, over {} draws of what nobody knows",
                                           verdict_aim(verdicts), verdicts.drawn.front().all),
                               width)
                         .substr(2);
  const std::size_t full = std::min(verdicts.drawn.size(), most_full);
  for (std::size_t i = 0; i < full; ++i) {
    text += (i == 0 ? "" : "\n") + sheet_text(drawn_sheet(verdicts, verdicts.drawn[i]), width);
  }
  for (const std::string& note : verdict_notes(verdicts)) {
    text += paragraph("note: " + note, width);
  }
  if (full < verdicts.drawn.size()) {
    text +=
        fmt::format("  ... {} more questions in the draws table\n", verdicts.drawn.size() - full);
  }
  return text + "\n";
}

// What the filters of the spec left out: "6 combinations of sequence length and global batch".
std::string not_asked_text(const Verdicts& verdicts) {
  std::vector<std::string> names;
  for (const std::string& name : verdicts.per) {
    names.push_back(words(name));
  }
  const bool is_one = verdicts.not_asked == 1;
  return fmt::format("{} combination{} of {} {} not asked: filters of the spec leave {} out",
                     with_thousands(verdicts.not_asked), is_one ? "" : "s", listed(names),
                     is_one ? "is" : "are", is_one ? "it" : "them");
}

}  // namespace

VerdictSheet verdict_sheet(const Verdicts& verdicts, const Verdict& verdict) {
  VerdictSheet sheet;
  sheet.question = verdict.question;
  if (!verdict.is_answered()) {
    sheet.choice = no_answer_words(verdict.obstacle);
    sheet.lines.push_back({"why", {obstacle_words(verdict.obstacle)}});
    return sheet;
  }
  sheet.choice = choice_text(verdicts, verdict.taken);
  sheet.lines.push_back({"best", {best_text(verdicts, verdict)}});
  const std::string figures = figures_text(verdicts, verdict);
  if (!figures.empty()) {
    sheet.lines.push_back({"that is", {figures}});
  }
  if (!verdicts.given.empty()) {
    sheet.lines.push_back({"on", {join(verdicts.given, ", ")}});
  }
  if (!verdict.taken.layout.empty()) {
    sheet.lines.push_back({"layout", {layout_text(verdicts, verdict)}});
  }
  if (verdict.better_known) {
    sheet.lines.push_back({"or", {by_estimate_text(verdicts, verdict)}});
  }
  sheet.lines.push_back({"limit", {limit_text(verdicts, verdict)}});
  sheet.lines.push_back({"10 % more", {gain_text(verdicts, verdict)}});
  if (const std::string saved = unlimited_text(verdicts, verdict); !saved.empty()) {
    sheet.lines.push_back({"no limit", {saved}});
  }
  if (!verdict.others.empty()) {
    sheet.lines.push_back({"next", other_texts(verdicts, verdict)});
  }
  if (!verdict.flips.empty()) {
    sheet.lines.push_back({"flips to", verdict.flips});
  }
  if (!verdict.cautions.empty()) {
    sheet.lines.push_back({"but", verdict.cautions});
  }
  return sheet;
}

VerdictSheet drawn_sheet(const Verdicts& verdicts, const DrawnAnswer& answer) {
  VerdictSheet sheet;
  sheet.question = answer.question;
  if (answer.choices.empty()) {
    sheet.choice = no_answer_words(answer.obstacle);
    sheet.lines.push_back({"why", {obstacle_words(answer.obstacle)}});
    return sheet;
  }
  const auto name_of = [&](const DrawnChoice& choice) {
    return join(choice_words(verdicts.chosen, choice.labels, verdicts.prompts_apart), ", ");
  };
  sheet.choice = name_of(answer.choices.front());
  sheet.lines.push_back({"draws", {draws_text(verdicts, answer, answer.choices.front())}});
  VerdictLine others = {"next", {}};
  const std::size_t last = std::min(answer.choices.size(), most_drawn);
  for (std::size_t i = 1; i < last; ++i) {
    const DrawnChoice& other = answer.choices[i];
    others.texts.push_back(
        fmt::format("{}: {}", name_of(other), draws_text(verdicts, answer, other)));
  }
  if (!others.texts.empty()) {
    sheet.lines.push_back(std::move(others));
  }
  if (answer.draws < answer.all) {
    sheet.lines.push_back(
        {"but",
         {fmt::format("{} of {} draws have no answer: {}", answer.all - answer.draws, answer.all,
                      obstacle_words(answer.obstacle))}});
  }
  return sheet;
}

VerdictSheet recipe_sheet(const Verdicts& verdicts, const RecipeAnswer& answer) {
  const Recipes& recipes = verdicts.recipes;
  VerdictSheet sheet;
  sheet.question = phases_text(recipes) + (answer.question.empty() ? "" : ", " + answer.question);
  if (answer.runs.empty()) {
    const bool is_feasible = answer.missing.empty();
    const bool is_known =
        std::none_of(verdicts.answers.begin(), verdicts.answers.end(), [](const Verdict& verdict) {
          return !verdict.is_answered() && verdict.obstacle.is_unknown;
        });
    sheet.choice = is_feasible ? "no whole run" : is_known ? "nothing feasible" : "not found";
    sheet.lines.push_back(
        {"why",
         {is_feasible
              ? lacking_text(recipes, answer)
              : fmt::format("nothing {} of {}", is_known ? "is feasible" : "feasible was found",
                            listed(answer.missing))}});
    return sheet;
  }
  const RecipeRun& best = answer.runs.front();
  sheet.choice = join(choice_words(recipes.chosen, best.labels, verdicts.prompts_apart), ", ");
  std::vector<std::string> sums;
  for (std::size_t i = 0; i < best.sums.size(); ++i) {
    if (!std::isnan(best.sums[i])) {
      sums.push_back(recipe_value_text(recipes.columns[i], best.sums[i]) + " " +
                     recipes.columns[i].words);
    }
  }
  sheet.lines.push_back({"together", {join(sums, ", ")}});
  if (!verdicts.given.empty()) {
    sheet.lines.push_back({"on", {join(verdicts.given, ", ")}});
  }
  VerdictLine phases = {"phases", {}};
  for (const RecipePhase& phase : best.phases) {
    phases.texts.push_back(phase_text(recipes, best, phase, verdicts.prompts_apart));
  }
  sheet.lines.push_back(std::move(phases));
  if (answer.runs.size() > 1) {
    sheet.lines.push_back({"next", next_runs(verdicts, answer)});
  }
  if (static_cast<std::int64_t>(answer.runs.size()) < answer.combinations) {
    sheet.lines.push_back({"but", {lacking_text(recipes, answer)}});
  }
  return sheet;
}

std::string verdict_aim(const Verdicts& verdicts) {
  return fmt::format("{} {}",
                     verdicts.objective.direction == Direction::maximize ? "most" : "least",
                     verdicts.objective_words);
}

std::vector<std::string> verdict_notes(const Verdicts& verdicts) {
  std::vector<std::string> notes;
  if (!verdicts.best_is_whole) {
    notes.emplace_back("best of the points that the file keeps; others may be better");
  } else if (!verdicts.others_are_whole && !verdicts.compared.empty()) {
    notes.emplace_back(
        "the next are those of the points that the file keeps; others may be nearer");
  }
  if (verdicts.not_asked > 0) {
    notes.push_back(not_asked_text(verdicts));
  }
  return notes;
}

std::string verdict_text(const Verdicts& verdicts, std::size_t width) {
  if (verdicts.answers.empty()) {
    return "";
  }
  const std::size_t readable = std::min(width, widest);
  const std::string recipes = recipes_text(verdicts, readable);
  if (!verdicts.drawn.empty()) {
    return recipes + drawn_text(verdicts, readable);
  }
  const std::size_t full = std::min(verdicts.answers.size(), most_full);
  std::string text =
      recipes + paragraph(fmt::format("Verdict: the {}{}", verdict_aim(verdicts),
                                      verdicts.answers.size() > 1
                                          ? fmt::format(", {} questions", verdicts.answers.size())
                                          : ""),
                          readable)
                    .substr(2);
  for (std::size_t i = 0; i < full; ++i) {
    text +=
        (i == 0 ? "" : "\n") + sheet_text(verdict_sheet(verdicts, verdicts.answers[i]), readable);
  }
  for (const std::string& note : verdict_notes(verdicts)) {
    text += paragraph("note: " + note, readable);
  }
  if (full < verdicts.answers.size()) {
    text +=
        "\nThe other questions; --where shows one in full\n" + table_text(verdicts, full, width);
  }
  return text + "\n";
}

}  // namespace scalesweep::analysis
