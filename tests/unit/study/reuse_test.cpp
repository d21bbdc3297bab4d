// What requests share, from a spec to rows: tiers of a cache of prefixes, adapters.
#include <gmock/gmock.h>

#include <fstream>
#include <string>

#include "estimator/inference/job.hpp"
#include "estimator/training/job.hpp"
#include "support/temporary_folder.hpp"
#include "unit/study/study_fixture.hpp"

namespace scalesweep::study {
namespace {

using ::testing::HasSubstr;

std::string service(const std::string& keys, const std::string& requests = "") {
  return "schema = 1\ntitle = \"a\"\n[workload]\nkind = \"serving\"\nmodel = \"llama-3-8b\"\n" +
         (requests.empty() ? "prompt = 2000\noutput = 200\n"
                           : "requests = \"" + requests + "\"\n") +
         keys + "[system]\naccelerators = 2\ndevice = \"h100-sxm\"\n[strategy]\n" +
         "tensor_parallel = [1, 2]\n";
}

double number(const Study& study, const engine::RangeResult& result, const char* column,
              std::size_t row) {
  return result.rows.number(column_named(study.description().schema, column), row);
}

TEST(Reuse, JobsHoldWhatTheSpecSays) {
  const Study study = test::load_good(service(
      "prefix_hits = 0.1\nprefix_hits_host = 0.3\nprefix_hits_storage = 0.2\n"
      "prefix_storage_bandwidth = '5 GB/s'\nprefix_cache_device = '2 GB'\nprefix_loading = "
      "'before'\nadapters = 8\nadapter_rank = 16\nadapter_layers = 'attention'\nadapter_skew = "
      "1\n"));
  const auto job = work_of<estimator::ServingJob>(study.point_at(0).job).inference;
  EXPECT_DOUBLE_EQ(job.cached_share(), 0.6);
  EXPECT_EQ(job.prefixes.host_hits, 0.3);
  EXPECT_EQ(job.prefixes.storage_hits, 0.2);
  EXPECT_EQ(job.prefixes.storage_bytes_per_s, 5e9);
  EXPECT_EQ(job.prefixes.bytes[0], 2e9);
  EXPECT_EQ(job.prefixes.loading, estimator::PrefixLoading::before);
  EXPECT_EQ(job.prefixes.curve, nullptr);
  EXPECT_EQ(job.adapters.count, 8);
  EXPECT_EQ(job.adapters.rank, 16);
  EXPECT_EQ(job.adapters.layers, workload::AdapterLayers::attention);
  EXPECT_EQ(job.adapters.skew, 1.0);
}

std::string training(const std::string& keys) {
  return "schema = 1\ntitle = \"a\"\n[workload]\nkind = \"training\"\nmodel = "
         "\"llama-3-8b\"\nsequence = 4096\nglobal_batch = 8\n" +
         keys + "[system]\naccelerators = 1\ndevice = \"h100-sxm\"\n[strategy]\n";
}

TEST(FineTuning, JobsHoldWhatTheSpecSays) {
  const Study study = test::load_good(training(
      "document = 512\noptimizer = 'muon'\nadapter_rank = 16\nadapter_layers = 'attention'\n"
      "frozen_weights = 'nf4'\n"));
  const auto job = work_of<estimator::TrainingJob>(study.point_at(0).job);
  EXPECT_EQ(job.model.document, 512);
  EXPECT_EQ(job.optimizer.name, "muon");
  EXPECT_EQ(job.optimizer.orthogonal_steps, 5.0);
  EXPECT_EQ(job.tuning.rank, 16);
  EXPECT_EQ(job.tuning.layers, workload::AdapterLayers::attention);
  EXPECT_EQ(job.tuning.frozen, workload::FrozenWeights::nf4);
  const Study plain = test::load_good(training(""));
  const auto all = work_of<estimator::TrainingJob>(plain.point_at(0).job);
  EXPECT_FALSE(all.tuning.on());
  EXPECT_EQ(all.optimizer.name, "adam");
}

TEST(FineTuning, NamesAreThoseOfTheCatalog) {
  EXPECT_EQ(test::load_text(training("optimizer = 'adem'\n")).messages,
            "spec.toml:8:13: error: the catalog has no optimizer 'adem'; did you mean 'adam'?\n");
  EXPECT_EQ(test::load_text(training("adapter_rank = 5000\n")).messages,
            "spec.toml:8:16: error: adapters of rank 5000 are larger than the layers of "
            "'llama-3-8b', 4096 wide; write a lower adapter_rank, for example 16\n");
}

TEST(Reuse, SharesOfAPromptAreNoMoreThanAllOfIt) {
  EXPECT_EQ(
      test::load_text(service("prefix_hits = [0, 0.7]\nprefix_hits_host = [0.4, 0.1]\n")).messages,
      "spec.toml:9:21: error: prefix_hits 0.7 and prefix_hits_host 0.4 are 1.1 of a prompt "
      "together, and no more than all of it can be found; lower one of them\n");
}

TEST(Reuse, SizesNeedATraceOrShares) {
  EXPECT_EQ(
      test::load_text(service("prefix_cache_device = '2 GB'\n")).messages,
      "spec.toml:8:23: error: 'prefix_cache_device' goes with prefix_hits, requests or turns: "
      "nothing is found in it otherwise, for example prefix_hits = 0.5\n");
  EXPECT_EQ(test::load_text(test::replaced(service("prefix_cache_device = '2 GB'\n"),
                                           "prompt = 2000\noutput = 200\n",
                                           "requests = { prompt = 2000, output = 200 }\n"))
                .messages,
            "spec.toml:7:23: error: 'prefix_cache_device' takes memory in which nothing is found; "
            "say how much is, for example prefix_hits = 0.5, or name a trace of requests that has "
            "the columns prefix and prefix_tokens\n");
  EXPECT_EQ(test::load_text(service("prefix_cache_host = '100 GB'\n")).messages,
            "spec.toml:8:21: error: what 'prefix_cache_host' holds is not known without a trace of "
            "requests that has the columns prefix and prefix_tokens; name one, write turns of "
            "sessions, or say what is found, for example prefix_hits_host = 0.3\n");
}

TEST(Reuse, ARankIsBelowTheWidthOfTheModel) {
  EXPECT_EQ(test::load_text(service("adapters = 1\nadapter_rank = [16, 5000]\n")).messages,
            "spec.toml:9:21: error: adapters of rank 5000 are larger than the layers of "
            "'llama-3-8b', 4096 wide; write a lower adapter_rank, for example 16\n");
}

// Two conversations in turns: each turn finds the one before, if 8,000 tokens fit.
std::string write_trace(const test::TemporaryFolder& folder, const char* last_tokens) {
  const std::string path = (folder / "t.csv").string();
  std::ofstream(path) << "arrival,prompt,output,prefix,prefix_tokens\n"
                         "0,1800,200,a,0\n1,3800,200,b,0\n2,3800,200,a,2000\n"
                      << "4,7800,200,b," << last_tokens << "\n";
  return path;
}

TEST(Reuse, ATraceSaysWhatCachesOfASizeFind) {
  const test::TemporaryFolder folder;
  const std::string trace = write_trace(folder, "4000");
  // A token takes 131,072 bytes; of two tensor-parallel devices each holds half of it.
  const std::string keys =
      "prefix_cache_device = ['none', '2 GB']\nprefix_cache_host = ['none', '100 GB']\n";
  const Study study = test::load_good(service(keys, trace));
  const engine::RangeResult result = test::evaluate_all(study);
  const double all = (2000.0 + 4000.0) / 17200.0;
  bool seen_all = false;
  for (PointId id = 0; id < study.space().size(); ++id) {
    const auto row = static_cast<std::size_t>(id);
    const auto at = [&](const char* column) { return number(study, result, column, row); };
    const Point point = study.point_at(id);
    const auto& job = work_of<estimator::ServingJob>(point.job);
    const double device = job.inference.prefixes.bytes[0];
    const double host = job.inference.prefixes.bytes[1];
    EXPECT_NEAR(at("found_in_device") + at("found_in_host"), device + host > 0.0 ? all : 0.0, 1e-6)
        << id;
    EXPECT_EQ(at("memory_prefixes"), device);
    EXPECT_EQ(at("prefix_load") > 0.0, at("found_in_host") > 0.0);
    EXPECT_EQ(at("found_in_storage"), 0.0);
    seen_all = seen_all || at("found_in_host") > 0.9 * all;
  }
  EXPECT_TRUE(seen_all);
  EXPECT_THAT(study.description().provenance.at("requests"), HasSubstr("\"reuse\":[{\"tokens\":"));
  // Another reuse is another study.
  write_trace(folder, "3000");
  EXPECT_NE(test::load_good(service(keys, trace)).description().identity,
            study.description().identity);
}

TEST(Reuse, OfATraceIsSaidOnceAndNotForgotten) {
  const test::TemporaryFolder folder;
  const std::string trace = write_trace(folder, "4000");
  EXPECT_EQ(test::load_text(service("", trace)).messages,
            "spec.toml:6:12: warning: prompts of '" + trace +
                "' begin alike and nothing keeps what they share: every prompt is computed whole; "
                "give a cache, for example prefix_cache_device = \"10 GB\"\n");
  EXPECT_EQ(test::load_text(service("prefix_hits = 0.2\n", trace)).messages, "");
  EXPECT_EQ(
      test::load_text(service("prefix_hits = 0.2\nprefix_cache_device = '1 GB'\n", trace)).messages,
      "spec.toml:8:23: error: what is found follows from 'prefix_cache_device' and the prefixes of "
      "'" +
          trace +
          "'; leave prefix_hits, prefix_hits_host and prefix_hits_storage out, or the sizes of "
          "caches\n");
  EXPECT_THAT(
      test::load_text(service("prefix_cache_host = '1 GB'\n", trace) +
                      "[prefill]\ndevice = \"h100-sxm\"\n")
          .messages,
      HasSubstr("spec.toml:7:21: error: what 'prefix_cache_host' finds of the prefixes of '" +
                trace +
                "' is not known where [prefill] has devices of its own; say it, for "
                "example prefix_hits_host = 0.3, and leave the sizes out\n"));
}

std::string chats(const std::string& keys) {
  return service("turns = 4\nturn_tokens = 100\n" + keys);
}

TEST(Sessions, JobsHoldWhatTheSpecSays) {
  const Study study =
      test::load_good(chats("turns_law = 'geometric'\nshared_prompt = 1500\nthink_time = '30 s'\n"
                            "prefix_cache_device = '2 GB'\n"));
  const auto job = work_of<estimator::ServingJob>(study.point_at(0).job);
  EXPECT_EQ(job.sessions.turns, 4.0);
  EXPECT_EQ(job.sessions.law, estimator::TurnsLaw::geometric);
  EXPECT_EQ(job.sessions.prompt, 2000.0);
  EXPECT_EQ(job.sessions.output, 200.0);
  EXPECT_EQ(job.sessions.turn_tokens, 100.0);
  EXPECT_EQ(job.sessions.shared, 1500.0);
  EXPECT_EQ(job.sessions.think_s, 30.0);
  EXPECT_GT(job.requests.size(), 4U);
  EXPECT_EQ(job.requests.front().prompt, 2000.0);
}

// Two sessions a second think for ten seconds: what they have said fits, or does not.
TEST(Sessions, RowsHaveWhatIsFoundAndTheTimeOfASession) {
  const Study study =
      test::load_good(chats("shared_prompt = 1500\nthink_time = '10 s'\narrival_rate = '2 Hz'\n"
                            "prefix_cache_host = ['none', '1 GB', '400 GB']\n"));
  const engine::RangeResult result = test::evaluate_all(study);
  double none_s = 0.0;
  for (PointId id = 0; id < study.space().size(); ++id) {
    const auto row = static_cast<std::size_t>(id);
    const auto at = [&](const char* column) { return number(study, result, column, row); };
    const auto& job = work_of<estimator::ServingJob>(study.point_at(id).job);
    const double host = job.inference.prefixes.bytes[1];
    // Prompts of 2000, 2300, 2600 and 2900 tokens.
    const double all = (1500.0 + 2200.0 + 2500.0 + 2800.0) / 9800.0;
    if (host <= 0.0) {
      EXPECT_EQ(at("found_in_host"), 0.0);
    } else if (host < 2e9) {
      EXPECT_GT(at("found_in_host"), 0.1);
      EXPECT_LT(at("found_in_host"), 0.9 * all);
    } else {
      EXPECT_NEAR(at("found_in_host"), all, 0.02);
    }
    EXPECT_NEAR(at("session_time"),
                4.0 * (at("time_to_first_token") + 199.0 * at("time_per_output_token")) + 30.0,
                1e-4 * at("session_time"));
    EXPECT_NEAR(at("open_sessions"), 0.5 * at("session_time"), 1e-4 * at("open_sessions"));
    none_s += at("request_rate");
  }
  EXPECT_NEAR(none_s, 2.0 * static_cast<double>(study.space().size()), 1e-3);
}

TEST(Sessions, SayEveryTurnOrHaveALaw) {
  EXPECT_THAT(
      test::load_text(service("turns = 4\n")).messages,
      HasSubstr("'turns' needs turn_tokens (that a user or a tool adds before each turn but "
                "the first), for example turn_tokens = 200\n"));
  EXPECT_EQ(
      test::load_text(test::replaced(chats("prefix_hits = 0.5\n"), "prompt = 2000\noutput = 200\n",
                                     "requests = { prompt = 2000, output = 200 }\n"))
          .messages,
      "spec.toml:7:9: error: 'turns' does not go with requests: classes and traces say every "
      "turn themselves; leave one of them out\n");
  EXPECT_THAT(test::load_text(service("think_time = '5 s'\n")).messages,
              HasSubstr("'think_time' goes with turns, for example turns = [1, 4, 16]\n"));
  EXPECT_EQ(test::load_text(chats("shared_prompt = 3000\nprefix_hits = 0.5\n")).messages,
            "spec.toml:10:17: error: shared_prompt = 3000 is more than the prompt of the first "
            "turn, 2000 tokens, whose beginning it is; lower it, or raise prompt\n");
}

TEST(Sessions, AreKeptSomewhere) {
  EXPECT_EQ(test::load_text(chats("")).messages,
            "spec.toml:8:9: warning: turns go on with what was said before and nothing keeps it: "
            "every prompt is computed whole; give a cache, for example prefix_cache_device = \"10 "
            "GB\"\n");
  EXPECT_EQ(test::load_text(chats("prefix_hits = 0.2\n")).messages, "");
  EXPECT_THAT(
      test::load_text(chats("prefix_hits = 0.2\nprefix_cache_device = '1 GB'\n")).messages,
      HasSubstr("error: what is found follows from 'prefix_cache_device' and 'turns' of sessions; "
                "leave prefix_hits, prefix_hits_host and prefix_hits_storage out, or the sizes of "
                "caches\n"));
  EXPECT_THAT(
      test::load_text(chats("prefix_cache_host = '1 GB'\n") + "[prefill]\ndevice = \"h100-sxm\"\n")
          .messages,
      HasSubstr("error: what 'prefix_cache_host' finds of 'turns' of sessions is not known "
                "where [prefill] has devices of its own; say it, for example "
                "prefix_hits_host = 0.3, and leave the sizes out\n"));
}

TEST(Sessions, GrowBeyondAContext) {
  EXPECT_EQ(
      test::load_text(test::replaced(chats("prefix_hits = 0.5\n"), "turns = 4", "turns = [4, 40]"))
          .messages,
      "spec.toml:8:13: warning: the last turns of sessions, with prompts of 13100 and outputs "
      "of 200 tokens, are more than the context of llama-3-8b, 8192 tokens; estimates go on "
      "as if it had more (within it: fewer turns, or fewer turn_tokens)\n");
}

}  // namespace
}  // namespace scalesweep::study
