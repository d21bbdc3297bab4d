#include "cli/options/parse.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "cli/output/terminal.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

constexpr std::size_t page_width = 80;
constexpr std::size_t name_width = 26;

// How help looks: one usage line that can be copied, descriptions wrapped to the page, the footer
// on the first page only.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) { column_width(name_width); }

  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: " + usage_ + "\n";
  }
  std::string make_description(const CLI::App* app) const override {
    return wrapped(app->get_description(), page_width) + "\n";
  }
  std::string make_option_name(const CLI::Option* option, bool positional) const override {
    return positional ? option->get_type_name()
                      : CLI::Formatter::make_option_name(option, positional);
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    return option->get_positional() || type.empty() ? "" : " " + type;
  }
  std::string make_subcommand(const CLI::App* command) const override {
    std::ostringstream text;
    CLI::detail::format_help(text, command->get_name(),
                             wrapped(command->get_description(), page_width - name_width),
                             name_width);
    return text.str();
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), page_width - name_width);
  }

 private:
  std::string usage_;
};

constexpr const char* only_operands = "--";

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

// What nobody declared: misspelt options, and operands too many. Behind "--" all words are
// operands.
void refuse_extras(const CLI::App& app, std::vector<std::string> extras) {
  const auto mark = std::find(extras.begin(), extras.end(), only_operands);
  const auto unknown = std::find_if(extras.begin(), mark, is_option);
  const bool is_known = unknown == mark;
  if (mark != extras.end() && is_known) {
    extras.erase(mark);
  }
  if (extras.empty()) {
    return;
  }
  if (is_known) {
    throw usage(fmt::format("unexpected argument '{}'; {}", extras.front(), see_help(app)));
  }
  const std::string name = unknown->substr(0, unknown->find('='));
  const std::vector<std::string> known = option_names(app);
  const std::optional<std::string> near = closest(name, known);
  throw usage(fmt::format("unknown option '{}'; {}", name,
                          near ? fmt::format("did you mean '{}'?", *near) : see_help(app)));
}

void require_given(const Command& command) {
  for (const Required& required : command.required()) {
    if (!required.option.given()) {
      throw usage(fmt::format("{}: {}", command.name(), required.message));
    }
  }
}

const Command& command_named(const Program& program, const std::string& word) {
  for (const Command* command : commands_of(program)) {
    if (command->name() == word) {
      return *command;
    }
  }
  throw usage(
      fmt::format("unknown command '{}'{}", word, suggestion(word, command_names(program))));
}

void add_command(CLI::App& app, const Command& command, const std::string& group) {
  app.require_subcommand(
      0, 1);  // what follows one is its operand, also where it is the name of another
  CLI::App* parser = app.add_subcommand(command.parser());
  parser->group(group);
  parser->get_help_ptr()->description("This page");
  parser->formatter(std::make_shared<HelpFormatter>(usage_of(command)));
  parser->allow_extras();
}

// As CLI11 writes it, with one blank line between its parts and none at its end.
std::string page_of(const CLI::App& app) {
  std::string page;
  for (const char c : app.help()) {
    if (c != '\n' || !page.ends_with("\n\n")) {
      page += c;
    }
  }
  return page.substr(0, page.find_last_not_of('\n') + 1) + "\n";
}

std::shared_ptr<CLI::App> parser_of(const Program& program, Request& request) {
  auto app = std::make_shared<CLI::App>(program.description, "scalesweep");
  app->footer(program.examples + "\n" + program.exit_codes);
  app->formatter(std::make_shared<HelpFormatter>("scalesweep COMMAND ... | --version | --help"));
  app->allow_extras();
  app->get_help_ptr()->description("This page; of a command: 'scalesweep help COMMAND'");
  app->add_flag("--version", request.version, "Print the version; with -v how it was built");
  app->add_flag("-v,--verbose", request.verbose, "With --version: more of it");
  for (const CommandGroup& group : program.groups) {
    for (const Command& command : group.commands) {
      add_command(*app, command, group.title);
    }
  }
  return app;
}

}  // namespace

// What must be given, then what may be: "scalesweep run SPEC -o OUT.h5 [OPTIONS]".
std::string usage_of(const Command& command) {
  std::string usage = "scalesweep " + command.name();
  for (const Required& required : command.required()) {
    const CLI::Option& option = required.option.parsed();
    usage += option.get_positional() ? fmt::format(" {}", option.get_type_name())
             : option.get_snames().empty()
                 ? fmt::format(" --{} {}", option.get_lnames().front(), option.get_type_name())
                 : fmt::format(" -{} {}", option.get_snames().front(), option.get_type_name());
  }
  for (const CLI::Option* option : command.parser()->get_options()) {
    const bool is_required =
        std::any_of(command.required().begin(), command.required().end(),
                    [&](const Required& required) { return &required.option.parsed() == option; });
    if (option->get_positional() && !is_required) {
      usage += fmt::format(" [{}]", option->get_type_name());
    }
  }
  return usage + " [OPTIONS]";
}

std::string help_text(const Command& command) {
  return page_of(*command.parser());
}

std::string help_text(const Program& program) {
  Request request;
  return page_of(*parser_of(program, request));
}

Request parse(const Program& program, const std::vector<std::string>& arguments) {
  Request request;
  const std::shared_ptr<CLI::App> app = parser_of(program, request);
  if (!arguments.empty() && !is_option(arguments.front())) {
    request.command = &command_named(program, arguments.front());
  }
  const CLI::App& asked = request.command ? *request.command->parser() : *app;
  try {
    // CLI11 takes the words from the back.
    app->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    request.help = page_of(asked);
    return request;
  } catch (const CLI::ConversionError& error) {
    const std::string text = error.what();  // "Could not convert: --quiet = maybe"
    throw usage(fmt::format("it takes no value: {}; {}",
                            text.substr(std::min(text.find(": ") + 2, text.size())),
                            see_help(asked)));
  } catch (const CLI::ParseError& error) {
    throw usage(fmt::format("{}; {}", error.what(), see_help(asked)));
  }
  refuse_extras(asked, asked.remaining());
  // What stands behind "--" and finds no operand left, CLI11 hands to the program.
  if (const std::vector<std::string> left = app->remaining(); !left.empty()) {
    throw usage(fmt::format("unexpected argument '{}'; {}", left.front(), see_help(asked)));
  }
  if (request.version) {
    return request;
  }
  if (request.command == nullptr) {
    throw usage(fmt::format("no command given; {}", see_help(*app)));
  }
  require_given(*request.command);
  return request;
}

}  // namespace scalesweep::cli
