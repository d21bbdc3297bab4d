#include "space/spec_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "core/text.hpp"

namespace scalesweep::space {
namespace {

using config::Dimension;
using config::TableCursor;
using config::ValueCursor;

// How the values of one key are read.
struct KeyRule {
  std::string name;  // of the axis
  AxisKind kind = AxisKind::name;
  Dimension dimension = Dimension::bytes;  // of quantities
  std::string units;
  std::vector<std::string> words;  // if not empty, the only ones allowed
  std::string example;             // where the key is missing
};

KeyRule name_key(std::string name, std::string example = "") {
  return {std::move(name), AxisKind::name, {}, "", {}, std::move(example)};
}
KeyRule integer_key(std::string name, std::string example = "") {
  return {std::move(name), AxisKind::integer, {}, "1", {}, std::move(example)};
}

bool append_name(Axis& axis, const ValueCursor& value, const KeyRule& rule) {
  const auto name = value.string();
  if (!name) {
    return false;
  }
  const bool known = rule.words.empty() ||
                     std::find(rule.words.begin(), rule.words.end(), *name) != rule.words.end();
  if (!known) {
    value.error(fmt::format("unknown {} '{}'{}", rule.name, *name, suggestion(*name, rule.words)));
    return false;
  }
  axis.labels.push_back(*name);
  axis.values.push_back(static_cast<double>(axis.values.size()));
  return true;
}

bool append_integer(Axis& axis, const ValueCursor& value, const KeyRule& rule) {
  const auto number = value.integer();
  if (number && (*number < 1 || *number > 1'000'000'000)) {
    value.error(fmt::format("{} must be between 1 and 1,000,000,000, not {}", rule.name, *number));
    return false;
  }
  if (number) {
    axis.labels.push_back(std::to_string(*number));
    axis.values.push_back(static_cast<double>(*number));
  }
  return number.has_value();
}

bool append_quantity(Axis& axis, const ValueCursor& value, const KeyRule& rule) {
  const auto quantity = value.quantity(rule.dimension);
  if (quantity && *quantity <= 0.0) {
    value.error(fmt::format("{} must be above zero", rule.name));
    return false;
  }
  if (quantity) {
    axis.labels.push_back(config::quantity_text(*quantity, rule.dimension));
    axis.values.push_back(*quantity);
  }
  return quantity.has_value();
}

bool append(Axis& axis, const ValueCursor& value, const KeyRule& rule) {
  switch (rule.kind) {
    case AxisKind::name:
      return append_name(axis, value, rule);
    case AxisKind::integer:
      return append_integer(axis, value, rule);
    case AxisKind::quantity:
      return append_quantity(axis, value, rule);
  }
  return false;
}

std::optional<Axis> read_axis(const ValueCursor& cursor, const KeyRule& rule) {
  Axis axis;
  axis.name = rule.name;
  axis.kind = rule.kind;
  axis.units = rule.units;
  const std::vector<ValueCursor> values = cursor.list_or_single();
  if (values.empty()) {
    cursor.error(fmt::format("'{}' is an empty axis; give at least one value, or leave the key out",
                             rule.name));
    return std::nullopt;
  }
  bool good = true;
  std::set<std::string> seen;
  for (const ValueCursor& value : values) {
    if (!append(axis, value, rule)) {
      good = false;
      continue;
    }
    axis.positions.push_back(value.position());
    // "0.7 kW" and "700 W" are one value.
    if (!seen.insert(axis.labels.back()).second) {
      value.error(fmt::format("'{}' stands twice on the axis {}", axis.labels.back(), rule.name));
      good = false;
    }
  }
  return good ? std::optional(axis) : std::nullopt;
}

// A value that the user did not write, at the place of the table it belongs to.
Axis default_axis(const KeyRule& rule, const std::string& label, double value,
                  const SourcePosition& position) {
  return {rule.name, rule.kind, rule.units, {label}, {value}, {position}};
}

class AxisReader {
 public:
  std::vector<Axis> take() { return std::move(axes_); }

  void required(const TableCursor& table, const std::string& key, const KeyRule& rule) {
    if (const auto value = table.value(key)) {
      add(read_axis(*value, rule));
    } else if (table.exists()) {
      table.error(
          fmt::format("missing key '{}'; write for example {} = {}", key, key, rule.example));
    }
  }

  // False where the key is absent.
  bool optional(const TableCursor& table, const std::string& key, const KeyRule& rule) {
    const auto value = table.value(key);
    if (value) {
      add(read_axis(*value, rule));
    }
    return value.has_value();
  }

  void with_default(const TableCursor& table, const std::string& key, const KeyRule& rule,
                    const std::string& label, double value) {
    if (!optional(table, key, rule) && table.exists()) {
      axes_.push_back(default_axis(rule, label, value, table.position()));
    }
  }

  void add(std::optional<Axis> axis) {
    if (axis) {
      axes_.push_back(std::move(*axis));
    }
  }

 private:
  std::vector<Axis> axes_;
};

void read_workload(AxisReader& reader, const TableCursor& workload) {
  reader.required(workload, "model", name_key("model", "\"gpt3-175b\""));
  reader.required(workload, "sequence", integer_key("sequence", "2048"));
  reader.required(workload, "global_batch", integer_key("global_batch", "1536"));
  reader.with_default(workload, "precision", name_key("precision"), "bf16", 0.0);
  KeyRule attention = name_key("attention");
  attention.words = {"flash", "unfused"};
  reader.with_default(workload, "attention", attention, "flash", 0.0);
  reader.with_default(workload, "framework", name_key("framework"), "overlapped", 0.0);
}

void read_derived_device(AxisReader& reader, const TableCursor& system, const TableCursor& device) {
  reader.required(device, "template", name_key("template", "\"tensor-core-gpu\""));
  reader.required(system, "logic", name_key("logic", "[\"N7\", \"N5\"]"));
  reader.with_default(system, "scaling", name_key("scaling"), "foundry", 0.0);
  reader.required(system, "memory", name_key("memory", "\"HBM3\""));
  reader.required(device, "die_area",
                  {"die_area", AxisKind::quantity, Dimension::area, "m2", {}, "\"826 mm2\""});
  reader.with_default(device, "dies", integer_key("dies"), "1", 1.0);
  reader.required(device, "power",
                  {"power", AxisKind::quantity, Dimension::watts, "W", {}, "\"700 W\""});
  reader.required(device, "stacks", integer_key("stacks", "6"));
}

// Keys of [system] that only a derived device has.
constexpr std::array<const char*, 3> technology_keys = {"logic", "scaling", "memory"};

// What a catalogued device brings along cannot be asked for beside it.
void refuse_technology(const TableCursor& system) {
  for (const char* key : technology_keys) {
    if (system.has(key)) {
      system.error(key, fmt::format("'{}' goes with a derived device; a catalogued one brings its "
                                    "own. Leave it out, or write device = {{ template = ... }}",
                                    key));
    }
  }
}

// Where it cannot be told which device is meant: one error is enough.
void accept_technology(const TableCursor& system) {
  for (const char* key : technology_keys) {
    (void)system.has(key);
  }
}

bool holds_table(const std::vector<ValueCursor>& values) {
  return std::any_of(values.begin(), values.end(), [](const ValueCursor& value) {
    return value.form() == ValueCursor::Form::table;
  });
}

// True if the devices are derived ones.
bool read_device(AxisReader& reader, const TableCursor& system) {
  constexpr std::string_view forms =
      "name catalogued ones, device = [\"h100-sxm\"], or derive them, device = { template = "
      "\"tensor-core-gpu\", die_area = \"826 mm2\", power = \"700 W\", stacks = 6 }";
  const auto device = system.value("device");
  if (!device) {
    if (system.exists()) {
      system.error(fmt::format("missing key 'device'; {}", forms));
    }
    accept_technology(system);
    return false;
  }
  switch (device->form()) {
    case ValueCursor::Form::table:
      read_derived_device(reader, system, device->table());
      return true;
    case ValueCursor::Form::list:
      if (holds_table(device->list())) {
        device->error(
            "a list of devices holds names; for several derived devices make their keys lists, "
            "for example die_area = [\"400 mm2\", \"826 mm2\"]");
        accept_technology(system);
        return false;
      }
      break;
    case ValueCursor::Form::string:
      break;
    default:
      device->error(fmt::format("this is no device; {}", forms));
      accept_technology(system);
      return false;
  }
  reader.add(read_axis(*device, name_key("device")));
  refuse_technology(system);
  return false;
}

// scale_up = "NVLink4", a list of links, or { link = ..., domain = ... }.
void read_scale_up(AxisReader& reader, const TableCursor& system, bool derived) {
  const KeyRule domain = integer_key("scale_up_domain");
  const auto value = system.value("scale_up");
  if (!value) {
    if (derived && system.exists()) {
      system.error(
          "missing key 'scale_up'; write for example "
          "scale_up = { link = \"NVLink4\", domain = 8 }");
    }
    return;
  }
  if (value->form() != ValueCursor::Form::table) {
    if (value->form() == ValueCursor::Form::list && holds_table(value->list())) {
      value->error(
          "a list of links holds names; with a domain write for example "
          "scale_up = { link = [\"NVLink4\", \"NVLink5\"], domain = [8, 64] }");
      return;
    }
    reader.add(read_axis(*value, name_key("scale_up")));
    if (derived) {
      reader.add(default_axis(domain, "8", 8.0, value->position()));
    }
    return;
  }
  const TableCursor table = value->table();
  reader.required(table, "link", name_key("scale_up", "\"NVLink4\""));
  if (derived) {
    reader.with_default(table, "domain", domain, "8", 8.0);
  } else {
    reader.optional(table, "domain", domain);
  }
}

void read_system(AxisReader& reader, const TableCursor& system) {
  reader.required(system, "accelerators", integer_key("accelerators", "1024"));
  const bool derived = read_device(reader, system);
  read_scale_up(reader, system, derived);
  if (derived) {
    reader.required(system, "scale_out", name_key("scale_out", "\"NDRx8\""));
  } else {
    reader.optional(system, "scale_out", name_key("scale_out"));
  }
}

}  // namespace

const std::vector<std::string>& axis_names() {
  static const std::vector<std::string> names = {
      "model",     "sequence",  "global_batch",    "accelerators", "precision",
      "attention", "framework", "device",          "template",     "logic",
      "scaling",   "memory",    "die_area",        "dies",         "power",
      "stacks",    "scale_up",  "scale_up_domain", "scale_out"};
  return names;
}

std::vector<Axis> read_axes(const TableCursor& workload, const TableCursor& system) {
  AxisReader reader;
  read_workload(reader, workload);
  read_system(reader, system);
  std::vector<Axis> axes = reader.take();
  const auto rank = [](const Axis& axis) {
    const auto& names = axis_names();
    return std::find(names.begin(), names.end(), axis.name) - names.begin();
  };
  std::sort(axes.begin(), axes.end(),
            [&](const Axis& a, const Axis& b) { return rank(a) < rank(b); });
  return axes;
}

}  // namespace scalesweep::space
