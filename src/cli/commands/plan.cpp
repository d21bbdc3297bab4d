// scalesweep plan SPEC: what a run would do, and for how long. Writes nothing.
#include <fmt/core.h>
#include <fmt/ostream.h>
#include <fmt/ranges.h>

#include <cmath>
#include <thread>

#include "analysis/words/text_table.hpp"
#include "cli/options/options.hpp"
#include "cli/output/terminal.hpp"
#include "core/text.hpp"
#include "prediction/simulation.hpp"
#include "store/merge/finish.hpp"
#include "study/columns/schema.hpp"
#include "study/sample.hpp"

namespace scalesweep::cli {
namespace {

constexpr double sample_seconds = 1.0;
constexpr int most_ranks = 1'000'000;
// Copying encoded chunks, checked and synced, on a local disk (tests/bench/store_bench, "merge").
// Ranks that share it are taken for as fast: a file system that is slower than all of them sets the
// pace instead.
constexpr double merge_bytes_per_second = 400e6;
// What rank 0 does alone, per byte: telling HDF5 where chunks lie (6 % of a merge of 118 MB). What
// a merge takes however few rows there are is left out: some tenths of a second.
constexpr double place_bytes_per_second = 4e9;

std::string shortened(const std::vector<std::string>& words, std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string next = (i == 0 ? "" : "  ") + words[i];
    if (analysis::display_width(text + next) > width && i + 1 < words.size()) {
      return text + "  ...  " + words.back();
    }
    text += next;
  }
  return text;
}

Sheet axes_sheet(const study::Study& study) {
  Sheet sheet{"axes",
              "Axes, slowest first",
              {{"name", "axis", Align::left},
               {"count", "values", Align::right},
               {"labels", "", Align::left}},
              {},
              true};
  for (const space::Axis& axis : study.space().axes()) {
    const std::string together = axis.follows.empty() ? "" : " with " + axis.follows;
    sheet.rows.push_back(
        {axis.name,
         {with_thousands(static_cast<std::int64_t>(axis.size())) + together, axis.size()},
         {shortened(axis.labels, 70), axis.labels}});
  }
  const auto last = study.space().run_at(study.space().size() - 1);
  const auto first = study.space().run_at(0);
  const auto low = std::min(first.strategies.size(), last.strategies.size());
  const auto high = std::max(first.strategies.size(), last.strategies.size());
  const std::string count = with_thousands(static_cast<std::int64_t>(high));
  sheet.rows.push_back(
      {"strategy",
       {low == high ? count : with_thousands(static_cast<std::int64_t>(low)) + " .. " + count,
        high},
       {"valid combinations of the rules in [strategy]", nullptr}});
  return sheet;
}

std::string rate_text(double points_per_second) {
  return with_thousands(std::llround(points_per_second)) + " points/s";
}

Sheet totals_sheet(const study::Study& study, const study::Sample& sample) {
  const auto points = static_cast<double>(study.space().size());
  const double serial_s = points / sample.points_per_second;
  const unsigned cores = std::max(1U, std::thread::hardware_concurrency());
  const double bytes = points * sample.kept_fraction * sample.stored_bytes_per_row;
  Sheet sheet{"totals", "", {{"name", "", Align::left}, {"value", "", Align::left}}, {}, false};
  sheet.rows = {
      {"points", {with_thousands(study.space().size()), study.space().size()}},
      {"rate",
       {fmt::format("{} on one core, measured on {} points in {} pieces",
                    rate_text(sample.points_per_second), with_thousands(sample.points),
                    sample.ranges),
        sample.points_per_second}},
      {"time",
       {fmt::format("{} on one core, {} on all {} here", duration_text(serial_s),
                    duration_text(serial_s / cores), cores),
        serial_s}},
  };
  sheet.rows.push_back(
      {"output",
       {fmt::format("{} {} ({:.0f} bytes a row, {:.0f} before compression, keep = {})",
                    study.rows_are_final() ? "about" : "at most", with_si_prefix(bytes, "B"),
                    sample.stored_bytes_per_row, sample.bytes_per_row, sample.keep),
        bytes}});
  return sheet;
}

// What a run on so many ranks would be, simulated: leases, writing, the end of the run, the merge.
Sheet ranks_sheet(const study::Study& study, const study::Sample& sample,
                  const std::vector<int>& ranks) {
  Sheet sheet{"ranks",
              "On so many ranks, each with a core (simulated)",
              {{"ranks", "ranks", Align::right},
               {"seconds", "time", Align::right},
               {"merge_seconds", "of it merging", Align::right},
               {"efficiency", "efficiency", Align::right},
               {"tail", "waiting at the end", Align::right},
               {"master", "rank 0 busy", Align::right},
               {"segments", "segments", Align::right}},
              {},
              true};
  const auto percent = [](double share) { return fmt::format("{:.1f} %", 100.0 * share); };
  const std::int64_t chunk_ids = engine::chunk_ids(study.description(), study.make_evaluator());
  const auto rows = static_cast<double>(study.space().size()) * sample.kept_fraction;
  const std::int64_t merging_ranks =
      study.rows_are_final() ? store::most_merging_ranks(study.description(), std::llround(rows))
                             : 1;
  for (const int count : ranks) {
    engine::PredictionInput input;
    input.points = study.space().size();
    input.points_per_second = sample.points_per_second;  // with compression
    input.ranks = count;
    input.chunk_rows = chunk_ids;
    input.rows_per_point = sample.kept_fraction;
    input.bytes_per_row = sample.stored_bytes_per_row;
    input.merge_bytes_per_second = merge_bytes_per_second;
    input.place_bytes_per_second = place_bytes_per_second;
    input.merging_ranks = merging_ranks;
    const engine::Prediction p = engine::predict_run(input);
    sheet.rows.push_back({{with_thousands(count), count},
                          {duration_text(p.seconds), p.seconds},
                          {duration_text(p.merge_seconds), p.merge_seconds},
                          {percent(p.efficiency), p.efficiency},
                          {percent(p.tail), p.tail},
                          {percent(p.master_busy), p.master_busy},
                          {with_thousands(std::llround(p.segments)), p.segments}});
  }
  return sheet;
}

Sheet points_sheet(const study::Study& study) {
  const study::Point first = study.point_at(0);
  const study::Point last = study.point_at(study.space().size() - 1);
  Sheet sheet{
      "points",
      "First and last point",
      {{"name", "", Align::left}, {"first", "first", Align::left}, {"last", "last", Align::left}},
      {},
      true};
  const auto first_cells = study::coordinates(study, first);
  const auto last_cells = study::coordinates(study, last);
  for (std::size_t i = 0; i < first_cells.size(); ++i) {
    sheet.rows.push_back({first_cells[i].name, first_cells[i].label, last_cells[i].label});
  }
  return sheet;
}

ExitCode plan_spec(const std::string& spec, const CatalogChoice& catalog,
                   const std::vector<int>& ranks, Format format, const Streams& streams) {
  const std::optional<study::Study> study = load_study(spec, catalog, streams);
  if (!study) {
    return ExitCode::bad_input;
  }
  const study::Sample sample = study::measure_sample(*study, sample_seconds);
  if (format == Format::text) {
    fmt::print(streams.out, "{}\n\n", study->spec().title);
  }
  std::vector<Sheet> sheets = {axes_sheet(*study), totals_sheet(*study, sample)};
  if (!ranks.empty()) {
    sheets.push_back(ranks_sheet(*study, sample, ranks));
  }
  sheets.push_back(points_sheet(*study));
  print(streams, sheets, format);
  tell(streams, framework_note(*study) + template_note(*study) + unverified_note(*study));
  return ExitCode::ok;
}

}  // namespace

Command plan_command() {
  Command command("plan", "Count the points of a spec, estimate time and size; write nothing");
  auto spec = std::make_shared<std::string>();
  command.operand("spec", *spec, "SPEC", "The study, a TOML file", "the spec", "plan SPEC");
  auto ranks = std::make_shared<std::vector<int>>();
  command
      .option("--ranks", *ranks, "N,...",
              "How a run on so many ranks would go: time, efficiency, what limits it")
      .list()
      .within(1, most_ranks);
  const auto catalog = add_catalog_option(command);
  const auto format = add_format_option(command, false);
  command.body = [spec, catalog, ranks, format](const Streams& streams) {
    return plan_spec(*spec, *catalog, *ranks, *format, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
