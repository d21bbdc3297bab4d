#include "space/read/spec_axes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/key_relations.hpp"
#include "space/pools/spec_pools.hpp"
#include "space/read/axis_reader.hpp"
#include "space/read/spec_allocation.hpp"
#include "space/read/spec_precision.hpp"
#include "space/read/spec_workload.hpp"

namespace scalesweep::space {
namespace {

using config::TableCursor;
using config::ValueCursor;

// A share that is allocated as well would have two values.
void refuse_second_share(const TableCursor& device, const TableCursor& allocate,
                         const std::string& name) {
  if (device.has(name) && allocate.has(name)) {
    allocate.error(name, fmt::format("'{}' is allocated here and also written in [system.device]; "
                                     "leave it out in one of them",
                                     name));
  }
}

// The die edge for memory says how many stacks there are, or the other way round.
void read_stacks(AxisReader& reader, const TableCursor& device, const TableCursor& allocate) {
  const bool by_edge = device.has("memory_edge_share") || allocate.has("memory_edge_share");
  if (!by_edge) {
    reader.read(device, spec_key("system.device.stacks"));
  } else if (device.has("stacks")) {
    device.error("stacks",
                 "'stacks' follows from memory_edge_share, which fills its part of the die edge; "
                 "leave one of them out");
  }
}

// The keys of [system] that only one form of device has.
std::vector<const Key*> keys_of(config::Variants device) {
  std::vector<const Key*> keys = keys_in("system");
  std::erase_if(keys, [&](const Key* key) {
    return key->variants != device || key->name().starts_with("scale_");
  });
  return keys;
}

void read_axes_of(AxisReader& reader, const TableCursor& system, config::Variants device) {
  for (const Key* key : keys_of(device)) {
    if (!key->axis.empty()) {
      reader.read(system, *key);
    }
  }
}

void read_derived_device(AxisReader& reader, const AxisTables& tables, const TableCursor& device) {
  read_axes_of(reader, tables.system, derived_device);
  for (const Key* key : keys_in("system.device")) {
    if (key->name() == "stacks") {
      read_stacks(reader, device, tables.allocate);
    } else {
      reader.read(device, *key);
    }
  }
  for (const std::string& name : share_names()) {
    refuse_second_share(device, tables.allocate, name);
  }
}

// What a catalogued device brings along cannot be asked for beside it.
void refuse_technology(const TableCursor& system) {
  for (const Key* key : keys_of(derived_device)) {
    if (system.has(key->name())) {
      system.error(key->name(),
                   fmt::format("'{}' goes with a derived device; a catalogued one brings its "
                               "own. Leave it out, or write device = {{ template = ... }}",
                               key->name()));
    }
  }
}

// Where it cannot be told which device is meant: one error is enough.
void accept_both(const TableCursor& system) {
  for (const Key* key : keys_in("system")) {
    (void)system.has(key->name());
  }
}

void refuse_changes(const TableCursor& system) {
  for (const Key* key : keys_of(catalogued_device)) {
    if (system.has(key->name())) {
      system.error(key->name(), fmt::format("'{}' goes with catalogued devices; of a derived one "
                                            "write '{}'",
                                            key->name(), key->instead));
    }
  }
}

bool holds_table(const std::vector<ValueCursor>& values) {
  return std::any_of(values.begin(), values.end(), [](const ValueCursor& value) {
    return value.form() == ValueCursor::Form::table;
  });
}

// True if the devices are derived ones.
bool read_device(AxisReader& reader, const AxisTables& tables) {
  const TableCursor& system = tables.system;
  const TableCursor& owner = table_with("device", tables.system, tables.decode);
  constexpr std::string_view forms =
      "name catalogued ones, device = [\"h100-sxm\"], or derive them, device = { template = "
      "\"tensor-core-gpu\", die_area = \"826 mm2\", power = \"700 W\", stacks = 6 }";
  const auto device = owner.value("device");
  if (!device) {
    if (owner.exists()) {
      owner.error(fmt::format("missing key 'device'; {}", forms));
    }
    accept_both(system);
    return false;
  }
  switch (device->form()) {
    case ValueCursor::Form::table:
      if (!system.has("device")) {
        device->error(
            "[decode] names catalogued devices; derive one in [system], device = { template = ... "
            "}");
        accept_both(system);
        return false;
      }
      read_derived_device(reader, tables, device->table());
      refuse_changes(system);
      return true;
    case ValueCursor::Form::list:
      if (holds_table(device->list())) {
        device->error(
            "a list of devices holds names; for several derived devices make their keys lists, "
            "for example die_area = [\"400 mm2\", \"826 mm2\"]");
        accept_both(system);
        return false;
      }
      break;
    case ValueCursor::Form::string:
      break;
    default:
      device->error(fmt::format("this is no device; {}", forms));
      accept_both(system);
      return false;
  }
  reader.read(*device, spec_key("system.device"));
  refuse_technology(system);
  read_axes_of(reader, system, catalogued_device);
  return false;
}

// scale_up = "NVLink4", a list of links, or { link = ..., domain = ... }.
void read_scale_up(AxisReader& reader, const TableCursor& system, config::Variants device) {
  const Key& link = spec_key("system.scale_up", device);
  const Key& domain = spec_key("system.scale_up.domain", device);
  const auto value = system.value("scale_up");
  if (!value) {
    reader.read(system, link);
    return;
  }
  if (value->form() == ValueCursor::Form::table) {
    const TableCursor table = value->table();
    reader.read(table, spec_key("system.scale_up.link"));
    reader.read(table, domain);
    return;
  }
  if (value->form() == ValueCursor::Form::list && holds_table(value->list())) {
    value->error(
        "a list of links holds names; with a domain write for example "
        "scale_up = { link = [\"NVLink4\", \"NVLink5\"], domain = [8, 64] }");
    return;
  }
  reader.read(*value, link);
  if (domain.need == config::Need::standing) {
    reader.add(default_axis(domain, value->position()));
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
  reader.read(table_with("accelerators", system, tables.decode), spec_key("system.accelerators"));
  const bool derived = read_device(reader, tables);
  const bool named = system.has("device") || tables.decode.has("device");
  if (!derived && tables.allocate.exists() && named) {
    tables.allocate.error(
        "[allocate] shares out the budgets of a derived device; write device = { template = ... } "
        "in [system], or leave [allocate] out");
  } else if (allocation) {
    reader.add(allocation_axis(*allocation));
  }
  const config::Variants device = derived ? derived_device : catalogued_device;
  read_scale_up(reader, system, device);
  reader.read(system, spec_key("system.scale_out", device));
  reader.read(system, spec_key("system.topology"));
}

// What fails in a whole run, which the workload must ask for.
void read_run(AxisReader& reader, const AxisTables& tables) {
  const TableCursor& workload = tables.workload;
  if (!tables.run.exists()) {
    return;
  }
  const bool trains = tables.form.has("tokens");
  if (!trains || !(workload.has("tokens") || workload.has("steps"))) {
    tables.run.error(trains ? "[run] is of a whole run; say how long it is, for example tokens = "
                              "\"15 T\" in [workload], or leave [run] out"
                            : fmt::format("[run] goes with kind = \"training\", not \"{}\"; leave "
                                          "it out",
                                          tables.form.name));
  }
  for (const Key* key : keys_in("run")) {
    reader.read(tables.run, *key);
  }
}

}  // namespace

const std::vector<std::string>& axis_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> axes;
    for (const Key& key : spec_keys()) {
      if (!key.axis.empty() && std::find(axes.begin(), axes.end(), key.axis) == axes.end()) {
        axes.emplace_back(key.axis);
      }
    }
    return axes;
  }();
  return names;
}

std::vector<Axis> read_axes(const AxisTables& tables, const std::optional<Allocation>& allocation) {
  AxisReader reader;
  read_workload(reader, tables.workload, tables.form, tables.forms, tables.phases);
  read_system(reader, tables, allocation);
  const std::vector<const Key*> economics = keys_in("economics");
  for (const Key* key : economics) {
    reader.read(tables.economics, *key);
  }
  config::check_relations(tables.economics, economics);
  read_run(reader, tables);
  std::vector<Axis> axes = reader.take();
  read_pools({tables.workload, tables.prefill, tables.decode}, tables.form, axes);
  // Axes of a kind's own are the last of its workload.
  const auto rank = [](const Axis& axis) {
    const auto& names = axis_names();
    const auto found = std::find(names.begin(), names.end(), axis.name);
    return (found != names.end() ? found : std::find(names.begin(), names.end(), "device")) -
           names.begin();
  };
  std::stable_sort(axes.begin(), axes.end(),
                   [&](const Axis& a, const Axis& b) { return rank(a) < rank(b); });
  return axes;
}

}  // namespace scalesweep::space
