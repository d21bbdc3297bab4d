#include "space/requests/load_curve.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

constexpr std::string_view of_trace = "trace";
constexpr std::string_view example = "for example load_curve = [0.3, 0.2, 0.6, 1.0]";

std::vector<double> counted(const ValueCursor& value, const std::optional<RequestTrace>& trace) {
  if (!trace) {
    value.error(
        fmt::format("load_curve = \"trace\" goes with requests = \"trace.csv\"; or write "
                    "how many arrive in equal parts of the day, {}",
                    example));
    return {};
  }
  if (trace->hours.empty()) {
    value.error(
        fmt::format("the requests of '{}' are less than a day; take a longer trace, or write how "
                    "many arrive in equal parts of the day, {}",
                    trace->file, example));
  }
  return trace->hours;
}

std::vector<double> written(const ValueCursor& value) {
  const std::vector<ValueCursor> parts = value.list_or_single();
  if (parts.empty()) {
    value.error(
        fmt::format("'load_curve' is an empty list; write how many requests arrive in "
                    "equal parts of the day, relative to each other, {}",
                    example));
    return {};
  }
  std::vector<double> curve;
  bool good = true;
  for (const ValueCursor& part : parts) {
    const std::optional<double> number = part.number();
    if (number && !spec_key("workload.load_curve").range.holds(*number)) {
      part.error(fmt::format("a part of load_curve must be at least 0, not {}", *number));
    }
    good = good && number && *number >= 0.0;
    curve.push_back(number.value_or(0.0));
  }
  const double most = *std::max_element(curve.begin(), curve.end());
  if (good && most <= 0.0) {
    value.error("no requests arrive all day; at least one part of load_curve is above 0");
  }
  if (!good || most <= 0.0) {
    return {};
  }
  for (double& part : curve) {
    part /= most;
  }
  return curve;
}

}  // namespace

std::vector<double> read_load_curve(const TableCursor& workload, const WorkloadForm& form,
                                    const std::optional<RequestTrace>& trace) {
  const auto value = workload.value("load_curve");
  if (!value || !form.has("load_curve")) {
    return {};
  }
  if (value->form() == ValueCursor::Form::string) {
    const auto word = value->string();
    if (word != of_trace) {
      value->error(fmt::format("load_curve is \"trace\" or a list of numbers, {}, not \"{}\"",
                               example, word.value_or("")));
      return {};
    }
    return counted(*value, trace);
  }
  if (trace && !workload.has("arrival_rate")) {
    value->error(
        "arrivals of a trace are a mean over its time, and those of a load curve its peak; write "
        "arrival_rate of the peak, \"none\" for the highest within the limits, or load_curve = "
        "\"trace\"");
  }
  return written(*value);
}

}  // namespace scalesweep::space
