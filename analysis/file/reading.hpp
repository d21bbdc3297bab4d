// How a study is read, and what a reader of results should know about how much of it they are made
// of.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "store/read/reader.hpp"

namespace scalesweep::analysis {

struct ReadingOptions {
  std::size_t threads = 0;  // 0: one for every core
  // Told often while much is read: which pass over the study it is ("looking for frontiers") and
  // how much of it is done, 0 to 1. Called by any thread, one at a time.
  std::function<void(std::string_view pass, double done)> progress = {};
};

// One pass over a study in so many steps, of which any thread may do one.
class Pass {
 public:
  Pass(const ReadingOptions& how, std::string name, std::size_t steps);
  void step();  // one more is done

 private:
  const ReadingOptions& how_;
  std::string name_;
  std::size_t steps_;
  std::mutex mutex_;
  std::size_t done_ = 0;
};

// A sentence without a full stop on a union of studies that different versions of the estimator
// computed; "" of all else.
std::string estimators_note(const store::StudyReader& reader);

// Sentences without a full stop; empty for a finished study that one estimator computed.
std::vector<std::string> reading_notes(const store::StudyReader& reader);

}  // namespace scalesweep::analysis
