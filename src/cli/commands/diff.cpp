// scalesweep diff A.h5 B.h5: what changed between two studies.
#include "analysis/diff/diff.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include "analysis/diff/output.hpp"
#include "analysis/words/text_lines.hpp"
#include "cli/options/options.hpp"
#include "cli/output/reading_line.hpp"
#include "cli/output/terminal.hpp"

namespace scalesweep::cli {
namespace {

// As of diff(1): the studies could be compared, and are not the same.
constexpr auto differs = static_cast<ExitCode>(1);

struct DiffArguments {
  std::string from;
  std::string to;
  bool no_answers = false;
  std::size_t threads = 0;
};

ExitCode show_diff(const DiffArguments& arguments, Format format, const Streams& streams) {
  analysis::DiffOptions options;
  options.answers = !arguments.no_answers;
  ReadingLine reading(streams);
  options.reading = {arguments.threads, reading.progress()};
  const analysis::StudyDiff diff = analysis::diff_studies(arguments.from, arguments.to, options);
  reading.end();
  const std::size_t width = terminal_width(streams);
  fmt::print(streams.out, "{}",
             format == Format::json
                 ? diff_json(diff, arguments.from, arguments.to)
                 : analysis::within(diff_text(diff, arguments.from, arguments.to, width), width));
  return diff.same_results() ? ExitCode::ok : differs;
}

}  // namespace

Command diff_command() {
  Command command("diff", "What changed between two studies; exits with 1 if their results differ");
  auto arguments = std::make_shared<DiffArguments>();
  command.operand("from", arguments->from, "A.h5", "A study, finished or not", "the first study",
                  "diff A.h5 B.h5");
  command.operand("to", arguments->to, "B.h5", "The study to compare it with", "the second study",
                  "diff A.h5 B.h5");
  command.flag("--no-answers", arguments->no_answers,
               "Compare points only, not frontiers, best strategies and transitions");
  command.option("--threads", arguments->threads, "N", "Threads that read (default: one per core)")
      .at_least(0);
  const auto format = add_format_option(command, false);
  command.body = [arguments, format](const Streams& streams) {
    return show_diff(*arguments, *format, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
