// Tables of `scalesweep validate`.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cli/output/sheet.hpp"
#include "validation/cases/case_file.hpp"
#include "validation/cases/device_power.hpp"
#include "validation/device_order.hpp"
#include "validation/reports.hpp"

namespace scalesweep::cli {

// What the tables have of the cases of a file, which are added part by part and not kept, but for
// those that are listed.
struct ValidatedFile {
  // `by`: columns of the residuals; of a file that lacks one there are none.
  ValidatedFile(std::string shown_name, const validation::CaseFile& part,
                const std::vector<std::string>& by);

  // Keeps cases to be listed until there are `most_listed`.
  void add(const validation::CaseFile& part, std::size_t most_listed);

  std::string name;  // as shown
  const validation::CaseKind* kind;
  std::vector<std::string> columns;
  std::vector<validation::Figure> figures;
  std::size_t cases = 0;
  std::vector<validation::CaseRow> listed;
  validation::Summaries summaries;
  validation::Groups groups;
  std::optional<validation::ResidualSums> residuals;
  validation::Rankings rankings;
  validation::MemorySums memory;
  validation::Verdicts verdicts;
  validation::DevicePowers powers;
};

Sheet case_sheet(const std::vector<ValidatedFile>& files);
Sheet summary_sheet(const std::vector<ValidatedFile>& files);
Sheet group_sheet(const std::vector<ValidatedFile>& files);
// `columns`: of the residuals that the files have.
Sheet residual_sheet(const std::vector<ValidatedFile>& files,
                     const std::vector<std::string>& columns);
Sheet ranking_sheet(const std::vector<ValidatedFile>& files);
Sheet device_order_sheet(const validation::DeviceOrders& orders);
Sheet memory_sheet(const std::vector<ValidatedFile>& files);
Sheet verdict_sheet(const std::vector<ValidatedFile>& files);
Sheet power_sheet(const std::vector<ValidatedFile>& files);

}  // namespace scalesweep::cli
