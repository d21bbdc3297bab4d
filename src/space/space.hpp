// A study as a set of integers: point id <-> configuration, both ways, without listing anything.
//
// Ids are a mixed radix over the axes times a table of valid strategies. Axes that vary together
// are one digit, which stands where the slowest of them does. The strategy table depends on the
// model and the job (model, phase, sequence, global_batch, accelerators; of inference and serving
// model, batch, accelerators); those axes are outermost, then come the system axes, and the
// strategy varies fastest: a contiguous range of ids shares its system, which is what the
// estimator's reuse and the leases of the engine rely on. Dense, no holes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "core/id_range.hpp"
#include "parallel/enumerate.hpp"
#include "space/filter.hpp"
#include "space/read/spec_types.hpp"
#include "space/run.hpp"

namespace scalesweep::space {

struct ModelShape;  // model_shape.hpp
using ShapeOfModel = std::function<ModelShape(const std::string& model)>;

class Space {
 public:
  // `model_shape` gives the architecture for a name that the caller has already checked to exist.
  // Errors (no valid strategy: with the rules that removed them; filters that reject every point)
  // go to `diagnostics`, and a warning for every combination of the slowest axes that has no
  // strategy while others have some.
  static std::optional<Space> build(const Spec& spec, const ShapeOfModel& model_shape,
                                    Diagnostics& diagnostics);

  std::int64_t size() const;
  // In order from slowest to fastest varying; the strategy is not an axis.
  const std::vector<Axis>& axes() const;
  // The run that holds `id`, from its first to its last id.
  Run run_at(PointId id) const;
  // Ids that differ from those of the run in axes that are searched, and in the strategy, alone.
  IdRange searched_ids(const Run& run) const;
  // How many values each axis that is searched has; they are the last of axes().
  std::vector<std::int32_t> searched_sizes() const;
  // The run of those ids that has these values of them.
  Run searched_run(IdRange searched, std::span<const std::int32_t> place) const;
  // The run that has these indices; nothing where no point has them.
  std::optional<Run> run_of(std::span<const std::int32_t> axis_index) const;
  // What is tried in all runs: each table of strategies once.
  std::vector<std::span<const parallel::Strategy>> strategy_tables() const;
  // The inverse: the id of a strategy at given axis indices; nothing if the strategy is not valid
  // there, or no point has those.
  std::optional<PointId> id_of(std::span<const std::int32_t> axis_index,
                               const parallel::Strategy& strategy) const;

  // The filters of the spec, for going along ids; one per thread. It may outlive the space.
  FilterSet make_filters() const;
  // False where a filter rejects the configuration. For single points: threads wait for each other.
  bool accepts(std::span<const std::int32_t> axis_index, const parallel::Strategy& strategy) const;

  struct Block;  // one strategy table and the ids that use it

 private:
  struct SharedFilters;

  const Block* block_of(std::span<const std::int32_t> axis_index) const;  // null: none has them
  PointId first_id(const Block& block, std::span<const std::int32_t> axis_index) const;
  std::span<const Axis> job_part() const;     // the axes that decide which strategies are valid
  std::span<const Axis> system_part() const;  // the others
  // True only if that is certain: very large studies are not searched to their end.
  bool filters_leave_nothing() const;
  // Of those that name axes alone, however many points there are.
  bool axes_leave_nothing(FilterSet& filters) const;
  bool add_blocks(const Spec& spec, const ShapeOfModel& model_shape, Diagnostics& diagnostics);

  std::vector<Axis> axes_;
  std::size_t job_axes_ = 0;          // of them: those that decide which strategies are valid
  std::vector<std::size_t> leaders_;  // of each axis: whose index it has, its own or a slower one's
  std::vector<std::shared_ptr<const Block>> blocks_;
  std::vector<Filter> filters_;
  std::shared_ptr<SharedFilters> shared_filters_;  // null without filters
};

}  // namespace scalesweep::space
