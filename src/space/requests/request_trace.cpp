#include "space/requests/request_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>

#include "core/documents/csv_table.hpp"
#include "core/hash.hpp"
#include "core/text.hpp"
#include "space/requests/prefix_reuse.hpp"

namespace scalesweep::space {
namespace {

constexpr int most_mistakes = 20;  // that are named one by one
constexpr double window_arrivals = 32.0;
constexpr double least_windows = 10.0;
constexpr double waves_ratio = 2.0;  // from where on counts vary more than the times between tell

struct TracedRequest {
  double arrival_s = 0.0;
  double prompt = 0.0;
  double output = 0.0;
};

constexpr const char* prefix_column = "prefix";
constexpr const char* prefix_tokens_column = "prefix_tokens";

// Mistakes of rows: the first are named, the others counted.
class Mistakes {
 public:
  explicit Mistakes(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  void add(const SourcePosition& position, const std::string& message) {
    last_ = position;
    if (++count_ <= most_mistakes) {
      diagnostics_.error(position, message);
    }
  }
  // True if there were none.
  bool report_rest() const {
    if (count_ > most_mistakes) {
      diagnostics_.error(
          last_, fmt::format("and {} more mistakes up to this line", count_ - most_mistakes));
    }
    return count_ == 0;
  }

 private:
  Diagnostics& diagnostics_;
  SourcePosition last_;
  int count_ = 0;
};

bool has_columns(const CsvTable& table, Diagnostics& diagnostics) {
  bool all = true;
  for (const char* column : {"arrival", "prompt", "output"}) {
    if (!table.has(column)) {
      diagnostics.error(
          table.header_position(),
          fmt::format("there is no column '{}'{}; a trace of requests has the columns arrival (in "
                      "seconds), prompt and output (in tokens)",
                      column, suggestion(column, table.columns())));
      all = false;
    }
  }
  const std::array prefixes = {prefix_column, prefix_tokens_column};
  for (std::size_t i = 0; i < prefixes.size(); ++i) {
    if (table.has(prefixes[i]) && !table.has(prefixes[1 - i])) {
      diagnostics.error(
          table.header_position(),
          fmt::format("there is a column '{}' and no column '{}'; a trace that says how prompts "
                      "begin has both: the name of the beginning and its tokens",
                      prefixes[i], prefixes[1 - i]));
      all = false;
    }
  }
  return all;
}

double number_of(const std::string& cell, const CsvTable& table, std::size_t row,
                 const char* column, double least, Mistakes& mistakes) {
  double number = 0.0;
  const auto [end, code] = std::from_chars(cell.data(), cell.data() + cell.size(), number);
  if (code != std::errc() || end != cell.data() + cell.size() || !std::isfinite(number)) {
    mistakes.add(table.position(row, column),
                 fmt::format("'{}' in column {} is no number", cell, column));
    return least;
  }
  if (number < least) {
    mistakes.add(table.position(row, column),
                 fmt::format("{} in column {} is below {}", cell, column, least));
  }
  return number;
}

double number_in(const CsvTable& table, std::size_t row, const char* column, double least,
                 Mistakes& mistakes) {
  return number_of(table.cell(row, column), table, row, column, least, mistakes);
}

// Between slashes; none of an empty text.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; !text.empty() && begin <= text.size();) {
    const std::size_t end = std::min(text.find('/', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

using PrefixIds = std::map<std::string, std::size_t>;

// The parts that a prompt begins with, as far as they are right.
std::vector<SharedPart> read_parts(const CsvTable& table, std::size_t row, double prompt,
                                   PrefixIds& ids, Mistakes& mistakes) {
  const std::string& prefix = table.cell(row, prefix_column);
  const std::vector<std::string> names = parts_of(prefix);
  const std::vector<std::string> ends = parts_of(table.cell(row, prefix_tokens_column));
  if (names.size() != ends.size()) {
    mistakes.add(table.position(row, prefix_tokens_column),
                 fmt::format("{} names in prefix and {} numbers in prefix_tokens; write a number "
                             "for each name, with / between them, each up to the end of its part",
                             names.size(), ends.size()));
    return {};
  }
  std::vector<SharedPart> parts;
  std::string path;
  double begin = 0.0;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const double end = number_of(ends[i], table, row, prefix_tokens_column, begin, mistakes);
    if (end > prompt) {
      mistakes.add(table.position(row, prefix_tokens_column),
                   fmt::format("{} tokens of prefix are more than the {} of the prompt; a prefix "
                               "is a part of its prompt",
                               end, prompt));
      return parts;
    }
    path += names[i] + "/";
    parts.push_back({ids.try_emplace(path, ids.size()).first->second, end});
    begin = end;
  }
  return parts;
}

// Of the rows that were read as `requests`.
std::vector<ReusePoint> read_reuse(const CsvTable& table,
                                   const std::vector<TracedRequest>& requests, Mistakes& mistakes) {
  if (!table.has(prefix_column)) {
    return {};
  }
  PrefixIds ids;
  std::vector<SharingRequest> sharing;
  sharing.reserve(requests.size());
  for (std::size_t row = 0; row < requests.size(); ++row) {
    const auto& [arrival_s, prompt, output] = requests[row];
    sharing.push_back({prompt, output, read_parts(table, row, prompt, ids, mistakes)});
  }
  return reuse_curve(sharing);
}

std::vector<TracedRequest> read_requests(const CsvTable& table, Mistakes& mistakes) {
  std::vector<TracedRequest> requests;
  requests.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!table.problem(row).empty()) {
      continue;  // reported when it was read
    }
    const TracedRequest one = {number_in(table, row, "arrival", -1e300, mistakes),
                               number_in(table, row, "prompt", 1.0, mistakes),
                               number_in(table, row, "output", 1.0, mistakes)};
    if (!requests.empty() && one.arrival_s < requests.back().arrival_s) {
      mistakes.add(table.position(row, "arrival"),
                   fmt::format("{} is before the arrival above, {}; sort the rows by arrival",
                               one.arrival_s, requests.back().arrival_s));
    }
    requests.push_back(one);
  }
  return requests;
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
  const int errors_before = diagnostics.error_count();
  const std::optional<CsvTable> table = CsvTable::parse(path, text, diagnostics);
  if (!table || !has_columns(*table, diagnostics)) {
    return std::nullopt;
  }
  Mistakes mistakes(diagnostics);
  const std::vector<TracedRequest> requests = read_requests(*table, mistakes);
  RequestTrace trace;
  if (requests.size() == table->rows()) {  // else there are mistakes already
    trace.reuse = read_reuse(*table, requests, mistakes);
  }
  if (!mistakes.report_rest() || diagnostics.error_count() > errors_before) {
    return std::nullopt;
  }
  if (requests.size() < 2) {
    diagnostics.error(
        table->header_position(),
        fmt::format("{} requests have no rate; a trace has at least two", requests.size()));
    return std::nullopt;
  }
  const double gaps = static_cast<double>(requests.size() - 1);
  const double mean_s = (requests.back().arrival_s - requests.front().arrival_s) / gaps;
  if (mean_s <= 0.0) {
    diagnostics.error(table->header_position(),
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
