// Columns with their units side by side, as many as a terminal has room for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace scalesweep::analysis {

struct TextColumn {
  std::string name;
  std::string units;  // "" for none
  bool right = false;
  std::vector<std::string> cells;
  bool wanted = false;  // what was asked for: the last to be left out
};
// Columns of text under their names and units. Where they are wider than `width` columns (0: any
// width will do) long names are broken after a "_", then columns are left out from the right, and
// a line says which, and the way out.
std::string aligned(const std::vector<TextColumn>& columns, std::size_t width,
                    std::string_view way_out);

inline constexpr std::string_view choose_columns = "choose with --select";

}  // namespace scalesweep::analysis
