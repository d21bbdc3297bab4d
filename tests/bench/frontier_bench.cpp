// Exact frontiers of studies, from a file in the page cache to the members: how long, with which
// memory, and beside it frontier_baseline.py, what people write in Python, on the same file.
//
//   frontier_bench                                    random points: 10^7 uniform, 10^5 all members
//   SCALESWEEP_STUDY=NAME.h5 frontier_bench           and a study, by the objectives below
//
// Python (PYTHON, else python3, with h5py and numpy) is run where it can finish within minutes.
// Google Benchmark prints the load of the machine above the figures; peak_MB is the largest memory
// that the process has had so far, writing the file included.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "analysis/frontier/frontier.hpp"
#include "bench/frontier_study.hpp"
#include "store/read/reader.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::analysis {
namespace {

using bench::Cloud;

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

// Files are written once and stay for all benchmarks.
const std::filesystem::path& cloud_file(Cloud cloud, std::int64_t points, int objectives) {
  static const test::TemporaryFolder folder;
  static std::map<std::string, std::filesystem::path> files;
  const std::string name = std::to_string(static_cast<int>(cloud)) + "-" + std::to_string(points) +
                           "-" + std::to_string(objectives);
  auto [file, is_new] = files.try_emplace(name, folder / (name + ".h5"));
  if (is_new) {
    bench::write_cloud(file->second, cloud, points, objectives);
  }
  return file->second;
}

FrontierRequest request_for(int objectives, std::size_t threads) {
  FrontierRequest request;
  request.reading.threads = threads;
  for (int o = 0; o < objectives; ++o) {
    request.objectives.push_back({"objective_" + std::to_string(o), Direction::minimize});
  }
  return request;
}

void measure(benchmark::State& state, const std::filesystem::path& file,
             const FrontierRequest& request) {
  std::size_t members = 0;
  for (auto _ : state) {
    const store::StudyReader reader(file);
    const FrontierResult result = find_frontier(reader, request);
    members = 0;
    for (const FrontierGroup& group : result.groups) {
      members += group.rows.size();
    }
  }
  state.counters["members"] = static_cast<double>(members);
  state.counters["peak_MB"] = peak_megabytes();
}

void random_points(benchmark::State& state) {
  const auto cloud = static_cast<Cloud>(state.range(0));
  const auto objectives = static_cast<int>(state.range(2));
  const auto& file = cloud_file(cloud, state.range(1), std::max(objectives, 5));
  measure(state, file, request_for(objectives, static_cast<std::size_t>(state.range(3))));
}
BENCHMARK(random_points)
    ->ArgNames({"cloud", "points", "objectives", "threads"})
    ->ArgsProduct({{static_cast<int>(Cloud::uniform)}, {10'000'000}, {3, 4, 5}, {1, 0}})
    ->Args({static_cast<int>(Cloud::uniform), 1'000'000, 3, 0})
    ->Args({static_cast<int>(Cloud::uniform), 1'000'000, 5, 0})
    ->Args({static_cast<int>(Cloud::on_the_frontier), 100'000, 5, 0})
    ->Args({static_cast<int>(Cloud::on_the_frontier), 100'000, 8, 0})
    ->Unit(benchmark::kSecond)
    ->Iterations(3)
    ->UseRealTime();

// Of the shipped studies of training.
void study(benchmark::State& state) {
  const char* file = std::getenv("SCALESWEEP_STUDY");
  if (file == nullptr) {
    state.SkipWithError("SCALESWEEP_STUDY names no file");
    return;
  }
  FrontierRequest request;
  const char* names[] = {"step_time", "energy_per_token", "accelerators", "memory_total",
                         "device_power"};
  for (int o = 0; o < state.range(0); ++o) {
    request.objectives.push_back({names[o], Direction::minimize});
  }
  request.error_bars = state.range(1) != 0;
  measure(state, file, request);
}
BENCHMARK(study)
    ->ArgNames({"objectives", "error_bars"})
    ->ArgsProduct({{3, 5}, {0, 1}})
    ->Unit(benchmark::kSecond)
    ->Iterations(3)
    ->UseRealTime();

// The same points by Python: seconds that it reports for reading and for the frontier.
void python(benchmark::State& state) {
  const auto objectives = static_cast<int>(state.range(2));
  const auto& file =
      cloud_file(static_cast<Cloud>(state.range(0)), state.range(1), std::max(objectives, 5));
  const char* interpreter = std::getenv("PYTHON");
  std::string command = std::string(interpreter == nullptr ? "python3" : interpreter) + " " +
                        FRONTIER_BASELINE + " " + file.string();
  for (int o = 0; o < objectives; ++o) {
    command += " objective_" + std::to_string(o);
  }
  for (auto _ : state) {
    FILE* pipe = ::popen(command.c_str(), "r");
    double seconds = 0.0;
    long members = 0;
    if (pipe == nullptr || std::fscanf(pipe, "%lf %ld", &seconds, &members) != 2) {
      state.SkipWithError("Python with h5py and numpy did not run");
      break;
    }
    ::pclose(pipe);
    state.SetIterationTime(seconds);
    state.counters["members"] = static_cast<double>(members);
  }
}
BENCHMARK(python)
    ->ArgNames({"cloud", "points", "objectives"})
    ->Args({static_cast<int>(Cloud::uniform), 1'000'000, 3})
    ->Args({static_cast<int>(Cloud::uniform), 1'000'000, 5})
    ->Args({static_cast<int>(Cloud::uniform), 10'000'000, 3})
    ->Args({static_cast<int>(Cloud::on_the_frontier), 20'000, 5})
    ->Unit(benchmark::kSecond)
    ->Iterations(1)
    ->UseManualTime();

}  // namespace
}  // namespace scalesweep::analysis
