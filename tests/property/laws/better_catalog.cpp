#include "better_catalog.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <vector>

#include "core/host/temporary_folder.hpp"
#include "support/shipped_catalog.hpp"
#include "support/small_study.hpp"

namespace scalesweep::laws {
namespace {

using catalog::Catalog;
using catalog::Entry;
using catalog::Section;
using catalog::Value;

// Of watts a study says more itself: what a FLOP takes follows from the power of an entry.
constexpr Resource all[] = {
    {"tensor-peak", "tensor_peak."},      {"vector-peak", "vector_peak"},
    {"dram-bandwidth", "dram.bandwidth"}, {"dram-capacity", "dram.capacity"},
    {"l2-bandwidth", "l2.bandwidth"},     {"l2-capacity", "l2.capacity"},
    {"host-bandwidth", "host_bandwidth"},
};

// The number in front times the factor: "312 TFLOP/s".
std::string more(const std::string& text, double factor) {
  std::size_t end = 0;
  const double value = std::stod(text, &end);
  return fmt::format("{:.10g}{}", value * factor, text.substr(end));
}

const Value* value_of(const Entry& entry, std::string_view key) {
  for (const Value& value : entry.values) {
    if (value.key == key) {
      return &value;
    }
  }
  return nullptr;
}

std::string header(std::string_view table, const std::string& copy, const std::string& like) {
  return fmt::format("[{}.{}]\nlike = \"{}\"\nsource = \"more-of-one\"\nkind = \"assumed\"\n",
                     table, copy, like);
}

// "" where the device does not say it.
std::string with_more(const Entry& device, const Resource& resource) {
  std::string lines;
  for (const Value& value : device.values) {
    const bool is_it = resource.key.ends_with('.') ? value.key.starts_with(resource.key)
                                                   : value.key == resource.key;
    if (is_it && !value.text.empty() && !value.numbers.empty()) {
      lines += fmt::format("{} = \"{}\"\n", value.key, more(value.text, resource.factor));
    }
  }
  return lines.empty()
             ? ""
             : header("device", better_name(device.name, resource.name), device.name) + lines;
}

std::string devices(const Catalog& shipped) {
  std::string text;
  for (const std::string& name : shipped.names(Section::devices)) {
    const Entry& entry = *shipped.entry(Section::devices, name);
    for (const Resource& resource : all) {
      text += with_more(entry, resource);
    }
    if (const Value* link = value_of(entry, "scale_up")) {
      text += header("device", better_name(name, better_scale_up), name) +
              fmt::format("scale_up = \"{}\"\n", better_name(link->text, better_scale_up));
    }
    if (const Value* port = value_of(entry, "scale_out")) {
      text += header("device", better_name(name, better_scale_out), name) +
              fmt::format("scale_out = \"{}\"\n", better_port(port->text));
    }
  }
  return text;
}

std::string links(const Catalog& shipped) {
  std::string text;
  for (const std::string& name : shipped.names(Section::scale_up)) {
    const Entry& entry = *shipped.entry(Section::scale_up, name);
    text += header("scale_up", better_name(name, better_scale_up), name) +
            fmt::format("bandwidth = \"{}\"\n", more(value_of(entry, "bandwidth")->text, 2.0));
    // A copy does not take what is inside of it, which is faster there, too.
    if (const Value* inside = value_of(entry, "inside.link")) {
      text += fmt::format("inside.link = \"{}\"\ninside.size = {}\n",
                          better_name(inside->text, better_scale_up),
                          value_of(entry, "inside.size")->text);
    }
  }
  std::vector<std::string> known;
  for (const std::string& name : shipped.names(Section::scale_out)) {
    const Entry& entry = *shipped.entry(Section::scale_out, name);
    if (std::find(known.begin(), known.end(), entry.name) == known.end()) {
      known.push_back(entry.name);
      text += header("scale_out", better_name(entry.name, better_scale_out), entry.name) +
              fmt::format("bandwidth = \"{}\"\n", more(value_of(entry, "bandwidth")->text, 2.0));
    }
  }
  return text;
}

}  // namespace

std::span<const Resource> resources() {
  return all;
}

std::string better_name(std::string_view name, std::string_view resource) {
  return fmt::format("{}-more-{}", name, resource);
}

std::string better_port(std::string_view name) {
  const std::size_t ports = name.rfind('x');
  return better_name(name.substr(0, ports), better_scale_out) + std::string(name.substr(ports));
}

std::shared_ptr<const Catalog> better_catalog() {
  const Catalog& shipped = test::shipped_catalog();
  const TemporaryFolder folder;
  const auto file = folder.path() / "more.toml";
  test::write_text(file,
                   "schema = 1\n[sources]\nmore-of-one = \"A device that differs in one value\"\n" +
                       links(shipped) + devices(shipped));
  Diagnostics diagnostics;
  auto loaded = Catalog::load({test::nodes_folder(), {file}}, diagnostics);
  if (!loaded) {
    throw std::runtime_error(diagnostics.text());
  }
  return std::make_shared<const Catalog>(std::move(*loaded));
}

}  // namespace scalesweep::laws
