// The study that is analysed, and the options that choose what of it: the same of every subcommand
// that analyses a study.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "analysis/findings/analyze.hpp"
#include "cli/options/asked_study.hpp"
#include "cli/options/command.hpp"

namespace scalesweep::cli {

// The columns of --minimize and --maximize, in the order of space::objective_words.
using ObjectiveArguments = std::array<std::vector<std::string>, space::objective_words.size()>;
void add_objective_options(Command& command, ObjectiveArguments& arguments);
std::vector<analysis::Objective> objectives_of(const ObjectiveArguments& arguments);

struct AnalysisArguments {
  std::vector<std::string> files;
  ObjectiveArguments objectives;
  analysis::AnalyzeOptions options;  // all but its objectives
};

// FILE ..., --along, --where, --per, --ranks, --threads, --phase, --hold, --minimize, --maximize
std::shared_ptr<AnalysisArguments> add_analysis_options(
    Command& command, const char* threads = "Threads that read (default: one per core)");

// Shows how far it is. `study` is that of the files.
AskedStudy asked_study(const AnalysisArguments& arguments, const Streams& streams);
analysis::AnalysisResult analysed(const AnalysisArguments& arguments, const AskedStudy& study,
                                  const Streams& streams);

// As a shell reads them, to be typed again: those that were given, each after a space. Without
// --threads, which changes nothing of the answers.
std::string option_words(const AnalysisArguments& arguments);

}  // namespace scalesweep::cli
