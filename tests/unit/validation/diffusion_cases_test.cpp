#include "validation/kinds/diffusion_cases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "core/documents/csv_table.hpp"
#include "support/shipped_catalog.hpp"
#include "validation/cases/case_file.hpp"

namespace scalesweep::validation {
namespace {

using testing::HasSubstr;

using test::shipped_catalog;

const std::string header =
    "case,device,gpus,framework,diffusion_model,width,height,frames,batch,tensor_parallel,"
    "context_parallel,context_exchange,time_s\n";

CaseFile evaluated(const std::string& rows, Diagnostics& diagnostics) {
  return evaluate_file("cases.csv", header + rows, shipped_catalog(), "", diagnostics).value();
}

TEST(DiffusionCases, AreToldByTheirModel) {
  Diagnostics diagnostics;
  const CaseFile cases = evaluated(
      "a,h100-sxm,1,,flux-dev,1024,768,,2,,,,3\n"
      "b,h100-sxm,8,xdit,hunyuan-video,1280,720,129,1,,,all_to_all,300\n",
      diagnostics);
  EXPECT_EQ(diagnostics.text(), "");
  EXPECT_EQ(cases.kind, &diffusion_cases());
  EXPECT_EQ(cases.kind->name, "diffusion");
  EXPECT_EQ(cases.kind->value_column, "time_s");
  const CaseRow& row = cases.rows.front();
  EXPECT_EQ(row.shape, "flux-1-dev");
  EXPECT_EQ(row.framework, "diffusers");
  EXPECT_EQ(row.lengths, "1024x768");
  EXPECT_FALSE(row.is_rate);
  EXPECT_EQ(row.tokens, 2.0);
  EXPECT_EQ(row.measured, 3.0);
  ASSERT_TRUE(row.predicted.value);
  EXPECT_GT(*row.predicted.value, 0.0);
  EXPECT_GT(row.predicted.memory.allocated_bytes, row.predicted.memory.states_bytes);
  EXPECT_EQ(cases.rows[1].lengths, "1280x720x129");
  EXPECT_EQ(cases.rows[1].framework, "xdit");
}

struct Read {
  std::optional<DiffusionCase> found;
  std::string messages;
};

Read read(const std::string& row) {
  Diagnostics diagnostics;
  const CsvTable table = CsvTable::parse("cases.csv", header + row, diagnostics).value();
  RowReader reader(table, 0, shipped_catalog(), diagnostics);
  Systems systems(shipped_catalog());
  Read result;
  result.found = read_diffusion_case(reader, {shipped_catalog(), systems, ""});
  result.messages = diagnostics.text();
  return result;
}

TEST(DiffusionCases, DevicesShareTokensUnlessTheyAreSaidToDoOtherwise) {
  const auto all = read("a,h100-sxm,8,,sd3-medium,1024,1024,,1,2,,all_to_all,1\n").found;
  ASSERT_TRUE(all);
  EXPECT_EQ(all->strategy.tensor_parallel, 2);
  EXPECT_EQ(all->strategy.context_parallel, 4);
  EXPECT_EQ(all->strategy.data_parallel, 1);
  EXPECT_EQ(all->strategy.context_exchange, parallel::ContextExchange::all_to_all);
  const auto replicas = read("a,h100-sxm,8,,sd3-medium,1024,1024,,4,,1,,1\n").found;
  ASSERT_TRUE(replicas);
  EXPECT_EQ(replicas->strategy.data_parallel, 8);  // four pictures, two passes each
  EXPECT_EQ(replicas->strategy.context_exchange, parallel::ContextExchange::ring);
  EXPECT_EQ(replicas->job.model.steps, 28);
}

TEST(DiffusionCases, ARowSaysWhatIsWrong) {
  const auto messages = [](const std::string& row) { return read(row).messages; };
  EXPECT_THAT(messages("a,h100-sxm,1,,flux-2,1024,1024,,1,,,,1\n"), HasSubstr("cases.csv:2:5"));
  EXPECT_THAT(messages("a,h100-sxm,1,vllm-2023,flux-dev,1024,1024,,1,,,,1\n"),
              HasSubstr("nobody says how 'vllm-2023' runs diffusion models"));
  EXPECT_THAT(messages("a,h100-sxm,1,,flux-dev,1024,1024,16,1,,,,1\n"),
              HasSubstr("flux-1-dev makes images: 1 frame"));
  EXPECT_THAT(messages("a,h100-sxm,8,,flux-dev,1024,1024,,1,,3,,1\n"),
              HasSubstr("cases.csv:2:11: error: context_parallel: tensor_parallel (1) times "
                        "context_parallel (3) does not divide gpus (8)"));
  EXPECT_THAT(messages("a,h100-sxm,8,,flux-dev,1024,1024,,1,3,,,1\n"),
              HasSubstr("cases.csv:2:10: error: tensor_parallel: tensor_parallel (3) times"));
  EXPECT_THAT(
      messages("a,h100-sxm,8,,sd3-medium,1024,1024,,1,,1,,1\n"),
      HasSubstr("cases.csv:2:3: error: gpus: 1 images with 2 passes each are not shared evenly "
                "by 8 replicas"));
  EXPECT_THAT(messages("a,h100-sxm,8,,flux-dev,1024,1024,,1,,,mesh,1\n"),
              HasSubstr("'mesh' is none of ring, all_to_all"));
}

const std::string training_header =
    "case,device,gpus,diffusion_model,width,height,batch,work,states,weight_average,latents,"
    "micro_batch,recompute,zero,memory_allocated_gb,time_s\n";

std::optional<DiffusionCase> read_trained(const std::string& row, std::string& messages) {
  Diagnostics diagnostics;
  const CsvTable table = CsvTable::parse("cases.csv", training_header + row, diagnostics).value();
  RowReader reader(table, 0, shipped_catalog(), diagnostics);
  Systems systems(shipped_catalog());
  auto found = read_diffusion_case(reader, {shipped_catalog(), systems, ""});
  messages = diagnostics.text();
  return found;
}

TEST(DiffusionCases, TrainingSaysItsBatchesAndStates) {
  std::string messages;
  const auto c = read_trained(
      "a,h100-sxm,4,dit-xl-2,256,256,64,training,as_weights,none,stored,8,full,1,20,0.3\n",
      messages);
  ASSERT_TRUE(c) << messages;
  EXPECT_TRUE(c->job.trains());
  EXPECT_TRUE(c->job.training.states_as_weights);
  EXPECT_FALSE(c->job.training.averages_weights);
  EXPECT_FALSE(c->job.training.encodes);
  EXPECT_EQ(c->strategy.data_parallel, 4);
  EXPECT_EQ(c->strategy.micro_batch, 8);
  EXPECT_EQ(c->strategy.micro_batches, 2);
  EXPECT_EQ(c->strategy.zero, 1);
  EXPECT_EQ(c->strategy.recompute, parallel::Recompute::full);
  const auto plain =
      read_trained("a,h100-sxm,4,dit-xl-2,256,256,64,training,,,,,,,,0.3\n", messages);
  ASSERT_TRUE(plain) << messages;
  EXPECT_FALSE(plain->job.training.states_as_weights);
  EXPECT_TRUE(plain->job.training.averages_weights);
  EXPECT_TRUE(plain->job.training.encodes);
  EXPECT_EQ(plain->strategy.micro_batch, 16);
  EXPECT_EQ(plain->strategy.micro_batches, 1);
}

TEST(DiffusionCases, MemoryIsHeldAgainstWhatWasMeasured) {
  Diagnostics diagnostics;
  const CaseFile cases =
      evaluate_file("cases.csv",
                    training_header + "a,h100-sxm,1,dit-xl-2,256,256,16,training,,,,,,,20,0.3\n",
                    shipped_catalog(), "", diagnostics)
          .value();
  EXPECT_EQ(diagnostics.text(), "");
  EXPECT_EQ(cases.rows.front().op, "training");
  EXPECT_EQ(cases.rows.front().measured_memory.allocated_bytes, 20e9);
}

TEST(DiffusionCases, ATrainingRowSaysWhatIsWrong) {
  const auto messages = [](const std::string& row) {
    std::string said;
    read_trained(row, said);
    return said;
  };
  EXPECT_THAT(messages("a,h100-sxm,1,dit-xl-2,256,256,16,training,,,,3,,,,1\n"),
              HasSubstr("micro_batch: 3 does not divide the 16 images of a replica"));
  EXPECT_THAT(messages("a,h100-sxm,1,dit-xl-2,256,256,16,rest,,,,,,,,1\n"),
              HasSubstr("'rest' is none of inference, training"));
  EXPECT_THAT(messages("a,h100-sxm,1,dit-xl-2,256,256,16,training,,,,,selective,,,1\n"),
              HasSubstr("'selective' is none of none, full"));
  EXPECT_THAT(messages("a,h100-sxm,3,dit-xl-2,256,256,16,training,,,,,,,,1\n"),
              HasSubstr("16 images with 1 passes each are not shared evenly by 3 replicas"));
}

}  // namespace
}  // namespace scalesweep::validation
