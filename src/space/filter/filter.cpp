#include "space/filter/filter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/contracts.hpp"
#include "core/failure.hpp"
#include "parallel/fields.hpp"
#include "space/filter/filter_operators.hpp"
#include "space/filter/filter_text.hpp"

namespace scalesweep::space {
namespace {

using parallel::Strategy;

mup::Value number(double value) {
  return {static_cast<mup::float_type>(value)};
}

mup::Value field_value(const parallel::Field& field, const Strategy& strategy) {
  const std::int32_t value = field.value(strategy);
  switch (field.kind) {
    case parallel::FieldKind::word:
      return mup::Value(std::string(field.words[static_cast<std::size_t>(value)]));
    case parallel::FieldKind::truth:
      return mup::Value(value != 0);
    case parallel::FieldKind::size:
    case parallel::FieldKind::stage:
      break;
  }
  return number(value);
}

mup::Value axis_value(const Axis& axis, std::size_t index) {
  return axis.kind == AxisKind::name ? mup::Value(axis.labels[index]) : number(axis.values[index]);
}

// What the parser says, in the words of a person who wrote a filter.
std::string syntax_message(const mup::ParserError& error) {
  switch (error.GetCode()) {
    case mup::ecUNEXPECTED_EOF:
      return error.GetPos() < 0 ? "the filter is empty" : "something is missing at the end";
    case mup::ecMISSING_PARENS:
      return "a closing parenthesis is missing";
    case mup::ecUNEXPECTED_PARENS:
      return "this parenthesis does not belong here";
    case mup::ecUNEXPECTED_OPERATOR:
      return "something is missing before this operator";
    case mup::ecUNEXPECTED_VAL:
    case mup::ecUNEXPECTED_VAR:
      return "an operator is missing before this, for example 'and'";
    case mup::ecUNASSIGNABLE_TOKEN:
      return fmt::format("'{}' is not understood", error.GetToken());
    default:
      return error.GetMsg();
  }
}

void report(const Filter& filter, const FilterProblem& problem, Diagnostics& diagnostics) {
  SourcePosition position = filter.position;
  if (filter.first_column > 0) {
    position.column = filter.first_column + static_cast<int>(problem.offset);
  }
  const std::string message = "filter: " + problem.message;
  if (problem.severity == Severity::error) {
    diagnostics.error(position, message);
  } else {
    diagnostics.warning(position, message);
  }
}

}  // namespace

// One filter with its own parser and the values that its variables stand for.
class FilterSet::Condition {
 public:
  Condition(const FilterText& text, const std::vector<Axis>& axes) : parser_(0) {
    define_filter_language(parser_);
    for (const auto& [name, si] : text.constants) {
      parser_.DefineConst(name, number(si));
    }
    axes_.reserve(text.axes.size());
    for (const std::string& name : text.axes) {
      const std::size_t position = *find_axis(axes, name);
      axes_.push_back({axes[position], position, axis_value(axes[position], 0), 0});
    }
    fields_.reserve(text.fields.size());
    for (const std::string& name : text.fields) {
      const parallel::Field* field = parallel::find_field(name);
      SCALESWEEP_EXPECT(field != nullptr);
      fields_.push_back({field, field_value(*field, Strategy{})});
    }
    // The parser points at the values: from here on the vectors do not grow.
    for (AxisVariable& axis : axes_) {
      parser_.DefineVar(axis.axis.name, mup::Variable(&axis.value));
    }
    for (FieldVariable& field : fields_) {
      parser_.DefineVar(std::string(field.field->name), mup::Variable(&field.value));
    }
    parser_.SetExpr(text.normalized);
  }

  bool is_condition() const { return parser_.Eval().GetType() == 'b'; }

  bool holds(std::span<const std::int32_t> axis_index, const Strategy& strategy) {
    set_axes(axis_index);
    set_fields(strategy);
    return parser_.Eval().GetBool();
  }

  bool holds(const Run& run, std::size_t strategy) {
    Verdict& verdict = verdicts_of(run)[fields_.empty() ? 0 : strategy];
    if (verdict == Verdict::unknown) {
      verdict = holds(run.axis_index, run.strategies[strategy]) ? Verdict::holds : Verdict::fails;
    }
    return verdict == Verdict::holds;
  }

 private:
  struct AxisVariable {
    Axis axis;
    std::size_t position;  // in Space::axes()
    mup::Value value;
    std::int32_t index;  // that `value` stands for
  };
  struct FieldVariable {
    const parallel::Field* field;
    mup::Value value;
  };

  enum class Verdict : std::uint8_t { unknown, holds, fails };
  // What the verdicts depend on: the table (nullptr if no field is used) and the indices of the
  // axes used.
  struct Place {
    const Strategy* table = nullptr;
    std::vector<std::int32_t> index;
    friend bool operator<(const Place& a, const Place& b) {
      return std::tie(a.table, a.index) < std::tie(b.table, b.index);
    }
  };

  void set_axes(std::span<const std::int32_t> axis_index) {
    for (AxisVariable& axis : axes_) {
      const std::int32_t index = axis_index[axis.position];
      if (index != axis.index) {
        axis.value = axis_value(axis.axis, static_cast<std::size_t>(index));
        axis.index = index;
      }
    }
  }

  void set_fields(const Strategy& strategy) {
    for (FieldVariable& field : fields_) {
      field.value = field_value(*field.field, strategy);
    }
  }

  bool is_at(const Place& place, const Run& run) const {
    if (!fields_.empty() && place.table != run.strategies.data()) {
      return false;
    }
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      if (place.index[i] != run.axis_index[axes_[i].position]) {
        return false;
      }
    }
    return true;
  }

  std::vector<Verdict>& verdicts_of(const Run& run) {
    if (here_ != memo_.end() && is_at(here_->first, run)) {
      return here_->second;
    }
    Place place{fields_.empty() ? nullptr : run.strategies.data(), {}};
    for (const AxisVariable& axis : axes_) {
      place.index.push_back(run.axis_index[axis.position]);
    }
    const std::size_t size = fields_.empty() ? 1 : run.strategies.size();
    if (memo_.find(place) == memo_.end()) {
      memo_bytes_ += size + bytes_of_place;
      if (memo_bytes_ > most_memo_bytes) {
        memo_.clear();
        here_ = memo_.end();
        memo_bytes_ = size + bytes_of_place;
      }
    }
    here_ = memo_.try_emplace(std::move(place), size, Verdict::unknown).first;
    return here_->second;
  }

  mup::ParserX parser_;
  std::vector<AxisVariable> axes_;
  std::vector<FieldVariable> fields_;

  // Bounded, so that memory does not grow with the study.
  static constexpr std::size_t most_memo_bytes = 16 << 20;
  static constexpr std::size_t bytes_of_place = 128;  // about
  std::map<Place, std::vector<Verdict>> memo_;
  std::map<Place, std::vector<Verdict>>::iterator here_ = memo_.end();  // last asked for
  std::size_t memo_bytes_ = 0;
};

void check_filter(const Filter& filter, const std::vector<Axis>& axes, bool axes_complete,
                  Diagnostics& diagnostics) {
  const FilterText text = analyse_filter(filter.expression, axes, axes_complete);
  bool computable = text.complete;
  for (const FilterProblem& problem : text.problems) {
    report(filter, problem, diagnostics);
    computable = computable && problem.severity != Severity::error;
  }
  if (const auto problem = computable ? FilterSet::compute_once(text, axes) : std::nullopt) {
    report(filter, *problem, diagnostics);
  }
}

std::optional<FilterProblem> FilterSet::compute_once(const FilterText& text,
                                                     const std::vector<Axis>& axes) {
  const auto error = [](std::string message, int offset) {
    return FilterProblem{Severity::error, static_cast<std::size_t>(std::max(offset, 0)),
                         std::move(message)};
  };
  try {
    if (!Condition(text, axes).is_condition()) {
      return error("a filter is a condition, for example tensor_parallel <= 8", 0);
    }
  } catch (const OperandError& problem) {
    return error(problem.what(), problem.offset);
  } catch (const mup::ParserError& problem) {
    return error(syntax_message(problem), problem.GetPos());
  }
  return std::nullopt;
}

FilterSet::FilterSet(const std::vector<Filter>& filters, const std::vector<Axis>& axes) {
  for (const Filter& filter : filters) {
    Diagnostics diagnostics;
    check_filter(filter, axes, true, diagnostics);
    if (diagnostics.has_errors()) {
      throw Failure(ExitCode::bad_input, diagnostics.text());
    }
    conditions_.push_back(
        std::make_unique<Condition>(analyse_filter(filter.expression, axes), axes));
  }
}

FilterSet::~FilterSet() = default;
FilterSet::FilterSet(FilterSet&&) noexcept = default;
FilterSet& FilterSet::operator=(FilterSet&&) noexcept = default;

bool FilterSet::empty() const {
  return conditions_.empty();
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
