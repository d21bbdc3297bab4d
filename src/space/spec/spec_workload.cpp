#include "space/spec/spec_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "core/text.hpp"
#include "space/spec/spec_precision.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

constexpr std::array<WorkloadKind, 3> every_kind = {WorkloadKind::training, WorkloadKind::inference,
                                                    WorkloadKind::serving};

// What another kind says where this one does not.
std::string instead_text(const Key& key, WorkloadKind kind) {
  if (kind == WorkloadKind::serving && key.name() == "batch") {
    return "; the batch is found, the largest within the limits";
  }
  if (kind == WorkloadKind::inference && key.name() == "global_batch") {
    return "; write batch";
  }
  if (kind == WorkloadKind::training && key.name() == "batch") {
    return "; write global_batch";
  }
  return key.instead.empty() ? "" : fmt::format("; {}", key.instead);
}

// The kinds that have a key, in its rows.
config::Variants kinds_of(std::string_view name) {
  config::Variants kinds = 0;
  for (const Key* key : keys_in("workload")) {
    kinds |= key->name() == name ? key->variants : config::Variants{0};
  }
  return kinds;
}

void refuse_other_kinds(const TableCursor& workload, WorkloadKind kind) {
  std::set<std::string_view> refused;
  for (const Key* key : keys_in("workload")) {
    const config::Variants kinds = kinds_of(key->name());
    if ((kinds & of(kind)) != 0 || !workload.has(key->name()) ||
        !refused.insert(key->name()).second) {
      continue;
    }
    std::vector<std::string> names;
    for (const WorkloadKind other : every_kind) {
      if ((kinds & of(other)) != 0) {
        names.push_back(fmt::format("\"{}\"", name_of(other)));
      }
    }
    workload.error(key->name(),
                   fmt::format("'{}' goes with kind = {}, not \"{}\"{}", key->name(),
                               join(names, " or "), name_of(kind), instead_text(*key, kind)));
  }
}

// A draft is checked in one iteration: how many of its tokens stay decides what it brings.
void check_speculation(const TableCursor& workload) {
  const bool drafts = workload.has("draft");
  const bool accepts = workload.has("acceptance");
  if (drafts && !accepts) {
    workload.error("draft",
                   "with a draft, say how likely each of its tokens is kept, for example "
                   "acceptance = 0.8");
  }
  for (const char* key : {"acceptance", "draft_time"}) {
    if (!drafts && workload.has(key)) {
      workload.error(key, fmt::format("'{}' goes with draft, for example draft = 4", key));
    }
  }
}

// Without pools of their own for prompts a share of them changes nothing.
void check_prefill_share(const TableCursor& workload) {
  const auto batching = workload.value("batching");
  if (!workload.has("prefill_share")) {
    return;
  }
  const std::vector<ValueCursor> ways =
      batching ? batching->list_or_single() : std::vector<ValueCursor>{};
  const auto has_pools = [](const ValueCursor& way) {
    return way.form() == ValueCursor::Form::string && way.string() == "disaggregated";
  };
  if (std::none_of(ways.begin(), ways.end(), has_pools)) {
    workload.error("prefill_share",
                   "'prefill_share' goes with batching = \"disaggregated\"; leave it out");
  }
}

// A mean number of tokens, or a share.
double positive_number(const TableCursor& table, const std::string& key, double fallback,
                       bool required) {
  const auto number = required ? table.number(key) : table.optional_number(key);
  if (number && !(*number > 0.0)) {
    table.error(key, fmt::format("{} must be above 0, not {}", key, *number));
  }
  return number.value_or(fallback);
}

// The kind that has most of the keys, where none is named: no mistakes follow from that one.
WorkloadKind probable_kind(const TableCursor& workload) {
  const auto written = [&](WorkloadKind kind) {
    const std::vector<const Key*> keys = keys_in("workload", of(kind));
    return std::count_if(keys.begin(), keys.end(),
                         [&](const Key* key) { return workload.has(key->name()); });
  };
  return *std::max_element(every_kind.begin(), every_kind.end(),
                           [&](WorkloadKind a, WorkloadKind b) { return written(a) < written(b); });
}

}  // namespace

WorkloadKind read_kind(const TableCursor& workload) {
  if (workload.exists() && !workload.has("kind")) {
    workload.error(
        "missing key 'kind'; write for example kind = \"training\", or \"inference\" or "
        "\"serving\" where requests are answered");
    return probable_kind(workload);
  }
  const auto kind = workload.string("kind");
  if (!kind) {
    return probable_kind(workload);
  }
  const auto found = parallel::workload_kind_names.find(*kind);
  if (!found) {
    workload.error("kind", fmt::format("unknown kind of workload '{}'{}", *kind,
                                       suggestion(*kind, parallel::workload_kind_names.list())));
    return probable_kind(workload);
  }
  return *found;
}

void read_workload(AxisReader& reader, const TableCursor& workload, WorkloadKind kind) {
  refuse_other_kinds(workload, kind);
  for (const Key* key : keys_in("workload", of(kind))) {
    const bool replaced = !key->unless.empty() && workload.has(key->unless);
    if (key->axis.empty() || replaced) {
      continue;
    }
    const auto precision = key->name() == "precision" ? workload.value("precision") : std::nullopt;
    if (!precision) {
      reader.read(workload, *key);
    } else if (auto axis = read_precision_axis(*precision, kind)) {
      reader.add(std::move(*axis));
    }
  }
  if (kind != WorkloadKind::training) {
    check_speculation(workload);
  }
  if (kind == WorkloadKind::serving) {
    check_prefill_share(workload);
  }
}

std::vector<RequestClass> read_requests(const TableCursor& workload, WorkloadKind kind) {
  std::vector<RequestClass> requests;
  const auto value = workload.value("requests");
  if (!value || kind != WorkloadKind::serving) {
    return requests;
  }
  for (const char* key : {"prompt", "output"}) {
    if (workload.has(key)) {
      workload.error(key,
                     fmt::format("'{}' is said by 'requests' already; leave one of them out", key));
    }
  }
  const std::vector<ValueCursor> classes = value->list_or_single();
  if (classes.empty()) {
    value->error("'requests' is an empty list; give at least one class of requests");
  }
  for (const ValueCursor& one : classes) {
    if (one.form() != ValueCursor::Form::table) {
      one.error(
          "a class of requests is a table, for example { prompt = 500, output = 200, share = 0.7 "
          "}");
      continue;
    }
    const TableCursor table = one.table();
    requests.push_back({positive_number(table, "prompt", 1.0, true),
                        positive_number(table, "output", 1.0, true),
                        positive_number(table, "share", 1.0, false), one.position()});
  }
  return requests;
}

}  // namespace scalesweep::space
