// What logs call precisions and operators. Internal to the readers of logs.
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace scalesweep::validation {

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

inline std::optional<double> number_of(std::string_view word) {
  double value = 0.0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size() ? std::optional(value)
                                                                  : std::nullopt;
}

// "bf16" of bfloat16, c10::BFloat16, __nv_bfloat16; "" of what is no format of the catalog.
inline std::string precision_word(std::string_view name) {
  const std::string word = lower_case(name);
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"bfloat", "bf16"}, {"bf16", "bf16"}, {"float8", "fp8"}, {"fp8", "fp8"},    {"e4m3", "fp8"},
      {"half", "fp16"},   {"fp16", "fp16"}, {"f16", "fp16"},   {"int8", "int8"},  {"char", "int8"},
      {"float", "fp32"},  {"f32", "fp32"},  {"fp32", "fp32"},  {"double", "fp64"}};
  for (const auto& [part, precision] : words) {
    if (word.find(part) != std::string::npos) {
      return std::string(precision);
    }
  }
  return "";
}

// "all_reduce" of all_reduce_perf, allreduce, ncclDevKernel_AllReduce; "" of what case files lack.
inline std::string collective_word(std::string_view name) {
  std::string word = lower_case(name);
  std::erase(word, '_');
  constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"allreduce", "all_reduce"},
      {"allgather", "all_gather"},
      {"reducescatter", "reduce_scatter"},
      {"alltoall", "all_to_all"}};
  for (const auto& [part, op] : words) {
    if (word.find(part) != std::string::npos) {
      return std::string(op);
    }
  }
  return "";
}

}  // namespace scalesweep::validation
