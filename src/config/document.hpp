// A TOML file as a tree of cursors that remember which keys were read. Knows no domain: callers say
// what they expect, every mistake becomes a Diagnostic with file:line:column, and what nobody read
// is an unknown key.
//
//   auto document = Document::parse(file, text, diagnostics);
//   TableCursor system = document->root().table("system");
//   double area_m2 = system.quantity("die_area", Dimension::area).value_or(0.0);
//   document->report_unread();
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/key.hpp"
#include "config/quantity_text.hpp"
#include "core/diagnostic.hpp"

namespace scalesweep::config {

struct DocumentData;  // the parsed tree and what was read of it

class ValueCursor;

// A table, or a place where one is missing: then every optional read gives nothing and every
// required one has already been reported once by whoever asked for the table.
class TableCursor {
 public:
  bool exists() const;
  SourcePosition position() const;                      // of the table
  SourcePosition position(std::string_view key) const;  // of a value, or of the table if absent
  std::vector<std::string> keys() const;                // in file order
  bool has(std::string_view key) const;
  bool describes(std::string_view key) const;  // has a row of it, or no rows
  // Whether it holds a key that it has no row of: for a caller who says why there is none.
  bool holds_beside_rows(std::string_view key) const;

  // This table, with the rows of its keys: to read what has no row is a mistake of ours, and a key
  // that is not known is compared with the rows. Tables in it have those of their own prefix.
  TableCursor described_by(KeyScope scope) const;
  const KeyScope& scope() const { return scope_; }

  // Required reads report a missing key or a wrong type and give nothing. Optional reads report a
  // wrong type only.
  std::optional<std::string> string(std::string_view key) const;
  std::optional<std::int64_t> integer(std::string_view key) const;
  std::optional<double> number(std::string_view key) const;  // dimensionless: integer or float
  std::optional<bool> boolean(std::string_view key) const;
  std::optional<double> quantity(std::string_view key, Dimension dimension) const;  // SI

  std::optional<std::string> optional_string(std::string_view key) const;
  std::optional<std::int64_t> optional_integer(std::string_view key) const;
  std::optional<double> optional_number(std::string_view key) const;
  std::optional<bool> optional_boolean(std::string_view key) const;
  std::optional<double> optional_quantity(std::string_view key, Dimension dimension) const;

  TableCursor table(std::string_view key) const;                // reports a missing table
  TableCursor optional_table(std::string_view key) const;       // does not
  std::vector<TableCursor> tables(std::string_view key) const;  // [[key]], empty if absent
  // Any value, for keys that take more than one form (scalar or list or table); nothing if absent.
  std::optional<ValueCursor> value(std::string_view key) const;

  // Reports at the key (or the table) in the user's terms.
  void error(std::string_view key, const std::string& message) const;
  void error(const std::string& message) const;

 private:
  friend class Document;
  friend class ValueCursor;
  std::shared_ptr<DocumentData> data_;
  const void* node_ = nullptr;  // toml::table
  std::string path_;            // "system.device"
  KeyScope scope_;              // without rows where nobody gave any
};

// One value whose form is not known yet.
class ValueCursor {
 public:
  enum class Form { string, integer, number, boolean, list, table, other };
  Form form() const;
  SourcePosition position() const;
  std::string text() const;  // as a person would write it
  // Column of the first character of a string, for mistakes inside it; 0 if the string is not
  // written on one line without escapes.
  int first_column() const;
  // Each reports a value of another form.
  std::optional<std::string> string() const;
  std::optional<std::int64_t> integer() const;
  std::optional<double> number() const;
  std::optional<bool> boolean() const;
  // SI. `example`: how one is written here, where that of the dimension tells little.
  std::optional<double> quantity(Dimension dimension, std::string_view example = "") const;
  std::vector<ValueCursor> list() const;
  // A list as it is, a scalar as a list of one.
  std::vector<ValueCursor> list_or_single() const;
  TableCursor table() const;
  void error(const std::string& message) const;
  void warning(const std::string& message) const;

 private:
  friend class TableCursor;
  std::shared_ptr<DocumentData> data_;
  const void* node_ = nullptr;  // toml::node
  std::string path_;
  KeyScope inside_;  // the rows of this value, should it be a table
};

class Document {
 public:
  // Syntax errors go to `diagnostics`, which must outlive the document and its cursors.
  static std::optional<Document> parse(const std::string& file, const std::string& text,
                                       Diagnostics& diagnostics);
  TableCursor root() const;
  // Every key that was never asked for is an error, with the closest of the keys that were.
  void report_unread() const;

 private:
  std::shared_ptr<DocumentData> data_;
};

}  // namespace scalesweep::config
