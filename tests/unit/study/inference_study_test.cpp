// Studies of kind "inference" and "serving": from a spec to rows.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <set>
#include <string>

#include "core/hash.hpp"
#include "core/host/files.hpp"
#include "estimator/explain/iteration_operators.hpp"
#include "estimator/inference/inference.hpp"
#include "estimator/inference/service/serving.hpp"
#include "study/columns/estimate_columns.hpp"
#include "study/kinds/serving.hpp"
#include "study/resolve/choose.hpp"
#include "support/temporary_folder.hpp"
#include "unit/study/study_fixture.hpp"
#include "workload/framework.hpp"

namespace scalesweep::study {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::string inference_spec(const std::string& rest = "") {
  return R"(schema = 1
title = "Inference"
[workload]
kind = "inference"
model = "llama-2-7b"
prompt = 200
output = [200, 400]
batch = [1, 64]
precision = "fp16"
[system]
accelerators = [1, 4]
device = ["a100-sxm-80gb", "h100-sxm"]
[strategy]
tensor_parallel = { powers_of_two_to = 4 }
)" + rest;
}

std::string serving_spec(const std::string& rest = "") {
  return R"(schema = 1
title = "Service"
[workload]
kind = "serving"
model = "llama-3-70b"
requests = [{ prompt = 500, output = 200, share = 0.7 }, { prompt = 2000, output = 300 }]
batching = ["chunked", "disaggregated"]
time_to_first_token = ["1 us", "2 s"]
time_per_output_token = ["50 ms", "none"]
[system]
accelerators = [1, 8]
device = "h100-sxm"
[strategy]
tensor_parallel = { powers_of_two_to = 8 }
pipeline_parallel = [1, 2]
)" + rest;
}

double number(const Study& study, const engine::RangeResult& result, const char* column,
              PointId id) {
  return result.rows.number(column_named(study.description().schema, column),
                            static_cast<std::size_t>(id));
}

double as_float(double value) {
  return static_cast<double>(static_cast<float>(value));
}

std::size_t column_of(const Study& study, const std::string& name) {
  return column_named(study.description().schema, name);
}

TEST(InferenceStudy, RowsOfABatchAreThoseOfTheEstimator) {
  const Study study = test::load_good(inference_spec());
  const engine::RangeResult result = test::evaluate_all(study);
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    const auto& job = work_of<estimator::InferenceJob>(point.job);
    const estimator::InferenceEstimate plain =
        estimate_inference(job, *point.system.system, point.strategy);
    ASSERT_EQ(number(study, result, "latency", id), plain.latency_s());
    ASSERT_EQ(number(study, result, "time_to_first_token", id),
              as_float(plain.time_to_first_token_s()));
    ASSERT_EQ(number(study, result, "largest_batch", id), as_float(plain.memory.largest_batch));
    ASSERT_EQ(number(study, result, "energy_per_token", id),
              as_float(plain.energy.total_j() / static_cast<double>(job.batch * job.output)));
    double charges_s = 0.0;
    for (const std::string_view name : estimator::resource_names) {
      charges_s += number(study, result, ("charge_" + std::string(name)).c_str(), id);
    }
    ASSERT_NEAR(charges_s, plain.latency_s(), 1e-12 * plain.latency_s());
    double phases_s = 0.0;
    for (const std::string_view name : estimator::inference_phase_names) {
      phases_s += number(study, result, ("phase_" + std::string(name)).c_str(), id);
    }
    ASSERT_NEAR(phases_s, plain.latency_s(), 1e-5 * plain.latency_s());
  }
}

TEST(InferenceStudy, JobsHoldWhatTheSpecSays) {
  const Study study = test::load_good(test::replaced(
      inference_spec(), "precision = \"fp16\"",
      "precision = { name = 'w4', weights = 'int4', operands = 'fp16', cache = 'fp8' }\n"
      "framework = 'vllm'\nattention = 'unfused'\nprefix_hits = 0.5\nprefill_chunk = 128\n"
      "draft = 4\nacceptance = 0.8\ndraft_time = 0.1"));
  const auto job = work_of<estimator::InferenceJob>(study.point_at(0).job);
  EXPECT_EQ(job.prompt, 200);
  EXPECT_EQ(job.precision.weights, technology::Precision::fp4);
  EXPECT_EQ(job.precision.operands, technology::Precision::fp16);
  EXPECT_EQ(job.precision.activations, technology::Precision::fp16);
  EXPECT_EQ(job.precision.cache, technology::Precision::fp8);
  workload::ServingStack unfused = study.catalog().framework("vllm").serving;
  unfused.flash_attention = false;
  EXPECT_EQ(job.stack, unfused);
  EXPECT_EQ(job.prefix_hits, 0.5);
  EXPECT_EQ(job.prefill_chunk, 128);
  EXPECT_EQ(job.speculation.draft, 4);
  EXPECT_EQ(job.speculation.acceptance, 0.8);
  EXPECT_EQ(job.speculation.draft_time, 0.1);
}

TEST(InferenceStudy, PromptsGoInChunksWhereTheFrameworkDoes) {
  const auto chunk = [](const std::string& keys) {
    const Study study =
        test::load_good(test::replaced(inference_spec(), "precision = \"fp16\"", keys));
    return work_of<estimator::InferenceJob>(study.point_at(0).job).chunk_tokens({});
  };
  EXPECT_EQ(chunk("framework = 'vllm'"), 8192.0);
  EXPECT_EQ(chunk("framework = 'vllm-2024'"), 0.0);
  EXPECT_EQ(chunk("framework = 'vllm'\nprefill_chunk = 0"), 0.0);
  EXPECT_EQ(chunk("framework = 'vllm-2024'\nprefill_chunk = 512"), 512.0);
}

TEST(InferenceStudy, ColumnsAreThoseOfTheKind) {
  std::set<std::string> inference;
  const Study batch = test::load_good(inference_spec());
  for (const store::Column& column : batch.description().schema) {
    EXPECT_TRUE(inference.insert(column.name).second) << column.name;
  }
  for (const char* name : {"latency", "batch", "micro_batch", "memory_cache", "phase_draft"}) {
    EXPECT_TRUE(inference.contains(name)) << name;
  }
  for (const char* name : {"step_time", "zero", "recompute", "chunks", "memory_optimizer"}) {
    EXPECT_FALSE(inference.contains(name)) << name;
  }
  std::set<std::string> serving;
  const Study service = test::load_good(serving_spec());
  for (const store::Column& column : service.description().schema) {
    EXPECT_TRUE(serving.insert(column.name).second) << column.name;
  }
  for (const char* name : {"time_per_output_token", "time_per_output_token_limit", "request_rate",
                           "bound", "miss", "device_seconds_per_token"}) {
    EXPECT_TRUE(serving.contains(name)) << name;
  }
  EXPECT_FALSE(serving.contains("micro_batch"));
  EXPECT_FALSE(serving.contains("batch"));
  for (const char* name : {"requests_in_flight", "requests_in_flight_per_replica", "largest_batch",
                           "largest_batch_per_replica"}) {
    EXPECT_TRUE(inference.contains(name)) << name;
    EXPECT_TRUE(serving.contains(name)) << name;
  }
  EXPECT_EQ(batch.spec().objectives.front().column, "latency");
  EXPECT_EQ(service.spec().objectives.front().column, "device_seconds_per_token");
}

TEST(InferenceStudy, WhatDoesNotFitSaysWhichBatchWould) {
  std::string spec = test::replaced(inference_spec(), "batch = [1, 64]", "batch = 2048");
  spec = test::replaced(spec, "\"llama-2-7b\"", "[\"llama-2-7b\", \"llama-2-70b\"]");
  const Study study = test::load_good(spec);
  std::set<std::string> reasons;
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    const auto estimator = study.kind().estimator(point.job, point.system, {}, nullptr);
    const Status status = estimator->estimate(point.strategy).status;
    const std::string reason = estimator->reason();
    EXPECT_EQ(reason.empty(), status == Status::ok);
    reasons.insert(reason.substr(0, reason.find(" fit") + 4));
    if (point.strategy.data_parallel > 1 && reason.starts_with("the largest")) {
      EXPECT_THAT(reason, HasSubstr(", of one replica "));
    }
  }
  EXPECT_TRUE(reasons.contains("the largest batch that fit"));
  EXPECT_TRUE(reasons.contains("not even the weights fit"));
}

TEST(InferenceStudy, OperatorsHaveColumns) {
  const Study study = test::load_good(inference_spec("[keep]\noperators = true\n"));
  const engine::RangeResult result = test::evaluate(study, {0, 2});
  const store::Schema& schema = study.description().schema;
  const Point point = study.point_at(1);
  const auto& job = work_of<estimator::InferenceJob>(point.job);
  const estimator::InferenceSetting setting(job, *point.system.system);
  estimator::Iteration decode;
  decode.decode = {
      .sequences = static_cast<double>(point.strategy.micro_batch),
      .new_tokens = 1.0,
      .cached_tokens = static_cast<double>(job.prompt) + static_cast<double>(job.output) / 2.0};
  int compared = 0;
  for (const estimator::IterationOperator& op :
       iteration_operators({setting, point.strategy}, decode)) {
    if (op.name != "mlp up") {
      continue;
    }
    EXPECT_EQ(number(study, result, "decode_mlp_up_time", 1), as_float(op.once.time.total_s()));
    EXPECT_EQ(number(study, result, "decode_mlp_up_flop", 1), as_float(op.flop));
    EXPECT_EQ(number(study, result, "decode_mlp_up_intensity", 1), as_float(op.intensity()));
    EXPECT_EQ(number(study, result, "decode_mlp_up_bound", 1),
              static_cast<double>(estimator::index_of(op.bound)));
    ++compared;
  }
  EXPECT_EQ(compared, 1);
  EXPECT_GT(number(study, result, "prefill_mlp_up_flop", 1),
            100.0 * number(study, result, "decode_mlp_up_flop", 1));
  EXPECT_GT(number(study, result, "prefill_prompt_attention_time", 1), 0.0);
  EXPECT_EQ(schema[column_of(study, "decode_attention_bound")].labels.back(), "none");
}

// Every row of a spec without operators is the same with them, and the identity tells them apart.
TEST(InferenceStudy, OperatorsChangeNothingElse) {
  const Study plain = test::load_good(inference_spec());
  const Study more = test::load_good(inference_spec("[keep]\noperators = true\n"));
  EXPECT_NE(plain.description().identity, more.description().identity);
  const engine::RangeResult a = test::evaluate(plain, {0, 4});
  const engine::RangeResult b = test::evaluate(more, {0, 4});
  for (std::size_t column = 0; column < plain.description().schema.size(); ++column) {
    for (std::size_t row = 0; row < 4; ++row) {
      const double x = a.rows.number(column, row);
      const double y = b.rows.number(column, row);
      ASSERT_TRUE(x == y || (std::isnan(x) && std::isnan(y)));
    }
  }
}

// A service of the spec with a pool of its own for prompts.
std::string pools_spec(const std::string& prefill) {
  return "schema = 1\ntitle = \"Pools\"\n[workload]\nkind = \"serving\"\nmodel = \"llama-3-8b\"\n"
         "prompt = 4000\noutput = 200\ntime_to_first_token = \"2 s\"\n"
         "time_per_output_token = \"20 ms\"\n[system]\ndevice = \"h100-sxm\"\n"
         "accelerators = 8\n[strategy]\ntensor_parallel = [1, 2]\npipeline_parallel = 1\n"
         "[prefill]\n" +
         prefill;
}

TEST(Serving, PoolsMayBeOfOtherDevices) {
  const Study study =
      test::load_good(pools_spec("device = [\"h100-sxm\", \"b200-sxm\"]\naccelerators = [4, 5]\n"
                                 "tensor_parallel = [1, 2]\n"));
  const engine::RangeResult result = test::evaluate_all(study);
  ASSERT_EQ(study.space().size(), 8);
  for (PointId id = 0; id < 8; ++id) {
    const Point point = study.point_at(id);
    const auto& job = work_of<estimator::ServingJob>(point.job);
    ASSERT_TRUE(point.system.prefill_system);
    const auto pool = prefill_pool_of(job, point.system);
    const estimator::ServingEstimate plain =
        estimate_serving(job, *point.system.system, point.strategy, &*pool);
    EXPECT_EQ(number(study, result, "request_rate", id), as_float(plain.request_rate));
    EXPECT_EQ(number(study, result, "prefill_devices", id),
              static_cast<double>(job.prefill->devices));
    EXPECT_EQ(number(study, result, "devices", id), 8.0 + plain.prefill_devices());
    EXPECT_GT(number(study, result, "cost_per_million_tokens", id), 0.0);
    // Five devices are no two that share matrices.
    EXPECT_EQ(job.prefill->groups.size(), job.prefill->devices == 5 ? 1U : 2U);
  }
}

TEST(Serving, PoolsHaveTheLayoutsOfTheirModel) {
  std::string spec = pools_spec("tensor_parallel = [1, 2]\nexpert_parallel = [1, 2]\n");
  const std::string one = "\"llama-3-8b\"";
  spec.replace(spec.find(one), one.size(), "[\"llama-3-8b\", \"deepseek-v3\"]");
  const Study study = test::load_good(spec);
  const auto layouts_at = [&](PointId id) {
    return work_of<estimator::ServingJob>(study.point_at(id).job).prefill->groups.size();
  };
  EXPECT_EQ(layouts_at(0), 2U);  // without experts nothing to spread
  EXPECT_EQ(layouts_at(study.space().size() - 1), 4U);
}

TEST(Serving, PoolsOfAnOpenSizeAreAsLargeAsNeeded) {
  const Study study = test::load_good(pools_spec("tensor_parallel = [1, 2, 4]\n"));
  const engine::RangeResult result = test::evaluate_all(study);
  const Point point = study.point_at(0);
  EXPECT_FALSE(point.system.prefill_system);
  EXPECT_EQ(work_of<estimator::ServingJob>(point.job).prefill->groups.size(), 3U);
  EXPECT_GT(number(study, result, "prefill_devices", 0), 0.0);
  EXPECT_NE(study.description().identity,
            test::load_good(pools_spec("tensor_parallel = [1, 2]\n")).description().identity);
}

TEST(Serving, PoolsWithoutAValidLayoutAreAMistake) {
  EXPECT_THAT(test::load_text(pools_spec("accelerators = 4\ntensor_parallel = 3\n")).messages,
              HasSubstr("error: no layout of [prefill] is valid: tensor_parallel must divide "));
  EXPECT_THAT(test::load_text(pools_spec("device = \"h1000\"\n")).messages,
              HasSubstr("the catalog has no device 'h1000'"));
}

TEST(Serving, RowsAreThoseOfTheEstimator) {
  const Study study = test::load_good(serving_spec());
  const engine::RangeResult result = test::evaluate_all(study);
  std::set<double> statuses;
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    const auto& job = work_of<estimator::ServingJob>(point.job);
    ASSERT_EQ(job.requests.size(), 2U);
    const estimator::ServingEstimate plain =
        estimate_serving(job, *point.system.system, point.strategy);
    const double status = number(study, result, "status", id);
    statuses.insert(status);
    ASSERT_EQ(status, static_cast<double>(index_of(status_of(plain))));
    if (!has_time(plain)) {
      ASSERT_TRUE(std::isnan(number(study, result, "request_rate", id)));
      continue;
    }
    ASSERT_EQ(number(study, result, "request_rate", id), as_float(plain.request_rate));
    ASSERT_EQ(number(study, result, "time_per_output_token", id), plain.time_per_output_token_s);
    ASSERT_EQ(number(study, result, "bound", id), static_cast<double>(plain.bound));
    if (status == 0.0) {
      double charges_s = 0.0;
      for (const std::string_view name : estimator::resource_names) {
        charges_s += number(study, result, ("charge_" + std::string(name)).c_str(), id);
      }
      ASSERT_NEAR(charges_s, plain.time_per_output_token_s, 1e-9);
      ASSERT_EQ(number(study, result, "miss", id), 0.0);
    }
  }
  EXPECT_TRUE(statuses.contains(static_cast<double>(index_of(Status::ok))));
  EXPECT_TRUE(statuses.contains(static_cast<double>(index_of(misses_limits))));
  EXPECT_TRUE(statuses.contains(static_cast<double>(index_of(Status::does_not_fit))));
  EXPECT_TRUE(statuses.contains(static_cast<double>(index_of(too_few_replicas))));
}

TEST(Serving, StatusesAreNamedAndCounted) {
  const Study study = test::load_good(serving_spec());
  const std::vector<std::string>& names = study.description().count_names;
  EXPECT_EQ(names.size(), status_count + 3);
  EXPECT_EQ(names[index_of(misses_limits)], "misses_limits");
  EXPECT_EQ(names[index_of(too_few_replicas)], "too_few_replicas");
  EXPECT_EQ(names[index_of(pruned)], "pruned");
  const engine::RangeResult result = test::evaluate_all(study);
  EXPECT_GT(result.counts[index_of(misses_limits)], 0);
}

TEST(Serving, NoLimitIsNone) {
  const Study study = test::load_good(serving_spec());
  std::set<double> limits;
  for (PointId id = 0; id < study.space().size(); ++id) {
    limits.insert(
        work_of<estimator::ServingJob>(study.point_at(id).job).limits.time_per_output_token_s);
  }
  EXPECT_THAT(limits, ElementsAre(0.0, 0.05));
}

TEST(Serving, RequestsAreAPartOfTheIdentity) {
  const Study study = test::load_good(serving_spec());
  const Study other = test::load_good(test::replaced(serving_spec(), "share = 0.7", "share = 0.8"));
  EXPECT_NE(study.description().identity, other.description().identity);
}

TEST(Serving, PercentilesAndBurstsAreThoseOfTheirKeys) {
  const Study study = test::load_good(test::replaced(
      serving_spec(), "[system]",
      "time_to_first_token_p50 = '1 s'\ntime_to_first_token_p90 = '2 s'\n"
      "time_to_first_token_p99 = '3 s'\ntime_per_output_token_p50 = '4 s'\n"
      "time_per_output_token_p90 = '5 s'\ntime_per_output_token_p99 = ['none', '6 s']\n"
      "burstiness = 7\narrival_rate = 'none'\n[system]"));
  std::set<double> last;
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    const auto& job = work_of<estimator::ServingJob>(point.job);
    EXPECT_EQ(job.limits.first_token_s, (estimator::Percentiles{1.0, 2.0, 3.0}));
    EXPECT_EQ(job.limits.output_token_s[0], 4.0);
    EXPECT_EQ(job.limits.output_token_s[1], 5.0);
    last.insert(job.limits.output_token_s[2]);
    EXPECT_EQ(job.burstiness, 7.0);
    EXPECT_EQ(job.arrival_rate, 0.0);
  }
  EXPECT_THAT(last, ElementsAre(0.0, 6.0));
}

TEST(Serving, RequestsInFlightAreOfAClosedLoop) {
  const Study study = test::load_good(
      test::replaced(serving_spec(), "[system]", "concurrency = [4, 64]\n[system]"));
  const engine::RangeResult result = test::evaluate_all(study);
  std::set<double> open;
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    const auto& job = work_of<estimator::ServingJob>(point.job);
    open.insert(job.concurrency);
    if (number(study, result, "status", id) == 0.0) {
      ASSERT_LE(number(study, result, "requests_in_flight", id), job.concurrency * (1.0 + 1e-6));
      ASSERT_TRUE(std::isnan(number(study, result, "time_to_first_token_p99", id)));
    }
  }
  EXPECT_THAT(open, ElementsAre(4.0, 64.0));
}

TEST(Serving, RequestsInFlightHaveNoArrivals) {
  const auto said = [](const std::string& key) {
    return test::load_text(
               test::replaced(serving_spec(), "[system]", "concurrency = 4\n" + key + "\n[system]"))
        .messages;
  };
  EXPECT_THAT(
      said("arrival_rate = '2 Hz'"),
      HasSubstr("error: 'arrival_rate' does not go with concurrency: requests of one arrive at "
                "random, those of the other follow each other; leave one of them out"));
  EXPECT_THAT(said("burstiness = 2"), HasSubstr("'burstiness' does not go with concurrency: re"));
  EXPECT_THAT(said("load_curve = [0.5, 1]"),
              HasSubstr("error: 'load_curve' does not go with concurrency: requests"));
  EXPECT_THAT(
      said("time_to_first_token_p99 = '2 s'"),
      HasSubstr("error: 'time_to_first_token_p99' does not go with concurrency: of requests "
                "that follow each other means alone are known; leave one of them out"));
}

TEST(Serving, ALoadCurveHasColumnsAndIsAPartOfTheIdentity) {
  const auto with = [](const std::string& lines) {
    return test::load_good(test::replaced(serving_spec(), "[system]", lines + "\n[system]"));
  };
  const Study plain = test::load_good(serving_spec());
  const Study study = with("load_curve = [0.5, 1]\nreplicas = ['fixed', 'given_back']");
  const store::Schema& schema = study.description().schema;
  const auto is_of_day = [](const store::Column& column) {
    return column.name.starts_with("day_");
  };
  EXPECT_EQ(std::count_if(schema.begin(), schema.end(), is_of_day), 7);
  const store::Schema& without = plain.description().schema;
  EXPECT_EQ(std::count_if(without.begin(), without.end(), is_of_day), 0);
  EXPECT_NE(
      study.description().identity,
      with("load_curve = [0.6, 1]\nreplicas = ['fixed', 'given_back']").description().identity);
  EXPECT_EQ(study.description().provenance.at("load_curve"), R"({"loads":[0.5,1.0]})");
  std::set<estimator::IdleReplicas> replicas;
  for (PointId id = 0; id < study.space().size(); ++id) {
    const Point point = study.point_at(id);
    const auto& job = work_of<estimator::ServingJob>(point.job);
    EXPECT_THAT(job.load_curve.parts, ElementsAre(0.5, 1.0));
    replicas.insert(job.load_curve.replicas);
  }
  EXPECT_THAT(replicas,
              ElementsAre(estimator::IdleReplicas::fixed, estimator::IdleReplicas::given_back));
  // Of the day something may be asked.
  with("load_curve = [0.5, 1]\n[objectives]\nminimize = ['day_cost_per_million_tokens']");
}

TEST(Serving, ALoadCurveOfATraceHasTheRateOfItsBusiestHour) {
  const test::TemporaryFolder folder;
  const std::string trace = (folder / "t.csv").string();
  std::ofstream file(trace);
  file << "arrival,prompt,output\n";
  for (int i = 0; i < 48; ++i) {
    file << 1800 * i << ",400,10\n" << 1800 * i + 1790 << ",400,10\n";
  }
  file.close();
  const auto with = [&](const std::string& lines) {
    return test::replaced(
        test::replaced(serving_spec(),
                       "[{ prompt = 500, output = 200, share = 0.7 }, { prompt = 2000, output = "
                       "300 }]",
                       "\"" + trace + "\""),
        "[system]", lines + "\n[system]");
  };
  const Study study = test::load_good(with("load_curve = 'trace'"));
  const Point point = study.point_at(0);
  const auto& job = work_of<estimator::ServingJob>(point.job);
  EXPECT_EQ(job.load_curve.parts.size(), 24U);
  EXPECT_DOUBLE_EQ(job.arrival_rate, 4.0 / 3600.0);
  EXPECT_THAT(study.description().provenance.at("load_curve"), HasSubstr(R"("busiest_rate":)"));
  EXPECT_THAT(test::load_text(with("load_curve = [0.5, 1]")).messages,
              HasSubstr("arrivals of a trace are a mean over its time"));
  test::load_good(with("load_curve = [0.5, 1]\narrival_rate = '2 Hz'"));
}

TEST(Serving, ATraceGivesLengthsAndArrivals) {
  const test::TemporaryFolder folder;
  const std::string trace = (folder / "t.csv").string();
  std::ofstream(trace) << "arrival,prompt,output\n0,400,10\n1,400,10\n3,400,10\n4,4000,500\n";
  const std::string traced = test::replaced(
      serving_spec(),
      "[{ prompt = 500, output = 200, share = 0.7 }, { prompt = 2000, output = 300 }]",
      "\"" + trace + "\"");
  const Study study = test::load_good(traced);
  const Point point = study.point_at(0);
  const auto& job = work_of<estimator::ServingJob>(point.job);
  ASSERT_EQ(job.requests.size(), 2U);
  EXPECT_EQ(job.requests[0].share, 0.75);
  EXPECT_DOUBLE_EQ(job.arrival_rate, 0.75);
  EXPECT_NEAR(job.burstiness, 0.125, 1e-12);
  const std::string kept = study.description().provenance.at("requests");
  EXPECT_THAT(kept, HasSubstr(sha256(read_file(trace))));
  EXPECT_THAT(kept, HasSubstr(R"("requests":4,"arrival_rate":0.75,)"));
  EXPECT_THAT(kept, HasSubstr(R"({"prompt":4000.0,"output":500.0,"share":0.25})"));
  // Keys come before the trace.
  const Study asked = test::load_good(test::replaced(
      traced, "[system]", "arrival_rate = ['2 Hz', 'none']\nburstiness = 3\n[system]"));
  std::set<double> rates;
  for (PointId id = 0; id < asked.space().size(); ++id) {
    const Point one = asked.point_at(id);
    rates.insert(work_of<estimator::ServingJob>(one.job).arrival_rate);
    EXPECT_EQ(work_of<estimator::ServingJob>(one.job).burstiness, 3.0);
  }
  EXPECT_THAT(rates, ElementsAre(0.0, 2.0));
  // Another trace is another study.
  std::ofstream(trace) << "arrival,prompt,output\n0,400,10\n1,400,10\n3,400,10\n5,4000,500\n";
  EXPECT_NE(test::load_good(traced).description().identity, study.description().identity);
}

TEST(Serving, ThePointThatIsChosenMeetsTheLimits) {
  const Study study = test::load_good(serving_spec());
  const Choice choice = choose_point(
      study,
      {{"accelerators", "8"}, {"time_to_first_token_limit", "2 s"}, {"batching", "chunked"}});
  const Point point = study.point_at(choice.id);
  const auto estimator = study.kind().estimator(point.job, point.system, {}, nullptr);
  EXPECT_EQ(estimator->estimate(point.strategy).status, Status::ok);
  EXPECT_EQ(estimator->reason(), "");
}

TEST(InferenceStudy, LongerThanTheContextIsAWarningAtItsPlace) {
  const test::Loaded loaded =
      test::load_text(test::replaced(inference_spec(), "prompt = 200", "prompt = [200, 4000]"));
  ASSERT_TRUE(loaded.study);
  EXPECT_EQ(loaded.messages,
            "spec.toml:6:16: warning: a prompt of 4000 and an output of 400 tokens are more than "
            "the context of llama-2-7b, 4096 tokens; estimates go on as if it had more (within it: "
            "prompt "
            "= 3696 or less)\n");
  const test::Loaded mix = test::load_text(
      test::replaced(serving_spec(), "prompt = 2000, output = 300", "prompt = 9000, output = 300"));
  ASSERT_TRUE(mix.study);
  EXPECT_THAT(mix.messages, HasSubstr("spec.toml:6:58: warning: a prompt of 9000"));
}

TEST(InferenceStudy, UnknownFormatsAreErrorsAtTheirPlace) {
  EXPECT_THAT(test::load_text(
                  test::replaced(inference_spec(), "\"fp16\"", "{ name = 'a', operands = 'int4' }"))
                  .messages,
              HasSubstr("spec.toml:9:38: error: there is no precision 'int4' for operands; int4 is "
                        "only stored: write for example { name = \"w4a16\", weights = \"int4\", "
                        "operands = \"bf16\" }"));
  EXPECT_THAT(test::load_text(inference_spec("[objectives]\nminimize = 'step_time'\n")).messages,
              HasSubstr("error: a study has no column 'step_time'; "));
}

TEST(InferenceStudy, DraftersAreSmallerThanTheirModels) {
  const auto said = [](const std::string& drafter) {
    return test::load_text(test::replaced(inference_spec(), "prompt = 200",
                                          "draft = 4\nacceptance = 0.7\ndraft_model = '" + drafter +
                                              "'\nprompt = 200"))
        .messages;
  };
  EXPECT_EQ(said("eagle"), "");
  EXPECT_THAT(
      said("llama-2-13b"),
      HasSubstr("error: a draft of 'llama-2-13b', 13 billion parameters, is no smaller than "
                "its model 'llama-2-7b', 6.74 billion; choose a smaller one"));
  EXPECT_THAT(said("mtp"),
              HasSubstr("error: 'llama-2-7b' has no module for multi-token prediction; "
                        "write \"eagle\" or the name of a small model"));
  EXPECT_THAT(said("bert-large"),
              HasSubstr("'bert-large' is an encoder and cannot propose tokens"));
  EXPECT_THAT(said("lama-2-7b"),
              HasSubstr("error: there is no draft_model 'lama-2-7b'; did you mean "
                        "'llama-2-7b'?; it is \"mtp\", \"eagle\" or a model"));
}

TEST(InferenceStudy, FrameworksAndModelsMustBeAbleTo) {
  const auto said = [](const std::string& model, const std::string& framework) {
    const std::string text = test::replaced(inference_spec(), "prompt = 200",
                                            "framework = '" + framework + "'\nprompt = 200");
    return test::load_text(test::replaced(text, "llama-2-7b", model)).messages;
  };
  EXPECT_THAT(said("llama-2-7b", "nanotron"),
              HasSubstr("error: how 'nanotron' serves requests is not in the catalog; choose one "
                        "of areal, areal-synchronous, vllm@0.12, vllm@0.14, "));
  EXPECT_THAT(said("bert-large", "vllm"),
              HasSubstr("error: 'bert-large' is an encoder and has no decode phase; choose a "
                        "decoder"));
  EXPECT_THAT(said("llama-2-7b", "vllm"), Not(HasSubstr("error")));
}

TEST(InferenceStudy, SharesOfPoolsAreForPools) {
  const std::string text =
      test::replaced(serving_spec(), "[system]", "prefill_share = [0.25, 0.5]\n[system]");
  EXPECT_THAT(test::load_text(text).messages,
              HasSubstr("warning: prefill_share changes nothing with batching = \"chunked\": its "
                        "points are the same for each"));
}

}  // namespace
}  // namespace scalesweep::study
