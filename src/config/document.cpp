#include "config/document.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>

#include "core/contracts.hpp"
#include "core/documents/foreign.hpp"
#include "core/text.hpp"

namespace scalesweep::config {

struct DocumentData {
  std::string file;
  Diagnostics* diagnostics = nullptr;
  toml::table root;
  // Per table that somebody opened: its name, and the keys that were asked for, there or not.
  struct Opened {
    std::string path;
    std::vector<std::string> asked;
    KeyScope scope;

    // What may stand there: what a row says, then what was asked for.
    std::vector<std::string> known() const {
      std::vector<std::string> names = scope.names();
      for (const std::string& name : asked) {
        if (std::find(names.begin(), names.end(), name) == names.end()) {
          names.push_back(name);
        }
      }
      return names;
    }
  };
  std::map<const toml::table*, Opened> opened;

  SourcePosition position(const toml::source_region& region) const {
    return {file, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
  }
  void ask(const toml::table* table, std::string_view key) {
    std::vector<std::string>& asked = opened[table].asked;
    if (std::find(asked.begin(), asked.end(), key) == asked.end()) {
      asked.emplace_back(key);
    }
  }
};

namespace {

const toml::table* as_table(const void* node) {
  return static_cast<const toml::table*>(node);
}
const toml::node* as_node(const void* node) {
  return static_cast<const toml::node*>(node);
}

std::string written(const toml::node& node) {
  if (const auto* number = node.as_floating_point()) {
    // The shortest text that reads back the same, and still shows that it is no integer.
    const std::string text = fmt::format("{}", number->get());
    return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
  }
  std::ostringstream out;
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

std::string form_name(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::string:
      return "a string";
    case toml::node_type::integer:
      return "an integer";
    case toml::node_type::floating_point:
      return fmt::format("the decimal number {}", written(node));
    case toml::node_type::boolean:
      return "a boolean";
    case toml::node_type::array:
      return "a list";
    case toml::node_type::table:
      return "a table";
    default:
      return "a date or time";
  }
}

std::string in_table(const std::string& path) {
  return path.empty() ? "at the top level" : fmt::format("in [{}]", path);
}

std::string child_path(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

// Where a key or a text holds a zero byte, at any depth; null where none does.
const toml::source_region* zero_byte_in(const toml::node& node) {
  const toml::source_region* found = nullptr;
  if (const toml::table* table = node.as_table()) {
    for (auto&& [key, value] : *table) {
      const bool in_key = key.str().find('\0') != std::string_view::npos;
      found = in_key ? &key.source() : zero_byte_in(value);
      if (found != nullptr) {
        return found;
      }
    }
  } else if (const toml::array* list = node.as_array()) {
    for (const toml::node& item : *list) {
      found = zero_byte_in(item);
      if (found != nullptr) {
        return found;
      }
    }
  } else if (const auto* text = node.as_string();
             text != nullptr && text->get().find('\0') != std::string::npos) {
    return &node.source();
  }
  return nullptr;
}

}  // namespace

// Values

ValueCursor::Form ValueCursor::form() const {
  switch (as_node(node_)->type()) {
    case toml::node_type::string:
      return Form::string;
    case toml::node_type::integer:
      return Form::integer;
    case toml::node_type::floating_point:
      return Form::number;
    case toml::node_type::boolean:
      return Form::boolean;
    case toml::node_type::array:
      return Form::list;
    case toml::node_type::table:
      return Form::table;
    default:
      return Form::other;
  }
}

SourcePosition ValueCursor::position() const {
  return data_->position(as_node(node_)->source());
}

std::string ValueCursor::text() const {
  return written(*as_node(node_));
}

int ValueCursor::first_column() const {
  const auto* value = as_node(node_)->as_string();
  const toml::source_region& region = as_node(node_)->source();
  if (value == nullptr || region.begin.line != region.end.line) {
    return 0;
  }
  const auto columns = static_cast<std::size_t>(region.end.column - region.begin.column);
  const std::size_t quotes = 2;
  return columns == value->get().size() + quotes ? static_cast<int>(region.begin.column) + 1 : 0;
}

void ValueCursor::error(const std::string& message) const {
  data_->diagnostics->error(position(), message);
}

void ValueCursor::warning(const std::string& message) const {
  data_->diagnostics->warning(position(), message);
}

std::optional<std::string> ValueCursor::string() const {
  if (const auto* value = as_node(node_)->as_string()) {
    return value->get();
  }
  error(fmt::format("'{}' must be a string, not {}", path_, form_name(*as_node(node_))));
  return std::nullopt;
}

std::optional<std::int64_t> ValueCursor::integer() const {
  if (const auto* value = as_node(node_)->as_integer()) {
    return value->get();
  }
  error(fmt::format("'{}' must be an integer, not {}", path_, form_name(*as_node(node_))));
  return std::nullopt;
}

std::optional<double> ValueCursor::number() const {
  std::optional<double> number;
  if (const auto* whole = as_node(node_)->as_integer()) {
    number = static_cast<double>(whole->get());
  } else if (const auto* value = as_node(node_)->as_floating_point()) {
    number = value->get();
  }
  if (!number) {
    error(fmt::format("'{}' must be a number, not {}", path_, form_name(*as_node(node_))));
  } else if (!std::isfinite(*number)) {
    error(fmt::format("'{}' must be finite, not {}", path_, text()));
    return std::nullopt;
  }
  return number;
}

std::optional<bool> ValueCursor::boolean() const {
  if (const auto* value = as_node(node_)->as_boolean()) {
    return value->get();
  }
  error(fmt::format("'{}' must be true or false, not {}", path_, form_name(*as_node(node_))));
  return std::nullopt;
}

std::optional<double> ValueCursor::quantity(Dimension dimension, std::string_view example) const {
  std::string written;
  if (const auto* value = as_node(node_)->as_string()) {
    written = value->get();
  } else if (as_node(node_)->is_number()) {
    written = text();
  } else {
    error(fmt::format("'{}' must be a string with a number and a unit, not {}", path_,
                      form_name(*as_node(node_))));
    return std::nullopt;
  }
  const QuantityResult result = parse_quantity(written, dimension, example);
  if (!result.si) {
    error(fmt::format("'{}': {}", path_, result.problem));
  } else if (*result.si < 0.0) {
    error(fmt::format("'{}' must not be negative", path_));
    return std::nullopt;
  }
  return result.si;
}

std::vector<ValueCursor> ValueCursor::list() const {
  if (!as_node(node_)->is_array()) {
    error(fmt::format("'{}' must be a list, not {}", path_, form_name(*as_node(node_))));
    return {};
  }
  return list_or_single();
}

std::vector<ValueCursor> ValueCursor::list_or_single() const {
  const toml::array* array = as_node(node_)->as_array();
  if (array == nullptr) {
    return {*this};
  }
  std::vector<ValueCursor> values;
  for (const toml::node& element : *array) {
    ValueCursor value = *this;
    value.node_ = &element;
    values.push_back(value);
  }
  return values;
}

TableCursor ValueCursor::table() const {
  TableCursor cursor;
  cursor.data_ = data_;
  cursor.path_ = path_;
  cursor.scope_ = inside_;
  if (const toml::table* table = as_node(node_)->as_table()) {
    cursor.node_ = table;
    data_->opened[table].path = path_;
    data_->opened[table].scope = inside_;
  } else {
    error(fmt::format("'{}' must be a table, not {}", path_, form_name(*as_node(node_))));
  }
  return cursor;
}

// Tables

bool TableCursor::exists() const {
  return node_ != nullptr;
}

SourcePosition TableCursor::position() const {
  return exists() ? data_->position(as_table(node_)->source())
                  : SourcePosition{data_ ? data_->file : "", 0, 0};
}

SourcePosition TableCursor::position(std::string_view key) const {
  const toml::node* node = exists() ? as_table(node_)->get(key) : nullptr;
  return node != nullptr ? data_->position(node->source()) : position();
}

std::vector<std::string> TableCursor::keys() const {
  std::map<std::pair<toml::source_index, toml::source_index>, std::string> in_order;
  if (exists()) {
    for (auto&& [key, value] : *as_table(node_)) {
      const toml::source_position at = key.source().begin;
      in_order[{at.line, at.column}] = std::string(key.str());
    }
  }
  std::vector<std::string> names;
  for (auto& [at, name] : in_order) {
    names.push_back(name);
  }
  return names;
}

bool TableCursor::has(std::string_view key) const {
  if (!exists()) {
    return false;
  }
  SCALESWEEP_EXPECT(describes(key));
  data_->ask(as_table(node_), key);
  return as_table(node_)->contains(key);
}

bool TableCursor::describes(std::string_view key) const {
  return scope_.keys.empty() || scope_.find(key) != nullptr;
}

bool TableCursor::holds_beside_rows(std::string_view key) const {
  if (!exists() || describes(key) || !as_table(node_)->contains(key)) {
    return false;
  }
  data_->ask(as_table(node_), key);
  return true;
}

TableCursor TableCursor::described_by(KeyScope scope) const {
  TableCursor cursor = *this;
  cursor.scope_ = std::move(scope);
  if (exists()) {
    data_->opened[as_table(node_)].scope = cursor.scope_;
  }
  return cursor;
}

std::optional<ValueCursor> TableCursor::value(std::string_view key) const {
  if (!has(key)) {
    return std::nullopt;
  }
  ValueCursor cursor;
  cursor.data_ = data_;
  cursor.node_ = as_table(node_)->get(key);
  cursor.path_ = child_path(path_, key);
  cursor.inside_ = scope_.inside(key);
  return cursor;
}

void TableCursor::error(std::string_view key, const std::string& message) const {
  if (data_) {
    data_->diagnostics->error(position(key), message);
  }
}

void TableCursor::error(const std::string& message) const {
  if (data_) {
    data_->diagnostics->error(position(), message);
  }
}

namespace {

// Nothing where a required value is missing (reported if the table itself is there).
std::optional<ValueCursor> required(const TableCursor& table, const std::string& path,
                                    std::string_view key, const std::string& expected) {
  auto value = table.value(key);
  if (!value && table.exists()) {
    table.error(fmt::format("missing key '{}' {}; it must be {}", key, in_table(path), expected));
  }
  return value;
}

std::string quantity_hint(Dimension dimension) {
  return fmt::format("a quantity in one of {}", accepted_units(dimension));
}

}  // namespace

std::optional<std::string> TableCursor::string(std::string_view key) const {
  const auto value = required(*this, path_, key, "a string");
  return value ? value->string() : std::nullopt;
}
std::optional<std::int64_t> TableCursor::integer(std::string_view key) const {
  const auto value = required(*this, path_, key, "an integer");
  return value ? value->integer() : std::nullopt;
}
std::optional<double> TableCursor::number(std::string_view key) const {
  const auto value = required(*this, path_, key, "a number");
  return value ? value->number() : std::nullopt;
}
std::optional<bool> TableCursor::boolean(std::string_view key) const {
  const auto value = required(*this, path_, key, "true or false");
  return value ? value->boolean() : std::nullopt;
}
std::optional<double> TableCursor::quantity(std::string_view key, Dimension dimension) const {
  const auto value = required(*this, path_, key, quantity_hint(dimension));
  return value ? value->quantity(dimension) : std::nullopt;
}

std::optional<std::string> TableCursor::optional_string(std::string_view key) const {
  const auto found = value(key);
  return found ? found->string() : std::nullopt;
}
std::optional<std::int64_t> TableCursor::optional_integer(std::string_view key) const {
  const auto found = value(key);
  return found ? found->integer() : std::nullopt;
}
std::optional<double> TableCursor::optional_number(std::string_view key) const {
  const auto found = value(key);
  return found ? found->number() : std::nullopt;
}
std::optional<bool> TableCursor::optional_boolean(std::string_view key) const {
  const auto found = value(key);
  return found ? found->boolean() : std::nullopt;
}
std::optional<double> TableCursor::optional_quantity(std::string_view key,
                                                     Dimension dimension) const {
  const auto found = value(key);
  return found ? found->quantity(dimension) : std::nullopt;
}

TableCursor TableCursor::table(std::string_view key) const {
  if (exists() && !has(key)) {
    error(fmt::format("missing table [{}]", child_path(path_, key)));
  }
  return optional_table(key);
}

TableCursor TableCursor::optional_table(std::string_view key) const {
  if (const auto found = value(key)) {
    return found->table();
  }
  TableCursor missing;
  missing.data_ = data_;
  missing.path_ = child_path(path_, key);
  missing.scope_ = scope_.inside(key);
  return missing;
}

std::vector<TableCursor> TableCursor::tables(std::string_view key) const {
  std::vector<TableCursor> tables;
  const auto found = value(key);
  if (!found) {
    return tables;
  }
  if (found->form() != ValueCursor::Form::list) {
    found->error(
        fmt::format("'{0}' must be a list of tables; write [[{0}]]", child_path(path_, key)));
    return tables;
  }
  for (const ValueCursor& element : found->list()) {
    const TableCursor table = element.table();
    if (table.exists()) {
      tables.push_back(table);
    }
  }
  return tables;
}

// Documents

namespace {

// What the TOML reader says, in the words of a person who wrote the file. It names the second of
// two things with one name as "cannot redefine existing <form> '<name>'".
std::string syntax_message(std::string_view description) {
  constexpr std::string_view preface = "Error while parsing ";
  constexpr std::string_view twice = "cannot redefine existing ";
  const std::size_t at = description.find(twice);
  const std::size_t quote = description.find('\'', at);
  if (at != std::string_view::npos && quote != std::string_view::npos) {
    const std::string_view name =
        description.substr(quote, description.find('\'', quote + 1) + 1 - quote);
    return fmt::format("{} stands twice; take one out", name);
  }
  if (description.starts_with(preface)) {
    description.remove_prefix(preface.size());
  }
  return std::string(description);
}

}  // namespace

std::optional<Document> Document::parse(const std::string& file, const std::string& text,
                                        Diagnostics& diagnostics) {
  Document document;
  document.data_ = std::make_shared<DocumentData>();
  document.data_->file = file;
  document.data_->diagnostics = &diagnostics;
  if (const auto deep = deep_key_of_toml(text)) {
    diagnostics.error(position_at(file, text, *deep),
                      fmt::format("a key of more than {} parts; no key has so many", most_levels));
    return std::nullopt;
  }
  try {
    document.data_->root = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    diagnostics.error(document.data_->position(error.source()),
                      syntax_message(error.description()));
    return std::nullopt;
  }
  if (const toml::source_region* zero = zero_byte_in(document.data_->root)) {
    diagnostics.error(document.data_->position(*zero),
                      "a text with a zero byte (\\u0000), which would end it in other programs; "
                      "take it out");
    return std::nullopt;
  }
  return document;
}

TableCursor Document::root() const {
  TableCursor cursor;
  cursor.data_ = data_;
  cursor.node_ = &data_->root;
  data_->opened[&data_->root];
  return cursor;
}

void Document::report_unread() const {
  for (const auto& [table, opened] : data_->opened) {
    for (auto&& [key, value] : *table) {
      const std::string name(key.str());
      if (std::find(opened.asked.begin(), opened.asked.end(), name) != opened.asked.end()) {
        continue;
      }
      // Keys that stand in the file already are no answer to a misspelling.
      const std::vector<std::string> known = opened.known();
      std::vector<std::string> candidates = known;
      std::erase_if(candidates,
                    [table = table](const std::string& one) { return table->contains(one); });
      const auto best = closest(name, candidates);
      data_->diagnostics->error(data_->position(key.source()),
                                fmt::format("unknown key '{}' {}{}", name, in_table(opened.path),
                                            best ? fmt::format("; did you mean '{}'?", *best)
                                                 : "; known are " + join(known, ", ")));
    }
  }
}

}  // namespace scalesweep::config
