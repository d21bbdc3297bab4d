#include "catalog/read/lacking.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

// Other templates, the one first that knows the device best.
std::vector<const Entry*> others(const CatalogData& data, const Entry& entry) {
  std::vector<const Entry*> templates;
  for (const Entry& each : data.entries) {
    if (each.section == Section::templates && each.name != entry.name) {
      templates.push_back(&each);
    }
  }
  const Value* base = entry.value("calibrated_on");
  const Entry* device = base == nullptr ? nullptr : data.entry(Section::devices, base->text);
  const std::string nearest =
      device == nullptr ? std::string() : data.devices.at(device->name).architecture;
  std::stable_partition(templates.begin(), templates.end(),
                        [&](const Entry* each) { return each->name == nearest; });
  return templates;
}

// " (hopper: 6.64 mm2)"
std::string shown(const std::vector<const Entry*>& templates, const std::string& key) {
  for (const Entry* each : templates) {
    if (const Value* value = each->value(key)) {
      return fmt::format(" ({}: {})", each->name, value->text);
    }
  }
  return {};
}

}  // namespace

void report_lacking(const CatalogData& data, Diagnostics& diagnostics) {
  for (const Entry& entry : data.entries) {
    if (entry.lacking.empty()) {
      continue;
    }
    const std::vector<const Entry*> templates = others(data, entry);
    if (entry.lacking.size() == 1) {
      const std::string& path = entry.lacking.front();
      const std::size_t dot = path.rfind('.');
      const bool inside = dot != std::string::npos;
      diagnostics.error(
          entry.position,
          fmt::format("missing key '{}' in [template.{}{}]{}", path.substr(inside ? dot + 1 : 0),
                      entry.name, inside ? "." + path.substr(0, dot) : "", shown(templates, path)));
      continue;
    }
    std::vector<std::string> keys;
    for (const std::string& key : entry.lacking) {
      keys.push_back(key + shown(templates, key));
    }
    diagnostics.error(
        entry.position,
        fmt::format("template {} lacks {} keys that the law takes, here with what others have: {}; "
                    "give them, or name a 'predecessor' or what it is 'like'",
                    entry.name, keys.size(), join(keys, ", ")));
  }
}

}  // namespace scalesweep::catalog
