#include "analysis/writers/output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "analysis/file/columns.hpp"
#include "analysis/file/reading.hpp"
#include "analysis/words/value_text.hpp"
#include "analysis/writers/parquet.hpp"
#include "analysis/writers/text.hpp"
#include "citation/dataset.hpp"
#include "core/contracts.hpp"
#include "core/documents/csv.hpp"
#include "core/text.hpp"
#include "store/read/table_file.hpp"

namespace scalesweep::analysis {
namespace {

using nlohmann::ordered_json;

constexpr int query_format_version = 1;

bool is_enum(const ColumnMeaning& meaning) {
  return meaning.meaning == Meaning::name || meaning.meaning == Meaning::truth;
}

bool all_whole(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return value == std::floor(value) && value < 1e15; });
}

store::Column value_column(const store::Column& stored, const ColumnMeaning& meaning) {
  store::Column column = stored;
  if (meaning.is_axis) {  // in a study an index, here a value
    const bool has_none = std::any_of(meaning.values.begin(), meaning.values.end(),
                                      [](double value) { return std::isinf(value); });
    column.description =
        fmt::format("Value of this axis of the study{}.", has_none ? "; none is no value" : "");
  }
  if (is_enum(meaning)) {
    column.labels = meaning.labels;  // also where HDF5 had no room for them
    return column;
  }
  if (meaning.values.empty()) {
    return column;
  }
  const bool whole = meaning.meaning == Meaning::number && all_whole(meaning.values);
  column.type = whole ? store::ColumnType::i64 : store::ColumnType::f64;
  column.units = meaning.units.empty() ? "1" : meaning.units;
  column.labels.clear();
  column.numbers = nullptr;  // it has them itself
  return column;
}

std::string dumped(const ordered_json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// On what was read and on what was chosen of it.
std::vector<std::string> all_notes(const QuerySource& source, const QueryCounts& counts) {
  std::vector<std::string> notes = source.notes;
  notes.insert(notes.end(), counts.notes.begin(), counts.notes.end());
  return notes;
}

// About the whole: what the rows are of, and what their study says of itself as a data set.
std::map<std::string, std::string> texts_of(const QuerySource& source) {
  std::map<std::string, std::string> texts = source.dataset;
  texts.insert({{"title", source.title},
                {"study", source.file},
                {"study_identity", source.identity},
                {"history", source.command}});
  return texts;
}

class CsvWriter : public RowWriter {
 public:
  CsvWriter(std::ostream& out, ValueColumns columns, const TextStyle& style)
      : out_(out), columns_(std::move(columns)), texts_(style.texts) {
    std::vector<std::string> names;
    std::vector<std::string> texts;
    for (const store::Column& column : columns_.schema()) {
      names.push_back(csv_field(column.name));
      texts.push_back(csv_field(column.units));
    }
    out_ << join(names, ",") << "\n";
    if (style.units == CsvUnits::row) {
      out_ << join(texts, ",") << "\n";
    }
  }
  void add(const store::Table& rows) override {
    const store::Table values = columns_.values(rows);
    std::string text;
    for (std::size_t row = 0; row < values.rows(); ++row) {
      for (std::size_t c = 0; c < columns_.schema().size(); ++c) {
        text += c == 0 ? "" : ",";
        const store::Column& column = columns_.schema()[c];
        text += csv_field(exact_text(values, column, c, row),
                          column.labels.empty() ? CsvTexts::plain : texts_);
      }
      text += "\n";
    }
    out_ << text;
  }
  void finish(const QueryCounts&) override {}

 private:
  std::ostream& out_;
  ValueColumns columns_;
  CsvTexts texts_;
};

// One value as JSON: a label in quotes, a number, null for what does not exist.
std::string json_value(const store::Table& table, const store::Column& column, std::size_t place,
                       std::size_t row) {
  if (!has_value(table, column, place, row)) {
    return "null";
  }
  const std::string text = exact_text(table, column, place, row);
  return column.labels.empty() ? text : dumped(text);
}

class JsonWriter : public RowWriter {
 public:
  JsonWriter(std::ostream& out, ValueColumns columns, QuerySource source, bool lines)
      : out_(out), columns_(std::move(columns)), source_(std::move(source)), lines_(lines) {
    auto described = ordered_json::array();
    for (const store::Column& column : columns_.schema()) {
      keys_.push_back(dumped(column.name));
      described.push_back({{"name", column.name},
                           {"units", column.units},
                           {"long_name", column.long_name},
                           {"description", column.description}});
    }
    if (!lines_) {
      const ordered_json study = {
          {"file", source_.file}, {"title", source_.title}, {"identity", source_.identity}};
      out_ << "{\n\"study\": " << dumped(study) << ",\n\"columns\": " << dumped(described)
           << ",\n\"rows\": [";
    }
  }
  void add(const store::Table& rows) override {
    const store::Table values = columns_.values(rows);
    std::string text;
    for (std::size_t row = 0; row < values.rows(); ++row) {
      text += lines_ ? "" : is_first_ ? "\n" : ",\n";
      is_first_ = false;
      for (std::size_t c = 0; c < keys_.size(); ++c) {
        text += (c == 0 ? "{" : ", ") + keys_[c] + ": " +
                json_value(values, columns_.schema()[c], c, row);
      }
      text += lines_ ? "}\n" : "}";
    }
    out_ << text;
  }
  void finish(const QueryCounts& counts) override {
    if (lines_) {
      return;
    }
    const ordered_json summary = {{"rows_in_file", counts.rows.rows},
                                  {"selected", counts.rows.selected},
                                  {"chosen", counts.chosen},
                                  {"shown", counts.shown},
                                  {"other_statuses", counts.rows.other_statuses}};
    out_ << "\n],\n\"counts\": " << dumped(summary)
         << ",\n\"notes\": " << dumped(all_notes(source_, counts)) << "\n}\n";
  }

 private:
  std::ostream& out_;
  ValueColumns columns_;
  QuerySource source_;
  bool lines_;
  bool is_first_ = true;
  std::vector<std::string> keys_;
};

class ParquetRows : public RowWriter {
 public:
  ParquetRows(std::ostream& out, ValueColumns columns, const QuerySource& source)
      : source_(source),
        columns_(std::move(columns)),
        writer_(out, columns_.schema(), texts_of(source)) {}
  void add(const store::Table& rows) override { writer_.add(columns_.values(rows)); }
  void finish(const QueryCounts& counts) override {
    writer_.finish({{"notes", join(all_notes(source_, counts), "\n")}});
  }

 private:
  QuerySource source_;
  ValueColumns columns_;
  ParquetWriter writer_;
};

class Hdf5Writer : public RowWriter {
 public:
  Hdf5Writer(const std::filesystem::path& file, ValueColumns columns, const QuerySource& source)
      : columns_(std::move(columns)),
        source_(source),
        file_(file, "scalesweep-query", query_format_version, texts_of(source)) {
    file_.begin_table("rows", columns_.schema());
  }
  void add(const store::Table& rows) override { file_.add_rows(columns_.values(rows)); }
  void finish(const QueryCounts& counts) override {
    file_.end_table({{"description",
                      fmt::format("{} of {} selected rows", counts.shown, counts.rows.selected)}});
    file_.add_text("notes", join(all_notes(source_, counts), "\n"));
    file_.commit();
  }

 private:
  ValueColumns columns_;
  QuerySource source_;
  store::TableFile file_;
};

}  // namespace

QuerySource source_of(const store::StudyReader& reader, const std::string& file,
                      const std::string& command) {
  QuerySource source{file,    reader.root_attribute("title"), reader.root_attribute("identity"),
                     command, reading_notes(reader),          {}};
  for (const std::string& name : citation::dataset_attribute_names()) {
    if (std::string text = reader.root_attribute(name); !text.empty()) {
      source.dataset[name] = std::move(text);
    }
  }
  return source;
}

ValueColumns::ValueColumns(const store::Schema& stored, std::vector<ColumnMeaning> meanings)
    : stored_(stored), meanings_(std::move(meanings)) {
  for (std::size_t c = 0; c < stored.size(); ++c) {
    schema_.push_back(value_column(stored[c], meanings_[c]));
  }
}

store::Table ValueColumns::values(const store::Table& stored) const {
  store::Table result(schema_);
  for (std::size_t c = 0; c < schema_.size(); ++c) {
    const bool translated = !is_enum(meanings_[c]) && !meanings_[c].values.empty();
    if (!translated) {
      copy_column(stored, c, result, c, schema_[c].type);
      continue;
    }
    for (std::size_t i = 0; i < stored.rows(); ++i) {
      const double value = value_of(meanings_[c], stored.number(c, i));
      if (schema_[c].type == store::ColumnType::i64) {
        result.values<std::int64_t>(c).push_back(
            std::isnan(value) ? -1 : static_cast<std::int64_t>(value));
      } else {
        result.values<double>(c).push_back(value);
      }
    }
  }
  return result;
}

ValueColumns value_columns(const QueryPlan& plan) {
  return {plan.schema, plan.meanings};
}

std::unique_ptr<RowWriter> make_writer(RowFormat format, std::ostream& out,
                                       const store::StudyReader& reader, const QueryPlan& plan,
                                       const QuerySource& source, const TextStyle& style) {
  switch (format) {
    case RowFormat::text:
      return make_text_writer(out, reader, plan, style);
    case RowFormat::csv:
      return std::make_unique<CsvWriter>(out, value_columns(plan), style);
    case RowFormat::json:
    case RowFormat::json_lines:
      return std::make_unique<JsonWriter>(out, value_columns(plan), source,
                                          format == RowFormat::json_lines);
    case RowFormat::parquet:
      return std::make_unique<ParquetRows>(out, value_columns(plan), source);
    case RowFormat::hdf5:
      break;
  }
  SCALESWEEP_EXPECT(false);
  return nullptr;
}

std::unique_ptr<RowWriter> make_hdf5_writer(const std::filesystem::path& file,
                                            const QueryPlan& plan, const QuerySource& source) {
  return std::make_unique<Hdf5Writer>(file, value_columns(plan), source);
}

}  // namespace scalesweep::analysis
