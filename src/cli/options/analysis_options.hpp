// The options that choose what is analysed: the same of every subcommand that analyses a study.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/findings/analyze.hpp"
#include "cli/options/command.hpp"

namespace scalesweep::cli {

struct AnalysisArguments {
  std::vector<std::string> minimize;
  std::vector<std::string> maximize;
  analysis::AnalyzeOptions options;  // all but its objectives
};

// --along, --where, --per, --ranks, --threads, --phase, --hold, --minimize, --maximize
std::shared_ptr<AnalysisArguments> add_analysis_options(
    Command& command, const char* threads = "Threads that read (default: one per core)");

analysis::AnalyzeOptions options_of(const AnalysisArguments& arguments);

// As a shell reads them, to be typed again: those that were given, each after a space. Without
// --threads, which changes nothing of the answers.
std::string option_words(const AnalysisArguments& arguments);

}  // namespace scalesweep::cli
