// Number formats of tensors and the bytes they take.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "core/enum_names.hpp"

namespace scalesweep::technology {

enum class Precision { fp64, fp32, tf32, bf16, fp16, fp8, fp4, int8, mxfp8, mxfp6, mxfp4 };
inline constexpr auto precision_names = enum_names<Precision>(
    "fp64", "fp32", "tf32", "bf16", "fp16", "fp8", "fp4", "int8", "mxfp8", "mxfp6", "mxfp4");
inline constexpr std::size_t precision_count = precision_names.size();

constexpr std::size_t index_of(Precision precision) {
  return static_cast<std::size_t>(precision);
}
constexpr std::string_view name_of(Precision precision) {
  return precision_names[precision];
}
// Also knows nvfp4, which is fp4 with a scale for every 16 elements.
std::optional<Precision> precision_from(std::string_view name);

// Of two 16-bit formats, the one with the larger peak of a device or template, fp16 of equals.
template <typename ByPrecision>
constexpr Precision sixteen_bit(const ByPrecision& peak) {
  return peak[index_of(Precision::bf16)] > peak[index_of(Precision::fp16)] ? Precision::bf16
                                                                           : Precision::fp16;
}

// Bytes of one element in memory. tf32 is stored as fp32; fp4 without its block scales; mxfp8,
// mxfp6 and mxfp4 with the 8-bit scale of each block of 32 (Open Compute Project, Microscaling
// Formats 1.0).
constexpr double element_bytes(Precision precision) {
  constexpr std::array<double, precision_count> bytes = {8.0,
                                                         4.0,
                                                         4.0,
                                                         2.0,
                                                         2.0,
                                                         1.0,
                                                         0.5,
                                                         1.0,
                                                         1.0 + 1.0 / 32.0,
                                                         0.75 + 1.0 / 32.0,
                                                         0.5 + 1.0 / 32.0};
  return bytes[index_of(precision)];
}

// Elements of four bits under scales of blocks, however many share one.
constexpr bool has_four_bits(Precision precision) {
  return precision == Precision::fp4 || precision == Precision::mxfp4;
}

// A published checkpoint of a model: linear layers narrowed to a format, but for those that it
// keeps wider.
struct CheckpointFormats {
  Precision format = Precision::bf16;  // of the layers that it narrows
  // What these are multiplied in, where that is wider (weight-only quantised); nothing: the format.
  std::optional<Precision> operands = std::nullopt;
  // Of what it keeps, as stored and as multiplied; nothing: narrowed as the others.
  std::optional<Precision> attention = std::nullopt;         // projections
  std::optional<Precision> attention_output = std::nullopt;  // the last of them; nothing: those
  std::optional<Precision> shared = std::nullopt;            // shared experts
  std::optional<Precision> mlp = std::nullopt;               // of layers without experts
  std::optional<Precision> head = std::nullopt;              // and the embedding; nothing: 16 bits

  // Whether all linear layers have the format, and are multiplied in it.
  bool is_plain() const {
    return !operands && !attention && !attention_output && !shared && !mlp && !head;
  }
  Precision multiplied() const { return operands.value_or(format); }

  friend bool operator==(const CheckpointFormats&, const CheckpointFormats&) = default;
};

}  // namespace scalesweep::technology
