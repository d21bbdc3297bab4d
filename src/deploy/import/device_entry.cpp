#include "deploy/import/device_entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/failure.hpp"

namespace scalesweep::deploy {
namespace {

std::string table(const std::string& header, const SpecTable& keys) {
  std::string text;
  for (const auto& [key, value] : keys) {
    // Formats of numbers are called as the file calls them.
    text += fmt::format("{} = {}\n", config::toml_key(key), value);
  }
  return text.empty() ? text : fmt::format("\n[{}]\n{}", header, text);
}

// A name that TOML takes without quotes.
std::string plain(std::string name) {
  if (name.empty()) {
    return "imported";
  }
  for (char& c : name) {
    const bool fits = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    c = fits || c == '_' ? c : '-';
  }
  return name;
}

}  // namespace

std::string quantity(double value, std::string_view unit) {
  constexpr std::array<std::pair<double, std::string_view>, 7> prefixes = {
      {{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1.0, ""}, {1e-6, "u"}}};
  for (const auto& [scale, prefix] : prefixes) {
    if (value >= scale || prefix == "u") {
      return fmt::format("\"{:.6g} {}{}\"", value / scale, prefix, unit);
    }
  }
  return "";
}

void add_device(Imported& imported, DeviceEntry entry, const catalog::Catalog& catalog,
                const ImportQuestion& question) {
  if (question.like.empty()) {
    throw Failure(ExitCode::usage,
                  "import: a hardware file does not say all that a device here has; give --like "
                  "NAME, the device of the catalog that the rest is of");
  }
  const std::string name = plain(question.name.empty() ? entry.name : question.name);
  if (catalog.has(catalog::Section::devices, name)) {
    throw Failure(ExitCode::usage,
                  fmt::format("import: the catalog has a device '{}'; give the new "
                              "one another --name",
                              name));
  }
  std::string text = fmt::format("schema = 1\n\n[sources]\nimported = {}\n",
                                 toml_text("Imported from " + imported.origin));
  const SpecTable inherits = {{"kind", toml_text("unverified")}, {"source", toml_text("imported")}};
  if (!entry.link.empty()) {
    const std::string parent_link =
        catalog.catalogued_system(catalog.usual_system(question.like)).scale_up().name;
    entry.link.insert(inherits.begin(), inherits.end());
    entry.link["like"] = toml_text(parent_link);
    text += table(fmt::format("scale_up.{}-link", name), entry.link);
    entry.device["scale_up"] = toml_text(name + "-link");
  }
  entry.device.insert(inherits.begin(), inherits.end());
  entry.device["like"] = toml_text(question.like);
  text += table("device." + name, entry.device);
  text += table(fmt::format("device.{}.tensor_peak", name), entry.tensor_peak);
  text += table(fmt::format("device.{}.dram", name), entry.dram);
  text += table(fmt::format("device.{}.l2", name), entry.l2);
  text += table(fmt::format("device.{}.shared", name), entry.shared);
  imported.entries += text;
  imported.system["device"] = toml_text(name);
  imported.notes.push_back(
      fmt::format("what the file does not say of {} is of {}", name, question.like));
}

}  // namespace scalesweep::deploy
