#include "analysis/selection.hpp"

#include "analysis/rows.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {

Selection::Selection(const store::StudyReader& reader, const std::string& where) : reader_(reader) {
  if (trim(where).empty()) {
    return;
  }
  condition_.emplace(where, reader.schema(), reader.axes());
  schema_ = schema_of(reader.schema(), condition_->columns());
}

std::vector<std::uint8_t> Selection::of(std::int64_t first, std::int64_t last) const {
  std::vector<std::uint8_t> holds;
  if (condition_) {
    const store::Table rows = reader_.read(condition_->columns(), first, last);
    condition_->select(rows, schema_, holds);
  }
  return holds;
}

}  // namespace scalesweep::analysis
