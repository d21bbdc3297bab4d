// From the axes of a spec to systems: what the optional ones change, and what is refused.
#include "study/resolve/resolve.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "estimator/training/training.hpp"
#include "study/identity.hpp"
#include "study_fixture.hpp"

namespace scalesweep::study {
namespace {

using test::replaced;
using test::small_spec;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string derived(const std::string& keys, const std::string& system = "") {
  const std::string text = replaced(small_spec(), "stacks = 2", keys);
  return replaced(text, "accelerators = 16\n", "accelerators = 16\n" + system);
}

std::string catalogued(const std::string& keys) {
  return R"(schema = 1
title = "Devices"
[workload]
kind = "training"
model = "llama-2-7b"
sequence = 2048
global_batch = 32
[system]
accelerators = 16
device = ["a100-sxm-80gb", "h100-sxm"]
)" + keys +
         R"(
[strategy]
tensor_parallel = 8
pipeline_parallel = 1
micro_batch = 1
zero = 0
sequence_parallel = false
recompute = "full"
)";
}

std::string identity_catalog(const Study& study) {
  return study.description().identity_parts.at("catalog");
}

// Of the value `index` of an axis, with the first value of all others.
Point point_with(const Study& study, const std::string& axis, std::int32_t index) {
  const std::size_t at = space::find_axis(study.space().axes(), axis).value();
  for (PointId id = 0; id < study.space().size();) {
    const space::Run run = study.space().run_at(id);
    if (run.axis_index[at] == index) {
      return study.point_at(id);
    }
    id = run.ids.last;
  }
  throw std::logic_error("no such point");
}

TEST(Derived, PinsAndMatrixUnitsChangeTheDevice) {
  const Study study = test::load_good(
      derived("stacks = 2, pin_rate = ['1.6 Gb/s', '3.2 Gb/s'], flop_per_clock = [1024, 4096]"));
  const technology::Device slow = point_with(study, "pin_rate", 0).system.system->device;
  const technology::Device fast = point_with(study, "pin_rate", 1).system.system->device;
  EXPECT_NEAR(fast.dram.bandwidth / slow.dram.bandwidth, 2.0, 1e-9);
  const technology::Device wide = point_with(study, "flop_per_clock", 1).system.system->device;
  EXPECT_NEAR(wide.tensor_peak[technology::index_of(technology::Precision::bf16)].si() /
                  wide.clock.si() / wide.cores,
              4096.0, 1e-6);
}

// Pins that are faster than those of any memory that is sold cost nothing here: who minimises cost
// would take them.
TEST(Derived, NoPinIsFasterThanItsMemory) {
  const auto loaded = [](const std::string& rates) {
    return test::load_text(derived("stacks = 2, pin_rate = " + rates));
  };
  EXPECT_EQ(loaded("['2 Gb/s', '3.2 Gb/s']").messages, "");
  const test::Loaded some = loaded("['3.2 Gb/s', '6.4 Gb/s']");
  EXPECT_TRUE(some.study);
  EXPECT_THAT(some.messages, HasSubstr("warning: pin_rate 6.4 Gb/s is above what a pin of HBM2E "
                                       "(3.2 Gb/s) carries: no such parts are sold, and neither "
                                       "their price nor their energy is known"));
  const test::Loaded none = loaded("'12 Gb/s'");
  EXPECT_FALSE(none.study);
  EXPECT_THAT(none.messages,
              HasSubstr("error: pin_rate 12 Gb/s is above what a pin of HBM2E (3.2 Gb/s), HBM3 "
                        "(6.4 Gb/s) carries; give a lower one, a faster memory, or an entry of "
                        "your own"));
}

TEST(Derived, SharesThatAreWrittenReachTheDeviceAndTheRow) {
  const Study study = test::load_good(
      derived("memory_edge_share = [0.15, 0.3], core_area_share = 0.5, memory_power_share = 0.2"));
  const Point narrow = point_with(study, "memory_edge_share", 0);
  const Point wide = point_with(study, "memory_edge_share", 1);
  ASSERT_TRUE(narrow.system.system && wide.system.system) << narrow.system.reason;
  EXPECT_LT(narrow.system.derivation->stacks, wide.system.derivation->stacks);
  EXPECT_GT(narrow.system.system->scale_up().bandwidth, wide.system.system->scale_up().bandwidth);
  const technology::Derivation& d = *wide.system.derivation;
  EXPECT_NEAR(d.cores_area / (d.cores_area + d.l2_area), 0.5, 1e-12);
  const engine::RangeResult row = test::evaluate(study, {wide.id, wide.id + 1});
  const store::Schema& schema = study.description().schema;
  EXPECT_EQ(row.rows.number(column_named(schema, "share_memory_edge"), 0), 0.3F);
  EXPECT_EQ(row.rows.number(column_named(schema, "share_core_area"), 0), 0.5);
}

TEST(Derived, PackageAndTopologyAreAxes) {
  const Study study = test::load_good(derived("stacks = 2, package = ['interposer', 'wafer-scale']",
                                              "topology = ['fat-tree', 'torus-3d']\n"));
  EXPECT_EQ(point_with(study, "package", 0).system.system->device.package, "interposer");
  const Point wafer = point_with(study, "package", 1);
  EXPECT_EQ(wafer.system.system ? wafer.system.system->device.package : "wafer-scale",
            "wafer-scale");
  EXPECT_EQ(point_with(study, "topology", 0).system.system->scale_out().distant_share, 1.0);
  EXPECT_LT(point_with(study, "topology", 1).system.system->scale_out().distant_share, 1.0);
  const std::string used = identity_catalog(study);
  for (const char* entry :
       {"packages wafer-scale ", "packages interposer ", "topologies torus-3d ",
        "topologies fat-tree ", "processes N7 ", "processes N3 ", "economics default "}) {
    EXPECT_THAT(used, HasSubstr(entry));
  }
  EXPECT_THAT(used, Not(HasSubstr("topologies dragonfly ")));
  EXPECT_THAT(used, Not(HasSubstr("processes N5 ")));
}

TEST(Derived, MoreAcceleratorsAreMoreHopsAway) {
  const Study study = test::load_good(
      replaced(replaced(small_spec(), "accelerators = 16", "accelerators = [16, 16384]"),
               "global_batch = 32", "global_batch = 16384"));
  EXPECT_LT(point_with(study, "accelerators", 0).system.system->scale_out().latency,
            point_with(study, "accelerators", 1).system.system->scale_out().latency);
}

TEST(Derived, UnknownPackageAndTopology) {
  EXPECT_EQ(test::load_text(derived("stacks = 2, package = 'interposr'",
                                    "topology = ['torus-3d', 'fat-trea']\n"))
                .messages,
            "spec.toml:10:25: error: the catalog has no topology 'fat-trea'; did you mean "
            "'fat-tree'?\n"
            "spec.toml:15:103: error: the catalog has no package 'interposr'; did you mean "
            "'interposer'?\n");
}

std::string with_devices(const std::string& devices, const std::string& rest = "") {
  return replaced(catalogued("") + rest, "[\"a100-sxm-80gb\", \"h100-sxm\"]", devices);
}

TEST(Names, AreWrittenInManyWaysAndOneInTheFile) {
  const Study study = test::load_good(
      replaced(with_devices("[\"A100\", \"H100-SXM\", \"mi325X\"]"), "llama-2-7b", "Llama2-7B"));
  const std::vector<store::AxisValues>& axes = study.description().axes;
  const auto labels = [&](const std::string& name) {
    return std::find_if(axes.begin(), axes.end(),
                        [&](const auto& axis) { return axis.name == name; })
        ->labels;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(labels("device"), (Names{"a100-sxm-80gb", "h100-sxm", "mi325x"}));
  EXPECT_EQ(labels("model"), Names{"llama-2-7b"});
  const Study plain =
      test::load_good(with_devices("[\"a100-sxm-80gb\", \"h100-sxm\", \"mi325x\"]"));
  EXPECT_EQ(study.description().identity, plain.description().identity);
}

TEST(Names, NodesKeepTheOneThatIsAskedFor) {
  const Study study =
      test::load_good(replaced(small_spec(), "[\"N7\", \"N3\"]", "[\"n7\", \"n1\"]"));
  const auto& axes = study.space().axes();
  EXPECT_EQ(axes[*space::find_axis(axes, "logic")].labels, (std::vector<std::string>{"N7", "N1"}));
}

TEST(Names, FiltersKnowThoseOfTheSpecAndOfTheCatalog) {
  for (const char* name : {"H100", "h100", "h100-sxm", "H100-Sxm"}) {
    const Study study = test::load_good(with_devices(
        "[\"a100\", \"H100\"]", fmt::format("[[filter]]\nwhere = \"device == '{}'\"\n", name)));
    EXPECT_TRUE(point_with(study, "device", 0).filtered) << name;
    EXPECT_FALSE(point_with(study, "device", 1).filtered) << name;
  }
}

TEST(Names, ThatMayBeSeveralOrOneTwiceAreRefused) {
  EXPECT_EQ(test::load_text(with_devices("\"h\"")).messages,
            "spec.toml:10:10: error: 'h' may be 'h800-sxm', 'h20', 'h100-sxm-96gb', 'h100-sxm' or "
            "'h200-sxm'; write more of the name\n");
  EXPECT_EQ(
      test::load_text(with_devices("[\"h100\", \"a100\", \"H100-sxm\"]")).messages,
      "spec.toml:10:27: error: 'h100' and 'H100-sxm' are both 'h100-sxm', which stands twice on "
      "the axis device\n");
  EXPECT_EQ(
      test::load_text(replaced(small_spec(), "[\"N7\", \"N3\"]", "[\"A10\", \"N1\"]")).messages,
      "spec.toml:10:17: error: 'A10' and 'N1' are both 'A10', which stands twice on the axis "
      "logic\n");
}

TEST(Names, OfFormatsAreWrittenInAnyLetterCase) {
  const auto with_precision = [](const std::string& precision) {
    return replaced(catalogued(""), "model", "precision = " + precision + "\nmodel");
  };
  const Study study = test::load_good(with_precision("[\"BF16\", \"Fp16\"]"));
  const auto& axes = study.space().axes();
  EXPECT_EQ(axes[*space::find_axis(axes, "precision")].labels,
            (std::vector<std::string>{"bf16", "fp16"}));
  EXPECT_THAT(test::load_text(with_precision("[\"bf16\", \"BF16\"]")).messages,
              ::testing::HasSubstr("error: 'bf16' and 'BF16' are both 'bf16', which stands twice "
                                   "on the axis precision\n"));
  EXPECT_THAT(test::load_text(with_precision("{ name = \"FP8\", linear = \"fp8\" }")).messages,
              ::testing::HasSubstr("is a format; give this table another name\n"));
}

TEST(Catalogued, MemoryOfAnotherDevice) {
  const Study study = test::load_good(catalogued("memory_of = ['a100-sxm-80gb', 'h100-sxm']"));
  const technology::Device own = point_with(study, "memory_of", 0).system.system->device;
  const technology::Device other = point_with(study, "memory_of", 1).system.system->device;
  const technology::Device& h100 = study.catalog().device("h100-sxm");
  EXPECT_EQ(own.dram.bandwidth, study.catalog().device("a100-sxm-80gb").dram.bandwidth);
  EXPECT_EQ(other.name, "a100-sxm-80gb");
  EXPECT_EQ(other.dram.bandwidth, h100.dram.bandwidth);
  EXPECT_EQ(other.dram.capacity, h100.dram.capacity);
  EXPECT_EQ(other.dram.energy, h100.dram.energy);
  EXPECT_EQ(other.memory, h100.memory);
  EXPECT_EQ(other.tensor_peak, own.tensor_peak);
  EXPECT_EQ(test::load_text(catalogued("memory_of = 'h100-sxn'")).messages,
            "spec.toml:11:13: error: the catalog has no device 'h100-sxn'; did you mean "
            "'h100-sxm'?\n");
}

TEST(Precision, NamesTheFormatOfLinearLayersOrIsATable) {
  const std::string spec = replaced(
      catalogued(""), "global_batch = 32\n",
      "global_batch = 32\nprecision = ['bf16', 'fp8', { name = 'lean', linear = 'fp8', gradients = "
      "'bf16', moments = 'bf16', master_weights = 'fp16', gradient_compression = 0.5 }, { name = "
      "'half', activations = 'fp16', weights = 'fp16', gradient_communication = 'bf16' }]\n");
  const test::Loaded loaded = test::load_text(spec);
  const std::string of_device =
      "a100-sxm-80gb has no matrix unit for fp8 (it has tf32, bf16, fp16, int8); no estimate for "
      "1 of 8 combinations of precision and device (status "
      "unsupported_precision)\n";
  EXPECT_EQ(loaded.messages,
            "spec.toml:8:22: warning: " + of_device + "spec.toml:8:29: warning: " + of_device);
  const Study& study = loaded.study.value();
  const auto policy = [&](std::int32_t index) {
    return work_of<estimator::TrainingJob>(point_with(study, "precision", index).job).precision;
  };
  using technology::Precision;
  EXPECT_EQ(policy(0), estimator::mixed_precision(Precision::bf16));
  EXPECT_EQ(policy(1), estimator::mixed_precision(Precision::fp8));
  estimator::PrecisionPolicy lean = estimator::mixed_precision(Precision::fp8, Precision::bf16);
  lean.moments = Precision::bf16;
  lean.master_weights = Precision::fp16;
  lean.gradient_compression = 0.5;
  EXPECT_EQ(policy(2), lean);
  estimator::PrecisionPolicy half;
  half.activations = half.weights = Precision::fp16;
  half.gradient_communication = Precision::bf16;
  EXPECT_EQ(policy(3), half);
  EXPECT_THAT(study.description().identity_parts.at("spec"),
              HasSubstr("precision lean: linear fp8, gradients bf16, master_weights fp16, moments "
                        "bf16, gradient_compression 0.5\n"));
  // The A100 has no matrix unit for fp8.
  EXPECT_EQ(point_with(study, "precision", 1).system.status, Status::unsupported_precision);
  EXPECT_EQ(point_with(study, "precision", 2).system.status, Status::unsupported_precision);
  EXPECT_EQ(point_with(study, "precision", 3).system.status, Status::ok);
}

TEST(Precision, UnknownFormatsAndNamesThatAreFormats) {
  const auto said = [](const std::string& precision) {
    return test::load_text(replaced(catalogued(""), "global_batch = 32\n",
                                    "global_batch = 32\nprecision = " + precision + "\n"))
        .messages;
  };
  EXPECT_EQ(said("'bf17'"),
            "spec.toml:8:13: error: there is no precision 'bf17'; did you mean 'bf16'?\n");
  EXPECT_EQ(said("{ name = 'lean', linear = 'fp9' }"),
            "spec.toml:8:39: error: there is no precision 'fp9' for linear; did you mean 'fp8'?\n");
  EXPECT_EQ(said("{ name = 'fp8', moments = 'bf16' }"),
            "spec.toml:8:13: error: 'fp8' is a format; give this table another name\n");
}

TEST(Precision, RecipesGoWithTheirFormat) {
  const auto loaded = [](const std::string& precision) {
    return test::load_text(replaced(catalogued(""), "global_batch = 32\n",
                                    "global_batch = 32\nprecision = " + precision + "\n"));
  };
  const test::Loaded block = loaded("{ name = 'deepseek', linear = 'fp8', recipe = 'block' }");
  ASSERT_TRUE(block.study) << block.messages;
  EXPECT_EQ(work_of<estimator::TrainingJob>(block.study->point_at(0).job).recipe(),
            workload::Recipe::block);
  EXPECT_THAT(block.study->description().identity_parts.at("spec"),
              HasSubstr("precision deepseek: linear fp8, gradient_compression 1, recipe block\n"));
  EXPECT_EQ(loaded("{ name = 'a', linear = 'fp8', recipe = 'nvfp4' }").messages,
            "spec.toml:8:52: error: recipe 'nvfp4' scales operands of fp4, not of fp8; write that "
            "format, or delayed, current, row, block\n");
  EXPECT_EQ(loaded("{ name = 'a', moments = 'bf16', recipe = 'block' }").messages,
            "spec.toml:8:54: error: recipe 'block' scales operands of fp8, not of bf16; leave it "
            "out, or write that format\n");
  EXPECT_EQ(loaded("{ name = 'a', linear = 'fp8', recipe = 'blok' }").messages,
            "spec.toml:8:52: error: there is no recipe 'blok'; did you mean 'block'?\n");
}

TEST(Precision, Mxfp8NeedsUnitsThatScaleBlocks) {
  const test::Loaded loaded = test::load_text(
      replaced(catalogued(""), "global_batch = 32\n", "global_batch = 32\nprecision = 'mxfp8'\n"));
  ASSERT_TRUE(loaded.study) << loaded.messages;
  EXPECT_EQ(loaded.messages,
            "spec.toml:8:13: warning: a100-sxm-80gb has no matrix unit for mxfp8 (it has tf32, "
            "bf16, fp16, int8), h100-sxm has no matrix unit for mxfp8 (it has tf32, bf16, "
            "fp16, fp8, int8); no estimate for 2 of 2 combinations of precision and device "
            "(status unsupported_precision)\n");
  const Point point = loaded.study->point_at(0);
  EXPECT_EQ(point.system.status, Status::unsupported_precision);
  EXPECT_THAT(point.system.reason, HasSubstr("has no matrix unit for mxfp8"));
}

std::string with_precisions(const std::string& rest) {
  return replaced(catalogued(""), "global_batch = 32\n",
                  "global_batch = 32\nprecision = ['bf16', 'fp8']\n") +
         rest;
}

TEST(Precision, WhatAFilterLeavesOutIsNotMissed) {
  EXPECT_THAT(test::load_text(with_precisions("")).messages, HasSubstr("no estimate for 1 of 4"));
  EXPECT_EQ(
      test::load_text(with_precisions("[[filter]]\nwhere = \"precision == 'bf16' or device == "
                                      "'h100-sxm'\"\n"))
          .messages,
      "");
  EXPECT_THAT(
      test::load_text(with_precisions("[[filter]]\nwhere = \"tensor_parallel == 8\"\n")).messages,
      HasSubstr("no estimate for 1 of 4"));
}

TEST(Precision, OfPairsOnlyThoseThatThereAreAreCounted) {
  EXPECT_EQ(
      test::load_text(with_precisions("[[together]]\naxes = ['device', 'precision']\n")).messages,
      "");
  EXPECT_THAT(test::load_text(replaced(with_precisions("[[together]]\naxes = ['device', "
                                                       "'precision']\n"),
                                       "['bf16', 'fp8']", "['fp8', 'bf16']"))
                  .messages,
              HasSubstr("a100-sxm-80gb has no matrix unit for fp8 (it has tf32, bf16, fp16, "
                        "int8); no estimate for 1 of 2 combinations of precision and device"));
}

TEST(Precision, OfDerivedDevicesItIsTheTemplate) {
  const std::string said =
      test::load_text(replaced(small_spec(), "global_batch = 32\n",
                               "global_batch = 32\nprecision = ['bf16', 'fp64']\n"))
          .messages;
  EXPECT_THAT(said, HasSubstr("has no matrix unit for fp64 (it has tf32, bf16, "));
  EXPECT_THAT(said, HasSubstr("no estimate for 1 of 2 combinations of precision and template "
                              "(status unsupported_precision)"));
}

TEST(Names, PortsWithoutANumberAreAskedFor) {
  EXPECT_EQ(test::load_text(catalogued("scale_out = 'NDR'")).messages,
            "spec.toml:11:13: error: 'NDR' does not say how many ports eight devices have; write "
            "'NDRx1', 'NDRx2', 'NDRx4' or 'NDRx8'\n");
  EXPECT_THAT(
      test::load_text(catalogued("scale_out = 'eth400'")).messages,
      HasSubstr("'eth400' does not say how many ports eight devices have; write 'Eth400x1', "
                "'Eth400x2', 'Eth400x4' or 'Eth400x8'"));
}

TEST(Uncertainty, IsThatOfTheDeviceTheFrameworkAndTheScale) {
  const Study study = test::load_good(catalogued(""));
  const Point point = study.point_at(0);
  const technology::Uncertainty& known = work_of<estimator::TrainingJob>(point.job).uncertainty;
  EXPECT_GT(known.multi_node.relative, 0.0);
  const estimator::TrainingEstimate estimate = estimator::estimate_training(
      {work_of<estimator::TrainingJob>(point.job), *point.system.system, point.strategy});
  const double bar = technology::relative_uncertainty(known, 16.0, estimate.traits);
  EXPECT_GE(bar, known.multi_node.relative);
  EXPECT_EQ(estimate.relative_uncertainty, bar);
  const engine::RangeResult row = test::evaluate(study, {0, 1});
  EXPECT_EQ(row.rows.number(column_named(study.description().schema, "relative_uncertainty"), 0),
            static_cast<double>(static_cast<float>(bar)));
  EXPECT_THAT(identity_catalog(study), HasSubstr("uncertainties "));
}

TEST(Uncertainty, OfADerivedDeviceIsNotMeasured) {
  const Point point = test::load_good(small_spec()).point_at(0);
  const technology::Uncertainty& derived = work_of<estimator::TrainingJob>(point.job).uncertainty;
  EXPECT_FALSE(derived.single_node.is_measured());
  EXPECT_FALSE(derived.multi_node.is_measured());
  EXPECT_GT(derived.single_node.relative, 0.0);
}

TEST(Catalogued, PowerLimitReplacesTheDesignPowerWhereItIsLower) {
  const Study study = test::load_good(catalogued("power_limit = ['300 W', '400 W']"));
  EXPECT_EQ(point_with(study, "power_limit", 0).system.system->device.thermal_design_power.si(),
            300.0);
  EXPECT_EQ(point_with(study, "power_limit", 1).system.system->device.thermal_design_power.si(),
            400.0);
}

TEST(Catalogued, PowerLimitThatLimitsNothing) {
  const test::Loaded some = test::load_text(catalogued("power_limit = '500 W'"));
  EXPECT_TRUE(some.study);
  EXPECT_EQ(some.messages,
            "spec.toml:11:15: warning: power_limit 500 W is above the design power of "
            "a100-sxm-80gb (400 W), which stays as it is\n");
  EXPECT_EQ(point_with(*some.study, "device", 0).system.system->device.thermal_design_power.si(),
            400.0);
  const test::Loaded starved = test::load_text(catalogued("power_limit = '60 W'"));
  EXPECT_FALSE(starved.study);
  EXPECT_THAT(starved.messages,
              testing::HasSubstr("power_limit 60 W is not above the 64 W that a100-sxm-80gb burns "
                                 "without work (4 W too little); give a higher one"));

  const test::Loaded none = test::load_text(catalogued("power_limit = '1 kW'"));
  EXPECT_FALSE(none.study);
  EXPECT_EQ(none.messages,
            "spec.toml:11:15: error: power_limit 1 kW is above the design power of a100-sxm-80gb "
            "(400 W), h100-sxm (700 W) and limits nothing; give a lower one\n");
}

TEST(Catalogued, DomainsHoldWholeBlocksOfWhatIsInsideTheirLink) {
  const test::Loaded uneven =
      test::load_text(catalogued("scale_up = { link = 'PCIe4-host', domain = [3, 6, 8] }"));
  EXPECT_FALSE(uneven.study);
  EXPECT_EQ(uneven.messages,
            "spec.toml:11:48: error: PCIe4-host: a domain of 6 devices holds no whole number of "
            "the 4 that PCIe4-socket joins inside it; give a multiple of 4\n");
  const test::Loaded usual =
      test::load_text(replaced(catalogued("scale_up.domain = 6"),
                               "[\"a100-sxm-80gb\", \"h100-sxm\"]", "\"a100-pcie-80gb\""));
  EXPECT_FALSE(usual.study);
  EXPECT_THAT(usual.messages, HasSubstr("PCIe4-host: a domain of 6 devices holds no whole number"));
}

TEST(Catalogued, LinksInsideLinksArePartOfTheStudy) {
  const Study study = test::load_good(catalogued("scale_up = 'PCIe4-host'"));
  EXPECT_THAT(identity_catalog(study), HasSubstr("scale_up PCIe4-socket "));
  EXPECT_EQ(study.point_at(0).system.system->levels.size(), 3u);
}

TEST(Catalogued, RestsOnTheProcessPackageAndMemoryOfItsDevices) {
  const Study study = test::load_good(catalogued(""));
  const std::string used = identity_catalog(study);
  for (const char* name : {"a100-sxm-80gb", "h100-sxm"}) {
    const technology::Device& device = study.catalog().device(name);
    const std::string process = study.catalog().process(device.logic)->name;
    const std::string package =
        device.package.empty() ? std::string(catalog::default_package) : device.package;
    EXPECT_THAT(used, HasSubstr("processes " + process + " "));
    EXPECT_THAT(used, HasSubstr("packages " + package + " "));
    EXPECT_THAT(used, HasSubstr("memories " + device.memory + " "));
  }
  EXPECT_THAT(used, HasSubstr("topologies fat-tree "));
}

TEST(Economics, OverridesReplaceSingleValuesOfTheAssumptions) {
  const Study plain = test::load_good(small_spec());
  const Study study = test::load_good(small_spec(R"([economics]
assumptions = ["default", "low-carbon"]
energy_price = ["0 USD/kWh", "0.5 USD/kWh"]
silicon_markup = 1
lifetime = "8 a"
)"));
  const technology::Ownership usual = *plain.point_at(0).system.ownership;
  const technology::Ownership free = *point_with(study, "energy_price", 0).system.ownership;
  const technology::Ownership dear = *point_with(study, "energy_price", 1).system.ownership;
  EXPECT_EQ(free.energy_usd_per_j, 0.0);
  const double effectiveness = study.catalog().economics("default").power_usage_effectiveness;
  EXPECT_NEAR(dear.energy_usd_per_j, 0.5 / 3.6e6 * effectiveness, 1e-15);
  EXPECT_EQ(dear.energy_kg_per_j, usual.energy_kg_per_j);
  EXPECT_LT(dear.capital(), usual.capital());
  EXPECT_LT(dear.capital_usd_per_s(), usual.capital_usd_per_s());
  const technology::Ownership clean = *point_with(study, "economics", 1).system.ownership;
  EXPECT_LT(clean.energy_kg_per_j, usual.energy_kg_per_j);
  EXPECT_EQ(clean.capital(), dear.capital()) << "an override holds for all assumptions";
  EXPECT_THAT(identity_catalog(study), HasSubstr("economics low-carbon "));
}

TEST(Economics, EveryOverrideReachesItsFigure) {
  const technology::Ownership usual = *test::load_good(small_spec()).point_at(0).system.ownership;
  const auto with = [&](const std::string& key) {
    return *test::load_good(small_spec("[economics]\n" + key + "\n")).point_at(0).system.ownership;
  };
  EXPECT_GT(with("power_usage_effectiveness = 2").energy_usd_per_j, usual.energy_usd_per_j);
  EXPECT_GT(with("grid_carbon = '2 kgCO2e/kWh'").energy_kg_per_j, usual.energy_kg_per_j);
  EXPECT_GT(with("lifetime = '1 a'").capital_usd_per_s(), usual.capital_usd_per_s());
  EXPECT_GT(with("utilization = 0.1").embodied_kg_per_s, usual.embodied_kg_per_s);
  EXPECT_GT(with("silicon_markup = 200").capital(), usual.capital());
  EXPECT_EQ(with("margin = '90000 USD'").price(technology::Capital::silicon),
            usual.device.dies + Usd::si(90000.0));
  EXPECT_NEAR(with("device_price = '35000 USD'").device_price().si(), 35000.0, 1e-6);
  EXPECT_EQ(with("wafer_price = '90000 USD'").device.wafer_price.si(), 90000.0);
  EXPECT_EQ(with("die_yield = 0.25").device.die_yield, 0.25);
  EXPECT_GT(with("interest = 0.1").capital_usd_per_s(), usual.capital_usd_per_s());
  EXPECT_LT(with("defect_density = '2 1/cm2'").device.die_yield, usual.device.die_yield);
  EXPECT_GT(with("memory_price = '90 USD/GB'").price(technology::Capital::memory),
            usual.price(technology::Capital::memory));
  EXPECT_NEAR(with("memory_markup = 5").price(technology::Capital::memory).si(),
              5.0 * usual.device.memory.si(), 1e-6);
  EXPECT_EQ(with("package_price = '777 USD'").price(technology::Capital::package).si(), 777.0);
  EXPECT_GT(with("parts_markup = 2").price(technology::Capital::memory),
            usual.price(technology::Capital::memory));
  EXPECT_GT(with("network_markup = 100").capital(), usual.capital());
  EXPECT_GT(with("rental_markup = 2").capital_usd_per_s(), usual.capital_usd_per_s());
  EXPECT_GT(with("facility_cost = '30 USD/W'").capital(), usual.capital());
  EXPECT_GT(with("facility_lifetime = '3 a'").capital_usd_per_s(), usual.capital_usd_per_s());
  EXPECT_GT(with("delivery_cost = '5 USD/W'").capital(), usual.capital());
  EXPECT_GT(with("server_cost = '1000000 USD'").capital(), usual.capital());
  EXPECT_GT(with("server_carbon = '1000 tCO2e'").embodied, usual.embodied);
  EXPECT_EQ(with("server_power = '9 kW'").server_power_w, 9000.0);
}

TEST(Economics, UnknownAssumptions) {
  EXPECT_EQ(test::load_text(small_spec("[economics]\nassumptions = \"defualt\"\n")).messages,
            "spec.toml:21:15: error: the catalog has no assumptions 'defualt'; did you mean "
            "'default'?\n");
}

std::string beyond(const std::string& logic, const std::string& system) {
  return replaced(replaced(small_spec(), "[\"N7\", \"N3\"]", logic), "accelerators = 16\n",
                  "accelerators = 16\n" + system);
}

TEST(Extrapolation, IsRefusedUnlessItIsAskedFor) {
  EXPECT_EQ(test::load_text(beyond("[\"N7\", \"A10+1\"]", "")).messages,
            "spec.toml:10:16: error: 'A10+1' lies beyond 'A10', the last node of the scaling "
            "'foundry'; if you want its factors by arithmetic, write extrapolate = true in "
            "[system]\n");
}

TEST(Extrapolation, ComesWithAWarningAndIsMarked) {
  const test::Loaded loaded =
      test::load_text(beyond("[\"A10\", \"A10+2\"]", "extrapolate = true\n"));
  EXPECT_EQ(loaded.messages,
            "spec.toml:11:17: warning: the factors of 'A10+2' are arithmetic, no forecast: each "
            "changes once more as in the last step of the scaling 'foundry'\n");
  ASSERT_TRUE(loaded.study);
  EXPECT_EQ(loaded.study->unverified().front(), "logic foundry/A10+2 (extrapolated)");
  EXPECT_THAT(loaded.study->description().provenance.at("unverified"),
              StartsWith("logic foundry/A10+2 (extrapolated)\n"));
  const std::string used = identity_catalog(*loaded.study);
  EXPECT_THAT(used, HasSubstr("logic foundry/A14 "));
  EXPECT_THAT(used, HasSubstr("processes A14 "));
  const Point last = point_with(*loaded.study, "logic", 0);
  const Point next = point_with(*loaded.study, "logic", 1);
  EXPECT_GT(next.system.derivation->device.cores, last.system.derivation->device.cores);
}

TEST(Extrapolation, StartsAtTheLastNodeOnly) {
  EXPECT_EQ(test::load_text(beyond("\"N5+1\"", "extrapolate = true\n")).messages,
            "spec.toml:11:9: error: 'N5+1' is no node: the scaling 'foundry' ends with 'A10' and "
            "goes on only from there, with one to nine steps, 'A10+1' to 'A10+9'\n");
  EXPECT_THAT(test::load_text(beyond("\"A10+12\"", "extrapolate = true\n")).messages,
              HasSubstr("error: 'A10+12' is no node"));
  EXPECT_THAT(test::load_text(beyond("\"A99+1\"", "extrapolate = true\n")).messages,
              HasSubstr("error: the catalog has no logic 'A99+1'"));
}

// Systems that jobs share are those that each would have alone, whichever of their axes varies.
TEST(KnownSystems, AreThoseOfEachPointAlone) {
  const std::vector<std::string> specs = {
      replaced(derived("stacks = [2, 4], power_sharing = [\"shared\", \"static\"]"),
               "\"llama-2-7b\"", "[\"llama-2-7b\", \"llama-2-13b\"]") +
          "[economics]\nenergy_price = [\"0.1 USD/kWh\", \"0.2 USD/kWh\"]\nlifetime = [\"3 a\", "
          "\"5 a\"]\n",
      replaced(derived("memory_edge_share = [0.2, 0.4], core_area_share = [0.6, 0.8], "
                       "memory_power_share = [0.1, 0.2], dies = [1, 2]"),
               "\"llama-2-7b\"", "[\"llama-2-7b\", \"llama-2-13b\"]"),
      replaced(
          catalogued("power_limit = [\"300 W\", \"400 W\"]\nscale_out = [\"HDRx8\", \"NDRx8\"]\n"),
          "\"llama-2-7b\"", "[\"llama-2-7b\", \"llama-2-13b\"]\nprecision = [\"bf16\", \"fp8\"]")};
  for (const std::string& spec : specs) {
    const Study study = test::load_quickly(spec);
    const engine::RangeResult together = test::evaluate_all(study);
    store::Table alone(study.description().schema);
    for (PointId id = 0; id < study.space().size();) {
      const IdRange ids = study.space().run_at(id).ids;
      alone.append(test::evaluate(study, ids).rows);
      id = ids.last;
    }
    test::expect_same_rows(alone, together.rows);
    EXPECT_GT(together.counts.front(), 0) << spec;
  }
}

}  // namespace
}  // namespace scalesweep::study
