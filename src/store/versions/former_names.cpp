#include "store/versions/former_names.hpp"

#include <algorithm>

namespace scalesweep::store {
namespace {

template <typename Rows>
std::string name_now(const Rows& rows, std::string_view name) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Renamed& row) { return row.former == name; });
  return std::string(found == rows.end() ? name : found->name);
}

}  // namespace

std::string column_now(std::string_view name) {
  return name_now(renamed_columns, name);
}

std::string status_now(std::string_view name) {
  return name_now(renamed_statuses, name);
}

}  // namespace scalesweep::store
