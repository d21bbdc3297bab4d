#include "cli/recommend/measure_next/measure_next_show.hpp"

#include <fmt/format.h>

#include <array>

#include "analysis/show/verdict_text.hpp"
#include "analysis/words/text_table.hpp"

namespace scalesweep::cli {
namespace {

constexpr std::array<const char*, 3> names = {"step", "kernels", "collectives"};

std::string loss_text(double loss) {
  return fmt::format("{:.1f} %", 100.0 * loss);
}

std::string how(const Measurement& one) {
  return one.what == Measured::collectives ? one.words + ", then " + one.command
         : one.command.empty()             ? one.words
                                           : one.command;
}

}  // namespace

std::string measure_next_text(const MeasureNext& next, std::size_t width) {
  const auto flush = [&](const std::string& text) {
    return analysis::paragraph(text, width).substr(2) + "\n";
  };
  if (next.contenders == 0) {
    return flush(
        "measure next: nothing; by the error bars the proposed layout is apart from all "
        "others");
  }
  const std::string about = fmt::format(
      "measure next: with errors drawn from the bars, the best of the proposed layout and {} that "
      "cannot be told apart from it, which nobody knows, is {} better on average",
      next.contenders, loss_text(next.loss));
  if (next.list.empty()) {
    return flush(about + "; no single measurement makes that much less");
  }
  using Table = analysis::TextTable;
  Table table;
  table.add_column("expected loss", Table::Align::left);
  table.add_column("once it is measured", Table::Align::left);
  for (const Measurement& one : next.list) {
    table.add_row({loss_text(next.loss) + " -> " + loss_text(one.loss_after), how(one)});
  }
  return analysis::paragraph(about, width).substr(2) + table.text(width) +
         flush("rows of a case file for steps: --format json has them");
}

Json measure_next_json(const MeasureNext& next) {
  Json::Members members = {{"contenders", static_cast<std::int64_t>(next.contenders)}};
  if (next.contenders > 0) {
    members.emplace_back("expected_loss", next.loss);
  }
  std::vector<Json> list;
  for (const Measurement& one : next.list) {
    Json::Members measured = {{"what", names[static_cast<std::size_t>(one.what)]},
                              {"words", one.words},
                              {"expected_loss", one.loss_after}};
    if (!one.command.empty()) {
      measured.emplace_back("command", one.command);
    }
    if (one.what == Measured::step) {
      measured.emplace_back("point_id", one.id);
      Json::Members row;
      for (const auto& [column, cell] : one.row) {
        row.emplace_back(column, cell);
      }
      measured.emplace_back("case", Json::object(std::move(row)));
    }
    list.push_back(Json::object(std::move(measured)));
  }
  members.emplace_back("measurements", list);
  return Json::object(std::move(members));
}

}  // namespace scalesweep::cli
