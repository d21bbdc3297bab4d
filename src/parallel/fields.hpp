// What a strategy is made of, by name: for filters, columns, and whoever writes one as text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parallel/enumerate.hpp"
#include "parallel/strategy.hpp"

namespace scalesweep::parallel {

enum class FieldKind : std::uint8_t {
  size,   // a number
  stage,  // a number of a few that have a meaning each
  word,   // one of `words`
  truth,
};

struct Field {
  std::string_view name;
  FieldKind kind = FieldKind::size;
  std::span<const std::string_view> words;  // of a word, in the order of its values
  std::int32_t (*value)(const Strategy&) = nullptr;
};

// In the order in which a strategy is written. The first plain_field_count are part of every study
// of training, and those that mean something of the others; the rest of studies that ask for them.
std::span<const Field> strategy_fields();
inline constexpr std::size_t plain_field_count = 9;

// Nothing if there is none.
const Field* find_field(std::string_view name);

// The fields in which strategies under these rules may differ from a plain one.
std::vector<const Field*> fields_of(const StrategyRules& rules);

// As a person writes it: "8", "selective", "on".
std::string text_of(const Field& field, const Strategy& strategy);

}  // namespace scalesweep::parallel
