// What the values of a column stand for: a column of an axis holds indices, one with labels is an
// enum, and both mean names, numbers, quantities or yes and no.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/read/study_file.hpp"
#include "store/read/table.hpp"

namespace scalesweep::columns {

enum class Meaning {
  name,      // one of `labels`
  truth,     // off or on
  number,    // without a unit
  quantity,  // SI, in `units`
};

struct ColumnMeaning {
  std::string name;
  Meaning meaning = Meaning::number;
  bool is_axis = false;
  std::string units;                // of a quantity: "s", "B s-1", ...
  std::vector<std::string> labels;  // by stored value, where the stored values are indices
  std::vector<double> values;       // by stored value, of indices that mean numbers or quantities
};

// By its name, or by what people call the fields of a strategy, as filters do: tp, pp, dp, cp, ep,
// sp, z, in any letter case. Nothing if there is none.
const store::Column* find_column(const store::Schema& schema, std::string_view name);

// `axes`: those of the study that the column is from.
ColumnMeaning meaning_of(const store::Column& column, const std::vector<store::AxisValues>& axes);

// What a value read from the file stands for: the quantity of an index, the number itself; NaN for
// an index that stands for nothing. Of names and truths: the index.
double value_of(const ColumnMeaning& column, double stored);

struct QuantityText {
  std::optional<double> si;
  std::string problem;  // why not
};
// "2 s", "80 GB", "3.2 MJ": a number, an SI prefix, and the units of the column; where a spec has
// quantities of these units, all that it takes.
QuantityText parse_quantity_in(std::string_view text, std::string_view units);

}  // namespace scalesweep::columns
