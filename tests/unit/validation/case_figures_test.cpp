// Energy per token and power: what is read, what is predicted of them, and mistakes.
#include "validation/cases/case_figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/shipped_catalog.hpp"
#include "validation/cases/case_file.hpp"
#include "validation/reports.hpp"

namespace scalesweep::validation {
namespace {

using testing::HasSubstr;

const std::string training =
    "case,device,gpus,model,seq,global_batch,micro_batch,tp,step_time_s,energy_per_token_j,"
    "power_w\n";
const std::string inference =
    "case,device,gpus,model,tp,batch,concurrency,prompt_tokens,output_tokens,metric,value,"
    "energy_per_token_j,power_w\n";

CaseFile evaluate(const std::string& text, Diagnostics& diagnostics) {
  auto cases = evaluate_file("f.csv", text, test::shipped_catalog(), "overlapped", diagnostics);
  return cases ? std::move(*cases) : CaseFile();
}

CaseFile evaluate(const std::string& text) {
  Diagnostics diagnostics;
  CaseFile cases = evaluate(text, diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  return cases;
}

TEST(CaseFigures, AreThoseOfAllDevicesAndTheirTokens) {
  const CaseFigures energy = energy_at(500.0, 8, 2000.0);
  EXPECT_DOUBLE_EQ(*energy.power_w, 4000.0);
  EXPECT_DOUBLE_EQ(*energy.energy_per_token_j, 2.0);
}

TEST(CaseFigures, OfAStepAreOfAllItsTokens) {
  const CaseFile cases = evaluate(training + "a,h100-sxm,8,llama-2-7b,4096,16,1,8,1.5,0.09,4400\n");

  ASSERT_EQ(cases.rows.size(), 1U);
  const CaseRow& row = cases.rows[0];
  EXPECT_EQ(row.measured_figures.energy_per_token_j, 0.09);
  EXPECT_EQ(row.measured_figures.power_w, 4400.0);
  const CaseFigures& predicted = row.predicted.figures;
  EXPECT_DOUBLE_EQ(*predicted.power_w, 8.0 * *row.predicted.device_power_w);
  EXPECT_NEAR(*predicted.energy_per_token_j * 16.0 * 4096.0,
              *predicted.power_w * *row.predicted.value, 1e-9 * *predicted.power_w);
}

TEST(CaseFigures, OfABatchAreOfItsOutputFromStartToEnd) {
  const CaseFile cases =
      evaluate(inference + "a,h100-sxm,4,llama-2-70b,4,8,,512,64,latency_s,2,3,1500\n" +
               "b,h100-sxm,4,llama-2-70b,4,8,,512,64,tpot_s,0.02,3,1500\n");

  ASSERT_EQ(cases.rows.size(), 2U);
  const Prediction& whole = cases.rows[0].predicted;
  EXPECT_EQ(cases.rows[0].measured_figures.power_w, 1500.0);
  EXPECT_DOUBLE_EQ(*whole.figures.power_w, 4.0 * *whole.device_power_w);
  EXPECT_NEAR(*whole.figures.energy_per_token_j * 8.0 * 64.0, *whole.figures.power_w * *whole.value,
              1e-9 * *whole.figures.power_w);
  EXPECT_EQ(whole.figures.energy_per_token_j, cases.rows[1].predicted.figures.energy_per_token_j)
      << "whatever the metric is";
}

TEST(CaseFigures, OfOpenRequestsAreThoseOfTheRunningServer) {
  const CaseFile cases =
      evaluate(inference + "a,h100-sxm,4,llama-2-70b,4,,16,512,64,tokens_per_s,400,3,1500\n");

  ASSERT_EQ(cases.rows.size(), 1U);
  const Prediction& p = cases.rows[0].predicted;
  EXPECT_DOUBLE_EQ(*p.figures.power_w, 4.0 * *p.device_power_w);
  EXPECT_DOUBLE_EQ(*p.figures.energy_per_token_j * *p.value, *p.figures.power_w);
}

TEST(CaseFigures, ThatAreNotPublishedAreEmpty) {
  const CaseFile cases = evaluate(training + "a,h100-sxm,8,llama-2-7b,4096,16,1,8,1.5,,\n");
  EXPECT_FALSE(cases.rows[0].measured_figures.energy_per_token_j);
  EXPECT_FALSE(cases.rows[0].measured_figures.power_w);
  EXPECT_TRUE(cases.rows[0].predicted.figures.power_w);
}

TEST(CaseFigures, OfWhatIsNotPredictedAreEmpty) {
  const CaseFile cases =
      evaluate(inference + "a,h100-sxm,1,llama-2-70b,1,,4,512,64,tpot_s,0.02,3,1500\n");
  EXPECT_EQ(cases.rows[0].predicted.note, "does not fit into memory");
  EXPECT_FALSE(cases.rows[0].predicted.figures.power_w);
  EXPECT_THAT(predictions_csv(cases), HasSubstr("tpot_s,0.02,3,1500,,,,"));
}

TEST(CaseFigures, WithMistakesSayWhereAndLeaveTheRowOut) {
  Diagnostics diagnostics;
  const CaseFile cases =
      evaluate(inference + "a,h100-sxm,4,llama-2-70b,4,8,,512,64,tpot_s,0.02,none,1500\n" +
                   "b,h100-sxm,4,llama-2-70b,4,8,,512,64,tpot_s,0.02,3,-1500\n" +
                   "c,h100-sxm,4,llama-2-70b,4,8,,512,64,tpot_s,0.02,3,0\n",
               diagnostics);
  EXPECT_EQ(diagnostics.text(),
            "f.csv:2:12: error: energy_per_token_j: 'none' is not a positive number\n"
            "f.csv:3:13: error: power_w: '-1500' is not a positive number\n"
            "f.csv:4:13: error: power_w: '0' is not a positive number\n");
  for (const CaseRow& row : cases.rows) {
    EXPECT_FALSE(row.measured_figures.energy_per_token_j);
    EXPECT_FALSE(row.predicted.figures.power_w);
    EXPECT_THAT(row.predicted.note, HasSubstr("is not a positive number"));
  }
  Diagnostics of_steps;
  evaluate(training + "a,h100-sxm,8,llama-2-7b,4096,16,1,8,1.5,0.09,4.4kW\n", of_steps);
  EXPECT_EQ(of_steps.text(), "f.csv:2:11: error: power_w: '4.4kW' is not a positive number\n");
}

TEST(CaseFigures, AreWrittenBesideThePredictedValueWhereTheFileHasThem) {
  EXPECT_THAT(predictions_csv(evaluate(training)),
              HasSubstr("power_w,predicted_step_time_s,predicted_energy_per_token_j,"
                        "predicted_power_w,predicted_memory_states_gb,"));
  const std::string power_alone =
      predictions_csv(evaluate("case,device,gpus,seq,global_batch,micro_batch,power_w\n"));
  EXPECT_THAT(power_alone, HasSubstr("predicted_step_time_s,predicted_power_w,predicted_memory"));
  EXPECT_THAT(predictions_csv(evaluate("case,device,op,power_w\n")),
              HasSubstr("predicted_time_s,predicted_memory"))
      << "kernels have none";
}

const std::string runs =
    "case,device,gpus,model,seq,global_batch,micro_batch,tp,tokens_billion,reliability,"
    "checkpoint,failures_per_day,goodput,time_to_train_days\n";

TEST(CaseFigures, OfAWholeRunFollowFromWhatFails) {
  const CaseFile cases =
      evaluate(runs + "some,h100-sxm,64,llama-2-7b,4096,512,1,8,1000,default,peer,,0.99,30\n" +
               "many,h100-sxm,64,llama-2-7b,4096,512,1,8,1000,default,peer,4,0.9,33\n" +
               "none,h100-sxm,64,llama-2-7b,4096,512,1,8,1000,none,,,,\n" +
               "step,h100-sxm,64,llama-2-7b,4096,512,1,8,,,,,,\n");

  ASSERT_EQ(cases.rows.size(), 4U);
  const auto predicted = [&](std::size_t row) { return cases.rows[row].predicted.figures; };
  EXPECT_EQ(cases.rows[0].measured_figures.goodput, 0.99);
  EXPECT_EQ(cases.rows[1].measured_figures.time_to_train_days, 33.0);
  EXPECT_GT(*predicted(0).goodput, *predicted(1).goodput);
  EXPECT_GT(*predicted(2).goodput, 0.9999);
  const double step_days = *cases.rows[2].predicted.value / 86400.0;
  EXPECT_NEAR(*predicted(2).time_to_train_days, step_days * 1e12 / (4096.0 * 512.0), 0.01);
  EXPECT_NEAR(*predicted(1).time_to_train_days * *predicted(1).goodput,
              *predicted(2).time_to_train_days, 0.01);
  EXPECT_FALSE(predicted(3).goodput);
}

// Days are held against what labs' runs took over what is predicted of them, each side by its own.
TEST(CaseFigures, OfDaysHaveTheErrorBarOfARun) {
  const auto file = [](double days) {
    return evaluate(runs + "a,h100-sxm,64,llama-2-7b,4096,512,1,8,1000,default,peer,,," +
                    std::to_string(days) + "\n");
  };
  const Prediction predicted = file(30.0).rows[0].predicted;
  const double days = *predicted.figures.time_to_train_days;
  ASSERT_TRUE(predicted.reached.is_known());
  const Figure figure = {"time_to_train_days", &CaseFigures::time_to_train_days};
  const auto coverage = [&](double times) {
    const CaseFile cases = file(times * days);
    return agreement({&cases.rows[0]}, figure).coverage;
  };
  const estimator::ReachedTimes& reached = predicted.reached;
  EXPECT_EQ(coverage(0.999 * reached.high).within_one, 1U);
  EXPECT_EQ(coverage(1.001 * reached.low).within_one, 1U);
  const Coverage beyond = coverage(1.01 * reached.high);
  EXPECT_EQ(beyond.count, 1U);
  EXPECT_EQ(beyond.within_one, 0U);
  EXPECT_EQ(beyond.within_two, 1U);
  EXPECT_EQ(coverage(0.99 * reached.low * reached.low / reached.middle).within_two, 0U);
  const CaseFile none = evaluate(runs + "a,h100-sxm,64,llama-2-7b,4096,512,1,8,1000,none,,,,30\n");
  EXPECT_EQ(agreement({&none.rows[0]}, figure).coverage.count, 0U) << "nobody reached that";
}

TEST(CaseFigures, OfARunNameEntriesThatThereAre) {
  Diagnostics diagnostics;
  (void)evaluate(runs + "a,h100-sxm,64,llama-2-7b,4096,512,1,8,1000,best,,,0.9,\n" +
                     "b,h100-sxm,64,llama-2-7b,4096,512,1,8,1000,,tape,,0.9,\n",
                 diagnostics);
  EXPECT_THAT(diagnostics.text(), HasSubstr("f.csv:2:10: error: "));
  EXPECT_THAT(diagnostics.text(), HasSubstr("best"));
  EXPECT_THAT(diagnostics.text(), HasSubstr("f.csv:3:11: error: "));
  EXPECT_THAT(diagnostics.text(), HasSubstr("tape"));
}

}  // namespace
}  // namespace scalesweep::validation
