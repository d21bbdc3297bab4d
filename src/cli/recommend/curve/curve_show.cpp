#include "cli/recommend/curve/curve_show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analysis/words/text_table.hpp"
#include "analysis/words/words.hpp"
#include "cli/recommend/answer/figure_text.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

using Table = analysis::TextTable;

// Tokens per second that people ask a service for.
constexpr std::array<double, 3> asked_rates = {20.0, 50.0, 100.0};

constexpr const char* chunk_axis = "prefill_chunk";

// Of columns that have no room.
constexpr const char* way_out = "--format json has all";

std::string limit_text(const Layout& layout) {
  return layout.limit + " " + percent_text(layout.limit_share);
}

std::string header_of(const std::string& axis) {
  return axis == chunk_axis ? "chunk" : axis == "accelerators" ? "devices" : analysis::words(axis);
}

// Columns of a point: what it is, then each axis that is chosen beside the load.
void add_columns(Table& table, const Curves& curves) {
  table.add_column("tokens/s a user", Table::Align::right);
  table.add_column("tokens/s a device", Table::Align::right);
  table.add_column("open", Table::Align::right);
  table.add_column("first token", Table::Align::right);
  table.add_column("limited by", Table::Align::left, Table::Role::detail);
  for (const std::string& axis : curves.chosen) {
    if (axis != load_axis) {
      table.add_column(header_of(axis), Table::Align::left,
                       axis == chunk_axis ? Table::Role::detail : Table::Role::fact);
    }
  }
  table.add_column("layout", Table::Align::left);
}

std::vector<std::string> cells_of(const Curves& curves, const CurvePoint& point) {
  std::vector<std::string> cells = {
      rate_text(point.user_per_s), rate_text(point.device_per_s), std::to_string(point.open),
      time_text(point.layout.first_token_s), limit_text(point.layout)};
  for (std::size_t i = 0; i < curves.chosen.size(); ++i) {
    if (curves.chosen[i] != load_axis) {
      cells.push_back(point.layout.choice[i]);
    }
  }
  cells.push_back(point.layout.words);
  return cells;
}

std::string head(const std::string& text, std::size_t width) {
  return analysis::paragraph(text, width).substr(2);
}

std::string curve_text(const Curves& curves, const Curve& curve, std::size_t most,
                       std::size_t width) {
  Table table;
  add_columns(table, curves);
  const std::vector<std::size_t> shown = shown_points(curve, most);
  for (const std::size_t place : shown) {
    table.add_row(cells_of(curves, curve.points[place]));
  }
  const std::string whose = curves.curves.size() > 1 ? fmt::format(" of {}", curve.name()) : "";
  std::string text = head(fmt::format("The curve{}: the best layout at each rate", whose), width) +
                     table.text(width, way_out);
  if (const std::size_t left_out = curve.points.size() - shown.size(); left_out > 0) {
    text += head(fmt::format("{} more points lie between these; --top {} shows all", left_out,
                             curve.points.size()),
                 width);
  }
  return text + "\n";
}

// Where users are given so many tokens per second at least, the best of each curve.
std::string asked_text(const Curves& curves, std::size_t width) {
  Table table;
  table.add_column("at least", Table::Align::right, Table::Role::key);
  if (curves.curves.size() > 1) {
    table.add_column("device", Table::Align::left, Table::Role::key);
  }
  add_columns(table, curves);
  for (const double rate : asked_rates) {
    for (const Curve& curve : curves.curves) {
      if (const CurvePoint* const point = point_at_least(curve, rate)) {
        std::vector<std::string> cells = {rate_text(rate)};
        if (curves.curves.size() > 1) {
          cells.push_back(curve.name());
        }
        const std::vector<std::string> more = cells_of(curves, *point);
        cells.insert(cells.end(), more.begin(), more.end());
        table.add_row(std::move(cells));
      }
    }
  }
  return table.empty()
             ? ""
             : head("The most for a device where a user gets at least so many tokens/s", width) +
                   table.text(width, way_out) + "\n";
}

Json point_json(const CurvePoint& point) {
  Json::Members members = {{"point_id", point.layout.id},
                           {"tokens_per_second_per_user", point.user_per_s},
                           {"tokens_per_second_per_device", point.device_per_s},
                           {"concurrency", point.open},
                           {"time_per_output_token_s", 1.0 / point.user_per_s},
                           {"time_to_first_token_s", point.layout.first_token_s},
                           {"limit", point.layout.limit},
                           {"limit_share", point.layout.limit_share},
                           {"relative_uncertainty", point.layout.uncertainty},
                           {"memory_bytes", point.layout.memory_bytes},
                           {"layout", point.layout.words}};
  for (const auto& field : point.layout.fields) {
    if (field.first != load_axis) {
      members.push_back(field);
    }
  }
  return Json::object(std::move(members));
}

Json curve_json(const Curve& curve) {
  std::vector<Json> points;
  for (const CurvePoint& point : curve.points) {
    points.push_back(point_json(point));
  }
  std::vector<Json> asked;
  for (const double rate : asked_rates) {
    if (const CurvePoint* const point = point_at_least(curve, rate)) {
      asked.push_back(
          Json::object({{"tokens_per_second_per_user", rate}, {"point_id", point->layout.id}}));
    }
  }
  Json::Members members = {{"device", curve.device}};
  if (!curve.framework.empty()) {
    members.emplace_back("framework", curve.framework);
  }
  members.emplace_back("points", points);
  members.emplace_back("at_least", asked);
  return Json::object(std::move(members));
}

}  // namespace

std::string curves_text(const Preface& preface, const CurveAnswer& answer, std::size_t most,
                        std::size_t width) {
  std::string text = preface_text(preface, width);
  for (const Curve& curve : answer.curves.curves) {
    text += curve_text(answer.curves, curve, most, width);
  }
  text += asked_text(answer.curves, width);
  if (answer.curves.curves.empty()) {
    text += head("The curve has no point: " + answer.why, width);
  }
  if (!answer.shortage.empty()) {
    text += head("short: " + answer.shortage, width);
  }
  while (text.ends_with("\n\n")) {
    text.pop_back();
  }
  return text;
}

Json curves_json(const Preface& preface, const CurveAnswer& answer) {
  Json::Members members = preface_members(preface);
  std::vector<Json> curves;
  for (const Curve& curve : answer.curves.curves) {
    curves.push_back(curve_json(curve));
  }
  members.emplace_back("curves", curves);
  if (curves.empty()) {
    members.emplace_back("why", answer.why);
  }
  if (!answer.shortage.empty()) {
    members.emplace_back("short", answer.shortage);
  }
  return Json::object(std::move(members));
}

}  // namespace scalesweep::cli
