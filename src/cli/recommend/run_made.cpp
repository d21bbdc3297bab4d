#include "cli/recommend/run_made.hpp"

#include "cli/output/terminal.hpp"
#include "core/host/parallel.hpp"
#include "engine/run_threads.hpp"

namespace scalesweep::cli {

void run_study_into(study::Study& study, const std::filesystem::path& output,
                    const std::string& line, const Streams& streams) {
  const int threads = static_cast<int>(thread_count(0));
  study.describe_run(line, threads);
  engine::RunOptions options;
  options.output = output;
  options.durability = store::Durability::scratch;
  options.progress_line = is_watched(streams);
  options.quiet = !options.progress_line;
  options.objective_units = study.objective_units();
  options.most_is_best = study.spec().objectives.front().direction == space::Direction::maximize;
  options.log = &streams.err;
  const engine::RunReport report = engine::run_on_threads(
      threads, study.description(), [&] { return study.make_evaluator(); }, options);
  if (report.exit != ExitCode::ok) {
    throw Failure(report.exit, "stopped before all layouts were tried; nothing is recommended");
  }
}

}  // namespace scalesweep::cli
