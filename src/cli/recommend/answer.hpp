// What a finished study answers to each question, read from its file: the verdict and the best
// layouts behind it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/verdict/verdict.hpp"
#include "core/documents/json.hpp"
#include "store/read/reader.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

struct Layout {
  std::int64_t id = -1;
  std::string words;                // "TP4 PP4 DP2 b1 no-rc Z1 SP CP2"
  std::vector<std::string> choice;  // labels of Verdicts::chosen: "h100-sxm", "2048"
  // The same, the strategy and axes of the question that vary, by their names in a spec: which
  // point it is.
  Json::Members fields;
  double value = analysis::nothing_known;        // of the objective, SI
  double uncertainty = analysis::nothing_known;  // relative, of the time
  std::vector<analysis::Figure> figures;
  double first_token_s = analysis::nothing_known;   // of serving
  double memory_bytes = analysis::nothing_known;    // of the fullest device
  double capacity_bytes = analysis::nothing_known;  // of one
  double devices = analysis::nothing_known;         // without those that prompts alone have
  // Of a whole run, where one is asked for; its time and cost are among the figures.
  double run_goodput = analysis::nothing_known;
  double run_device_hours = analysis::nothing_known;
  double run_energy_j = analysis::nothing_known;
};

// NaN where the layout has no such figure.
double figure(const Layout& layout, analysis::FigureKind kind);

struct Answer {
  analysis::Verdict verdict;
  std::vector<Layout> layouts;  // the proposed one, then the others, best first
  // What to run for the proposed layout, by framework; empty where no target is known.
  std::map<std::string, std::string> launch;
};

struct Answers {
  analysis::Verdicts verdicts;  // of the answers
  std::vector<Answer> answers;  // one for each question
  // Where nothing fits: by how much the memory of a device is too small; empty where that is not
  // what is wrong.
  std::string shortage;
};

// The first `most` layouts of each question. The file must keep all points of `study`; with
// `per_count` each number of devices is a question of its own.
Answers find_answers(const store::StudyReader& reader, const study::Study& study, std::size_t most,
                     bool per_count);

// Of questions without an answer that differ in the number of devices: the fewest that have one; 0
// if none has.
std::int64_t fewest_devices(const store::StudyReader& reader);

}  // namespace scalesweep::cli
