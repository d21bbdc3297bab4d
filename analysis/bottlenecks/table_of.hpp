// A result table declared by its columns: what each is, and what a row has in it.
//
//   TableOf<Status> table("points of the study by what they ended in");
//   table.column(name_column("status", "status", "...", layout.statuses), &Status::place)
//       .column(count_column("points", "..."), &Status::points);
//   return table.of(statuses);
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/file/columns.hpp"

namespace scalesweep::analysis {

template <typename Row>
class TableOf {
 public:
  explicit TableOf(std::string description) { result_.description = std::move(description); }

  // `get` of a row is a number, or the place of a name among the labels of the column.
  template <typename Get>
  TableOf& column(store::Column what, Get get) {
    fills_.push_back(
        [get, place = fills_.size(), type = what.type](const Row& row, store::Table& table) {
          visit_column(table, place, type, [&](auto& values) {
            using Value = typename std::decay_t<decltype(values)>::value_type;
            values.push_back(static_cast<Value>(std::invoke(get, row)));
          });
        });
    result_.schema.push_back(std::move(what));
    return *this;
  }

  // Has them all, in this order. To be called once.
  template <typename Rows>
  ResultTable of(const Rows& rows) {
    result_.table = store::Table(result_.schema);
    for (const Row& row : rows) {
      for (const auto& fill : fills_) {
        fill(row, result_.table);
      }
    }
    return std::move(result_);
  }

 private:
  ResultTable result_;
  std::vector<std::function<void(const Row&, store::Table&)>> fills_;
};

}  // namespace scalesweep::analysis
