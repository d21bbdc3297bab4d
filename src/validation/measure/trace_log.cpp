// Traces of PyTorch (Kineto): kernels with their durations, joined to the operators that launched
// them, whose shapes are there where the profiler recorded them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <compare>
#include <functional>
#include <istream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/documents/foreign.hpp"
#include "core/failure.hpp"
#include "validation/measure/log_words.hpp"
#include "validation/measure/logs.hpp"

namespace scalesweep::validation {
namespace {

using nlohmann::json;
using Dims = std::vector<std::vector<double>>;

constexpr std::size_t most_named = 5;

// An operator of PyTorch: its name, sizes and formats of what it got. Many are alike.
struct Launched {
  std::string name;
  Dims dims;
  std::string precision;
  std::string causal;  // "true", "false"; "" where it is not recorded

  friend auto operator<=>(const Launched&, const Launched&) = default;
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

// Keeps what rows are made of, event by event: a trace may be larger than the memory.
class Reader {
 public:
  explicit Reader(const Log& log) : log_(log) {}

  void event(const json& event) {
    if (event.value("ph", "") != "X") {
      return;
    }
    operator_of(event);
    if (lower_case(event.value("cat", "")) == "kernel") {
      kernel(event);
    }
  }

  LogRows read() {
    for (const Kernel& kernel : kernels_) {
      join(kernel);
    }
    for (const auto& [id, mine] : operators_) {
      if (mine.launched != nullptr && mine.seconds > 0.0) {
        keep(cells_of(*mine.launched), mine.launched->precision, mine.seconds, mine.launched->name);
      }
    }
    return rows();
  }

 private:
  // By its id, which kernels may name before it is there.
  struct Operator {
    const Launched* launched = nullptr;
    double seconds = 0.0;  // of all kernels that it launched
  };
  struct Kernel {
    const std::string* name = nullptr;
    double seconds = 0.0;
    Operator* launched_by = nullptr;
    const CaseCells* collective = nullptr;
  };

  void operator_of(const json& event) {
    const json args = event.value("args", json::object());
    if (event.value("cat", "") != "cpu_op" || !args.contains("External id")) {
      return;
    }
    operators_[args["External id"].dump()].launched =
        &*launched_
              .insert({event.value("name", ""), dims_of(args), precision_of(args), causal_of(args)})
              .first;
  }

  void kernel(const json& event) {
    const json args = event.value("args", json::object());
    Kernel kernel;
    kernel.seconds = event.value("dur", 0.0) * 1e-6;
    kernel.name = &*names_.insert(event.value("name", "")).first;
    if (args.contains("Collective name")) {
      kernel.collective = &*collectives_.insert(collective_cells(args)).first;
    } else if (args.contains("External id")) {
      kernel.launched_by = &operators_[args["External id"].dump()];
    }
    kernels_.push_back(kernel);
  }

  void join(const Kernel& kernel) {
    if (kernel.collective != nullptr) {
      const CaseCells& cells = *kernel.collective;
      keep(cells, cells.empty() ? "" : cells.at("precision"), kernel.seconds, *kernel.name);
    } else if (kernel.launched_by == nullptr || kernel.launched_by->launched == nullptr) {
      other_[*kernel.name] += kernel.seconds;
    } else {
      kernel.launched_by->seconds += kernel.seconds;
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
    if (kernels_.empty()) {
      refuse(
          fmt::format("{}: a trace without kernels of a device; profile with "
                      "ProfilerActivity.CUDA",
                      log_.file));
    }
    if (std::all_of(launched_.begin(), launched_.end(),
                    [](const Launched& one) { return one.dims.empty(); })) {
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
  std::set<Launched> launched_;
  std::map<std::string, Operator> operators_;
  std::vector<Kernel> kernels_;
  std::set<std::string> names_;
  std::set<CaseCells> collectives_;
  std::map<std::string, std::pair<CaseCells, std::vector<double>>> times_;
  std::map<std::string, double> other_;
};

// Of an event, and of its arguments, what is read; all else is not kept.
constexpr std::array<std::string_view, 5> event_keys = {"ph", "cat", "name", "dur", "args"};
constexpr std::array<std::string_view, 9> argument_keys = {
    "External id",   "Input Dims",     "Input type", "Concrete Inputs", "Collective name",
    "In msg nelems", "Out msg nelems", "dtype",      "Group size"};

// Gives events to the reader and forgets them, while the parser goes through the text.
class Events {
 public:
  explicit Events(Reader& reader) : reader_(reader) {}

  bool has_events() const { return has_events_; }

  // What the parser asks at each step: whether to keep it.
  bool operator()(int depth, json::parse_event_t step, json& parsed) {
    using Step = json::parse_event_t;
    const auto level = static_cast<std::size_t>(depth);
    if (step == Step::object_start || step == Step::array_start) {
      if (level >= most_levels) {
        throw JsonError(0,
                        fmt::format("more than {} lists and objects in each other", most_levels));
      }
      if (level == 0 && step == Step::array_start) {  // of events alone
        event_level_ = 1;
        has_events_ = is_in_events_ = true;
      }
      return true;
    }
    if (step == Step::key) {
      return keeps_key(level, parsed.get_ref<const std::string&>());
    }
    if (step == Step::object_end && is_in_events_ && level == event_level_) {
      reader_.event(parsed);
      return false;
    }
    return true;
  }

 private:
  bool keeps_key(std::size_t level, const std::string& key) {
    if (level == 1 && event_level_ == 2) {
      is_in_events_ = key == "traceEvents";
      has_events_ = has_events_ || is_in_events_;
      return is_in_events_;
    }
    const auto has = [&key](const auto& keys) {
      return std::find(keys.begin(), keys.end(), key) != keys.end();
    };
    return is_in_events_ && (level == event_level_ + 1   ? has(event_keys)
                             : level == event_level_ + 2 ? has(argument_keys)
                                                         : true);
  }

  Reader& reader_;
  std::size_t event_level_ = 2;
  bool is_in_events_ = false;
  bool has_events_ = false;
};

}  // namespace

namespace {

// `text`: as the parser takes it.
template <typename Text>
LogRows read_events(const Log& log, Text& text) {
  constexpr const char* why = "{}: not as PyTorch writes traces: {}";
  try {
    Reader reader(log);
    Events events(reader);
    [[maybe_unused]] const json rest = json::parse(text, std::ref(events));
    if (!events.has_events()) {
      refuse(fmt::format(why, log.file, "it has no traceEvents"));
    }
    return reader.read();
  } catch (const JsonError& problem) {
    refuse(fmt::format(why, log.file, problem.what()));
  } catch (const json::parse_error&) {
    refuse(fmt::format(why, log.file, "not JSON from here on"));
  } catch (const json::out_of_range&) {
    refuse(fmt::format(why, log.file, "a number too large for any machine"));
  } catch (const json::exception& problem) {
    refuse(fmt::format(why, log.file, problem.what()));
  }
}

}  // namespace

LogRows read_trace(const Log& log) {
  return read_events(log, log.text);
}

LogRows read_trace(const Log& log, std::istream& text) {
  return read_events(log, text);
}

}  // namespace scalesweep::validation
