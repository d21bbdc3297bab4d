// What a finished study answers to each question, read from its file: the verdict and the best
// layouts behind it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/verdict/verdict.hpp"
#include "cli/recommend/answer/layout_reader.hpp"
#include "cli/recommend/measure_next/measurements.hpp"
#include "store/read/reader.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

struct Answer {
  analysis::Verdict verdict;
  std::vector<Layout> layouts;  // the proposed one, then the others, best first
  // What to run for the proposed layout, by framework; empty where no target is known.
  std::map<std::string, std::string> launch;
  std::optional<MeasureNext> measure_next = {};  // where somebody asks for it
};

struct Answers {
  analysis::Verdicts verdicts;  // of the answers
  std::vector<Answer> answers;  // one for each question
  // Where nothing fits: by how much the memory of a device is too small; empty where that is not
  // what is wrong.
  std::string shortage;
};

struct AnswersOf {
  std::size_t most = 1;    // layouts of each question
  bool per_count = false;  // each number of devices is a question of its own
  // Devices that there are: where fewer of them do more, so many of them are taken, and it is said;
  // else layouts of all of them are told alone. Nothing: any number that was tried will do.
  std::optional<std::int64_t> asked_devices = std::nullopt;
};

// The best layouts of each question. The file must keep all points of `study`.
Answers find_answers(const store::StudyReader& reader, const study::Study& study,
                     const AnswersOf& of);

// Of layouts that do not fit, by how much the memory of a device is too small for the one that
// takes least of it; empty where that is not what is wrong.
std::string shortage_of(const store::StudyReader& reader, const study::Study& study,
                        const analysis::StudyLayout& layout);

// Of questions without an answer that differ in the number of devices: the fewest that have one; 0
// if none has.
std::int64_t fewest_devices(const store::StudyReader& reader);

}  // namespace scalesweep::cli
