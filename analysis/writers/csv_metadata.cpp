#include "analysis/writers/csv_metadata.hpp"

#include <nlohmann/json.hpp>

#include "analysis/file/columns.hpp"
#include "citation/licenses.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

using nlohmann::ordered_json;

// The names of the XML Schema, which CSV on the Web takes over.
const char* csvw_type(const store::Column& column) {
  if (!column.labels.empty()) {
    return "string";
  }
  switch (column.type) {
    case store::ColumnType::f64:
      return "double";
    case store::ColumnType::f32:
      return "float";
    case store::ColumnType::i64:
      return "long";
    case store::ColumnType::i32:
      return "int";
    case store::ColumnType::u8:
      break;
  }
  return "unsignedByte";
}

// A reader compares the head of the file with the titles, of which the name is the first.
ordered_json column_json(const store::Column& column) {
  auto titles = ordered_json::array({column.name});
  if (!column.long_name.empty() && column.long_name != column.name) {
    titles.push_back(column.long_name);
  }
  ordered_json result = {
      {"name", column.name}, {"titles", std::move(titles)}, {"datatype", csvw_type(column)}};
  if (!column.units.empty()) {
    result["schema:unitText"] = column.units;
  }
  if (!column.description.empty()) {
    result["dc:description"] = column.description;
  }
  return result;
}

void add_dataset(ordered_json& document, const QuerySource& source) {
  const auto text = [&](const char* name) {
    const auto found = source.dataset.find(name);
    return found == source.dataset.end() ? std::string() : found->second;
  };
  const auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) {
      document[key] = value;
    }
  };
  add("dc:title", source.title);
  add("dc:identifier", source.identity);
  add("dc:description", text("summary"));
  add("dc:creator", text("creator_name"));
  add("dc:publisher", text("publisher_name"));
  if (const std::string license = text("license"); !license.empty()) {
    const std::string url = citation::license_url(license);
    document["dc:license"] =
        url.empty() ? ordered_json(license) : ordered_json::object({{"@id", url}});
  }
}

}  // namespace

std::filesystem::path csv_metadata_file(const std::filesystem::path& csv) {
  return csv.string() + "-metadata.json";
}

std::string csv_metadata(const std::string& csv_name, const QueryPlan& plan,
                         const QuerySource& source) {
  ordered_json document;
  document["@context"] = ordered_json::array(
      {"http://www.w3.org/ns/csvw", ordered_json::object({{"@language", "en"}})});
  document["url"] = csv_name;
  add_dataset(document, source);
  document["dialect"] = {{"encoding", "utf-8"}, {"header", true}};
  document["dialect"]["lineTerminators"] = ordered_json::array({"\n"});
  auto columns = ordered_json::array();
  bool has_id = false;
  const ValueColumns shown = value_columns(plan);
  for (const store::Column& column : shown.schema()) {
    columns.push_back(column_json(column));
    has_id = has_id || column.name == point_id_column;
  }
  document["tableSchema"]["columns"] = std::move(columns);
  if (has_id) {
    document["tableSchema"]["primaryKey"] = point_id_column;
  }
  return document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace scalesweep::analysis
