#include "space/filter/filter_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "config/quantity_text.hpp"
#include "core/text.hpp"
#include "parallel/fields.hpp"
#include "space/spec/axis_reader.hpp"
#include "space/spec/spec_axes.hpp"

namespace scalesweep::space {
namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    names.push_back(name);
  }
}

// What a name stands for.
enum class Meaning { unknown, keyword, number, quantity, name_axis, word, truth };

class Analysis {
 public:
  Analysis(const std::string& expression, const std::vector<Axis>& axes, bool axes_complete)
      : axes_(axes), axes_complete_(axes_complete) {
    // A line break is a blank: to the parser it would be the end of one expression of several.
    text_.normalized = expression;
    std::replace_if(
        text_.normalized.begin(), text_.normalized.end(),
        [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
    words_ = cut_filter(expression, text_.problems);
  }

  FilterText run() {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const FilterWord& word = words_[i];
      switch (word.kind) {
        case WordKind::name:
          name(word);
          break;
        case WordKind::number:
          number(word);
          break;
        case WordKind::text:
          replace(word, '"' + word.text + '"');
          break;
        case WordKind::symbol:
          break;
      }
      compared(i);
    }
    return std::move(text_);
  }

 private:
  void problem(const FilterWord& word, std::string message, Severity severity = Severity::error) {
    text_.problems.push_back({severity, word.offset, std::move(message)});
  }

  // Padded to the length of what it replaces.
  void replace(const FilterWord& word, std::string by) {
    by.resize(word.length, ' ');
    text_.normalized.replace(word.offset, word.length, by);
  }

  const Axis* axis_named(const std::string& name) const {
    const auto found = find_axis(axes_, name);
    return found ? &axes_[*found] : nullptr;
  }

  Meaning meaning_of(const std::string& name) const {
    if (is_filter_keyword(name)) {
      return Meaning::keyword;
    }
    if (const Axis* axis = axis_named(name)) {
      return axis->kind == AxisKind::name       ? Meaning::name_axis
             : axis->kind == AxisKind::quantity ? Meaning::quantity
                                                : Meaning::number;
    }
    const parallel::Field* field = parallel::find_field(name);
    if (field == nullptr) {
      return Meaning::unknown;
    }
    return field->kind == parallel::FieldKind::word    ? Meaning::word
           : field->kind == parallel::FieldKind::truth ? Meaning::truth
                                                       : Meaning::number;
  }

  void name(const FilterWord& word) {
    switch (meaning_of(word.text)) {
      case Meaning::keyword:
        if (word.text == "and" || word.text == "or" || word.text == "not") {
          replace(word, word.text == "and" ? "&&" : word.text == "or" ? "||" : "!");
        }
        break;
      case Meaning::unknown:
        unknown_name(word);
        break;
      default:
        add_once(axis_named(word.text) != nullptr ? text_.axes : text_.fields, word.text);
    }
  }

  void unknown_name(const FilterWord& word) {
    const std::vector<std::string>& possible = axis_names();
    if (std::find(possible.begin(), possible.end(), word.text) != possible.end()) {
      if (axes_complete_) {
        problem(word, fmt::format("this study has no axis '{}'", word.text));
      }
      text_.complete = false;
      return;
    }
    std::vector<std::string> known = strategy_field_names();
    for (const Axis& axis : axes_) {
      known.push_back(axis.name);
    }
    problem(word, fmt::format("unknown name '{}'{}", word.text, suggestion(word.text, known)));
  }

  void number(const FilterWord& word) {
    const auto is_letter = [](char c) {
      return std::isalpha(static_cast<unsigned char>(c)) != 0 && c != 'e' && c != 'E';
    };
    if (std::any_of(word.text.begin(), word.text.end(), is_letter)) {
      problem(word, fmt::format("'{0}' is no number; a quantity is a string with a number and a "
                                "unit",
                                word.text));
    }
  }

  bool compares(std::size_t i) const {
    return i < words_.size() && words_[i].kind == WordKind::symbol && is_comparison(words_[i].text);
  }

  // A string or number right beside a comparison whose other side is a name.
  void compared(std::size_t i) {
    const FilterWord& literal = words_[i];
    if (literal.kind != WordKind::text && literal.kind != WordKind::number) {
      return;
    }
    const bool after = i >= 2 && compares(i - 1) && words_[i - 2].kind == WordKind::name;
    const bool before =
        compares(i + 1) && i + 2 < words_.size() && words_[i + 2].kind == WordKind::name;
    const bool whole = !computed(i + 1) && (i == 0 || !computed(i - 1));
    if ((!after && !before) || !whole) {
      return;
    }
    const std::string& name = after ? words_[i - 2].text : words_[i + 2].text;
    if (literal.kind == WordKind::text) {
      compared_with_text(literal, name);
    } else {
      compared_with_number(literal, name);
    }
  }

  bool computed(std::size_t i) const {
    return i < words_.size() && words_[i].kind == WordKind::symbol && !compares(i) &&
           words_[i].text != "(" && words_[i].text != ")";
  }

  void compared_with_text(const FilterWord& literal, const std::string& name) {
    switch (meaning_of(name)) {
      case Meaning::quantity:
        quantity(literal, *axis_named(name));
        break;
      case Meaning::name_axis: {
        const std::vector<std::string>& labels = axis_named(name)->labels;
        if (std::find(labels.begin(), labels.end(), literal.text) == labels.end()) {
          problem(literal,
                  fmt::format("{} is never '{}' in this study{}", name, literal.text,
                              suggestion(literal.text, labels)),
                  Severity::warning);
        }
        break;
      }
      case Meaning::word: {
        const auto words = parallel::find_field(name)->words;
        if (std::find(words.begin(), words.end(), literal.text) == words.end()) {
          problem(literal, fmt::format("{} is never '{}'{}", name, literal.text,
                                       suggestion(literal.text, std::vector<std::string>(
                                                                    words.begin(), words.end()))));
        }
        break;
      }
      case Meaning::number:
        problem(literal, fmt::format("{} is a number; write it without quotes", name));
        break;
      case Meaning::truth:
        problem(literal, fmt::format("{} is true or false, without quotes", name));
        break;
      case Meaning::unknown:
      case Meaning::keyword:
        break;
    }
  }

  void compared_with_number(const FilterWord& literal, const std::string& name) {
    switch (meaning_of(name)) {
      case Meaning::quantity: {
        const Axis& axis = *axis_named(name);
        problem(literal, fmt::format("a bare number, but {} is a quantity; write for example "
                                     "'{}'",
                                     name, axis.labels.front()));
        break;
      }
      case Meaning::name_axis:
        problem(literal, fmt::format("{} is a name; write it in quotes, for example '{}'", name,
                                     axis_named(name)->labels.front()));
        break;
      case Meaning::word:
        problem(literal, fmt::format("{} is a name; write it in quotes, for example '{}'", name,
                                     parallel::find_field(name)->words.back()));
        break;
      default:
        break;
    }
  }

  void quantity(const FilterWord& literal, const Axis& axis) {
    const config::QuantityResult result = config::parse_quantity(literal.text, *dimension_of(axis));
    if (!result.si) {
      problem(literal, result.problem);
      return;
    }
    // The shortest quantity with its quotes, "1W", has four characters: the names fit.
    const std::string name = fmt::format("_{}", text_.constants.size());
    text_.constants[name] = *result.si;
    replace(literal, name);
  }

  const std::vector<Axis>& axes_;
  bool axes_complete_;
  std::vector<FilterWord> words_;
  FilterText text_;
};

}  // namespace

FilterText analyse_filter(const std::string& expression, const std::vector<Axis>& axes,
                          bool axes_complete) {
  return Analysis(expression, axes, axes_complete).run();
}

const std::vector<std::string>& strategy_field_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const parallel::Field& field : parallel::strategy_fields()) {
      all.emplace_back(field.name);
    }
    return all;
  }();
  return names;
}

}  // namespace scalesweep::space
