#include "space/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <numeric>
#include <set>

#include "core/contracts.hpp"
#include "core/text.hpp"
#include "space/axes/together.hpp"
#include "space/axes/workload_axes.hpp"
#include "space/filter.hpp"
#include "space/model_shape.hpp"
#include "space/read/workload_form.hpp"
#include "workload/model.hpp"

namespace scalesweep::space {
namespace {

using parallel::Strategy;

// The last of the axes that decide which strategies are valid; they are the slowest.
// Of the job axes: each costs an enumeration of strategies and some memory.
constexpr std::int64_t most_jobs = 100'000;
// Points that are looked at to see whether filters leave any.
constexpr std::int64_t most_looked_at = 2'000'000;
// Combinations without a strategy that get a message each.
constexpr std::size_t most_messages = 5;

// A strategy table and the way back from a strategy to its place.
class Table {
 public:
  explicit Table(parallel::StrategyTable table) : table_(std::move(table)) {
    sorted_.resize(table_.strategies.size());
    std::iota(sorted_.begin(), sorted_.end(), 0);
    std::sort(sorted_.begin(), sorted_.end(),
              [&](std::int32_t a, std::int32_t b) { return strategy(a) < strategy(b); });
  }

  std::span<const Strategy> strategies() const { return table_.strategies; }
  std::int64_t size() const { return static_cast<std::int64_t>(table_.strategies.size()); }

  std::optional<std::int64_t> find(const Strategy& wanted) const {
    const auto found = std::lower_bound(
        sorted_.begin(), sorted_.end(), wanted,
        [&](std::int32_t at, const Strategy& value) { return strategy(at) < value; });
    if (found == sorted_.end() || strategy(*found) != wanted) {
      return std::nullopt;
    }
    return *found;
  }

 private:
  const Strategy& strategy(std::int32_t at) const {
    return table_.strategies[static_cast<std::size_t>(at)];
  }

  parallel::StrategyTable table_;
  std::vector<std::int32_t> sorted_;  // places in the table, by strategy
};

// Tables by what they depend on: models of equal shape share one, and so do sequences that the same
// sizes divide (those, and twice those, all divide twice the number of accelerators).
class TableCache {
 public:
  std::shared_ptr<const Table> get(const parallel::StrategyRules& rules,
                                   const workload::TransformerModel& model,
                                   const parallel::JobShape& job) {
    const Key key = {model.hidden,
                     model.layers,
                     model.heads,
                     model.kv_heads,
                     model.ffn,
                     model.experts.count,
                     model.experts.ffn,
                     model.experts.shared_ffn,
                     model.causal ? 1 : 0,
                     job.accelerators,
                     job.global_batch,
                     std::gcd(job.sequence, 2 * job.accelerators),
                     job.passes,
                     job.trains ? 1 : 0,
                     model.encoder.on() ? 1 : 0};
    auto& table = tables_[key];
    if (!table) {
      table = std::make_shared<Table>(parallel::enumerate_strategies(rules, model, job));
    }
    return table;
  }

 private:
  using Key = std::array<std::int64_t, 15>;
  std::map<Key, std::shared_ptr<const Table>> tables_;
};

}  // namespace

// The ids of one combination of the job axes: every system times every strategy, the latter
// fastest.
struct Space::Block {
  IdRange ids;
  std::vector<std::int32_t> job_index;  // into the job axes
  std::shared_ptr<const Table> table;
};

// For questions about single points, from any thread.
struct Space::SharedFilters {
  explicit SharedFilters(FilterSet compiled) : set(std::move(compiled)) {}
  std::mutex mutex;
  FilterSet set;
};

namespace {

using Index = std::vector<std::int32_t>;

// Values of an axis as a digit: one that follows a slower axis has no choice of its own.
std::int64_t radix_of(const Axis& axis) {
  return axis.follows.empty() ? static_cast<std::int64_t>(axis.size()) : 1;
}

// Those that follow another axis have its index.
void follow(std::span<std::int32_t> index, std::span<const std::size_t> leaders) {
  for (std::size_t i = 0; i < index.size(); ++i) {
    index[i] = index[leaders[i]];
  }
}

// Steps the digits of a mixed-radix number that move(i), last one fastest; false after the last
// one.
template <typename Moves>
bool advance(Index& index, std::span<const Axis> axes, std::span<const std::size_t> leaders,
             const Moves& moves) {
  for (std::size_t i = index.size(); i-- > 0;) {
    if (leaders[i] != i || !moves(i)) {
      continue;
    }
    if (++index[i] < radix_of(axes[i])) {
      follow(index, leaders);
      return true;
    }
    index[i] = 0;
  }
  return false;
}

bool advance(Index& index, std::span<const Axis> axes, std::span<const std::size_t> leaders) {
  return advance(index, axes, leaders, [](std::size_t) { return true; });
}

// Combinations of the axes; nothing above `most`.
std::optional<std::int64_t> count_combinations(std::span<const Axis> axes, std::int64_t most) {
  std::int64_t combinations = 1;
  for (const Axis& axis : axes) {
    const std::int64_t size = radix_of(axis);
    if (combinations > most / size) {
      return std::nullopt;
    }
    combinations *= size;
  }
  return combinations;
}

std::string combination_text(std::span<const Axis> axes, const Index& index) {
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

// Combinations of the job axes that no strategy is valid for.
class EmptyCombinations {
 public:
  void add(std::span<const Axis> jobs, const Index& index, const parallel::StrategyRules& rules,
           const workload::TransformerModel& model, const parallel::JobShape& job) {
    if (++count_ <= most_messages) {
      // Anew, because a shared table names the sequence of another combination.
      const auto table = parallel::enumerate_strategies(rules, model, job);
      messages_.push_back(fmt::format("no strategy is valid for {}; the rules:{}",
                                      combination_text(jobs, index),
                                      rejections_text(table.rejections)));
    }
  }

  // Errors if no combination has a strategy.
  void report(bool all, const SourcePosition& position, Diagnostics& diagnostics) {
    if (count_ > most_messages) {
      messages_.push_back(
          fmt::format("no strategy is valid for {} more combinations",
                      with_thousands(static_cast<std::int64_t>(count_ - most_messages))));
    }
    for (const std::string& message : messages_) {
      if (all) {
        diagnostics.error(position, message);
      } else {
        diagnostics.warning(position, message);
      }
    }
  }

 private:
  std::size_t count_ = 0;
  std::vector<std::string> messages_;
};

// A spec that is made by hand may say no kind.
const WorkloadForm& form_of(const Spec& spec) {
  return spec.kind != nullptr ? *spec.kind : training_form();
}

// Of requests any prompt is cut, and padded where need be; a service finds its batch.
// Phases say themselves how long their sequences are, where no axis does.
parallel::JobShape job_at(const Spec& spec, std::span<const Axis> jobs, const Index& index) {
  const JobValues at = {jobs, index};
  const auto whole = [&](std::string_view axis, std::int64_t otherwise) {
    return static_cast<std::int64_t>(at.number(axis, static_cast<double>(otherwise)));
  };
  parallel::JobShape job{.accelerators = whole("accelerators", 1),
                         .global_batch = whole(spec.strategy.batch.key, 1),
                         .sequence = whole("sequence", 0)};
  job.trains = at.label("work") == "training";
  if (const auto phase = at.place(phase_axis)) {
    job.sequence = spec.phases[*phase].sequence.value_or(job.sequence);
    job.global_batch = spec.phases[*phase].global_batch.value_or(job.global_batch);
  }
  if (const WorkloadForm& form = form_of(spec); form.set_shape != nullptr) {
    form.set_shape(at, job);
  }
  return job;
}

std::string job_axes_text(std::span<const Axis> jobs) {
  std::vector<std::string> names;
  for (const Axis& axis : jobs.first(jobs.size() - 1)) {
    names.push_back(axis.name);
  }
  return fmt::format("{} and {}", join(names, ", "), jobs.back().name);
}

SourcePosition rules_position(const Spec& spec) {
  return spec.strategy_position.line > 0 ? spec.strategy_position : SourcePosition{spec.file, 0, 0};
}

}  // namespace

std::span<const Axis> Space::job_part() const {
  return std::span(axes_).first(job_axes_);
}
std::span<const Axis> Space::system_part() const {
  return std::span(axes_).subspan(job_axes_);
}

bool Space::add_blocks(const Spec& spec, const ShapeOfModel& model_shape,
                       Diagnostics& diagnostics) {
  const std::span<const Axis> jobs = job_part();
  constexpr std::int64_t most = std::numeric_limits<PointId>::max();
  const auto systems = count_combinations(system_part(), most);
  if (!count_combinations(jobs, most_jobs)) {
    diagnostics.error({spec.file, 0, 0},
                      fmt::format("more than {} combinations of {}; split the study",
                                  with_thousands(most_jobs), job_axes_text(jobs)));
    return false;
  }
  TableCache tables;
  EmptyCombinations empty;
  PointId next = 0;
  Index index(jobs.size(), 0);
  const WorkloadForm& form = form_of(spec);
  const bool has_model = form.has_layers && jobs[0].name == form.model_key;
  do {
    const ModelShape model = has_model
                                 ? model_shape(jobs[0].labels[static_cast<std::size_t>(index[0])])
                                 : workload::TransformerModel{};
    parallel::JobShape job = job_at(spec, jobs, index);
    job.passes = model.passes;
    const auto table = tables.get(spec.strategy, model.layers, job);
    if (table->size() == 0) {
      empty.add(jobs, index, spec.strategy, model.layers, job);
      continue;
    }
    if (!systems || table->size() > (most - next) / *systems) {
      diagnostics.error({spec.file, 0, 0},
                        "more than 9.2e18 points; take values out of some lists");
      return false;
    }
    const IdRange ids{next, next + *systems * table->size()};
    blocks_.push_back(std::make_shared<Block>(Block{ids, index, table}));
    next = ids.last;
  } while (advance(index, jobs, leaders_));
  empty.report(blocks_.empty(), rules_position(spec), diagnostics);
  return !blocks_.empty();
}

bool Space::axes_leave_nothing(FilterSet& filters) const {
  std::vector<bool> moves(axes_.size(), false);
  std::int64_t combinations = 1;
  for (const std::size_t named : filters.axes_of_axis_filters()) {
    const std::size_t leader = leaders_[named];
    combinations *= moves[leader] ? 1 : radix_of(axes_[leader]);
    moves[leader] = true;
    if (combinations > most_looked_at) {
      return false;
    }
  }
  Index index(axes_.size(), 0);
  do {
    if (filters.axes_pass(index)) {
      return false;
    }
  } while (advance(index, axes_, leaders_, [&](std::size_t i) { return moves[i]; }));
  return true;
}

bool Space::filters_leave_nothing() const {
  FilterSet filters = make_filters();
  if (axes_leave_nothing(filters)) {
    return true;
  }
  std::int64_t looked_at = 0;
  for (PointId id = 0; id < size();) {
    const Run run = run_at(id);
    for (std::size_t i = 0; i < run.strategies.size(); ++i) {
      if (filters.passes(run, i) || ++looked_at > most_looked_at) {
        return false;
      }
    }
    id = run.ids.last;
  }
  return true;
}

std::optional<Space> Space::build(const Spec& spec, const ShapeOfModel& model_shape,
                                  Diagnostics& diagnostics) {
  SCALESWEEP_EXPECT(!spec.axes.empty());
  const auto last = find_axis(spec.axes, std::string(last_job_axis));
  SCALESWEEP_EXPECT(last.has_value());
  Space space;
  space.axes_ = spec.axes;
  space.job_axes_ = *last + 1;
  for (std::size_t i = 0; i < space.axes_.size(); ++i) {
    space.leaders_.push_back(leader_of(space.axes_, i));
  }
  if (!space.add_blocks(spec, model_shape, diagnostics)) {
    return std::nullopt;
  }
  if (!spec.filters.empty()) {
    space.filters_ = spec.filters;
    space.shared_filters_ = std::make_shared<SharedFilters>(space.make_filters());
    if (space.filters_leave_nothing()) {
      diagnostics.error(spec.filters.front().position,
                        "the filters reject every point of this study");
      return std::nullopt;
    }
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
  const std::int64_t strategies = block.table->size();
  std::int64_t system = (id - block.ids.first) / strategies;

  Run run;
  run.ids.first = block.ids.first + system * strategies;
  run.ids.last = run.ids.first + strategies;
  run.strategies = block.table->strategies();
  run.axis_index = block.job_index;
  run.axis_index.resize(axes_.size());
  for (std::size_t i = axes_.size(); i-- > job_axes_;) {
    const std::int64_t size = radix_of(axes_[i]);
    run.axis_index[i] = static_cast<std::int32_t>(system % size);
    system /= size;
  }
  follow(run.axis_index, leaders_);
  return run;
}

IdRange Space::searched_ids(const Run& run) const {
  std::int64_t systems = 1;
  std::int64_t own = 0;
  for (std::size_t i = job_axes_; i < axes_.size(); ++i) {
    if (axes_[i].searched) {
      systems *= radix_of(axes_[i]);
      own = own * radix_of(axes_[i]) + run.axis_index[i];
    }
  }
  const PointId first = run.ids.first - own * run.ids.size();
  return {first, first + systems * run.ids.size()};
}

std::vector<std::int32_t> Space::searched_sizes() const {
  std::vector<std::int32_t> sizes;
  for (const Axis& axis : axes_) {
    if (axis.searched) {
      sizes.push_back(static_cast<std::int32_t>(axis.size()));
    }
  }
  return sizes;
}

Run Space::searched_run(IdRange searched, std::span<const std::int32_t> place) const {
  const std::vector<std::int32_t> sizes = searched_sizes();
  SCALESWEEP_EXPECT(place.size() == sizes.size());
  std::int64_t own = 0;
  std::int64_t systems = 1;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    own = own * sizes[i] + place[i];
    systems *= sizes[i];
  }
  return run_at(searched.first + own * (searched.size() / systems));
}

const Space::Block* Space::block_of(std::span<const std::int32_t> axis_index) const {
  SCALESWEEP_EXPECT(axis_index.size() == axes_.size());
  for (std::size_t i = 0; i < axes_.size(); ++i) {
    if (axis_index[i] != axis_index[leaders_[i]]) {
      return nullptr;
    }
  }
  // Blocks stand in the order of their job indices; those without a strategy are left out.
  const auto job_index = axis_index.first(job_axes_);
  const auto block_at = std::lower_bound(
      blocks_.begin(), blocks_.end(), job_index, [](const auto& block, const auto& wanted) {
        return std::lexicographical_compare(block->job_index.begin(), block->job_index.end(),
                                            wanted.begin(), wanted.end());
      });
  const bool is_there = block_at != blocks_.end() && std::equal(job_index.begin(), job_index.end(),
                                                                (*block_at)->job_index.begin());
  return is_there ? block_at->get() : nullptr;
}

// Of the run that has these indices.
PointId Space::first_id(const Block& block, std::span<const std::int32_t> axis_index) const {
  std::int64_t system = 0;
  for (std::size_t i = job_axes_; i < axes_.size(); ++i) {
    system = system * radix_of(axes_[i]) + (leaders_[i] == i ? axis_index[i] : 0);
  }
  return block.ids.first + system * block.table->size();
}

std::optional<Run> Space::run_of(std::span<const std::int32_t> axis_index) const {
  const Block* const block = block_of(axis_index);
  return block == nullptr ? std::nullopt : std::optional(run_at(first_id(*block, axis_index)));
}

std::vector<std::span<const Strategy>> Space::strategy_tables() const {
  std::set<const Table*> seen;
  std::vector<std::span<const Strategy>> tables;
  for (const auto& block : blocks_) {
    if (seen.insert(block->table.get()).second) {
      tables.push_back(block->table->strategies());
    }
  }
  return tables;
}

std::optional<PointId> Space::id_of(std::span<const std::int32_t> axis_index,
                                    const Strategy& strategy) const {
  const Block* const block = block_of(axis_index);
  const auto place = block == nullptr ? std::nullopt : block->table->find(strategy);
  return place ? std::optional(first_id(*block, axis_index) + *place) : std::nullopt;
}

FilterSet Space::make_filters() const {
  return {filters_, axes_};
}

bool Space::accepts(std::span<const std::int32_t> axis_index, const Strategy& strategy) const {
  if (!shared_filters_) {
    return true;
  }
  const std::lock_guard lock(shared_filters_->mutex);
  return shared_filters_->set.passes(axis_index, strategy);
}

}  // namespace scalesweep::space
