// Cells and tables that explanations of all kinds of work share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/output/sheet.hpp"
#include "study/study.hpp"
#include "technology/precision.hpp"
#include "technology/uncertainty.hpp"
#include "workload/recipe.hpp"

namespace scalesweep::estimator {
struct Setting;
}

namespace scalesweep::cli {

Cell seconds_cell(double seconds);
Cell bytes_cell(double bytes);
Cell joules_cell(double joules);
Cell plain_cell(double number);
Cell share_cell(double part, double whole);
// "990 TFLOP/s (sustained 80 %)"
Cell rate_cell(double value, double sustained, const char* unit);

// Two columns, name and value.
Sheet pairs_sheet(std::string name, std::string title);

// The id and the coordinates of a point.
Sheet point_sheet(const study::Study& study, const study::Point& point);

// Why there is no estimate.
Sheet rejection_sheet(const study::Point& point);

// Of a training point that has a system; names what the point holds.
estimator::Setting training_setting(const study::Point& point);

// An error bar `of` a time, and whether it was measured at this scale; not known where it is 0.
Cell uncertainty_cell(const technology::Uncertainty& uncertainty, std::int64_t devices,
                      const technology::Traits& traits, const char* of);

// What a device and its networks can do, with the matrix peak of this format, and how operands are
// scaled for it.
Sheet device_sheet(const technology::System& system, technology::Precision precision,
                   std::optional<workload::Recipe> recipe);

// Parts of a time by name, those that are 0 left out.
template <typename Names, typename Values>
Sheet split_sheet(std::string name, std::string title, const Names& names, const Values& values,
                  double whole) {
  Sheet sheet{
      std::move(name),
      std::move(title),
      {{"name", "", Align::left}, {"time", "time", Align::right}, {"share", "share", Align::right}},
      {},
      true};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i] != 0.0) {
      sheet.rows.push_back(
          {std::string(names[i]), seconds_cell(values[i]), share_cell(values[i], whole)});
    }
  }
  return sheet;
}

}  // namespace scalesweep::cli
