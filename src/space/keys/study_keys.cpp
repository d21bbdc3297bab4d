// The rows of the top level, [allocate], [strategy], [[filter]], [keep] and [objectives].
#include <array>

#include "space/keys/rows.hpp"

namespace scalesweep::space {
namespace {

constexpr std::array<std::string_view, 4> policies = {"all", "feasible", "best", "frontier"};
constexpr NumberRange grid_range = {2.0, true, 21.0, true};
constexpr NumberRange round_range = {0.0, true, 8.0, true};
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
    Key{.path = "system", .kind = KeyKind::table, .need = Need::required,
        .description = "devices and networks it runs on"},
    Key{.path = "economics", .kind = KeyKind::table,
        .description = "what buying and running is assumed to cost and to emit"},
    Key{.path = "strategy", .kind = KeyKind::table,
        .description = "how the work is laid out over the devices"},
    Key{.path = "filter", .kind = KeyKind::tables,
        .description = "conditions that every point must satisfy"},
    Key{.path = "keep", .kind = KeyKind::table,
        .description = "which rows stay in the file"},
    Key{.path = "objectives", .kind = KeyKind::table,
        .description = "what is best"},
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
};

constexpr std::array in_result = {
    Key{.path = "filter.where", .kind = KeyKind::text, .need = Need::required,
        .example = "\"tensor_parallel <= scale_up_domain\"",
        .description = "condition that a point must satisfy, below"},
    Key{.path = "keep.policy", .kind = KeyKind::name_or_table, .fallback = "\"all\"",
        .example = "\"best\"", .description = "whose rows stay in the file, below",
        .words = policies},
    Key{.path = "keep.k", .kind = KeyKind::integer, .fallback = "1", .example = "3",
        .description = "rows of each group, with `policy = \"best\"`", .range = count_range},
    Key{.path = "keep.per", .kind = KeyKind::name,
        .fallback = "`best`: one group; `frontier`: what varies of the workload",
        .example = "[\"logic\", \"memory\"]",
        .description = "axes that make the groups of `best` and `frontier`", .list = true},
    Key{.path = "keep.best", .kind = KeyKind::table, .example = "{ k = 5, per = [\"logic\"] }",
        .description = "in place of `policy = \"best\"`, `k` and `per`"},
    Key{.path = "keep.best.k", .kind = KeyKind::integer, .fallback = "1", .example = "5",
        .description = "as `k`", .range = count_range},
    Key{.path = "keep.best.per", .kind = KeyKind::name, .fallback = "one group",
        .example = "[\"logic\"]", .description = "as `per`", .list = true},
    Key{.path = "keep.operators", .kind = KeyKind::truth, .fallback = "false",
        .example = "true",
        .description = "columns for every operator of a layer and of the head, below",
        .variants = inference},
    Key{.path = "objectives.minimize", .kind = KeyKind::name,
        .fallback = "by the kind of workload, below",
        .example = "[\"step_time\", \"energy_per_token\"]",
        .description = "columns and axes with numbers. The first decides what is best, all of "
                       "them make the frontier",
        .list = true},
};

constexpr Key sizes(std::string_view path, std::string_view fallback, std::string_view example,
                    std::string_view description, Variants variants = config::every_variant) {
  return {.path = path, .kind = KeyKind::sizes, .fallback = fallback, .example = example,
          .description = description, .variants = variants};
}
constexpr Key words(std::string_view path, std::string_view fallback, std::string_view example,
                    std::string_view description, std::span<const std::string_view> names) {
  return {.path = path, .kind = KeyKind::name, .fallback = fallback, .example = example,
          .description = description, .words = names, .list = true, .variants = training};
}
constexpr Key flags(std::string_view path, std::string_view fallback, std::string_view example,
                    std::string_view description, Variants variants = training) {
  return {.path = path, .kind = KeyKind::truth, .fallback = fallback, .example = example,
          .description = description, .list = true, .variants = variants};
}

constexpr std::array in_strategy = {
    sizes("strategy.tensor_parallel", "\"divisors\" of accelerators", "[1, 2, 4, 8]",
          "devices that share the matrices of a layer"),
    sizes("strategy.pipeline_parallel", "\"divisors\" of what is left",
          "{ powers_of_two_to = 32 }", "pipeline stages"),
    sizes("strategy.chunks", "\"divisors\" of the layers of a stage", "[1, 2]",
          "chunks of layers in a stage: 1 is the 1F1B schedule, more the interleaved one",
          training),
    sizes("strategy.micro_batch", "\"divisors\" of a replica's sequences", "[1, 2, 4]",
          "sequences that go through the pipeline together", training | inference),
    words("strategy.recompute", "all three", "[\"none\", \"selective\"]",
          "activations computed again instead of kept", parallel::recompute_names),
    Key{.path = "strategy.zero", .kind = KeyKind::integer, .fallback = "0 and 1",
        .example = "[1, 3]",
        .description = "1: optimizer states sharded over the replicas; 2: gradients as well; "
                       "3: weights as well (fully sharded data parallel)",
        .range = {0.0, true, 3.0, true}, .zero = true, .list = true, .variants = training},
    flags("strategy.sequence_parallel", "both; of requests false", "true",
          "norms and dropout split along the sequence", config::every_variant),
    sizes("strategy.context_parallel", "1", "[1, 2]", "devices that share each sequence"),
    words("strategy.context_exchange", "\"ring\"", "\"all_to_all\"",
          "how the parts of a sequence meet: keys and values go around a ring, or heads are "
          "exchanged for tokens", parallel::context_exchange_names),
    sizes("strategy.expert_parallel", "1", "[1, 8]",
          "devices that the experts of a layer are spread over, among those of a stage with the "
          "same tensor-parallel rank"),
    words("strategy.schedule", "\"1f1b\"", "\"zero_bubble\"",
          "how the stages of a pipeline take turns; `1f1b` is interleaved where a stage has "
          "several chunks", parallel::schedule_names),
    Key{.path = "strategy.uneven_stages", .kind = KeyKind::truth, .fallback = "false",
        .example = "true",
        .description = "pipelines that do not divide the layers are valid too; some stages have "
                       "a layer more. No column",
        .variants = training},
    sizes("strategy.recompute_every", "1", "[1, 2]",
          "with full recomputation: one of so many layers is computed again, the others keep "
          "their activations", training),
    Key{.path = "strategy.shard_group", .kind = KeyKind::sizes, .fallback = "\"all\"",
        .example = "[8, \"all\"]",
        .description = "ranks that `zero = 3` shards over, or `\"all\"`; fewer than all is "
                       "hybrid sharding, replicated beyond",
        .variants = training},
    words("strategy.rank_order", "the first", "\"tp-pp-cp-ep-dp\"",
          "how ranks are numbered, innermost first; consecutive ranks share a scale-up domain",
          parallel::rank_order_names),
    flags("strategy.offload_activations", "false", "true",
          "saved activations wait in host memory"),
    flags("strategy.offload_optimizer", "false", "true",
          "optimizer states live, and are updated, in host memory"),
};
// clang-format on

}  // namespace

std::span<const Key> top_keys() {
  return at_top;
}
std::span<const Key> allocate_keys() {
  return in_allocate;
}
std::span<const Key> strategy_keys() {
  return in_strategy;
}
std::span<const Key> result_keys() {
  return in_result;
}

}  // namespace scalesweep::space
