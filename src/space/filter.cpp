#include "space/filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "config/quantity_text.hpp"
#include "core/contracts.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"
#include "expression/check.hpp"
#include "parallel/fields.hpp"
#include "space/read/axis_reader.hpp"
#include "space/read/spec_axes.hpp"

namespace scalesweep::space {
namespace {

using expression::Checked;
using expression::Kind;
using expression::Problem;
using expression::Symbol;
using parallel::Field;
using parallel::FieldKind;
using parallel::Strategy;

Symbol symbol_of(const Axis& axis) {
  Symbol symbol{axis.name};
  symbol.kind = axis.kind == AxisKind::name ? Kind::name : Kind::number;
  symbol.units = axis.kind == AxisKind::quantity ? axis.units : "";
  symbol.labels = axis.labels;
  symbol.others = axis.written;
  symbol.values = axis.values;
  symbol.example = axis.labels.front();
  symbol.takes_bare_numbers = false;
  // May be meant: the list of the axis changes more often than the filter.
  symbol.never = Severity::warning;
  symbol.never_where = " in this study";
  return symbol;
}

Symbol symbol_of(const Field& field) {
  Symbol symbol{std::string(field.name)};
  if (field.kind == FieldKind::word) {
    symbol.kind = Kind::name;
    symbol.labels.assign(field.words.begin(), field.words.end());
    symbol.example = symbol.labels.back();
  } else if (field.kind == FieldKind::truth) {
    symbol.kind = Kind::condition;
  }
  return symbol;
}

class FilterScope : public expression::Scope {
 public:
  FilterScope(const std::vector<Axis>& axes, bool complete) : axes_(axes), complete_(complete) {}

  expression::Found find(const std::string& name) const override {
    if (const auto axis = find_axis(axes_, name)) {
      return {symbol_of(axes_[*axis])};
    }
    if (const Field* field = parallel::find_field(name)) {
      return {symbol_of(*field)};
    }
    const std::vector<std::string>& possible = axis_names();
    if (std::find(possible.begin(), possible.end(), name) != possible.end()) {
      return {std::nullopt, complete_ ? fmt::format("this study has no axis '{}'", name) : ""};
    }
    std::vector<std::string> known;
    for (const Field& field : parallel::strategy_fields()) {
      known.emplace_back(field.name);
    }
    for (const Axis& axis : axes_) {
      known.push_back(axis.name);
    }
    return {std::nullopt, fmt::format("unknown name '{}'{}", name, suggestion(name, known))};
  }

  expression::Quantity quantity(const std::string& text, const Symbol& symbol) const override {
    const auto result =
        config::parse_quantity(text, *dimension_of(axes_[*find_axis(axes_, symbol.name)]));
    return {result.si, result.problem};
  }

 private:
  const std::vector<Axis>& axes_;
  bool complete_;
};

Checked checked(const Filter& filter, const std::vector<Axis>& axes, bool axes_complete,
                Diagnostics& diagnostics) {
  Checked result = check(filter.expression, "filter", FilterScope(axes, axes_complete));
  if (result.complete() && result.kind != Kind::condition) {
    result.problems.push_back({0, "a filter is a condition, for example tensor_parallel <= 8"});
  }
  for (const Problem& problem : result.problems) {
    SourcePosition position = filter.position;
    if (filter.first_column > 0) {
      position.column = filter.first_column + static_cast<int>(problem.offset);
    }
    const auto report =
        problem.severity == Severity::error ? &Diagnostics::error : &Diagnostics::warning;
    (diagnostics.*report)(position, "filter: " + problem.message);
  }
  return result;
}

}  // namespace

// One filter, and where the values of its variables come from. Computed for a block of strategies
// at once: whoever goes along ids asks for all of them, one after the other.
class FilterSet::Condition {
 public:
  Condition(expression::Program program, const std::vector<Axis>& axes)
      : program_(std::move(program)), evaluation_(program_, block) {
    for (std::size_t v = 0; v < program_.variables.size(); ++v) {
      const expression::Variable& variable = program_.variables[v];
      if (const auto axis = find_axis(axes, variable.name)) {
        axes_.push_back({evaluation_.variable(v), variable.table.data(), *axis, -1});
      } else {
        fields_.push_back({evaluation_.variable(v), variable.table.data(),
                           parallel::find_field(variable.name)->value});
      }
    }
  }
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  bool holds(const Run& run, std::size_t strategy) {
    const std::size_t at = fields_.empty() ? 0 : strategy % block;
    const std::size_t first = strategy - strategy % block;
    const Strategy* const strategies = fields_.empty() ? nullptr : &run.strategies[first];
    if (result_ == nullptr || strategies != strategies_ || !has_axes(run.axis_index)) {
      compute(run.axis_index, strategies, std::min(block, run.strategies.size() - first));
    }
    return result_[at] == 1.0;
  }

  // Whatever the strategy.
  bool is_of_axes() const { return fields_.empty(); }
  void add_axes(std::set<std::size_t>& positions) const {
    for (const AxisVariable& axis : axes_) {
      positions.insert(axis.position);
    }
  }

  bool holds(std::span<const std::int32_t> axis_index, const Strategy& strategy) {
    compute(axis_index, &strategy, 1);
    const bool held = *result_ == 1.0;
    result_ = nullptr;  // another one may come to stand at its place
    return held;
  }

 private:
  static constexpr std::size_t block = 256;  // all values of a filter then stay in a near cache

  struct AxisVariable {
    double* values;
    const double* table;   // by index
    std::size_t position;  // in Space::axes()
    std::int32_t index;    // that `values` stand for
  };
  struct FieldVariable {
    double* values;
    const double* table;  // of words
    std::int32_t (*read)(const Strategy&);
  };

  bool has_axes(std::span<const std::int32_t> axis_index) const {
    return std::all_of(axes_.begin(), axes_.end(), [&](const AxisVariable& axis) {
      return axis.index == axis_index[axis.position];
    });
  }

  void compute(std::span<const std::int32_t> axis_index, const Strategy* strategies,
               std::size_t count) {
    for (AxisVariable& axis : axes_) {
      if (axis.index != axis_index[axis.position]) {
        axis.index = axis_index[axis.position];
        std::fill_n(axis.values, block, axis.table[axis.index]);
      }
    }
    if (strategies != strategies_ || result_ == nullptr) {
      for (const FieldVariable& field : fields_) {
        for (std::size_t i = 0; i < count; ++i) {
          const std::int32_t value = field.read(strategies[i]);
          field.values[i] = field.table == nullptr ? value : field.table[value];
        }
      }
    }
    strategies_ = strategies;
    result_ = evaluation_.run(fields_.empty() ? 1 : count);
  }

  expression::Program program_;
  expression::Evaluation evaluation_;
  std::vector<AxisVariable> axes_;
  std::vector<FieldVariable> fields_;
  const double* result_ = nullptr;        // of the block that was computed last, if it still counts
  const Strategy* strategies_ = nullptr;  // its first
};

void check_filter(const Filter& filter, const std::vector<Axis>& axes, bool axes_complete,
                  Diagnostics& diagnostics) {
  (void)checked(filter, axes, axes_complete, diagnostics);
}

FilterSet::FilterSet(const std::vector<Filter>& filters, const std::vector<Axis>& axes) {
  for (const Filter& filter : filters) {
    Diagnostics diagnostics;
    Checked result = checked(filter, axes, true, diagnostics);
    if (diagnostics.has_errors()) {
      refuse(diagnostics.text());
    }
    conditions_.push_back(std::make_unique<Condition>(std::move(result.program), axes));
  }
}

FilterSet::~FilterSet() = default;
FilterSet::FilterSet(FilterSet&&) noexcept = default;
FilterSet& FilterSet::operator=(FilterSet&&) noexcept = default;

bool FilterSet::empty() const {
  return conditions_.empty();
}

std::set<std::size_t> FilterSet::axes_of_axis_filters() const {
  std::set<std::size_t> positions;
  for (const auto& condition : conditions_) {
    if (condition->is_of_axes()) {
      condition->add_axes(positions);
    }
  }
  return positions;
}

bool FilterSet::axes_pass(std::span<const std::int32_t> axis_index) {
  return std::all_of(conditions_.begin(), conditions_.end(), [&](const auto& condition) {
    return !condition->is_of_axes() || condition->holds(axis_index, Strategy{});
  });
}

bool FilterSet::passes(const Run& run, std::size_t strategy) {
  SCALESWEEP_EXPECT(strategy < run.strategies.size());
  return std::all_of(conditions_.begin(), conditions_.end(),
                     [&](const auto& condition) { return condition->holds(run, strategy); });
}

bool FilterSet::passes(std::span<const std::int32_t> axis_index, const Strategy& strategy) {
  return std::all_of(conditions_.begin(), conditions_.end(),
                     [&](const auto& condition) { return condition->holds(axis_index, strategy); });
}

}  // namespace scalesweep::space
