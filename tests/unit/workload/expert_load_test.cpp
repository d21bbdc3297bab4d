// The load of the busiest device against draws of tokens, one by one.
#include "workload/feed_forward/expert_load.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace scalesweep::workload {
namespace {

struct Spread {
  int count, top_k, ranks;
  double skew;
  int tokens;
  int redundant = 0;
};

Experts experts_of(const Spread& spread) {
  Experts experts;
  experts.count = spread.count;
  experts.top_k = spread.top_k;
  experts.ffn = 64;
  experts.skew = spread.skew;
  return experts;
}

// Tokens that draw distinct experts one after the other, each in proportion to its popularity, and
// the devices that hold them.
class Simulation {
 public:
  explicit Simulation(const Spread& spread) : spread_(spread) {
    for (int i = 1; i <= spread.count; ++i) {
      sums_.push_back((sums_.empty() ? 0.0 : sums_.back()) + std::pow(i, -spread.skew));
    }
    set_copies();
  }

  struct Result {
    double largest = 0.0;  // over the mean
    double reached = 0.0;  // experts of a device, mean
  };

  Result run(int rounds) {
    Result sum;
    for (int round = 0; round < rounds; ++round) {
      place();
      const std::vector<std::vector<int>> got = draw();
      double most = 0.0, reached = 0.0;
      for (const std::vector<int>& rank : got) {
        most = std::max(most, static_cast<double>(std::accumulate(rank.begin(), rank.end(), 0)));
        reached += static_cast<double>(rank.size() - std::count(rank.begin(), rank.end(), 0));
      }
      sum.largest += most * spread_.ranks / (spread_.tokens * spread_.top_k);
      sum.reached += reached / spread_.ranks;
    }
    return {sum.largest / rounds, sum.reached / rounds};
  }

  // Of the copies, the share beyond so many times the mean of an expert.
  double dropped(double capacity, int rounds) {
    const double copies = static_cast<double>(spread_.tokens) * spread_.top_k;
    double beyond = 0.0;
    for (int round = 0; round < rounds; ++round) {
      place();
      for (const std::vector<int>& rank : draw()) {
        for (const int got : rank) {
          beyond += std::max(0.0, got - capacity * copies / spread_.count);
        }
      }
    }
    return beyond / (copies * rounds);
  }

 private:
  struct Place {
    int rank, slot;
  };

  int draw_expert() {
    const double at = std::uniform_real_distribution(0.0, sums_.back())(random_);
    return static_cast<int>(std::upper_bound(sums_.begin(), sums_.end(), at) - sums_.begin());
  }

  // How likely tokens go to each, from draws.
  std::vector<double> measured_chances() {
    std::vector<double> chances(sums_.size(), 0.0);
    constexpr int tokens = 20000;
    for (int token = 0; token < tokens; ++token) {
      for (const int expert : choices()) {
        chances[static_cast<std::size_t>(expert)] += 1.0 / tokens;
      }
    }
    return chances;
  }

  std::vector<int> choices() {
    std::vector<int> chosen;
    while (static_cast<int>(chosen.size()) < spread_.top_k) {
      const int expert = draw_expert();
      if (std::find(chosen.begin(), chosen.end(), expert) == chosen.end()) {
        chosen.push_back(expert);
      }
    }
    return chosen;
  }

  // One copy after the other to the expert with the most tokens a copy.
  void set_copies() {
    copies_.assign(sums_.size(), 1);
    loads_ = measured_chances();
    for (int copy = 0; copy < spread_.redundant; ++copy) {
      std::size_t most = 0;
      for (std::size_t i = 0; i < copies_.size(); ++i) {
        most = loads_[i] / copies_[i] > loads_[most] / copies_[most] ? i : most;
      }
      ++copies_[most];
    }
  }

  // At random without copies; else the largest first, each to the device with the least that has
  // room.
  void place() {
    std::vector<int> all;
    for (std::size_t i = 0; i < copies_.size(); ++i) {
      all.insert(all.end(), static_cast<std::size_t>(copies_[i]), static_cast<int>(i));
    }
    const auto ranks = static_cast<std::size_t>(spread_.ranks);
    held_.assign(ranks, 0);
    places_.assign(copies_.size(), {});
    const auto put = [&](int expert, std::size_t rank) {
      places_[static_cast<std::size_t>(expert)].push_back({static_cast<int>(rank), held_[rank]++});
    };
    if (spread_.redundant == 0) {
      std::shuffle(all.begin(), all.end(), random_);
      for (std::size_t i = 0; i < all.size(); ++i) {
        put(all[i], i % ranks);
      }
      return;
    }
    const auto load = [&](int expert) {
      return loads_[static_cast<std::size_t>(expert)] / copies_[static_cast<std::size_t>(expert)];
    };
    std::stable_sort(all.begin(), all.end(), [&](int a, int b) { return load(a) > load(b); });
    const auto room = static_cast<int>((all.size() + ranks - 1) / ranks);
    std::vector<double> sums(ranks, 0.0);
    for (const int expert : all) {
      std::size_t least = ranks;
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (held_[rank] < room && (least == ranks || sums[rank] < sums[least])) {
          least = rank;
        }
      }
      sums[least] += load(expert);
      put(expert, least);
    }
  }

  std::vector<std::vector<int>> draw() {
    std::vector<std::vector<int>> got;
    for (const int held : held_) {
      got.emplace_back(static_cast<std::size_t>(held), 0);
    }
    for (int token = 0; token < spread_.tokens; ++token) {
      for (const int expert : choices()) {
        const std::vector<Place>& places = places_[static_cast<std::size_t>(expert)];
        const Place place = places[random_() % places.size()];
        ++got[static_cast<std::size_t>(place.rank)][static_cast<std::size_t>(place.slot)];
      }
    }
    return got;
  }

  Spread spread_;
  std::mt19937_64 random_{20240901};
  std::vector<double> sums_;   // of popularity
  std::vector<double> loads_;  // chances of a token
  std::vector<int> copies_;
  std::vector<int> held_;
  std::vector<std::vector<Place>> places_;
};

std::vector<Spread> without_copies() {
  std::vector<Spread> all;
  for (const double skew : {0.0, 0.3, 0.6, 1.0}) {
    for (const int tokens : {64, 512}) {
      for (const Spread& shape : {Spread{8, 2, 2, 0, 0},
                                  {8, 2, 8, 0, 0},
                                  {128, 8, 8, 0, 0},
                                  {128, 8, 64, 0, 0},
                                  {256, 8, 32, 0, 0},
                                  {256, 8, 256, 0, 0},
                                  {256, 8, 72, 0, 0},
                                  {128, 1, 16, 0, 0}}) {
        all.push_back({shape.count, shape.top_k, shape.ranks, skew, tokens});
      }
    }
  }
  return all;
}

TEST(ExpertLoads, LargestIsThatOfDrawnTokens) {
  double sum = 0.0, worst = 0.0;
  const std::vector<Spread> spreads = without_copies();
  for (const Spread& s : spreads) {
    const double drawn = Simulation(s).run(24).largest;
    const double error = ExpertLoads(experts_of(s), s.ranks, 0).largest(s.tokens) / drawn - 1.0;
    EXPECT_LT(std::abs(error), 0.09)
        << fmt::format("{} of {} experts on {} ranks, skew {}, {} tokens: {:+.3f} of {:.3f}",
                       s.top_k, s.count, s.ranks, s.skew, s.tokens, error, drawn);
    sum += std::abs(error);
    worst = std::max(worst, std::abs(error));
  }
  EXPECT_LT(sum / static_cast<double>(spreads.size()), 0.025);
  RecordProperty("mean_error", fmt::format("{:.4f}", sum / static_cast<double>(spreads.size())));
  RecordProperty("worst_error", fmt::format("{:.4f}", worst));
}

// The deployments of DeepSeek-V3 and SGLang, and small ones.
TEST(ExpertLoads, CopiesMeetThoseOfAGreedyBalancer) {
  for (const double skew : {0.0, 0.3, 0.6, 1.0}) {
    for (const int tokens : {256, 2048}) {
      for (const Spread& shape : {Spread{256, 8, 32, 0, 0, 32},
                                  {256, 8, 320, 0, 0, 64},
                                  {256, 8, 72, 0, 0, 32},
                                  {256, 8, 144, 0, 0, 32},
                                  {128, 8, 16, 0, 0, 16},
                                  {8, 2, 4, 0, 0, 4}}) {
        const Spread s = {shape.count, shape.top_k, shape.ranks, skew, tokens, shape.redundant};
        const double drawn = Simulation(s).run(12).largest;
        const double error =
            ExpertLoads(experts_of(s), s.ranks, s.redundant).largest(tokens) / drawn - 1.0;
        EXPECT_LT(std::abs(error), 0.12) << fmt::format(
            "{} experts and {} copies on {} ranks, skew {}, {} tokens: {:+.3f} of {:.3f}", s.count,
            s.redundant, s.ranks, skew, tokens, error, drawn);
      }
    }
  }
}

TEST(ExpertLoads, ReachedExpertsAreThoseOfDrawnTokens) {
  for (const double skew : {0.0, 0.5, 1.0}) {
    for (const int tokens : {4, 32, 256}) {
      for (const int redundant : {0, 32}) {
        const Spread s = {256, 8, 32, skew, tokens, redundant};
        EXPECT_NEAR(ExpertLoads(experts_of(s), s.ranks, redundant).reached(tokens) /
                        Simulation(s).run(16).reached,
                    1.0, 0.03)
            << skew << " " << tokens << " " << redundant;
      }
    }
  }
}

TEST(ExpertLoads, DropWhatDrawnTokensHaveBeyondTheCapacity) {
  for (const Spread& shape : {Spread{8, 2, 1, 0, 256}, {64, 6, 1, 0, 1024}, {256, 8, 1, 0, 512}}) {
    for (const double skew : {0.0, 0.6}) {
      Spread spread = shape;
      spread.skew = skew;
      const ExpertLoads loads(experts_of(spread), 1.0, 0.0);
      for (const double capacity : {1.0, 1.25}) {
        EXPECT_NEAR(loads.dropped(spread.tokens, capacity), Simulation(spread).dropped(capacity, 8),
                    0.02)
            << spread.count << " experts, skew " << skew << ", " << capacity;
      }
      EXPECT_LT(loads.dropped(spread.tokens, 50.0 * spread.count), 1e-9);
    }
  }
  // Without a skew all are as popular, as with one of zero.
  Experts measured = experts_of({64, 6, 1, 0, 0});
  const double even = ExpertLoads(measured, 1.0, 0.0).dropped(1024, 1.25);
  measured.skew.reset();
  EXPECT_NEAR(ExpertLoads(measured, 1.0, 0.0).dropped(1024, 1.25), even, 1e-9);
}

TEST(ExpertLoads, AreThoseMeasuredWhereNoSkewIsGiven) {
  Experts experts = experts_of({256, 8, 32, 0.0, 64});
  experts.skew.reset();
  experts.imbalance = 1.25;
  EXPECT_EQ(ExpertLoads(experts, 32, 0).largest(64), 1.25);
  EXPECT_EQ(ExpertLoads(experts, 1, 0).largest(64), 1.0);
  EXPECT_EQ(ExpertLoads(experts, 32, 0).held(), 8.0);
  EXPECT_EQ(ExpertLoads(experts, 32, 0).reached(64.0), experts_reached(experts, 8.0, 64.0));
  // 72 ranks: some have four of the 256, the mean is 3.56.
  EXPECT_EQ(ExpertLoads(experts, 72, 0).held(), 4.0);
  EXPECT_DOUBLE_EQ(ExpertLoads(experts, 72, 0).largest(64), 1.25 * 4.0 * 72.0 / 256.0);
  // A rank each for 256 experts and 64 copies: those without a copy have 320 / 256 of the mean.
  EXPECT_DOUBLE_EQ(ExpertLoads(experts, 320, 64).largest(64), 1.25 * 320.0 / 256.0);
  EXPECT_DOUBLE_EQ(ExpertLoads(experts, 32, 32).held(), 9.0);
}

TEST(ExpertLoads, FallWithTokensAndCopiesAndGrowWithSkewAndRanks) {
  const auto largest = [](double skew, double ranks, double redundant, double tokens) {
    return ExpertLoads(experts_of({256, 8, 1, skew, 1}), ranks, redundant).largest(tokens);
  };
  for (const double skew : {0.0, 0.2, 0.5, 0.9, 1.3}) {
    for (const double ranks : {2.0, 8.0, 32.0, 128.0}) {
      for (const double tokens : {32.0, 256.0, 4096.0}) {
        const double usual = largest(skew, ranks, 0, tokens);
        EXPECT_GE(usual, 1.0);
        EXPECT_LE(largest(skew, ranks, 0, 2.0 * tokens), usual);
        EXPECT_GT(largest(skew + 0.2, ranks, 0, tokens), usual);
        EXPECT_GT(largest(skew, 2.0 * ranks, 0, tokens), usual);
        if (skew >= 0.5) {
          EXPECT_LT(largest(skew, ranks, 128, tokens), usual) << skew << " " << ranks;
        }
      }
    }
  }
}

}  // namespace
}  // namespace scalesweep::workload
