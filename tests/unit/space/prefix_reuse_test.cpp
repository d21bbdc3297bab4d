// What caches of all sizes find of a trace, against caches that are simulated token by token.
#include "space/requests/prefix_reuse.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <random>
#include <tuple>

#include "space/requests/request_trace.hpp"

namespace scalesweep::space {
namespace {

using ::testing::HasSubstr;

// A cache of whole tokens in which what was used longest ago makes room.
class SimulatedCache {
 public:
  explicit SimulatedCache(std::size_t tokens) : room_(tokens) {}

  // Tokens of the prompt that are found.
  double use(const SharingRequest& request) {
    const std::vector<Token> tokens = tokens_of(request);
    const double wanted = request.parts.empty() ? 0.0 : request.parts.back().end_tokens;
    double found = 0.0;
    while (found < wanted && places_.count(tokens[static_cast<std::size_t>(found)]) > 0) {
      found += 1.0;
    }
    for (auto token = tokens.rbegin(); token != tokens.rend(); ++token) {
      touch(*token);
    }
    while (stack_.size() > room_) {
      places_.erase(stack_.back());
      stack_.pop_back();
    }
    return found;
  }

 private:
  using Token = std::tuple<std::size_t, std::size_t, std::size_t>;  // part, place in it, version

  // Those of a part that it had before are the same ones as far as the request says so.
  std::vector<Token> tokens_of(const SharingRequest& request) {
    std::vector<Token> tokens;
    double begin = 0.0;
    for (std::size_t i = 0; i < request.parts.size(); ++i) {
      const SharedPart& part = request.parts[i];
      const bool last = i + 1 == request.parts.size();
      const double end = last ? request.prompt + request.output : part.end_tokens;
      std::vector<std::size_t>& versions = versions_[part.id];
      const auto shared = static_cast<std::size_t>(part.end_tokens - begin);
      versions.resize(std::min(shared, versions.size()));
      while (versions.size() < static_cast<std::size_t>(end - begin)) {
        versions.push_back(next_++);
      }
      for (std::size_t place = 0; place < versions.size(); ++place) {
        tokens.emplace_back(part.id, place, versions[place]);
      }
      begin = part.end_tokens;
    }
    while (static_cast<double>(tokens.size()) < request.prompt + request.output) {
      tokens.emplace_back(~std::size_t{0}, 0, next_++);
    }
    return tokens;
  }

  void touch(const Token& token) {
    if (const auto found = places_.find(token); found != places_.end()) {
      stack_.erase(found->second);
    }
    stack_.push_front(token);
    places_[token] = stack_.begin();
  }

  std::size_t room_;
  std::list<Token> stack_;
  std::map<Token, std::list<Token>::iterator> places_;
  std::map<std::size_t, std::vector<std::size_t>> versions_;
  std::size_t next_ = 0;
};

double simulated_share(const std::vector<SharingRequest>& requests, std::size_t tokens) {
  SimulatedCache cache(tokens);
  double found = 0.0, prompts = 0.0;
  for (const SharingRequest& one : requests) {
    found += cache.use(one);
    prompts += one.prompt;
  }
  return found / prompts;
}

double share_at(const std::vector<ReusePoint>& curve, double tokens) {
  if (curve.empty() || tokens <= curve.front().tokens) {
    return 0.0;
  }
  for (std::size_t i = 1; i < curve.size(); ++i) {
    if (tokens <= curve[i].tokens) {
      const ReusePoint &a = curve[i - 1], &b = curve[i];
      return a.share + (b.share - a.share) * (tokens - a.tokens) / (b.tokens - a.tokens);
    }
  }
  return curve.back().share;
}

// System prompts of which some are popular, and conversations behind some of them.
std::vector<SharingRequest> random_requests(std::mt19937_64& random, int count) {
  std::uniform_real_distribution<double> share(0.0, 1.0);
  std::vector<SharingRequest> requests;
  std::map<std::size_t, double> said;  // of a conversation, so far
  const auto tokens = [&](double most) { return 1.0 + std::floor(most * share(random)); };
  for (int i = 0; i < count; ++i) {
    const auto system = static_cast<std::size_t>(10.0 * share(random) * share(random));
    const double common = 10.0 + 3.0 * static_cast<double>(system);
    const double kind = share(random);
    if (kind < 0.2) {
      requests.push_back({tokens(60.0), tokens(10.0), {}});
    } else if (kind < 0.5) {
      requests.push_back({common + tokens(30.0), tokens(10.0), {{system, common}}});
    } else {
      const std::size_t chat = 100 + 10 * system + static_cast<std::size_t>(8.0 * share(random));
      const double before = std::max(common, said[chat]);
      const double prompt = before + tokens(15.0);
      const double output = tokens(10.0);
      requests.push_back({prompt, output, {{system, common}, {chat, before}}});
      said[chat] = prompt + output > 200.0 ? 0.0 : prompt + output;  // then it begins again
    }
  }
  return requests;
}

TEST(PrefixReuse, IsThatOfCachesThatAreSimulated) {
  std::mt19937_64 random(7);
  for (int trial = 0; trial < 5; ++trial) {
    const std::vector<SharingRequest> requests = random_requests(random, 300);
    const std::vector<ReusePoint> curve = reuse_curve(requests);
    ASSERT_FALSE(curve.empty());
    const double most = curve.back().share;
    EXPECT_GT(most, 0.2);
    EXPECT_LE(curve.size(), 100U);
    EXPECT_TRUE(std::is_sorted(curve.begin(), curve.end(), [](const auto& a, const auto& b) {
      return a.tokens < b.tokens && a.share <= b.share;
    }));
    for (const std::size_t tokens : {0, 20, 60, 150, 400, 900, 2000, 5000, 100000}) {
      EXPECT_NEAR(share_at(curve, static_cast<double>(tokens)), simulated_share(requests, tokens),
                  most / 48.0)
          << trial << ", " << tokens << " tokens";
    }
    EXPECT_NEAR(most, simulated_share(requests, 1000000), 1e-12);
  }
}

TEST(PrefixReuse, OfAFewRequestsIsExact) {
  // A system prompt of 20 tokens, twice, with one request of 50 tokens between.
  const std::vector<SharingRequest> requests = {
      {30.0, 10.0, {{1, 20.0}}}, {40.0, 10.0, {}}, {30.0, 10.0, {{1, 20.0}}}};
  const std::vector<ReusePoint> curve = reuse_curve(requests);
  ASSERT_EQ(curve.size(), 2U);
  EXPECT_EQ(curve[0].tokens, 50.0);  // its first token is found by a cache that holds one more
  EXPECT_EQ(curve[0].share, 0.0);
  EXPECT_EQ(curve[1].tokens, 70.0);
  EXPECT_DOUBLE_EQ(curve[1].share, 20.0 / 100.0);

  // The second turn of a conversation finds prompt and output of the first.
  const auto turns = reuse_curve({{30.0, 10.0, {{1, 0.0}}}, {55.0, 5.0, {{1, 40.0}}}});
  EXPECT_DOUBLE_EQ(turns.back().share, 40.0 / 85.0);
  EXPECT_EQ(turns.back().tokens, 40.0);
  EXPECT_TRUE(reuse_curve({{30.0, 10.0, {}}, {30.0, 10.0, {}}}).empty());
}

ReducedTrace reduced(const std::string& text) {
  Diagnostics diagnostics;
  const auto trace = reduce_trace("t.csv", text, {"a.toml", 6, 12}, diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  return trace.value_or(ReducedTrace{});
}

TEST(PrefixReuse, IsReadFromTwoColumnsOfATrace) {
  const std::string rows =
      "0,3000,100,helper/17,2000/2000\n1,900,100,,\n3,3500,100,helper/17,2000/3100\n"
      "4,2500,100,helper,2000\n";
  const std::vector<ReusePoint> curve =
      reduced("arrival,prompt,output,prefix,prefix_tokens\n" + rows).trace.reuse;
  ASSERT_FALSE(curve.empty());
  EXPECT_DOUBLE_EQ(curve.back().share, (3100.0 + 2000.0) / 9900.0);
  EXPECT_TRUE(reduced("arrival,prompt,output,user,prefixes\n" + rows).trace.reuse.empty());
}

std::string refused_trace(const std::string& text) {
  Diagnostics diagnostics;
  EXPECT_FALSE(reduce_trace("t.csv", text, {"a.toml", 6, 12}, diagnostics).has_value()) << text;
  return diagnostics.text();
}

TEST(PrefixReuse, NamesEveryMistakeOfAPrefix) {
  EXPECT_EQ(refused_trace("arrival,prompt,output,prefix\n0,10,1,a\n1,10,1,a\n"),
            "t.csv:1:1: error: there is a column 'prefix' and no column 'prefix_tokens'; a trace "
            "that says how prompts begin has both: the name of the beginning and its tokens\n");
  const std::string header = "arrival,prompt,output,prefix,prefix_tokens\n0,400,10,a,200\n";
  EXPECT_EQ(refused_trace(header + "1,400,10,a,900\n2,400,10,a/b,200\n3,400,10,a,\n"
                                   "4,400,10,a/b,200/100\n5,400,10,a,many\n6,400,10,,100\n"),
            "t.csv:3:5: error: 900 tokens of prefix are more than the 400 of the prompt; a prefix "
            "is a part of its prompt\n"
            "t.csv:4:5: error: 2 names in prefix and 1 numbers in prefix_tokens; write a number "
            "for each name, with / between them, each up to the end of its part\n"
            "t.csv:5:5: error: 1 names in prefix and 0 numbers in prefix_tokens; write a number "
            "for each name, with / between them, each up to the end of its part\n"
            "t.csv:6:5: error: 100 in column prefix_tokens is below 200\n"
            "t.csv:7:5: error: 'many' in column prefix_tokens is no number\n"
            "t.csv:8:5: error: 0 names in prefix and 1 numbers in prefix_tokens; write a number "
            "for each name, with / between them, each up to the end of its part\n");
}

}  // namespace
}  // namespace scalesweep::space
