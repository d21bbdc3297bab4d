// Logs of benchmarks and profilers as rows of a case file of kernels. Formats are as known from the
// programs that write them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/enum_names.hpp"
#include "validation/measure/case_table.hpp"

namespace scalesweep::validation {

enum class LogKind : std::uint8_t { collectives, nvbench, nvbench_csv, trace, training };
inline constexpr auto log_kind_names =
    enum_names<LogKind>("nccl-tests or rccl-tests", "nvbench (JSON)", "nvbench (CSV)",
                        "a trace of PyTorch", "a training log of Megatron-LM");

// What the text looks like; nothing where it is none of them.
std::optional<LogKind> kind_of_log(const std::string& text);

struct Log {
  std::string file;
  std::string text;
  std::string device;  // of the catalog: no log names its entries
};

struct LogRows {
  std::vector<CaseCells> rows;
  std::vector<std::string> notes;  // what cannot be told from the log
};

// Of each kind but training. Throws Failure(bad_input) where the text cannot be read as such.
LogRows read_collectives(const Log& log);
LogRows read_nvbench(const Log& log);      // JSON
LogRows read_nvbench_csv(const Log& log);  // as --csv writes it
LogRows read_trace(const Log& log);        // Kineto, as torch.profiler exports it
// The same, event by event: `log` has no text. Profiles of long runs are larger than the memory.
LogRows read_trace(const Log& log, std::istream& text);
// Whether it begins as a trace does and has its events; reads as far as it must to know.
bool is_trace(std::istream& text);

}  // namespace scalesweep::validation
