#include "cli/catalog/compare.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <cmath>

#include "catalog/keys/catalog_keys.hpp"
#include "cli/catalog/twin_sheets.hpp"
#include "core/text.hpp"
#include "technology/derive/derive.hpp"
#include "validation/twins.hpp"

namespace scalesweep::cli {
namespace {

using catalog::Section;

struct Compared {
  const char* key;
  const char* header;
  double unit;
  int digits;
};
constexpr std::array<Compared, compared_count> compared = {
    {{"cores", "cores", 1.0, 0},
     {"clock", "clock, GHz", 1e9, 2},
     {"peak", "16-bit peak, TFLOP/s", 1e12, 0},
     {"dram_bandwidth", "DRAM, TB/s", 1e12, 2},
     {"dram_capacity", "DRAM, GiB", 0x1p30, 0},
     {"l2_capacity", "L2, MiB", 0x1p20, 0}}};

// A mesh has no L2 to be right about.
double error_of(double derived, double real) {
  return derived == real ? 0.0 : derived / real - 1.0;
}

std::size_t sixteen_bit_of(const technology::Device& device) {
  return technology::index_of(technology::sixteen_bit(device.tensor_peak));
}

std::array<double, compared_count> figures_of(const technology::Device& device, std::size_t half,
                                              double flop_per_clock) {
  const double peak = device.tensor_peak[half].si();
  // The clock at which the peak is stated, which for some products is below the boost clock.
  return {static_cast<double>(device.cores),
          peak / (device.cores * flop_per_clock),
          peak,
          device.dram.bandwidth.si(),
          device.dram.capacity.si(),
          device.l2.capacity.si()};
}

std::vector<Cell> row_of(const Comparison& c) {
  std::vector<Cell> row = {c.name};
  for (std::size_t i = 0; i < compared_count; ++i) {
    const Compared& what = compared[i];
    const double error = error_of(c.derived[i], c.real[i]);
    row.emplace_back(
        fmt::format("{:.{}f} ({:.{}f}) {:+.0f} %", c.derived[i] / what.unit, what.digits,
                    c.real[i] / what.unit, what.digits, 100.0 * error),
        Json::object({{"derived", c.derived[i]}, {"real", c.real[i]}, {"error", error}}));
  }
  row.emplace_back(fmt::format("{:.2f}", c.highest_clock_hz * 1e-9), c.highest_clock_hz);
  return row;
}

std::vector<Cell> mean_row(const std::vector<Comparison>& rows) {
  std::vector<Cell> cells = {"mean |error|"};
  for (std::size_t i = 0; i < compared_count; ++i) {
    double sum = 0.0;
    for (const Comparison& c : rows) {
      sum += std::abs(error_of(c.derived[i], c.real[i]));
    }
    const double mean = sum / static_cast<double>(rows.size());
    cells.emplace_back(fmt::format("{:.1f} %", 100.0 * mean), mean);
  }
  cells.emplace_back("", nullptr);
  return cells;
}

// The keys that every template has to have.
std::string template_keys() {
  std::vector<std::string> keys;
  for (const config::Key& key : catalog::keys_of(Section::templates)) {
    if (key.need == config::Need::required && key.kind != config::KeyKind::table) {
      keys.emplace_back(key.path);
    }
  }
  return join(keys, ", ");
}

// A device that was asked for by name, and has none.
[[noreturn]] void refuse_device(const std::string& name, const std::string& architecture,
                                const std::string& why, const catalog::Catalog& catalog) {
  if (!architecture.empty()) {
    refuse(fmt::format("catalog compare: {} has no twin by {}: {}", name, architecture, why));
  }
  refuse(
      fmt::format("catalog compare: {} has no twin: its entry names no template, so that nothing "
                  "says what its architecture is; --template NAME takes one of {} all the same, "
                  "and a template of its own has to say {}",
                  name, join(catalog.names(Section::templates), ", "), template_keys()));
}

// Those named, or all that name a template, or by `architecture` all.
std::vector<std::string> wanted(const std::vector<std::string>& names,
                                const std::string& architecture, const catalog::Catalog& catalog) {
  std::vector<std::string> devices;
  for (const std::string& name : names) {
    if (!catalog.has(Section::devices, name)) {
      throw Failure(ExitCode::usage,
                    fmt::format("catalog compare: the catalog has no device '{}'{}", name,
                                catalog.suggestion(Section::devices, name)));
    }
    devices.push_back(*catalog.canonical(Section::devices, name));
  }
  if (!names.empty()) {
    return devices;
  }
  devices = catalog.names(Section::devices);
  std::erase_if(devices, [&](const std::string& name) {
    return architecture.empty() && catalog.architecture_of(name).empty();
  });
  return devices;
}

// Of the devices that have one; says which do not, and refuses one that was asked for by name.
std::vector<validation::Twin> twins_of(const std::vector<std::string>& names,
                                       const std::string& architecture,
                                       const catalog::Catalog& catalog, const Streams& streams) {
  std::vector<validation::Twin> twins;
  for (const std::string& name : wanted(names, architecture, catalog)) {
    const std::string by = architecture.empty() ? catalog.architecture_of(name) : architecture;
    if (by.empty()) {
      refuse_device(name, by, "", catalog);
    }
    validation::Twin twin = validation::twin_of(catalog, name, by);
    if (twin.none.empty()) {
      twins.push_back(std::move(twin));
    } else if (!names.empty()) {
      refuse_device(name, by, twin.none, catalog);
    } else {
      fmt::print(streams.err, "scalesweep: {}: not compared: {}\n", name, twin.none);
    }
  }
  return twins;
}

}  // namespace

Comparison compare(const std::string& name, const technology::Derivation& derived,
                   const technology::Device& real, double flop_per_clock) {
  const std::size_t half = sixteen_bit_of(real);
  return {name, figures_of(derived.device, half, flop_per_clock),
          figures_of(real, half, flop_per_clock), derived.highest_clock.si()};
}

Sheet comparison_sheet(const std::vector<Comparison>& rows) {
  Sheet sheet{
      "comparison", "Derived (data sheet) and error", {{"device", "", Align::left}}, {}, true};
  for (const Compared& what : compared) {
    sheet.columns.push_back({what.key, what.header, Align::right});
  }
  sheet.columns.push_back({"highest_clock", "highest clock", Align::right});
  for (const Comparison& c : rows) {
    sheet.rows.push_back(row_of(c));
  }
  if (rows.size() > 1) {
    sheet.rows.push_back(mean_row(rows));
  }
  return sheet;
}

ExitCode compare_devices(const std::vector<std::string>& names, const std::string& architecture,
                         const catalog::Catalog& catalog, Format format, const Streams& streams) {
  if (!architecture.empty() && !catalog.has(Section::templates, architecture)) {
    throw Failure(ExitCode::usage,
                  fmt::format("--template: the catalog has no '{}'{}", architecture,
                              catalog.suggestion(Section::templates, architecture)));
  }
  const std::vector<validation::Twin> twins = twins_of(names, architecture, catalog, streams);
  if (format == Format::csv) {
    print(streams, {twin_values_sheet(twins)}, format);
    return ExitCode::ok;
  }
  std::vector<Comparison> peaks;
  for (const validation::Twin& twin : twins) {
    peaks.push_back(
        compare(twin.device, twin.derivation, catalog.device(twin.device), twin.flop_per_clock));
  }
  const bool people = format == Format::text;
  print(streams,
        {people ? twin_sheet(twins) : twin_values_sheet(twins), twin_works_sheet(),
         comparison_sheet(peaks)},
        format);
  return ExitCode::ok;
}

}  // namespace scalesweep::cli
