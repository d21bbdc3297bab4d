#include "analysis/writers/text.hpp"

#include <algorithm>
#include <ostream>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/objective.hpp"
#include "analysis/words/text_table.hpp"
#include "analysis/words/value_text.hpp"

namespace scalesweep::analysis {
namespace {

constexpr std::string_view choose_columns =
    "--select chooses columns; a wider terminal and --format csv have them all";

// Columns that a reader came for: those that were named, by which rows were chosen or sorted, what
// the study minimises or maximises, and its time.
std::vector<std::string> asked_for(const store::StudyReader& reader, const QueryOptions& options) {
  std::vector<std::string> names = options.select;
  const auto add = [&](const std::vector<std::string>& some) {
    names.insert(names.end(), some.begin(), some.end());
  };
  add(options.per);
  add(main_columns(reader.schema()));
  for (const std::vector<Objective>& objectives :
       {options.objectives, default_objectives(reader)}) {
    for (const Objective& objective : objectives) {
      names.push_back(objective.column);
    }
  }
  if (options.best) {
    names.push_back(options.best->column);
  }
  for (const SortKey& key : options.sort) {
    names.push_back(key.column);
  }
  return names;
}

// A column of the rows as it is shown.
struct ShownColumn {
  std::string name;
  std::string units;
  bool right = true;
  std::vector<std::string> cells;
  TextTable::Role role = TextTable::Role::fact;
};

TextTable table_of(const std::vector<ShownColumn>& columns, std::size_t rows) {
  TextTable table;
  for (const ShownColumn& column : columns) {
    table.add_column(column.name, column.right ? TextTable::Align::right : TextTable::Align::left,
                     column.role, column.units);
  }
  for (std::size_t row = 0; row < rows; ++row) {
    std::vector<std::string> cells;
    for (const ShownColumn& column : columns) {
      cells.push_back(column.cells[row]);
    }
    table.add_row(std::move(cells));
  }
  return table;
}

class TextWriter : public RowWriter {
 public:
  TextWriter(std::ostream& out, const store::StudyReader& reader, const QueryPlan& plan,
             TextStyle style)
      : out_(out),
        plan_(plan),
        style_(style),
        axes_(reader.axes()),
        asked_(asked_for(reader, plan.options)),
        schema_(plan.schema),
        meanings_(plan.meanings),
        rows_(schema_) {}

  void add(const store::Table& rows) override { rows_.append(rows); }

  void finish(const QueryCounts& counts) override {
    std::vector<ShownColumn> columns;
    std::vector<std::string> strategy;
    for (std::size_t c = 0; c < schema_.size(); ++c) {
      if (style_.short_strategy && is_strategy_column(schema_[c])) {
        strategy.push_back(schema_[c].name);
      } else {
        columns.push_back(column(c));
      }
    }
    if (!strategy.empty()) {
      columns.push_back(strategy_column(strategy));
    }
    if (rows_.rows() > 0) {
      out_ << table_of(columns, rows_.rows()).text(style_.width, choose_columns) << "\n";
    }
    out_ << in_lines(counts_text(plan_, counts), style_.width) << "\n";
  }

 private:
  // The last to be left out is what was asked for, the first an id.
  TextTable::Role role_of(const std::string& name) const {
    if (std::find(asked_.begin(), asked_.end(), name) != asked_.end()) {
      return TextTable::Role::fact;
    }
    return name == point_id_column ? TextTable::Role::name : TextTable::Role::detail;
  }

  ShownColumn column(std::size_t c) const {
    const ColumnMeaning& meaning = meanings_[c];
    ShownColumn result{schema_[c].name, "", true, {}, role_of(schema_[c].name)};
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

  ShownColumn strategy_column(const std::vector<std::string>& names) const {
    const ResultTable table{"", "", schema_, rows_};
    const bool is_asked = std::find(asked_.begin(), asked_.end(), strategy_word) != asked_.end();
    ShownColumn result{std::string(strategy_word),
                       "",
                       false,
                       {},
                       is_asked ? TextTable::Role::fact : TextTable::Role::name};
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      result.cells.push_back(strategy_text(axes_, names, table, row));
    }
    return result;
  }

  std::ostream& out_;
  QueryPlan plan_;
  TextStyle style_;
  std::vector<store::AxisValues> axes_;
  std::vector<std::string> asked_;
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
