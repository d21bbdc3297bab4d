#include "deploy/targets/training_values.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "deploy/parts/vendors.hpp"

namespace scalesweep::deploy {

std::int64_t recomputed_layers(const TrainingRun& r) {
  const std::int64_t chunks = std::int64_t{r.strategy.pipeline_parallel} * r.strategy.chunks;
  const std::int64_t of_chunk = (r.model().layers + chunks - 1) / chunks;
  return std::max<std::int64_t>(1, of_chunk / r.strategy.recompute_every);
}

std::int64_t sharded_ranks(const parallel::Strategy& s) {
  if (s.zero == 0) {
    return 1;
  }
  // The group of the strategy counts context-parallel ranks as well.
  const std::int64_t own = s.shard_group / s.context_parallel;
  return s.shard_group > 0 ? std::max<std::int64_t>(1, own) : s.data_parallel;
}

std::int64_t replicated_ranks(const parallel::Strategy& s) {
  return s.data_parallel / sharded_ranks(s);
}

std::int64_t sharded_copies(const parallel::Strategy& s) {
  return s.shard_group > 0 ? s.replicas() / s.shard_group : 1;
}

std::string expert_layer_pattern(const workload::TransformerModel& model) {
  const workload::Experts& experts = model.experts;
  if (experts.dense_layers > 0 && experts.every == 1) {
    return fmt::format("([0]*{}+[1]*{})", experts.dense_layers,
                       model.layers - experts.dense_layers);
  }
  return fmt::format("{}", experts.every);
}

bool multiplies(const TrainingRun& r, technology::Precision precision) {
  return r.job.precision.linear == precision;
}

std::vector<std::string> notes_of_model(const workload::TransformerModel& model) {
  std::vector<std::string> notes;
  if (model.linear.on()) {
    notes.push_back(fmt::format(
        "{} of the layers of {} keep a state instead of keys and values: no option here says so, "
        "take them from a recipe of the model",
        model.linear.layers, model.name));
  }
  if (model.local.on()) {
    notes.push_back(fmt::format(
        "{} of the layers of {} attend to {} tokens: no option here says so, take it from a recipe "
        "of the model",
        model.local.layers, model.name, model.local.window));
  }
  if (model.sparse.on()) {
    notes.push_back(
        fmt::format("attention of {} to chosen tokens: no option here says so, take it "
                    "from a recipe of the model",
                    model.name));
  }
  return notes;
}

std::vector<std::string> notes_of_layout(const TrainingRun& r, parallel::RankOrder order) {
  std::vector<std::string> notes;
  if (r.strategy.rank_order != order) {
    notes.push_back(
        fmt::format("ranks are numbered {} here, and {} in the point: no option says so",
                    parallel::name_of(order), parallel::name_of(r.strategy.rank_order)));
  }
  if (r.strategy.tensor_parallel > r.hosts.per_node) {
    notes.push_back(fmt::format("{} tensor-parallel ranks are of several servers of {} devices",
                                r.strategy.tensor_parallel, r.hosts.per_node));
  }
  return notes;
}

}  // namespace scalesweep::deploy
