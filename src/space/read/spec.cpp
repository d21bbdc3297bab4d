#include "space/read/spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/key_relations.hpp"
#include "core/text.hpp"
#include "parallel/fields.hpp"
#include "space/axes/draws.hpp"
#include "space/axes/phases.hpp"
#include "space/axes/search_axes.hpp"
#include "space/axes/together.hpp"
#include "space/axes/workload_axes.hpp"
#include "space/filter.hpp"
#include "space/keys/spec_keys.hpp"
#include "space/pools/spec_pools.hpp"
#include "space/read/spec_allocation.hpp"
#include "space/read/spec_axes.hpp"
#include "space/read/spec_precision.hpp"
#include "space/read/spec_strategy.hpp"
#include "space/read/spec_workload.hpp"
#include "space/requests/load_curve.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

constexpr std::int64_t schema_version = 1;

// Those of a spec, and those that kinds of workload bring.
std::vector<Key> rows_of(const WorkloadForms& forms) {
  std::vector<Key> rows(spec_keys().begin(), spec_keys().end());
  for (const WorkloadForm* form : forms) {
    for (const keys::Row& row : form->own_rows) {
      rows.push_back(row.key);
    }
  }
  return rows;
}

// False if the file is of a schema that this version cannot read: then nothing else is reported.
bool check_schema(const TableCursor& root) {
  if (!root.has("schema")) {
    root.error(
        fmt::format("missing key 'schema' at the top level; write schema = {}", schema_version));
    return true;
  }
  const auto schema = root.integer("schema");
  if (!schema || *schema == schema_version) {
    return true;
  }
  root.error("schema", fmt::format("schema {} is not known to this version, which reads schema {}",
                                   *schema, schema_version));
  return false;
}

std::string read_title(const TableCursor& root) {
  const auto title = root.string("title");
  if (title && trim(*title).empty()) {
    root.error("title", "'title' is empty; it goes onto figures and into the result");
  }
  return title.value_or("");
}

// What is said of the study and changes no value of it.
void read_about(Spec& spec, const TableCursor& root) {
  spec.title = read_title(root);
  spec.dataset = citation::read_dataset(root);
}

// The axes of a study for the parts of the spec that name them.
struct KnownAxes {
  const std::vector<Axis>& axes;
  bool complete = true;  // false: some could not be read, which has been reported
};

bool is_of_word(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The condition of [[filter]] or [[require]].
std::optional<Filter> read_condition(const TableCursor& table) {
  const auto expression = table.string("where");
  if (!expression) {
    return std::nullopt;
  }
  const ValueCursor where = *table.value("where");
  return Filter{*expression, where.position(), where.first_column()};
}

// Each has a status of its own; a column of them has room for so many beside the others.
constexpr std::size_t most_requirements = 100;

std::vector<Requirement> read_requirements(const TableCursor& root, Diagnostics& diagnostics) {
  std::vector<Requirement> requirements;
  bool is_full = false;
  for (const TableCursor& table : root.tables("require")) {
    const std::optional<std::string> given = table.optional_string("name");
    Requirement requirement = {
        given.value_or(fmt::format("requirement_{}", requirements.size() + 1)), {}};
    const std::string& name = requirement.name;
    const SourcePosition position = given ? table.position("name") : table.position();
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_of_word)) {
      diagnostics.error(position, fmt::format("'{}' is no name of a requirement: letters, digits "
                                              "and _ only, for example \"in_budget\"",
                                              name));
    }
    if (std::any_of(requirements.begin(), requirements.end(),
                    [&](const Requirement& other) { return other.name == name; })) {
      diagnostics.error(position, fmt::format("another requirement is called '{}'", name));
    }
    // Those beyond the limit are read too: their keys are none of the mistakes.
    std::optional<Filter> condition = read_condition(table);
    if (requirements.size() == most_requirements) {
      if (!is_full) {
        diagnostics.error(position, fmt::format("there are {} requirements at most; join "
                                                "conditions with and",
                                                most_requirements));
      }
      is_full = true;
    } else if (condition) {
      requirement.condition = std::move(*condition);
      requirements.push_back(std::move(requirement));
    }
  }
  return requirements;
}

std::vector<Filter> read_filters(const TableCursor& root, const KnownAxes& known,
                                 Diagnostics& diagnostics) {
  std::vector<Filter> filters;
  for (const TableCursor& table : root.tables("filter")) {
    if (const std::optional<Filter> filter = read_condition(table)) {
      filters.push_back(*filter);
      check_filter(*filter, known.axes, known.complete, diagnostics);
    }
  }
  return filters;
}

void read_group(Keep& keep, const ValueCursor& value, const KnownAxes& known) {
  const auto name = value.string();
  if (!name) {
    return;
  }
  if (find_axis(known.axes, *name)) {
    if (std::find(keep.per.begin(), keep.per.end(), *name) != keep.per.end()) {
      value.error(fmt::format("'{}' stands twice in per", *name));
    }
    keep.per.push_back(*name);
    return;
  }
  const auto& possible = axis_names();
  const bool unread =
      !known.complete && std::find(possible.begin(), possible.end(), *name) != possible.end();
  if (!unread) {
    std::vector<std::string> names;
    for (const Axis& axis : known.axes) {
      names.push_back(axis.name);
    }
    value.error(fmt::format("'{}' is no axis of this study{}", *name, suggestion(*name, names)));
  }
}

// What `per` names; without it what is asked varies, as analysis tells frontiers and answers apart.
void read_groups(Keep& keep, const TableCursor& table, const KnownAxes& known) {
  const auto per = table.value("per");
  if (!per) {
    keep.per = varying_workload_axes(known.axes);
    return;
  }
  for (const ValueCursor& value : per->list_or_single()) {
    read_group(keep, value, known);
  }
  std::vector<std::string> competing = varying_workload_axes(known.axes);
  std::erase_if(competing, [&](const std::string& asked) {
    return std::find(keep.per.begin(), keep.per.end(), asked) != keep.per.end();
  });
  if (!keep.per.empty() && !competing.empty()) {
    per->warning(
        fmt::format("per leaves out {}, of which there are several: they compete, and "
                    "what loses is not in the file; name them in per, or leave per out",
                    join(competing, ", ")));
  }
}

// k and per, of best = { k = 5, per = [...] }, in policy or in its place, or beside policy =
// "best".
void read_best(Keep& keep, const TableCursor& best, const KnownAxes& known) {
  keep.policy = KeepPolicy::best;
  const auto count = best.optional_integer("k");
  if (count && !spec_key("keep.k").range.holds(static_cast<double>(*count))) {
    best.error("k", fmt::format("k must be between 1 and 1,000,000, not {}", *count));
  } else if (count) {
    keep.best_count = static_cast<int>(*count);
  }
  read_groups(keep, best, known);
}

// What other policies have no use for.
void refuse_best_keys(const TableCursor& table) {
  config::check_relations(table, keys_in("keep"));
}

void read_frontier(Keep& keep, const TableCursor& table, const KnownAxes& known) {
  refuse_best_keys(table);
  read_groups(keep, table, known);
}

// best = { k = 5, per = [...] }, or nothing that can be read.
void read_keep_without_policy(Keep& keep, const TableCursor& table, const KnownAxes& known) {
  if (table.has("best")) {
    read_best(keep, table.table("best"), known);
    refuse_best_keys(table);
    return;
  }
  if (table.exists() && !table.has("operators") && !table.has("counts")) {
    table.error(
        "missing key 'policy' in [keep]; it is \"all\", \"feasible\", \"best\" or "
        "\"frontier\"");
    (void)table.has("k");
    (void)table.has("per");
  }
}

Keep read_keep(const TableCursor& root, const KnownAxes& known) {
  Keep keep;
  const TableCursor table = root.optional_table("keep");
  const auto policy = table.value("policy");
  if (!policy) {
    read_keep_without_policy(keep, table, known);
    return keep;
  }
  if (table.has("best")) {
    table.error("best", "'best' stands in place of 'policy'; leave one of them out");
  }
  if (policy->form() == ValueCursor::Form::table) {
    const TableCursor form = policy->table();
    if (!form.has("best")) {
      policy->error("a policy is a word, or { best = { k = 5, per = [\"logic\"] } }");
    }
    read_best(keep, form.optional_table("best"), known);
    refuse_best_keys(table);
    return keep;
  }
  const auto word = policy->string();
  const Key& row = spec_key("keep.policy");
  const std::vector<std::string> words(row.words.begin(), row.words.end());
  const auto found = word ? std::find(words.begin(), words.end(), *word) : words.end();
  if (word && found == words.end()) {
    policy->error(fmt::format("unknown policy '{}'{}", *word, suggestion(*word, words)));
  }
  if (found == words.end()) {
    (void)table.has("k");
    (void)table.has("per");
    return keep;
  }
  keep.policy = static_cast<KeepPolicy>(found - words.begin());
  if (keep.policy == KeepPolicy::best) {
    read_best(keep, table, known);
  } else if (keep.policy == KeepPolicy::frontier) {
    read_frontier(keep, table, known);
  } else {
    refuse_best_keys(table);
  }
  return keep;
}

// [keep] counts = "bounded".
void read_counts(Keep& keep, const TableCursor& table) {
  const auto word = table.optional_string("counts");
  if (!word) {
    return;
  }
  const std::optional<Counts> counts = counts_names.find(*word);
  if (!counts) {
    table.error("counts", fmt::format("unknown counts '{}'{}", *word,
                                      suggestion(*word, counts_names.list())));
    return;
  }
  keep.counts = *counts;
  if (keep.counts == Counts::bounded && !keep.reduces()) {
    table.error("counts",
                "counts = \"bounded\" goes with policy = \"best\" or \"frontier\": for the others "
                "every point is estimated");
  }
}

// [keep] operators = true.
bool read_operators(const TableCursor& table, const WorkloadForm& form) {
  const bool on = table.optional_boolean("operators").value_or(false);
  if (on && (spec_key("keep.operators").variants & form.rows) == 0) {
    table.error("operators", "columns of operators go with kind = \"inference\"; leave them out");
  }
  return on;
}

// All of [keep].
void read_kept(Spec& spec, const TableCursor& root, const KnownAxes& known,
               const WorkloadForm& form) {
  spec.keep = read_keep(root, known);
  const TableCursor keep = root.optional_table("keep");
  read_counts(spec.keep, keep);
  spec.counts_position = keep.position("counts");
  spec.operators = read_operators(keep, form);
}

void read_objective(Spec& spec, const ValueCursor& value, Direction direction) {
  const auto name = value.string();
  if (!name) {
    return;
  }
  const std::vector<std::string> known = columns_of(spec.objectives);
  if (std::find(known.begin(), known.end(), *name) != known.end()) {
    value.error(fmt::format("the objective '{}' stands twice", *name));
    return;
  }
  spec.objectives.push_back({*name, direction});
  spec.objective_positions.push_back(value.position());
}

void read_objectives(Spec& spec, const TableCursor& root) {
  const TableCursor table = root.optional_table("objectives");
  for (const ObjectiveWord& word : objective_words) {
    const auto named = table.value(std::string(word.word));
    if (!named) {
      continue;
    }
    const std::vector<ValueCursor> values = named->list_or_single();
    if (values.empty()) {
      named->error("no objective; name at least one, or leave [objectives] out");
    }
    for (const ValueCursor& value : values) {
      read_objective(spec, value, word.direction);
    }
  }
}

// What requests there are, and when.
void take_requests(Spec& spec, const TableCursor& workload,
                   const std::optional<ReducedTrace>& known, Diagnostics& diagnostics) {
  Requests requests = read_requests(workload, *spec.kind, spec.file, known, diagnostics);
  spec.requests = std::move(requests.classes);
  spec.trace = std::move(requests.trace);
  spec.load_curve = read_load_curve(workload, *spec.kind, spec.trace);
}

// The devices of their own for prompts. How many of them follow the load is not known.
void read_prefill(Spec& spec, const TableCursor& prefill, const TableCursor& workload,
                  const WorkloadForm& form, const parallel::StrategyRules& rules) {
  if (!prefill.exists()) {
    return;
  }
  parallel::StrategyRules beside = rules;
  for (const parallel::Field& row : parallel::strategy_rows()) {
    if (row.not_of_prompts.empty()) {
      continue;
    }
    row.choose(beside, parallel::only(0));
    if (prefill.holds_beside_rows(row.name)) {
      prefill.error(row.name, fmt::format("{}; leave '{}' out, or write it in [decode]",
                                          row.not_of_prompts, row.name));
    }
  }
  spec.prefill = PrefillPool{read_pool_rules(prefill, form, beside), prefill.position()};
  if (!spec.load_curve.empty()) {
    workload.error("load_curve",
                   "a load curve does not go with [prefill], whose devices do not follow it; leave "
                   "one of both out, or let some replicas process prompts: batching = "
                   "\"disaggregated\" alone");
  }
}

}  // namespace

std::optional<Spec> read_spec(const std::string& file, const std::string& text,
                              Diagnostics& diagnostics, const SpecCheck& check,
                              const WorkloadForms& forms) {
  const auto document = config::Document::parse(file, text, diagnostics);
  if (!document) {
    return std::nullopt;
  }
  const int errors_before = diagnostics.error_count();
  const std::vector<Key> rows = rows_of(forms);
  const TableCursor root = document->root().described_by({rows, ""});
  if (!check_schema(root)) {
    return std::nullopt;
  }
  Spec spec;
  spec.file = file;
  spec.text = text;
  read_about(spec, root);
  const TableCursor workload = root.table("workload");
  const WorkloadForm& form = read_kind(workload, forms);
  spec.kind = &form;
  const TableCursor prefill = root.optional_table("prefill");
  const TableCursor decode = root.optional_table("decode");
  const TableCursor system = decode.exists() ? root.optional_table("system") : root.table("system");
  const int errors_before_axes = diagnostics.error_count();
  const TableCursor allocate = root.optional_table("allocate");
  spec.allocation = read_allocation(allocate);
  spec.phases = read_phases(workload, form);
  spec.axes = read_axes({form, forms, workload, system, root.optional_table("economics"),
                         root.optional_table("run"), allocate, prefill, decode, spec.phases},
                        spec.allocation);
  read_draws(root.optional_table("draws"), spec.axes, diagnostics);
  if (check.names) {
    check.names(spec.axes);
  }
  take_requests(spec, workload, check.trace, diagnostics);
  spec.extrapolate = system.optional_boolean("extrapolate").value_or(false);
  spec.precisions = read_precision_tables(workload, form);
  const bool has_devices = system.exists() || decode.exists();
  const KnownAxes known = {spec.axes, workload.exists() && has_devices &&
                                          diagnostics.error_count() == errors_before_axes};
  const TableCursor strategy = root.optional_table("strategy");
  const auto rules = read_strategy_rules(strategy, strategies_of(form, spec.axes));
  spec.strategy = read_pool_rules(decode, form, rules);
  read_together(root, spec.axes, known.complete);
  spec.search = read_search(root.optional_table("search"), spec.axes, known.complete);
  read_prefill(spec, prefill, workload, form, rules);
  spec.strategy_position = strategy.position();
  spec.filters = read_filters(root, known, diagnostics);
  spec.requirements = read_requirements(root, diagnostics);
  read_kept(spec, root, known, form);
  read_objectives(spec, root);
  if (check.spec) {
    check.spec(spec);
  }
  document->report_unread();
  if (diagnostics.error_count() > errors_before) {
    return std::nullopt;
  }
  return spec;
}

}  // namespace scalesweep::space
