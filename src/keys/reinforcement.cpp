// Rows of [workload] that reinforcement learning alone has, and that decide no strategy.
#include <array>

#include "estimator/reinforcement/job.hpp"
#include "keys/rows.hpp"

namespace scalesweep::keys {
namespace {

using estimator::ReinforcementJob;

constexpr std::array<std::string_view, 2> idle_states = {"offloaded", "kept"};
constexpr std::array<std::string_view, 2> references = {"used", "none"};
constexpr NumberRange spreads = {0.0, true, 1e6, true};

// The model of that name; nothing for the one word that names none.
template <auto scorer, const std::array<std::string_view, 1>& none>
void set_scorer(ReinforcementJob& job, const AxisValue& value) {
  job.*scorer =
      value.label == none.front() ? std::nullopt : std::optional(value.catalog.model(value.label));
}
template <const auto& word, auto flag>
void set_flag_of_policy(ReinforcementJob& job, const AxisValue& value) {
  job.*flag = value.label == word;
}

// clang-format off
constexpr auto reinforcement_table = std::to_array<Row>({
    {{.path = "workload.prompt", .kind = KeyKind::integer, .need = Need::required,
        .example = "1024", .units = "tokens",
        .description = "prompt, in the mean. With the output more than the context of the model is "
                       "a warning, or an error where its positions are learned",
        .list = true, .axis = "prompt", .asked = true, .variants = reinforcement,
        .instead = "write sequence"}, sets<&ReinforcementJob::prompt>},
    {{.path = "workload.output", .kind = KeyKind::integer, .need = Need::required,
        .example = "[2048, 8192]", .units = "tokens",
        .description = "answer of the policy, in the mean after its limit",
        .list = true, .axis = "output", .asked = true, .variants = reinforcement,
        .instead = "write sequence"}, sets<&ReinforcementJob::output>},
    {{.path = "workload.output_spread", .kind = KeyKind::number, .need = Need::standing,
        .fallback = "0", .example = "0.8",
        .description = "standard deviation of the lengths of answers over their mean, before any "
                       "limit: they are log-normal. 0: all are alike",
        .range = spreads, .list = true, .axis = "output_spread", .asked = true,
        .variants = reinforcement}, sets<&ReinforcementJob::output_spread>},
    {{.path = "workload.most_output", .kind = KeyKind::integer,
        .fallback = "no limit", .example = "16_384", .units = "tokens",
        .description = "limit at which an answer is cut off. Memory of training holds a prompt "
                       "with an answer this long",
        .list = true, .axis = "most_output", .asked = true, .variants = reinforcement},
     sets<&ReinforcementJob::most_output>},
    {{.path = "workload.critic", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"none\"", .example = "\"llama-3-8b\"",
        .description = "a model that is trained beside the policy and scores every token (PPO), "
                       "or none (GRPO)",
        .list = true, .axis = "critic", .asked = true, .names = critics, .variants = reinforcement},
     sets<set_scorer<&ReinforcementJob::critic, no_model>>},
    {{.path = "workload.reward", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"rule\"", .example = "[\"rule\", \"llama-3-8b\"]",
        .description = "a model that scores answers, or a rule, which takes no time of devices",
        .list = true, .axis = "reward", .asked = true, .names = rewards, .variants = reinforcement},
     sets<set_scorer<&ReinforcementJob::reward, scored_by_rule>>},
    {{.path = "workload.reference", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"used\"", .example = "\"none\"",
        .description = "whether the policy is held near the model that it began as, which reads "
                       "all answers once",
        .words = references, .list = true, .axis = "reference", .asked = true,
        .variants = reinforcement},
     sets<set_flag_of_policy<references[0], &ReinforcementJob::has_reference>>},
    {{.path = "workload.epochs", .kind = KeyKind::integer, .need = Need::standing,
        .fallback = "1", .example = "2",
        .description = "how often an iteration trains on its samples",
        .list = true, .axis = "epochs", .asked = true, .variants = reinforcement},
     sets<&ReinforcementJob::epochs>},
    {{.path = "workload.staleness", .kind = KeyKind::integer, .need = Need::standing,
        .fallback = "0", .example = "[0, 1, 4]", .units = "iterations",
        .description = "how many iterations old the weights may be that a sample was begun with. "
                       "0: rollouts and training wait for each other; 1: they run at the same "
                       "time; more: new samples begin before the longest ones end. Of separate "
                       "placement alone: colocated points of more are `not_separate`",
        .zero = true, .list = true, .axis = "staleness", .asked = true, .variants = reinforcement,
        .needs = "placement = \"separate\""}, sets<&ReinforcementJob::staleness>},
    {{.path = "workload.idle_states", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"offloaded\"", .example = "[\"offloaded\", \"kept\"]",
        .description = "where weights and optimizer states of training are while colocated "
                       "rollouts run: in host memory, to which they go and from which they come "
                       "back once an iteration, or on the devices",
        .words = idle_states, .list = true, .axis = "idle_states", .variants = reinforcement},
     sets<set_flag_of_policy<idle_states[1], &ReinforcementJob::keeps_states>>},
    {{.path = "workload.precision", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"bf16\"", .example = "[\"bf16\", \"fp8\"]",
        .description = "operands of the linear layers in training and scoring; the rest as in "
                       "training",
        .list = true, .axis = "precision", .variants = reinforcement}},
    {{.path = "workload.rollout_precision", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"bf16\"", .example = "\"fp8\"",
        .description = "operands and weights of the linear layers in rollouts, as weights move "
                       "there",
        .list = true, .axis = "rollout_precision", .variants = reinforcement}},
    {{.path = "workload.framework", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"fsdp\"", .example = "\"megatron-lm\"",
        .description = "the software that trains and scores, an entry of "
                       "`nodes/frameworks.toml`, or of `nodes/frameworks-reinforcement.toml`, "
                       "whose iterations were measured",
        .list = true, .axis = "framework", .names = frameworks, .variants = reinforcement},
     sets<set_policy_stack>},
    {{.path = "workload.rollout_framework", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"vllm\"", .example = "\"sglang\"",
        .description = "the engine of rollouts, an entry with a table `serving`",
        .list = true, .axis = "rollout_framework", .names = frameworks, .variants = reinforcement},
     sets<set_rollout_stack>},
});
// clang-format on

}  // namespace

std::span<const Row> reinforcement_rows() {
  return reinforcement_table;
}

}  // namespace scalesweep::keys
