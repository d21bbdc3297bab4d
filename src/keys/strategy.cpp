// The rows of [strategy], which are those of what is tried of a strategy.
#include <string>
#include <vector>

#include "keys/rows.hpp"
#include "parallel/fields.hpp"

namespace scalesweep::keys {
namespace {

Key key_of(const parallel::Field& row, std::string_view path) {
  Key key = {.path = path,
             .fallback = row.absent,
             .example = row.example,
             .description = row.meaning,
             .list = row.value != nullptr};
  if (!row.kinds.empty()) {
    key.variants = 0;
    for (const WorkloadKind kind : row.kinds) {
      key.variants = key.variants | of(kind);
    }
  }
  switch (row.kind) {
    case parallel::FieldKind::size:
      key.kind = row.zero_word.empty() ? KeyKind::sizes : KeyKind::integer;
      key.list = !row.zero_word.empty();  // sizes have lists themselves
      key.words = row.zero_word.empty() ? std::span<const std::string_view>()
                                        : std::span(&row.zero_word, 1);
      break;
    case parallel::FieldKind::stage:
      key.kind = KeyKind::integer;
      key.range = {0.0, true, static_cast<double>(row.words.size()) - 1.0, true};
      key.zero = true;
      break;
    case parallel::FieldKind::word:
      key.kind = KeyKind::name;
      key.words = row.words;
      break;
    case parallel::FieldKind::truth:
      key.kind = KeyKind::truth;
      break;
  }
  return key;
}

// A table with these keys, as far as kinds in `kinds` have them and, of a pool that processes
// prompts, it takes them; its paths stay where they are.
struct StrategyTable {
  StrategyTable(std::string_view table, Variants kinds, bool of_prompts = false) {
    for (const parallel::Field& row : parallel::strategy_rows()) {
      paths.push_back(std::string(table) + "." + std::string(row.name));
    }
    for (std::size_t i = 0; i < paths.size(); ++i) {
      const parallel::Field& row = parallel::strategy_rows()[i];
      Key key = key_of(row, paths[i]);
      key.variants = key.variants & kinds;
      const bool taken = !of_prompts || row.not_of_prompts.empty();
      if (row.choices != nullptr && key.variants != 0 && taken) {
        keys.push_back(key);
      }
    }
  }
  std::vector<std::string> paths;
  std::vector<Key> keys;
};

}  // namespace

std::span<const Key> strategy_keys() {
  static const StrategyTable table("strategy", config::every_variant);
  return table.keys;
}

std::span<const Key> strategy_keys_in(std::string_view pool) {
  static const StrategyTable prefill("prefill", serving, true);
  static const StrategyTable decode("decode", serving);
  return pool == "prefill" ? prefill.keys : decode.keys;
}

}  // namespace scalesweep::keys
