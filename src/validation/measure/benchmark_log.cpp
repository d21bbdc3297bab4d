// nvbench: states of benchmarks, whose axes have to be named as columns of case files.
#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <nlohmann/json.hpp>
#include <set>

#include "core/documents/csv_table.hpp"
#include "core/documents/foreign.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "validation/measure/log_words.hpp"
#include "validation/measure/logs.hpp"

namespace scalesweep::validation {
namespace {

using nlohmann::json;

constexpr std::string_view time_tag = "nv/cold/time/gpu/mean";
constexpr std::array<std::string_view, 25> axis_columns = {
    "m",       "k",        "n",          "batch",     "seq",
    "heads",   "kv_heads", "head_dim",   "causal",    "bytes",
    "tokens",  "hidden",   "expert_ffn", "experts",   "ep",
    "tp",      "part",     "gated_ffn",  "cached",    "experts_per_token",
    "kv_rank", "rope_dim", "nope_dim",   "value_dim", "query_rank"};

// Which kernel a benchmark times, by what it is called.
std::string operator_of(std::string_view benchmark) {
  const std::string name = lower_case(benchmark);
  const auto has = [&name](std::string_view word) { return name.find(word) != name.npos; };
  if (has("mla") || has("latent")) {
    return has("decode") || has("generation") ? "latent_decode" : "latent_prefill";
  }
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"moe", "experts"},
      {"experts", "experts"},
      {"gemm", "matmul"},
      {"matmul", "matmul"},
      {"decode", "attention_decode"},
      {"prefill", "attention_prefill"},
      {"attention", "attention_prefill"},
      {"copy", "pointwise"},
      {"stream", "pointwise"},
      {"pointwise", "pointwise"},
      {"elementwise", "pointwise"}};
  for (const auto& [part, op] : words) {
    if (name.find(part) != std::string::npos) {
      return std::string(op);
    }
  }
  return collective_word(name);
}

bool is_axis(std::string_view column) {
  return std::find(axis_columns.begin(), axis_columns.end(), column) != axis_columns.end();
}

// States of one log: cells by their axes, and what was not understood.
class States {
 public:
  explicit States(const Log& log) : log_(log) {}

  void add(const std::string& benchmark,
           const std::vector<std::pair<std::string, std::string>>& axes, double seconds) {
    CaseCells row = {{"op", operator_of(benchmark)}, {"gpus", "1"}};
    if (row["op"].empty()) {
      skip(benchmark, "its name tells no kernel of case files");
      return;
    }
    std::string name = fmt::format("{}-{}", benchmark, log_.device);
    for (const auto& [axis, value] : axes) {
      std::string column = lower_case(axis);
      if (column == "t" || column == "dtype" || column == "type" || column == "precision") {
        row["precision"] = precision_word(value);
      } else if (is_axis(column)) {
        row[column] = value;
      } else {
        other_.insert(axis);
      }
      name += fmt::format("-{}{}", axis, value);
    }
    row["case"] = name;
    row["time_s"] = seconds_cell(seconds);
    untyped_ += row["precision"].empty() ? 1 : 0;
    rows_.rows.push_back(std::move(row));
  }

  void skip(const std::string& benchmark, const std::string& why) {
    if (skipped_.insert(benchmark + why).second) {
      rows_.notes.push_back(fmt::format("benchmark {}: {}", benchmark, why));
    }
  }

  LogRows rows() {
    if (!other_.empty()) {
      rows_.notes.push_back(
          fmt::format("axes that no column of case files is named as stand in the case alone: {}",
                      fmt::join(other_, ", ")));
    }
    if (untyped_ > 0) {
      rows_.notes.push_back(fmt::format(
          "{} rows do not tell the precision (no axis T, dtype or precision): bf16 is read",
          untyped_));
    }
    return std::move(rows_);
  }

 private:
  const Log& log_;
  LogRows rows_;
  std::set<std::string> other_, skipped_;
  std::size_t untyped_ = 0;
};

// The mean GPU time of a state; nothing where it was skipped.
std::optional<double> seconds_of(const json& state) {
  for (const json& summary : state.value("summaries", json::array())) {
    if (summary.value("tag", "") != time_tag) {
      continue;
    }
    for (const json& datum : summary.value("data", json::array())) {
      if (datum.value("name", "") == "value" && datum.contains("value")) {
        const json& value = datum["value"];
        return value.is_string() ? number_of(value.get<std::string>()) : value.get<double>();
      }
    }
  }
  return std::nullopt;
}

}  // namespace

LogRows read_nvbench(const Log& log) {
  States states(log);
  try {
    const json root = parsed_json(log.text);
    for (const json& benchmark : root.at("benchmarks")) {
      const std::string name = benchmark.at("name").get<std::string>();
      for (const json& state : benchmark.at("states")) {
        const auto seconds = seconds_of(state);
        if (!seconds) {
          states.skip(name, fmt::format("states without {}", time_tag));
          continue;
        }
        std::vector<std::pair<std::string, std::string>> axes;
        for (const json& axis : state.value("axis_values", json::array())) {
          const json& value = axis.at("value");
          axes.emplace_back(axis.at("name").get<std::string>(),
                            value.is_string() ? value.get<std::string>() : value.dump());
        }
        states.add(name, axes, *seconds);
      }
    }
  } catch (const std::exception& problem) {
    refuse(fmt::format("{}: not as nvbench writes JSON: {}", log.file, problem.what()));
  }
  return states.rows();
}

LogRows read_nvbench_csv(const Log& log) {
  Diagnostics diagnostics;
  const auto table = CsvTable::parse(log.file, log.text, diagnostics);
  constexpr std::string_view time_column = "GPU Time (sec)";
  if (!table || diagnostics.has_errors() || !table->has(time_column)) {
    refuse(
        fmt::format("{}: not as nvbench writes CSV: {}", log.file,
                    diagnostics.has_errors() ? diagnostics.text() : "no column 'GPU Time (sec)'"));
  }
  States states(log);
  for (std::size_t i = 0; i < table->rows(); ++i) {
    const std::string& name = table->cell(i, "Benchmark");
    const auto seconds = number_of(table->cell(i, time_column));
    if (!seconds) {
      states.skip(name, "states without a GPU time");
      continue;
    }
    std::vector<std::pair<std::string, std::string>> axes;
    for (const std::string& column : table->columns()) {
      if (column == "Skipped") {
        break;  // axes stand before it, measurements behind
      }
      if (column != "Benchmark" && column != "Device" && column != "Device Name") {
        axes.emplace_back(column, table->cell(i, column));
      }
    }
    states.add(name, axes, *seconds);
  }
  return states.rows();
}

namespace {

constexpr std::string_view events_word = "\"traceEvents\"";

bool begins_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && (text[first] == '{' || text[first] == '[');
}

}  // namespace

bool is_trace(std::istream& text) {
  constexpr std::size_t piece = 1 << 20;
  std::string read;  // the last piece, behind the end of the one before
  for (bool is_first = true; text; is_first = false) {
    read = read.substr(read.size() - std::min(read.size(), events_word.size()));
    const std::size_t before = read.size();
    read.resize(before + piece);
    text.read(read.data() + before, piece);
    read.resize(before + static_cast<std::size_t>(text.gcount()));
    if (is_first && !begins_json(read)) {
      return false;
    }
    if (read.find(events_word) != std::string::npos) {
      return true;
    }
  }
  return false;
}

std::optional<LogKind> kind_of_log(const std::string& text) {
  const bool is_json = begins_json(text);
  const auto holds = [&text](std::string_view word) { return text.find(word) != text.npos; };
  if (is_json && holds(events_word)) {
    return LogKind::trace;
  }
  if (is_json && holds("\"benchmarks\"")) {
    return LogKind::nvbench;
  }
  if (text.starts_with("Benchmark,")) {
    return LogKind::nvbench_csv;
  }
  if (holds("elapsed time per iteration (ms)")) {
    return LogKind::training;
  }
  return holds("busbw") ? std::optional(LogKind::collectives) : std::nullopt;
}

}  // namespace scalesweep::validation
