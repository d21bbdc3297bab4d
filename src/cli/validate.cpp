// scalesweep validate CASES: measured cases in, predicted against measured out.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include "cli/options.hpp"
#include "core/files.hpp"
#include "validation/device_power.hpp"
#include "validation/training_cases.hpp"

namespace scalesweep::cli {
namespace {

Cell seconds_cell(double seconds) {
  return {fmt::format("{:.4g} s", seconds), seconds};
}

Cell percent_cell(double fraction) {
  return {fmt::format("{:+.1f} %", 100.0 * fraction), fraction};
}

Cell share_cell(double fraction) {
  return {fmt::format("{:.0f} %", 100.0 * fraction), fraction};
}

Sheet case_sheet(const std::vector<validation::CaseResult>& results) {
  Sheet sheet{"cases", "", {}, {}, true};
  sheet.columns = {{"case", "case", Align::left},
                   {"measured_step_time", "measured", Align::right},
                   {"predicted_step_time", "predicted", Align::right},
                   {"error", "error", Align::right},
                   {"predicted_memory", "memory", Align::right},
                   {"predicted_device_power", "power", Align::right},
                   {"share_of_design_power", "of TDP", Align::right},
                   {"note", "", Align::left}};
  for (const validation::CaseResult& result : results) {
    const auto error = result.error();
    const auto share = validation::share_of_design_power(result);
    const Cell none{"", nullptr};
    const bool measured = result.measured->measured_step_s > 0.0;
    Cell memory = none;
    Cell power = none;
    if (result.estimate) {
      const double bytes = result.estimate->memory.total_bytes();
      memory = {fmt::format("{:.1f} GB", bytes / 1e9), bytes};
      power = {fmt::format("{:.0f} W", result.estimate->device_power_w),
               result.estimate->device_power_w};
    }
    sheet.rows.push_back({result.measured->name,
                          measured ? seconds_cell(result.measured->measured_step_s) : none,
                          result.estimate ? seconds_cell(result.estimate->step_time_s()) : none,
                          error ? percent_cell(*error) : none, memory, power,
                          share ? share_cell(*share) : none, result.measured->not_modelled});
  }
  return sheet;
}

Sheet summary_sheet(const validation::ErrorStatistics& statistics) {
  Sheet sheet{"summary", "step time", {}, {}, true};
  sheet.columns = {{"count", "cases", Align::right},
                   {"mean_absolute_error", "mean |error|", Align::right},
                   {"median_absolute_error", "median", Align::right},
                   {"p90_absolute_error", "p90", Align::right},
                   {"bias", "bias", Align::right}};
  const auto percent = [](double fraction) {
    return Cell{fmt::format("{:.2f} %", 100.0 * fraction), fraction};
  };
  sheet.rows.push_back({Cell{std::to_string(statistics.count), statistics.count},
                        percent(statistics.mean_absolute), percent(statistics.median_absolute),
                        percent(statistics.p90_absolute), percent(statistics.bias)});
  return sheet;
}

Sheet power_sheet(const std::vector<validation::DevicePower>& devices) {
  Sheet sheet{"power",
              "power of a device over its thermal design power (TDP), cases that ran",
              {},
              {},
              true};
  sheet.columns = {{"device", "device", Align::left},
                   {"count", "cases", Align::right},
                   {"mean", "mean", Align::right},
                   {"lowest", "lowest", Align::right},
                   {"highest", "highest", Align::right},
                   {"above", "above", Align::right},
                   {"below_half", "below half", Align::right},
                   {"limited", "clock lowered", Align::right}};
  const auto number = [](std::size_t count) { return Cell{std::to_string(count), count}; };
  for (const validation::DevicePower& power : devices) {
    sheet.rows.push_back({power.device, number(power.count), share_cell(power.mean),
                          share_cell(power.lowest), share_cell(power.highest), number(power.above),
                          number(power.below_half), number(power.limited)});
  }
  return sheet;
}

}  // namespace

Command add_validate(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("validate", "Hold the model against measured training steps");
  auto cases = std::make_shared<std::string>();
  CLI::Option* operand =
      app->add_option("cases", *cases, "Measured cases, a CSV file")->type_name("CASES");
  const auto catalog_folder = add_catalog_option(*app);
  auto framework = std::make_shared<std::string>("overlapped");
  app->add_option("--framework", *framework, "What rows run on that do not name one")
      ->type_name("NAME")
      ->capture_default_str();
  const auto format = add_format_option(*app, false);

  auto body = [cases, catalog_folder, framework, format](const Streams& streams) {
    Diagnostics diagnostics;
    const auto catalog = catalog::Catalog::load(find_catalog(*catalog_folder), diagnostics);
    std::vector<validation::TrainingCase> read;
    if (catalog && !catalog->has(catalog::Section::frameworks, *framework)) {
      diagnostics.error({},
                        fmt::format("the catalog has no framework '{}'{}", *framework,
                                    catalog->suggestion(catalog::Section::frameworks, *framework)));
    } else if (catalog) {
      read = validation::read_training_cases(*cases, read_file(*cases), *catalog,
                                             catalog->framework(*framework), diagnostics);
    }
    fmt::print(streams.err, "{}", diagnostics.text());
    if (!read.empty()) {
      const auto results = validation::evaluate(read);
      print(streams.out,
            {case_sheet(results), summary_sheet(validation::step_time_statistics(results)),
             power_sheet(validation::power_by_device(results))},
            *format);
    }
    return diagnostics.has_errors() ? ExitCode::bad_input : ExitCode::ok;
  };
  return {app, {required_operand(operand, "the case file", "validate CASES.csv")}, body};
}

}  // namespace scalesweep::cli
