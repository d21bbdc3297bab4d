// What bounded counts of services rest on (estimator/inference/bounds/asked_rate.hpp), on all
// devices of the catalog: fewer sequences are not served much faster than more of them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "estimator/inference/service/service.hpp"
#include "support/shipped_catalog.hpp"
#include "unit/study/study_fixture.hpp"

namespace scalesweep::study {
namespace {

using estimator::Loop;

std::string spec_of(const std::string& devices, const std::string& batching) {
  return fmt::format(R"(schema = 1
title = "Rates"
[workload]
kind = "serving"
model = ["llama-2-7b", "llama-3-70b", "mixtral-8x7b", "deepseek-v3"]
prompt = [100, 4000]
output = 300
batching = "{}"
[system]
accelerators = 16
device = [{}]
[strategy]
tensor_parallel = [1, 8]
pipeline_parallel = [1, 2]
expert_parallel = [1, 16]
)",
                     batching, devices);
}

// The most that fewer sequences are served faster, of all points.
double faster_by(const Study& study, int& services) {
  double most_by = 0.0;
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    if (!point.system.system) {
      continue;
    }
    const auto& job = work_of<estimator::ServingJob>(point.job);
    const estimator::Demand demand(job, *point.system.system);
    const estimator::Service service = mixed_service(demand, point.strategy);
    services += service.most_batch >= service.replicas() ? 1 : 0;
    double fastest = 0.0;
    for (double batch = service.replicas(); batch <= std::min(service.most_batch, 1e5);
         batch *= 1.4) {
      const double rate = service.at(Loop::open, batch).request_rate;
      fastest = std::max(fastest, rate);
      most_by = std::max(most_by, fastest / rate - 1.0);
    }
  }
  return most_by;
}

TEST(ServingRates, OfFewerSequencesAreNotMuchHigherOnAnyDevice) {
  std::string devices;
  for (const std::string& name : test::shipped_catalog().names(catalog::Section::devices)) {
    devices += fmt::format("{}\"{}\"", devices.empty() ? "" : ", ", name);
  }
  for (const char* batching : {"separate", "chunked"}) {
    const Study study = test::load_quickly(spec_of(devices, batching));
    int services = 0;
    EXPECT_LT(faster_by(study, services), 0.5) << batching;
    EXPECT_GT(services, 100);
  }
}

}  // namespace
}  // namespace scalesweep::study
