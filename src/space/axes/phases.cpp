#include "space/axes/phases.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "core/contracts.hpp"
#include "core/text.hpp"
#include "space/axes/workload_axes.hpp"
#include "space/keys/spec_keys.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

constexpr double rounding = 1e-6;  // of shares that people write
constexpr std::int64_t most = 1'000'000'000;

// What a phase may say in place of [workload].
struct OwnKey {
  std::string_view name;
  std::optional<std::int64_t> TrainingPhase::*value;
  bool is_needed;
};
constexpr std::array<OwnKey, 3> own_keys = {{{"sequence", &TrainingPhase::sequence, true},
                                             {"global_batch", &TrainingPhase::global_batch, true},
                                             {"document", &TrainingPhase::document, false}}};

// Those that are no tables are left out.
std::vector<TableCursor> tables_of(const TableCursor& workload) {
  std::vector<TableCursor> tables;
  if (const auto phases = workload.value("phases")) {
    for (const ValueCursor& one : phases->list_or_single()) {
      if (one.form() == ValueCursor::Form::table) {
        tables.push_back(one.table());
      }
    }
  }
  return tables;
}

std::optional<std::int64_t> read_whole(const ValueCursor& value, std::string_view key) {
  const auto number = value.integer();
  if (number && (*number < 1 || *number > most)) {
    value.error(
        fmt::format("{} must be between 1 and {}, not {}", key, with_thousands(most), *number));
    return std::nullopt;
  }
  return number;
}

std::optional<double> read_share(const TableCursor& table) {
  const auto share = table.number("share");
  const config::NumberRange& range = spec_key("workload.phases.share").range;
  if (share && !range.holds(*share)) {
    table.error("share", fmt::format("share must be {}, not {}", range.text(), *share));
    return std::nullopt;
  }
  return share;
}

// Nothing where it has a mistake.
std::optional<TrainingPhase> read_phase(const TableCursor& table,
                                        const std::vector<TrainingPhase>& before) {
  const auto name = table.string("name");
  const auto share = read_share(table);
  bool good = name && share;
  if (name && trim(*name).empty()) {
    table.error("name", "'name' is empty; it stands for the phase on the axis");
    good = false;
  }
  if (name && std::any_of(before.begin(), before.end(),
                          [&](const TrainingPhase& other) { return other.name == *name; })) {
    table.error("name", fmt::format("another phase is called '{}'", *name));
    good = false;
  }
  TrainingPhase phase;
  phase.name = name.value_or("");
  phase.share = share.value_or(0.0);
  phase.position = table.position();
  for (const OwnKey& key : own_keys) {
    if (const auto value = table.value(key.name)) {
      phase.*key.value = read_whole(*value, key.name);
      good = good && (phase.*key.value).has_value();
    }
  }
  return good ? std::optional(phase) : std::nullopt;
}

void check_shares(const TableCursor& workload, const std::vector<TrainingPhase>& phases) {
  if (phases.size() < 2) {
    workload.error("phases",
                   "phases are two or more; of one write sequence and global_batch alone");
    return;
  }
  double sum = 0.0;
  for (const TrainingPhase& phase : phases) {
    sum += phase.share;
  }
  if (std::abs(sum - 1.0) > rounding) {
    workload.error("phases", fmt::format("the shares of the phases sum to {:.9g}, not to 1", sum));
  }
}

// Of the phases that leave a key to [workload], where others do not.
void fill_in(const TableCursor& workload, const std::vector<TableCursor>& tables, const OwnKey& key,
             std::vector<TrainingPhase>& phases) {
  const auto has = [&](const TrainingPhase& phase) { return (phase.*key.value).has_value(); };
  const bool some = std::any_of(phases.begin(), phases.end(), has);
  const bool all = std::all_of(phases.begin(), phases.end(), has);
  const auto value = workload.value(key.name);
  if (!some) {
    return;
  }
  if (all && value) {
    value->error(fmt::format("'{}' is said by all phases already; leave it out", key.name));
    return;
  }
  const auto values = value ? value->list_or_single() : std::vector<ValueCursor>{};
  if (values.size() > 1) {
    value->error(
        fmt::format("'{}' is one value where some phases have their own; write it in the "
                    "phases",
                    key.name));
    return;
  }
  const auto usual = values.empty() ? std::nullopt : read_whole(values.front(), key.name);
  for (std::size_t i = 0; i < phases.size(); ++i) {
    if (has(phases[i])) {
      continue;
    }
    phases[i].*key.value = usual;
    if (values.empty() && key.is_needed) {
      tables[i].error(
          fmt::format("phase '{}' has no {}, and neither has [workload]; write it in "
                      "one of them",
                      phases[i].name, key.name));
    }
  }
}

}  // namespace

std::vector<TrainingPhase> read_phases(const TableCursor& workload, const WorkloadForm& form) {
  if (!form.has("phases") || !workload.has("phases")) {
    return {};
  }
  const std::vector<ValueCursor> written = workload.value("phases")->list_or_single();
  bool good = true;
  for (const ValueCursor& one : written) {
    if (one.form() != ValueCursor::Form::table) {
      one.error(fmt::format("a phase is a table, for example phases = {}",
                            spec_key("workload.phases").example));
      good = false;
    }
  }
  const std::vector<TableCursor> tables = tables_of(workload);
  std::vector<TrainingPhase> phases;
  for (const TableCursor& table : tables) {
    auto phase = read_phase(table, phases);
    good = good && phase;
    if (phase) {
      phases.push_back(std::move(*phase));
    }
  }
  if (!good) {
    for (const OwnKey& key : own_keys) {
      (void)workload.has(key.name);
    }
    return {};
  }
  check_shares(workload, phases);
  for (const OwnKey& key : own_keys) {
    fill_in(workload, tables, key, phases);
  }
  return phases;
}

bool phases_say(const TableCursor& workload, std::string_view key) {
  const bool is_own = std::any_of(own_keys.begin(), own_keys.end(),
                                  [&](const OwnKey& own) { return own.name == key; });
  const std::vector<TableCursor> tables =
      is_own && workload.has("phases") ? tables_of(workload) : std::vector<TableCursor>{};
  return std::any_of(tables.begin(), tables.end(),
                     [&](const TableCursor& table) { return table.has(key); });
}

Axis axis_of(const std::vector<TrainingPhase>& phases) {
  SCALESWEEP_EXPECT(!phases.empty());
  Axis axis;
  axis.name = phase_axis;
  axis.kind = AxisKind::name;
  for (const TrainingPhase& phase : phases) {
    axis.labels.push_back(phase.name);
    axis.values.push_back(static_cast<double>(axis.values.size()));
    axis.positions.push_back(phase.position);
  }
  return axis;
}

std::string phases_text(const std::vector<TrainingPhase>& phases) {
  std::string text;
  for (const TrainingPhase& phase : phases) {
    text += fmt::format("phase {}: share {}", phase.name, phase.share);
    for (const OwnKey& key : own_keys) {
      if (const auto& value = phase.*key.value) {
        text += fmt::format(", {} {}", key.name, *value);
      }
    }
    text += "\n";
  }
  return text;
}

}  // namespace scalesweep::space
