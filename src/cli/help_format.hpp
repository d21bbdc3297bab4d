// How help looks: one usage line that can be copied, descriptions wrapped to the terminal's usual
// width, the footer on the first page only.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "cli/command.hpp"

namespace scalesweep::cli {

// For the first page and for every command; footers of commands are taken away.
void format_help(CLI::App& app, const std::vector<Command>& commands);

}  // namespace scalesweep::cli
