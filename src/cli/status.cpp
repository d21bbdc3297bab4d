// scalesweep status FILE: how far a study is, whether finished or not.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include "cli/options.hpp"
#include "core/text.hpp"
#include "store/reader.hpp"
#include "store/study_file.hpp"

namespace scalesweep::cli {
namespace {

std::string share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? "-"
                    : fmt::format("{:.1f} %",
                                  100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

Sheet overview(const std::string& file, const store::OutputProgress& progress) {
  Sheet sheet{"study", "", {{"name", "", Align::left}, {"value", "", Align::left}}, {}, false};
  sheet.rows = {
      {"title", progress.title},
      {"state", progress.finished ? "finished" : "unfinished: the same run command goes on"},
      {"file", progress.finished ? file : file + ".d"},
      {"points", {with_thousands(progress.points), progress.points}},
      {"done",
       {fmt::format("{} ({})", with_thousands(progress.done),
                    share(progress.done, progress.points)),
        progress.done}},
      {"rows kept", {with_thousands(progress.rows), progress.rows}},
  };
  if (!progress.finished) {
    sheet.rows.push_back({"segments", {with_thousands(progress.segments), progress.segments}});
  }
  sheet.rows.push_back({"identity", progress.identity});
  return sheet;
}

Sheet counts_sheet(const std::map<std::string, std::int64_t>& counts, std::int64_t points) {
  Sheet sheet{"status",
              "Points by status",
              {{"status", "status", Align::left},
               {"points", "points", Align::right},
               {"share", "share", Align::right}},
              {},
              true};
  for (const auto& [status, count] : counts) {
    if (count > 0) {
      sheet.rows.push_back(
          {status,
           {with_thousands(count), count},
           {share(count, points), static_cast<double>(count) / static_cast<double>(points)}});
    }
  }
  return sheet;
}

ExitCode show_status(const std::string& file, bool exit_code, Format format,
                     const Streams& streams) {
  const store::OutputProgress progress = store::read_progress(file);
  std::vector<Sheet> sheets = {overview(file, progress)};
  if (progress.finished) {
    const store::StudyReader reader{std::filesystem::path(file)};
    sheets.push_back(counts_sheet(reader.counts(), reader.points()));
  }
  print(streams.out, sheets, format);
  return progress.finished || !exit_code ? ExitCode::ok : ExitCode::resumable;
}

}  // namespace

Command add_status(CLI::App& parent) {
  CLI::App* app =
      parent.add_subcommand("status", "How far a study is, and how many points ended in what");
  auto file = std::make_shared<std::string>();
  auto exit_code = std::make_shared<bool>(false);
  CLI::Option* operand =
      app->add_option("file", *file, "The output of a run, finished or not")->type_name("OUT.h5");
  app->add_flag("--exit-code", *exit_code, "Exit with 75 if the study is unfinished");
  const auto format = add_format_option(*app, false);
  auto body = [file, exit_code, format](const Streams& streams) {
    return show_status(*file, *exit_code, *format, streams);
  };
  return {app, {required_operand(operand, "the file", "status OUT.h5")}, body};
}

}  // namespace scalesweep::cli
