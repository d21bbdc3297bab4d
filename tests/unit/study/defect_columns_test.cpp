// What a row says of the defects of its dies, from which it is priced again.
#include <gtest/gtest.h>

#include <cmath>

#include "study/columns/column_row.hpp"

namespace scalesweep::study {
namespace {

JobFigures of_dies(double defects_per_m2) {
  JobFigures job;
  technology::Ownership& own = job.ownership.emplace();
  own.device.defect_density = PerSquareMetre::si(defects_per_m2);
  own.device.die_yield = 0.5;
  return job;
}

TEST(DensityOfDefects, IsThatOfTheDies) {
  EXPECT_EQ(density_of_defects(of_dies(900.0)), 900.0);
  EXPECT_TRUE(std::isnan(density_of_defects(JobFigures{}))) << "of a device without wafers";
}

TEST(DensityOfDefects, IsNoneOfAGivenYield) {
  JobFigures given = of_dies(900.0);
  given.ownership->device.defect_density.reset();
  EXPECT_TRUE(std::isnan(density_of_defects(given)));
}

// One factor of a cost cannot tell what more defects make of two kinds of dies.
TEST(DensityOfDefects, IsNoneOfTwoKindsOfDies) {
  JobFigures pools = of_dies(900.0);
  pools.prefill_devices = 8.0;
  pools.prefill_ownership = pools.ownership;
  EXPECT_EQ(density_of_defects(pools), 900.0);
  pools.prefill_ownership->device.die_yield = 0.6;
  EXPECT_TRUE(std::isnan(density_of_defects(pools))) << "larger or smaller ones";
  pools.prefill_devices = 0.0;
  EXPECT_EQ(density_of_defects(pools), 900.0) << "there are none";
}

}  // namespace
}  // namespace scalesweep::study
