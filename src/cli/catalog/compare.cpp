#include "cli/catalog/compare.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <cmath>
#include <optional>

#include "technology/derive/derive.hpp"

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
    const double error = c.derived[i] / c.real[i] - 1.0;
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
      sum += std::abs(c.derived[i] / c.real[i] - 1.0);
    }
    const double mean = sum / static_cast<double>(rows.size());
    cells.emplace_back(fmt::format("{:.1f} %", 100.0 * mean), mean);
  }
  cells.emplace_back("", nullptr);
  return cells;
}

// Nothing, and why, where it cannot be derived.
std::optional<Comparison> comparison_of(const std::string& name, const std::string& architecture,
                                        const catalog::Catalog& catalog, std::string& why) {
  const technology::Device& real = catalog.device(name);
  const auto like = catalog.published_budget(name, architecture);
  why = "the catalog knows too little of it";
  if (!like || real.tensor_peak[sixteen_bit_of(real)].si() <= 0.0) {
    return std::nullopt;
  }
  const technology::Derivation d = technology::derive(catalog.parts(*like), like->budget);
  if (d.infeasible) {
    why = technology::to_string(*d.infeasible);
    return std::nullopt;
  }
  return compare(name, d, real, *like->budget.flop_per_clock);
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
  std::vector<Comparison> rows;
  for (const std::string& name : names.empty() ? catalog.names(Section::devices) : names) {
    if (!catalog.has(Section::devices, name)) {
      throw Failure(ExitCode::usage,
                    fmt::format("catalog compare: the catalog has no device '{}'{}", name,
                                catalog.suggestion(Section::devices, name)));
    }
    std::string why;
    const auto row = comparison_of(name, architecture, catalog, why);
    if (row) {
      rows.push_back(*row);
    } else {
      fmt::print(streams.err, "scalesweep: {}: not compared: {}\n", name, why);
    }
  }
  print(streams.out, {comparison_sheet(rows)}, format);
  return ExitCode::ok;
}

}  // namespace scalesweep::cli
