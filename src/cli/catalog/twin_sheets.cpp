#include "cli/catalog/twin_sheets.hpp"

#include <fmt/format.h>

#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

using validation::TwinPhase;
using validation::TwinRow;
using validation::TwinWork;

std::string percent(double fraction) {
  return fmt::format("{:.0f}", 100.0 * fraction);
}

Cell exact(double number) {
  return {fmt::format("{:.6g}", number), number};
}

std::vector<Cell> row_of(const validation::Twin& twin, const TwinRow& row) {
  const estimator::Resource most = row.bottleneck();
  return {twin.device,
          std::string(row.work->name),
          fmt::format("{:.3f}", row.time_ratio()),
          fmt::format("{} {} ({}) %", name_of(most), percent(row.share(row.derived, most)),
                      percent(row.share(row.catalogued, most))),
          fmt::format("{:.1f}", 100.0 * row.share_difference()),
          fmt::format("{:.0f} ({:.0f})", row.derived.power_w, row.catalogued.power_w)};
}

std::vector<Cell> values_of(const validation::Twin& twin, const TwinRow& row) {
  const estimator::Resource most = row.bottleneck();
  return {twin.device,
          twin.architecture,
          std::string(row.work->name),
          exact(row.derived.time.total_s()),
          exact(row.catalogued.time.total_s()),
          exact(row.time_ratio()),
          std::string(name_of(most)),
          exact(row.share(row.derived, most)),
          exact(row.share(row.catalogued, most)),
          std::string(name_of(row.most_moved())),
          exact(row.share_difference()),
          exact(row.derived.power_w),
          exact(row.catalogued.power_w)};
}

// Every row of every twin, by `row`.
std::vector<std::vector<Cell>> rows_of(const std::vector<validation::Twin>& twins,
                                       std::vector<Cell> (*row)(const validation::Twin&,
                                                                const TwinRow&)) {
  std::vector<std::vector<Cell>> rows;
  for (const validation::Twin& twin : twins) {
    for (const TwinRow& each : twin.rows) {
      rows.push_back(row(twin, each));
    }
  }
  return rows;
}

std::string of_tokens(const TwinWork& work) {
  switch (work.phase) {
    case TwinPhase::step:
      return fmt::format("{} a sequence", work.tokens);
    case TwinPhase::prefill:
      return fmt::format("{} a prompt", work.tokens);
    case TwinPhase::decode:
      return fmt::format("{} after {}", work.output, work.tokens);
  }
  return "";
}

}  // namespace

Sheet twin_sheet(const std::vector<validation::Twin>& twins) {
  return {"twins",
          "Twins in whole work, catalogued in brackets; time is derived over catalogued",
          {{"device", "device", Align::left},
           {"work", "work", Align::left},
           {"time_ratio", "time", Align::right},
           {"bottleneck", "most time in", Align::left},
           {"share_difference", "points", Align::right},
           {"power", "watts", Align::right}},
          rows_of(twins, row_of),
          true};
}

Sheet twin_values_sheet(const std::vector<validation::Twin>& twins) {
  Sheet sheet{"twins", "", {}, rows_of(twins, values_of), true};
  for (const char* column : {"device", "template", "work", "derived_s", "catalogued_s",
                             "time_ratio", "bottleneck", "derived_share", "catalogued_share",
                             "most_moved", "share_difference", "derived_w", "catalogued_w"}) {
    sheet.columns.push_back({column, column, Align::left});
  }
  return sheet;
}

Sheet twin_works_sheet() {
  Sheet sheet{"works",
              "The works",
              {{"work", "work", Align::left},
               {"model", "model", Align::left},
               {"devices", "devices", Align::right},
               {"batch", "batch", Align::right},
               {"tokens", "tokens", Align::left},
               {"framework", "framework", Align::left}},
              {},
              true};
  for (const TwinWork& work : validation::twin_works()) {
    sheet.rows.push_back({std::string(work.name), std::string(work.model),
                          Cell(std::to_string(work.devices()), work.devices()),
                          Cell(std::to_string(work.batch), work.batch), of_tokens(work),
                          std::string(work.framework)});
  }
  return sheet;
}

}  // namespace scalesweep::cli
