// A case file as it is written: cells by column, those that do not apply empty.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace scalesweep::validation {

// Columns of the files of kernels and collectives that are written here; tests/validation/README.md
// has all that are read.
inline constexpr std::array<std::string_view, 19> written_kernel_columns = {
    "case",  "source",    "device",   "gpus",   "op",
    "m",     "k",         "n",        "batch",  "seq",
    "heads", "kv_heads",  "head_dim", "causal", "kv_precision",
    "bytes", "precision", "library",  "time_s"};
using CaseCells = std::map<std::string, std::string, std::less<>>;

// The columns that rows have: as those above, then the others by their names.
std::vector<std::string_view> written_columns(const std::vector<CaseCells>& rows);

// All columns of kernels, then the others that rows have.
std::vector<std::string_view> listed_columns(const std::vector<CaseCells>& rows);

// RFC 4180, with a header line.
std::string case_text(const std::vector<std::string_view>& columns,
                      const std::vector<CaseCells>& rows);

// With six digits.
std::string seconds_cell(double seconds);
// A size or count, without digits behind a point where there are none.
std::string number_cell(double number);

}  // namespace scalesweep::validation
