// The job of a point, of the kind of its study.
#pragma once

#include <functional>

#include "space/spec/spec.hpp"
#include "study/point_estimate.hpp"
#include "study/resolve/point_axes.hpp"

namespace scalesweep::study {

using JobResolver = std::function<Job(const PointAxes& point)>;

JobResolver job_resolver(const space::Spec& spec, const StudyAxes& axes);

}  // namespace scalesweep::study
