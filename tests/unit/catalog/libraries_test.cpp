// Kernels of libraries in place of those that a device's entry speaks of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "example_catalog.hpp"

namespace scalesweep::catalog {
namespace {

using technology::index_of;
using technology::Precision;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const std::string two_libraries = R"(
[library.fast-chip]
source = "paper"
kind = "calibrated"
library = "fast 1.0"
device = "chip-80"
matmul = { split_latency = "2 us" }
tensor_sustained = { bf16 = 0.9 }

[library.flash-chip]
source = "paper"
kind = "calibrated"
library = "flash 2"
kernels = "attention"
device = "chip"
attention = { decode_latency = "1 us" }
fit = "flash"

[library.fast-open]
source = "paper"
kind = "calibrated"
library = "fast 1.0"
template = "open"
tensor_sustained = { bf16 = 0.7 }

[fit.flash]
source = "paper"
kind = "calibrated"
like = "default"
attention = { block_rows = 64 }

[framework.plain]
source = "paper"
kind = "published"
issue_interval = "0 us"

[framework.stack]
source = "paper"
kind = "published"
like = "plain"
libraries = ["fast 1.0", "flash 2"]

[framework.next]
source = "paper"
kind = "published"
predecessor = "stack"
)";

class Libraries : public ::testing::Test {
 protected:
  technology::Device on(const std::string& framework, const std::string& hardware = "chip") const {
    technology::Device device = catalog.device("chip");
    catalog.use_libraries(hardware, framework, device);
    return device;
  }
  const Catalog catalog = test::load_text(test::example_text + two_libraries);
  const technology::Device chip = catalog.device("chip");
};

TEST_F(Libraries, TakeThePlaceOfWhatTheDeviceSays) {
  const technology::Device device = on("stack");
  EXPECT_DOUBLE_EQ(device.matmul.split_latency.si(), 2e-6);
  EXPECT_EQ(device.tensor_sustained[index_of(Precision::bf16)], 0.9);
  EXPECT_DOUBLE_EQ(device.attention.decode_latency.si(), 1e-6);
  EXPECT_EQ(device.attention_fit.block_rows, 64.0);
  EXPECT_THAT(device.libraries, ElementsAre("gemm of fast 1.0", "attention of flash 2"));
  // What neither speaks of, and what a fit says of other kernels.
  EXPECT_EQ(device.matmul_fit, chip.matmul_fit);
  EXPECT_EQ(device.vector_sustained, chip.vector_sustained);
}

TEST_F(Libraries, AreInheritedByTheNextVersionOfAStack) {
  EXPECT_EQ(on("next"), on("stack"));
}

TEST_F(Libraries, OfNoStackOrNotOnTheDeviceChangeNothing) {
  EXPECT_EQ(on("plain"), chip);
  EXPECT_FALSE(catalog.names_libraries("plain"));
  EXPECT_TRUE(catalog.names_libraries("next"));
  const technology::Device of_template = on("stack", "open");
  EXPECT_EQ(of_template.tensor_sustained[index_of(Precision::bf16)], 0.7);
  EXPECT_EQ(of_template.matmul, chip.matmul);
  EXPECT_EQ(of_template.attention, chip.attention);
}

TEST_F(Libraries, AloneAreOfTheirKernels) {
  technology::Device device = chip;
  catalog.use_library("chip-80", "flash 2", device);
  EXPECT_EQ(device.matmul, chip.matmul);
  EXPECT_THAT(device.libraries, ElementsAre("attention of flash 2"));
  device = chip;
  catalog.use_library("chip", "unheard of", device);
  EXPECT_THAT(device.libraries, IsEmpty());
}

}  // namespace
}  // namespace scalesweep::catalog
