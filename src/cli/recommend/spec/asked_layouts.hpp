// Which layouts are tried for a question: rules that cover what people use.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/recommend/question.hpp"
#include "cli/recommend/spec/facts.hpp"
#include "cli/recommend/spec/software.hpp"
#include "cli/recommend/spec/tried_layouts.hpp"

namespace scalesweep::cli {

// What the rules are by.
struct LayoutsOf {
  const Question& question;
  const Facts& facts;
  const Software& software;
  const std::vector<std::int64_t>& counts;  // of devices, all that are tried
  std::int64_t sequence = 0;                // tokens, of training
};

TriedLayouts asked_layouts(const LayoutsOf& of);

}  // namespace scalesweep::cli
