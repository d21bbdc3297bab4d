// Columns and statuses that files of format version 1 and 2 call otherwise than those of 3. One
// list serves the reader, conditions and options that still use a former name, and tests that
// compare both.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace scalesweep::store {

struct Renamed {
  std::string_view former;
  std::string_view name;
};
inline constexpr std::array<Renamed, 5> renamed_columns = {
    {{"pictures_per_second", "images_per_second"},
     {"pictures_per_second_per_device", "images_per_second_per_device"},
     {"energy_per_picture", "energy_per_image"},
     {"cost_per_million_pictures", "cost_per_million_images"},
     {"carbon_per_million_pictures", "carbon_per_million_images"}}};
// Two words for one thing: no study has both.
inline constexpr std::array<Renamed, 2> renamed_statuses = {
    {{"serves_less", "pruned"}, {"not_asked", "pruned"}}};

// The name that a column or a status of this one has now; any other name as it is.
std::string column_now(std::string_view name);
std::string status_now(std::string_view name);

}  // namespace scalesweep::store
