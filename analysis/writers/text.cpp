#include "analysis/writers/text.hpp"

#include <algorithm>
#include <ostream>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/strategy_fields.hpp"
#include "analysis/words/text_columns.hpp"
#include "analysis/words/value_text.hpp"

namespace scalesweep::analysis {
namespace {

// Columns by which rows were chosen or sorted.
std::vector<std::string> asked_for(const QueryOptions& options) {
  std::vector<std::string> names = options.per;
  for (const Objective& objective : options.objectives) {
    names.push_back(objective.column);
  }
  if (options.best) {
    names.push_back(options.best->column);
  }
  for (const SortKey& key : options.sort) {
    names.push_back(key.column);
  }
  return names;
}

class TextWriter : public RowWriter {
 public:
  TextWriter(std::ostream& out, const store::StudyReader& reader, const QueryPlan& plan,
             TextStyle style)
      : out_(out),
        plan_(plan),
        style_(style),
        axes_(reader.axes()),
        schema_(plan.schema),
        meanings_(plan.meanings),
        rows_(schema_) {}

  void add(const store::Table& rows) override { rows_.append(rows); }

  void finish(const QueryCounts& counts) override {
    const std::vector<std::string> wanted = asked_for(plan_.options);
    std::vector<TextColumn> columns;
    std::vector<std::string> strategy;
    for (std::size_t c = 0; c < schema_.size(); ++c) {
      if (style_.short_strategy && is_strategy_column(schema_[c])) {
        strategy.push_back(schema_[c].name);
      } else {
        columns.push_back(column(c));
        columns.back().wanted =
            std::find(wanted.begin(), wanted.end(), schema_[c].name) != wanted.end();
      }
    }
    if (!strategy.empty()) {
      columns.push_back(strategy_column(strategy));
    }
    if (rows_.rows() > 0) {
      out_ << aligned(columns, style_.width, choose_columns) << "\n";
    }
    out_ << counts_text(plan_, counts) << "\n";
  }

 private:
  TextColumn column(std::size_t c) const {
    const ColumnMeaning& meaning = meanings_[c];
    TextColumn result{schema_[c].name, "", true, {}, false};
    if (!meaning.labels.empty()) {
      result.right = meaning.meaning == Meaning::number || meaning.meaning == Meaning::quantity;
      for (std::size_t row = 0; row < rows_.rows(); ++row) {
        const double index = rows_.number(c, row);
        const bool known = index >= 0.0 && index < static_cast<double>(meaning.labels.size());
        result.cells.push_back(known ? meaning.labels[static_cast<std::size_t>(index)] : "-");
      }
      return result;
    }
    std::vector<double> values;
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      values.push_back(value_of(meaning, rows_.number(c, row)));
    }
    const NumberScale scale = scale_for(values, meaning.units);
    result.units = scale.units;
    for (const double value : values) {
      result.cells.push_back(shown_number(value, scale));
    }
    return result;
  }

  TextColumn strategy_column(const std::vector<std::string>& names) const {
    const ResultTable table{"", "", schema_, rows_};
    TextColumn result{"strategy", "", false, {}, true};
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      result.cells.push_back(strategy_text(axes_, names, table, row));
    }
    return result;
  }

  std::ostream& out_;
  QueryPlan plan_;
  TextStyle style_;
  std::vector<store::AxisValues> axes_;
  store::Schema schema_;
  std::vector<ColumnMeaning> meanings_;
  store::Table rows_;
};

}  // namespace

std::unique_ptr<RowWriter> make_text_writer(std::ostream& out, const store::StudyReader& reader,
                                            const QueryPlan& plan, const TextStyle& style) {
  return std::make_unique<TextWriter>(out, reader, plan, style);
}

}  // namespace scalesweep::analysis
