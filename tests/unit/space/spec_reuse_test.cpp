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

}  // namespace
}  // namespace scalesweep::space
