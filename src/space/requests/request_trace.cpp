#include "space/requests/request_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "core/hash.hpp"
#include "space/requests/prefix_reuse.hpp"
#include "space/requests/trace_rows.hpp"

namespace scalesweep::space {
namespace {

constexpr double window_arrivals = 32.0;
constexpr double least_windows = 10.0;
constexpr double waves_ratio = 2.0;  // from where on counts vary more than the times between tell

std::vector<ReusePoint> reuse_of(const TraceRows& rows) {
  if (rows.parts.empty()) {
    return {};
  }
  std::vector<SharingRequest> sharing;
  sharing.reserve(rows.requests.size());
  for (std::size_t row = 0; row < rows.requests.size(); ++row) {
    sharing.push_back({rows.requests[row].prompt, rows.requests[row].output, rows.parts[row]});
  }
  return reuse_curve(sharing);
}

// Equal ratios between the smallest and the largest of a length.
class Parts {
 public:
  Parts(const std::vector<TracedRequest>& requests, double TracedRequest::*length)
      : length_(length) {
    const auto [least, most] = std::minmax_element(
        requests.begin(), requests.end(),
        [length](const auto& a, const auto& b) { return a.*length < b.*length; });
    least_ = (*least).*length;
    ratio_ = std::log((*most).*length / least_);
  }
  int of(const TracedRequest& one) const {
    if (ratio_ <= 0.0) {
      return 0;
    }
    const double share = std::log(one.*length_ / least_) / ratio_;
    return std::clamp(static_cast<int>(share * trace_parts), 0, trace_parts - 1);
  }

 private:
  double TracedRequest::*length_;
  double least_ = 1.0;
  double ratio_ = 0.0;
};

std::vector<RequestClass> classes_of(const std::vector<TracedRequest>& requests,
                                     const SourcePosition& asked) {
  const Parts prompts(requests, &TracedRequest::prompt);
  const Parts outputs(requests, &TracedRequest::output);
  std::map<std::pair<int, int>, RequestClass> cells;
  for (const TracedRequest& one : requests) {
    RequestClass& cell =
        cells.try_emplace({prompts.of(one), outputs.of(one)}, RequestClass{0.0, 0.0, 0.0, asked})
            .first->second;
    cell.prompt += one.prompt;
    cell.output += one.output;
    cell.share += 1.0;
  }
  std::vector<RequestClass> classes;
  for (auto& [parts, cell] : cells) {
    cell.prompt /= cell.share;
    cell.output /= cell.share;
    cell.share /= static_cast<double>(requests.size());
    classes.push_back(cell);
  }
  return classes;
}

// Squared coefficient of variation of the times between arrivals.
double scv_of_gaps(const std::vector<TracedRequest>& requests, double mean_s) {
  double squares = 0.0;
  for (std::size_t i = 1; i < requests.size(); ++i) {
    const double off = requests[i].arrival_s - requests[i - 1].arrival_s - mean_s;
    squares += off * off;
  }
  return squares / static_cast<double>(requests.size() - 1) / (mean_s * mean_s);
}

// Variance over mean of the arrivals in windows of a mean 32; 0 with fewer than ten windows.
double dispersion_of_counts(const std::vector<TracedRequest>& requests, double mean_s) {
  const double window_s = window_arrivals * mean_s;
  const double begin_s = requests.front().arrival_s;
  const double windows = std::floor((requests.back().arrival_s - begin_s) / window_s);
  if (windows < least_windows) {
    return 0.0;
  }
  std::vector<double> counts(static_cast<std::size_t>(windows), 0.0);
  for (const TracedRequest& one : requests) {
    const double window = std::floor((one.arrival_s - begin_s) / window_s);
    if (window < windows) {
      counts[static_cast<std::size_t>(window)] += 1.0;
    }
  }
  double sum = 0.0;
  double squares = 0.0;
  for (const double count : counts) {
    sum += count;
    squares += count * count;
  }
  const double mean = sum / windows;
  return (squares / windows - mean * mean) / mean;
}

// Counts whole days, one over the other: what comes after the last of them is no part of it.
void count_hours(const std::vector<TracedRequest>& requests, RequestTrace& trace) {
  constexpr std::size_t hours = 24;
  constexpr double hour_s = whole_day_s / hours;
  const double begin_s = requests.front().arrival_s;
  const double days =
      std::floor((requests.back().arrival_s - begin_s) / whole_day_s + missing_of_day);
  if (days < 1.0) {
    return;
  }
  trace.hours.assign(hours, 0.0);
  for (const TracedRequest& one : requests) {
    const double hour = std::floor((one.arrival_s - begin_s) / hour_s);
    if (hour < days * hours) {
      trace.hours[static_cast<std::size_t>(hour) % hours] += 1.0;
    }
  }
  const double most = *std::max_element(trace.hours.begin(), trace.hours.end());
  for (double& count : trace.hours) {
    count /= most;
  }
  trace.busiest_rate = most / (days * hour_s);
}

}  // namespace

std::optional<ReducedTrace> reduce_trace(const std::string& path, const std::string& text,
                                         const SourcePosition& asked, Diagnostics& diagnostics) {
  const std::optional<TraceRows> rows = read_trace_rows(path, text, diagnostics);
  if (!rows) {
    return std::nullopt;
  }
  const std::vector<TracedRequest>& requests = rows->requests;
  const SourcePosition first_line = {path, 1, 1};
  RequestTrace trace;
  trace.reuse = reuse_of(*rows);
  if (requests.size() < 2) {
    diagnostics.error(first_line, fmt::format("{} requests have no rate; a trace has at least two",
                                              requests.size()));
    return std::nullopt;
  }
  const double gaps = static_cast<double>(requests.size() - 1);
  const double mean_s = (requests.back().arrival_s - requests.front().arrival_s) / gaps;
  if (mean_s <= 0.0) {
    diagnostics.error(first_line,
                      "all requests arrive at once, which is no rate; write kind = \"inference\" "
                      "for a batch that starts together");
    return std::nullopt;
  }
  trace.file = path;
  trace.sha256 = sha256(text);
  trace.requests = static_cast<std::int64_t>(requests.size());
  trace.arrival_rate = 1.0 / mean_s;
  trace.burstiness = scv_of_gaps(requests, mean_s);
  trace.dispersion = dispersion_of_counts(requests, mean_s);
  count_hours(requests, trace);
  if (trace.dispersion > waves_ratio * std::max(1.0, trace.burstiness)) {
    diagnostics.warning(
        asked,
        fmt::format("requests of '{}' come in waves: the times between them have the burstiness "
                    "{:.3g} and their numbers, {:.0f} in the mean, {:.3g}; percentiles are too "
                    "short for it, write burstiness = {:.3g} for requests that stay as long",
                    path, trace.burstiness, window_arrivals, trace.dispersion, trace.dispersion));
  }
  return ReducedTrace{classes_of(requests, asked), std::move(trace)};
}

}  // namespace scalesweep::space
