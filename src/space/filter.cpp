#include "space/filter.hpp"

#include <fmt/format.h>
#include <muparserx/mpParser.h>

#include <algorithm>
#include <map>
#include <mutex>

#include "core/text.hpp"

namespace scalesweep::space {
namespace {

mup::Value number(double value) {
  return mup::Value(static_cast<mup::float_type>(value));
}

// not(condition), which the parser lacks.
class Not : public mup::ICallback {
 public:
  Not() : ICallback(mup::cmFUNC, "not", 1) {}
  void Eval(mup::ptr_val_type& result, const mup::ptr_val_type* arguments, int) override {
    *result = !arguments[0]->GetBool();
  }
  const mup::char_type* GetDesc() const override { return "not(x) - true where x is false"; }
  IToken* Clone() const override { return new Not(*this); }
};

// Strings may stand in single quotes, which are handier inside a TOML string.
std::string with_double_quotes(std::string expression) {
  std::replace(expression.begin(), expression.end(), '\'', '"');
  return expression;
}

// A single = assigns, which no filter means.
bool assigns(const std::string& expression) {
  bool quoted = false;
  for (std::size_t i = 0; i < expression.size(); ++i) {
    const char c = expression[i];
    quoted = c == '"' ? !quoted : quoted;
    if (c != '=' || quoted) {
      continue;
    }
    const bool after =
        i > 0 && std::string_view("=<>!").find(expression[i - 1]) != std::string_view::npos;
    const bool before = i + 1 < expression.size() && expression[i + 1] == '=';
    if (!after && !before) {
      return true;
    }
  }
  return false;
}

}  // namespace

struct FilterSet::State {
  std::mutex mutex;
  const std::vector<Axis> axes;
  // Variables: the axes in order, then the strategy's fields. Values live here, parsers point at
  // them, so neither map is changed after construction.
  std::map<std::string, mup::Value> values;
  std::vector<mup::Value*> axis_values;
  std::vector<std::unique_ptr<mup::ParserX>> parsers;

  explicit State(const std::vector<Axis>& all_axes) : axes(all_axes) {
    for (const Axis& axis : axes) {
      values[axis.name] = axis.kind == AxisKind::name ? mup::Value(axis.labels.front())
                                                      : number(axis.values.front());
    }
    for (const Axis& axis : axes) {
      axis_values.push_back(&values[axis.name]);
    }
    set(parallel::Strategy{});
  }

  void set(const parallel::Strategy& strategy) {
    values["tensor_parallel"] = number(strategy.tensor_parallel);
    values["pipeline_parallel"] = number(strategy.pipeline_parallel);
    values["data_parallel"] = number(strategy.data_parallel);
    values["chunks"] = number(strategy.chunks);
    values["micro_batch"] = number(strategy.micro_batch);
    values["micro_batches"] = number(strategy.micro_batches);
    values["zero"] = number(strategy.zero);
    values["recompute"] = mup::Value(std::string(parallel::name_of(strategy.recompute)));
    values["sequence_parallel"] = mup::Value(strategy.sequence_parallel);
  }

  void set(std::span<const std::int32_t> axis_index) {
    for (std::size_t i = 0; i < axes.size(); ++i) {
      const auto at = static_cast<std::size_t>(axis_index[i]);
      *axis_values[i] = axes[i].kind == AxisKind::name ? mup::Value(axes[i].labels[at])
                                                       : number(axes[i].values[at]);
    }
  }

  std::vector<std::string> variable_names() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : values) {
      names.push_back(name);
    }
    return names;
  }

  // The problem with an expression, "" if it is a condition.
  std::string problem_of(const std::string& expression, mup::ParserX& parser) {
    if (assigns(expression)) {
      return "a single '=' is no comparison; write '=='";
    }
    parser.EnableAutoCreateVar(false);
    parser.DefineFun(new Not);
    for (auto& [name, value] : values) {
      parser.DefineVar(name, mup::Variable(&value));
    }
    try {
      parser.SetExpr(expression);
      if (parser.Eval().GetType() != 'b') {
        return "must be a condition, such as tensor_parallel <= 8";
      }
    } catch (const mup::ParserError& error) {
      return message_of(error);
    }
    return "";
  }

  std::string message_of(const mup::ParserError& error) const {
    const std::string token = error.GetToken();
    const std::size_t end =
        token.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
    const std::string word = token.substr(0, end);
    if (error.GetCode() == mup::ecUNASSIGNABLE_TOKEN && !word.empty()) {
      return fmt::format("unknown name '{}'{}", word, suggestion(word, variable_names()));
    }
    return error.GetMsg();
  }
};

FilterSet::FilterSet(const std::vector<Filter>& filters, const std::vector<Axis>& axes,
                     Diagnostics& diagnostics)
    : state_(std::make_unique<State>(axes)) {
  for (const Filter& filter : filters) {
    auto parser = std::make_unique<mup::ParserX>(mup::pckALL_NON_COMPLEX);
    const std::string problem = state_->problem_of(with_double_quotes(filter.expression), *parser);
    if (!problem.empty()) {
      diagnostics.error(filter.position,
                        fmt::format("filter \"{}\": {}", filter.expression, problem));
      continue;
    }
    state_->parsers.push_back(std::move(parser));
  }
}

FilterSet::~FilterSet() = default;

bool FilterSet::accepts(std::span<const std::int32_t> axis_index,
                        const parallel::Strategy& strategy) {
  const std::lock_guard lock(state_->mutex);
  state_->set(axis_index);
  state_->set(strategy);
  return std::all_of(state_->parsers.begin(), state_->parsers.end(),
                     [](const auto& parser) { return parser->Eval().GetBool(); });
}

}  // namespace scalesweep::space
