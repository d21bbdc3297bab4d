#include "space/spec/spec_workload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/text.hpp"
#include "space/spec/spec_precision.hpp"

namespace scalesweep::space {
namespace {

using config::Dimension;
using config::TableCursor;
using config::ValueCursor;

constexpr NumberRange share_or_zero = {0.0, true, 1.0, false};  // at least 0 and below 1
constexpr NumberRange time_share = {0.0, true, 1.0, true};

// Keys that only some kinds have, and what the others write instead.
struct KindKey {
  std::string_view key;
  bool training;
  bool inference;
  bool serving;
  std::string_view instead;  // "" if there is nothing like it
};
constexpr std::array<KindKey, 16> kind_keys = {{
    {"sequence", true, false, false, "write prompt and output"},
    {"global_batch", true, false, false, ""},
    {"prompt", false, true, true, "write sequence"},
    {"output", false, true, true, "write sequence"},
    {"batch", false, true, false, ""},
    {"prefix_hits", false, true, true, ""},
    {"prefill_chunk", false, true, true, ""},
    {"draft", false, true, true, ""},
    {"acceptance", false, true, true, ""},
    {"draft_time", false, true, true, ""},
    {"requests", false, false, true, "write prompt and output"},
    {"arrival_rate", false, false, true, ""},
    {"batching", false, false, true, ""},
    {"prefill_share", false, false, true, ""},
    {"time_to_first_token", false, false, true, "it is a column, and may be filtered afterwards"},
    {"time_per_output_token", false, false, true, "it is a column, and may be filtered afterwards"},
}};

bool has_key(const KindKey& known, WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::training:
      return known.training;
    case WorkloadKind::inference:
      return known.inference;
    case WorkloadKind::serving:
      return known.serving;
  }
  return false;
}

std::string_view name_of(WorkloadKind kind) {
  return parallel::workload_kind_names[static_cast<std::size_t>(kind)];
}

// What another kind says where this one does not.
std::string instead_text(const KindKey& known, WorkloadKind kind) {
  if (kind == WorkloadKind::serving && known.key == "batch") {
    return "; the batch is found, the largest within the limits";
  }
  if (kind == WorkloadKind::inference && known.key == "global_batch") {
    return "; write batch";
  }
  if (kind == WorkloadKind::training && known.key == "batch") {
    return "; write global_batch";
  }
  return known.instead.empty() ? "" : fmt::format("; {}", known.instead);
}

void refuse_other_kinds(const TableCursor& workload, WorkloadKind kind) {
  for (const KindKey& known : kind_keys) {
    if (has_key(known, kind) || !workload.has(known.key)) {
      continue;
    }
    std::vector<std::string> kinds;
    for (const WorkloadKind other :
         {WorkloadKind::training, WorkloadKind::inference, WorkloadKind::serving}) {
      if (has_key(known, other)) {
        kinds.push_back(fmt::format("\"{}\"", name_of(other)));
      }
    }
    workload.error(known.key,
                   fmt::format("'{}' goes with kind = {}, not \"{}\"{}", known.key,
                               join(kinds, " or "), name_of(kind), instead_text(known, kind)));
  }
}

void read_precision(AxisReader& reader, const TableCursor& workload, WorkloadKind kind) {
  if (const auto precision = workload.value("precision")) {
    if (auto axis = read_precision_axis(*precision, kind)) {
      reader.add(std::move(*axis));
    }
  } else {
    reader.with_default(workload, "precision", name_key("precision"), "bf16", 0.0);
  }
}

KeyRule attention_key() {
  KeyRule attention = name_key("attention");
  attention.words = {"flash", "unfused"};
  return attention;
}

void read_training(AxisReader& reader, const TableCursor& workload) {
  reader.required(workload, "model", name_key("model", "\"gpt3-175b\""));
  reader.required(workload, "sequence", integer_key("sequence", "2048"));
  reader.required(workload, "global_batch", integer_key("global_batch", "1536"));
  read_precision(reader, workload, WorkloadKind::training);
  reader.with_default(workload, "attention", attention_key(), "flash", 0.0);
  reader.with_default(workload, "framework", name_key("framework"), "overlapped", 0.0);
}

KeyRule from_zero(KeyRule rule) {
  rule.zero = true;
  return rule;
}

// A draft is checked in one iteration: how many of its tokens stay decides what it brings.
void read_speculation(AxisReader& reader, const TableCursor& workload) {
  const bool drafts = reader.optional(workload, "draft", from_zero(integer_key("draft")));
  const bool accepts =
      reader.optional(workload, "acceptance", number_key("acceptance", share_or_zero));
  const bool takes = reader.optional(workload, "draft_time", number_key("draft_time", time_share));
  if (drafts && !accepts) {
    workload.error("draft",
                   "with a draft, say how likely each of its tokens is kept, for example "
                   "acceptance = 0.8");
  }
  if (!drafts && accepts) {
    workload.error("acceptance", "'acceptance' goes with draft, for example draft = 4");
  }
  if (!drafts && takes) {
    workload.error("draft_time", "'draft_time' goes with draft, for example draft = 4");
  }
}

// What static and continuous batches have in common. The attention kernel is that of the framework
// where it is not said.
void read_answering(AxisReader& reader, const TableCursor& workload) {
  read_precision(reader, workload, WorkloadKind::inference);
  reader.optional(workload, "attention", attention_key());
  reader.with_default(workload, "framework", name_key("framework"), "tensorrt-llm", 0.0);
  reader.optional(workload, "prefix_hits", number_key("prefix_hits", share_or_zero));
  reader.optional(workload, "prefill_chunk", from_zero(integer_key("prefill_chunk")));
  read_speculation(reader, workload);
}

void read_inference(AxisReader& reader, const TableCursor& workload) {
  reader.required(workload, "model", name_key("model", "\"llama-2-7b\""));
  reader.required(workload, "prompt", integer_key("prompt", "200"));
  reader.required(workload, "output", integer_key("output", "200"));
  reader.required(workload, "batch", integer_key("batch", "[1, 8, 64]"));
  read_answering(reader, workload);
}

KeyRule limit_key(const std::string& name, const std::string& example) {
  KeyRule rule = quantity_key(name, Dimension::seconds, example);
  rule.none = true;
  return rule;
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

void read_serving(AxisReader& reader, const TableCursor& workload) {
  reader.required(workload, "model", name_key("model", "\"llama-3-70b\""));
  if (!workload.has("requests")) {
    reader.required(workload, "prompt", integer_key("prompt", "500"));
    reader.required(workload, "output", integer_key("output", "200"));
  }
  read_answering(reader, workload);
  KeyRule batching = name_key("batching");
  batching.words = {"separate", "chunked", "disaggregated"};
  reader.with_default(workload, "batching", batching, "chunked", 0.0);
  reader.optional(workload, "prefill_share", number_key("prefill_share", open_share));
  check_prefill_share(workload);
  reader.optional(workload, "arrival_rate",
                  quantity_key("arrival_rate", Dimension::hertz, "\"20 Hz\""));
  // Results have the plain names.
  reader.optional(workload, "time_to_first_token",
                  limit_key("time_to_first_token_limit", "\"500 ms\""));
  reader.optional(workload, "time_per_output_token",
                  limit_key("time_per_output_token_limit", "\"30 ms\""));
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
  const auto keys_of = [&](WorkloadKind kind) {
    return std::count_if(kind_keys.begin(), kind_keys.end(), [&](const KindKey& known) {
      return has_key(known, kind) && workload.has(known.key);
    });
  };
  WorkloadKind best = WorkloadKind::training;
  for (const WorkloadKind kind : {WorkloadKind::inference, WorkloadKind::serving}) {
    if (keys_of(kind) > keys_of(best)) {
      best = kind;
    }
  }
  return best;
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
  const auto& names = parallel::workload_kind_names;
  const auto* const found = std::find(names.begin(), names.end(), *kind);
  if (found == names.end()) {
    workload.error(
        "kind",
        fmt::format("unknown kind of workload '{}'{}", *kind,
                    suggestion(*kind, std::vector<std::string>(names.begin(), names.end()))));
    return probable_kind(workload);
  }
  return static_cast<WorkloadKind>(found - names.begin());
}

void read_workload(AxisReader& reader, const TableCursor& workload, WorkloadKind kind) {
  refuse_other_kinds(workload, kind);
  switch (kind) {
    case WorkloadKind::training:
      return read_training(reader, workload);
    case WorkloadKind::inference:
      return read_inference(reader, workload);
    case WorkloadKind::serving:
      return read_serving(reader, workload);
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
