// Figures of an explained point as the columns of its study have them: named once, each shown by
// its unit.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/output/sheet.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/evaluate/job_figures.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

class ExplainedFigures {
 public:
  // `prefill_devices`: beside those of the point. All of them outlive this.
  template <typename Estimate>
  ExplainedFigures(const study::WorkloadKind& kind, const study::Point& point,
                   const Estimate& estimate, double prefill_devices = 0.0)
      : ExplainedFigures(kind, point) {
    study::JobFigures job = study::figures_of(point.job, point.system, point.accelerators);
    job.prefill_devices = prefill_devices;
    fill_row(row_, estimate, job);
  }

  // What charges and phases sum to.
  double time_s() const { return row_.time_s; }
  // Of the column of that name, which there must be.
  double operator[](std::string_view column) const;
  // "3.2 GB", "116,304 samples/s", "41.3 %"; of `bottleneck` its name.
  Cell cell(std::string_view column) const;
  // A line for each.
  void add_to(Sheet& sheet, std::initializer_list<std::string_view> columns) const;

 private:
  ExplainedFigures(const study::WorkloadKind& kind, const study::Point& point)
      : kind_(kind), device_(point.system.system->device), columns_(kind.columns()) {}

  const study::WorkloadKind& kind_;
  const technology::Device& device_;
  study::EstimateColumns columns_;
  study::EstimateRow row_;
};

// "699 W of 700 W".
Cell power_cell(double power_w, const technology::Device& device);

// Bytes by name, one line each.
using NamedBytes = std::pair<std::string, double>;
Sheet bytes_sheet(std::string title, const std::vector<NamedBytes>& bytes);

}  // namespace scalesweep::cli
