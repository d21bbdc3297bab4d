#include "deploy/parts/pipeline_split.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "core/text.hpp"
#include "estimator/parts/stages.hpp"
#include "workload/model.hpp"

namespace scalesweep::deploy {
namespace {

std::int64_t parts_of(const parallel::Strategy& strategy) {
  return std::int64_t{strategy.pipeline_parallel} * strategy.chunks;
}

}  // namespace

bool is_uneven(const workload::TransformerModel& model, const parallel::Strategy& strategy) {
  return strategy.first_stage_layers == 0 && strategy.last_stage_layers == 0 &&
         model.layers % parts_of(strategy) != 0;
}

bool is_even_with_edges(const workload::TransformerModel& model,
                        const parallel::Strategy& strategy) {
  return is_uneven(model, strategy) && (model.layers + 2) % parts_of(strategy) == 0;
}

std::string layers_text(const workload::TransformerModel& model,
                        const parallel::Strategy& strategy) {
  std::vector<std::string> stages;
  for (std::int64_t stage = 0; stage < strategy.pipeline_parallel; ++stage) {
    stages.push_back(fmt::format("{}", estimator::layers_of_part(model, strategy, stage)));
  }
  return join(stages, ",");
}

std::string layout_text(const workload::TransformerModel& model,
                        const parallel::Strategy& strategy) {
  const std::int64_t parts = parts_of(strategy);
  std::vector<std::string> texts;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t layers = estimator::layers_of_part(model, strategy, part);
    std::string text = part == 0 ? "E" : "";
    text += layers == 1 ? "t" : layers > 1 ? fmt::format("t*{}", layers) : "";
    if (part + 1 == parts) {
      text += std::string(static_cast<std::size_t>(model.prediction_layers), 'm') + "L";
    }
    texts.push_back(text);
  }
  return join(texts, "|");
}

}  // namespace scalesweep::deploy
