#include "space/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include "core/contracts.hpp"
#include "core/text.hpp"
#include "space/filter.hpp"

namespace scalesweep::space {

// The ids of one combination of the job axes: every system times every strategy, the latter
// fastest.
struct Space::Block {
  IdRange ids;
  std::vector<std::int32_t> job_index;  // into the job axes
  std::shared_ptr<const parallel::StrategyTable> table;
};

namespace {

// The axes that decide which strategies are valid; they are the slowest.
constexpr std::array<std::string_view, 4> job_axes = {"model", "sequence", "global_batch",
                                                      "accelerators"};

bool is_job_axis(const Axis& axis) {
  return std::find(job_axes.begin(), job_axes.end(), axis.name) != job_axes.end();
}

double value_at(const std::vector<Axis>& axes, std::string_view name,
                const std::vector<std::int32_t>& index) {
  for (std::size_t i = 0; i < job_axes.size(); ++i) {
    if (job_axes[i] == name) {
      return axes[i].values[static_cast<std::size_t>(index[i])];
    }
  }
  return 0.0;
}

// Steps a mixed-radix number, last digit fastest; false after the last one.
bool advance(std::vector<std::int32_t>& index, const std::vector<Axis>& axes) {
  for (std::size_t i = index.size(); i-- > 0;) {
    if (static_cast<std::size_t>(++index[i]) < axes[i].size()) {
      return true;
    }
    index[i] = 0;
  }
  return false;
}

std::string combination_text(const std::vector<Axis>& axes,
                             const std::vector<std::int32_t>& index) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < index.size(); ++i) {
    parts.push_back(
        fmt::format("{} {}", axes[i].name, axes[i].labels[static_cast<std::size_t>(index[i])]));
  }
  return join(parts, ", ");
}

std::string rejections_text(const std::vector<parallel::Rejection>& rejections) {
  std::string text;
  for (const parallel::Rejection& rejection : rejections) {
    text += fmt::format("\n  {} removed {} candidate{}", rejection.rule,
                        with_thousands(rejection.candidates), rejection.candidates == 1 ? "" : "s");
  }
  return text;
}

// Tables by what they depend on: models of equal shape share one.
class TableCache {
 public:
  std::shared_ptr<const parallel::StrategyTable> get(const parallel::StrategyRules& rules,
                                                     const workload::TransformerModel& model,
                                                     const parallel::JobShape& job) {
    const Key key = {model.hidden, model.layers,     model.heads,      model.kv_heads,
                     model.ffn,    job.accelerators, job.global_batch, job.sequence};
    auto& table = tables_[key];
    if (!table) {
      table = std::make_shared<parallel::StrategyTable>(
          parallel::enumerate_strategies(rules, model, job));
    }
    return table;
  }

 private:
  using Key = std::array<std::int64_t, 8>;
  std::map<Key, std::shared_ptr<const parallel::StrategyTable>> tables_;
};

// Axes in id order: job axes first, in their canonical order, then the others as they stand.
std::vector<Axis> in_id_order(const std::vector<Axis>& axes) {
  std::vector<Axis> ordered;
  for (const std::string_view name : job_axes) {
    const auto found = find_axis(axes, std::string(name));
    SCALESWEEP_EXPECT(found.has_value());
    ordered.push_back(axes[*found]);
  }
  for (const Axis& axis : axes) {
    if (!is_job_axis(axis)) {
      ordered.push_back(axis);
    }
  }
  return ordered;
}

// Number of combinations of the axes after the job axes; 0 on overflow.
std::int64_t count_systems(const std::vector<Axis>& axes) {
  std::int64_t systems = 1;
  for (std::size_t i = job_axes.size(); i < axes.size(); ++i) {
    const auto size = static_cast<std::int64_t>(axes[i].size());
    if (systems > std::numeric_limits<std::int64_t>::max() / size) {
      return 0;
    }
    systems *= size;
  }
  return systems;
}

}  // namespace

std::optional<Space> Space::build(const Spec& spec, const ModelShape& model_shape,
                                  Diagnostics& diagnostics) {
  Space space;
  space.axes_ = in_id_order(spec.axes);
  const std::int64_t systems = count_systems(space.axes_);
  const std::vector<Axis> jobs(space.axes_.begin(),
                               space.axes_.begin() + static_cast<std::ptrdiff_t>(job_axes.size()));
  TableCache tables;
  PointId next = 0;
  std::vector<std::int32_t> index(job_axes.size(), 0);
  std::vector<std::pair<std::string, std::string>> empty;  // combinations without a strategy
  do {
    const auto whole = [&](std::string_view name) {
      return static_cast<std::int64_t>(value_at(jobs, name, index));
    };
    const std::string& model = jobs[0].labels[static_cast<std::size_t>(index[0])];
    const auto table =
        tables.get(spec.strategy, model_shape(model),
                   {whole("accelerators"), whole("global_batch"), whole("sequence")});
    const auto strategies = static_cast<std::int64_t>(table->strategies.size());
    if (strategies == 0) {
      empty.emplace_back(combination_text(jobs, index), rejections_text(table->rejections));
      continue;
    }
    if (systems == 0 || strategies > (std::numeric_limits<PointId>::max() - next) / systems) {
      diagnostics.error({spec.file, 0, 0}, "the study has more than 9.2e18 points");
      return std::nullopt;
    }
    const IdRange ids{next, next + systems * strategies};
    space.blocks_.push_back(std::make_shared<Block>(Block{ids, index, table}));
    next = ids.last;
  } while (advance(index, jobs));

  for (const auto& [combination, why] : empty) {
    const std::string message =
        fmt::format("no strategy is valid for {}; the rules:{}", combination, why);
    if (space.blocks_.empty()) {
      diagnostics.error(spec.strategy_position, message);
    } else {
      diagnostics.warning(spec.strategy_position, message);
    }
  }
  const int errors_before = diagnostics.error_count();
  if (!spec.filters.empty()) {
    space.filters_ = std::make_shared<FilterSet>(spec.filters, space.axes_, diagnostics);
  }
  if (space.blocks_.empty() || diagnostics.error_count() > errors_before) {
    return std::nullopt;
  }
  return space;
}

std::int64_t Space::size() const {
  return blocks_.back()->ids.last;
}

const std::vector<Axis>& Space::axes() const {
  return axes_;
}

Run Space::run_at(PointId id) const {
  SCALESWEEP_EXPECT(id >= 0 && id < size());
  const auto block_at =
      std::upper_bound(blocks_.begin(), blocks_.end(), id,
                       [](PointId wanted, const auto& block) { return wanted < block->ids.last; });
  const Block& block = **block_at;
  const auto strategies = static_cast<std::int64_t>(block.table->strategies.size());
  std::int64_t system = (id - block.ids.first) / strategies;

  Run run;
  run.ids.first = block.ids.first + system * strategies;
  run.ids.last = run.ids.first + strategies;
  run.strategies = block.table->strategies;
  run.axis_index = block.job_index;
  run.axis_index.resize(axes_.size());
  for (std::size_t i = axes_.size(); i-- > job_axes.size();) {
    const auto size = static_cast<std::int64_t>(axes_[i].size());
    run.axis_index[i] = static_cast<std::int32_t>(system % size);
    system /= size;
  }
  return run;
}

std::optional<PointId> Space::id_of(std::span<const std::int32_t> axis_index,
                                    const parallel::Strategy& strategy) const {
  SCALESWEEP_EXPECT(axis_index.size() == axes_.size());
  const auto block_at = std::find_if(blocks_.begin(), blocks_.end(), [&](const auto& block) {
    return std::equal(block->job_index.begin(), block->job_index.end(), axis_index.begin());
  });
  if (block_at == blocks_.end()) {
    return std::nullopt;
  }
  const Block& block = **block_at;
  const std::vector<parallel::Strategy>& table = block.table->strategies;
  const auto found = std::find(table.begin(), table.end(), strategy);
  if (found == table.end()) {
    return std::nullopt;
  }
  std::int64_t system = 0;
  for (std::size_t i = job_axes.size(); i < axes_.size(); ++i) {
    system = system * static_cast<std::int64_t>(axes_[i].size()) + axis_index[i];
  }
  return block.ids.first + system * static_cast<std::int64_t>(table.size()) +
         (found - table.begin());
}

bool Space::accepts(std::span<const std::int32_t> axis_index,
                    const parallel::Strategy& strategy) const {
  return filters_ == nullptr || filters_->accepts(axis_index, strategy);
}

}  // namespace scalesweep::space
