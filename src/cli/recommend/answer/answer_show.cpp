#include "cli/recommend/answer/answer_show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/show/verdict_text.hpp"
#include "analysis/verdict/why/obstacle.hpp"
#include "analysis/words/text_table.hpp"
#include "analysis/words/words.hpp"
#include "cli/recommend/answer/figure_text.hpp"
#include "cli/recommend/answer/whole_run.hpp"
#include "cli/recommend/measure_next/measure_next_show.hpp"
#include "core/text.hpp"
#include "reduce/choice.hpp"

namespace scalesweep::cli {
namespace {

using analysis::FigureKind;

bool is_serving(const Answers& answers) {
  return std::any_of(answers.answers.begin(), answers.answers.end(), [](const Answer& answer) {
    return !answer.layouts.empty() && !std::isnan(answer.layouts.front().first_token_s);
  });
}

using Table = analysis::TextTable;

void add_columns(Table& table, const Answers& answers, bool serves, bool runs) {
  for (const std::string& name : answers.verdicts.chosen) {
    table.add_column(analysis::words(name), Table::Align::left, Table::Role::key);
  }
  if (serves) {
    table.add_column("tokens/s", Table::Align::right);
    table.add_column("time per token", Table::Align::right);
    table.add_column("first token", Table::Align::right);
  } else {
    table.add_column("step", Table::Align::right);
    if (runs) {
      table.add_column("run", Table::Align::right);
    }
    table.add_column("tokens/s per device", Table::Align::right);
    table.add_column("MFU", Table::Align::right);
  }
  table.add_column("memory", Table::Align::right);
  table.add_column("+-", Table::Align::right);
  table.add_column("layout", Table::Align::left);
}

// One line for each layout, the proposed one first.
std::string table_text(const Preface& preface, const Answers& answers, const Answer& answer,
                       std::size_t width) {
  const bool serves = is_serving(answers);
  Table table;
  add_columns(table, answers, serves, preface.run_tokens.has_value());
  for (const Layout& layout : answer.layouts) {
    std::vector<std::string> cells = layout.choice;
    if (serves) {
      cells.push_back(rate_text(figure(layout, FigureKind::throughput)));
      cells.push_back(time_text(figure(layout, FigureKind::time)));
      cells.push_back(time_text(layout.first_token_s));
    } else {
      cells.push_back(time_text(figure(layout, FigureKind::time)));
      if (preface.run_tokens) {
        cells.push_back(run_time_text(whole_run(layout)));
      }
      cells.push_back(rate_text(figure(layout, FigureKind::device_throughput)));
      cells.push_back(percent_text(figure(layout, FigureKind::utilization)));
    }
    cells.push_back(or_dash(
        layout.memory_bytes,
        fmt::format("{:.0f}/{:.0f} GB", 1e-9 * layout.memory_bytes, 1e-9 * layout.capacity_bytes)));
    cells.push_back(percent_text(layout.uncertainty));
    cells.push_back(layout.words);
    table.add_row(std::move(cells));
  }
  const std::size_t count = answer.layouts.size();
  const std::string question =
      answer.verdict.question.empty() ? "" : " for " + answer.verdict.question;
  return analysis::paragraph(
             count == 1
                 ? fmt::format("The proposed layout{}", question)
                 : fmt::format("The best {} layouts{}, the proposed one first", count, question),
             width)
             .substr(2) +
         table.text(width) + "\n";
}

// How many layouts the error bars leave open.
std::string alike_text(const analysis::Verdict& verdict, std::size_t width) {
  if (verdict.alike < 2) {
    return "";
  }
  const std::string text = fmt::format(
      "{} feasible layouts cannot be told apart from the proposed one: they are within "
      "the error bars, of which {:.0f} % is taken as common to all",
      with_thousands(verdict.alike - 1), 100.0 * reduce::shared_share);
  return analysis::paragraph(text, width).substr(2) + "\n";
}

// Of several frameworks, none of which is the question's own, the names: their scripts are long.
std::string launch_text(const Answer& answer, std::size_t width) {
  if (answer.launch.size() == 1) {
    const auto& [framework, command] = *answer.launch.begin();
    return fmt::format("To run it with {}\n{}\n", framework, command);
  }
  std::vector<std::string> frameworks;
  for (const auto& [framework, command] : answer.launch) {
    frameworks.push_back(framework);
  }
  return frameworks.empty()
             ? ""
             : analysis::paragraph(
                   fmt::format("run: {} can run it; --framework NAME or --format json tells how",
                               join(frameworks, ", ")),
                   width)
                       .substr(2) +
                   "\n";
}

Json layout_json(const Preface& preface, const Layout& layout) {
  Json::Members members = {{"point_id", layout.id}};
  members.insert(members.end(), layout.fields.begin(), layout.fields.end());
  const auto add = [&](const char* name, double value) {
    if (std::isfinite(value)) {
      members.emplace_back(name, value);
    }
  };
  const bool serves = !std::isnan(layout.first_token_s);
  add(serves ? "time_per_output_token_s" : "step_time_s", figure(layout, FigureKind::time));
  if (serves) {
    add("time_to_first_token_s", layout.first_token_s);
  }
  add("tokens_per_second", figure(layout, FigureKind::throughput));
  add("tokens_per_second_per_device", figure(layout, FigureKind::device_throughput));
  add("mfu", figure(layout, FigureKind::utilization));
  add("usd_per_million_tokens", figure(layout, FigureKind::cost));
  if (preface.run_tokens) {
    const WholeRun run = whole_run(layout);
    add("days", run.days());
    add("days_as_reached", run.reached_s / 86400.0);
    add("days_as_reached_low", run.reached_low_s / 86400.0);
    add("days_as_reached_high", run.reached_high_s / 86400.0);
    add("reported_losses", run.reported);
    add("goodput", run.goodput);
    add("device_hours", run.device_hours);
    add("run_cost_usd", run.usd);
    add("run_energy_kwh", run.energy_kwh());
  }
  add("memory_bytes", layout.memory_bytes);
  add("memory_capacity_bytes", layout.capacity_bytes);
  add("relative_uncertainty", layout.uncertainty);
  return Json::object(std::move(members));
}

// What is the best if it is as good as estimated; its choice as in "next".
Json best_by_estimate_json(const analysis::Verdicts& verdicts, const analysis::Verdict& verdict) {
  Json::Members members;
  for (std::size_t i = 0; i < verdicts.chosen.size(); ++i) {
    members.emplace_back(verdicts.chosen[i], verdict.best.labels[i]);
  }
  members.emplace_back("point_id", verdict.best.id);
  members.emplace_back("layout", verdict.best.layout);
  members.emplace_back("value", verdict.best.value);
  members.emplace_back("relative_uncertainty", verdict.best.error_bar);
  return Json::object(std::move(members));
}

// Of each resource, what 10 % more and no limit of it save; null for the latter where it was not
// computed, and the former is of first order.
Json savings_json(const analysis::Verdict& verdict) {
  Json::Members savings;
  for (const analysis::Limit& limit : verdict.limits) {
    savings.emplace_back(limit.resource, Json::object({{"ten_percent", limit.gain_10},
                                                       {"without_limit", limit.without_limit}}));
  }
  return Json::object(std::move(savings));
}

Json verdict_json(const analysis::Verdicts& verdicts, const analysis::Verdict& verdict) {
  Json::Members members = {{"question", verdict.question},
                           {"aim", analysis::verdict_aim(verdicts)},
                           {"answered", verdict.is_answered()}};
  if (!verdict.is_answered()) {
    members.emplace_back("why", analysis::obstacle_words(verdict.obstacle));
    return Json::object(std::move(members));
  }
  members.emplace_back("objective", verdicts.objective.column);
  members.emplace_back("value", verdict.taken.value);
  members.emplace_back("units", verdicts.objective_units);
  members.emplace_back("relative_uncertainty", verdict.taken.error_bar);
  members.emplace_back("point_id", verdict.taken.id);
  members.emplace_back("layout", verdict.taken.layout);
  members.emplace_back("layouts_within_1_percent", verdict.layouts);
  if (verdict.alike > 0) {
    members.emplace_back("layouts_not_told_apart", verdict.alike - 1);
  }
  if (verdict.better_known) {
    members.emplace_back("best_by_estimate", best_by_estimate_json(verdicts, verdict));
  }
  members.emplace_back("limit", verdict.group);
  members.emplace_back("limit_share", verdict.group_share);
  Json::Members shares;
  for (const analysis::Limit& limit : verdict.limits) {
    shares.emplace_back(limit.resource, limit.share);
  }
  members.emplace_back("shares", Json::object(std::move(shares)));
  members.emplace_back("savings", savings_json(verdict));
  std::vector<Json> others;
  for (const analysis::RunnerUp& other : verdict.others) {
    Json::Members one;
    for (std::size_t i = 0; i < verdicts.chosen.size(); ++i) {
      one.emplace_back(verdicts.chosen[i], other.point.labels[i]);
    }
    one.emplace_back("gap", other.gap);
    one.emplace_back("standing",
                     analysis::standing_names[static_cast<std::size_t>(other.standing)]);
    others.push_back(Json::object(std::move(one)));
  }
  members.emplace_back("next", others);
  members.emplace_back("but", verdict.cautions);
  return Json::object(std::move(members));
}

Json::Members answer_members(const Preface& preface, const Answers& answers, const Answer& answer) {
  std::vector<Json> layouts;
  for (const Layout& layout : answer.layouts) {
    layouts.push_back(layout_json(preface, layout));
  }
  Json::Members members = {{"verdict", verdict_json(answers.verdicts, answer.verdict)},
                           {"layouts", layouts}};
  if (answer.measure_next) {
    members.emplace_back("measure_next", measure_next_json(*answer.measure_next));
  }
  if (!answer.launch.empty()) {
    Json::Members launch;
    for (const auto& [framework, command] : answer.launch) {
      launch.emplace_back(framework, command);
    }
    members.emplace_back("launch", Json::object(std::move(launch)));
  }
  return members;
}

}  // namespace

std::string preface_text(const Preface& preface, std::size_t width) {
  const auto flush = [&](const std::string& text) {
    return analysis::paragraph(text, width).substr(2);
  };
  std::string text = flush(preface.title);
  if (!preface.assumed.empty()) {
    text += flush("assumed: " + join(preface.assumed, "; "));
  }
  text += flush(fmt::format("tried: {} {}, {} of them feasible, in {}",
                            with_thousands(preface.points), preface.tried,
                            with_thousands(preface.feasible), duration_text(preface.seconds)));
  for (const std::string& note : preface.notes) {
    text += flush("note: " + note);
  }
  return text + "\n";
}

std::string answers_text(const Preface& preface, const Answers& answers, std::size_t width) {
  const auto flush = [&](const std::string& text) {
    return analysis::paragraph(text, width).substr(2);
  };
  std::string text = preface_text(preface, width);
  text += analysis::verdict_text(answers.verdicts, width);
  for (const Answer& answer : answers.answers) {
    if (!answer.layouts.empty()) {
      text += table_text(preface, answers, answer, width);
      text += alike_text(answer.verdict, width);
      text += answer.measure_next ? measure_next_text(*answer.measure_next, width) : "";
      if (preface.run_tokens) {
        text += flush("whole run: " + run_text(answer.layouts.front(), *preface.run_tokens)) + "\n";
      }
      text += launch_text(answer, width);
    }
  }
  if (!answers.shortage.empty()) {
    text += flush("short: " + answers.shortage);
  }
  while (text.ends_with("\n\n")) {
    text.pop_back();
  }
  return text;
}

Json::Members preface_members(const Preface& preface) {
  return {{"title", preface.title},
          {"assumed", preface.assumed},
          {"notes", preface.notes},
          {"tried", preface.points},
          {"feasible", preface.feasible}};
}

Json answers_json(const Preface& preface, const Answers& answers) {
  Json::Members members = preface_members(preface);
  if (preface.run_tokens) {
    members.emplace_back("run_tokens", *preface.run_tokens);
  }
  if (!answers.shortage.empty()) {
    members.emplace_back("short", answers.shortage);
  }
  if (answers.answers.size() == 1) {
    for (auto& member : answer_members(preface, answers, answers.answers.front())) {
      members.push_back(std::move(member));
    }
  } else {
    std::vector<Json> list;
    for (const Answer& answer : answers.answers) {
      list.push_back(Json::object(answer_members(preface, answers, answer)));
    }
    members.emplace_back("answers", list);
  }
  return Json::object(std::move(members));
}

}  // namespace scalesweep::cli
