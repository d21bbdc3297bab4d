// Of the catalog that ships: no link, network or memory is slower at anything than the generation
// before it.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "estimator/parts/collective.hpp"
#include "support/shipped_catalog.hpp"

namespace scalesweep::estimator {
namespace {

using catalog::Section;
using parallel::Collective;
using parallel::CollectiveKind;
using parallel::CollectiveLibrary;

using Generations = std::pair<std::string, std::string>;  // one, and the next

// Where the earlier one takes its values from the next, which was measured.
const std::map<Section, std::vector<Generations>> values_from_the_next = {
    {Section::scale_up, {{"NVLink2", "NVLink3"}, {"PCIe3", "PCIe4"}, {"xGMI3-oam", "xGMI4"}}},
    {Section::scale_out, {}},
    {Section::memories, {{"LPDDR5", "LPDDR5X"}, {"DDR4", "DDR5"}}}};

const catalog::Catalog& shipped() {
  return test::shipped_catalog();
}

std::vector<Generations> generations(Section section) {
  std::vector<Generations> pairs = values_from_the_next.at(section);
  for (const catalog::Entry& entry : shipped().entries()) {
    if (entry.section == section && !entry.predecessor.empty()) {
      pairs.emplace_back(entry.predecessor, entry.name);
    }
  }
  return pairs;
}

struct Work {
  std::string what;
  double seconds = 0.0;
};

// Everything that devices of a level send each other.
std::vector<Work> all_work(const technology::System& system, bool inside) {
  std::vector<Work> all;
  const auto group_of = [inside](std::int64_t ranks) {
    return inside ? parallel::Group{ranks, 1} : parallel::Group{1, ranks};
  };
  for (double bytes = 1024.0; bytes <= 0x1p30; bytes *= 2.0) {
    all.push_back({fmt::format("send of {} B", bytes),
                   transfer_cost(bytes, group_of(2), system).time.total_s()});
    for (const std::int64_t ranks : {2, 4, 8}) {
      for (const CollectiveKind kind :
           {CollectiveKind::all_reduce, CollectiveKind::all_gather, CollectiveKind::reduce_scatter,
            CollectiveKind::all_to_all}) {
        for (const CollectiveLibrary library :
             {CollectiveLibrary::general, CollectiveLibrary::one_shot}) {
          const Collective collective{kind, group_of(ranks), bytes, library};
          all.push_back(
              {fmt::format("collective {} of {} B among {}, library {}", static_cast<int>(kind),
                           bytes, ranks, static_cast<int>(library)),
               collective_cost(collective, system).cost.time.total_s()});
        }
      }
    }
  }
  return all;
}

void expect_no_slower(const Generations& pair, const std::vector<Work>& before,
                      const std::vector<Work>& next) {
  double most = 1.0;
  std::string worst;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double times = next[i].seconds / before[i].seconds;
    if (times > most) {
      most = times;
      worst = next[i].what;
    }
  }
  EXPECT_LE(most, 1.0 + 1e-9) << pair.second << " against " << pair.first << ": " << worst;
}

// With the same software: what a library of collectives takes goes with the device.
TEST(Generations, NoLinkIsSlowerThanTheOneBefore) {
  const std::vector<Generations> pairs = generations(Section::scale_up);
  EXPECT_GE(pairs.size(), 8u);
  for (const char* device : {"a100-sxm-80gb", "h100-sxm", "b200-sxm", "gb300", "rubin"}) {
    const auto work = [device](const std::string& link) {
      return all_work(
          shipped().catalogued_system({.device = device, .scale_up = link, .domain = 8}), true);
    };
    for (const Generations& pair : pairs) {
      expect_no_slower(pair, work(pair.first), work(pair.second));
    }
  }
}

TEST(Generations, NoNetworkIsSlowerThanTheOneBefore) {
  const auto work = [](const std::string& network) {
    return all_work(shipped().catalogued_system(
                        {.device = "h100-sxm", .scale_out = network + "x8", .endpoints = 64}),
                    false);
  };
  const std::vector<Generations> pairs = generations(Section::scale_out);
  EXPECT_GE(pairs.size(), 7u);
  for (const Generations& pair : pairs) {
    expect_no_slower(pair, work(pair.first), work(pair.second));
  }
}

TEST(Generations, NoMemoryIsSlowerThanTheOneBefore) {
  const std::vector<Generations> pairs = generations(Section::memories);
  EXPECT_GE(pairs.size(), 10u);
  for (const Generations& pair : pairs) {
    EXPECT_GE(shipped().memory(pair.second).stack_bandwidth.si(),
              shipped().memory(pair.first).stack_bandwidth.si())
        << pair.second << " against " << pair.first;
  }
}

}  // namespace
}  // namespace scalesweep::estimator
