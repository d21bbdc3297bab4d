// What would have an answer where a question has none: fewer bits, or more devices.
#pragma once

#include <filesystem>
#include <string>

#include "cli/options/command.hpp"
#include "cli/recommend/question.hpp"
#include "cli/recommend/sources.hpp"

namespace scalesweep::cli {

// A sentence, "" where nothing more is to be said. Tries weights of 8 bits of a service that is
// asked in 16, then larger numbers of devices; studies are made in `folder`.
std::string would_fit(const Question& question, const Sources& sources,
                      const std::filesystem::path& folder, const std::string& line,
                      const Streams& streams);

}  // namespace scalesweep::cli
