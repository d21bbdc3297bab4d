#include "analysis/file/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.hpp"
#include "store/read/study_parts.hpp"

namespace scalesweep::analysis {

Pass::Pass(const ReadingOptions& how, std::string name, std::size_t steps)
    : how_(how), name_(std::move(name)), steps_(steps) {}

void Pass::step() {
  if (how_.progress) {
    const std::lock_guard lock(mutex_);
    how_.progress(name_, static_cast<double>(++done_) / static_cast<double>(steps_));
  }
}

std::string estimators_note(const store::StudyReader& reader) {
  const std::string estimators = store::estimators_text(store::parts_of(reader));
  return estimators.empty()
             ? ""
             : fmt::format(
                   "these studies were computed by different versions of the estimator ({}): "
                   "what differs between them is in part the model; run them again with one "
                   "version to compare them",
                   estimators);
}

std::vector<std::string> reading_notes(const store::StudyReader& reader) {
  std::vector<std::string> notes;
  if (!reader.complete()) {
    notes.push_back(
        fmt::format("of {} points {} are computed so far, and these alone are looked at; the "
                    "command that began the study goes on with it",
                    with_thousands(reader.points()), with_thousands(reader.done())));
  }
  const std::vector<std::string>& left_out = reader.left_out();
  constexpr std::size_t most_named = 3;
  for (std::size_t i = 0; i < std::min(left_out.size(), most_named); ++i) {
    notes.push_back("left out, and computed again when the study goes on: " + left_out[i]);
  }
  if (left_out.size() > most_named) {
    notes.push_back(fmt::format("left out likewise: {} more files", left_out.size() - most_named));
  }
  if (const std::string note = estimators_note(reader); !note.empty()) {
    notes.push_back(note);
  }
  return notes;
}

}  // namespace scalesweep::analysis
