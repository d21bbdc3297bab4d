#include "space/requests/trace_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/documents/csv_table.hpp"
#include "core/documents/foreign.hpp"
#include "core/text.hpp"

namespace scalesweep::space {
namespace {

constexpr int most_mistakes = 20;  // that are named one by one
constexpr const char* prefix_column = "prefix";
constexpr const char* prefix_tokens_column = "prefix_tokens";
constexpr const char* session_column = "session";
constexpr double block_tokens = 512.0;  // of an id in hash_ids

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

// The parts that a prompt begins with, as far as they are right; `path` becomes that of the last.
std::vector<SharedPart> read_prefix(const CsvTable& table, std::size_t row, double prompt,
                                    PrefixIds& ids, std::string& path, Mistakes& mistakes) {
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

// What conversations have said so far.
class Conversations {
 public:
  // The last part of a prompt that goes on with its session: up to what was said before, and at its
  // first turn nothing of it yet.
  void add(const std::string& session, const TracedRequest& request, const std::string& path,
           PrefixIds& ids, std::vector<SharedPart>& parts) {
    if (session.empty()) {
      return;
    }
    const double begin = parts.empty() ? 0.0 : parts.back().end_tokens;
    const auto [said, is_first] = said_.try_emplace(session, 0.0);
    const double end = std::clamp(said->second, begin, std::max(begin, request.prompt));
    // No name of a prefix has a line break.
    parts.push_back({ids.try_emplace(path + "\n" + session, ids.size()).first->second, end});
    said->second = request.prompt + request.output;
  }

 private:
  std::map<std::string, double> said_;
};

// Of the rows that were read as `requests`.
std::vector<std::vector<SharedPart>> read_parts(const CsvTable& table,
                                                const std::vector<TracedRequest>& requests,
                                                Mistakes& mistakes) {
  if (!table.has(prefix_column) && !table.has(session_column)) {
    return {};
  }
  PrefixIds ids;
  Conversations conversations;
  std::vector<std::vector<SharedPart>> parts;
  parts.reserve(requests.size());
  for (std::size_t row = 0; row < requests.size(); ++row) {
    std::string path;
    parts.push_back(read_prefix(table, row, requests[row].prompt, ids, path, mistakes));
    conversations.add(table.cell(row, session_column), requests[row], path, ids, parts.back());
  }
  return parts;
}

std::optional<TraceRows> read_csv(const std::string& path, const std::string& text,
                                  Diagnostics& diagnostics) {
  const int errors_before = diagnostics.error_count();
  const std::optional<CsvTable> table = CsvTable::parse(path, text, diagnostics);
  if (!table || !has_columns(*table, diagnostics)) {
    return std::nullopt;
  }
  Mistakes mistakes(diagnostics);
  TraceRows rows;
  rows.requests = read_requests(*table, mistakes);
  if (rows.requests.size() == table->rows()) {  // else there are mistakes already
    rows.parts = read_parts(*table, rows.requests, mistakes);
  }
  return mistakes.report_rest() && diagnostics.error_count() == errors_before
             ? std::optional(std::move(rows))
             : std::nullopt;
}

// A line of a trace in JSON.
class TraceLine {
 public:
  TraceLine(const nlohmann::json& document, SourcePosition position, Mistakes& mistakes)
      : document_(document), position_(std::move(position)), mistakes_(mistakes) {}

  double number(const char* key, double least) const {
    if (!document_.contains(key)) {
      error(
          fmt::format("there is no '{}'; a line of a trace has timestamp (in milliseconds), "
                      "input_length and output_length (in tokens)",
                      key));
      return least;
    }
    const nlohmann::json& value = document_.at(key);
    if (!value.is_number()) {
      error(fmt::format("'{}' is no number", key));
      return least;
    }
    const auto number = value.get<double>();
    if (number < least) {
      error(fmt::format("'{}' is {}, below {}", key, number, least));
    }
    return number;
  }

  std::vector<SharedPart> blocks(double prompt) const {
    std::vector<SharedPart> parts;
    if (!document_.contains("hash_ids")) {
      return parts;
    }
    const nlohmann::json& ids = document_.at("hash_ids");
    const auto is_id = [](const nlohmann::json& id) { return id.is_number_unsigned(); };
    if (!ids.is_array() || !std::all_of(ids.begin(), ids.end(), is_id)) {
      error("'hash_ids' is no list of whole numbers from 0 on");
      return parts;
    }
    if (static_cast<double>(ids.size()) > std::ceil(prompt / block_tokens)) {
      error(fmt::format("{} hash_ids are more than the blocks of {} tokens of a prompt of {}",
                        ids.size(), block_tokens, prompt));
      return parts;
    }
    for (const nlohmann::json& id : ids) {
      const double end = block_tokens * (static_cast<double>(parts.size()) + 1.0);
      parts.push_back({id.get<std::size_t>(), std::min(prompt, end)});
    }
    return parts;
  }

  void error(const std::string& message) const { mistakes_.add(position_, message); }

 private:
  const nlohmann::json& document_;
  SourcePosition position_;
  Mistakes& mistakes_;
};

void read_line(const nlohmann::json& document, const SourcePosition& position, TraceRows& rows,
               Mistakes& mistakes) {
  const TraceLine line(document, position, mistakes);
  if (!document.is_object()) {
    line.error("this is no object, as a line of a trace is");
    return;
  }
  if (document.contains("session_id")) {
    line.error(
        "turns of a 'session_id' say what they add, and not when those before them were answered; "
        "write a CSV file with the columns arrival, prompt, output and session, or the law of its "
        "sessions, for example turns = 8");
    return;
  }
  constexpr double ms = 1e-3;
  const TracedRequest request = {ms * line.number("timestamp", -1e300),
                                 line.number("input_length", 1.0),
                                 line.number("output_length", 1.0)};
  if (!rows.requests.empty() && request.arrival_s < rows.requests.back().arrival_s) {
    line.error("its timestamp is before that of the line above; sort the lines by timestamp");
  }
  rows.requests.push_back(request);
  rows.parts.push_back(line.blocks(request.prompt));
}

std::optional<TraceRows> read_json_lines(const std::string& path, const std::string& text,
                                         Diagnostics& diagnostics) {
  Mistakes mistakes(diagnostics);
  TraceRows rows;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = trim(std::string_view(text).substr(begin, end - begin));
    const SourcePosition position = {path, ++number, 1};
    begin = end + 1;
    if (line.empty()) {
      continue;
    }
    try {
      read_line(parsed_json(line), position, rows, mistakes);
    } catch (const JsonError& error) {
      mistakes.add(position, fmt::format("no JSON: {}", error.what()));
    }
  }
  return mistakes.report_rest() ? std::optional(std::move(rows)) : std::nullopt;
}

}  // namespace

std::optional<TraceRows> read_trace_rows(const std::string& path, const std::string& text,
                                         Diagnostics& diagnostics) {
  return path.ends_with(".jsonl") ? read_json_lines(path, text, diagnostics)
                                  : read_csv(path, text, diagnostics);
}

}  // namespace scalesweep::space
