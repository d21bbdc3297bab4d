// How help looks: one usage line that can be copied, descriptions wrapped to the terminal's usual
// width, the footer on the first page only.
#pragma once

#include <CLI/App.hpp>
#include <string>

#include "cli/options/command.hpp"

namespace scalesweep::cli {

// Broken between words so that no line is longer than `width` columns, if words allow it.
std::string wrapped(const std::string& text, std::size_t width);

// For the first page and for every command; footers of commands are taken away.
void format_help(CLI::App& app, const std::vector<Command>& commands);

}  // namespace scalesweep::cli
