// scalesweep validate: measured cases in, predicted against measured out.
#include <nlohmann/json.hpp>

#include <cmath>

#include "cli/cli_fixture.hpp"

namespace scalesweep::test {
namespace {

class Validate : public CliTest {
 protected:
  std::string training(const std::string& name = "training.csv") const {
    return write(name,
                 "case,source,device,gpus,model,seq,global_batch,micro_batch,tp,step_time_s\n"
                 "a,somebody,h100-sxm,8,llama-2-7b,4096,16,1,8,1.5\n"
                 "b,somebody,h100-sxm,8,llama-2-7b,4096,16,1,4,1.4\n");
  }
  std::string kernels() const {
    return write("kernels.csv",
                 "case,device,op,m,k,n,precision,library,time_s\n"
                 "k,h100-sxm,matmul,4096,4096,4096,bf16,cuBLAS,2e-4\n");
  }
};

TEST_F(Validate, HoldsInferenceAgainstMeasurements) {
  const std::string inference = write(
      "inference.csv",
      "case,source,framework,device,gpus,model,tp,batch,prompt_tokens,output_tokens,metric,value\n"
      "a,nim/benchmarking,tensorrt-llm,h100-sxm,4,llama-3-70b,4,1,200,200,tpot_s,0.019\n"
      "b,nim/benchmarking,tensorrt-llm,h100-sxm,4,llama-3-70b,4,1,200,200,ttft_s,0.033\n"
      "c,NVIDIA/TensorRT-LLM docs,,h100-sxm,4,llama-2-70b,4,8,128,128,tokens_per_s,400\n");
  const Said said = scalesweep({"validate", inference, "--by", "framework,metric"});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* part :
       {"inference", "NIM, time per output token", "tpot_s", "tokens_per_s", "by framework, metric",
        "framework tensorrt-llm, metric ttft_s", "0.019 s", "400 /s", "h100-sxm"}) {
    EXPECT_TRUE(contains(said.out, part)) << part << "\n" << said.out;
  }
  const auto json = nlohmann::json::parse(scalesweep({"validate", inference, "--json"}).out);
  ASSERT_EQ(json["summary"].size(), 2U);
  EXPECT_EQ(json["summary"][0]["count"], 3);
  EXPECT_EQ(json["summary"][1]["rows"], "NIM, time per output token");
  EXPECT_EQ(json["summary"][1]["count"], 1);
  EXPECT_EQ(json["cases"][2]["measured"], 400);
  EXPECT_EQ(json["cases"][2]["requests_in_flight"], 8);
  EXPECT_EQ(json["cases"][2]["requests_in_flight_per_replica"], 8);
  EXPECT_EQ(json["cases"][2]["largest_batch"], json["cases"][2]["largest_batch_per_replica"]);
}

TEST_F(Validate, PrintsEveryReportForSeveralFiles) {
  const Said said = scalesweep({"validate", training(), kernels()});
  EXPECT_EQ(said.code, 0) << said.err;
  for (const char* part :
       {"predicted against measured", "training.csv", "kernels.csv", "Spearman", "mean |error|",
        "at 5 % MFU or more", "by source, device, framework, operator and precision", "somebody",
        "cuBLAS", "thermal design power"}) {
    EXPECT_TRUE(contains(said.out, part)) << part << "\n" << said.out;
  }
}

TEST_F(Validate, GivesProgramsTheSameAsJson) {
  const Said said = scalesweep({"validate", training(), kernels(), "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  for (const char* sheet :
       {"cases", "summary", "groups", "rankings", "memory", "verdicts", "power"}) {
    EXPECT_TRUE(json.contains(sheet)) << sheet;
  }
  EXPECT_EQ(json["cases"].size(), 3U);
  EXPECT_EQ(json["summary"][0]["count"], 2);
  EXPECT_EQ(json["summary"][0]["file"], "training.csv");
  EXPECT_GT(json["summary"][2]["mean_absolute_error"].get<double>(), 0.0);
  EXPECT_EQ(said.out, scalesweep({"validate", training(), kernels(), "--format", "json"}).out);
}

TEST_F(Validate, SaysHowManyErrorsAreWithinTheirBars) {
  const std::string file = training();
  const auto json = nlohmann::json::parse(scalesweep({"validate", file, "--json"}).out);
  const auto& all = json["summary"][0];
  EXPECT_EQ(all["error_bars"], 2);
  double one = 0.0;
  double two = 0.0;
  for (const auto& c : json["cases"]) {
    const double bar = c["predicted_relative_uncertainty"].get<double>();
    const double error = std::fabs(c["error"].get<double>());
    one += error <= bar ? 0.5 : 0.0;
    two += error <= 2.0 * bar ? 0.5 : 0.0;
  }
  EXPECT_EQ(all["within_one_error_bar"], one);
  EXPECT_EQ(all["within_two_error_bars"], two);
  EXPECT_EQ(json["groups"][0]["error_bars"], 2);
  EXPECT_TRUE(nlohmann::json::parse(
                  scalesweep({"validate", kernels(), "--json"}).out)["summary"][0]["error_bars"]
                  .is_null());
}

TEST_F(Validate, PutsDevicesInOrderOverAllFiles) {
  const auto step = [this](const std::string& device, const std::string& seconds) {
    return write(device + ".csv",
                 "case,device,gpus,model,seq,global_batch,micro_batch,tp,step_time_s\n"
                 "a," +
                     device + ",8,llama-2-7b,4096,16,1,8," + seconds + "\n");
  };
  // Measured as nobody would: A100 ahead of H100.
  const Said said = scalesweep({"validate", step("a100-sxm-80gb", "1.0"), step("h100-sxm", "2.0"),
                                step("b200-sxm", "0.5"), "--json"});
  ASSERT_EQ(said.code, 0) << said.err;
  const auto json = nlohmann::json::parse(said.out);
  ASSERT_EQ(json["device_orders"].size(), 1U);
  const auto& order = json["device_orders"][0];
  EXPECT_EQ(order["devices"], "b200-sxm, a100-sxm-80gb, h100-sxm");
  EXPECT_EQ(order["pairs"], 3);
  EXPECT_EQ(order["inverted"], 1);
  EXPECT_TRUE(
      contains(order["inverted_pairs"].get<std::string>(), "a100-sxm-80gb over h100-sxm 2.00, 0."))
      << order;
}

TEST_F(Validate, WritesThePredictionsOfOneFile) {
  const std::string out = path("out.csv");
  const Said said = scalesweep({"validate", training(), "--predictions", out});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.err, "predictions " + out + "\n");
  const std::string text = content(out);
  EXPECT_TRUE(contains(text,
                       "case,source,device,gpus,model,seq,global_batch,micro_batch,tp,step_time_s,"
                       "predicted_step_time_s,predicted_memory_states_gb,"
                       "predicted_memory_allocated_gb,predicted_memory_reserved_gb,predicted_fits,"
                       "predicted_relative_uncertainty,estimated_traits,estimated_device,"
                       "estimated_framework,"
                       "bottleneck,note\na,somebody,"))
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);

  const Said again = scalesweep({"validate", training(), "--predictions", out});
  EXPECT_EQ(again.err, "predictions " + out + " (replaced)\n");
  EXPECT_EQ(content(out), text);
}

TEST_F(Validate, HoldsEnergyAndPowerAgainstMeasurements) {
  const std::string cases =
      write("energy.csv",
            "case,framework,device,gpus,model,tp,batch,prompt_tokens,output_tokens,metric,value,"
            "energy_per_token_j,power_w\n"
            "a,vllm,h100-sxm,4,llama-3-70b,4,8,200,200,tpot_s,0.02,4,1800\n"
            "b,vllm,b200-sxm,1,llama-3-70b,1,8,200,200,tpot_s,0.02,2,800\n");
  const Said said = scalesweep({"validate", cases, "--by", "device"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "figure")) << said.out;
  const auto json =
      nlohmann::json::parse(scalesweep({"validate", cases, "--by", "device", "--json"}).out);
  for (const char* sheet : {"summary", "groups", "residuals"}) {
    const std::size_t groups = sheet == std::string("summary") ? 1 : 2;
    ASSERT_EQ(json[sheet].size(), 3 * groups) << sheet;
    EXPECT_EQ(json[sheet][0]["figure"], "value");
    EXPECT_EQ(json[sheet][1]["figure"], "energy_per_token_j");
    EXPECT_EQ(json[sheet][2]["figure"], "power_w");
    EXPECT_EQ(json[sheet][2]["count"], groups == 1 ? 2 : 1) << sheet;
  }
  const auto& first = json["cases"][0];
  const double power_w = first["predicted_power_w"].get<double>();
  EXPECT_NEAR(power_w, 4.0 * first["predicted_device_power"].get<double>(), 1e-6);
  EXPECT_NEAR(first["power_w_error"].get<double>(), power_w / 1800.0 - 1.0, 1e-6);
  EXPECT_GT(first["predicted_energy_per_token_j"].get<double>(), 0.0);
}

TEST_F(Validate, RefusesPredictionsOfSeveralFilesAndOverTheCases) {
  const Said several =
      scalesweep({"validate", training(), kernels(), "--predictions", path("out.csv")});
  EXPECT_EQ(several.code, 64);
  EXPECT_EQ(several.err,
            "scalesweep: error: --predictions takes the predictions of one case file, 2 are given; "
            "validate them one by one\n");
  const std::string cases = training();
  const std::string before = content(cases);
  const Said over = scalesweep({"validate", cases, "--predictions", cases});
  EXPECT_EQ(over.code, 64);
  EXPECT_TRUE(contains(over.err, "would overwrite the measured cases; name another file"))
      << over.err;
  EXPECT_EQ(content(cases), before);
}

TEST_F(Validate, ReportsMistakesAndStillRunsTheOtherRows) {
  const std::string cases =
      write("bad.csv",
            "case,device,gpus,model,seq,global_batch,micro_batch,tp,step_time_s\n"
            "a,h100-sxm,8,llama-2-7b,4096,16,1,8,soon\n"
            "b,h100-sxm,8,llama-2-7b,4096,16,1,8,1.5\n");
  const std::string out = path("out.csv");
  const Said said = scalesweep({"validate", cases, "--predictions", out, "--json"});
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(
      contains(said.err, cases + ":2:9: error: step_time_s: 'soon' is not a positive number\n"))
      << said.err;
  EXPECT_EQ(nlohmann::json::parse(said.out)["summary"][0]["count"], 1);
  EXPECT_TRUE(contains(content(out), "step_time_s: 'soon' is not a positive number\n"));

  const Said none = scalesweep({"validate", write("none.csv", "case,device\n")});
  EXPECT_EQ(none.code, 65);
  EXPECT_TRUE(contains(none.err, ":1:1: error: the column 'gpus' is missing")) << none.err;
  EXPECT_EQ(none.out, "");
}

TEST_F(Validate, KnowsItsFrameworks) {
  const Said said = scalesweep({"validate", training(), "--framework", "overlaped"});
  EXPECT_EQ(said.code, 65);
  EXPECT_TRUE(contains(said.err,
                       "--framework: the catalog has no framework 'overlaped'; did you "
                       "mean 'overlapped'?"))
      << said.err;
}

TEST_F(Validate, GroupsByAnyColumns) {
  const Said said = scalesweep({"validate", training(), kernels(), "--by", "tp,model"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "by tp, model\n")) << said.out;
  EXPECT_TRUE(contains(said.out, "tp 4, model llama-2-7b")) << said.out;
  const Said unknown = scalesweep({"validate", training(), "--by", "modell"});
  EXPECT_EQ(unknown.code, 64);
  EXPECT_TRUE(contains(unknown.err,
                       "--by: no case file has a column 'modell'; did you mean "
                       "'model'?"))
      << unknown.err;
}

TEST_F(Validate, NeedsCasesThatCanBeRead) {
  EXPECT_EQ(scalesweep({"validate"}).code, 64);
  EXPECT_EQ(scalesweep({"validate", path("absent.csv")}).code, 66);
}

TEST_F(Validate, ListsCasesInTextOnlyWhileTheyAreFew) {
  std::string many = "case,device,op,m,k,n,precision,time_s\n";
  for (int i = 0; i < 100; ++i) {
    many += "case number " + std::to_string(i) + ",h100-sxm,matmul,64,64,64,bf16,1e-5\n";
  }
  const std::string cases = write("many.csv", many);
  EXPECT_FALSE(contains(scalesweep({"validate", cases}).out, "case number 7"));
  EXPECT_TRUE(contains(scalesweep({"validate", cases, "--cases"}).out, "case number 7"));
  EXPECT_TRUE(contains(scalesweep({"validate", training()}).out, "1.5 s"));
}

}  // namespace
}  // namespace scalesweep::test
