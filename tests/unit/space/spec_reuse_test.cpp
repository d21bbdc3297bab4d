// Keys of what requests share: tiers of a cache of prefixes, adapters.
#include <gmock/gmock.h>

#include <limits>

#include "space/axes/workload_axes.hpp"
#include "unit/space/spec_reading.hpp"

namespace scalesweep::space {
namespace {

using ::testing::ElementsAre;

std::string spec_with(const std::string& keys, const char* kind = "inference") {
  return std::string("schema = 1\ntitle = \"a\"\n[workload]\nkind = \"") + kind +
         "\"\nmodel = \"llama-2-7b\"\n" +
         (kind == std::string("training") ? "sequence = 2048\nglobal_batch = 8\n"
                                          : "prompt = 200\noutput = 20\n") +
         keys + (kind == std::string("inference") ? "batch = 1\n" : "") +
         "[system]\naccelerators = 1\ndevice = \"h100-sxm\"\n[strategy]\n";
}

TEST(SpecReuse, TiersAndAdaptersAreAxes) {
  const Spec spec = good(spec_with(
      "prefix_hits = 0.1\nprefix_hits_host = [0, 0.3]\nprefix_hits_storage = 0.1\n"
      "prefix_storage_bandwidth = '5 GB/s'\nprefix_cache_device = ['none', '2 GB']\nprefix_loading "
      "= ['layerwise', "
      "'before']\nadapters = [0, 8]\nadapter_rank = 16\nadapter_layers = 'mlp'\nadapter_skew = "
      "1.2\n"));
  EXPECT_THAT(axis_of(spec, "prefix_hits_host").values, ElementsAre(0.0, 0.3));
  EXPECT_THAT(axis_of(spec, "prefix_storage_bandwidth").values, ElementsAre(5e9));
  EXPECT_THAT(axis_of(spec, "prefix_cache_device").values,
              ElementsAre(std::numeric_limits<double>::infinity(), 2e9));
  EXPECT_EQ(axis_of(spec, "prefix_cache_device").units, "B");
  EXPECT_THAT(axis_of(spec, "prefix_loading").labels, ElementsAre("layerwise", "before"));
  EXPECT_THAT(axis_of(spec, "adapters").values, ElementsAre(0.0, 8.0));
  EXPECT_THAT(axis_of(spec, "adapter_layers").labels, ElementsAre("mlp"));
  EXPECT_TRUE(is_workload_axis("adapters"));
  EXPECT_FALSE(is_workload_axis("prefix_cache_host"));
}

TEST(SpecReuse, AdaptersHaveARank) {
  EXPECT_EQ(
      refused(spec_with("adapters = 8\n")),
      "a.toml:8:12: error: 'adapters' needs adapter_rank (of the two matrices of an adapter), "
      "for example adapter_rank = 16\n");
  EXPECT_EQ(refused(spec_with("adapter_rank = 8\nadapter_skew = 1\n", "serving")),
            "a.toml:8:16: error: 'adapter_rank' goes with adapters, for example adapters = 8\n"
            "a.toml:9:16: error: 'adapter_skew' goes with adapters, for example adapters = 8\n");
  EXPECT_EQ(refused(spec_with("adapters = 8\nadapter_rank = 8\nadapter_layers = 'mpl'\n")),
            "a.toml:10:18: error: unknown adapter_layers 'mpl'; did you mean 'mlp'?\n");
}

TEST(SpecReuse, AdaptersOfTrainingHaveARank) {
  EXPECT_EQ(refused(spec_with("adapter_layers = 'mlp'\nfrozen_weights = 'nf4'\n", "training")),
            "a.toml:8:18: error: 'adapter_layers' goes with adapter_rank, for example "
            "adapter_rank = 16\n"
            "a.toml:9:18: error: 'frozen_weights' goes with adapter_rank, for example "
            "adapter_rank = 16\n");
  EXPECT_EQ(refused(spec_with("adapter_rank = 16\nfrozen_weights = 'nf3'\n", "training")),
            "a.toml:9:18: error: unknown frozen_weights 'nf3'; did you mean 'nf4'?\n");
}

TEST(SpecReuse, StorageHasABandwidth) {
  EXPECT_EQ(
      refused(spec_with("prefix_hits_storage = 0.1\n")),
      "a.toml:8:23: error: 'prefix_hits_storage' needs prefix_storage_bandwidth (of storage to "
      "each device, whether in its node or remote), for example prefix_storage_bandwidth = "
      "\"5 GB/s\"\n");
  EXPECT_EQ(refused(spec_with("prefix_cache_storage = '1 TB'\n", "serving")),
            "a.toml:8:24: error: 'prefix_cache_storage' needs prefix_storage_bandwidth (of storage "
            "to each device, whether in its node or remote), for example "
            "prefix_storage_bandwidth = \"5 GB/s\"\n");
  EXPECT_EQ(refused(spec_with("prefix_storage_bandwidth = '5 GB/s'\n")),
            "a.toml:8:28: error: 'prefix_storage_bandwidth' goes with prefix_hits_storage, for "
            "example prefix_hits_storage = 0.1\n");
  EXPECT_EQ(refused(spec_with("prefix_storage_bandwidth = '5 GB/s'\n", "serving")),
            "a.toml:8:28: error: 'prefix_storage_bandwidth' goes with prefix_hits_storage or "
            "prefix_cache_storage, for example prefix_hits_storage = 0.1\n");
}

TEST(SpecReuse, WhatIsLoadedComesFromATier) {
  EXPECT_EQ(
      refused(spec_with("prefix_hits = 0.5\nprefix_loading = 'before'\n")),
      "a.toml:9:18: error: 'prefix_loading' goes with prefix_hits_host or prefix_hits_storage, "
      "for example prefix_hits_host = 0.3\n");
  EXPECT_EQ(refused(spec_with("prefix_hits_host = 1.5\n")),
            "a.toml:8:20: error: prefix_hits_host must be at least 0 and below 1, not 1.5\n");
  EXPECT_EQ(refused(spec_with("prefix_cache_host = '1 TB'\n")),
            "a.toml:8:21: error: 'prefix_cache_host' goes with kind = \"serving\", not "
            "\"inference\"; without a trace say what is found, for example prefix_hits_host = "
            "0.3\n");
}

}  // namespace
}  // namespace scalesweep::space
