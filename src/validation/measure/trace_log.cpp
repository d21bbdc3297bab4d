// Traces of PyTorch (Kineto): kernels with their durations, joined to the operators that launched
// them, whose shapes are there where the profiler recorded them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "core/documents/foreign.hpp"
#include "core/failure.hpp"
#include "validation/measure/log_words.hpp"
#include "validation/measure/logs.hpp"

namespace scalesweep::validation {
namespace {

using nlohmann::json;
using Dims = std::vector<std::vector<double>>;

constexpr std::size_t most_named = 5;

// An operator of PyTorch: its name, sizes and formats of what it got, and what it took.
struct Launched {
  std::string name;
  Dims dims;
  std::string precision;
  std::string causal;  // "true", "false"; "" where it is not recorded
  double seconds = 0.0;
};

Dims dims_of(const json& args) {
  Dims dims;
  for (const json& one : args.value("Input Dims", json::array())) {
    std::vector<double> sizes;
    for (const json& size : one.is_array() ? one : json::array()) {
      sizes.push_back(size.is_number() ? size.get<double>() : 0.0);
    }
    dims.push_back(std::move(sizes));
  }
  return dims;
}

std::string precision_of(const json& args) {
  for (const json& type : args.value("Input type", json::array())) {
    const std::string word = type.is_string() ? precision_word(type.get<std::string>()) : "";
    if (!word.empty()) {
      return word;
    }
  }
  return "";
}

// scaled_dot_product_attention(query, key, value, dropout, is_causal, ...)
std::string causal_of(const json& args) {
  for (const json& input : args.value("Concrete Inputs", json::array())) {
    const std::string word = input.is_string() ? lower_case(input.get<std::string>()) : "";
    if (word == "true" || word == "false") {
      return word;
    }
  }
  return "";
}

bool has_shape(const Dims& dims, std::size_t at, std::size_t rank) {
  return dims.size() > at && dims[at].size() == rank;
}

CaseCells product(double m, double k, double n) {
  return {{"op", "matmul"}, {"m", number_cell(m)}, {"k", number_cell(k)}, {"n", number_cell(n)}};
}

// The cells of the operator; empty where case files have no such kernel.
CaseCells matmul_cells(const Launched& op) {
  if (op.name == "aten::addmm" && has_shape(op.dims, 1, 2) && has_shape(op.dims, 2, 2)) {
    return product(op.dims[1][0], op.dims[1][1], op.dims[2][1]);
  }
  const bool plain = op.name == "aten::mm" || op.name == "aten::_scaled_mm";
  if (plain && has_shape(op.dims, 0, 2) && has_shape(op.dims, 1, 2)) {
    return product(op.dims[0][0], op.dims[0][1], op.dims[1][1]);
  }
  return {};
}

// Kernels belong to the innermost operator: that of the backend.
CaseCells attention_cells(const Launched& op) {
  const bool tokens_first = op.name == "aten::_flash_attention_forward";
  const bool known = tokens_first || op.name == "aten::_cudnn_attention_forward" ||
                     op.name.find("aten::_scaled_dot_product_") == 0;
  if (!known || op.name.ends_with("backward") || !has_shape(op.dims, 0, 4) ||
      !has_shape(op.dims, 1, 4)) {
    return {};
  }
  std::vector<double> query = op.dims[0];  // batch, heads, tokens, width
  std::vector<double> key = op.dims[1];
  if (tokens_first) {
    std::swap(query[1], query[2]);
    std::swap(key[1], key[2]);
  }
  const bool is_decode = query[2] == 1.0;
  if (!is_decode && query[2] != key[2]) {
    return {};
  }
  CaseCells cells = {{"op", is_decode ? "attention_decode" : "attention_prefill"},
                     {"batch", number_cell(query[0])},
                     {"seq", number_cell(key[2])},
                     {"heads", number_cell(query[1])},
                     {"kv_heads", number_cell(key[1])},
                     {"head_dim", number_cell(query[3])}};
  if (!is_decode) {
    cells["causal"] = op.causal.empty() ? "true" : op.causal;
  }
  return cells;
}

CaseCells cells_of(const Launched& op) {
  CaseCells cells = matmul_cells(op);
  return cells.empty() ? attention_cells(op) : cells;
}

// A kernel of NCCL says itself what it does, where PyTorch is recent enough.
CaseCells collective_cells(const json& args) {
  const std::string op = collective_word(args.value("Collective name", ""));
  const double elements =
      std::max(args.value("In msg nelems", 0.0), args.value("Out msg nelems", 0.0));
  const std::string precision = precision_word(args.value("dtype", ""));
  const double width = precision == "fp32"                         ? 4.0
                       : precision == "fp8" || precision == "int8" ? 1.0
                                                                   : 2.0;
  const int ranks = args.value("Group size", 0);
  if (op.empty() || elements <= 0.0 || ranks < 2) {
    return {};
  }
  return {{"op", op},
          {"gpus", std::to_string(ranks)},
          {"bytes", number_cell(elements * width)},
          {"precision", precision}};
}

class Reader {
 public:
  explicit Reader(const Log& log) : log_(log) {}

  LogRows read(const json& root) {
    const json& events = root.is_array() ? root : root.at("traceEvents");
    for (const json& event : events) {
      if (event.is_object() && event.value("ph", "") == "X") {
        operator_of(event);
      }
    }
    for (const json& event : events) {
      if (event.is_object() && event.value("ph", "") == "X" &&
          lower_case(event.value("cat", "")) == "kernel") {
        kernel(event);
      }
    }
    for (const auto& [id, launched] : operators_) {
      if (launched.seconds > 0.0) {
        keep(cells_of(launched), launched.precision, launched.seconds, launched.name);
      }
    }
    return rows();
  }

 private:
  void operator_of(const json& event) {
    const json args = event.value("args", json::object());
    if (event.value("cat", "") != "cpu_op" || !args.contains("External id")) {
      return;
    }
    operators_[args["External id"].dump()] = {event.value("name", ""), dims_of(args),
                                              precision_of(args), causal_of(args), 0.0};
  }

  void kernel(const json& event) {
    const json args = event.value("args", json::object());
    const double seconds = event.value("dur", 0.0) * 1e-6;
    ++kernels_;
    if (args.contains("Collective name")) {
      const CaseCells cells = collective_cells(args);
      keep(cells, cells.empty() ? "" : cells.at("precision"), seconds, event.value("name", ""));
      return;
    }
    const auto found = args.contains("External id") ? operators_.find(args["External id"].dump())
                                                    : operators_.end();
    if (found == operators_.end()) {
      other_[event.value("name", "")] += seconds;
    } else {
      found->second.seconds += seconds;  // of all kernels that it launched
    }
  }

  void keep(CaseCells cells, const std::string& precision, double seconds,
            const std::string& name) {
    if (cells.empty()) {
      other_[name] += seconds;
      return;
    }
    cells["precision"] = precision.empty() ? "bf16" : precision;
    cells.try_emplace("gpus", "1");
    std::string key;
    for (const auto& [column, cell] : cells) {
      key += fmt::format("{}{}-", column == "op" || column == "precision" ? "" : column, cell);
    }
    times_[fmt::format("{}{}", key, log_.device)].second.push_back(seconds);
    times_[fmt::format("{}{}", key, log_.device)].first = std::move(cells);
  }

  LogRows rows() {
    LogRows found;
    for (auto& [name, row] : times_) {
      auto& [cells, times] = row;
      std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2),
                       times.end());
      cells["case"] = name;
      cells["time_s"] = seconds_cell(times[times.size() / 2]);
      found.rows.push_back(std::move(cells));
    }
    if (kernels_ == 0) {
      refuse(
          fmt::format("{}: a trace without kernels of a device; profile with "
                      "ProfilerActivity.CUDA",
                      log_.file));
    }
    if (std::all_of(operators_.begin(), operators_.end(),
                    [](const auto& one) { return one.second.dims.empty(); })) {
      found.notes.emplace_back(
          "no operator has its shapes, so that kernels are known by their names alone; profile "
          "with "
          "record_shapes=True");
    }
    name_others(found);
    return found;
  }

  // What took the longest of what case files do not have.
  void name_others(LogRows& found) const {
    std::vector<std::pair<double, std::string>> longest;
    for (const auto& [name, seconds] : other_) {
      longest.emplace_back(seconds, name);
    }
    std::sort(longest.rbegin(), longest.rend());
    for (std::size_t i = 0; i < std::min(most_named, longest.size()); ++i) {
      found.notes.push_back(fmt::format("{:.3g} ms of {}: no row of case files",
                                        1e3 * longest[i].first, longest[i].second));
    }
    if (longest.size() > most_named) {
      found.notes.push_back(fmt::format("and {} more names", longest.size() - most_named));
    }
  }

  const Log& log_;
  std::map<std::string, Launched> operators_;
  std::map<std::string, std::pair<CaseCells, std::vector<double>>> times_;
  std::map<std::string, double> other_;
  std::size_t kernels_ = 0;
};

}  // namespace

LogRows read_trace(const Log& log) {
  constexpr const char* why = "{}: not as PyTorch writes traces: {}";
  try {
    return Reader(log).read(parsed_json(log.text));
  } catch (const JsonError& problem) {
    refuse(fmt::format(why, log.file, problem.what()));
  } catch (const json::exception& problem) {
    refuse(fmt::format(why, log.file, problem.what()));
  }
}

}  // namespace scalesweep::validation
