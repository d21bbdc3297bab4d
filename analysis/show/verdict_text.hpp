// Verdicts as people read them: the same lines for the terminal and for the page of the report.
#pragma once

#include <string>
#include <vector>

#include "analysis/verdict/verdict.hpp"
#include "analysis/words/text_table.hpp"

namespace scalesweep::analysis {

struct VerdictLine {
  std::string label;               // "limit"
  std::vector<std::string> texts;  // one or more, each a line of its own
};

// What is told of one question.
struct VerdictSheet {
  std::string question;  // "llama-3-70b, sequence length 8192"; "" where there is only one
  std::string choice;    // "h200-sxm, HBM4"; "" where only layouts are chosen
  std::vector<VerdictLine> lines;
};
VerdictSheet verdict_sheet(const Verdicts& verdicts, const Verdict& verdict);
// Of all draws of a question.
VerdictSheet drawn_sheet(const Verdicts& verdicts, const DrawnAnswer& answer);

// Of all phases of a run together.
VerdictSheet recipe_sheet(const Verdicts& verdicts, const RecipeAnswer& answer);

// "least step time", "most tokens per second".
std::string verdict_aim(const Verdicts& verdicts);

// What the reader should know where the file does not keep all points; sentences.
std::vector<std::string> verdict_notes(const Verdicts& verdicts);

// The first questions in full, the others in a line each of a table, and where the rest is. Empty
// where the study has no question.
std::string verdict_text(const Verdicts& verdicts, std::size_t width = line_width);

}  // namespace scalesweep::analysis
