#include "cli/report/sheet_pool.hpp"

namespace scalesweep::cli {
namespace {

constexpr std::size_t place_bytes = 5;  // of a number below 10,000 and its comma

Json head_of(const Sheet& sheet) {
  std::vector<Json> columns;
  for (const SheetColumn& column : sheet.columns) {
    columns.push_back(Json::object({{"name", column.name},
                                    {"header", column.header},
                                    {"number", column.align == Align::right}}));
  }
  return Json::object({{"name", sheet.name}, {"columns", columns}});
}

}  // namespace

Json SheetPool::add(const Sheet& sheet) {
  Places places = {place_of_head(sheet), place_of_text(sheet.title)};
  for (std::size_t column = 0; column < sheet.columns.size(); ++column) {
    Places cells;
    for (const std::vector<Cell>& row : sheet.rows) {
      cells.push_back(place_of_text(row[column].text));
    }
    places.push_back(place_of_column(cells));
  }
  bytes_ += place_bytes * places.size();
  return places;
}

Json::Members SheetPool::members() const {
  std::vector<Json> columns;
  for (const Places& places : columns_) {
    columns.emplace_back(places);
  }
  return {{"texts", texts_}, {"columns", columns}, {"heads", heads_}};
}

std::size_t SheetPool::place_of_text(const std::string& text) {
  const auto [found, added] = text_places_.try_emplace(text, texts_.size());
  if (added) {
    texts_.push_back(text);
    bytes_ += text.size() + std::string_view("\"\",").size();
  }
  return found->second;
}

std::size_t SheetPool::place_of_column(const Places& places) {
  const auto [found, added] = column_places_.try_emplace(places, columns_.size());
  if (added) {
    columns_.push_back(places);
    bytes_ += place_bytes * (places.size() + 1);
  }
  return found->second;
}

std::size_t SheetPool::place_of_head(const Sheet& sheet) {
  Json head = head_of(sheet);
  std::string text = head.dump();
  const std::size_t size = text.size();
  const auto [found, added] = head_places_.try_emplace(std::move(text), heads_.size());
  if (added) {
    heads_.push_back(std::move(head));
    bytes_ += size;
  }
  return found->second;
}

}  // namespace scalesweep::cli
