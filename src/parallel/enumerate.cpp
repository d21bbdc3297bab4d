#include "parallel/enumerate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>

#include "core/contracts.hpp"
#include "parallel/choices.hpp"
#include "parallel/expert_devices.hpp"
#include "parallel/shared_cache.hpp"
#include "workload/model.hpp"

namespace scalesweep::parallel {
namespace {

// Applies the rules in order and counts what each removes.
class Enumeration {
 public:
  Enumeration(const StrategyRules& rules, const workload::TransformerModel& model,
              const JobShape& job)
      : rules_(rules), model_(model), job_(job) {}

  // Every device has an even share of the samples; the tables differ.
  StrategyTable run_tables() {
    Strategy strategy;
    strategy.data_parallel = static_cast<std::int32_t>(job_.accelerators);
    strategy.micro_batch = static_cast<std::int32_t>(job_.global_batch / job_.accelerators);
    if (!require(job_.global_batch % job_.accelerators == 0, [&] {
          return fmt::format("accelerators ({}) must divide {} ({})", job_.accelerators,
                             rules_.batch.key, job_.global_batch);
        })) {
      return std::move(table_);
    }
    for (const TableSharding sharding : rules_.table_sharding) {
      if (require(job_.accelerators > 1 || sharding == TableSharding::table,
                  "on one device tables are whole: table_sharding must be \"table\"")) {
        strategy.table_sharding = sharding;
        table_.strategies.push_back(strategy);
      }
    }
    return std::move(table_);
  }

  // Devices of a replica share matrices or tokens; replicas share images and guided passes.
  StrategyTable run_images() {
    for (const std::int64_t tp : candidates(rules_.tensor_parallel, job_.accelerators)) {
      if (!tensor_parallel_valid(tp)) {
        continue;
      }
      for (const std::int64_t cp : candidates(rules_.context_parallel, job_.accelerators / tp)) {
        if (require(job_.accelerators % (tp * cp) == 0, [&] {
              return fmt::format("tensor_parallel x context_parallel must divide accelerators ({})",
                                 job_.accelerators);
            })) {
          add_images(tp, cp);
        }
      }
    }
    return std::move(table_);
  }

  StrategyTable run() {
    const std::int64_t all = job_.accelerators;
    for (const std::int64_t experts : rules_.expert_devices) {
      job_.expert_devices = experts;
      job_.accelerators = all - experts;
      if (require(job_.accelerators > 0,
                  fmt::format("expert_devices must be less than accelerators ({}): attention "
                              "needs some, too",
                              all))) {
        add_layers();
      }
    }
    order();
    return std::move(table_);
  }

 private:
  void add_layers() {
    for (const std::int64_t tp : candidates(rules_.tensor_parallel, job_.accelerators)) {
      if (!tensor_parallel_valid(tp)) {
        continue;
      }
      for (const std::int64_t cp : candidates(rules_.context_parallel, job_.accelerators / tp)) {
        if (context_parallel_valid(tp, cp)) {
          add_shared_caches(tp, cp);
        }
      }
    }
  }

  // False, and counted against the rule, unless it holds. The rule is a text or makes one.
  template <typename Rule>
  bool require(bool holds, const Rule& rule) {
    if (holds) {
      return true;
    }
    if constexpr (std::is_invocable_v<Rule>) {
      reject(rule());
    } else {
      reject(rule);
    }
    return false;
  }

  // What the devices of layers are called in rules.
  std::string devices() const {
    return fmt::format("accelerators{} ({})", job_.expert_devices > 0 ? " less expert_devices" : "",
                       job_.accelerators);
  }

  void reject(std::string rule) {
    for (Rejection& rejection : table_.rejections) {
      if (rejection.rule == rule) {
        ++rejection.candidates;
        return;
      }
    }
    table_.rejections.push_back({std::move(rule), 1});
  }

  bool tensor_parallel_valid(std::int64_t tp) {
    const workload::Experts& experts = model_.experts;
    return require(job_.accelerators % tp == 0,
                   [&] { return "tensor_parallel must divide " + devices(); }) &&
           require(model_.heads % tp == 0,
                   [&] {
                     return fmt::format("tensor_parallel must divide the model's heads ({})",
                                        model_.heads);
                   }) &&
           require(model_.linear.heads % tp == 0,
                   [&] {
                     return fmt::format(
                         "tensor_parallel must divide the heads of the model's linear layers ({})",
                         model_.linear.heads);
                   }) &&
           require(model_.kv_heads % tp == 0 || tp % model_.kv_heads == 0,
                   [&] {
                     return fmt::format(
                         "tensor_parallel must divide or be a multiple of the model's kv_heads "
                         "({})",
                         model_.kv_heads);
                   }) &&
           require(model_.hidden % tp == 0 && model_.ffn % tp == 0,
                   [&] {
                     return fmt::format(
                         "tensor_parallel must divide the model's hidden ({}) and ffn ({})",
                         model_.hidden, model_.ffn);
                   }) &&
           require(!experts.on() || (experts.ffn % tp == 0 && experts.shared_ffn % tp == 0), [&] {
             return fmt::format("tensor_parallel must divide the ffn of an expert ({})",
                                experts.ffn);
           });
  }

  // A causal sequence is cut into twice as many parts, and each rank has an early and a late one,
  // so that all do the same work (Megatron-LM; Brandon et al., Striped Attention,
  // arXiv:2311.09431).
  bool context_parallel_valid(std::int64_t tp, std::int64_t cp) {
    const std::int64_t parts = cp > 1 && model_.causal ? 2 * cp : cp;
    return require(job_.accelerators % (tp * cp) == 0,
                   [&] { return "tensor_parallel x context_parallel must divide " + devices(); }) &&
           require(job_.sequence % parts == 0, [&] {
             return fmt::format("{}context_parallel must divide sequence ({}){}",
                                parts > cp ? "twice " : "", job_.sequence,
                                parts > cp ? ", so that causal attention is balanced" : "");
           });
  }

  // A step of training has one pass over each image.
  bool images_shared(std::int64_t dp) {
    constexpr std::string_view replicas =
        "data_parallel (accelerators / tensor_parallel / context_parallel) must divide";
    const std::int64_t passes = job_.trains ? job_.global_batch : job_.global_batch * job_.passes;
    return require(passes % dp == 0, [&] {
      return fmt::format("{} {}{} ({})", replicas, rules_.batch.key,
                         job_.trains ? "" : " x passes of the model", passes);
    });
  }

  void add_images(std::int64_t tp, std::int64_t cp) {
    const std::int64_t dp = job_.accelerators / tp / cp;
    if (!images_shared(dp)) {
      return;
    }
    Strategy strategy;
    strategy.tensor_parallel = static_cast<std::int32_t>(tp);
    strategy.context_parallel = static_cast<std::int32_t>(cp);
    strategy.data_parallel = static_cast<std::int32_t>(dp);
    if (cp == 1) {  // nothing is exchanged
      add_image_batches(strategy);
      return;
    }
    for (const ContextExchange exchange : rules_.context_exchange) {
      const bool heads = exchange == ContextExchange::all_to_all;
      strategy.context_exchange = exchange;
      if (require(!heads || model_.heads % (tp * cp) == 0, [&] {
            return fmt::format(
                "tensor_parallel x context_parallel must divide the model's heads ({}) where "
                "context_exchange is \"all_to_all\"",
                model_.heads);
          })) {
        add_image_batches(strategy);
      }
    }
  }

  void add_image_batches(Strategy strategy) {
    if (!job_.trains) {
      table_.strategies.push_back(strategy);
      return;
    }
    const std::int64_t own = job_.global_batch / strategy.data_parallel;
    for (const std::int64_t micro_batch : candidates(rules_.micro_batch, own)) {
      if (require(own % micro_batch == 0, [&] {
            return fmt::format("micro_batch must divide {} / data_parallel", rules_.batch.key);
          })) {
        strategy.micro_batch = static_cast<std::int32_t>(micro_batch);
        strategy.micro_batches = static_cast<std::int32_t>(own / micro_batch);
        add_sharding(strategy);
      }
    }
  }

  void add_shared_caches(std::int64_t tp, std::int64_t cp) {
    Strategy strategy;
    strategy.tensor_parallel = static_cast<std::int32_t>(tp);
    strategy.context_parallel = static_cast<std::int32_t>(cp);
    strategy.expert_devices = static_cast<std::int32_t>(job_.expert_devices);
    const std::int64_t most = shared_cache_ranks(model_, tp, tp);
    for (const std::int64_t dcp : candidates(rules_.decode_context_parallel, most)) {
      if (const std::string broken = broken_cache_rule(model_, tp, cp, dcp);
          require(broken.empty(), broken)) {
        strategy.decode_context_parallel = static_cast<std::int32_t>(dcp);
        add_stages(strategy);
      }
    }
  }

  void add_stages(Strategy strategy) {
    const std::int64_t cp = strategy.context_parallel;
    const std::int64_t rest = job_.accelerators / strategy.tensor_parallel / cp;
    for (const std::int64_t pp : candidates(rules_.pipeline_parallel, rest)) {
      if (!require(rest % pp == 0, [&] {
            return fmt::format("tensor_parallel x {}pipeline_parallel must divide {}",
                               cp > 1 ? "context_parallel x " : "", devices());
          })) {
        continue;
      }
      const std::int64_t dp = rest / pp;
      strategy.pipeline_parallel = static_cast<std::int32_t>(pp);
      strategy.data_parallel = static_cast<std::int32_t>(dp);
      if (!require(job_.global_batch % dp == 0 || rules_.batch.is_found, [&] {
            return fmt::format(
                "data_parallel (accelerators / tensor_parallel{} / pipeline_parallel) must divide "
                "{} ({})",
                cp > 1 ? " / context_parallel" : "", rules_.batch.key, job_.global_batch);
          })) {
        continue;
      }
      for (const std::int64_t encoder_stages : rules_.encoder_stages) {
        strategy.encoder_stages = static_cast<std::int32_t>(encoder_stages);
        if (encoder_stages_valid(strategy)) {
          add_edges(strategy);
        }
      }
    }
  }

  bool encoder_stages_valid(const Strategy& strategy) {
    return strategy.encoder_stages == 0 ||
           (require(model_.encoder.on(),
                    "encoder_stages needs a model with an encoder of images or audio") &&
            require(strategy.layer_stages() > 0,
                    "encoder_stages must be below pipeline_parallel: layers need a stage, too"));
  }

  void add_edges(Strategy strategy) {
    for (const std::int64_t first : rules_.first_stage_layers) {
      for (const std::int64_t last : rules_.last_stage_layers) {
        strategy.first_stage_layers = static_cast<std::int32_t>(first);
        strategy.last_stage_layers = static_cast<std::int32_t>(last);
        if (first > 0 || last > 0 ? edges_valid(strategy) : stages_valid(strategy)) {
          add_experts(strategy);
        }
      }
    }
  }

  bool stages_valid(const Strategy& strategy) {
    const std::int64_t stages = strategy.layer_stages();
    const char* less = strategy.encoder_stages > 0 ? " less encoder_stages" : "";
    if (rules_.uneven_stages) {
      return require(stages <= model_.layers + 2, [&] {
        return fmt::format(
            "a stage needs a layer, the embedding or the head: pipeline_parallel{} must be at most "
            "the model's layers + 2 ({})",
            less, model_.layers + 2);
      });
    }
    return require(model_.layers % stages == 0, [&] {
      return fmt::format("pipeline_parallel{} must divide the model's layers ({})", less,
                         model_.layers);
    });
  }

  // Layers that the stages without a number of their own share, and how many of them there are.
  struct Shared {
    std::int64_t layers = 0, stages = 0;
  };
  Shared shared_by_others(const Strategy& strategy) const {
    return {model_.layers - strategy.first_stage_layers - strategy.last_stage_layers,
            strategy.layer_stages() - (strategy.first_stage_layers > 0 ? 1 : 0) -
                (strategy.last_stage_layers > 0 ? 1 : 0)};
  }

  bool edges_valid(const Strategy& strategy) {
    const auto [layers, stages] = shared_by_others(strategy);
    return require(
               strategy.layer_stages() > 1,
               strategy.encoder_stages > 0
                   ? "first_stage_layers and last_stage_layers need more than one stage beside "
                     "encoder_stages"
                   : "first_stage_layers and last_stage_layers need pipeline_parallel above 1") &&
           require(stages > 0 ? layers >= stages && layers % stages == 0 : layers == 0, [&] {
             return fmt::format(
                 "what first_stage_layers and last_stage_layers leave of the model's layers ({}) "
                 "must be some, and as many, for every other stage",
                 model_.layers);
           });
  }

  void add_experts(Strategy strategy) {
    for (const bool over_tensor : rules_.experts_over_tensor) {
      strategy.experts_over_tensor = over_tensor;
      if (require(!over_tensor || strategy.tensor_parallel > 1,
                  "experts_over_tensor needs tensor_parallel above 1")) {
        add_expert_groups(strategy);
      }
    }
  }

  void add_expert_groups(Strategy strategy) {
    const std::int64_t tp = strategy.tensor_parallel;
    const bool over_tensor = strategy.experts_over_tensor;
    const std::int64_t ranks = strategy.replicas() * (over_tensor ? tp : 1);
    for (const std::int64_t ep : candidates(rules_.expert_parallel, ranks)) {
      if (require(ep == 1 || model_.experts.on(),
                  "expert_parallel above 1 needs a model with experts") &&
          require(over_tensor || ranks % ep == 0,
                  "expert_parallel must divide data_parallel x context_parallel, unless "
                  "experts_over_tensor is true") &&
          require(!over_tensor || (ep % tp == 0 && ranks % ep == 0),
                  "with experts_over_tensor, expert_parallel must be a multiple of "
                  "tensor_parallel and divide tensor_parallel x data_parallel x "
                  "context_parallel")) {
        strategy.expert_parallel = static_cast<std::int32_t>(ep);
        if (const std::string broken = broken_expert_devices_rule(strategy, model_.experts.count);
            require(broken.empty(), broken)) {
          add_copies(strategy);
        }
      }
    }
  }

  // Of the most popular experts; no rank holds one twice.
  void add_copies(Strategy strategy) {
    for (const std::int64_t copies : rules_.redundant_experts) {
      strategy.redundant_experts = static_cast<std::int32_t>(copies);
      if (const std::string broken =
              broken_expert_rule(strategy, model_.experts.count, rules_.uneven_experts);
          require(broken.empty(), broken)) {
        add_batches(strategy);
      }
    }
  }

  void add_batches(Strategy strategy) {
    if (rules_.batch.is_found) {
      add_chunks(strategy);
      return;
    }
    const std::int64_t local_batch = job_.global_batch / strategy.data_parallel;
    const std::int64_t stages = strategy.pipeline_parallel;
    const Choices by_stages = only(local_batch % stages == 0 ? local_batch / stages : local_batch);
    for (const std::int64_t micro_batch :
         candidates(rules_.micro_batch.by_stages ? by_stages : rules_.micro_batch, local_batch)) {
      if (require(local_batch % micro_batch == 0, [&] {
            return fmt::format("micro_batch must divide {} / data_parallel", rules_.batch.key);
          })) {
        strategy.micro_batch = static_cast<std::int32_t>(micro_batch);
        strategy.micro_batches = static_cast<std::int32_t>(local_batch / micro_batch);
        add_chunks(strategy);
      }
    }
  }

  // Layers of a stage that chunks may divide: of one in the middle, where embedding and head count
  // as layers too if those do not divide.
  std::int64_t chunked_layers(const Strategy& strategy) const {
    const int pp = strategy.layer_stages();
    if (strategy.first_stage_layers > 0 || strategy.last_stage_layers > 0) {
      const auto [layers, stages] = shared_by_others(strategy);
      return stages > 0 ? layers / stages : strategy.first_stage_layers;
    }
    const std::int64_t edges = model_.layers % pp == 0 ? 0 : 2;
    return std::max<std::int64_t>(1, (model_.layers + edges) / pp);
  }

  bool chunks_valid(const Strategy& strategy, std::int64_t chunks) {
    const int pp = strategy.pipeline_parallel;
    if (chunks == 1) {
      return true;
    }
    if (strategy.first_stage_layers > 0 || strategy.last_stage_layers > 0) {
      return require(strategy.first_stage_layers % chunks == 0 &&
                         strategy.last_stage_layers % chunks == 0 &&
                         chunked_layers(strategy) % chunks == 0,
                     "with first_stage_layers or last_stage_layers, chunks must divide the layers "
                     "of every stage");
    }
    if (rules_.uneven_stages) {
      return require(pp * chunks <= model_.layers + 2, [&] {
        return fmt::format(
            "a chunk needs a layer, the embedding or the head: pipeline_parallel x chunks must be "
            "at most the model's layers + 2 ({})",
            model_.layers + 2);
      });
    }
    return require(model_.layers % (pp * chunks) == 0,
                   "pipeline_parallel x chunks must divide the model's layers, unless "
                   "uneven_stages is true");
  }

  void add_chunks(Strategy strategy) {
    const int pp = strategy.pipeline_parallel;
    for (const std::int64_t chunks : candidates(rules_.chunks, chunked_layers(strategy))) {
      if (!require(chunks == 1 || pp > 1, "more than one chunk needs pipeline_parallel above 1") ||
          !require(chunks == 1 || strategy.encoder_stages == 0,
                   "more than one chunk needs stages that all have layers: no encoder_stages") ||
          !chunks_valid(strategy, chunks) ||
          !require(chunks == 1 || strategy.micro_batches % pp == 0,
                   "the interleaved schedule (more than one chunk) needs a number of "
                   "micro-batches that pipeline_parallel divides")) {
        continue;
      }
      strategy.chunks = static_cast<std::int32_t>(chunks);
      for (const Schedule schedule : rules_.schedule) {
        strategy.schedule = schedule;
        if (schedule_valid(strategy)) {
          add_sequence_parallel(strategy);
        }
      }
    }
  }

  // DualPipe feeds both ends alike: an even number of stages, and of micro-batches (DeepSeek-V3,
  // arXiv:2412.19437, section 3.2.1); with fewer than two a stage the pipes do not meet.
  bool schedule_valid(const Strategy& strategy) {
    if (strategy.schedule == Schedule::one_forward_one_backward) {
      return true;
    }
    const int pp = strategy.pipeline_parallel;
    const int m = strategy.micro_batches;
    const bool dual = strategy.schedule == Schedule::dual_pipe;
    return require(strategy.chunks == 1, "more than one chunk needs the schedule 1f1b") &&
           require(pp > 1,
                   [&] {
                     return fmt::format("the schedule {} needs pipeline_parallel above 1",
                                        name_of(strategy.schedule));
                   }) &&
           require(!dual || strategy.encoder_stages == 0,
                   "the schedule dual_pipe needs stages that all have layers: no encoder_stages") &&
           require(!dual || pp % 2 == 0,
                   "the schedule dual_pipe needs an even pipeline_parallel") &&
           require(!dual || (m % 2 == 0 && m >= 2 * pp),
                   "the schedule dual_pipe needs an even number of micro-batches, at least twice "
                   "pipeline_parallel");
  }

  void add_sequence_parallel(Strategy strategy) {
    const std::int64_t tp = strategy.tensor_parallel;
    const std::int64_t cp = strategy.context_parallel;
    for (const bool sequence_parallel : rules_.sequence_parallel) {
      if (require(!sequence_parallel || tp > 1,
                  "sequence_parallel needs tensor_parallel above 1") &&
          require(!sequence_parallel || job_.sequence % (tp * cp) == 0, [&] {
            return fmt::format(
                "with sequence_parallel, tensor_parallel{} must divide sequence ({})",
                cp > 1 ? " x context_parallel" : "", job_.sequence);
          })) {
        strategy.sequence_parallel = sequence_parallel;
        add_exchanges(strategy);
      }
    }
  }

  // With all-to-all a rank has whole sequences of some heads (Jacobs et al., arXiv:2309.14509).
  void add_exchanges(Strategy strategy) {
    const std::int64_t cut = std::int64_t{strategy.tensor_parallel} * strategy.context_parallel;
    for (const ContextExchange exchange : rules_.context_exchange) {
      const bool ring = exchange == ContextExchange::ring;
      if (!require(ring || strategy.context_parallel > 1,
                   "context_exchange all_to_all needs context_parallel above 1") ||
          !require(ring || model_.heads % cut == 0, [&] {
            return fmt::format(
                "with context_exchange all_to_all, tensor_parallel x context_parallel must divide "
                "the model's heads ({})",
                model_.heads);
          })) {
        continue;
      }
      strategy.context_exchange = exchange;
      for (const RankOrder rank_order : rules_.rank_order) {
        strategy.rank_order = rank_order;
        add_sharding(strategy);
      }
    }
  }

  void add_sharding(Strategy strategy) {
    const std::int64_t replicas = strategy.replicas();
    for (const int zero : rules_.zero) {
      if (!require(zero == 0 || replicas > 1,
                   "zero above 0 needs data_parallel or context_parallel above 1")) {
        continue;
      }
      strategy.zero = static_cast<std::uint8_t>(zero);
      for (const std::int64_t group : rules_.shard_group) {
        if (require(group == 0 || zero == 3, "shard_group needs zero 3") &&
            require(group == 0 || (replicas % group == 0 && group < replicas),
                    "shard_group must divide data_parallel x context_parallel and be less")) {
          strategy.shard_group = static_cast<std::int32_t>(group);
          add_recomputation(strategy);
        }
      }
    }
  }

  void add_recomputation(Strategy strategy) {
    for (const Recompute recompute : rules_.recompute) {
      if (!require(rules_.kind != WorkloadKind::diffusion || recompute != Recompute::selective,
                   "layers of a diffusion model are recomputed whole: recompute must be \"none\" "
                   "or \"full\"")) {
        continue;
      }
      strategy.recompute = recompute;
      for (const std::int64_t every : candidates(rules_.recompute_every, model_.layers)) {
        if (require(every == 1 || recompute == Recompute::full,
                    "recompute_every above 1 needs recompute full") &&
            require(every <= model_.layers, [&] {
              return fmt::format("recompute_every must be at most the model's layers ({})",
                                 model_.layers);
            })) {
          strategy.recompute_every = static_cast<std::int32_t>(every);
          add_offload(strategy);
        }
      }
    }
  }

  void add_offload(Strategy strategy) {
    for (const bool activations : rules_.offload_activations) {
      for (const bool optimizer : rules_.offload_optimizer) {
        strategy.offload_activations = activations;
        strategy.offload_optimizer = optimizer;
        table_.strategies.push_back(strategy);
      }
    }
  }

  // Neighbours share the kernels of a layer.
  void order() { std::ranges::stable_sort(table_.strategies, std::less<>(), layer_key); }

  const StrategyRules& rules_;
  const workload::TransformerModel& model_;
  JobShape job_;
  StrategyTable table_;
};

}  // namespace

StrategyTable enumerate_strategies(const StrategyRules& rules,
                                   const workload::TransformerModel& model, const JobShape& job) {
  SCALESWEEP_EXPECT(job.accelerators > 0 && job.global_batch > 0 && job.sequence >= 0);
  if (rules.kind == WorkloadKind::recommendation) {
    return Enumeration(rules, model, job).run_tables();
  }
  if (rules.kind == WorkloadKind::diffusion) {
    return Enumeration(rules, model, job).run_images();
  }
  SCALESWEEP_EXPECT(model.layers > 0 && model.heads > 0 && model.kv_heads > 0);
  return Enumeration(rules, model, job).run();
}

}  // namespace scalesweep::parallel
