// The options of `recommend`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options/command.hpp"
#include "cli/recommend/question.hpp"

namespace scalesweep::cli {

struct RecommendArguments {
  Question question;
  bool train = false;
  bool serve = false;
  std::string batch_tokens;
  std::string run_tokens;
  std::optional<std::int64_t> top;
  bool what_to_measure = false;
  std::string output;
  std::string save_spec;
};

// Declares all but those of the catalog and of the format.
void add_options(Command& command, RecommendArguments& arguments);

// The numbers of tokens among their words, into the question. Throws Failure(usage).
void read_tokens(RecommendArguments& arguments);

}  // namespace scalesweep::cli
