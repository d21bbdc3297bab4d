#include "validation/cases/measured_network.hpp"

#include <gtest/gtest.h>

#include "support/examples.hpp"

namespace scalesweep::validation {
namespace {

// A job on so many nodes of eight devices, and what its network measured.
struct Measured {
  technology::System system = test::example_system();
  estimator::TrainingJob job;
  parallel::Strategy strategy;

  Measured(int nodes, int pipeline_parallel, double bus_bytes_per_s) {
    strategy.pipeline_parallel = pipeline_parallel;
    strategy.data_parallel = 8 * nodes / pipeline_parallel;
    apply_measured_bus_bandwidth(system, job, strategy, bus_bytes_per_s);
  }
  // Of an all-reduce over all nodes, as it was measured.
  double bus_bytes_per_s() const {
    const double nodes = static_cast<double>(strategy.devices()) / 8.0;
    return system.scale_out().bandwidth.si() * system.scale_out().sustained * 8.0 * nodes /
           (nodes - 1.0);
  }
  bool slow() const { return job.stack.replicas.rank_issue_interval_s > 0.0; }
};

TEST(MeasuredNetwork, SaysNothingOfANode) {
  for (const int pipeline_parallel : {1, 8}) {
    const Measured node(1, pipeline_parallel, 50e9);
    EXPECT_EQ(node.system.scale_out().bandwidth.si(),
              test::example_system().scale_out().bandwidth.si());
    EXPECT_EQ(node.job.stack.replicas.rank_issue_interval_s, 0.0);
  }
}

TEST(MeasuredNetwork, PortsSetTheBandwidthOfUsualJobs) {
  const Measured usual(16, 1, 170e9);
  EXPECT_FALSE(usual.slow());
  EXPECT_NEAR(usual.bus_bytes_per_s(), 170e9, 1.0);
  EXPECT_EQ(usual.system.scale_up().bandwidth.si(),
            test::example_system().scale_up().bandwidth.si());
}

TEST(MeasuredNetwork, HostsSetThatOfSlowOnes) {
  // 128 ranks: 1.074 GB in 160 us a rank gives 53 GB/s.
  const Measured slow(16, 1, 53e9);
  EXPECT_TRUE(slow.slow());
  EXPECT_NEAR(slow.bus_bytes_per_s(), 180e9, 1.0);  // the ports carry what they always do
  // The kinds part at the geometric mean of the two, 98 GB/s.
  EXPECT_TRUE(Measured(16, 1, 95e9).slow());
  EXPECT_FALSE(Measured(16, 1, 101e9).slow());
}

TEST(MeasuredNetwork, ManyRanksPartTheKindsFurtherApart) {
  EXPECT_FALSE(Measured(64, 1, 60e9).slow());
  EXPECT_TRUE(Measured(8, 1, 60e9).slow());
}

TEST(MeasuredNetwork, PipelinesDecideUpToFourNodes) {
  for (const int nodes : {2, 4}) {
    for (const double bus_bytes_per_s : {20e9, 170e9}) {
      EXPECT_TRUE(Measured(nodes, 2, bus_bytes_per_s).slow());
      const Measured usual(nodes, 1, bus_bytes_per_s);
      EXPECT_FALSE(usual.slow());
      EXPECT_NEAR(usual.bus_bytes_per_s(), bus_bytes_per_s, 1.0);
    }
  }
  EXPECT_FALSE(Measured(8, 2, 170e9).slow());  // from there on the bandwidth does
}

TEST(MeasuredNetwork, AFrameworkThatIssuesEvenMoreSlowlyStaysAsItIs) {
  technology::System system = test::example_system();
  estimator::TrainingJob job;
  job.stack.replicas.rank_issue_interval_s = 1.0;
  parallel::Strategy strategy;
  strategy.data_parallel = 128;
  apply_measured_bus_bandwidth(system, job, strategy, 53e9);
  EXPECT_EQ(job.stack.replicas.rank_issue_interval_s, 1.0);
}

}  // namespace
}  // namespace scalesweep::validation
