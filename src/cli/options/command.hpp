// What every subcommand is made of: its options, declared on a CLI11 app, and a body to run.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "core/failure.hpp"

namespace scalesweep::cli {

struct Streams {
  std::ostream& out;  // data
  std::ostream& err;  // log and progress
};

// An option or operand that must be given; checked after parsing, for a message of our own.
struct Required {
  CLI::Option* option = nullptr;
  std::string message;  // the problem, and after "; " the way out
};

struct Command {
  CLI::App* app = nullptr;
  std::vector<Required> required;
  std::function<ExitCode(const Streams&)> body;
};

// One file each; `line` is the whole command line as typed, for provenance.
Command add_catalog(CLI::App& parent);
Command add_check(CLI::App& parent);
Command add_plan(CLI::App& parent);
Command add_run(CLI::App& parent, const std::string& line);
Command add_explain(CLI::App& parent);
Command add_analyze(CLI::App& parent);
Command add_report(CLI::App& parent);
Command add_diff(CLI::App& parent);
Command add_query(CLI::App& parent, const std::string& line);
Command add_status(CLI::App& parent);
Command add_merge(CLI::App& parent);
Command add_validate(CLI::App& parent);

// --version and its -v.
std::string version_text(bool verbose);

}  // namespace scalesweep::cli
