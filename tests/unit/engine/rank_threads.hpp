// A run on several ranks in threads of this process.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "engine/run.hpp"
#include "engine/worker/thread_network.hpp"
#include "support/toy_study.hpp"

namespace scalesweep::test {

struct Outcome {
  engine::RunReport report;
  std::optional<ExitCode> failed;  // what was thrown
  std::string message;
};

struct ThreadRun {
  std::vector<Outcome> ranks;
  std::string log;
};

using EvaluatorOf = std::function<engine::Evaluator(int rank)>;

inline Outcome outcome_of(const std::function<engine::RunReport()>& run) {
  Outcome outcome;
  try {
    outcome.report = run();
    outcome.message = "";
  } catch (const Failure& failure) {
    outcome.failed = failure.code();
    outcome.message = failure.what();
  } catch (const std::exception& error) {
    outcome.failed = ExitCode::internal;
    outcome.message = error.what();
  }
  return outcome;
}

inline ThreadRun run_threads(engine::ThreadNetwork& network, int ranks,
                             const store::StudyDescription& study, const EvaluatorOf& evaluator_of,
                             engine::RunOptions options) {
  ThreadRun run;
  run.ranks.resize(static_cast<std::size_t>(ranks));
  std::ostringstream log;
  options.log = &log;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      run.ranks[static_cast<std::size_t>(rank)] = outcome_of([&] {
        const std::unique_ptr<engine::Transport> transport = network.endpoint(rank);
        engine::Evaluator evaluator = evaluator_of(rank);
        return engine::run_study(*transport, study, evaluator, options);
      });
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  run.log = log.str();
  return run;
}

inline engine::RunOptions writing_to(const std::filesystem::path& output) {
  engine::RunOptions options;
  options.output = output;
  return options;
}

inline ThreadRun run_toy(int ranks, const ToyOptions& toy, const engine::RunOptions& options,
                         engine::NetworkFaults faults = {}) {
  engine::ThreadNetwork network(ranks, std::move(faults));
  return run_threads(
      network, ranks, toy_description(toy), [&](int) { return toy_evaluator(toy); }, options);
}

inline ThreadRun run_toy(int ranks, const ToyOptions& toy, const std::filesystem::path& output,
                         engine::NetworkFaults faults = {}) {
  return run_toy(ranks, toy, writing_to(output), std::move(faults));
}

// Stops rank 0 when all points are evaluated, before they are merged.
inline ThreadRun run_without_merge(const ToyOptions& toy, const engine::RunOptions& options) {
  engine::ThreadNetwork network(1);
  std::int64_t left = toy.points;
  return run_threads(
      network, 1, toy_description(toy),
      [&](int) {
        engine::Evaluator evaluator = toy_evaluator(toy);
        evaluator.evaluate = [&, evaluate = evaluator.evaluate](IdRange ids,
                                                                engine::RangeResult& result) {
          evaluate(ids, result);
          left -= ids.size();
          if (left == 0) {
            network.request_stop(0);
          }
        };
        return evaluator;
      },
      options);
}

}  // namespace scalesweep::test
