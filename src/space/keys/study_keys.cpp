// The rows of the top level, [allocate], [search],
// [[filter]], [[require]], [keep] and [objectives].
#include <array>

#include "space/keys/rows.hpp"
#include "space/read/spec_types.hpp"

namespace scalesweep::space {
namespace {

constexpr std::array<std::string_view, 4> policies = {"all", "feasible", "best", "frontier"};
constexpr std::array<std::string_view, 1> all_ranks = {"all"};
constexpr NumberRange grid_range = {2.0, true, 21.0, true};
constexpr NumberRange round_range = {0.0, true, 8.0, true};
constexpr NumberRange first_values_range = {2.0, true, 1e4, true};
constexpr NumberRange device_range = {1.0, true, 1e9, true};
constexpr NumberRange count_range = {1.0, true, 1e6, true};

// clang-format off
constexpr std::array at_top = {
    Key{.path = "schema", .kind = KeyKind::integer, .need = Need::required, .example = "1",
        .description = "version of this language. For another one nothing else is read"},
    Key{.path = "title", .kind = KeyKind::text, .need = Need::required,
        .example = "\"GPT-3 175B on three generations\"",
        .description = "goes into the result file and onto figures; not part of the study's "
                       "identity"},
    Key{.path = "workload", .kind = KeyKind::table, .need = Need::required,
        .description = "what is trained, or which requests are served"},
    Key{.path = "system", .kind = KeyKind::table, .fallback = "required but with `decode`",
        .description = "devices and networks it runs on"},
    Key{.path = "economics", .kind = KeyKind::table,
        .description = "what buying and running is assumed to cost and to emit"},
    Key{.path = "run", .kind = KeyKind::table,
        .description = "of training: what fails in a whole run, and what is done about it"},
    Key{.path = "draws", .kind = KeyKind::table,
        .description = "how often values that are not known are drawn"},
    Key{.path = "strategy", .kind = KeyKind::table,
        .description = "how the work is laid out over the devices"},
    Key{.path = "prefill", .kind = KeyKind::table,
        .description = "of serving: devices of their own for prompts, below"},
    Key{.path = "decode", .kind = KeyKind::table,
        .description = "beside `prefill`, what `system` and `strategy` say of those that decode"},
    Key{.path = "search", .kind = KeyKind::table,
        .description = "axes that are divided where the best may be, in place of every value"},
    Key{.path = "together", .kind = KeyKind::tables,
        .description = "axes that vary together, in place of every combination of them"},
    Key{.path = "filter", .kind = KeyKind::tables,
        .description = "conditions that every point must satisfy"},
    Key{.path = "require", .kind = KeyKind::tables,
        .description = "conditions that every result must satisfy"},
    Key{.path = "keep", .kind = KeyKind::table,
        .description = "which rows stay in the file"},
    Key{.path = "objectives", .kind = KeyKind::table,
        .description = "what is best"},
    Key{.path = "dataset", .kind = KeyKind::table,
        .description = "who made the data and how others may use and cite them; not part of the "
                       "study's identity"},
};

constexpr std::array in_allocate = {
    Key{.path = "allocate", .kind = KeyKind::table,
        .description = "shares of a derived device's budgets that the study finds by itself",
        .axis = "allocation"},
    Key{.path = "allocate.core_area_share", .kind = KeyKind::range,
        .fallback = "of the template", .example = "{ from = 0.4, to = 0.9 }",
        .description = "range of that share of `[system.device]`, where it must not stand as "
                       "well. At least one of the three shares"},
    Key{.path = "allocate.memory_edge_share", .kind = KeyKind::range,
        .fallback = "of the template", .example = "{ from = 0.2, to = 0.5 }",
        .description = "the same; `stacks` must be left out"},
    Key{.path = "allocate.memory_power_share", .kind = KeyKind::range,
        .fallback = "of the template", .example = "{ from = 0.05, to = 0.4 }",
        .description = "the same"},
    Key{.path = "allocate.grid", .kind = KeyKind::integer, .fallback = "5", .example = "7",
        .description = "values of each share in the first round, both ends among them",
        .range = grid_range},
    Key{.path = "allocate.rounds", .kind = KeyKind::integer, .fallback = "2", .example = "3",
        .description = "rounds after the first: in each, 3 values of each share, the best so far "
                       "in the middle, half as far apart as in the round before, none outside "
                       "its range",
        .range = round_range, .zero = true},
    Key{.path = "allocate.minimize", .kind = KeyKind::name, .fallback = "the first objective",
        .example = "\"step_time\"",
        .description = "column that is smallest for the best candidate, over all strategies that "
                       "fit and pass the filters. Ties go to the earlier candidate; where nothing "
                       "fits, the next round is around the middle of the ranges"},
    Key{.path = "allocate.maximize", .kind = KeyKind::name, .fallback = "the first objective",
        .example = "\"tokens_per_second\"",
        .description = "in place of `minimize`: column that is largest for the best candidate",
        .unless = "minimize"},
};

constexpr std::array in_result = {
    Key{.path = "search.axes", .kind = KeyKind::name, .need = Need::required,
        .example = "\"die_area\"",
        .description = "budgets and shares of a derived device that have several rising values; by "
                       "a model or a climb every number or quantity of what is built",
        .list = true},
    Key{.path = "search.find", .kind = KeyKind::name, .fallback = "\"best\"",
        .example = "\"transitions\"",
        .description = "`best`: what the policy keeps; `transitions`: between which two "
                       "neighbouring values of one axis the bottleneck of the best point changes, "
                       "below",
        .words = search_for_names},
    Key{.path = "search.method", .kind = KeyKind::name,
        .fallback = "`\"bounds\"`; of services `\"model\"`", .example = "\"climb\"",
        .description = "of the best: `bounds` proves that no other device is better; `model` looks "
                       "where a model of what it saw expects most, and says what that expects of "
                       "the rest; `climb` goes to what is better from the middle, and says nothing "
                       "of the rest",
        .words = search_method_names, .needs = "find = \"best\""},
    Key{.path = "search.first_values", .kind = KeyKind::integer, .fallback = "9",
        .example = "17",
        .description = "of transitions: values, evenly spread, that are looked at first. What "
                       "changes twice between two of them may be missed",
        .range = first_values_range, .needs = "find = \"transitions\""},
    Key{.path = "search.tolerance", .kind = KeyKind::number, .fallback = "0.001",
        .example = "0.01",
        .description = "of the best: what is not looked at is better by this part at most; of a "
                       "model, what it expects to win by looking on",
        .range = config::open_share, .needs = "find = \"best\"", .excludes = "method = \"climb\""},
    Key{.path = "search.devices", .kind = KeyKind::integer, .fallback = "100000; of a model 400",
        .example = "2000",
        .description = "of the best: most devices, and boxes of them, that are looked at in each "
                       "combination of the other axes. Where they do not do, the file tells how "
                       "much better something else may be",
        .range = device_range, .needs = "find = \"best\""},
    Key{.path = "together.axes", .kind = KeyKind::name, .need = Need::required,
        .example = "[\"sequence\", \"global_batch\"]",
        .description = "two axes or more with as many values each: the first of one goes with the "
                       "first of the others, the second with the second, and so on",
        .list = true},
    Key{.path = "filter.where", .kind = KeyKind::text, .need = Need::required,
        .example = "\"tensor_parallel <= scale_up_domain\"",
        .description = "condition that a point must satisfy, below"},
    Key{.path = "require.where", .kind = KeyKind::text, .need = Need::required,
        .example = "\"cost_per_step < '2 USD'\"",
        .description = "condition that an estimate must satisfy, below"},
    Key{.path = "require.name", .kind = KeyKind::name, .fallback = "`requirement_` and its number",
        .example = "\"in_budget\"",
        .description = "what misses it has the status `misses_` with this behind it"},
    Key{.path = "keep.policy", .kind = KeyKind::name_or_table, .fallback = "\"all\"",
        .example = "\"best\"", .description = "whose rows stay in the file, below",
        .words = policies},
    Key{.path = "keep.k", .kind = KeyKind::integer, .fallback = "1", .example = "3",
        .description = "rows of each group", .range = count_range,
        .needs = "policy = \"best\""},
    Key{.path = "keep.per", .kind = KeyKind::name,
        .fallback = "what varies of the workload",
        .example = "[\"logic\", \"memory\"]",
        .description = "axes that make the groups", .list = true,
        .needs = "policy = \"best\" or \"frontier\""},
    Key{.path = "keep.counts", .kind = KeyKind::name, .fallback = "\"exact\"",
        .example = "\"bounded\"",
        .description = "`bounded`: what cannot stay is not estimated, with `best` and `frontier`, "
                       "below",
        .words = counts_names},
    Key{.path = "keep.best", .kind = KeyKind::table, .example = "{ k = 5, per = [\"logic\"] }",
        .description = "in place of `policy = \"best\"`, `k` and `per`"},
    Key{.path = "keep.best.k", .kind = KeyKind::integer, .fallback = "1", .example = "5",
        .description = "as `k`", .range = count_range},
    Key{.path = "keep.best.per", .kind = KeyKind::name,
        .fallback = "what varies of the workload", .example = "[\"logic\"]",
        .description = "as `per`", .list = true},
    Key{.path = "keep.operators", .kind = KeyKind::truth, .fallback = "false",
        .example = "true",
        .description = "columns for every operator of a layer and of the head, below",
        .variants = keys::inference},
    Key{.path = "objectives.minimize", .kind = KeyKind::name,
        .fallback = "by the kind of workload, below",
        .example = "[\"step_time\", \"energy_per_token\"]",
        .description = "columns and axes with numbers of which less is better. The first "
                       "objective decides what is best, all of them make the frontier",
        .list = true},
    Key{.path = "objectives.maximize", .kind = KeyKind::name, .fallback = "none",
        .example = "\"tokens_per_second\"",
        .description = "those of which more is better; they come after those of `minimize`",
        .list = true},
};
// clang-format on

}  // namespace

std::span<const Key> top_keys() {
  return at_top;
}
std::span<const Key> allocate_keys() {
  return in_allocate;
}
std::span<const Key> result_keys() {
  return in_result;
}

}  // namespace scalesweep::space
