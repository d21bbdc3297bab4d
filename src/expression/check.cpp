#include "expression/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/names.hpp"
#include "core/text.hpp"

namespace scalesweep::expression {
namespace {

constexpr std::size_t none = static_cast<std::size_t>(-1);

// A node with what is known of its value.
struct Term {
  Kind kind = Kind::unknown;
  // Whose values it has: of a name, and of what is computed of one such and plain numbers.
  const Symbol* subject = nullptr;
};

bool is_quantity(const Term& term) {
  return term.subject != nullptr && !term.subject->units.empty();
}

// Of a sum, product, ... of numbers: a quantity stays one beside plain numbers and its like.
const Symbol* subject_of(Operation operation, const Term& left, const Term& right) {
  const bool product = operation == Operation::multiply || operation == Operation::divide;
  if (is_quantity(left) && is_quantity(right)) {
    return !product && left.subject->units == right.subject->units ? left.subject : nullptr;
  }
  if (is_quantity(right)) {
    return operation == Operation::divide ? nullptr : right.subject;
  }
  return is_quantity(left) || right.subject == nullptr ? left.subject : right.subject;
}

// Which of the labels alone begins so.
std::optional<std::size_t> only_one_that_begins(std::string_view start,
                                                std::span<const std::string> labels) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (abbreviates(start, labels[i])) {
      if (found) {
        return std::nullopt;
      }
      found = i;
    }
  }
  return found;
}

class Checker {
 public:
  Checker(const Tree& tree, const Scope& scope) : tree_(tree), scope_(scope) {}

  Checked run() {
    result_.problems = tree_.problems;
    for (const Name& name : tree_.names) {
      look_up(name);
    }
    numbers_.resize(tree_.nodes.size());
    for (std::size_t n = 0; n < tree_.nodes.size(); ++n) {
      const Node& node = tree_.nodes[n];
      numbers_[n] = node.operation == Operation::text ? number_of(node.text) : node.number;
      terms_.push_back(is_word(node.operation) ? word(node) : computed(node));
    }
    std::stable_sort(result_.problems.begin(), result_.problems.end(),
                     [](const Problem& a, const Problem& b) { return a.offset < b.offset; });
    add_syntax();
    if (all_known_ && !tree_.syntax && !error_before(std::string::npos)) {
      result_.kind = terms_.back().kind;
      assemble();
    }
    return std::move(result_);
  }

 private:
  bool error_before(std::size_t offset) const {
    return std::any_of(result_.problems.begin(), result_.problems.end(), [&](const Problem& one) {
      return one.severity == Severity::error && one.offset < offset;
    });
  }

  // What does not bind may be the fault of what is wrong before it.
  void add_syntax() {
    const bool no_word = tree_.nodes.empty();
    if (tree_.syntax && (no_word || !error_before(tree_.syntax->offset))) {
      result_.problems.insert(result_.problems.begin(), *tree_.syntax);
    }
  }

  void problem(std::size_t offset, std::string message, Severity severity = Severity::error) {
    result_.problems.push_back({offset, std::move(message), severity});
  }

  double number_of(const std::string& name) {
    return names_.try_emplace(name, static_cast<double>(names_.size())).first->second;
  }

  void look_up(const Name& name) {
    Found found = scope_.find(name.text);
    if (!found.problem.empty()) {
      problem(name.offset, found.problem);
    }
    all_known_ = all_known_ && found.symbol.has_value();
    if (found.symbol) {
      symbols_.try_emplace(name.text, std::move(*found.symbol));
    }
  }

  Term word(const Node& node) const {
    switch (node.operation) {
      case Operation::text:
        return {Kind::name};
      case Operation::truth:
        return {Kind::condition};
      case Operation::name: {
        const auto found = symbols_.find(node.text);
        return found == symbols_.end() ? Term{} : Term{found->second.kind, &found->second};
      }
      default:
        return {Kind::number};
    }
  }

  // From here on: a problem makes the term unknown, so that nothing is said twice.
  Term computed(const Node& node) {
    switch (node.operation) {
      case Operation::negate:
        return takes(node, Kind::number, "'-' takes a number, not {}");
      case Operation::logical_not:
        return takes(node, Kind::condition, "'not' takes a condition, not {}");
      case Operation::logical_and:
        return takes(node, Kind::condition, "'and' joins conditions, and one side is {}");
      case Operation::logical_or:
        return takes(node, Kind::condition, "'or' joins conditions, and one side is {}");
      case Operation::equal:
      case Operation::not_equal:
        return equality(node);
      case Operation::less:
      case Operation::less_equal:
      case Operation::greater:
      case Operation::greater_equal:
        return order(node);
      default:
        return takes(node, Kind::number, "computing takes numbers, not {}");
    }
  }

  Term takes(const Node& node, Kind wanted, const char* message) {
    const Term left = terms_[node.left];
    const Term right = terms_[node.right];
    for (const Kind kind : {left.kind, right.kind}) {
      if (kind != wanted && kind != Kind::unknown) {
        problem(node.offset, fmt::format(fmt::runtime(message), text_of(kind)));
        return {};
      }
    }
    return {wanted, wanted == Kind::number ? subject_of(node.operation, left, right) : nullptr};
  }

  Term equality(const Node& node) {
    const auto [left, right] = compared(node);
    if (left == Kind::unknown || right == Kind::unknown) {
      return {};
    }
    if (left != right) {
      problem(node.offset,
              fmt::format("{} does not compare with {}", text_of(left), text_of(right)));
      return {};
    }
    return {Kind::condition};
  }

  Term order(const Node& node) {
    const auto [left, right] = compared(node);
    if (left == Kind::unknown || right == Kind::unknown) {
      return {};
    }
    for (const Kind kind : {left, right}) {
      if (kind == Kind::name || kind == Kind::condition) {
        problem(node.offset,
                kind == Kind::name
                    ? "names have no order; compare them with == or !="
                    : "a condition has no order; for a range write 'a <= x and x <= b'");
        return {};
      }
    }
    return {Kind::condition};
  }

  // The kinds of both sides, after a text or number has got its meaning from the other side.
  std::pair<Kind, Kind> compared(const Node& node) {
    if (!meet(node.left, node.right)) {
      meet(node.right, node.left);
    }
    return {terms_[node.left].kind, terms_[node.right].kind};
  }

  bool meet(std::size_t subject, std::size_t literal) {
    const Symbol* symbol = terms_[subject].subject;
    const Operation operation = tree_.nodes[literal].operation;
    if (symbol == nullptr || (operation != Operation::text && operation != Operation::number)) {
      return false;
    }
    operation == Operation::text ? meet_text(*symbol, literal)
                                 : meet_number(*symbol, subject, literal);
    return true;
  }

  void refuse(std::size_t node, std::string message) {
    problem(tree_.nodes[node].offset, std::move(message));
    terms_[node].kind = Kind::unknown;
  }

  // What is computed, or stands in parentheses, is taken in SI units.
  void meet_number(const Symbol& symbol, std::size_t subject, std::size_t literal) {
    if (symbol.kind == Kind::name) {
      refuse(literal, fmt::format("{} is a name; write it in quotes, for example '{}'", symbol.name,
                                  symbol.example));
      return;
    }
    const bool alone = tree_.nodes[subject].operation == Operation::name &&
                       !tree_.nodes[subject].enclosed && !tree_.nodes[literal].enclosed;
    if (alone && !symbol.units.empty() && !symbol.takes_bare_numbers) {
      refuse(literal, fmt::format("a bare number, but {} is a quantity; write for example '{}'",
                                  symbol.name, symbol.example));
    }
  }

  void meet_text(const Symbol& symbol, std::size_t literal) {
    const std::string& text = tree_.nodes[literal].text;
    if (symbol.kind == Kind::name) {
      auto found = find_name(text, symbol.labels, symbol.others);
      found = found ? found : only_one_that_begins(text, symbol.labels);
      if (found) {
        numbers_[literal] = number_of(symbol.labels[*found]);
      } else {
        problem(tree_.nodes[literal].offset,
                fmt::format("{} is never '{}'{}{}", symbol.name, text, symbol.never_where,
                            suggestion(text, symbol.labels)),
                symbol.never);
      }
    } else if (symbol.kind == Kind::condition) {
      refuse(literal, fmt::format("{} is true or false, without quotes", symbol.name));
    } else if (symbol.units.empty()) {
      refuse(literal, fmt::format("{} is a number; write it without quotes", symbol.name));
    } else if (const Quantity quantity = scope_.quantity(text, symbol); quantity.si) {
      numbers_[literal] = *quantity.si;
      terms_[literal].kind = Kind::number;
    } else {
      refuse(literal, quantity.problem);
    }
  }

  // The slot of the variable, each of which there is once.
  std::size_t variable(const Symbol& symbol) {
    auto& variables = result_.program.variables;
    const auto found = std::find_if(variables.begin(), variables.end(),
                                    [&](const Variable& one) { return one.name == symbol.name; });
    if (found != variables.end()) {
      return static_cast<std::size_t>(found - variables.begin());
    }
    variables.push_back(
        {symbol.name, symbol.kind == Kind::name ? std::vector<double>() : symbol.values});
    if (symbol.kind == Kind::name) {
      for (const std::string& label : symbol.labels) {
        variables.back().table.push_back(number_of(label));
      }
    }
    return variables.size() - 1;
  }

  void assemble() {
    Program& program = result_.program;
    const std::vector<Node>& nodes = tree_.nodes;
    std::vector<std::size_t> slots(nodes.size(), none);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (nodes[n].operation == Operation::name) {
        slots[n] = variable(*terms_[n].subject);
      }
    }
    std::size_t next = program.variables.size();
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (is_word(nodes[n].operation) && slots[n] == none) {
        program.constants.push_back(numbers_[n]);
        slots[n] = next++;
      }
    }
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (slots[n] == none) {
        program.code.push_back({nodes[n].operation, slots[nodes[n].left], slots[nodes[n].right]});
        slots[n] = next++;
      }
    }
    program.result = slots.back();
  }

  const Tree& tree_;
  const Scope& scope_;
  Checked result_;
  bool all_known_ = true;
  std::map<std::string, Symbol> symbols_;  // by what they are called in the expression
  std::map<std::string, double> names_;    // equal names have equal numbers
  std::vector<Term> terms_;                // of the nodes, as are
  std::vector<double> numbers_;            // the values of those that are constants
};

}  // namespace

const char* text_of(Kind kind) {
  constexpr std::array<const char*, 4> texts = {"a number", "a name", "a condition", "unknown"};
  return texts.at(static_cast<std::size_t>(kind));
}

Checked check(const std::string& text, const std::string& what, const Scope& scope) {
  const Tree tree = parse(text, what);
  return Checker(tree, scope).run();
}

}  // namespace scalesweep::expression
