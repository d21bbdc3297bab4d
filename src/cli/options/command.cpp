#include "cli/options/command.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>

namespace scalesweep::cli {
namespace {

// `holds` for a number, which `words` describe.
template <typename Holds>
CLI::Validator number_check(Holds holds, const std::string& words) {
  const auto problem = [holds, words](const std::string& text) {
    double number = 0.0;
    const bool is_number = CLI::detail::lexical_cast(text, number);
    return is_number && holds(number) ? std::string()
                                      : fmt::format("{} is not a number {}", text, words);
  };
  return {problem, ""};
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
  option_->check(CLI::Range(least, most));
  return *this;
}

Command::Command(const std::string& name, const std::string& description)
    : parser_(std::make_shared<CLI::App>(description, name)) {}

template <typename T>
Option Command::option(const std::string& names, T& to, const std::string& type,
                       const std::string& description) {
  return in_section(*parser_->add_option(names, to, description)->type_name(type));
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
  for (const CLI::Option* option : parser_->get_options()) {
    const std::string type = option->get_type_name();
    // CLI11 appends what validators say of themselves: "N:in 1 - 8".
    OptionFacts facts{
        {}, type.substr(0, type.find(':')), {}, option->get_description(), option->get_group()};
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
