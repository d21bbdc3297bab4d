// Descriptions of the columns of results. Without a long name the name stands for it.
#pragma once

#include <string>
#include <vector>

#include "store/read/table.hpp"

namespace scalesweep::analysis {

inline store::Column number_column(const std::string& name, const std::string& long_name,
                                   const std::string& description, const std::string& units = "1") {
  return {name, store::ColumnType::f64, units, long_name, description, {}};
}
inline store::Column number_column(const std::string& name, const std::string& description) {
  return number_column(name, name, description);
}

// The role of a part of one, which people read in percent.
inline constexpr const char* share_role = "share";
inline store::Column share_column(const std::string& name, const std::string& long_name,
                                  const std::string& description) {
  store::Column column = number_column(name, long_name, description);
  column.role = share_role;
  return column;
}
inline store::Column share_column(const std::string& name, const std::string& description) {
  return share_column(name, name, description);
}

inline store::Column count_column(const std::string& name, const std::string& long_name,
                                  const std::string& description) {
  return {name, store::ColumnType::i64, "1", long_name, description, {}};
}
inline store::Column count_column(const std::string& name, const std::string& description) {
  return count_column(name, name, description);
}

inline store::Column name_column(const std::string& name, const std::string& long_name,
                                 const std::string& description,
                                 const std::vector<std::string>& labels) {
  return {name, store::ColumnType::i32, "", long_name, description, labels};
}

inline store::Column yes_no_column(const std::string& name, const std::string& long_name,
                                   const std::string& description) {
  return {name, store::ColumnType::u8, "", long_name, description, {"no", "yes"}};
}

}  // namespace scalesweep::analysis
