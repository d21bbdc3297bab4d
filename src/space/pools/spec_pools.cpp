#include "space/pools/spec_pools.hpp"

#include <fmt/format.h>

#include "space/read/axis_reader.hpp"
#include "space/read/spec_strategy.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

constexpr std::string_view disaggregated = "disaggregated";

// Keys of a table that is refused as a whole are no further mistakes.
void accept_all(const TableCursor& pool, std::string_view table) {
  for (const Key* key : keys_in(table)) {
    (void)pool.has(key->name());
  }
}

// True if the table is of another kind, which is one mistake and not many.
bool refuse_kind(const TableCursor& pool, std::string_view table, const WorkloadForm& form) {
  if (!pool.exists() || (spec_key("prefill.device").variants & form.rows) != 0) {
    return false;
  }
  pool.error(
      fmt::format("[{}] goes with kind = \"serving\", not \"{}\"; leave it out", table, form.name));
  accept_all(pool, table);
  return true;
}

// Prompts of a pool of their own are batched in one way.
void settle_batching(const TableCursor& workload, std::vector<Axis>& axes) {
  for (Axis& axis : axes) {
    if (axis.name == "batching" && !workload.has("batching")) {
      axis.labels.front() = disaggregated;
    }
  }
  const auto written = workload.value("batching");
  for (const ValueCursor& way : written ? written->list_or_single() : std::vector<ValueCursor>{}) {
    if (way.form() == ValueCursor::Form::string && *way.string() != disaggregated) {
      way.error(
          "with [prefill] prompts are processed on devices of their own: write batching = "
          "\"disaggregated\" alone, or compare with a study without [prefill]");
    }
  }
  if (workload.has("prefill_share")) {
    workload.error("prefill_share",
                   "with [prefill] its 'accelerators' say how many devices process prompts; leave "
                   "'prefill_share' out");
  }
}

}  // namespace

const TableCursor& table_with(std::string_view key, const TableCursor& system,
                              const TableCursor& decode) {
  const std::string name(key);
  if (decode.has(name) && system.has(name)) {
    decode.error(name, fmt::format("'{}' stands in [system] and in [decode], which takes its "
                                   "place; leave it out in one of them",
                                   name));
  }
  return decode.has(name) || !system.exists() ? decode : system;
}

void read_pools(const PoolTables& tables, const WorkloadForm& form, std::vector<Axis>& axes) {
  const bool refused =
      refuse_kind(tables.prefill, "prefill", form) || refuse_kind(tables.decode, "decode", form);
  if (refused || !tables.prefill.exists()) {
    if (!refused && tables.decode.exists()) {
      tables.decode.error(
          "[decode] is one of two pools; write [prefill] for the other one, or [system] and "
          "[strategy] in place of [decode]");
    }
    return;
  }
  settle_batching(tables.workload, axes);
  AxisReader reader;
  for (const Key* key : keys_in("prefill")) {
    if (!key->axis.empty()) {
      reader.read(tables.prefill, *key);
    }
  }
  for (Axis& axis : reader.take()) {
    axes.push_back(std::move(axis));
  }
}

parallel::StrategyRules read_pool_rules(const TableCursor& pool, const WorkloadForm& form,
                                        const parallel::StrategyRules& rules) {
  const bool serves = (spec_key("prefill.device").variants & form.rows) != 0;
  return pool.exists() && serves ? read_strategy_rules(pool, rules) : rules;
}

}  // namespace scalesweep::space
