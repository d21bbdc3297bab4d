// One estimate of inference or serving as tables: what a static batch or a service does, and every
// operator of its iterations with what bounds it.
#pragma once

#include <string>
#include <vector>

#include "cli/output/sheet.hpp"
#include "estimator/explain/iteration_operators.hpp"
#include "study/study.hpp"

namespace scalesweep::cli {

// Result, time by resource and phase, operators of prefill and of decode (for programs each
// with its block), memory, device.
// `point` has a system.
void add_inference_sheets(std::vector<Sheet>& sheets, const study::Study& study,
                          const study::Point& point, Format format);
void add_serving_sheets(std::vector<Sheet>& sheets, const study::Study& study,
                        const study::Point& point, Format format);

// The operators of both iterations in one table, for CSV.
Sheet inference_operators(const study::Point& point);
Sheet serving_operators(const study::Point& point);

// The same operators in their order, of one iteration each.
struct OperatorLane {
  std::string name;  // "prefill", "decode"
  std::vector<estimator::IterationOperator> operators;
  // A time of the estimate that they are most of, and what else is in it.
  std::string figure;
  double figure_s = 0.0;
  std::string besides;
};
// Of a point of inference or serving.
std::vector<OperatorLane> operator_lanes(const study::Study& study, const study::Point& point);

}  // namespace scalesweep::cli
