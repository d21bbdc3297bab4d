// Explanations of inference and serving: a static batch and a service, operator by operator.
#include <nlohmann/json.hpp>

#include <fstream>
#include <regex>
#include <set>

#include "cli_fixture.hpp"
#include "core/host/files.hpp"
#include "estimator/parts/charges.hpp"
#include "support/shipped_catalog.hpp"
#include "support/specs.hpp"

namespace scalesweep::test {
namespace {

using nlohmann::json;

std::string batch_spec() {
  return tests::inference_spec(1);
}

std::string service_spec() {
  return R"(schema = 1
title = "Service"
[workload]
kind = "serving"
model = "llama-3-70b"
requests = [{ prompt = 500, output = 200, share = 0.7 }, { prompt = 2000, output = 300 }]
framework = "tensorrt-llm"
batching = "chunked"
time_to_first_token = "2 s"
time_per_output_token = "50 ms"
[system]
accelerators = 8
device = "h100-sxm"
[strategy]
tensor_parallel = 8
)";
}

std::string one_device(const std::string& device) {
  return R"(schema = 1
title = "One device"
[workload]
kind = "inference"
model = "llama-3-8b"
prompt = 200
output = 20
batch = 1
precision = "fp16"
framework = "tensorrt-llm"
[system]
accelerators = 1
device = ")" +
         device + R"("
[strategy]
tensor_parallel = 1
)";
}

class Explain : public CliTest {
 protected:
  std::string explain(const std::string& text, const std::string& format) const {
    const Said said =
        scalesweep({"explain", write("spec.toml", text), "--point", "0", "--format", format});
    EXPECT_EQ(said.code, 0) << said.err;
    return said.out;
  }
  json explained(const std::string& text) const { return json::parse(explain(text, "json")); }
};

// The value of a name in a sheet of two columns; null if it is not there.
json value_of(const json& sheet, const std::string& name) {
  for (const json& row : sheet) {
    if (row.at("name") == name) {
      return row.at("value");
    }
  }
  return {};
}

double sum_of(const json& sheet, const char* column) {
  double sum = 0.0;
  for (const json& row : sheet) {
    sum += row.at(column).get<double>();
  }
  return sum;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

// As the study says it.
TEST_F(Explain, SaysThatNoClockKeepsThePowerLimit) {
  const std::string text = R"(schema = 1
title = "A limit that nobody can keep"
[workload]
kind = "training"
model = "llama-3-8b"
sequence = 4096
global_batch = 64
framework = "megatron-bridge"
[system]
accelerators = 16
device = "mi355x"
power_limit = "240 W"
[strategy]
tensor_parallel = 4
sequence_parallel = true
zero = 1
)";
  const Said said = scalesweep({"explain", write("limit.toml", text), "--point", "0"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "power_below_rest: a device takes ")) << said.out;
  EXPECT_TRUE(contains(said.out, "its power limit is 240 W")) << said.out;
}

TEST_F(Explain, SaysThatNoClockKeepsThePowerLimitOfRequests) {
  const auto limited = [](const std::string& spec) {
    return replaced(replaced(spec, "\"h100-sxm\"", "\"mi355x\""), "[strategy]",
                    "power_limit = \"240 W\"\n[strategy]");
  };
  for (const std::string& spec : {batch_spec(), service_spec()}) {
    const std::string text = explain(limited(spec), "text");
    EXPECT_TRUE(contains(text, "power_below_rest: a device takes ")) << text;
    EXPECT_TRUE(contains(text, "its power limit is 240 W")) << text;
  }
}

// In the result, and by how much.
TEST_F(Explain, SaysThatNoLimitSoLowWasMeasured) {
  const std::string text =
      explain(replaced(batch_spec(), "[strategy]", "power_limit = \"300 W\"\n[strategy]"), "text");
  EXPECT_TRUE(contains(text, "measured nowhere: power limit not measured")) << text;
  EXPECT_FALSE(contains(explain(batch_spec(), "text"), "power limit not measured"));
}

// What a phase says is no axis, and is told beside its name.
TEST_F(Explain, TellsWhatThePhaseOfAPointSays) {
  const TemporaryFolder folder;
  write_text(folder / "spec.toml",
             replaced(small_spec(), "global_batch = 32\n",
                      "tokens = \"1 T\"\nphases = [{ name = \"low\", share = 0.25, global_batch = "
                      "16 }, { name = \"high\", share = 0.75, global_batch = 32 }]\n"));
  const Said said = scalesweep({"explain", (folder / "spec.toml").string(), "--point", "0"});
  ASSERT_EQ(said.code, 0) << said.err;
  const std::string text = std::regex_replace(said.out, std::regex(" +"), " ");
  EXPECT_NE(text.find(" phase low\n token_share 0.25\n global_batch 16\n"), std::string::npos);
  EXPECT_NE(text.find(" sequence 2048\n"), std::string::npos);
}

TEST_F(Explain, TextOfABatchHasResultOperatorsMemoryAndDevice) {
  const std::string text = explain(batch_spec(), "text");
  for (const char* word :
       {"Point 0 of Inference", "time_per_output_token", "energy_per_token",
        "Latency by the resource that set it", "Latency by phase", "prefill_linear",
        "decode_attention",
        "Operators of the prefill of 1 prompt of 1000 tokens, one device; compute and DRAM ",
        "Operators of the decode of 1 sequence with 1099.5 tokens before", "FLOP/B", "bound by",
        "\n  embedding\n", "\n  layer\n", "\n  head\n", "\n  sum ", "Memory of the fullest device",
        "largest_batch", "Device and networks"}) {
    EXPECT_TRUE(contains(text, word)) << word << "\n" << text;
  }
}

TEST_F(Explain, SaysOfEachRequirementWhetherItIsMet) {
  const std::string spec = write("asked.toml", batch_spec() + R"([[require]]
name = "room"
where = "memory_total < memory_capacity"
[[require]]
name = "at_once"
where = "latency < '1 us'"
)");
  const Said said = scalesweep({"explain", spec, "--point", "0"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "Requirements of the spec\n")) << said.out;
  EXPECT_TRUE(contains(said.out, "met: memory_total < memory_capacity\n")) << said.out;
  EXPECT_TRUE(contains(said.out, "missed: latency < '1 us'\n")) << said.out;
}

TEST_F(Explain, PartsOfABatchSumToItsLatency) {
  const json sheets = explained(batch_spec());
  const double latency_s = value_of(sheets.at("result"), "latency");
  EXPECT_GT(latency_s, 0.0);
  EXPECT_NEAR(sum_of(sheets.at("resources"), "time"), latency_s, 1e-9 * latency_s);
  EXPECT_NEAR(sum_of(sheets.at("phases"), "time"), latency_s, 1e-9 * latency_s);
  const double first_s = value_of(sheets.at("result"), "time_to_first_token");
  const double each_s = value_of(sheets.at("result"), "time_per_output_token");
  EXPECT_NEAR(first_s + 199.0 * each_s, latency_s, 1e-9 * latency_s);
  EXPECT_EQ(value_of(sheets.at("result"), "status"), "ok");
  EXPECT_TRUE(value_of(sheets.at("result"), "note").is_null());
  // Operators of one pass are less than what passes take with their host.
  EXPECT_LT(sum_of(sheets.at("prefill_operators"), "pass_s"), first_s);
  EXPECT_LT(sum_of(sheets.at("decode_operators"), "pass_s"), each_s);
  EXPECT_GT(sum_of(sheets.at("decode_operators"), "pass_s"), 0.5 * each_s);
}

TEST_F(Explain, EveryOperatorSaysWhatItDoesAndWhatBoundsIt) {
  const json sheets = explained(batch_spec());
  const std::set<std::string> resources(estimator::resource_names.begin(),
                                        estimator::resource_names.end());
  for (const char* name : {"prefill_operators", "decode_operators"}) {
    const json& operators = sheets.at(name);
    ASSERT_GT(operators.size(), 8U) << name;
    std::set<std::string> blocks;
    for (const json& row : operators) {
      blocks.insert(row.at("block").get<std::string>());
      const double once_s = row.at("once_s");
      EXPECT_GT(once_s, 0.0) << row;
      EXPECT_NEAR(row.at("pass_s").get<double>(), row.at("times").get<double>() * once_s,
                  1e-12 * once_s * row.at("times").get<double>());
      EXPECT_EQ(resources.count(row.at("bound").get<std::string>()), 1U) << row;
      if (!row.at("intensity").is_null()) {
        EXPECT_NEAR(row.at("intensity").get<double>() * row.at("bytes").get<double>(),
                    row.at("flop").get<double>(), 1e-9 * row.at("flop").get<double>());
      }
    }
    EXPECT_EQ(blocks, (std::set<std::string>{"embedding", "head", "layer"})) << name;
    EXPECT_NEAR(sum_of(operators, "share"), 1.0, 1e-9);
  }
}

// Queries, keys and values of 3 * 4096 on two devices: 2 * tokens * 4096 * 6144 FLOP.
TEST_F(Explain, GemmsOfPrefillAreBoundByComputeAndThoseOfDecodeByDram) {
  const json sheets = explained(batch_spec());
  std::size_t gemms = 0;
  const auto check = [&](const char* sheet, double tokens, const char* shape, const char* bound) {
    for (const json& row : sheets.at(sheet)) {
      if (row.at("name") == "query key value") {
        EXPECT_EQ(row.at("shape"), shape);
        EXPECT_EQ(row.at("times"), 32.0);
        EXPECT_NEAR(row.at("flop").get<double>(), 2.0 * tokens * 4096 * 6144, 1.0);
        EXPECT_EQ(row.at("bound"), bound);
        ++gemms;
      }
    }
  };
  check("prefill_operators", 1000.0, "1000 x 6144 x 4096", "tensor_compute");
  check("decode_operators", 1.0, "1 x 6144 x 4096", "dram");
  EXPECT_EQ(gemms, 2U);
}

TEST_F(Explain, CsvIsTheOperatorsOfBothPhases) {
  for (const std::string& spec : {batch_spec(), service_spec()}) {
    const std::vector<std::string> lines = lines_of(explain(spec, "csv"));
    ASSERT_GT(lines.size(), 16U);
    EXPECT_EQ(lines.front(),
              "phase,block,name,times,flop,bytes,intensity,once_s,pass_s,share,bound,format,shape");
    const json sheets = explained(spec);
    const std::size_t prompts = sheets.at("prefill_operators").size();
    EXPECT_EQ(lines.size() - 1, prompts + sheets.at("decode_operators").size());
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::string phase = i <= prompts ? "prefill," : "decode,";
      EXPECT_EQ(lines[i].rfind(phase, 0), 0U) << lines[i];
    }
  }
}

TEST_F(Explain, ErrorBarsOfInferenceAreThoseOfTheirStackOrSaidNotToBe) {
  // A version that was measured on this device: the newest one was not.
  const std::string version = "tensorrt-llm@1.0";
  const auto measured = [&](const std::string& spec) {
    return replaced(spec, "\"tensorrt-llm\"", '"' + version + '"');
  };
  const json known =
      value_of(explained(measured(batch_spec())).at("result"), "relative_uncertainty");
  EXPECT_EQ(known.get<double>(),
            shipped_catalog()
                .uncertainty("h100-sxm", version, catalog::MeasuredWork::inference)
                .single_node.relative);
  const std::string text = explain(measured(batch_spec()), "text");
  EXPECT_TRUE(contains(text, " % of the latency\n")) << text;
  const std::string other = explain(replaced(batch_spec(), "\"h100-sxm\"", "\"b300-sxm\""), "text");
  EXPECT_TRUE(
      contains(other,
               " % of the latency; device not measured: that of others, and what such were off "
               "more when they were left out\n"))
      << other;
  EXPECT_TRUE(
      contains(explain(measured(service_spec()), "text"), " % of the time per output token\n"));
}

TEST_F(Explain, BatchesThatDoNotFitSayHowManyRequestsDo) {
  const json sheets = explained(replaced(batch_spec(), "batch = 1\n", "batch = 4096\n"));
  EXPECT_EQ(value_of(sheets.at("result"), "status"), "does_not_fit");
  const json& memory = sheets.at("memory");
  const double largest = value_of(memory, "largest_batch");
  EXPECT_GT(largest, 1.0);
  EXPECT_LT(largest, 4096.0);
  EXPECT_EQ(value_of(memory, "largest_batch_per_replica"), largest);
  EXPECT_EQ(value_of(memory, "prefill_chunk"), 8192.0);
  EXPECT_EQ(value_of(sheets.at("result"), "requests_in_flight"), 4096.0);
  EXPECT_EQ(value_of(sheets.at("result"), "requests_in_flight_per_replica"), 4096.0);
  EXPECT_GT(value_of(memory, "total").get<double>(), value_of(memory, "usable").get<double>());
  const json parts = json::array(
      {value_of(memory, "weights"), value_of(memory, "cache"), value_of(memory, "activations")});
  EXPECT_NEAR(parts[0].get<double>() + parts[1].get<double>() + parts[2].get<double>(),
              value_of(memory, "total").get<double>(), 1.0);
}

TEST_F(Explain, RequestsBeyondTheContextOfTheModelGetANote) {
  const char* note = "prompt and output are longer than the 4,096 tokens of the model";
  EXPECT_EQ(
      value_of(explained(replaced(batch_spec(), "prompt = 1000", "prompt = 4000")).at("result"),
               "note"),
      note);
  const std::string service = replaced(service_spec(), "llama-3-70b", "llama-2-70b");
  EXPECT_TRUE(value_of(explained(service).at("result"), "note").is_null());
  EXPECT_EQ(
      value_of(explained(replaced(service, "prompt = 2000", "prompt = 4000")).at("result"), "note"),
      note);
}

TEST_F(Explain, AServiceSaysItsRateAndWhatBoundsIt) {
  const json sheets = explained(service_spec());
  const json& result = sheets.at("result");
  EXPECT_EQ(value_of(result, "status"), "meets_limits");
  EXPECT_TRUE(value_of(result, "miss").is_null());
  EXPECT_LE(value_of(result, "time_to_first_token").get<double>(), 2.0);
  EXPECT_LE(value_of(result, "time_per_output_token").get<double>(), 50e-3);
  const double rate = value_of(result, "request_rate");
  const double tokens = (0.7 * 200 + 1.0 * 300) / 1.7;
  const double tokens_per_s = value_of(result, "tokens_per_second");
  EXPECT_NEAR(tokens_per_s, rate * tokens, 1e-6 * tokens_per_s);
  EXPECT_NEAR(value_of(result, "tokens_per_second_per_device").get<double>(), tokens_per_s / 8.0,
              1e-9 * tokens_per_s);
  EXPECT_NEAR(sum_of(sheets.at("resources"), "time"), sum_of(sheets.at("phases"), "time"), 1e-9);
  EXPECT_FALSE(sheets.at("decode_operators").empty());
  const std::string text = explain(service_spec(), "text");
  for (const char* word : {"requests/s", "waiting", "A mean iteration by the resource that set it",
                           "A mean iteration by phase"}) {
    EXPECT_TRUE(contains(text, word)) << word << "\n" << text;
  }
}

TEST_F(Explain, AServiceThatMissesItsLimitsSaysByHowMuch) {
  const std::string slow = replaced(service_spec(), "\"50 ms\"", "\"7 ms\"");
  const json result = explained(slow).at("result");
  EXPECT_EQ(value_of(result, "status"), "misses_limits");
  const double miss = value_of(result, "miss");
  EXPECT_GT(miss, 0.0);
  EXPECT_NEAR(miss, value_of(result, "time_per_output_token").get<double>() / 7e-3 - 1.0, 1e-6);
  EXPECT_TRUE(contains(explain(slow, "text"), " % beyond the limits\n"));
  const std::string hopeless = replaced(service_spec(), "\"50 ms\"", "\"1 us\"");
  EXPECT_TRUE(contains(explain(hopeless, "text"), " times what the limits allow\n"));
}

TEST_F(Explain, AServiceThatCannotBeSaysWhy) {
  const std::string alone = replaced(service_spec(), "\"chunked\"", "\"disaggregated\"");
  EXPECT_EQ(value_of(explained(alone).at("result"), "status"), "too_few_replicas");
  const std::string small =
      replaced(replaced(service_spec(), "accelerators = 8", "accelerators = 1"),
               "tensor_parallel = 8", "tensor_parallel = 1");
  EXPECT_EQ(value_of(explained(small).at("result"), "status"), "does_not_fit");
}

// 16 GB of weights in 64 GiB on the die; and on an H100, whose L2 holds none of them from pass to
// pass.
TEST_F(Explain, SaysWhatStaysInL2WhereAnythingDoes) {
  const std::filesystem::path nodes = folder() / "nodes";
  std::filesystem::copy(source_folder() / "nodes", nodes);
  std::string text = read_file(nodes / "devices-nvidia.toml");
  const std::size_t l2 = text.find("capacity", text.find("[device.h100-sxm.l2]"));
  text.replace(l2, text.find('\n', l2) - l2, "capacity = \"64 GiB\"");
  std::ofstream(nodes / "devices-nvidia.toml") << text;
  const std::string spec = write("spec.toml", one_device("h100-sxm"));
  const auto memory_at = [&](const std::filesystem::path& catalog) {
    const Said said = scalesweep(
        {"explain", spec, "--point", "0", "--format", "json", "--catalog", catalog.string()});
    EXPECT_EQ(said.code, 0) << said.err;
    return json::parse(said.out).at("memory");
  };
  EXPECT_EQ(value_of(memory_at(nodes), "kept_in_l2"), 1.0);
  EXPECT_TRUE(value_of(memory_at(source_folder() / "nodes"), "kept_in_l2").is_null());
  const Said told = scalesweep({"explain", spec, "--point", "0", "--catalog", nodes.string()});
  EXPECT_TRUE(contains(told.out, "100 % of weights and cache stay in L2 from pass to pass"))
      << told.out;
}

// On a wafer memory is in the cores, which is said instead of what stays in a cache.
TEST_F(Explain, SaysWhereMemoryIsOnAWafer) {
  const std::string said = explain(one_device("wse-3"), "text");
  EXPECT_TRUE(contains(said, "in the cores: weights, cache and activations stay")) << said;
  EXPECT_FALSE(contains(explain(one_device("h100-sxm"), "text"), "in the cores"));
  const json sheets = explained(one_device("wse-3"));
  EXPECT_EQ(value_of(sheets.at("result"), "status"), "ok");
  EXPECT_EQ(value_of(sheets.at("result"), "bottleneck"), "latency");
  EXPECT_TRUE(value_of(sheets.at("memory"), "kept_in_l2").is_null());
}

TEST_F(Explain, SaysHowOperandsAreScaled) {
  constexpr const char* said = "operands scaled by recipe";
  std::string spec = one_device("b200-sxm");
  EXPECT_FALSE(contains(explain(spec, "text"), said));
  spec.replace(spec.find("fp16"), 4, "mxfp8");
  const json sheets = explained(spec);
  EXPECT_EQ(value_of(sheets.at("result"), "status"), "ok");
  EXPECT_EQ(value_of(sheets.at("device"), said), "mxfp8");
}

}  // namespace
}  // namespace scalesweep::test
