// The catalog that ships: it loads, holds what is promised, and its numbers make sense.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/catalog.hpp"
#include "support/shipped_catalog.hpp"
#include "technology/derive/long_gemm.hpp"
#include "workload/framework.hpp"
#include "workload/model.hpp"

namespace scalesweep::catalog {
namespace {

using testing::IsSupersetOf;
using testing::Not;

const Catalog& shipped() {
  return scalesweep::test::shipped_catalog();
}

TEST(Shipped, KnowsWhatANameMayStandFor) {
  using Names = std::vector<std::string>;
  const auto meant = [](Section section, std::string_view written) {
    return shipped().meant(section, written);
  };
  // Names and aliases, in any letter case.
  EXPECT_EQ(meant(Section::devices, "h100"), Names{"h100-sxm"});
  EXPECT_EQ(meant(Section::devices, "H100-SXM"), Names{"h100-sxm"});
  EXPECT_EQ(meant(Section::models, "Llama-3.1-405B"), Names{"llama-3-405b"});
  EXPECT_EQ(meant(Section::frameworks, "Megatron-Core"), Names{"megatron-lm"});
  EXPECT_EQ(meant(Section::memories, "hbm3e"), Names{"HBM3E"});
  EXPECT_EQ(meant(Section::scale_out, "ndrX8"), Names{"NDRx8"});
  EXPECT_EQ(meant(Section::scale_out, "NDRx3"), Names{"NDRx3"});
  // Beginnings that one entry has, or several.
  EXPECT_EQ(meant(Section::templates, "Tensor"), Names{"tensor-core-gpu"});
  EXPECT_EQ(meant(Section::models, "Qwen3-Coder"), Names{"qwen3-coder-480b-a35b"});
  EXPECT_EQ(meant(Section::models, "gpt-oss"), (Names{"gpt-oss-20b", "gpt-oss-120b"}));
  EXPECT_EQ(meant(Section::models, "llama-3"),
            (Names{"llama-3-8b", "llama-3-70b", "llama-3-405b"}));
  // Another product is none.
  EXPECT_EQ(meant(Section::devices, "l4"), Names{});
  EXPECT_EQ(meant(Section::devices, "mi300"), Names{});
  EXPECT_EQ(meant(Section::devices, "h1000"), Names{});
  // Nodes keep the name that is asked for: roadmaps and foundries have their own.
  EXPECT_EQ(meant(Section::logic, "n1"), Names{"N1"});
  EXPECT_EQ(meant(Section::logic, "a10"), Names{"A10"});
  EXPECT_EQ(meant(Section::logic, "a10+2"), Names{"A10+2"});
  EXPECT_EQ(meant(Section::logic, "n77+1"), Names{});
}

TEST(Shipped, HoldsWhatIsPromised) {
  using Names = std::vector<std::string>;
  EXPECT_THAT(shipped().names(Section::logic),
              IsSupersetOf(Names{"N12", "N10", "N7", "N5", "N3", "N2", "A10"}));
  EXPECT_THAT(
      shipped().names(Section::memories),
      IsSupersetOf(Names{"DDR4", "DDR5", "LPDDR5", "LPDDR5X", "LPDDR6", "GDDR6", "GDDR6X", "GDDR7",
                         "HBM2", "HBM2E", "HBM3", "HBM3E", "HBM4", "HBM4E", "HBM5", "HBM6"}));
  EXPECT_THAT(shipped().names(Section::scale_up),
              IsSupersetOf(Names{"NVLink2", "NVLink3", "NVLink4", "NVLink5", "NVLink6", "UALink200",
                                 "PCIe3", "PCIe4", "PCIe5", "PCIe6", "PCIe7", "UCIe-standard",
                                 "UCIe-advanced", "CPO"}));
  EXPECT_THAT(shipped().names(Section::scale_out),
              IsSupersetOf(Names{"HDRx1", "HDRx8", "NDRx1", "NDRx8", "XDRx1", "XDRx8", "GDRx1",
                                 "GDRx8", "Eth100x8", "Eth200x8", "Eth400x8", "Eth800x8",
                                 "Eth1600x8", "Slingshot11x8"}));
  EXPECT_THAT(shipped().names(Section::topologies),
              IsSupersetOf(Names{"fat-tree", "fat-tree-2to1", "fat-tree-4to1", "rail-optimised",
                                 "torus-2d", "torus-3d", "dragonfly"}));
  EXPECT_THAT(shipped().names(Section::packages),
              IsSupersetOf(Names{"monolithic", "interposer", "organic-chiplets", "stacked-chiplets",
                                 "wafer-scale"}));
  EXPECT_THAT(shipped().names(Section::templates),
              IsSupersetOf(Names{"tensor-core-gpu", "systolic-array", "wide-simd-cpu"}));
  EXPECT_THAT(
      shipped().names(Section::devices),
      IsSupersetOf(Names{
          "v100-sxm2-32gb", "a100-sxm-40gb", "a100-sxm-80gb", "a100-pcie-80gb", "h100-sxm",
          "h800-sxm",       "h20",           "h200-sxm",      "gh200",          "b200-sxm",
          "gb200",          "b300-sxm",      "gb300",         "rubin",          "l40s",
          "mi210",          "mi250",         "mi250x",        "mi300x",         "mi325x",
          "mi355x",         "tpu-v4",        "tpu-v5e",       "tpu-v5p",        "tpu-v6e",
          "trainium2",      "gaudi2",        "gaudi3",        "xeon-8592plus",  "xeon-8575c"}));
  EXPECT_THAT(shipped().names(Section::models),
              IsSupersetOf(Names{"gpt3-175b", "megatron-22b", "megatron-530b", "megatron-1t",
                                 "llama-2-7b", "llama-2-13b", "llama-2-70b", "llama-3-8b",
                                 "llama-3-70b", "llama-3-405b"}));
  for (const std::string& scaling : shipped().scalings()) {
    for (const char* node : {"N12", "N10", "N7", "N5", "N3", "N2", "N1"}) {
      EXPECT_TRUE(shipped().has_logic(node, scaling)) << scaling << "/" << node;
    }
    EXPECT_TRUE(shipped().extrapolates("A10+1", scaling)) << scaling;
    EXPECT_TRUE(shipped().extrapolates("N1+1", scaling)) << scaling;
    EXPECT_FALSE(shipped().extrapolates("N2+1", scaling)) << scaling;
  }
}

TEST(Shipped, DevicesThatServeWithoutNvlink) {
  const auto system = [](const char* device) {
    return shipped().catalogued_system(shipped().usual_system(device));
  };
  const technology::System xeon = system("xeon-8575c");
  EXPECT_EQ(xeon.device.cores, 48);
  EXPECT_DOUBLE_EQ(xeon.device.dram.bandwidth.si(), 358.4e9);  // 8 channels x 8 B x 5.6 GT/s
  EXPECT_GE(xeon.device.dram.sustained, 0.75);
  EXPECT_LE(xeon.device.dram.sustained, 0.80);
  EXPECT_EQ(xeon.scale_up_domain(), 2);
  EXPECT_EQ(xeon.scale_up().name, "UPI");
  EXPECT_DOUBLE_EQ(xeon.scale_out().bandwidth.si(), 100e9 / 8.0 / 2.0);  // a port for two sockets
  const technology::System l40s = system("l40s");
  EXPECT_DOUBLE_EQ(l40s.device.dram.bandwidth.si(), 864e9);
  EXPECT_EQ(l40s.scale_up().name, "PCIe4");
}

// A tile product of 16 x 16 x 32 takes 16 clocks, multiplications and additions counted; two
// 512-bit multiply-adds a clock beside it.
TEST(Shipped, MatrixUnitsOfXeons) {
  for (const char* name : {"xeon-8592plus", "xeon-8575c"}) {
    const technology::Device& xeon = shipped().device(name);
    const double clocks = xeon.cores * xeon.clock.si();
    const auto peak = [&](technology::Precision p) {
      return xeon.tensor_peak[technology::index_of(p)].si() / clocks;
    };
    EXPECT_NEAR(peak(technology::Precision::bf16), 1024.0, 1.0) << name;
    EXPECT_NEAR(peak(technology::Precision::int8), 2048.0, 1.0) << name;
    EXPECT_NEAR(xeon.vector_peak.si() / clocks, 64.0, 0.1) << name;
  }
  const technology::DeviceTemplate& open = shipped().architecture("wide-simd-cpu");
  EXPECT_EQ(open.tensor_flop_per_clock[technology::index_of(technology::Precision::bf16)], 1024.0);
  EXPECT_EQ(open.vector_flop_per_clock, 64.0);
}

// Half of what both directions have; the 1.28 TB/s of a chip are those of both links together.
TEST(Shipped, NeuronLinksInsideAServerAndBetween) {
  const technology::System server =
      shipped().catalogued_system(shipped().usual_system("trainium2"));
  EXPECT_EQ(server.scale_up().bandwidth.si(), 512e9);
  EXPECT_EQ(server.scale_up_domain(), 16);
  EXPECT_EQ(shipped().largest_domain("NeuronLink3"), 16);
  const technology::System ultra = shipped().catalogued_system(
      {.device = "trainium2", .scale_up = "NeuronLink3-UltraServer", .domain = 64});
  ASSERT_EQ(ultra.levels.size(), 3u);
  EXPECT_EQ(ultra.levels[0].link.bandwidth.si(), 512e9);
  EXPECT_EQ(ultra.levels[0].size, 16);
  EXPECT_EQ(ultra.scale_up().bandwidth.si(), 128e9);
  EXPECT_EQ(2.0 * (ultra.levels[0].link.bandwidth + ultra.scale_up().bandwidth).si(), 1.28e12);
}

// All cores together hold no more than there is on the dies.
TEST(Shipped, ScratchpadsAreNoLargerThanWhatHoldsThem) {
  for (const char* name : {"gaudi3", "trainium2"}) {
    const technology::Device& device = shipped().device(name);
    EXPECT_LE(device.cores * device.shared.capacity.si(), device.l2.capacity.si()) << name;
  }
}

// The library of collectives on Blackwell takes its time with any link.
TEST(Shipped, CollectiveTimesGoWithTheDevice) {
  const auto link = [](const char* device, const char* name) {
    return shipped()
        .catalogued_system({.device = device, .scale_up = name, .domain = 8})
        .scale_up();
  };
  const technology::Network measured = link("b200-sxm", "NVLink5");
  EXPECT_NEAR(measured.latency.si(), 1.18e-6, 1e-12);
  EXPECT_NEAR(measured.call_latency.si(), 8.1e-6, 1e-12);
  EXPECT_NEAR(measured.handshake.si(), 9.35e-6, 1e-12);
  EXPECT_NEAR(measured.one_shot_latency.si(), 4.2e-6, 1e-12);
  EXPECT_NEAR(link("b200-sxm", "NVLink4").handshake.si(), 9.35e-6, 1e-12);
  EXPECT_NEAR(link("h100-sxm", "NVLink5").handshake.si(), 1e-6, 1e-12);
  // Blocks inside, and devices derived from a template of Blackwell, have the same.
  const technology::System pairs =
      shipped().catalogued_system({.device = "b200-sxm", .scale_up = "PCIe4-bridges", .domain = 4});
  EXPECT_NEAR((pairs.levels[0].link.call_latency - shipped().scale_up("NVLink3").call_latency).si(),
              3e-6, 1e-12);
  const auto twin = shipped().published_budget("b200-sxm", "blackwell");
  ASSERT_TRUE(twin);
  EXPECT_NEAR(shipped().derived_system(*twin).system->scale_up().handshake.si(), 9.35e-6, 1e-12);
}

// The same chip on a card: less power, slower memory, and another link.
TEST(Shipped, TheCardOfTheA100HasItsChip) {
  const technology::System sxm =
      shipped().catalogued_system(shipped().usual_system("a100-sxm-80gb"));
  const technology::System card =
      shipped().catalogued_system(shipped().usual_system("a100-pcie-80gb"));
  EXPECT_EQ(card.device.cores, sxm.device.cores);
  EXPECT_EQ(card.device.tensor_peak, sxm.device.tensor_peak);
  EXPECT_EQ(card.device.attention.softmax_flop, sxm.device.attention.softmax_flop);
  EXPECT_EQ(card.device.thermal_design_power.si(), 300.0);
  EXPECT_EQ(card.device.dram.bandwidth.si(), 1935e9);
  EXPECT_EQ(card.scale_up().name, "PCIe4-host");
  EXPECT_EQ(card.scale_up_domain(), 8);
  EXPECT_EQ(card.levels.size(), 3u);
  EXPECT_EQ(card.levels[0].size, 4);
}

// Names of other generations are not misspellings of what there is.
TEST(Shipped, AnotherGenerationIsNotASpelling) {
  const auto another = [](const std::string& name) {
    return " (nearest: '" + name + "', another generation or size)";
  };
  EXPECT_EQ(shipped().suggestion(Section::devices, "h300"), another("h200"));
  EXPECT_EQ(shipped().suggestion(Section::devices, "b100"), another("b200"));
  EXPECT_EQ(shipped().suggestion(Section::devices, "tpu-v7"), another("tpu-v6e"));
  EXPECT_EQ(shipped().suggestion(Section::devices, "a100-pcie-40gb"), another("a100-pcie-80gb"));
  EXPECT_EQ(shipped().suggestion(Section::models, "llama-4-8b"), another("llama-3-8b"));
  EXPECT_EQ(shipped().suggestion(Section::frameworks, "vllm-2022"), another("vllm-2023"));
  EXPECT_EQ(shipped().suggestion(Section::memories, "HBM7"), another("HBM6"));
  EXPECT_EQ(shipped().suggestion(Section::devices, "h100-smx"), "; did you mean 'h100-sxm'?");
  EXPECT_EQ(shipped().suggestion(Section::models, "lama-3-8b"), "; did you mean 'llama-3-8b'?");
}

// What is announced says so wherever it is listed.
TEST(Shipped, AnnouncedDevicesSaySo) {
  EXPECT_NE(shipped().entry(Section::devices, "rubin")->text.find("(announced)"),
            std::string::npos);
}

TEST(Shipped, FrameworksThatServe) {
  const workload::ServingStack nothing;
  for (const char* name : {"fastertransformer", "tensorrt-llm", "vllm", "lmdeploy", "nemo",
                           "megatron-lm", "eager", "xfastertransformer"}) {
    EXPECT_NE(shipped().framework(name).serving, nothing) << name;
  }
  EXPECT_EQ(shipped().framework("vllm").serving.page_tokens, 16.0);
  for (const char* chunked : {"vllm", "vllm-rocm", "tensorrt-llm"}) {
    EXPECT_EQ(shipped().framework(chunked).serving.prefill_chunk, 8192.0) << chunked;
  }
  for (const char* whole : {"vllm-2024", "vllm-2023", "tensorrt-llm-2023", "fastertransformer"}) {
    EXPECT_EQ(shipped().framework(whole).serving.prefill_chunk, 0.0) << whole;
  }
  EXPECT_TRUE(shipped().framework("tensorrt-llm").serving.one_shot_all_reduce);
  EXPECT_FALSE(shipped().framework("eager").serving.fused_pointwise);
  // Engines of 2026 schedule beside the device; some take prompts alone.
  EXPECT_FALSE(shipped().framework("vllm@0.11").serving.overlapped_scheduling);
  for (const char* ahead : {"vllm", "sglang", "sglang-rocm", "tensorrt-llm"}) {
    EXPECT_TRUE(shipped().framework(ahead).serving.overlapped_scheduling) << ahead;
  }
  for (const char* alone : {"sglang", "sglang-rocm", "atom"}) {
    EXPECT_TRUE(shipped().framework(alone).serving.separate_prompts) << alone;
  }
  EXPECT_FALSE(shipped().framework("vllm").serving.separate_prompts);
  EXPECT_EQ(shipped().stack_on("mi355x", "vllm"), "vllm-rocm");
  EXPECT_EQ(shipped().stack_on("mi355x", "sglang"), "sglang-rocm");
  EXPECT_EQ(shipped().stack_on("h100-sxm", "sglang"), "sglang");
  // What large deployments of SGLang turn on, and nothing else.
  workload::ServingStack large = shipped().framework("sglang-large-ep").serving;
  const workload::ServingStack& sglang = shipped().framework("sglang@0.4").serving;
  EXPECT_EQ(large.exchange_beside, workload::ExchangeOverlap::two_batches);
  EXPECT_EQ(large.expert_dispatch, workload::ExpertDispatch::hierarchical);
  EXPECT_EQ(large.decode_expert_dispatch, workload::ExpertDispatch::low_latency);
  EXPECT_LT(large.exchange_hidden_share, 1.0);
  large.exchange_beside = sglang.exchange_beside;
  large.exchange_hidden_share = sglang.exchange_hidden_share;
  large.expert_dispatch = sglang.expert_dispatch;
  large.decode_expert_dispatch = sglang.decode_expert_dispatch;
  EXPECT_EQ(large, sglang);
}

// Frameworks that nobody measured have the numbers of those that somebody did.
TEST(Shipped, FrameworksThatBorrow) {
  const workload::Framework& primus = shipped().framework("primus");
  const workload::Framework& megatron = shipped().framework("megatron-lm");
  EXPECT_EQ(primus.training.kernel_share, megatron.training.kernel_share);
  EXPECT_EQ(primus.training.issue_interval_s, megatron.training.issue_interval_s);
  const workload::Framework& maxtext = shipped().framework("jax");
  EXPECT_EQ(maxtext.training.kernel_share, shipped().framework("torchtitan").training.kernel_share);
  EXPECT_EQ(maxtext.training.attention_core_flop, 0.0);
}

TEST(Shipped, EveryValueHasASource) {
  for (const Entry& entry : shipped().entries()) {
    EXPECT_FALSE(entry.values.empty()) << entry.name;
    EXPECT_FALSE(entry.text.empty()) << entry.name;
    for (const Value& value : entry.values) {
      EXPECT_GT(value.source.size(), 8u) << entry.name << "." << value.key;
      EXPECT_FALSE(value.text.empty()) << entry.name << "." << value.key;
    }
  }
}

// Published parameter counts, as the papers round them.
TEST(Shipped, ModelsHaveTheirPublishedSize) {
  const std::vector<std::pair<const char*, double>> published = {
      {"gpt3-175b", 175e9},      {"megatron-22b", 22e9}, {"megatron-530b", 530e9},
      {"megatron-1t", 1.0e12},   {"llama-2-7b", 6.74e9}, {"llama-2-13b", 13.02e9},
      {"llama-2-70b", 68.98e9},  {"llama-3-8b", 8.03e9}, {"llama-3-70b", 70.55e9},
      {"llama-3-405b", 405.85e9}};
  for (const auto& [name, parameters] : published) {
    const double tolerance = std::string_view(name).starts_with("llama") ? 0.002 : 0.015;
    EXPECT_NEAR(shipped().model(name).parameters() / parameters, 1.0, tolerance) << name;
  }
}

class ShippedDevice : public testing::TestWithParam<std::string> {};

// A core is a multiprocessor, a matrix unit of a TPU or a core of a CPU; its clock is what its
// maker sells it at.
TEST_P(ShippedDevice, IsSane) {
  const technology::System system = shipped().catalogued_system({.device = GetParam()});
  const technology::Device& d = system.device;

  EXPECT_GE(d.cores, 4);
  EXPECT_LT(d.cores, 400);
  EXPECT_GT(d.clock.si(), 1e9);
  EXPECT_LT(d.clock.si(), 4e9);
  EXPECT_GT(d.dram.capacity.si(), 16e9);
  EXPECT_GT(d.dram.bandwidth.si(), 0.3e12);
  // Every level is faster than the one below it; a mesh brings in less than cores have themselves.
  if (d.memory_in_cores) {
    EXPECT_EQ(d.l2.capacity.si(), 0.0);
    EXPECT_NEAR(d.dram.capacity / (d.shared.capacity * d.cores), 1.0, 0.01);
    EXPECT_EQ(d.dram.bandwidth.si(), d.shared.bandwidth.si());
  } else {
    EXPECT_GT(d.l2.bandwidth.si(), d.dram.bandwidth.si());
  }
  EXPECT_GT(d.shared.bandwidth.si(), d.l2.bandwidth.si());
  const double matrix =
      std::max(d.tensor_peak[technology::index_of(technology::Precision::fp16)].si(),
               d.tensor_peak[technology::index_of(technology::Precision::bf16)].si());
  EXPECT_GT(matrix, 3 * d.vector_peak.si());
  EXPECT_GT(d.kernel_latency.si(), 1e-6);
  EXPECT_LT(d.kernel_latency.si(), 10e-6);
  EXPECT_GT(system.scale_up().bandwidth.si(), system.scale_out().bandwidth.si());
  EXPECT_LE(system.scale_up_domain(), shipped().largest_domain(system.scale_up().name));
}

// What making a device costs is of the order that analysts name: some hundred USD for a CPU and a
// few thousand for the largest accelerators; a wafer is that of its price, and of its footprint.
TEST_P(ShippedDevice, HasACostAndAFootprint) {
  const technology::System system = shipped().catalogued_system({.device = GetParam()});
  const auto own = shipped().ownership(system, shipped().economics());

  ASSERT_TRUE(own);
  EXPECT_GT(own->device.die_yield, 0.6);
  EXPECT_GT(own->device.total().si(), 300.0);
  const double wafers = system.device.package == "wafer-scale" ? 5.0 : 1.0;
  EXPECT_LT(own->device.total().si(), wafers * 12000.0);
  EXPECT_GT(own->device.total_carbon().si(), 10.0);
  EXPECT_LT(own->device.total_carbon().si(), wafers * 400.0);
  // Makers ask for dies some ten times what making them takes.
  EXPECT_GT(own->silicon_markup, 10.0);
  EXPECT_LT(own->silicon_markup, 150.0);
}

// The maker says 1312 kg of a board of eight, of it 42 % memory; the rest of the board is in it
// too.
TEST(Shipped, TheFootprintOfAnH100IsWithinThatOfItsBoard) {
  const auto own = shipped().ownership(shipped().catalogued_system({.device = "h100-sxm"}),
                                       shipped().economics());
  ASSERT_TRUE(own);
  EXPECT_LT(own->device.total_carbon().si(), 1312.0 / 8.0);
  EXPECT_GT(own->device.total_carbon().si(), 0.5 * 1312.0 / 8.0);
  EXPECT_NEAR(own->device.memory_carbon.si(), 0.42 * 1312.0 / 8.0, 6.0);
}

// Whoever pays for a derived twin pays what the device costs that its template is calibrated on.
TEST(Shipped, ADerivedTwinIsSoldForWhatItsOriginalIs) {
  for (const char* name : {"tensor-core-gpu", "hopper", "blackwell"}) {
    const technology::DeviceTemplate& open = shipped().architecture(name);
    const auto like = shipped().published_budget(open.calibrated_on, name);
    ASSERT_TRUE(like) << name;
    const auto twin = shipped().derived_system(*like);
    ASSERT_TRUE(twin.system) << name;
    const auto derived = shipped().ownership(*twin.system, shipped().economics());
    const auto sold = shipped().ownership(
        shipped().catalogued_system({.device = open.calibrated_on}), shipped().economics());
    EXPECT_NEAR(
        derived->price(technology::Capital::silicon) / sold->price(technology::Capital::silicon),
        1.0, 1e-9)
        << name;
  }
}

// What a long GEMM was measured to lose of its clock, the energies give back, and streams alone
// never take more than the power.
TEST_P(ShippedDevice, TakesItsPowerInALongGemm) {
  const technology::Device& d = shipped().device(GetParam());
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    if (d.tensor_peak[p].si() == 0.0) {
      continue;
    }
    const auto precision = static_cast<technology::Precision>(p);
    const double clock = technology::long_gemm_clock(d, precision);
    EXPECT_GT(clock, 0.4) << technology::precision_names[p];
    const double taken = technology::long_gemm_power(d, precision, clock) / d.thermal_design_power;
    EXPECT_LE(taken, 1.0 + 1e-6) << technology::precision_names[p];
    if (clock < 1.0) {  // else it may have more power than the same dies take
      EXPECT_NEAR(taken, 1.0, 1e-6) << technology::precision_names[p];
    }
    EXPECT_GT(d.tensor_energy[p].si(), 0.0);
    EXPECT_LT(d.tensor_energy[p].si(), 12e-12);
  }
  const Watts stream =
      d.idle_power + d.active_power + d.dram.bandwidth * d.dram.energy * d.dram.sustained;
  EXPECT_LT(stream.si(), 1.1 * d.thermal_design_power.si());
}

INSTANTIATE_TEST_SUITE_P(All, ShippedDevice, testing::ValuesIn(shipped().names(Section::devices)),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Shipped, NodesImproveStepByStep) {
  for (const std::string& scaling : shipped().scalings()) {
    std::optional<technology::LogicNode> last;
    for (const std::string& name : shipped().names(Section::logic)) {
      if (!shipped().has_logic(name, scaling)) {
        continue;
      }
      const technology::LogicNode node = shipped().logic(name, scaling);
      if (last) {
        EXPECT_GT(node.logic_density, last->logic_density) << scaling << "/" << name;
        EXPECT_GE(node.sram_density, last->sram_density) << scaling << "/" << name;
        EXPECT_LE(node.switching_energy, last->switching_energy) << scaling << "/" << name;
        EXPECT_LE(node.voltage.nominal.si(), last->voltage.nominal.si()) << scaling << "/" << name;
      }
      last = node;
    }
  }
}

// Factors are relative to N7, so that series can be compared.
TEST(Shipped, TheReferenceNodeIsOneInEverySeries) {
  EXPECT_THAT(shipped().scalings(),
              testing::ElementsAre("foundry", "roadmap", "iso-performance", "deepflow"));
  for (const std::string& scaling : shipped().scalings()) {
    const technology::LogicNode node = shipped().logic("N7", scaling);
    EXPECT_EQ(node.logic_density, 1.0) << scaling;
    EXPECT_EQ(node.sram_density, 1.0) << scaling;
    EXPECT_EQ(node.analog_density, 1.0) << scaling;
    EXPECT_EQ(node.switching_energy, 1.0) << scaling;
    EXPECT_EQ(node.leakage, 1.0) << scaling;
  }
}

// Wafers become dearer with every step, and each node and device has its process.
TEST(Shipped, EveryNodeHasAProcess) {
  for (const std::string& node : shipped().names(Section::logic)) {
    EXPECT_TRUE(shipped().process(node)) << node;
  }
  double last_price = 0.0;
  double last_carbon = 0.0;
  for (const std::string& name : shipped().names(Section::processes)) {
    const technology::Process process = shipped().process(name).value();
    EXPECT_GE(process.wafer_price.si(), last_price) << name;
    EXPECT_GE(process.carbon.si(), last_carbon) << name;
    last_price = process.wafer_price.si();
    last_carbon = process.carbon.si();
  }
  const technology::Process beyond = shipped().process("N1+1").value();
  EXPECT_NEAR(beyond.wafer_price.si(), 60000.0 * 60000.0 / 42500.0, 1.0);
  for (const std::string& name : shipped().names(Section::devices)) {
    const std::string& logic = shipped().device(name).logic;
    EXPECT_TRUE(shipped().process(logic)) << name << " is made in '" << logic << "'";
    EXPECT_TRUE(shipped().has_logic(logic, "foundry")) << name << " is made in '" << logic << "'";
    EXPECT_GT(shipped().device(name).supply.si(), 0.5) << name;
  }
}

// What was measured of a die is that of its products, and a limit asks for no more.
TEST(Shipped, DevicesSayWhatTheyCanBeSetToAndWasMeasured) {
  for (const std::string& name : shipped().names(Section::devices)) {
    const technology::Device& device = shipped().device(name);
    EXPECT_LE(device.lowest_measured_power, device.thermal_design_power) << name;
    EXPECT_GT(device.lowest_measured_power.si(), 0.0) << name;
  }
  const technology::Device& h100 = shipped().device("h100-sxm");
  EXPECT_EQ(h100.lowest_clock.si(), 210e6);
  EXPECT_EQ(h100.lowest_power_limit.si(), 200.0);
  EXPECT_EQ(h100.lowest_measured_power, shipped().device("h100-sxm-96gb").thermal_design_power);
  EXPECT_EQ(shipped().device("a100-sxm-80gb").lowest_measured_power,
            shipped().device("a100-pcie-80gb").thermal_design_power);
  EXPECT_EQ(shipped().device("gb200").lowest_measured_power,
            shipped().device("b200-sxm").thermal_design_power);
  EXPECT_EQ(shipped().device("mi325x").lowest_measured_power,
            shipped().device("mi300x").thermal_design_power);
  EXPECT_EQ(shipped().device("b200-sxm").lowest_measured_power.si(), 1000.0) << "its own";
}

TEST(Shipped, FasterGenerationsAreFaster) {
  const auto memories_rise = [](const std::vector<const char*>& names) {
    for (std::size_t i = 1; i < names.size(); ++i) {
      const auto& before = shipped().memory(names[i - 1]);
      const auto& after = shipped().memory(names[i]);
      EXPECT_GT(after.stack_bandwidth.si(), before.stack_bandwidth.si()) << names[i];
      EXPECT_GE(after.stack_capacity.si(), before.stack_capacity.si()) << names[i];
    }
  };
  memories_rise({"HBM2", "HBM2E", "HBM3", "HBM3E", "HBM4", "HBM4E", "HBM5", "HBM6"});
  memories_rise({"GDDR6", "GDDR6X", "GDDR7"});
  memories_rise({"LPDDR5", "LPDDR5X", "LPDDR6"});
  memories_rise({"DDR4", "DDR5"});
  const auto links_rise = [](const std::vector<const char*>& names) {
    for (std::size_t i = 1; i < names.size(); ++i) {
      EXPECT_GT(shipped().scale_up(names[i]).bandwidth, shipped().scale_up(names[i - 1]).bandwidth)
          << names[i];
    }
  };
  links_rise({"NVLink2", "NVLink3", "NVLink4", "NVLink5", "NVLink6"});
  links_rise({"PCIe3", "PCIe4", "PCIe5", "PCIe6", "PCIe7"});
  EXPECT_EQ(shipped().scale_out("NDRx8").bandwidth.si(), 50e9);
  EXPECT_EQ(shipped().scale_out("HDRx1").bandwidth.si(), 25e9 / 8);
  EXPECT_EQ(shipped().scale_out("Eth1600x8").bandwidth.si(), 200e9);
}

// What a device burns of a link is part of what the link takes.
// Blocks that share a scale need units that know of it, which the H100 has not.
TEST(Shipped, Mxfp8RunsWhereUnitsScaleBlocks) {
  const technology::Device& hopper = shipped().device("h100-sxm");
  const technology::Device& blackwell = shipped().device("b200-sxm");
  using technology::Precision;
  EXPECT_EQ(technology::matrix_peak(hopper, Precision::mxfp8).si(), 0.0);
  EXPECT_EQ(technology::matrix_peak(blackwell, Precision::mxfp8),
            technology::matrix_peak(blackwell, Precision::fp8));
  EXPECT_GT(technology::matrix_peak(blackwell, Precision::mxfp8).si(), 0.0);
}

// Blackwell's units take scales of either kind, those of CDNA 4 powers of two alone.
TEST(Shipped, FourBitsAreMultipliedWithTheScalesThatUnitsTake) {
  const technology::Device& hopper = shipped().device("h100-sxm");
  const technology::Device& blackwell = shipped().device("b200-sxm");
  const technology::Device& cdna4 = shipped().device("mi355x");
  using technology::Precision;
  EXPECT_EQ(technology::matrix_peak(hopper, Precision::mxfp4).si(), 0.0);
  EXPECT_EQ(technology::matrix_peak(blackwell, Precision::mxfp4),
            technology::matrix_peak(blackwell, Precision::fp4));
  EXPECT_EQ(technology::matrix_peak(blackwell, Precision::mxfp6),
            technology::matrix_peak(blackwell, Precision::fp8));
  EXPECT_EQ(technology::matrix_peak(cdna4, Precision::fp4).si(), 0.0);
  EXPECT_EQ(technology::matrix_peak(cdna4, Precision::mxfp4).si(), 10066e12);
  EXPECT_EQ(technology::matrix_peak(cdna4, Precision::mxfp6),
            technology::matrix_peak(cdna4, Precision::mxfp4));
  EXPECT_EQ(technology::matrix_peak(cdna4, Precision::mxfp8),
            technology::matrix_peak(cdna4, Precision::fp8));
}

TEST(Shipped, ADevicePaysAPartOfItsLinks) {
  for (const std::string& name : shipped().names(Section::scale_up)) {
    const technology::Network& link = shipped().scale_up(name);
    EXPECT_GT(link.device_energy.si(), 0.0) << name;
    EXPECT_LE(link.device_energy.si(), link.energy.si()) << name;
  }
}

// Leaves of 51 ports at 4:1 hold six nodes, of 32 at 1:1 four; on rails eight times as many.
TEST(Shipped, UplinksThatCarryLessMakeALevelOfTheirLeaves) {
  const auto levels = [](const std::string& network, const std::string& topology) {
    return shipped()
        .catalogued_system(
            {.device = "h100-sxm", .scale_out = network, .topology = topology, .endpoints = 4096})
        .levels;
  };
  EXPECT_EQ(levels("NDRx8", "fat-tree").size(), 2u);
  const auto thin = levels("NDRx8", "fat-tree-4to1");
  ASSERT_EQ(thin.size(), 3u);
  EXPECT_EQ(thin[1].size, 48);
  EXPECT_EQ(thin[1].link.bandwidth.si(), 50e9);
  EXPECT_EQ(thin[2].link.bandwidth.si(), 12.5e9);
  const auto hashed = levels("Eth400x8", "fat-tree");
  ASSERT_EQ(hashed.size(), 3u);
  EXPECT_EQ(hashed[1].size, 32);
  EXPECT_EQ(levels("Eth400x8", "rail-optimised")[1].size, 256);
  EXPECT_DOUBLE_EQ(hashed[2].link.bandwidth.si(), 0.71 * 50e9);
  EXPECT_EQ(levels("Eth400x1", "fat-tree")[1].size, 256);  // a port for every eight devices
  EXPECT_EQ(levels("Eth400x32", "fat-tree").size(), 2u);   // one node a leaf: all goes up
}

TEST(Shipped, ThinnerTopologiesAreCheaperAndSlower) {
  const technology::Network full = shipped().scale_out("NDRx8", "fat-tree", 4096);
  const technology::Network half = shipped().scale_out("NDRx8", "fat-tree-2to1", 4096);
  const technology::Network quarter = shipped().scale_out("NDRx8", "fat-tree-4to1", 4096);
  const technology::Network torus = shipped().scale_out("NDRx8", "torus-3d", 4096);

  EXPECT_EQ(full.distant_share, 1.0);
  EXPECT_EQ(half.distant_share, 0.5);
  EXPECT_EQ(quarter.distant_share, 0.25);
  EXPECT_LT(half.cost.si(), full.cost.si());
  EXPECT_LT(quarter.cost.si(), half.cost.si());
  EXPECT_LT(torus.cost.si(), full.cost.si());
  EXPECT_LT(torus.distant_share, quarter.distant_share);
}

}  // namespace
}  // namespace scalesweep::catalog
