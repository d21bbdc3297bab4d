// Sheets of many points as JSON, what they have in common written once: the texts of cells, whole
// columns of them, and the heads of sheets.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "cli/output/sheet.hpp"

namespace scalesweep::cli {

class SheetPool {
 public:
  // The sheet as places: of its head, of its title among texts, then of each of its columns. Cells
  // as a person reads them.
  Json add(const Sheet& sheet);

  // "texts": of cells and titles; "columns": places of texts, one a row; "heads": {name, columns}.
  Json::Members members() const;
  // About what all of it takes as text.
  std::size_t bytes() const { return bytes_; }

 private:
  using Places = std::vector<std::size_t>;

  std::size_t place_of_text(const std::string& text);
  std::size_t place_of_column(const Places& places);
  std::size_t place_of_head(const Sheet& sheet);

  std::map<std::string, std::size_t> text_places_;
  std::map<Places, std::size_t> column_places_;
  std::map<std::string, std::size_t> head_places_;  // by their JSON
  std::vector<std::string> texts_;
  std::vector<Places> columns_;
  std::vector<Json> heads_;
  std::size_t bytes_ = 0;
};

}  // namespace scalesweep::cli
