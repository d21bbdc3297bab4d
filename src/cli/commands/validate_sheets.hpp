// Tables of `scalesweep validate`.
#pragma once

#include <string>
#include <vector>

#include "cli/output/sheet.hpp"
#include "validation/cases/case_file.hpp"

namespace scalesweep::cli {

struct ValidatedFile {
  std::string name;  // as shown
  validation::CaseFile cases;
};

Sheet case_sheet(const std::vector<ValidatedFile>& files);
Sheet summary_sheet(const std::vector<ValidatedFile>& files);
Sheet group_sheet(const std::vector<ValidatedFile>& files);
// Of the files that have all of the columns.
Sheet residual_sheet(const std::vector<ValidatedFile>& files,
                     const std::vector<std::string>& columns);
Sheet ranking_sheet(const std::vector<ValidatedFile>& files);
// Of all files together.
Sheet device_order_sheet(const std::vector<ValidatedFile>& files);
Sheet memory_sheet(const std::vector<ValidatedFile>& files);
Sheet verdict_sheet(const std::vector<ValidatedFile>& files);
Sheet power_sheet(const std::vector<ValidatedFile>& files);

}  // namespace scalesweep::cli
