#include "cli/options/command.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>

#include "cli/options/values/numbers.hpp"

namespace scalesweep::cli {
namespace {

template <typename T>
struct Scalar {
  using Of = T;
  static constexpr bool is_list = false;
};
template <typename T>
struct Scalar<std::optional<T>> : Scalar<T> {};
template <typename T>
struct Scalar<std::vector<T>> : Scalar<T> {
  static constexpr bool is_list = true;
};

template <typename T>
constexpr OptionValue value_of =
    std::is_integral_v<typename Scalar<T>::Of>         ? OptionValue::whole_number
    : std::is_floating_point_v<typename Scalar<T>::Of> ? OptionValue::real_number
                                                       : OptionValue::text;

// A number that is read and yet not allowed. Of a word that is no number nothing is said here: the
// reader tells, who sees the whole list.
template <typename Allows>
CLI::Validator number_check(Allows allows, const std::string& words) {
  const auto problem = [allows, words](const std::string& text) {
    const std::optional<double> number = read_real_number(text).value;
    return !number || allows(*number) ? std::string()
                                      : fmt::format("{} is not a number {}", text, words);
  };
  return {problem, ""};
}

// The word at `at`, as T. Throws CLI::ValidationError.
template <typename T>
T number_at(const std::vector<std::string>& words, std::size_t at, const std::string& option) {
  const auto taken = [&](const auto& read) {
    if (!read.value) {
      throw CLI::ValidationError(option, read.problem);
    }
    return static_cast<T>(*read.value);
  };
  if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    constexpr std::int64_t least = std::is_signed_v<T> ? Limits::min() : 0;
    constexpr std::int64_t most = std::in_range<std::int64_t>(Limits::max())
                                      ? static_cast<std::int64_t>(Limits::max())
                                      : std::numeric_limits<std::int64_t>::max();
    return taken(read_whole_number(words, at, least, most));
  } else {
    return taken(read_real_number(words[at]));
  }
}

// What CLI11 calls with all words of the option. Not its own conversion: that reads 010 as 8 and
// takes the largest number for one that does not fit.
template <typename T>
CLI::callback_t number_taker(T& to, const std::string& option) {
  return [&to, option](const CLI::results_t& words) {
    using Number = typename Scalar<T>::Of;
    if constexpr (Scalar<T>::is_list) {
      to.clear();
      for (std::size_t at = 0; at < words.size(); ++at) {
        to.push_back(number_at<Number>(words, at, option));
      }
    } else {
      to = number_at<Number>(words, 0, option);
    }
    return true;
  };
}

// Says of an option what its words stand for: by the name of a validator that lets all pass.
CLI::Validator marking(OptionValue value) {
  const auto passes = [](const std::string&) { return std::string(); };
  return {passes, "", value == OptionValue::whole_number ? "whole number" : "real number"};
}

OptionValue value_marked(CLI::Option& option) {
  if (option.get_items_expected_max() == 0) {
    return OptionValue::nothing;
  }
  for (const OptionValue value : {OptionValue::whole_number, OptionValue::real_number}) {
    try {
      (void)option.get_validator(marking(value).get_name());
      return value;
    } catch (const CLI::OptionNotFound&) {
      continue;
    }
  }
  return OptionValue::text;
}

}  // namespace

bool Option::given() const {
  return option_->count() > 0;
}

Option& Option::list() {
  option_->delimiter(',');
  return repeated();
}

Option& Option::repeated() {
  option_->expected(1)->take_all();
  return *this;
}

Option& Option::at_least(int least) {
  option_->check(number_check([least](double number) { return number >= least; },
                              fmt::format("of {} or more", least)));
  return *this;
}

Option& Option::above_zero() {
  option_->check(number_check([](double number) { return number > 0.0; }, "above 0"));
  return *this;
}

Option& Option::within(int least, int most) {
  option_->check(number_check([=](double number) { return number >= least && number <= most; },
                              fmt::format("from {} to {}", least, most)));
  return *this;
}

Command::Command(const std::string& name, const std::string& description)
    : parser_(std::make_shared<CLI::App>(description, name)) {}

template <typename T>
Option Command::option(const std::string& names, T& to, const std::string& type,
                       const std::string& description) {
  if constexpr (value_of<T> == OptionValue::text) {
    return in_section(*parser_->add_option(names, to, description)->type_name(type));
  } else {
    // "--devices" of "-d,--devices": the name that messages have.
    const std::string name = names.substr(names.rfind(',') + 1);
    return in_section(*parser_->add_option(names, number_taker(to, name), description)
                           ->type_name(type)
                           ->check(marking(value_of<T>)));
  }
}

template <typename T>
using OptionOf = Option(const std::string&, T&, const std::string&, const std::string&);
template OptionOf<std::string> Command::option<std::string>;
template OptionOf<int> Command::option<int>;
template OptionOf<std::int64_t> Command::option<std::int64_t>;
template OptionOf<std::size_t> Command::option<std::size_t>;
template OptionOf<double> Command::option<double>;
template OptionOf<std::optional<double>> Command::option<std::optional<double>>;
template OptionOf<std::optional<int>> Command::option<std::optional<int>>;
template OptionOf<std::optional<std::int64_t>> Command::option<std::optional<std::int64_t>>;
template OptionOf<std::vector<std::string>> Command::option<std::vector<std::string>>;
template OptionOf<std::vector<int>> Command::option<std::vector<int>>;
template OptionOf<std::vector<std::int64_t>> Command::option<std::vector<std::int64_t>>;
template OptionOf<std::vector<double>> Command::option<std::vector<double>>;

Option Command::parsed_option(const std::string& names,
                              std::function<std::string(const std::string&)> take,
                              const std::string& type, const std::string& description) {
  const auto checked = [names, take = std::move(take)](const std::string& word) {
    const std::string problem = take(word);
    if (!problem.empty()) {
      throw CLI::ValidationError(names, problem);
    }
  };
  return in_section(
      *parser_->add_option_function<std::string>(names, checked, description)->type_name(type));
}

void Command::flag(const std::string& names, bool& to, const std::string& description) {
  in_section(*parser_->add_flag(names, to, description));
}

// Operands stand by themselves.
Option Command::in_section(CLI::Option& option) const {
  if (!option.get_positional()) {
    option.group(section_);
  }
  return Option(option);
}

std::string Command::name() const {
  return parser_->get_name();
}

std::string Command::description() const {
  return parser_->get_description();
}

std::vector<OptionFacts> Command::options() const {
  std::vector<OptionFacts> options;
  for (CLI::Option* option : parser_->get_options()) {
    const std::string type = option->get_type_name();
    OptionFacts facts{
        {}, type, {}, option->get_description(), option->get_group(), value_marked(*option)};
    for (const std::string& name : option->get_snames()) {
      facts.names.push_back("-" + name);
    }
    for (const std::string& name : option->get_lnames()) {
      facts.names.push_back("--" + name);
      if (const auto words = choices_.find(facts.names.back()); words != choices_.end()) {
        facts.choices = words->second;
      }
    }
    if (option->get_positional()) {
      const auto words = choices_.find(option->get_name(true));
      facts.names.clear();
      facts.choices = words != choices_.end() ? words->second : std::vector<std::string>();
    }
    options.push_back(std::move(facts));
  }
  return options;
}

std::vector<const Command*> commands_of(const Program& program) {
  std::vector<const Command*> commands;
  for (const CommandGroup& group : program.groups) {
    for (const Command& command : group.commands) {
      commands.push_back(&command);
    }
  }
  return commands;
}

std::vector<std::string> command_names(const Program& program) {
  std::vector<std::string> names;
  for (const Command* command : commands_of(program)) {
    names.push_back(command->name());
  }
  return names;
}

}  // namespace scalesweep::cli
