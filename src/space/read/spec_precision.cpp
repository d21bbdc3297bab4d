#include "space/read/spec_precision.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"
#include "space/keys/spec_keys.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

bool is_table(const ValueCursor& value) {
  return value.form() == ValueCursor::Form::table;
}

void read_compression(PrecisionTable& precision, const TableCursor& table, const Key& key) {
  const auto ratio = table.optional_number(key.name());
  if (ratio && !key.range.holds(*ratio)) {
    table.error(key.name(),
                fmt::format("{} must be {}, not {}", key.name(), key.range.text(), *ratio));
  }
  precision.gradient_compression = ratio.value_or(precision.gradient_compression);
}

PrecisionTable read_table(const TableCursor& written, const WorkloadForm& form) {
  const TableCursor table = written.described_by({spec_keys(), "workload.precision.", form.rows});
  PrecisionTable precision;
  precision.name = table.optional_string("name").value_or("");
  for (const std::string& key : precision_classes(form)) {
    if (const auto value = table.value(key)) {
      if (const auto format = value->string()) {
        precision.formats.push_back({key, *format, value->position()});
      }
    }
  }
  if (const auto value = table.value("recipe")) {
    precision.recipe = value->string().value_or("");
    precision.recipe_position = value->position();
  }
  for (const Key* key : form.keys_of("workload.precision")) {
    if (key->kind == config::KeyKind::number) {
      read_compression(precision, table, *key);
    }
    if (key->name() == "checkpoint") {
      if (const auto value = table.value(key->name())) {
        precision.checkpoint = value->string().value_or("");
        precision.checkpoint_position = value->position();
      }
    }
  }
  return precision;
}

}  // namespace

std::vector<std::string> precision_classes(const WorkloadForm& form) {
  std::vector<std::string> names;
  for (const Key* key : form.keys_of("workload.precision")) {
    if (key->kind == config::KeyKind::name && key->words.empty()) {
      names.emplace_back(key->name());
    }
  }
  return names;
}

std::optional<Axis> read_precision_axis(const ValueCursor& value, const WorkloadForm& form) {
  Axis axis;
  axis.name = "precision";
  const std::vector<ValueCursor> values = value.list_or_single();
  if (values.empty()) {
    value.error("'precision' is an empty axis; give at least one value, or leave the key out");
    return std::nullopt;
  }
  bool good = true;
  for (const ValueCursor& one : values) {
    const auto name = is_table(one) ? one.table().optional_string("name") : one.string();
    if (!name || trim(*name).empty()) {
      if (is_table(one)) {
        one.error(
            fmt::format("this precision needs a name, for example {}", form.precision_example));
      }
      good = false;
      continue;
    }
    if (std::find(axis.labels.begin(), axis.labels.end(), *name) != axis.labels.end()) {
      one.error(fmt::format("'{}' stands twice on the axis precision", *name));
      good = false;
    }
    axis.values.push_back(static_cast<double>(axis.values.size()));
    axis.labels.push_back(*name);
    axis.positions.push_back(one.position());
  }
  return good ? std::optional(axis) : std::nullopt;
}

std::vector<PrecisionTable> read_precision_tables(const TableCursor& workload,
                                                  const WorkloadForm& form) {
  std::vector<PrecisionTable> tables;
  const auto value = workload.value("precision");
  if (!value || precision_classes(form).empty()) {  // of some kinds it is a name alone
    return tables;
  }
  for (const ValueCursor& one : value->list_or_single()) {
    if (is_table(one)) {
      tables.push_back(read_table(one.table(), form));
    }
  }
  return tables;
}

}  // namespace scalesweep::space
