#include "space/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "space/spec_axes.hpp"
#include "space/spec_strategy.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

constexpr std::int64_t schema_version = 1;

void check_schema(const TableCursor& root) {
  const auto schema = root.integer("schema");
  if (schema && *schema != schema_version) {
    root.error("schema", fmt::format("schema {} is not known to this version; write schema = {}",
                                     *schema, schema_version));
  }
}

void check_kind(const TableCursor& workload) {
  const auto kind = workload.string("kind");
  const std::vector<std::string> kinds = {"training"};
  if (kind && *kind != kinds.front()) {
    workload.error("kind",
                   fmt::format("unknown kind of workload '{}'{}", *kind, suggestion(*kind, kinds)));
  }
}

std::vector<Filter> read_filters(const TableCursor& root) {
  std::vector<Filter> filters;
  for (const TableCursor& table : root.tables("filter")) {
    if (const auto where = table.string("where")) {
      filters.push_back({*where, table.position("where")});
    }
  }
  return filters;
}

// keep.policy = { k = 5, per = ["logic"] } is written best = { k = 5, per = [...] }.
void read_best(Keep& keep, const TableCursor& best, const std::vector<Axis>& axes) {
  keep.policy = KeepPolicy::best;
  const auto count = best.optional_integer("k");
  if (count && (*count < 1 || *count > 1'000'000)) {
    best.error("k", "k must be between 1 and 1,000,000");
  } else if (count) {
    keep.best_count = static_cast<int>(*count);
  }
  std::vector<std::string> names;
  for (const Axis& axis : axes) {
    names.push_back(axis.name);
  }
  const auto per = best.value("per");
  for (const ValueCursor& value : per ? per->list_or_single() : std::vector<ValueCursor>{}) {
    const auto name = value.string();
    if (name && !find_axis(axes, *name)) {
      value.error(fmt::format("'{}' is no axis of this study{}", *name, suggestion(*name, names)));
    } else if (name) {
      keep.per.push_back(*name);
    }
  }
}

Keep read_keep(const TableCursor& root, const std::vector<Axis>& axes) {
  Keep keep;
  const TableCursor table = root.optional_table("keep");
  const auto policy = table.value("policy");
  if (!policy) {
    return keep;
  }
  if (policy->form() == ValueCursor::Form::table) {
    const TableCursor form = policy->table();
    const TableCursor best = form.table("best");
    read_best(keep, best, axes);
    return keep;
  }
  const auto word = policy->string();
  const std::vector<std::string> words = {"all", "feasible", "best", "frontier"};
  const auto found = word ? std::find(words.begin(), words.end(), *word) : words.end();
  if (word && found == words.end()) {
    policy->error(fmt::format("unknown keep policy '{}'{}", *word, suggestion(*word, words)));
  } else if (word) {
    keep.policy = static_cast<KeepPolicy>(found - words.begin());
  }
  if (keep.policy == KeepPolicy::best) {
    read_best(keep, table, axes);
  }
  return keep;
}

void read_objectives(Spec& spec, const TableCursor& root) {
  const TableCursor table = root.optional_table("objectives");
  const auto minimize = table.value("minimize");
  if (!minimize) {
    return;
  }
  const std::vector<ValueCursor> values = minimize->list_or_single();
  if (values.empty()) {
    minimize->error("no objective; name at least one, or leave [objectives] out");
  }
  for (const ValueCursor& value : values) {
    const auto name = value.string();
    if (!name) {
      continue;
    }
    if (std::find(spec.minimize.begin(), spec.minimize.end(), *name) != spec.minimize.end()) {
      value.error(fmt::format("the objective '{}' stands twice", *name));
      continue;
    }
    spec.minimize.push_back(*name);
    spec.minimize_positions.push_back(value.position());
  }
}

}  // namespace

std::optional<std::size_t> find_axis(const std::vector<Axis>& axes, const std::string& name) {
  const auto found =
      std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.name == name; });
  return found == axes.end() ? std::nullopt
                             : std::optional(static_cast<std::size_t>(found - axes.begin()));
}

std::optional<Spec> read_spec(const std::string& file, const std::string& text,
                              Diagnostics& diagnostics) {
  const auto document = config::Document::parse(file, text, diagnostics);
  if (!document) {
    return std::nullopt;
  }
  const int errors_before = diagnostics.error_count();
  const TableCursor root = document->root();
  Spec spec;
  spec.file = file;
  spec.text = text;
  check_schema(root);
  spec.title = root.string("title").value_or("");
  const TableCursor workload = root.table("workload");
  check_kind(workload);
  const TableCursor system = root.table("system");
  spec.axes = read_axes(workload, system);
  const TableCursor strategy = root.optional_table("strategy");
  spec.strategy = read_strategy_rules(strategy);
  spec.strategy_position = strategy.position();
  spec.filters = read_filters(root);
  spec.keep = read_keep(root, spec.axes);
  read_objectives(spec, root);
  document->report_unread();
  if (diagnostics.error_count() > errors_before) {
    return std::nullopt;
  }
  return spec;
}

}  // namespace scalesweep::space
