#include "catalog/read/entry_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

constexpr std::array<std::string_view, 4> bookkeeping_keys = {"source", "kind", "note", "aliases"};

std::vector<std::string> keys_of(const Sources& sources) {
  std::vector<std::string> keys;
  for (const auto& [key, citation] : sources) {
    keys.push_back(key);
  }
  return keys;
}

std::optional<SourceKind> read_kind(const config::TableCursor& table) {
  const std::optional<std::string> name = table.optional_string("kind");
  if (!name) {
    return std::nullopt;
  }
  const std::optional<SourceKind> kind = source_kind_from(*name);
  if (!kind) {
    const std::vector<std::string> known(source_kind_names.begin(), source_kind_names.end());
    table.error("kind",
                fmt::format("unknown kind of source '{}'{}", *name, suggestion(*name, known)));
  }
  return kind;
}

}  // namespace

EntryReader::EntryReader(config::TableCursor table, const Sources& sources, Entry& entry)
    : EntryReader(std::move(table), sources, entry, "", {}) {}

EntryReader::EntryReader(config::TableCursor table, const Sources& sources, Entry& entry,
                         std::string prefix, Defaults defaults)
    : table_(std::move(table)),
      sources_(&sources),
      entry_(&entry),
      prefix_(std::move(prefix)),
      defaults_(std::move(defaults)) {
  if (table_.exists()) {
    read_defaults();
  }
}

void EntryReader::read_defaults() {
  if (const std::optional<std::string> source = table_.optional_string("source")) {
    defaults_.source = citation(table_, *source);
  }
  if (const std::optional<SourceKind> kind = read_kind(table_)) {
    defaults_.kind = kind;
  }
  (void)table_.optional_string("note");
}

std::string EntryReader::citation(const config::TableCursor& table, const std::string& key) const {
  const auto found = sources_->find(key);
  if (found == sources_->end()) {
    table.error("source", fmt::format("no source '{}' in [sources]{}", key,
                                      suggestion(key, keys_of(*sources_))));
    return key;  // reported once; what rests on it is not reported again
  }
  return found->second;
}

std::optional<config::ValueCursor> EntryReader::open(std::string_view key) {
  std::optional<config::ValueCursor> value = table_.value(key);
  if (!value) {
    return std::nullopt;
  }
  Value record;
  record.key = prefix_ + std::string(key);
  record.position = value->position();
  Defaults own = defaults_;
  if (value->form() == config::ValueCursor::Form::table) {
    const config::TableCursor annotated = value->table();
    if (const std::optional<std::string> source = annotated.optional_string("source")) {
      own.source = citation(annotated, *source);
    }
    if (const std::optional<SourceKind> kind = read_kind(annotated)) {
      own.kind = kind;
    }
    record.note = annotated.optional_string("note").value_or("");
    value = annotated.value("value");
    if (!value) {
      annotated.error(fmt::format("'{}' has no value; write {} = {{ value = ..., source = ... }}",
                                  record.key, key));
      return std::nullopt;
    }
  }
  if (own.source.empty()) {
    value->error(fmt::format(
        "'{}' has no source; give the entry or the value one: source = \"key of [sources]\"",
        record.key));
  }
  if (!own.kind) {
    value->error(
        fmt::format("'{}' has no kind of source; give the entry or the value one, "
                    "for example kind = \"datasheet\"",
                    record.key));
  }
  record.text =
      value->form() == config::ValueCursor::Form::string ? *value->string() : value->text();
  record.source = own.source;
  record.kind = own.kind.value_or(SourceKind::unverified);
  entry_->values.push_back(std::move(record));
  return value;
}

double EntryReader::checked(const config::ValueCursor& value, double number, Range range) const {
  const bool good = range == Range::any || (range == Range::not_negative && number >= 0.0) ||
                    (range == Range::positive && number > 0.0) ||
                    (range == Range::fraction && number > 0.0 && number <= 1.0);
  if (good) {
    return number;
  }
  value.error(range == Range::fraction
                  ? fmt::format("{} is not a fraction; it must be above 0 and at most 1", number)
              : range == Range::positive ? std::string("must be above 0")
                                         : std::string("must not be negative"));
  return 1.0;
}

double EntryReader::quantity(std::string_view key, config::Dimension dimension, Range range) {
  if (!table_.has(key)) {
    (void)table_.quantity(key, dimension);  // reports it as missing
    return 1.0;
  }
  return optional_quantity(key, dimension, range).value_or(1.0);
}

std::optional<double> EntryReader::optional_quantity(std::string_view key,
                                                     config::Dimension dimension, Range range) {
  const std::optional<config::ValueCursor> value = open(key);
  if (!value) {
    return std::nullopt;
  }
  const std::optional<double> si = value->quantity(dimension);
  return si ? std::optional(checked(*value, *si, range)) : std::nullopt;
}

double EntryReader::number(std::string_view key, Range range) {
  if (!table_.has(key)) {
    (void)table_.number(key);
    return 1.0;
  }
  return optional_number(key, range).value_or(1.0);
}

std::optional<double> EntryReader::optional_number(std::string_view key, Range range) {
  const std::optional<config::ValueCursor> value = open(key);
  if (!value) {
    return std::nullopt;
  }
  const std::optional<double> number = value->number();
  return number ? std::optional(checked(*value, *number, range)) : std::nullopt;
}

std::int64_t EntryReader::integer(std::string_view key, std::int64_t at_least) {
  if (!table_.has(key)) {
    (void)table_.integer(key);
    return std::max<std::int64_t>(1, at_least);
  }
  return optional_integer(key, at_least).value_or(std::max<std::int64_t>(1, at_least));
}

std::optional<std::int64_t> EntryReader::optional_integer(std::string_view key,
                                                          std::int64_t at_least) {
  const std::optional<config::ValueCursor> value = open(key);
  if (!value) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> integer = value->integer();
  if (integer && *integer < at_least) {
    value->error(fmt::format("{} is too small; it must be at least {}", *integer, at_least));
    return std::nullopt;
  }
  return integer;
}

std::optional<bool> EntryReader::optional_boolean(std::string_view key) {
  const std::optional<config::ValueCursor> value = open(key);
  return value ? value->boolean() : std::nullopt;
}

Located EntryReader::text(std::string_view key) {
  if (!table_.has(key)) {
    (void)table_.string(key);
    return {"", table_.position()};
  }
  return optional_text(key).value_or(Located{"", table_.position(key)});
}

std::optional<Located> EntryReader::optional_text(std::string_view key) {
  const std::optional<config::ValueCursor> value = open(key);
  if (!value) {
    return std::nullopt;
  }
  const std::optional<std::string> string = value->string();
  return string ? std::optional(Located{*string, value->position()}) : std::nullopt;
}

std::vector<std::int64_t> EntryReader::integers(std::string_view key) {
  std::vector<std::int64_t> result;
  if (!table_.has(key)) {
    (void)table_.integer(key);
    return result;
  }
  const std::optional<config::ValueCursor> value = open(key);
  if (!value) {
    return result;
  }
  for (const config::ValueCursor& item : value->list_or_single()) {
    const std::optional<std::int64_t> integer = item.integer();
    if (integer && *integer >= 1) {
      result.push_back(*integer);
    } else if (integer) {
      item.error(fmt::format("{} is too small; it must be at least 1", *integer));
    }
  }
  return result;
}

EntryReader EntryReader::group(std::string_view key) {
  return {table_.table(key), *sources_, *entry_, prefix_ + std::string(key) + ".", defaults_};
}

EntryReader EntryReader::optional_group(std::string_view key) {
  return {table_.optional_table(key), *sources_, *entry_, prefix_ + std::string(key) + ".",
          defaults_};
}

std::vector<std::string> EntryReader::value_keys() const {
  std::vector<std::string> keys = table_.keys();
  std::erase_if(keys, [](const std::string& key) {
    return std::find(bookkeeping_keys.begin(), bookkeeping_keys.end(), key) !=
           bookkeeping_keys.end();
  });
  return keys;
}

}  // namespace scalesweep::catalog
