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

// One library has experts in several pairs of formats.
TEST_F(Libraries, HaveExpertsByFormats) {
  const Catalog served = test::load_text(test::example_text + two_libraries + R"(
[library.experts-wide]
source = "paper"
kind = "calibrated"
library = "flash 2"
kernels = "experts"
device = "chip"
experts = { operands = "bf16", weights = "bf16", tensor_sustained = 0.6, layer_latency = "20 us" }

[library.experts-narrow]
source = "paper"
kind = "calibrated"
library = "flash 2"
kernels = "experts"
device = "chip"

[library.experts-narrow.experts]
operands = "bf16"
weights = "mxfp4"
tensor_sustained = 0.5
stream_share = 0.8
token_passes = 3
all_copies = true
)");
  technology::Device device = served.device("chip");
  EXPECT_TRUE(device.experts.empty());
  served.use_libraries("chip", "stack", device);
  ASSERT_EQ(device.experts.size(), 2U);
  technology::ExpertKernels narrow;
  narrow.weights = Precision::mxfp4;
  narrow.tensor_sustained = 0.5;
  narrow.stream_share = 0.8;
  narrow.token_passes = 3.0;
  narrow.all_copies = true;
  EXPECT_EQ(device.experts[0], narrow);
  EXPECT_DOUBLE_EQ(device.experts[1].layer_latency.si(), 20e-6);
  EXPECT_EQ(device.experts[1].stream_share, 1.0);
  EXPECT_THAT(device.libraries,
              ElementsAre("gemm of fast 1.0", "experts of flash 2", "attention of flash 2"));
}

TEST_F(Libraries, HaveAnAllReduceOfTheirOwn) {
  const Catalog served = test::load_text(test::example_text + two_libraries + R"(
[library.reduce]
source = "paper"
kind = "calibrated"
library = "flash 2"
kernels = "collectives"
device = "chip"

[library.reduce.all_reduce.one_shot]
latency = "2 us"
peer_latency = "0.1 us"
share = 0.6
up_to = { 2 = "1 MB", 4 = "0.5 MB" }

[library.reduce.all_reduce.multicast]
latency = "9 us"
share = 0.5
from = { 8 = "0.25 MB" }
up_to = { 8 = "64 MB" }

[library.reduce-again]
like = "reduce"
source = "paper"
kind = "calibrated"
device = "chip-b"
all_reduce = { one_shot = { up_to = { 2 = "2 MB" } } }

[device.chip-b]
like = "chip"
)");
  technology::Device device = served.device("chip");
  EXPECT_FALSE(device.all_reduce);
  served.use_libraries("chip", "stack", device);
  ASSERT_TRUE(device.all_reduce);
  const technology::AllReduceKernel one_shot = {.latency = Seconds::si(2e-6),
                                                .peer_latency = Seconds::si(1e-7),
                                                .share = 0.6,
                                                .from = {},
                                                .up_to = {Bytes::si(1e6), Bytes::si(5e5), Bytes()}};
  EXPECT_EQ(device.all_reduce->one_shot, one_shot);
  EXPECT_FALSE(device.all_reduce->two_shot);
  EXPECT_EQ(device.all_reduce->multicast->from.eight, Bytes::si(2.5e5));
  EXPECT_THAT(device.libraries,
              ElementsAre("gemm of fast 1.0", "attention of flash 2", "collectives of flash 2"));

  technology::Device other = served.device("chip-b");
  served.use_libraries("chip-b", "stack", other);
  EXPECT_EQ(other.all_reduce->one_shot->up_to.two, Bytes::si(2e6));
  EXPECT_EQ(other.all_reduce->one_shot->up_to.four, Bytes::si(5e5));
  EXPECT_EQ(other.all_reduce->multicast, device.all_reduce->multicast);
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
