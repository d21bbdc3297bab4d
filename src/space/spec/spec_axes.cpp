#include "space/spec/spec_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "space/spec/axis_reader.hpp"
#include "space/spec/spec_allocation.hpp"
#include "space/spec/spec_economics.hpp"
#include "space/spec/spec_precision.hpp"
#include "space/spec/spec_workload.hpp"

namespace scalesweep::space {
namespace {

using config::Dimension;
using config::TableCursor;
using config::ValueCursor;

// A share of a budget; one that is allocated as well would have two values.
void read_share(AxisReader& reader, const TableCursor& device, const TableCursor& allocate,
                const std::string& name) {
  if (reader.optional(device, name, number_key(name, open_share)) && allocate.has(name)) {
    allocate.error(name, fmt::format("'{}' is allocated here and also written in [system.device]; "
                                     "leave it out in one of them",
                                     name));
  }
}

// The die edge for memory says how many stacks there are, or the other way round.
void read_stacks(AxisReader& reader, const TableCursor& device, const TableCursor& allocate) {
  const bool by_edge = device.has("memory_edge_share") || allocate.has("memory_edge_share");
  if (!by_edge) {
    reader.required(device, "stacks", integer_key("stacks", "6"));
  } else if (device.has("stacks")) {
    device.error("stacks",
                 "'stacks' follows from memory_edge_share, which fills its part of the die edge; "
                 "leave one of them out");
  }
}

void read_derived_device(AxisReader& reader, const AxisTables& tables, const TableCursor& device) {
  const TableCursor& system = tables.system;
  reader.required(device, "template", name_key("template", "\"tensor-core-gpu\""));
  reader.required(system, "logic", name_key("logic", "[\"N7\", \"N5\"]"));
  reader.with_default(system, "scaling", name_key("scaling"), "foundry", 0.0);
  reader.required(system, "memory", name_key("memory", "\"HBM3\""));
  reader.required(device, "die_area", quantity_key("die_area", Dimension::area, "\"826 mm2\""));
  reader.with_default(device, "dies", integer_key("dies"), "1", 1.0);
  reader.required(device, "power", quantity_key("power", Dimension::watts, "\"700 W\""));
  read_stacks(reader, device, tables.allocate);
  reader.with_default(device, "package", name_key("package"), "interposer", 0.0);
  reader.optional(device, "pin_rate", quantity_key("pin_rate", Dimension::bytes_per_second));
  reader.optional(device, "flop_per_clock", integer_key("flop_per_clock"));
  for (const std::string& name : share_names()) {
    read_share(reader, device, tables.allocate, name);
  }
}

// Keys of [system] that only a derived device has.
constexpr std::array<const char*, 4> technology_keys = {"logic", "scaling", "memory",
                                                        "extrapolate"};

// Keys of [system] that change a catalogued device, and what a derived one has instead.
struct ChangeKey {
  const char* key;
  const char* instead;
};
constexpr std::array<ChangeKey, 2> change_keys = {
    {{"power_limit", "device.power"}, {"memory_of", "memory"}}};

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
  for (const ChangeKey& change : change_keys) {
    (void)system.has(change.key);
  }
}

void refuse_changes(const TableCursor& system) {
  for (const ChangeKey& change : change_keys) {
    if (system.has(change.key)) {
      system.error(change.key, fmt::format("'{}' goes with catalogued devices; of a derived one "
                                           "write '{}'",
                                           change.key, change.instead));
    }
  }
}

void read_changes(AxisReader& reader, const TableCursor& system) {
  reader.optional(system, "memory_of", name_key("memory_of"));
  reader.optional(system, "power_limit", quantity_key("power_limit", Dimension::watts));
}

bool holds_table(const std::vector<ValueCursor>& values) {
  return std::any_of(values.begin(), values.end(), [](const ValueCursor& value) {
    return value.form() == ValueCursor::Form::table;
  });
}

// True if the devices are derived ones.
bool read_device(AxisReader& reader, const AxisTables& tables) {
  const TableCursor& system = tables.system;
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
      read_derived_device(reader, tables, device->table());
      refuse_changes(system);
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
  reader.read(*device, name_key("device"));
  refuse_technology(system);
  read_changes(reader, system);
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
    reader.read(*value, name_key("scale_up"));
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

// The candidates of [allocate] as an axis.
Axis allocation_axis(const Allocation& allocation) {
  Axis axis;
  axis.name = "allocation";
  axis.kind = AxisKind::integer;
  axis.units = "1";
  for (std::int64_t i = 0; i < allocation.candidates(); ++i) {
    axis.labels.push_back(std::to_string(i));
    axis.values.push_back(static_cast<double>(i));
    axis.positions.push_back(allocation.position);
  }
  return axis;
}

void read_system(AxisReader& reader, const AxisTables& tables,
                 const std::optional<Allocation>& allocation) {
  const TableCursor& system = tables.system;
  reader.required(system, "accelerators", integer_key("accelerators", "1024"));
  const bool derived = read_device(reader, tables);
  if (!derived && tables.allocate.exists() && system.has("device")) {
    tables.allocate.error(
        "[allocate] shares out the budgets of a derived device; write device = { template = ... } "
        "in [system], or leave [allocate] out");
  } else if (allocation) {
    reader.add(allocation_axis(*allocation));
  }
  read_scale_up(reader, system, derived);
  if (derived) {
    reader.required(system, "scale_out", name_key("scale_out", "\"NDRx8\""));
  } else {
    reader.optional(system, "scale_out", name_key("scale_out"));
  }
  reader.with_default(system, "topology", name_key("topology"), "fat-tree", 0.0);
}

}  // namespace

const std::vector<std::string>& axis_names() {
  // clang-format off
  static const std::vector<std::string> names = {
      "model", "sequence", "global_batch", "batch", "accelerators",
      "prompt", "output",
      "precision", "attention", "framework",
      "prefix_hits", "prefill_chunk", "draft", "acceptance", "draft_time",
      "batching", "prefill_share", "arrival_rate",
      "time_to_first_token_limit", "time_per_output_token_limit",
      "device", "memory_of", "power_limit",
      "template", "logic", "scaling", "memory", "die_area", "dies", "power", "stacks", "package",
      "pin_rate", "flop_per_clock", "core_area_share", "memory_edge_share", "memory_power_share",
      "scale_up", "scale_up_domain", "scale_out", "topology",
      "economics", "energy_price", "power_usage_effectiveness", "grid_carbon", "lifetime",
      "utilization", "device_markup", "network_markup", "server_cost", "server_power",
      "server_carbon",
      "allocation"};
  // clang-format on
  return names;
}

std::vector<Axis> read_axes(const AxisTables& tables, const std::optional<Allocation>& allocation) {
  AxisReader reader;
  read_workload(reader, tables.workload, tables.kind);
  read_system(reader, tables, allocation);
  read_economics(reader, tables.economics);
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
