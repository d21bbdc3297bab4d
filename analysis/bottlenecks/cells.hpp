// Cells of result tables as text, for CSV, JSON and the terminal.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/file/columns.hpp"

namespace scalesweep::analysis {

// The column of a name; it must be there.
std::size_t column_of(const ResultTable& table, const std::string& name);
using columns::find_column;  // of a schema, beside that of a result
std::optional<std::size_t> find_column(const ResultTable& table, const std::string& name);

// The axis whose values a column has: from_logic and to_logic are values of logic. Null: none.
const store::AxisValues* axis_of(const std::vector<store::AxisValues>& axes,
                                 const std::string& column);

// The name that an enum or a value of one of `axes` stands for, "" for -1, which stands for none;
// nothing for numbers.
std::optional<std::string> label(const std::vector<store::AxisValues>& axes,
                                 const ResultTable& table, std::size_t column, std::size_t row);

// A label, or the number in as many digits as give it back exactly; NaN is empty.
std::string cell_text(const std::vector<store::AxisValues>& axes, const ResultTable& table,
                      std::size_t column, std::size_t row);

// "TP8 PP16 DP8 v2 b1 sel-rc SP Z1" from the columns `strategy` of a row; `prefix` goes before
// their names ("from_").
std::string strategy_text(const std::vector<store::AxisValues>& axes,
                          const std::vector<std::string>& strategy, const ResultTable& table,
                          std::size_t row, const std::string& prefix = "");

// What people read in place of the name of an axis (words.hpp) or of a column of the best points,
// which has a long name in the study.
std::string name_words(const AnalysisResult& result, const std::string& name);

// Names and what people read in their place, for who shows the tables elsewhere: figures.py and the
// page of the report. Of a name that is not among them the blanks for its underscores.
std::vector<std::pair<std::string, std::string>> words_by_name(const AnalysisResult& result);

// "4.1 TB/s", "500 TFLOP/s": the value of a column as a person says it.
std::string quantity_text(double value, const std::string& units, bool is_flop_rate);
// The same of a quantity of the transitions table: of an axis in the unit of its labels.
std::string crossing_quantity_text(const AnalysisResult& result, std::size_t row, double value);

// Whether the study has points in a row of the coverage table: of axes that vary together only
// values at the same place.
bool is_asked(const AnalysisResult& result, std::size_t row);

}  // namespace scalesweep::analysis
