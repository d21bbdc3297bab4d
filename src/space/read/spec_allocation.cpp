#include "space/read/spec_allocation.hpp"

#include <fmt/format.h>

#include "core/text.hpp"
#include "space/keys/spec_keys.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

// One end of a range; nothing where it is missing or out of range.
std::optional<double> read_end(const TableCursor& range, const char* key) {
  const auto value = range.number(key);
  if (value && !config::open_share.holds(*value)) {
    range.error(key, fmt::format("'{}' of a share must be {}, not {}", key,
                                 config::open_share.text(), *value));
    return std::nullopt;
  }
  return value;
}

std::optional<ShareRange> read_range(const std::string& name, const ValueCursor& value) {
  if (value.form() != ValueCursor::Form::table) {
    value.error(fmt::format(
        "a share that is allocated has a range; write for example {0} = {{ from = 0.4, to = 0.9 "
        "}}. A share that is known stands in [system.device], {0} = 0.5",
        name));
    return std::nullopt;
  }
  const TableCursor table = value.table();
  const auto from = read_end(table, "from");
  const auto to = read_end(table, "to");
  if (!from || !to) {
    return std::nullopt;
  }
  if (*from >= *to) {
    table.error("from", fmt::format("'from' must be below 'to', but {} is not below {}; a share "
                                    "that is known stands in [system.device], {} = {}",
                                    *from, *to, name, *from));
    return std::nullopt;
  }
  return ShareRange{name, *from, *to};
}

// False if the number is there and out of range.
bool read_count(const TableCursor& allocate, const char* name, int& count) {
  const auto value = allocate.optional_integer(name);
  const config::NumberRange& range = spec_key(std::string("allocate.") + name).range;
  if (value && !range.holds(static_cast<double>(*value))) {
    allocate.error(name, fmt::format("{} must be between {} and {}, not {}", name, range.low,
                                     *range.high, *value));
    return false;
  }
  count = static_cast<int>(value.value_or(count));
  return true;
}

// False if there are two.
bool read_objective(const TableCursor& allocate, Allocation& allocation) {
  bool found = false;
  for (const ObjectiveWord& word : objective_words) {
    const std::string key(word.word);
    const auto value = allocate.value(key);
    if (value && found) {
      allocate.error(key, fmt::format("one column decides which shares are best: leave '{}' or "
                                      "'{}' out",
                                      objective_words.front().word, key));
      return false;
    }
    if (value) {
      allocation.objective = {value->string().value_or(""), word.direction};
      allocation.objective_position = value->position();
      found = true;
    }
  }
  return true;
}

}  // namespace

const std::vector<std::string>& share_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> ranges;
    for (const Key* key : keys_in("allocate")) {
      if (key->kind == config::KeyKind::range) {
        ranges.emplace_back(key->name());
      }
    }
    return ranges;
  }();
  return names;
}

std::optional<Allocation> read_allocation(const TableCursor& allocate) {
  if (!allocate.exists()) {
    return std::nullopt;
  }
  Allocation allocation;
  allocation.position = allocate.position();
  bool good = true;
  bool any = false;
  for (const std::string& name : share_names()) {
    const auto value = allocate.value(name);
    any = any || value;
    const auto range = value ? read_range(name, *value) : std::nullopt;
    good = good && (range || !value);
    if (range) {
      allocation.shares.push_back(*range);
    }
  }
  if (!any) {
    allocate.error(
        fmt::format("[allocate] names no share; give at least one of {}, for example "
                    "core_area_share = {{ from = 0.4, to = 0.9 }}",
                    join(share_names(), ", ")));
  }
  const bool grid = read_count(allocate, "grid", allocation.grid);
  const bool rounds = read_count(allocate, "rounds", allocation.rounds);
  const bool best = read_objective(allocate, allocation);
  return good && any && grid && rounds && best ? std::optional(allocation) : std::nullopt;
}

std::int64_t Allocation::first_round() const {
  std::int64_t candidates = 1;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    candidates *= grid;
  }
  return candidates;
}

std::int64_t Allocation::later_round() const {
  std::int64_t candidates = 1;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    candidates *= 3;
  }
  return candidates;
}

}  // namespace scalesweep::space
