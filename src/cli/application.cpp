#include "cli/application.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <ostream>
#include <system_error>

#include "cli/launch/launch.hpp"
#include "cli/options/command_line.hpp"
#include "cli/options/parse.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/terminal.hpp"
#include "core/contracts.hpp"
#include "core/host/system_problem.hpp"

namespace scalesweep::cli {
namespace {

constexpr const char* description =
    "Estimates training, inference and serving of large language models, over millions of "
    "combinations of strategy, logic node, memory and network, and shows which are best and what "
    "limits them.";

constexpr const char* examples =
    "A first question:\n"
    "  scalesweep recommend --model llama-3-70b --device h100 --devices 64 --train\n"
    "\n"
    "A first study:\n"
    "  scalesweep plan sweeps/quick.toml             how many points, for how long\n"
    "  scalesweep run sweeps/quick.toml -o quick.h5  or: mpirun -n 8 scalesweep run\n"
    "  scalesweep analyze quick.h5                   verdict, bottlenecks, figures\n"
    "  scalesweep report quick.h5                    the same as one HTML file\n";

constexpr const char* exit_codes =
    "Exit codes: 0 done, 1 differences found by diff, 64 usage, 65 mistake in a spec,\n"
    "a catalog or a published folder, 66 input missing, 69 MPI or report left out,\n"
    "70 internal error, 73 output cannot be created, 74 I/O error, 75 stopped early:\n"
    "the same command goes on, 76 not all could be verified.";

}  // namespace

std::vector<CommandGroup> working_commands(const std::string& line) {
  return {{"A question", {recommend_command(line)}},
          {"A study",
           {check_command(), import_command(), plan_command(), run_command(line), status_command(),
            merge_command()}},
          {"Its answers",
           {analyze_command(), report_command(), query_command(line), explain_command(),
            launch_command(), diff_command()}},
          {"For others", {publish_command(), verify_command()}},
          {"The model behind it",
           {validate_command(), measure_command(), calibrate_command(), catalog_command()}}};
}

namespace {

ExitCode dispatch(const std::vector<std::string>& arguments, const Streams& streams) {
  const std::string line = quoted_line(arguments);
  Program program = {description, examples, exit_codes, working_commands(line)};
  program.groups.push_back({"Help", {help_command(program), completion_command(program)}});
  const Request request = parse(program, arguments);
  if (!request.help.empty()) {
    fmt::print(streams.out, "{}", request.help);
    return ExitCode::ok;
  }
  if (request.version) {
    fmt::print(streams.out, "{}", version_text(request.verbose));
    return ExitCode::ok;
  }
  return request.command->body(streams);
}

}  // namespace

int run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  // Under mpirun every rank runs this; what all of them would say, the first one says.
  std::ostream silent(nullptr);
  const PrintableOutput printable_out(out);
  const PrintableOutput printable_err(err);
  const bool speaks = launched_rank() == 0;
  const Streams streams{speaks ? out : silent, speaks ? err : silent};
  ExitCode code = ExitCode::internal;
  try {
    code = dispatch(arguments, streams);
    streams.out.flush();
    if (speaks && !out) {
      throw Failure(ExitCode::io,
                    "standard output cannot be written (closed, or its disk is full)");
    }
  } catch (const Failure& failure) {
    tell(streams, fmt::format("scalesweep: error: {}\n", failure.what()));
    code = failure.code();
  } catch (const ContractViolation& violation) {
    tell(streams,
         fmt::format("scalesweep: internal error, please report it: {}\n", violation.what()));
  } catch (const std::bad_alloc&) {
    tell(streams, "scalesweep: error: out of memory\n");
    code = ExitCode::io;
  } catch (const std::system_error& error) {
    tell(streams, fmt::format("scalesweep: error: {}\n", system_problem(error)));
    code = ExitCode::io;
  } catch (const std::exception& error) {
    tell(streams, fmt::format("scalesweep: internal error, please report it: {}\n", error.what()));
  }
  streams.err.flush();
  return static_cast<int>(code);
}

}  // namespace scalesweep::cli
