// One row for each field of a strategy: what the keys of [strategy], the names in filters, the
// columns, the labels of strategies and a study's identity are made from.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "parallel/strategy.hpp"

namespace scalesweep::parallel {

enum class FieldKind : std::uint8_t {
  size,   // a number
  stage,  // a number of a few that have a meaning each
  word,   // one of `words`
  truth,
};

// What a value above the plain one means for who runs it: of two layouts that are as good, the one
// with fewer kinds, then fewer devices in them, then less of the first option that differs is the
// simpler.
enum class Burden : std::uint8_t {
  nothing,  // a number among others
  kind,     // so many devices work on one replica: a further kind of parallelism
  option,   // something more that must work
};

// A row is of a field of Strategy, or of a rule that is none (uneven_stages): then `value` is null.
struct Field {
  std::string_view name;
  FieldKind kind = FieldKind::size;
  std::span<const std::string_view> words = {};  // of all but sizes, in the order of their values
  std::string_view zero_word = {};               // of a size: what a spec writes for 0
  std::span<const WorkloadKind> kinds = {};      // that it says something of; none: of all
  std::string_view not_of = {};  // why a spec of other kinds does not take the key; none: training
  std::string_view not_of_prompts = {};  // why a pool that processes prompts does not take it
  // Of diffusion, where images are trained on alone.
  bool of_trained_images = false;
  Burden burden = Burden::nothing;
  bool plain = false;  // in every study of these kinds; else in those that ask for it

  // In a label: what goes before a number ("TP8"), or a word for each value of an enum where that
  // is not `words`. Values that are as in a plain strategy are left out, unless `always_named`.
  std::string_view short_name = {};
  std::span<const std::string_view> short_words = {};
  bool always_named = false;
  std::string_view follows = {};  // axes that it follows from, where it is not chosen

  std::string_view long_name = {};
  std::string_view description = {};  // of the column
  std::string_view meaning = {};      // of the key in a spec
  std::string_view absent = {};       // what a spec without the key stands for
  std::string_view example = {};

  std::int32_t (*value)(const Strategy&) = nullptr;
  void (*set)(Strategy&, std::int32_t) = nullptr;
  // What is tried; null where the field follows from others and no spec has the key.
  Choices (*choices)(const StrategyRules&) = nullptr;
  void (*choose)(StrategyRules&, const Choices&) = nullptr;
  // Whether the last two and the two before them are set: with a sanitizer, GCC 12 does
  // not take a comparison of such pointers for a constant.
  bool is_tried = false;
  bool is_member = false;

  bool is_of(WorkloadKind workload) const;
  bool is_of(const StrategyRules& rules) const;
};

// All rows, in the order in which a strategy is written.
std::span<const Field> strategy_rows();
// Those of fields.
std::span<const Field> strategy_fields();

// By its name, or by its short name in any letter case ("tp", "TP"). Nothing if there is none.
const Field* find_field(std::string_view name);

// The fields in which strategies under these rules may differ from a plain one.
std::vector<const Field*> fields_of(const StrategyRules& rules);

// As a person writes it: "8", "selective", "on".
std::string text_of(const Field& field, std::int32_t value);
std::string text_of(const Field& field, const Strategy& strategy);

// "divisors up to 32", "none, full": what is tried of one field, part of a study's identity.
std::string text_of(const Field& field, const StrategyRules& rules);

// What a study says of the column of a field, so that who reads it needs no names: `role` is
// "strategy"; `short_name` what stands before a number in the label of a strategy, or a word for
// each value of an enum; `default` the value that labels leave out, which strategies of studies
// without the column have; `follows` the axes from which the value follows.
std::map<std::string, std::string> column_attributes(const Field& field,
                                                     const StrategyRules& rules);

}  // namespace scalesweep::parallel
