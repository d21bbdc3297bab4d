// What the jobs of several kinds take from the axes of a point beside plain values.
#pragma once

#include <string>
#include <vector>

#include "space/read/spec.hpp"
#include "study/resolve/point_axes.hpp"
#include "technology/uncertainty.hpp"

namespace scalesweep::study {

// What the values of the axis `precision` stand for, at least one.
template <typename Policy>
class Precisions {
 public:
  using Read = Policy (*)(const std::string& name,
                          const std::vector<space::PrecisionTable>& tables);

  Precisions(const space::Spec& spec, const StudyAxes& axes, Read read)
      : position_(axes.find("precision")) {
    for (const std::string& name : axes.labels("precision")) {
      policies_.push_back(read(name, spec.precisions));
    }
    if (!position_) {
      policies_.emplace_back();
    }
  }

  const Policy& at(const PointAxes& point) const { return policies_[point.index_or(position_, 0)]; }

 private:
  AxisPosition position_;
  std::vector<Policy> policies_;
};

// What trains a model. That of a study without such an axis is in the catalog of that study alone:
// a file has no entry that it does not need.
class Optimizers {
 public:
  explicit Optimizers(const StudyAxes& axes) : position_(axes.find("optimizer")) {}

  const workload::Optimizer& at(const PointAxes& point) const {
    return point.catalog().optimizer(point.label_or(position_, catalog::default_optimizer));
  }

 private:
  AxisPosition position_;
};

// Of estimates for the framework and the device of a point.
class Uncertainties {
 public:
  Uncertainties(const StudyAxes& axes, catalog::MeasuredWork work)
      : framework_(axes.find("framework")),
        device_(axes.find("device")),
        template_(axes.find("template")),
        work_(work) {}

  technology::Uncertainty at(const PointAxes& point) const {
    const std::string_view hardware = point.label_or(device_ ? device_ : template_, "");
    return framework_ ? point.catalog().uncertainty(hardware, point[*framework_].label, work_)
                      : technology::Uncertainty();
  }

 private:
  AxisPosition framework_;
  AxisPosition device_;
  AxisPosition template_;
  catalog::MeasuredWork work_;
};

}  // namespace scalesweep::study
