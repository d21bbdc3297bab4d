// What every subcommand is made of: its options and a body to run. command.cpp declares them to the
// library that reads command lines, and parse.cpp reads: nobody else includes that library.
#pragma once

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/failure.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace scalesweep::cli {

struct Streams {
  std::ostream& out;  // data
  std::ostream& err;  // log and progress
};

// What the words of an option stand for.
enum class OptionValue { nothing, text, whole_number, real_number };

// An option or operand of a command.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(&option) {}

  bool given() const;
  CLI::Option& parsed() const { return *option_; }

  // Several values with commas between them, in one word; may be given more than once.
  Option& list();
  // One value, and may be given more than once.
  Option& repeated();
  // What a number may be.
  Option& at_least(int least);
  Option& above_zero();
  Option& within(int least, int most);

 private:
  CLI::Option* option_;
};

// What manuals and completions say of an option or operand.
struct OptionFacts {
  std::vector<std::string> names;    // "-o", "--output"; none of an operand
  std::string type;                  // what stands for its value; "" of a flag
  std::vector<std::string> choices;  // the words that it takes, where they are few
  std::string description;
  std::string section;
  OptionValue value = OptionValue::text;
};

// Checked after parsing, for a message of our own.
struct Required {
  Option option;
  std::string message;  // the problem, and after "; " the way out
};

class Command {
 public:
  Command(const std::string& name, const std::string& description);

  // `names` is "-o,--output", or a word without dashes for an operand; `type` stands in help for
  // the value. T: what command.cpp lists.
  template <typename T>
  Option option(const std::string& names, T& to, const std::string& type,
                const std::string& description);
  // `take` gets the word and returns what is wrong with it, "" if nothing is.
  Option parsed_option(const std::string& names,
                       std::function<std::string(const std::string&)> take, const std::string& type,
                       const std::string& description);
  void flag(const std::string& names, bool& to, const std::string& description);

  // Options declared from here on stand under this heading.
  void section(const std::string& title) { section_ = title; }

  // The words that an option ("--format") or operand ("subject") takes, for completion: who reads
  // them refuses others.
  void choices(const std::string& option, std::vector<std::string> words) {
    choices_[option] = std::move(words);
  }

  // Must be given, or the message is shown.
  void require(Option option, const std::string& message) {
    required_.push_back({option, message});
  }
  // An operand that must be given: "the spec is missing; write 'scalesweep check SPEC'".
  template <typename T>
  void operand(const std::string& name, T& to, const std::string& type,
               const std::string& description, const std::string& what, const std::string& usage) {
    require(option(name, to, type, description),
            what + " is missing; write 'scalesweep " + usage + "'");
  }

  std::string name() const;
  std::string description() const;
  // In the order of their declaration, as help has them.
  std::vector<OptionFacts> options() const;
  const std::shared_ptr<CLI::App>& parser() const { return parser_; }
  const std::vector<Required>& required() const { return required_; }

  std::function<ExitCode(const Streams&)> body;

 private:
  Option in_section(CLI::Option& option) const;

  std::shared_ptr<CLI::App> parser_;
  std::vector<Required> required_;
  std::map<std::string, std::vector<std::string>> choices_;
  std::string section_ = "Options";
};

// The commands, as the first page of help groups them.
struct CommandGroup {
  std::string title;
  std::vector<Command> commands;
};

struct Program {
  std::string description;
  std::string examples;
  std::string exit_codes;
  std::vector<CommandGroup> groups;
};

std::vector<const Command*> commands_of(const Program& program);
std::vector<std::string> command_names(const Program& program);

// One file each; `line` is the whole command line as typed, for provenance.
Command catalog_command();
Command check_command();
Command plan_command();
Command run_command(const std::string& line);
Command recommend_command(const std::string& line);
Command explain_command();
Command launch_command();
Command analyze_command();
Command report_command();
Command diff_command();
Command query_command(const std::string& line);
Command status_command();
Command merge_command();
Command publish_command();
Command verify_command();
Command validate_command();
Command measure_command();
Command calibrate_command();
Command import_command();
// All of these.
std::vector<CommandGroup> working_commands(const std::string& line);
// `program` outlives the command, and is the one that the command is part of.
Command help_command(const Program& program);
Command completion_command(const Program& program);

// --version and its -v.
std::string version_text(bool verbose);

}  // namespace scalesweep::cli
