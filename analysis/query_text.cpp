#include "analysis/query_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "analysis/cells.hpp"
#include "analysis/columns.hpp"
#include "analysis/value_text.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

// Columns of a terminal: bytes that continue a character of UTF-8 take none.
std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

std::size_t width_of(const TextColumn& column) {
  std::size_t width = std::max(display_width(column.name), display_width(column.units));
  for (const std::string& cell : column.cells) {
    width = std::max(width, display_width(cell));
  }
  return width;
}

bool is_strategy(const std::string& name) {
  return std::find(strategy_columns.begin(), strategy_columns.end(), name) !=
         strategy_columns.end();
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
    std::vector<TextColumn> columns;
    std::vector<std::string> strategy;
    for (std::size_t c = 0; c < schema_.size(); ++c) {
      if (style_.short_strategy && is_strategy(schema_[c].name)) {
        strategy.push_back(schema_[c].name);
      } else {
        columns.push_back(column(c));
      }
    }
    if (!strategy.empty()) {
      columns.push_back(strategy_column(strategy));
    }
    if (rows_.rows() > 0) {
      out_ << aligned(columns, style_.width) << "\n";
    }
    out_ << counts_text(plan_, counts) << "\n";
  }

 private:
  TextColumn column(std::size_t c) const {
    const ColumnMeaning& meaning = meanings_[c];
    TextColumn result{schema_[c].name, "", true, {}};
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
    AnalysisResult words;
    words.axes = axes_;
    words.strategy = names;
    ResultTable table;
    table.schema = schema_;
    table.table = rows_;
    TextColumn result{"strategy", "", false, {}};
    for (std::size_t row = 0; row < rows_.rows(); ++row) {
      result.cells.push_back(strategy_text(words, table, row));
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

std::string aligned(const std::vector<TextColumn>& columns, std::size_t width) {
  std::vector<std::size_t> widths;
  std::vector<std::string> left_out;
  std::size_t used = 0;
  std::size_t lines = 0;
  bool has_units = false;
  for (const TextColumn& column : columns) {
    const std::size_t needed = width_of(column) + 2;
    if (width > 0 && !widths.empty() && (used + needed > width || !left_out.empty())) {
      left_out.push_back(column.name);
      continue;
    }
    used += needed;
    widths.push_back(needed - 2);
    lines = std::max(lines, column.cells.size());
    has_units = has_units || !column.units.empty();
  }
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      text += "  " + padded(cell_of(columns[c]), widths[c], columns[c].right);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = line([](const TextColumn& column) { return column.name; });
  if (has_units) {
    text += line([](const TextColumn& column) { return column.units; });
  }
  for (std::size_t row = 0; row < lines; ++row) {
    text += line([&](const TextColumn& column) { return column.cells[row]; });
  }
  if (!left_out.empty()) {
    text += fmt::format("  no room for {}; choose with --select\n", join(left_out, ", "));
  }
  return text;
}

std::unique_ptr<RowWriter> make_text_writer(std::ostream& out, const store::StudyReader& reader,
                                            const QueryPlan& plan, const TextStyle& style) {
  return std::make_unique<TextWriter>(out, reader, plan, style);
}

}  // namespace scalesweep::analysis
