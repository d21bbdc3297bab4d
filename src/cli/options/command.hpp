// What every subcommand is made of: its options and a body to run. command.cpp declares them to the
// library that reads command lines, and parse.cpp reads: nobody else includes that library.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
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
  const std::shared_ptr<CLI::App>& parser() const { return parser_; }
  const std::vector<Required>& required() const { return required_; }

  std::function<ExitCode(const Streams&)> body;

 private:
  std::shared_ptr<CLI::App> parser_;
  std::vector<Required> required_;
};

// One file each; `line` is the whole command line as typed, for provenance.
Command catalog_command();
Command check_command();
Command plan_command();
Command run_command(const std::string& line);
Command explain_command();
Command analyze_command();
Command report_command();
Command diff_command();
Command query_command(const std::string& line);
Command status_command();
Command merge_command();
Command validate_command();
Command help_command();

// --version and its -v.
std::string version_text(bool verbose);

}  // namespace scalesweep::cli
