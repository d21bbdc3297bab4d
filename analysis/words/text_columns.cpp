#include "analysis/words/text_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/words/text_table.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

// The lines of a name that is broken after a "_" wherever it gets longer than `width`.
std::vector<std::string> broken(const std::string& name, std::size_t width) {
  std::vector<std::string> lines = {""};
  for (std::size_t first = 0; first < name.size();) {
    const std::size_t end = std::min(name.find('_', first), name.size() - 1) + 1;
    const std::string part = name.substr(first, end - first);
    if (!lines.back().empty() && lines.back().size() + part.size() > width) {
      lines.emplace_back();
    }
    lines.back() += part;
    first = end;
  }
  return lines;
}

// A column as it is printed.
struct Laid {
  const TextColumn* column = nullptr;
  std::vector<std::string> head;  // lines of its name
  std::size_t width = 0;
};

Laid laid_out(const TextColumn& column, bool narrow) {
  Laid result{&column, {column.name}, display_width(column.units)};
  for (const std::string& cell : column.cells) {
    result.width = std::max(result.width, display_width(cell));
  }
  if (narrow) {
    constexpr std::size_t least = 12;  // a name in more lines than need be is hard to read
    result.head = broken(column.name, std::max(result.width, least));
  }
  for (const std::string& line : result.head) {
    result.width = std::max(result.width, line.size());
  }
  return result;
}

std::size_t width_of(const std::vector<Laid>& columns) {
  std::size_t width = 0;
  for (const Laid& column : columns) {
    width += column.width + 2;
  }
  return width;
}

// Leaves columns out until the rest has room; the first one stays. Their names, in order.
std::vector<std::string> leave_out(std::vector<Laid>& columns, std::size_t width) {
  std::vector<std::string> names;
  while (columns.size() > 1 && width_of(columns) > width) {
    auto victim = std::find_if(columns.rbegin(), columns.rend() - 1,
                               [](const Laid& one) { return !one.column->wanted; });
    victim = victim == columns.rend() - 1 ? columns.rbegin() : victim;
    names.insert(names.begin(), victim->column->name);
    columns.erase(std::next(victim).base());
  }
  return names;
}

}  // namespace

std::string aligned(const std::vector<TextColumn>& columns, std::size_t width,
                    std::string_view way_out) {
  std::vector<Laid> laid;
  std::vector<std::string> left_out;
  for (const bool narrow : {false, true}) {
    laid.clear();
    for (const TextColumn& column : columns) {
      laid.push_back(laid_out(column, narrow));
    }
    if (width == 0 || width_of(laid) <= width) {
      break;
    }
  }
  if (width > 0) {
    left_out = leave_out(laid, width);
  }
  std::size_t head = 0;
  std::size_t lines = 0;
  bool has_units = false;
  for (const Laid& one : laid) {
    head = std::max(head, one.head.size());
    lines = std::max(lines, one.column->cells.size());
    has_units = has_units || !one.column->units.empty();
  }
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (const Laid& one : laid) {
      text += "  " + padded(cell_of(one), one.width, one.column->right);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text;
  for (std::size_t row = 0; row < head; ++row) {
    text += line([&](const Laid& one) {
      const std::size_t above = head - one.head.size();  // names end at the same line
      return row < above ? std::string() : one.head[row - above];
    });
  }
  if (has_units) {
    text += line([](const Laid& one) { return one.column->units; });
  }
  for (std::size_t row = 0; row < lines; ++row) {
    text += line([&](const Laid& one) { return one.column->cells[row]; });
  }
  return left_out.empty()
             ? text
             : text + paragraph(fmt::format("no room for {}; {}", join(left_out, ", "), way_out),
                                width);
}

}  // namespace scalesweep::analysis
