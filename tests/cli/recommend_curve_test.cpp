// Curves of a service: tokens per second of a device over those of a user.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/recommend/curve/curve.hpp"
#include "cli/recommend/curve/loads.hpp"
#include "cli_fixture.hpp"
#include "core/text.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;
using Words = std::vector<std::string>;

class RecommendCurve : public CliTest {};

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

Said curve(const Words& more, const Words& devices = {"--device", "h100", "--devices", "2"}) {
  const Words words = {"recommend", "--serve",         "--model", "llama-2-7b", "--prompt",
                       "500",       "--output-tokens", "100",     "--curve"};
  return scalesweep(joined(joined(words, devices), more));
}

json answer(const Words& more, const Words& devices = {"--device", "h100", "--devices", "2"}) {
  const Said said = curve(joined(more, {"--format", "json"}), devices);
  EXPECT_EQ(said.code, 0) << said.err;
  return json::parse(said.out);
}

double user(const json& point) {
  return point.at("tokens_per_second_per_user");
}
double device(const json& point) {
  return point.at("tokens_per_second_per_device");
}

using Rates = std::pair<double, double>;  // of a user, of a device

// Of all feasible points of a study, one by one.
std::vector<Rates> all_rates(const std::string& file, const std::string& where) {
  Words words = {"query",    file,   "--select", "time_per_output_token,device_seconds_per_token",
                 "--format", "jsonl"};
  if (!where.empty()) {
    words = joined(words, {"--where", where});
  }
  const Said said = scalesweep(words);
  EXPECT_EQ(said.code, 0) << said.err;
  std::vector<Rates> rates;
  for (const std::string& line : split(said.out, '\n')) {
    if (!line.empty()) {
      const json row = json::parse(line);
      rates.emplace_back(1.0 / row.at("time_per_output_token").get<double>(),
                         1.0 / row.at("device_seconds_per_token").get<double>());
    }
  }
  return rates;
}

// Those that no other beats, by comparing each with each.
std::set<Rates> undominated(const std::vector<Rates>& all) {
  std::set<Rates> kept;
  for (const Rates& one : all) {
    const bool is_beaten = std::any_of(all.begin(), all.end(), [&](const Rates& other) {
      return other != one && other.first >= one.first && other.second >= one.second;
    });
    if (!is_beaten) {
      kept.insert(one);
    }
  }
  return kept;
}

void expect_same(const json& points, const std::set<Rates>& frontier) {
  ASSERT_EQ(points.size(), frontier.size());
  auto expected = frontier.rbegin();  // the user's rate falls
  for (const json& point : points) {
    EXPECT_NEAR(user(point) / expected->first, 1.0, 1e-6);
    EXPECT_NEAR(device(point) / expected->second, 1.0, 1e-6);
    ++expected;
  }
}

TEST_F(RecommendCurve, HasThePointsThatNoOtherBeats) {
  const json told = answer({"-o", path("kept.h5")});
  ASSERT_EQ(told.at("curves").size(), 1U);
  const json& points = told.at("curves").at(0).at("points");
  EXPECT_GT(points.size(), 10U);
  const std::vector<Rates> all = all_rates(path("kept.h5"), "");
  EXPECT_EQ(told.at("feasible"), all.size());
  expect_same(points, undominated(all));
  for (std::size_t i = 1; i < points.size(); ++i) {
    EXPECT_LT(user(points.at(i)), user(points.at(i - 1)));
    EXPECT_GT(device(points.at(i)), device(points.at(i - 1)));
  }
}

// Both numbers of devices are one curve, each device has its own.
TEST_F(RecommendCurve, HasACurveForEachDeviceOverAllNumbersOfIt) {
  const json told = answer({"-o", path("kept.h5"), "--concurrency", "1,3,16,64,256"},
                           {"--device", "h100,a100", "--devices", "1,2"});
  ASSERT_EQ(told.at("curves").size(), 2U);
  std::set<int> devices;
  for (const json& one : told.at("curves")) {
    const std::string name = one.at("device");
    expect_same(one.at("points"),
                undominated(all_rates(path("kept.h5"), "device == '" + name + "'")));
    for (const json& point : one.at("points")) {
      devices.insert(point.at("accelerators").get<int>());
    }
  }
  EXPECT_EQ(devices, std::set<int>({1, 2}));
  EXPECT_EQ(told.at("curves").at(0).at("device"), "h100-sxm");
}

// As if each had been asked about alone.
TEST_F(RecommendCurve, HasACurveForEachFramework) {
  const Words eight = {"--device", "h100", "--devices", "1"};
  const auto of = [&](const std::string& frameworks) {
    return answer({"--concurrency", "1,4,16,64", "--framework", frameworks}, eight).at("curves");
  };
  const json both = of("vllm@0.14,sglang@0.5");
  ASSERT_EQ(both.size(), 2U);
  for (const json& one : both) {
    const json alone = of(one.at("framework"));
    ASSERT_EQ(alone.size(), 1U);
    EXPECT_FALSE(alone.at(0).contains("framework"));
    ASSERT_EQ(one.at("points").size(), alone.at(0).at("points").size());
    for (std::size_t i = 0; i < one.at("points").size(); ++i) {
      EXPECT_EQ(user(one.at("points").at(i)), user(alone.at(0).at("points").at(i)));
      EXPECT_EQ(device(one.at("points").at(i)), device(alone.at(0).at("points").at(i)));
    }
  }
  const Said said =
      curve({"--concurrency", "1,4,16,64", "--framework", "vllm@0.14,sglang@0.5"}, eight);
  EXPECT_TRUE(contains(said.out, "The curve of h100-sxm, sglang@0.5: the best layout")) << said.out;
  for (const std::string& line : split(said.out, '\n')) {
    EXPECT_LE(line.size(), 80U) << line;
  }
}

// By the words of a point the saved spec has it, and the same rates.
TEST_F(RecommendCurve, NamesPointsThatExplainFinds) {
  const json told = answer({"--save-spec", path("kept.toml")});
  const json& points = told.at("curves").at(0).at("points");
  const std::set<std::string> figures = {"point_id",
                                         "tokens_per_second_per_user",
                                         "tokens_per_second_per_device",
                                         "time_per_output_token_s",
                                         "time_to_first_token_s",
                                         "limit",
                                         "limit_share",
                                         "relative_uncertainty",
                                         "memory_bytes",
                                         "layout"};
  for (const std::size_t at : {std::size_t{0}, points.size() / 2, points.size() - 1}) {
    Words words = {"explain", path("kept.toml"), "--format", "json"};
    for (const auto& [name, value] : points.at(at).items()) {
      if (!figures.contains(name)) {
        const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
        words = joined(words, {"--set", name + "=" + text});
      }
    }
    const Said said = scalesweep(words);
    ASSERT_EQ(said.code, 0) << said.err;
    const json explained = json::parse(said.out);
    EXPECT_EQ(explained.at("point").at(0).at("value"), points.at(at).at("point_id"));
    std::map<std::string, json> result;
    for (const json& line : explained.at("result")) {
      result[line.at("name")] = line.at("value");
    }
    EXPECT_NEAR(result.at("time_per_output_token").get<double>() * user(points.at(at)), 1.0, 1e-5);
    EXPECT_NEAR(result.at("tokens_per_second_per_device").get<double>() / device(points.at(at)),
                1.0, 1e-5);
  }
}

TEST_F(RecommendCurve, IsATableOfFewPointsForPeople) {
  const Said said = curve({"--top", "6"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "1 to 2,048 requests in flight, each followed by the next"))
      << said.out;
  EXPECT_TRUE(contains(said.out, "The curve: the best layout at each rate\n")) << said.out;
  EXPECT_TRUE(contains(said.out, " more points lie between these; --top ")) << said.out;
  EXPECT_TRUE(contains(said.out, "where a user gets at least so many tokens/s")) << said.out;
  EXPECT_TRUE(contains(said.out, "limited by")) << said.out;
  for (const std::string& line : split(said.out, '\n')) {
    EXPECT_LE(line.size(), 80U) << line;
  }
  const Said all = curve({"--top", "1000"});
  EXPECT_FALSE(contains(all.out, "lie between these")) << all.out;
  const Said two = curve({}, {"--device", "h100,a100", "--devices", "1"});
  EXPECT_TRUE(contains(two.out, "The curve of h100-sxm: the best layout")) << two.out;
  EXPECT_TRUE(contains(two.out, "The curve of a100-sxm-80gb: the best layout")) << two.out;
  for (const std::string& line : split(two.out, '\n')) {
    EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST_F(RecommendCurve, KeepsALimitOnTheFirstToken) {
  const json free = answer({});
  const json limited = answer({"--ttft", "100 ms"});
  const json& points = limited.at("curves").at(0).at("points");
  for (const json& point : points) {
    EXPECT_LE(point.at("time_to_first_token_s"), 0.1);
  }
  EXPECT_LT(device(points.back()), device(free.at("curves").at(0).at("points").back()));
}

TEST_F(RecommendCurve, AnswersForRatesThatPeopleAskFor) {
  const json told = answer({});
  const json& one = told.at("curves").at(0);
  ASSERT_FALSE(one.at("at_least").empty());
  for (const json& asked : one.at("at_least")) {
    const double rate = asked.at("tokens_per_second_per_user");
    double most = 0.0;
    std::int64_t id = -1;
    for (const json& point : one.at("points")) {
      if (user(point) >= rate && device(point) > most) {
        most = device(point);
        id = point.at("point_id");
      }
    }
    EXPECT_EQ(asked.at("point_id"), id) << rate;
  }
}

TEST_F(RecommendCurve, DrawsCurvesAndWhatWasMeasured) {
  const std::string measured = write("measured.csv",
                                     "tokens_per_s_user,tokens_per_s_device,label\n"
                                     "100,2000,a <rack>\n50,5000,a <rack>\n");
  const Said said = curve({"--figure", path("curve.svg"), "--measured", measured},
                          {"--device", "h100,a100", "--devices", "1"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.err, "curve.svg written")) << said.err;
  const std::string picture = content(path("curve.svg"));
  EXPECT_TRUE(picture.starts_with("<svg xmlns=")) << picture;
  EXPECT_TRUE(contains(picture, "output tokens/s a device</text>"));
  EXPECT_TRUE(contains(picture, "h100-sxm, estimated</text>"));
  EXPECT_TRUE(contains(picture, "a100-sxm-80gb, estimated</text>"));
  EXPECT_TRUE(contains(picture, "a &lt;rack&gt;, measured</text>"));
  EXPECT_TRUE(contains(picture, "100 tokens/s a user, 2000 a device, measured"));
  EXPECT_FALSE(contains(picture, "nan"));
  EXPECT_FALSE(contains(picture, "inf"));
  const Said again = curve({"--figure", path("curve.svg")});
  EXPECT_EQ(again.code, 73);
  EXPECT_TRUE(contains(again.err,
                       "curve.svg is there already; move it or choose another name for "
                       "--figure"))
      << again.err;
}

TEST_F(RecommendCurve, DrawsOnePoint) {
  const Said said = curve({"--concurrency", "4", "--figure", path("one.svg")},
                          {"--device", "h100", "--devices", "1"});
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_FALSE(contains(content(path("one.svg")), "nan"));
}

TEST_F(RecommendCurve, SaysWhyThereIsNoPoint) {
  const Words large = {"recommend", "--serve",  "--model", "llama-3.1-405b",  "--device",
                       "h100",      "--prompt", "500",     "--output-tokens", "100",
                       "--devices", "1",        "--curve", "--figure",        path("none.svg")};
  const Said said = scalesweep(large);
  ASSERT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "The curve has no point: ")) << said.out;
  EXPECT_TRUE(contains(said.out, "short: ")) << said.out;
  EXPECT_TRUE(contains(said.out, "devices suffice")) << said.out;
  EXPECT_TRUE(contains(said.err, "none.svg is not written: the curve has no point")) << said.err;
  EXPECT_FALSE(std::filesystem::exists(path("none.svg")));
  const Said told = scalesweep(joined(large, {"--format", "json"}));
  const json none = json::parse(told.out);
  EXPECT_TRUE(none.at("curves").empty());
  EXPECT_FALSE(none.at("why").get<std::string>().empty());
}

TEST_F(RecommendCurve, RefusesWhatDoesNotGoWithIt) {
  const auto expect_refused = [](const Said& said, int code, const std::string& says) {
    EXPECT_EQ(said.code, code) << said.err;
    EXPECT_TRUE(contains(said.err, says)) << says << "\n" << said.err;
    EXPECT_EQ(said.out, "");
  };
  const Words model = {"recommend", "--model", "llama-2-7b", "--device", "h100", "--devices", "2"};
  const Words lengths = {"--serve", "--prompt", "500", "--output-tokens", "100"};
  expect_refused(scalesweep(joined(model, {"--curve"})), 64,
                 "--curve is what a service can do; add --serve with --prompt and "
                 "--output-tokens");
  expect_refused(scalesweep(joined(model, {"--curve", "--train"})), 64,
                 "--curve goes with --serve alone; leave it out");
  expect_refused(scalesweep(joined(model, {"--figure", "a.svg", "--train"})), 64,
                 "--figure goes with --serve alone; leave it out");
  expect_refused(scalesweep(joined(model, {"--measured", "a.csv", "--train"})), 64,
                 "--measured goes with --serve alone; leave it out");
  for (const char* option : {"--figure", "--measured"}) {
    expect_refused(scalesweep(joined(joined(model, lengths), {option, "a.svg"})), 64,
                   std::string(option) + " goes with a curve; add --curve, or leave it out");
  }
  expect_refused(curve({"--request-rate", "5 Hz"}), 64,
                 "--curve has all loads and --request-rate is one of them; give one of the two");
  expect_refused(curve({"--tpot", "20 ms"}), 64,
                 "--curve has every time per token and --tpot limits it; leave --curve out for "
                 "the best layout within the limit, or --tpot for the curve");
  expect_refused(curve({"--tpot-p99", "20 ms"}), 64,
                 "--curve has every time per token and --tpot-p99 limits it");
  expect_refused(curve({"--ttft-p90", "1 s"}), 64,
                 "--ttft-p90: no percentiles are known with --curve; limit the mean with --ttft");
  expect_refused(curve({"--figure", "a.png"}), 64,
                 "--figure a.png: it is drawn as SVG; name it FILE.svg");
  expect_refused(curve({"--measured", "a.csv"}), 64,
                 "--measured is drawn beside the curve; add --figure FILE.svg");
  expect_refused(curve({"--figure", path("no/a.svg")}), 73, "there is no folder");
  expect_refused(curve({"--top", "0"}), 64, "--top");
  expect_refused(scalesweep(joined(joined(model, {"--curve"}),
                                   {"--serve", "--prompt", "5", "--output-tokens", "1"})),
                 64, "--curve is over the time of each token after the first");
}

TEST_F(RecommendCurve, RefusesMeasuredPointsWithTheirPlace) {
  const auto expect_refused = [&](const std::string& text, const std::string& says) {
    const std::string file = write("measured.csv", text);
    const Said said = curve({"--measured", file, "--figure", path("none.svg")});
    EXPECT_EQ(said.code, 65) << said.err;
    EXPECT_TRUE(contains(said.err, file + says)) << says << "\n" << said.err;
    EXPECT_EQ(said.out, "");
  };
  expect_refused("tokens_per_s_users,tokens_per_s_device\n1,2\n",
                 ":1:1: error: there is no column 'tokens_per_s_user'; did you mean "
                 "'tokens_per_s_users'?; a measured point has tokens_per_s_user, "
                 "tokens_per_s_device and, where there are several series, label");
  expect_refused("tokens_per_s_user,tokens_per_s_device\n1,many\n",
                 ":2:2: error: tokens_per_s_device: 'many' is not a positive number");
  expect_refused("tokens_per_s_user,tokens_per_s_device\n,2\n",
                 ":2:1: error: tokens_per_s_user: is required: a positive number");
  expect_refused("tokens_per_s_user,tokens_per_s_device\n",
                 ":1:1: error: it has no points; write one a line");
  const Said none = curve({"--measured", path("none.csv"), "--figure", path("none.svg")});
  EXPECT_EQ(none.code, 66);
  EXPECT_TRUE(contains(none.err, "none.csv")) << none.err;
}

TEST_F(RecommendCurve, IsNamedWhereNothingLimitsAService) {
  const Words words = {"recommend", "--serve", "--model",   "llama-2-7b", "--prompt",        "500",
                       "--device",  "h100",    "--devices", "1",          "--output-tokens", "100"};
  const std::string says = "note: --curve shows tokens/s a device over tokens/s a user";
  EXPECT_TRUE(contains(scalesweep(words).out, says));
  EXPECT_FALSE(contains(scalesweep(joined(words, {"--tpot", "20 ms"})).out, says));
  EXPECT_FALSE(contains(scalesweep(joined(words, {"--concurrency", "4"})).out, says));
}

TEST_F(RecommendCurve, TakesLoadsThatReplicasCanShare) {
  const std::vector<std::int64_t> loads = cli::curve_loads(2);
  EXPECT_EQ(loads.front(), 1);
  EXPECT_EQ(loads.back(), 2048);
  EXPECT_TRUE(std::is_sorted(loads.begin(), loads.end()));
  const std::vector<std::int64_t> first(loads.begin(), loads.begin() + 13);
  EXPECT_EQ(first, (std::vector<std::int64_t>{1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20}));
  for (std::size_t i = 8; i < loads.size(); ++i) {
    EXPECT_LE(static_cast<double>(loads[i]), 1.25 * static_cast<double>(loads[i - 1]));
  }
}

cli::Curve drawn_curve() {
  cli::Curve curve;
  for (int i = 1; i <= 40; ++i) {
    cli::CurvePoint point;
    point.user_per_s = 400.0 / i;
    point.device_per_s = 10.0 * i;
    curve.points.push_back(point);
  }
  return curve;
}

TEST_F(RecommendCurve, FindsThePointOfARateWithinItsRange) {
  const cli::Curve curve = drawn_curve();
  EXPECT_EQ(cli::point_at_least(curve, 10.0), nullptr);  // all of it
  EXPECT_EQ(cli::point_at_least(curve, 401.0), nullptr);
  EXPECT_EQ(cli::point_at_least(curve, 50.0)->device_per_s, 80.0);
  EXPECT_EQ(cli::point_at_least(curve, 49.0)->device_per_s, 80.0);
  EXPECT_EQ(cli::point_at_least(curve, 400.0)->device_per_s, 10.0);
}

TEST_F(RecommendCurve, ShowsTheEndsOfACurve) {
  const cli::Curve curve = drawn_curve();
  for (const std::size_t most : {std::size_t{1}, std::size_t{5}, std::size_t{12}}) {
    const std::vector<std::size_t> shown = cli::shown_points(curve, most);
    EXPECT_EQ(shown.front(), 0U);
    EXPECT_EQ(shown.back(), 39U);
    EXPECT_LE(shown.size(), std::max(most, std::size_t{4}));
  }
  EXPECT_EQ(cli::shown_points(curve, 40).size(), 40U);
}

}  // namespace
}  // namespace scalesweep::test
