#include "analysis/writers/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/strategy_fields.hpp"
#include "analysis/words/text_table.hpp"
#include "analysis/words/value_text.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

// The lines of a name that is broken after a "_" wherever it gets longer than `width`.
std::vector<std::string> broken(const std::string& name, std::size_t width) {
  std::vector<std::string> lines = {""};
  for (std::size_t first = 0; first < name.size();) {
    const std::size_t end = std::min(name.find('_', first), name.size() - 1) + 1;
    const std::string part = name.substr(first, end - first);
    if (!lines.back().empty() && lines.back().size() + part.size() > width) {
      lines.emplace_back();
    }
    lines.back() += part;
    first = end;
  }
  return lines;
}

// A column as it is printed.
struct Laid {
  const TextColumn* column = nullptr;
  std::vector<std::string> head;  // lines of its name
  std::size_t width = 0;
};

Laid laid_out(const TextColumn& column, bool narrow) {
  Laid result{&column, {column.name}, display_width(column.units)};
  for (const std::string& cell : column.cells) {
    result.width = std::max(result.width, display_width(cell));
  }
  if (narrow) {
    constexpr std::size_t least = 12;  // a name in more lines than need be is hard to read
    result.head = broken(column.name, std::max(result.width, least));
  }
  for (const std::string& line : result.head) {
    result.width = std::max(result.width, line.size());
  }
  return result;
}

std::size_t width_of(const std::vector<Laid>& columns) {
  std::size_t width = 0;
  for (const Laid& column : columns) {
    width += column.width + 2;
  }
  return width;
}

// Leaves columns out until the rest has room; the first one stays. Their names, in order.
std::vector<std::string> leave_out(std::vector<Laid>& columns, std::size_t width) {
  std::vector<std::string> names;
  while (columns.size() > 1 && width_of(columns) > width) {
    auto victim = std::find_if(columns.rbegin(), columns.rend() - 1,
                               [](const Laid& one) { return !one.column->wanted; });
    victim = victim == columns.rend() - 1 ? columns.rbegin() : victim;
    names.insert(names.begin(), victim->column->name);
    columns.erase(std::next(victim).base());
  }
  return names;
}

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
    AnalysisResult words;
    words.axes = axes_;
    words.strategy = names;
    ResultTable table;
    table.schema = schema_;
    table.table = rows_;
    TextColumn result{"strategy", "", false, {}, true};
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

std::string aligned(const std::vector<TextColumn>& columns, std::size_t width,
                    std::string_view way_out) {
  std::vector<Laid> laid;
  std::vector<std::string> left_out;
  for (const bool narrow : {false, true}) {
    laid.clear();
    for (const TextColumn& column : columns) {
      laid.push_back(laid_out(column, narrow));
    }
    if (width == 0 || width_of(laid) <= width) {
      break;
    }
  }
  if (width > 0) {
    left_out = leave_out(laid, width);
  }
  std::size_t head = 0;
  std::size_t lines = 0;
  bool has_units = false;
  for (const Laid& one : laid) {
    head = std::max(head, one.head.size());
    lines = std::max(lines, one.column->cells.size());
    has_units = has_units || !one.column->units.empty();
  }
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (const Laid& one : laid) {
      text += "  " + padded(cell_of(one), one.width, one.column->right);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text;
  for (std::size_t row = 0; row < head; ++row) {
    text += line([&](const Laid& one) {
      const std::size_t above = head - one.head.size();  // names end at the same line
      return row < above ? std::string() : one.head[row - above];
    });
  }
  if (has_units) {
    text += line([](const Laid& one) { return one.column->units; });
  }
  for (std::size_t row = 0; row < lines; ++row) {
    text += line([&](const Laid& one) { return one.column->cells[row]; });
  }
  return left_out.empty()
             ? text
             : text + paragraph(fmt::format("no room for {}; {}", join(left_out, ", "), way_out),
                                width);
}

std::unique_ptr<RowWriter> make_text_writer(std::ostream& out, const store::StudyReader& reader,
                                            const QueryPlan& plan, const TextStyle& style) {
  return std::make_unique<TextWriter>(out, reader, plan, style);
}

}  // namespace scalesweep::analysis
