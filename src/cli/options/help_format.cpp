#include "cli/options/help_format.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

constexpr std::size_t page_width = 100;
constexpr std::size_t name_width = 30;

// CLI11 appends the names of validators: "S:POSITIVE".
std::string type_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

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
    return positional ? type_of(*option) : CLI::Formatter::make_option_name(option, positional);
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = type_of(*option);
    return option->get_positional() || type.empty() ? "" : " " + type;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), page_width - name_width);
  }

 private:
  std::string usage_;
};

// What must be given, then what may be: "scalesweep run SPEC -o OUT.h5 [OPTIONS]".
std::string usage_of(const Command& command) {
  std::string usage = "scalesweep " + command.app->get_name();
  for (const Required& required : command.required) {
    const CLI::Option& option = *required.option;
    usage += option.get_positional()
                 ? fmt::format(" {}", type_of(option))
                 : fmt::format(" -{} {}", option.get_snames().front(), type_of(option));
  }
  for (const CLI::Option* option : command.app->get_options()) {
    const bool is_required =
        std::any_of(command.required.begin(), command.required.end(),
                    [&](const Required& required) { return required.option == option; });
    if (option->get_positional() && !is_required) {
      usage += fmt::format(" [{}]", type_of(*option));
    }
  }
  return usage + " [OPTIONS]";
}

}  // namespace

std::string wrapped(const std::string& text, std::size_t width) {
  std::string lines;
  std::size_t used = 0;
  for (const std::string& word : split(text, ' ')) {
    if (used > 0 && used + 1 + word.size() > width) {
      lines += '\n';
      used = 0;
    }
    lines += (used > 0 ? " " : "") + word;
    used += (used > 0 ? 1 : 0) + word.size();
  }
  return lines;
}

void format_help(CLI::App& app, const std::vector<Command>& commands) {
  app.formatter(std::make_shared<HelpFormatter>("scalesweep COMMAND ... | --version | --help"));
  for (const Command& command : commands) {
    command.app->formatter(std::make_shared<HelpFormatter>(usage_of(command)));
    command.app->footer("");
  }
}

}  // namespace scalesweep::cli
