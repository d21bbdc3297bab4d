// Cells and tables that explanations of all kinds of work share.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/catalog/ownership_sheets.hpp"
#include "cli/output/sheet.hpp"
#include "estimator/parts/capacity.hpp"
#include "estimator/parts/charges.hpp"
#include "estimator/parts/cost.hpp"
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

// Cost and carbon of a period, and the same at the end of every explanation.
void add_price_and_device(std::vector<Sheet>& sheets, const study::Study& study,
                          const study::Point& point, const Period& period,
                          std::optional<workload::Recipe> recipe = std::nullopt);

// "ok", or "does_not_fit: a device lacks 3.2 GB".
// What a point is, but for a limit that no clock keeps: `unkept_w` of a device is that of its
// slowest.
std::string limited_text(std::string otherwise, study::Status status,
                         const technology::Device& device, double unkept_w);

std::string fit_text(estimator::Verdict verdict, double short_bytes,
                     std::string_view what = "a device");
// The same of an estimate that may need more power than its limit at any clock.
template <typename Estimate>
std::string batch_text(const Estimate& estimate, const study::Point& point,
                       std::string_view what = "a device") {
  return limited_text(fit_text(estimate.verdict, estimate.memory.short_bytes(), what),
                      study::status_of_batch(estimate), point.system.system->device,
                      estimate.unkept_power_w);
}

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

// A time that charges and phases sum to, `of` what it is: by the resource that set it, and by
// phase.
template <typename Names, typename Phases>
void add_time_sheets(std::vector<Sheet>& sheets, const std::string& of,
                     const estimator::Charges& charges, const Names& names, const Phases& phase_s) {
  const double time_s = charges.total_s();
  sheets.push_back(split_sheet("resources", of + " by the resource that set it",
                               estimator::resource_names, charges.values, time_s));
  sheets.push_back(split_sheet("phases", of + " by phase", names, phase_s, time_s));
}

// What a batch is made of, each by itself. What takes no time is left out.
class AloneTerms {
 public:
  AloneTerms();

  void operator()(const std::string& name, const estimator::Cost& cost);
  const Sheet& sheet() const { return sheet_; }

 private:
  Sheet sheet_;
};

}  // namespace scalesweep::cli
