#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "space/model_shape.hpp"
#include "space/space.hpp"

namespace scalesweep::space {
namespace {

Axis names(const std::string& name, int count) {
  Axis axis;
  axis.name = name;
  for (int i = 0; i < count; ++i) {
    axis.labels.push_back(name + std::to_string(i));
    axis.values.push_back(i);
    axis.positions.emplace_back();
  }
  return axis;
}

Axis integers(const std::string& name, const std::vector<int>& values) {
  Axis axis;
  axis.name = name;
  axis.kind = AxisKind::integer;
  for (const int value : values) {
    axis.labels.push_back(std::to_string(value));
    axis.values.push_back(value);
    axis.positions.emplace_back();
  }
  return axis;
}

// At least one of the values, in their order.
std::vector<int> some_of(const std::vector<int>& values) {
  const auto kept =
      *rc::gen::container<std::vector<bool>>(values.size(), rc::gen::arbitrary<bool>());
  std::vector<int> chosen;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (kept[i]) {
      chosen.push_back(values[i]);
    }
  }
  if (chosen.empty()) {
    chosen.push_back(*rc::gen::elementOf(values));
  }
  return chosen;
}

// Models by their number of layers: "model0" has 12, "model1" 24, "model2" 13.
workload::TransformerModel shape(const std::string& name) {
  workload::TransformerModel model;
  model.hidden = 96;
  model.layers = name == "model0" ? 12 : name == "model1" ? 24 : 13;
  model.heads = 12;
  model.kv_heads = 4;
  model.head_dim = 8;
  model.ffn = 384;
  model.vocab = 1000;
  return model;
}

parallel::Choices some_choices() {
  parallel::Choices choices;
  choices.divisors = *rc::gen::arbitrary<bool>();
  choices.at_most = *rc::gen::element(0, 1, 4, 6);
  choices.powers_of_two = *rc::gen::arbitrary<bool>();
  choices.values = {1, 2, 3};
  return choices;
}

Spec some_spec() {
  Spec spec;
  spec.axes = {names("model", *rc::gen::inRange(1, 4)),
               integers("sequence", some_of({6, 8})),
               integers("global_batch", some_of({1, 7, 12})),
               integers("accelerators", some_of({1, 6, 8, 11})),
               names("precision", *rc::gen::inRange(1, 3)),
               names("device", *rc::gen::inRange(1, 4)),
               names("scale_out", *rc::gen::inRange(1, 3)),
               integers("allocation", some_of({0, 1, 2, 3}))};
  spec.strategy.tensor_parallel = some_choices();
  spec.strategy.pipeline_parallel = some_choices();
  spec.strategy.micro_batch = some_choices();
  spec.strategy.chunks = some_choices();
  return spec;
}

Space some_space() {
  Diagnostics diagnostics;
  std::optional<Space> space = Space::build(some_spec(), shape, diagnostics);
  RC_PRE(space.has_value());
  return *space;
}

RC_GTEST_PROP(SpaceProperty, id_to_configuration_and_back, ()) {
  const Space space = some_space();
  const PointId id = *rc::gen::inRange<PointId>(0, space.size());
  const Run run = space.run_at(id);
  const auto place = static_cast<std::size_t>(run.first_strategy + (id - run.ids.first));
  RC_ASSERT(space.id_of(run.axis_index, run.strategies[place]) == id);
}

RC_GTEST_PROP(SpaceProperty, runs_tile_the_ids_without_gap_or_overlap, ()) {
  const Space space = some_space();
  PointId next = 0;
  std::vector<std::int32_t> before;
  while (next < space.size()) {
    const Run run = space.run_at(next);
    RC_ASSERT(run.ids.first == next);
    RC_ASSERT(run.ids.size() == static_cast<std::int64_t>(run.strategies.size()));
    RC_ASSERT(!run.ids.empty());
    // Ids grow with the axis indices, the first axis slowest.
    RC_ASSERT(before < run.axis_index);
    before = run.axis_index;
    next = run.ids.last;
  }
  RC_ASSERT(next == space.size());
}

RC_GTEST_PROP(SpaceProperty, every_id_of_a_run_names_the_same_run, ()) {
  const Space space = some_space();
  const PointId id = *rc::gen::inRange<PointId>(0, space.size());
  const Run run = space.run_at(id);
  const PointId other = *rc::gen::inRange<PointId>(run.ids.first, run.ids.last);
  const Run same = space.run_at(other);
  RC_ASSERT(same.ids == run.ids);
  RC_ASSERT(same.axis_index == run.axis_index);
  RC_ASSERT(same.strategies.data() == run.strategies.data());
}

// What is found does not depend on the order in which it is asked for.
RC_GTEST_PROP(SpaceProperty, ids_in_any_order, ()) {
  const Space space = some_space();
  const auto count = std::min<std::int64_t>(space.size(), 50);
  auto ids = *rc::gen::container<std::vector<PointId>>(static_cast<std::size_t>(count),
                                                       rc::gen::inRange<PointId>(0, space.size()));
  std::vector<std::vector<std::int32_t>> indices;
  for (const PointId id : ids) {
    indices.push_back(space.run_at(id).axis_index);
  }
  for (std::size_t i = ids.size(); i-- > 0;) {
    RC_ASSERT(space.run_at(ids[i]).axis_index == indices[i]);
  }
}

// The space is the product of the axes times what the rules leave, no more and no less.
RC_GTEST_PROP(SpaceProperty, holds_every_valid_configuration_once, ()) {
  const Spec spec = some_spec();
  Diagnostics diagnostics;
  const auto space = Space::build(spec, shape, diagnostics);
  std::int64_t expected = 0;
  for (const std::string& model : spec.axes[0].labels) {
    for (const double sequence : spec.axes[1].values) {
      for (const double batch : spec.axes[2].values) {
        for (const double accelerators : spec.axes[3].values) {
          const parallel::StrategyTable table = parallel::enumerate_strategies(
              spec.strategy, shape(model),
              {static_cast<std::int64_t>(accelerators), static_cast<std::int64_t>(batch),
               static_cast<std::int64_t>(sequence)});
          expected += static_cast<std::int64_t>(table.strategies.size());
        }
      }
    }
  }
  for (std::size_t i = 4; i < spec.axes.size(); ++i) {
    expected *= static_cast<std::int64_t>(spec.axes[i].size());
  }
  RC_ASSERT((space ? space->size() : 0) == expected);
  RC_ASSERT(diagnostics.has_errors() == (expected == 0));
}

// Cached along the ids or one by one, a filter says the same; ids may be visited in any order.
RC_GTEST_PROP(SpaceProperty, filters_say_the_same_in_any_order, ()) {
  Spec spec = some_spec();
  const std::vector<std::string> expressions = {
      "tensor_parallel % 2 == 1 or recompute != 'full'", "device == 'device0' or sequence < 8",
      "micro_batch <= accelerators / 4 or sequence_parallel", "true"};
  for (const std::string& expression : expressions) {
    if (*rc::gen::arbitrary<bool>()) {
      spec.filters.push_back({expression, {}, 0});
    }
  }
  Diagnostics diagnostics;
  const auto space = Space::build(spec, shape, diagnostics);
  RC_PRE(space.has_value());
  FilterSet filters = space->make_filters();
  const auto ids =
      *rc::gen::container<std::vector<PointId>>(40, rc::gen::inRange<PointId>(0, space->size()));
  for (const PointId id : ids) {
    const Run run = space->run_at(id);
    const auto place = static_cast<std::size_t>(id - run.ids.first);
    RC_ASSERT(filters.passes(run, place) == space->accepts(run.axis_index, run.strategies[place]));
  }
}

}  // namespace
}  // namespace scalesweep::space
