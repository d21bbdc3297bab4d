#include "cli/help/manual.hpp"

#include <fmt/core.h>

#include "cli/options/parse.hpp"
#include "core/text.hpp"
#include "core/version.hpp"

namespace scalesweep::cli {
namespace {

// A backslash begins an escape, a hyphen of an option must stay one, and a line that begins with a
// dot or a quote would be a request.
std::string escaped(const std::string& text) {
  std::string safe;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if ((c == '.' || c == '\'') && (i == 0 || text[i - 1] == '\n')) {
      safe += "\\&";
    }
    if (c == '\\') {
      safe += "\\e";
    } else if (c == '-') {
      safe += "\\-";
    } else {
      safe += c;
    }
  }
  return safe;
}

std::string heading(const std::string& command) {
  const std::string name = command.empty() ? "scalesweep" : "scalesweep-" + command;
  std::string title = name;
  for (char& c : title) {
    c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  return fmt::format(".TH {} 1 \"\" \"scalesweep {}\" \"User Commands\"\n.SH NAME\n{}", title,
                     build_info().version, escaped(name));
}

std::string item(const OptionFacts& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
  }
  if (!option.type.empty()) {
    names += fmt::format("{}\\fI{}\\fR", names.empty() ? "" : " ", escaped(option.type));
  }
  return fmt::format(".TP\n{}\n{}\n", names, escaped(option.description));
}

std::string items(const Command& command) {
  std::string text;
  std::string section;
  for (const bool operands : {true, false}) {
    for (const OptionFacts& option : command.options()) {
      if (option.names.empty() != operands) {
        continue;
      }
      const std::string title = operands ? "Operands" : option.section;
      if (title != section) {
        section = title;
        text += fmt::format(".SH {}\n", escaped(title));
      }
      text += item(option);
    }
  }
  return text;
}

std::string plain_lines(const std::string& title, const std::string& text) {
  return fmt::format(".SH {}\n.nf\n{}\n.fi\n", title, escaped(text));
}

ManualPage page_of(const Command& command, const Program& program) {
  return {fmt::format("scalesweep-{}.1", command.name()),
          fmt::format("{} \\- {}\n.SH SYNOPSIS\n{}\n{}{}.SH SEE ALSO\n.BR scalesweep (1)\n",
                      heading(command.name()), escaped(command.description()),
                      escaped(usage_of(command)), items(command),
                      plain_lines("EXIT STATUS", program.exit_codes))};
}

}  // namespace

std::vector<ManualPage> manual_pages(const Program& program) {
  std::string commands;
  for (const CommandGroup& group : program.groups) {
    commands += fmt::format(".SH {}\n", escaped(group.title));
    for (const Command& command : group.commands) {
      commands += fmt::format(".TP\n\\fBscalesweep\\-{}\\fR(1)\n{}\n", command.name(),
                              escaped(command.description()));
    }
  }
  std::vector<ManualPage> pages = {
      {"scalesweep.1",
       fmt::format("{} \\- design-space sweeps of language models on hardware that exists or may\n"
                   ".SH SYNOPSIS\n\\fBscalesweep\\fR \\fICOMMAND\\fR ...\n.SH DESCRIPTION\n{}\n"
                   "{}{}{}",
                   heading(""), escaped(program.description), commands,
                   plain_lines("EXAMPLES", program.examples),
                   plain_lines("EXIT STATUS", program.exit_codes))}};
  for (const Command* command : commands_of(program)) {
    pages.push_back(page_of(*command, program));
  }
  return pages;
}

}  // namespace scalesweep::cli
