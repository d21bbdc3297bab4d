// The study that answers a question: a spec like one written by hand, with rules of layout that
// cover what people use. What the question leaves open is assumed, and every assumption told.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/recommend/question.hpp"

namespace scalesweep::cli {

struct MadeSpec {
  std::string text;                    // TOML
  std::map<int, std::string> options;  // line, from 1 -> what of the question it says: "--device x"
  std::vector<std::string> assumed;    // "framework megatron-lm"

  // What a mistake in that line is of; "" for a line that no option is behind.
  std::string option_at(int line) const;
};

// Names that the catalog does not have are written as they are: checking the spec reports them.
// `counts` has every device of the question, in its order.
MadeSpec make_spec(const Question& question, const std::vector<DeviceCounts>& counts,
                   const catalog::Catalog& catalog);

}  // namespace scalesweep::cli
