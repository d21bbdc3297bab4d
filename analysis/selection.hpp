// Which rows of a study take part: all, or those where a condition holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/condition.hpp"
#include "store/reader.hpp"

namespace scalesweep::analysis {

class Selection {
 public:
  // `where` is a condition (condition.hpp); empty: all rows. Throws Failure(bad_input).
  Selection(const store::StudyReader& reader, const std::string& where);

  // 1 for each of the rows [first, last) that takes part, else 0; empty where all do.
  std::vector<std::uint8_t> of(std::int64_t first, std::int64_t last) const;

 private:
  const store::StudyReader& reader_;
  std::optional<Condition> condition_;
  store::Schema schema_;  // of the columns that the condition reads
};

}  // namespace scalesweep::analysis
