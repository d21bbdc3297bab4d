#include "cli/application.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ostream>
#include <stdexcept>

#include "cli/launch/launch.hpp"
#include "cli/options/command.hpp"
#include "cli/options/command_line.hpp"
#include "cli/options/help_format.hpp"
#include "core/contracts.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

constexpr const char* description =
    "Estimates how large language models are trained and answer requests, over millions of "
    "combinations of strategy, logic node, memory and network, and shows which are best and what "
    "limits them.";

constexpr const char* footer =
    "A first study:\n"
    "  scalesweep plan sweeps/quick.toml             what would be run, and for how long\n"
    "  scalesweep run sweeps/quick.toml -o quick.h5  (or: mpirun -n 8 scalesweep run ...)\n"
    "  scalesweep analyze quick.h5                   frontier, bottlenecks, figures\n"
    "  scalesweep report quick.h5                    the same as one HTML file\n"
    "\n"
    "Exit codes: 0 done, 1 differences found by diff, 64 usage, 65 mistake in a spec or catalog,\n"
    "66 input missing, 69 MPI or report left out, 70 internal error, 73 output cannot be created,\n"
    "74 I/O error, 75 stopped early: the same command goes on.";

bool is_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-';
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
    for (const std::string& name : option->get_snames()) {
      names.push_back("-" + name);
    }
  }
  return names;
}

Failure usage(const std::string& message) {
  return Failure(ExitCode::usage, message);
}

std::string see_help(const CLI::App& app) {
  const bool root = app.get_parent() == nullptr;
  return fmt::format("see 'scalesweep {}--help'", root ? "" : app.get_name() + " ");
}

// What nobody declared: misspelt options, and operands too many.
void refuse_extras(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(true);
  if (extras.empty()) {
    return;
  }
  const auto unknown = std::find_if(extras.begin(), extras.end(), is_option);
  if (unknown == extras.end()) {
    throw usage(fmt::format("unexpected argument '{}'; {}", extras.front(), see_help(app)));
  }
  const std::string name = unknown->substr(0, unknown->find('='));
  const std::vector<std::string> known = option_names(app);
  const std::optional<std::string> near = closest(name, known);
  throw usage(fmt::format("unknown option '{}'; {}", name,
                          near ? fmt::format("did you mean '{}'?", *near) : see_help(app)));
}

void require_given(const Command& command) {
  for (const Required& required : command.required) {
    if (required.option->count() == 0) {
      throw usage(fmt::format("{}: {}", command.app->get_name(), required.message));
    }
  }
}

const Command& command_named(const std::vector<Command>& commands, const std::string& word) {
  std::vector<std::string> names;
  for (const Command& command : commands) {
    if (command.app->get_name() == word) {
      return command;
    }
    names.push_back(command.app->get_name());
  }
  throw usage(fmt::format("unknown command '{}'{}", word, suggestion(word, names)));
}

ExitCode dispatch(const std::vector<std::string>& arguments, const Streams& streams) {
  CLI::App app(description, "scalesweep");
  app.footer(footer);
  bool version = false;
  bool verbose = false;
  app.add_flag("--version", version, "Print the version; with -v how it was built");
  app.add_flag("-v,--verbose", verbose, "With --version: more of it");
  const std::string line = quoted_line(arguments);
  std::vector<Command> commands = {add_check(app),   add_plan(app),     add_run(app, line),
                                   add_status(app),  add_merge(app),    add_explain(app),
                                   add_analyze(app), add_report(app),   add_query(app, line),
                                   add_diff(app),    add_validate(app), add_catalog(app)};
  format_help(app, commands);
  app.allow_extras();
  for (const Command& command : commands) {
    command.app->allow_extras();
  }

  const Command* chosen = nullptr;
  if (!arguments.empty() && !is_option(arguments.front())) {
    chosen = &command_named(commands, arguments.front());
  }
  try {
    // CLI11 takes the words from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    const std::string help = chosen ? chosen->app->help() : app.help();
    fmt::print(streams.out, "{}\n", help.substr(0, help.find_last_not_of('\n') + 1));
    return ExitCode::ok;
  } catch (const CLI::ConversionError& error) {
    const std::string text = error.what();  // "Could not convert: --id = abc"
    throw usage(fmt::format("not a number that it takes: {}; {}",
                            text.substr(std::min(text.find(": ") + 2, text.size())),
                            see_help(chosen ? *chosen->app : app)));
  } catch (const CLI::ParseError& error) {
    throw usage(fmt::format("{}; {}", error.what(), see_help(chosen ? *chosen->app : app)));
  }
  refuse_extras(chosen ? *chosen->app : app);
  if (version) {
    fmt::print(streams.out, "{}", version_text(verbose));
    return ExitCode::ok;
  }
  if (chosen == nullptr) {
    throw usage(fmt::format("no command given; {}", see_help(app)));
  }
  require_given(*chosen);
  return chosen->body(streams);
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  // Under mpirun every rank runs this; what all of them would say, the first one says.
  std::ostream silent(nullptr);
  const bool speaks = launched_rank() == 0;
  const Streams streams{speaks ? out : silent, speaks ? err : silent};
  ExitCode code = ExitCode::internal;
  try {
    code = dispatch(arguments, streams);
    streams.out.flush();
    if (speaks && !out) {
      throw Failure(ExitCode::io,
                    "standard output cannot be written (closed, or its disk is full)");
    }
  } catch (const Failure& failure) {
    fmt::print(streams.err, "scalesweep: error: {}\n", failure.what());
    code = failure.code();
  } catch (const ContractViolation& violation) {
    fmt::print(streams.err, "scalesweep: internal error, please report it: {}\n", violation.what());
  } catch (const std::bad_alloc&) {
    fmt::print(streams.err, "scalesweep: error: out of memory\n");
    code = ExitCode::io;
  } catch (const std::exception& error) {
    fmt::print(streams.err, "scalesweep: internal error, please report it: {}\n", error.what());
  }
  streams.err.flush();
  return static_cast<int>(code);
}

}  // namespace scalesweep::cli
