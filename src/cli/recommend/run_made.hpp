// A study that was made for a question, run on all cores.
#pragma once

#include <filesystem>
#include <string>

#include "cli/options/command.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// Into `output`, with the command `line` in it; throws Failure(resumable) where it was stopped.
void run_study_into(study::Study& study, const std::filesystem::path& output,
                    const std::string& line, const Streams& streams);

}  // namespace scalesweep::cli
