#include "analysis/selection/selection.hpp"

#include "core/text.hpp"

namespace scalesweep::analysis {

Selection::Selection(const store::StudyReader& reader, const std::string& where) {
  if (!trim(where).empty()) {
    condition_.emplace(where, reader.schema(), reader.axes());
    columns_ = condition_->columns();
  }
}

std::vector<std::uint8_t> Selection::of(const store::Table& rows,
                                        const store::Schema& of_rows) const {
  std::vector<std::uint8_t> holds;
  if (condition_) {
    condition_->select(rows, of_rows, holds);
  }
  return holds;
}

}  // namespace scalesweep::analysis
