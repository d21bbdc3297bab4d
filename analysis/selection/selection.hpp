// Which rows of a study take part: all, or those where a condition holds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/file/columns.hpp"
#include "store/read/reader.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

class Selection {
 public:
  // `where` is a condition (condition.hpp); empty: all rows. Throws Failure(bad_input).
  Selection(const store::StudyReader& reader, const std::string& where);

  // That it reads, each once.
  const std::vector<std::string>& columns() const { return columns_; }

  // For each row 1 if it takes part, else 0; empty where all do. `rows` has at least columns(),
  // `of_rows` is its schema. May be called from several threads at once.
  std::vector<std::uint8_t> of(const store::Table& rows, const store::Schema& of_rows) const;

 private:
  std::optional<Condition> condition_;
  std::vector<std::string> columns_;
};

}  // namespace scalesweep::analysis
