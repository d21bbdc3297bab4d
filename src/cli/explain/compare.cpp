#include "cli/explain/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "cli/explain/explain_parts.hpp"
#include "cli/explain/explain_report.hpp"
#include "cli/output/terminal.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "estimator/training/job.hpp"
#include "study/file/study_of_file.hpp"
#include "study/sample.hpp"

namespace scalesweep::cli {
namespace {

constexpr std::size_t page_width = 78;
// Relative differences below it are of the last digits.
constexpr double alike = 1e-9;

Cell dollars_cell(double usd) {
  return {fmt::format("{:.4g} USD", usd), usd};
}

// The column of a sheet of explanations that is compared, and how its differences are written.
struct Compared {
  std::string_view sheet;
  std::string_view column;
  std::string_view title;
  Cell (*unit)(double) = nullptr;  // null where rows have units of their own
};
constexpr std::array<Compared, 12> compared = {{
    {"result", "value", "Result"},
    {"day", "value", "Mean over the day"},
    {"phases", "time", "Time by phase", seconds_cell},
    {"resources", "time", "Time by the resource that set it", seconds_cell},
    {"terms", "step_s", "Terms of the step time", seconds_cell},
    {"prefill_operators", "pass_s", "Operators of prefill", seconds_cell},
    {"decode_operators", "pass_s", "Operators of decode", seconds_cell},
    {"memory", "first_stage", "Memory of the first stage", bytes_cell},
    {"memory", "last_stage", "Memory of the last stage", bytes_cell},
    {"memory", "value", "Memory of the fullest device"},
    {"energy", "energy", "Energy", joules_cell},
    {"step_cost", "cost", "Cost", dollars_cell},
}};

// One row of a sheet.
struct Figure {
  std::string text;
  std::optional<double> number;
};
using Figures = std::vector<std::pair<std::string, Figure>>;

std::size_t column_of(const Sheet& sheet, std::string_view name) {
  const auto found =
      std::find_if(sheet.columns.begin(), sheet.columns.end(),
                   [name](const SheetColumn& column) { return column.name == name; });
  return static_cast<std::size_t>(found - sheet.columns.begin());
}

// "layer forward: mlp up": with the group or block that a row stands in.
std::string key_of(const Sheet& sheet, const std::vector<Cell>& row) {
  std::string key;
  for (std::size_t c = 0; c < row.size(); ++c) {
    const std::string& name = sheet.columns[c].name;
    if (name == "group" || name == "block") {
      key = row[c].text + ": ";
    } else if (name == "name") {
      return key + row[c].text;
    }
  }
  return key;
}

// "485.4 GB" of "485.4 GB of 101.1 GB usable": what is said besides stands in the explanation.
std::string short_text(const Cell& cell) {
  std::size_t end = cell.text.size();
  for (const std::string_view words : {" of ", " per ", ", ", "; ", " beyond ", " from "}) {
    end = std::min(end, cell.text.find(words));
  }
  return cell.value.number() ? cell.text.substr(0, end) : cell.text;
}

// Rows of one name are one figure.
void add_figure(Figures& figures, const std::string& key, const Cell& cell, const Compared& which) {
  const auto same = std::find_if(figures.begin(), figures.end(),
                                 [&](const auto& each) { return each.first == key; });
  const std::optional<double> number = cell.value.number();
  if (same == figures.end()) {
    figures.push_back({key, {short_text(cell), number}});
  } else if (which.unit != nullptr && number && same->second.number) {
    *same->second.number += *number;
    same->second.text = which.unit(*same->second.number).text;
  }
}

Figures figures_of(const std::vector<Sheet>& sheets, const Compared& which) {
  Figures figures;
  for (const Sheet& sheet : sheets) {
    const std::size_t column = column_of(sheet, which.column);
    if (sheet.name != which.sheet || column == sheet.columns.size()) {
      continue;
    }
    for (const std::vector<Cell>& row : sheet.rows) {
      add_figure(figures, key_of(sheet, row), row[column], which);
    }
  }
  return figures;
}

struct Difference {
  std::string name;
  std::optional<Figure> one;
  std::optional<Figure> other;

  // What one has more than the other; a row that one lacks is 0 there.
  std::optional<double> more() const {
    const bool numbers = (!one || one->number) && (!other || other->number);
    if (!numbers) {
      return std::nullopt;
    }
    return (one ? *one->number : 0.0) - (other ? *other->number : 0.0);
  }
  std::optional<double> relative() const {
    const bool known = more() && other && *other->number != 0.0;
    return known ? std::optional(*more() / std::abs(*other->number)) : std::nullopt;
  }
  bool differs() const {
    if (const auto difference = more()) {
      const double size =
          std::max(one ? std::abs(*one->number) : 0.0, other ? std::abs(*other->number) : 0.0);
      return std::abs(*difference) > alike * size;
    }
    return !one || !other || one->text != other->text;
  }
};

std::vector<Difference> differences_of(const Figures& one, const Figures& other) {
  std::vector<Difference> differences;
  for (const auto& [name, figure] : one) {
    differences.push_back({name, figure, std::nullopt});
  }
  for (const auto& [name, figure] : other) {
    const auto same = std::find_if(differences.begin(), differences.end(),
                                   [&](const Difference& each) { return each.name == name; });
    if (same == differences.end()) {
      differences.push_back({name, std::nullopt, figure});
    } else {
      same->other = figure;
    }
  }
  return differences;
}

// By seconds, bytes, joules or dollars where all rows have one unit; else by the share, what is no
// number first.
double weight(const Difference& difference, const Compared& which) {
  constexpr double most = std::numeric_limits<double>::infinity();
  if (!difference.differs()) {
    return 0.0;
  }
  const auto size = which.unit != nullptr ? difference.more() : difference.relative();
  return size ? std::abs(*size) : most;
}

Cell percent_cell(std::optional<double> share) {
  return share ? Cell{fmt::format("{:+.1f} %", 100.0 * *share), *share} : Cell{"", nullptr};
}

Cell figure_cell(const std::optional<Figure>& figure) {
  if (!figure) {
    return {"-", nullptr};
  }
  return figure->number ? Cell{figure->text, *figure->number} : Cell{figure->text};
}

Cell more_cell(const Difference& difference, const Compared& which) {
  const auto more = difference.more();
  if (!more) {
    return {"", nullptr};
  }
  const std::string text =
      which.unit == nullptr ? "" : (*more > 0.0 ? "+" : "") + which.unit(*more).text;
  return {text, *more};
}

std::vector<SheetColumn> comparison_columns(const ComparedPoint& one, const ComparedPoint& other) {
  return {{"name", "", Align::left},
          {"one", one.name, Align::right},
          {"other", other.name, Align::right},
          {"difference", "difference", Align::right},
          {"relative", "", Align::right}};
}

// Everything that two explanations have in common, part by part.
struct Part {
  const Compared* which;
  std::vector<Difference> differences;  // largest first
};

std::vector<Part> parts_of(const std::vector<Sheet>& one, const std::vector<Sheet>& other) {
  std::vector<Part> parts;
  for (const Compared& which : compared) {
    Part part{&which, differences_of(figures_of(one, which), figures_of(other, which))};
    std::stable_sort(part.differences.begin(), part.differences.end(),
                     [&](const Difference& a, const Difference& b) {
                       return weight(a, which) > weight(b, which);
                     });
    if (!part.differences.empty()) {
      parts.push_back(std::move(part));
    }
  }
  return parts;
}

std::vector<Cell> row_of(const Difference& difference, const Compared& which) {
  return {difference.name, figure_cell(difference.one), figure_cell(difference.other),
          more_cell(difference, which), percent_cell(difference.relative())};
}

// People are shown what differs.
Sheet part_sheet(const Part& part, const ComparedPoint& one, const ComparedPoint& other,
                 Format format) {
  const Compared& which = *part.which;
  const std::string name = which.sheet == "memory" && which.unit != nullptr
                               ? fmt::format("memory_{}", which.column)
                               : std::string(which.sheet);
  Sheet sheet{name, std::string(which.title), comparison_columns(one, other), {}, true};
  std::size_t same = 0;
  for (const Difference& difference : part.differences) {
    if (format == Format::text && !difference.differs()) {
      ++same;
      continue;
    }
    sheet.rows.push_back(row_of(difference, which));
  }
  if (same > 0) {
    sheet.title += fmt::format("; {} not shown {} alike", same, same == 1 ? "is" : "are");
  }
  return sheet;
}

// Axes and fields of the strategy whose values differ, by name.
struct Choice {
  std::string name;
  std::string one;
  std::string other;
};

std::vector<Choice> choices_of(const ComparedPoint& one, const ComparedPoint& other) {
  std::vector<Choice> choices;
  for (const study::CoordinateText& text : study::coordinates(one.study, one.point)) {
    choices.push_back({text.name, text.label, "-"});
  }
  for (const study::CoordinateText& text : study::coordinates(other.study, other.point)) {
    const auto same = std::find_if(choices.begin(), choices.end(),
                                   [&](const Choice& choice) { return choice.name == text.name; });
    if (same == choices.end()) {
      choices.push_back({text.name, "-", text.label});
    } else {
      same->other = text.label;
    }
  }
  std::erase_if(choices, [](const Choice& choice) { return choice.one == choice.other; });
  return choices;
}

std::string choice_text(const Choice& choice) {
  return fmt::format("{} {} against {}", choice.name, choice.one, choice.other);
}

// Which choices move a phase most, in this order.
struct Causes {
  std::string_view phase;
  std::array<std::string_view, 8> choices;
};
constexpr std::array<Causes, 10> causes = {{
    {"tensor_communication", {"tensor_parallel", "sequence_parallel", "scale_up_domain", "device"}},
    {"context_communication", {"context_parallel", "context_exchange", "device"}},
    {"expert_communication", {"expert_parallel", "experts_over_tensor", "scale_out", "device"}},
    {"pipeline_communication", {"pipeline_parallel", "chunks", "micro_batch", "scale_out"}},
    {"data_communication", {"data_parallel", "zero", "shard_group", "scale_out"}},
    {"bubble", {"pipeline_parallel", "micro_batches", "chunks", "schedule"}},
    {"recompute", {"recompute", "recompute_every"}},
    {"optimizer", {"zero", "offload_optimizer", "tensor_parallel", "pipeline_parallel"}},
    {"offload", {"offload_activations", "offload_optimizer"}},
    {"",  // others
     {"device", "logic", "memory", "precision", "tensor_parallel", "micro_batch",
      "decode_context_parallel", "expert_devices"}},
}};

std::string because_of(std::string_view phase, const std::vector<Choice>& choices) {
  constexpr std::size_t most = 2;
  const auto* row = std::find_if(causes.begin(), causes.end(), [&](const Causes& each) {
    return each.phase == phase || each.phase.empty();
  });
  std::vector<std::string> texts;
  for (const std::string_view name : row->choices) {
    const auto found = std::find_if(choices.begin(), choices.end(),
                                    [&](const Choice& choice) { return choice.name == name; });
    if (!name.empty() && found != choices.end() && texts.size() < most) {
      texts.push_back(choice_text(*found));
    }
  }
  return join(texts, " and ");
}

// Of a training step, whether its tensor-parallel groups reach beyond one domain.
std::optional<bool> leaves_domain(const ComparedPoint& side) {
  if (&side.study.kind() != &study::training_kind() || !side.point.system.system) {
    return std::nullopt;
  }
  const estimator::Setting setting = {study::work_of<estimator::TrainingJob>(side.point.job),
                                      *side.point.system.system, side.point.strategy};
  return setting.group(parallel::Dimension::tensor).outer() > 1;
}

// ", since its tensor-parallel groups stay in the domain" and the choices behind it.
std::string reason_of(std::string_view phase, const ComparedPoint& one, const ComparedPoint& other,
                      const std::vector<Choice>& choices) {
  std::string reason;
  if (phase == "tensor_communication") {
    const auto leaves = leaves_domain(one);
    const auto other_leaves = leaves_domain(other);
    if (leaves && other_leaves && *leaves != *other_leaves) {
      reason = fmt::format(", since tensor-parallel groups of {} reach beyond the scale-up domain",
                           *leaves ? one.name : other.name);
    }
  }
  const std::string because = because_of(phase, choices);
  return because.empty() ? reason : fmt::format("{} ({})", reason, because);
}

std::string words_of(std::string phase) {
  std::replace(phase.begin(), phase.end(), '_', ' ');
  return phase;
}

// "1.2 s less tensor communication (...), 0.3 s more bubble": the largest, no more than three.
std::string phases_sentence(const Part& phases, const ComparedPoint& one,
                            const ComparedPoint& other, const std::vector<Choice>& choices) {
  constexpr std::size_t most = 3;
  constexpr double least = 0.05;  // of the largest
  std::vector<std::string> texts;
  for (const Difference& difference : phases.differences) {
    const double more_s = difference.more().value_or(0.0);
    const double largest_s = std::abs(phases.differences.front().more().value_or(0.0));
    if (texts.size() == most || !difference.differs() || std::abs(more_s) < least * largest_s) {
      break;
    }
    texts.push_back(fmt::format("{} {} {}{}", with_si_prefix(std::abs(more_s), "s"),
                                more_s < 0.0 ? "less" : "more", words_of(difference.name),
                                reason_of(difference.name, one, other, choices)));
  }
  return texts.empty() ? "" : fmt::format("{} has {}.", one.name, join(texts, "; "));
}

std::string value_text(double value, const std::string& units) {
  return units == "s" ? with_si_prefix(value, "s") : fmt::format("{:.4g} {}", value, units);
}

// "12 is 18.2 % faster than 40: ..."
std::string verdict_sentence(const ComparedPoint& one, const ComparedPoint& other) {
  const std::string& column = one.study.spec().objectives.front().column;
  const std::string units = one.study.objective_units();
  const auto value = study::computed_value(one.study, one.point.id, column);
  const auto reference = study::computed_value(other.study, other.point.id, column);
  if (!value || !reference || *value <= 0.0 || *reference <= 0.0) {
    return fmt::format("{} of {} {}.", column, !value ? one.name : other.name,
                       "is not known: its status says why");
  }
  const bool less = *value < *reference;
  const double factor = less ? *reference / *value : *value / *reference;
  const std::string values = fmt::format("{} {} against {}", column, value_text(*value, units),
                                         value_text(*reference, units));
  if (factor - 1.0 <= alike) {
    return fmt::format("{} and {} are alike: {}.", one.name, other.name, values);
  }
  if (units == "s") {
    return fmt::format("{} is {:.3g} % {} than {}: {}.", one.name, 100.0 * (factor - 1.0),
                       less ? "faster" : "slower", other.name, values);
  }
  return fmt::format("{} has {:.3g} % {} {} than {}: {}.", one.name,
                     100.0 * std::abs(*value / *reference - 1.0), less ? "less" : "more",
                     words_of(column), other.name, values);
}

// Where one of both is no answer: "Status: 12 does_not_fit, 40 ok."
std::string status_sentence(const std::vector<Part>& parts, const ComparedPoint& one,
                            const ComparedPoint& other) {
  for (const Difference& difference :
       parts.empty() ? std::vector<Difference>{} : parts.front().differences) {
    if (difference.name != "status" || !difference.one || !difference.other) {
      continue;
    }
    const std::string& first = difference.one->text;
    const std::string& second = difference.other->text;
    const bool fine = first == second && (first == "ok" || first == "meets_limits");
    return fine ? "" : fmt::format("Status: {} {}, {} {}.", one.name, first, other.name, second);
  }
  return "";
}

std::string choices_sentence(const std::vector<Choice>& choices) {
  constexpr std::size_t most = 5;
  if (choices.empty()) {
    return "Both are the same point.";
  }
  std::vector<std::string> texts;
  for (const Choice& choice : choices) {
    texts.push_back(choice_text(choice));
  }
  return fmt::format("They differ in {}.", join_first(most, texts));
}

Sheet why_sheet(const std::vector<std::string>& sentences, const ComparedPoint& one,
                const ComparedPoint& other, Format format) {
  Sheet sheet{"why",
              fmt::format("{} against {}", one.name, other.name),
              {{"sentence", "", Align::left}},
              {},
              false};
  for (const std::string& sentence : sentences) {
    if (sentence.empty()) {
      continue;
    }
    const std::string text = format == Format::text ? wrapped(sentence, page_width) : sentence;
    for (const std::string& line : split(text, '\n')) {
      sheet.rows.push_back({line});
    }
  }
  return sheet;
}

Sheet choices_sheet(const std::vector<Choice>& choices, const ComparedPoint& one,
                    const ComparedPoint& other) {
  Sheet sheet{"choices",
              "Axes and strategy",
              {{"name", "", Align::left},
               {"one", one.name, Align::left},
               {"other", other.name, Align::left}},
              {},
              true};
  for (const Choice& choice : choices) {
    sheet.rows.push_back({choice.name, choice.one, choice.other});
  }
  return sheet;
}

Sheet table_sheet(const std::vector<Part>& parts, const ComparedPoint& one,
                  const ComparedPoint& other) {
  Sheet sheet{"comparison", "", comparison_columns(one, other), {}, true};
  sheet.columns.insert(sheet.columns.begin(), {"part", "part", Align::left});
  for (const Part& part : parts) {
    for (const Difference& difference : part.differences) {
      std::vector<Cell> row = row_of(difference, *part.which);
      row.insert(row.begin(), std::string(part.which->sheet));
      sheet.rows.push_back(std::move(row));
    }
  }
  return sheet;
}

}  // namespace

std::vector<Sheet> comparison_sheets(const ComparedPoint& one, const ComparedPoint& other,
                                     Format format) {
  if (&one.study.kind() != &other.study.kind()) {
    throw Failure(ExitCode::usage,
                  fmt::format("--against: {} is a point of kind = \"{}\" and {} one of kind = "
                              "\"{}\"; only points of one kind of workload are compared",
                              one.name, one.study.kind().form.name, other.name,
                              other.study.kind().form.name));
  }
  const std::vector<Part> parts = parts_of(explain_sheets(one.study, one.point, Format::json),
                                           explain_sheets(other.study, other.point, Format::json));
  if (format == Format::csv) {
    return {table_sheet(parts, one, other)};
  }
  const std::vector<Choice> choices = choices_of(one, other);
  const auto phases = std::find_if(parts.begin(), parts.end(),
                                   [](const Part& part) { return part.which->sheet == "phases"; });
  std::vector<Sheet> sheets = {
      why_sheet({verdict_sentence(one, other), status_sentence(parts, one, other),
                 choices_sentence(choices),
                 phases == parts.end() ? "" : phases_sentence(*phases, one, other, choices)},
                one, other, format),
      choices_sheet(choices, one, other)};
  for (const Part& part : parts) {
    sheets.push_back(part_sheet(part, one, other, format));
  }
  return sheets;
}

}  // namespace scalesweep::cli
