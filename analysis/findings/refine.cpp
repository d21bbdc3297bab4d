#include "analysis/findings/refine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/words/value_text.hpp"
#include "core/failure.hpp"
#include "space/read/spec.hpp"

namespace scalesweep::analysis {
namespace {

constexpr int values_between = 3;

[[noreturn]] void cannot_refine(const std::string& why) {
  refuse("cannot refine: " + why);
}

// Axes that say more about a technology of a name.
std::string way_out_of(const std::string& axis) {
  if (axis == "memory") {
    return "; a spec can vary 'pin_rate' in device instead, for one memory";
  }
  if (axis == "logic") {
    return "; a spec can vary 'power' or 'die_area' in device instead, at one node";
  }
  return "; read the study along an axis of quantities (--along)";
}

const space::Axis& refinable_axis(const space::Spec& spec, const AnalysisResult& result) {
  if (result.along_axes.size() > 1) {
    cannot_refine("several axes advance together; choose one of them with --along");
  }
  const auto index = space::find_axis(spec.axes, result.along);
  if (!index) {
    cannot_refine(fmt::format("the spec in the file has no axis '{}'", result.along));
  }
  const space::Axis& axis = spec.axes[*index];
  if (axis.kind == space::AxisKind::name) {
    cannot_refine(
        fmt::format("the values of '{}' are names, and there is nothing between two of them{}",
                    axis.name, way_out_of(axis.name)));
  }
  return axis;
}

// A multiple of what divides both integers, for batches and devices are split into equal parts: of
// halves of that where they are less than four of it apart.
double whole_between(double low, double high, double between) {
  const auto from = static_cast<std::int64_t>(low);
  const auto to = static_cast<std::int64_t>(high);
  std::int64_t step = std::gcd(from, to);
  while (step > 1 && std::abs(to - from) < (values_between + 1) * step) {
    step = step % 2 == 0 ? step / 2 : 1;
  }
  return std::round(between / static_cast<double>(step)) * static_cast<double>(step);
}

// A value between two neighbours as the spec would have it; empty where it is one of them.
std::string value_between(const space::Axis& axis, std::size_t from, std::size_t to, double place) {
  const std::string& first = axis.labels[from];
  const std::string& second = axis.labels[to];
  const bool is_quantity = axis.kind == space::AxisKind::quantity;
  // Quantities are told in the unit of the first value.
  const double low = is_quantity ? parts_of_label(first).number : axis.values[from];
  const double high = is_quantity ? low * axis.values[to] / axis.values[from] : axis.values[to];
  if (!(low > 0.0) || !std::isfinite(high) || !(high > 0.0)) {
    return "";  // "none", or from zero: no ratios
  }
  double between = low * std::pow(high / low, place);
  if (axis.kind == space::AxisKind::integer) {
    between = whole_between(low, high, between);
  }
  std::string text = axis.kind == space::AxisKind::integer ? fmt::format("{:.0f}", between)
                                                           : fmt::format("{:.4g}", between);
  if (axis.kind == space::AxisKind::number && text.find_first_of(".e") == std::string::npos) {
    text += ".0";
  }
  if (is_quantity) {
    text = "\"" + text + parts_of_label(first).unit + "\"";
  }
  const bool known = text == first || text == second || text == "\"" + first + "\"" ||
                     text == "\"" + second + "\"";
  return known ? "" : text;
}

// Where to insert in a text: the byte of a place, counted in lines and columns from 1.
std::size_t byte_of(const std::string& text, const SourcePosition& position) {
  std::size_t byte = 0;
  for (int line = 1; line < position.line && byte != std::string::npos; ++line) {
    byte = text.find('\n', byte);
    byte = byte == std::string::npos ? byte : byte + 1;
  }
  return byte == std::string::npos ? byte : byte + static_cast<std::size_t>(position.column) - 1;
}

// Neighbouring values between which the dominant group changes, as indices of the axis.
std::set<std::pair<std::size_t, std::size_t>> changes_of(const AnalysisResult& result) {
  const ResultTable& t = result[tables::transitions];
  std::set<std::pair<std::size_t, std::size_t>> changes;
  for (std::size_t row = 0; row < t.table.rows(); ++row) {
    if (t.table.number(column_of(t, "level"), row) == 0.0) {
      changes.insert(
          {static_cast<std::size_t>(t.table.number(column_of(t, "from_" + result.along), row)),
           static_cast<std::size_t>(t.table.number(column_of(t, "to_" + result.along), row))});
    }
  }
  return changes;
}

struct Insertion {
  std::size_t byte = 0;
  std::string text;
};

space::Spec parsed(const std::string& text, const std::string& when) {
  Diagnostics diagnostics;
  const auto spec = space::read_spec("the spec", text, diagnostics);
  if (!spec) {
    cannot_refine(fmt::format("{} cannot be read", when));
  }
  return *spec;
}

}  // namespace

RefinedSpec refine_spec(const store::StudyReader& reader, const AnalysisResult& result) {
  const auto found = reader.provenance().find("spec");
  if (found == reader.provenance().end()) {
    cannot_refine("the file does not hold the spec of the study");
  }
  RefinedSpec refined{found->second, {}};
  const space::Spec spec = parsed(refined.text, "the spec in the file");
  const space::Axis& axis = refinable_axis(spec, result);
  std::vector<Insertion> insertions;
  for (const auto& [from, to] : changes_of(result)) {
    std::string text;
    for (int i = 1; i <= values_between; ++i) {
      const double place = static_cast<double>(i) / (values_between + 1);
      const std::string value = value_between(axis, from, to, place);
      const bool is_new =
          std::find(refined.added.begin(), refined.added.end(), value) == refined.added.end();
      if (!value.empty() && is_new) {
        refined.added.push_back(value);
        text += value + ", ";
      }
    }
    insertions.push_back({byte_of(refined.text, axis.positions[to]), text});
  }
  if (refined.added.empty()) {
    cannot_refine(insertions.empty()
                      ? fmt::format("the bottleneck does not move along '{}'", axis.name)
                      : fmt::format("there is no value of '{}' between those at which the "
                                    "bottleneck moves",
                                    axis.name));
  }
  std::sort(insertions.begin(), insertions.end(),
            [](const Insertion& a, const Insertion& b) { return a.byte > b.byte; });
  for (const Insertion& insertion : insertions) {
    if (insertion.byte > refined.text.size()) {
      cannot_refine("the values of the axis are not where the spec has them");
    }
    refined.text.insert(insertion.byte, insertion.text);
  }
  const space::Spec again = parsed(refined.text, "the spec with the new values");
  if (again.axes[*space::find_axis(again.axes, axis.name)].size() !=
      axis.size() + refined.added.size()) {
    cannot_refine("the list of the axis cannot be extended as text");
  }
  return refined;
}

}  // namespace scalesweep::analysis
