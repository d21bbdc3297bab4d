// scalesweep query FILE...: rows and tables of a study, by what somebody asks for.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "analysis/file/reading.hpp"
#include "analysis/frontier/result.hpp"
#include "analysis/query/columns.hpp"
#include "analysis/query/pivot.hpp"
#include "analysis/query/query.hpp"
#include "analysis/writers/csv_metadata.hpp"
#include "analysis/writers/output.hpp"
#include "cli/options/analysis_options.hpp"
#include "cli/options/asked_study.hpp"
#include "cli/output/printable.hpp"
#include "cli/output/reading_line.hpp"
#include "cli/output/terminal.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

using analysis::RowFormat;

constexpr std::array<std::pair<const char*, RowFormat>, 6> formats = {
    {{"text", RowFormat::text},
     {"csv", RowFormat::csv},
     {"json", RowFormat::json},
     {"jsonl", RowFormat::json_lines},
     {"hdf5", RowFormat::hdf5},
     {"parquet", RowFormat::parquet}}};
constexpr std::array<std::pair<const char*, RowFormat>, 7> endings = {
    {{".txt", RowFormat::text},
     {".csv", RowFormat::csv},
     {".json", RowFormat::json},
     {".jsonl", RowFormat::json_lines},
     {".h5", RowFormat::hdf5},
     {".hdf5", RowFormat::hdf5},
     {".parquet", RowFormat::parquet}}};
using analysis::PivotStatistic;
constexpr std::array<std::pair<const char*, PivotStatistic>, 5> statistics = {
    {{"min", PivotStatistic::min},
     {"mean", PivotStatistic::mean},
     {"max", PivotStatistic::max},
     {"count", PivotStatistic::count},
     {"median", PivotStatistic::median}}};

template <typename Rows>
std::vector<std::string> words_of(const Rows& rows) {
  std::vector<std::string> words;
  for (const auto& [word, meaning] : rows) {
    words.emplace_back(word);
  }
  return words;
}

struct QueryArguments {
  std::vector<std::string> files;
  std::string where;
  std::vector<std::string> select;
  std::vector<std::string> sort;
  std::string best;
  std::vector<std::string> per;
  std::int64_t top = 0;  // 0: not given
  bool frontier = false;
  std::optional<std::int32_t> ranks;
  std::optional<std::int64_t> thin;
  ObjectiveArguments objectives;
  std::vector<std::string> pivot;
  std::string value;
  std::string with;
  std::int64_t limit = -1;  // not given
  bool all_statuses = false;
  std::vector<std::int64_t> ids;
  bool columns = false;
  std::string format;
  std::string units;
  bool spreadsheet = false;
  std::string output;
  bool force = false;
  std::size_t threads = 0;  // one for every core
};

Failure usage(const std::string& message) {
  return Failure(ExitCode::usage, "query: " + message);
}

template <typename Choice, std::size_t N>
Choice chosen(const std::array<std::pair<const char*, Choice>, N>& choices, const std::string& word,
              const std::string& option) {
  std::vector<std::string> known;
  for (const auto& [name, choice] : choices) {
    if (word == name) {
      return choice;
    }
    known.emplace_back(name);
  }
  throw usage(
      fmt::format("{} {}: there is no such choice{}", option, word, suggestion(word, known)));
}

// By --format, else by the ending of the output's name; text without either.
RowFormat format_of(const QueryArguments& arguments) {
  if (!arguments.format.empty()) {
    return chosen(formats, arguments.format, "--format");
  }
  const std::string ending = fs::path(arguments.output).extension().string();
  if (arguments.output.empty()) {
    return RowFormat::text;
  }
  for (const auto& [known, format] : endings) {
    if (ending == known) {
      return format;
    }
  }
  throw usage(
      fmt::format("-o {}: the ending does not say which format; known are .txt, .csv, "
                  ".json, .jsonl, .h5, .hdf5 and .parquet, or give --format",
                  arguments.output));
}

// Of --units.
analysis::CsvUnits units_of(const QueryArguments& arguments, RowFormat format) {
  if (arguments.units.empty()) {
    return analysis::CsvUnits::none;
  }
  const auto units = analysis::csv_units_names.find(arguments.units);
  if (!units) {
    throw usage(fmt::format("--units {}: there is no such choice{}", arguments.units,
                            suggestion(arguments.units, analysis::csv_units_names.list())));
  }
  if (format != RowFormat::csv || !arguments.pivot.empty() || arguments.columns) {
    throw usage("--units is for rows as csv; the other formats say the units anyway");
  }
  if (*units == analysis::CsvUnits::beside && arguments.output.empty()) {
    throw usage("--units beside needs a file to write: -o FILE.csv");
  }
  return *units;
}

// Of --spreadsheet.
CsvTexts texts_of(const QueryArguments& arguments, RowFormat format) {
  if (arguments.spreadsheet && (format != RowFormat::csv || arguments.columns)) {
    throw usage("--spreadsheet is for rows and pivot tables as csv");
  }
  return arguments.spreadsheet ? CsvTexts::spreadsheet : CsvTexts::plain;
}

// Where a file may not be written.
void check_output(const QueryArguments& arguments, analysis::CsvUnits units) {
  std::vector<fs::path> files = {arguments.output};
  if (units == analysis::CsvUnits::beside) {
    files.push_back(analysis::csv_metadata_file(arguments.output));
  }
  for (const fs::path& file : files) {
    if (!arguments.output.empty() && !arguments.force && fs::exists(file)) {
      throw Failure(ExitCode::cannot_create,
                    fmt::format("{} exists; --force replaces it", file.string()));
    }
  }
}

void check(const QueryArguments& arguments, RowFormat format) {
  const bool is_binary = format == RowFormat::hdf5 || format == RowFormat::parquet;
  if (is_binary && arguments.output.empty()) {
    throw usage(fmt::format("--format {0} needs a file to write: -o FILE.{1}", arguments.format,
                            format == RowFormat::hdf5 ? "h5" : "parquet"));
  }
  if (!arguments.pivot.empty() && arguments.pivot.size() != 2) {
    throw usage("--pivot takes two columns, for example --pivot logic,memory");
  }
  const bool counts = arguments.with == "count";
  if (!arguments.pivot.empty() && arguments.value.empty() && !counts) {
    throw usage("--pivot needs --value COLUMN, or --with count");
  }
  if (arguments.pivot.empty() && (!arguments.value.empty() || !arguments.with.empty())) {
    throw usage("--value and --with are for --pivot ROWS,COLUMNS");
  }
  const bool chooses = !arguments.best.empty() || arguments.frontier || !arguments.sort.empty() ||
                       !arguments.select.empty();
  if (!arguments.pivot.empty() && chooses) {
    throw usage("--pivot makes a table; --select, --sort, --best and --frontier choose rows");
  }
  if (!arguments.pivot.empty() && (is_binary || format == RowFormat::json_lines)) {
    throw usage("a pivot table is written as text, csv or json");
  }
  if (arguments.columns && (chooses || !arguments.pivot.empty() || !arguments.where.empty())) {
    throw usage("--columns lists what can be asked for; leave the other choices out");
  }
  if (arguments.columns && (is_binary || format == RowFormat::json_lines)) {
    throw usage("the list of columns is written as text, csv or json");
  }
  if (arguments.top > 0 && arguments.best.empty()) {
    throw usage("--top N needs --best COLUMN: the N best rows of every group");
  }
  if (!arguments.frontier && (arguments.ranks || arguments.thin)) {
    throw usage("--ranks and --thin are for --frontier");
  }
  check_output(arguments, units_of(arguments, format));
  texts_of(arguments, format);
  for (const std::string& file : arguments.files) {
    std::error_code code;
    if (!arguments.output.empty() && fs::equivalent(arguments.output, file, code)) {
      throw Failure(ExitCode::cannot_create,
                    fmt::format("{} is the study that is asked", arguments.output));
    }
  }
}

analysis::RowFilter filter_of(const QueryArguments& arguments, ReadingLine& reading) {
  return {arguments.where,
          arguments.all_statuses,
          arguments.ids,
          {arguments.threads, reading.progress()}};
}

analysis::QueryOptions options_of(const QueryArguments& arguments, RowFormat format,
                                  ReadingLine& reading) {
  analysis::QueryOptions options;
  options.rows = filter_of(arguments, reading);
  options.select = arguments.select;
  for (const std::string& key : arguments.sort) {
    options.sort.push_back(analysis::sort_key(key));
  }
  if (!arguments.best.empty()) {
    options.best = analysis::sort_key(arguments.best);
  }
  options.per = arguments.per;
  options.top = arguments.top > 0 ? arguments.top : 1;
  options.frontier = arguments.frontier;
  options.ranks = arguments.ranks.value_or(1);
  options.thin = arguments.thin;
  options.objectives = objectives_of(arguments.objectives);
  constexpr std::int64_t page = 20;  // rows of text that a person looks at
  if (arguments.limit > 0) {
    options.limit = arguments.limit;
  } else if (arguments.limit < 0 && format == RowFormat::text && !arguments.thin) {
    options.limit = page;
  }
  return options;
}

// A file that has its name once it is complete.
class NewFile {
 public:
  explicit NewFile(fs::path target)
      : target_(std::move(target)), partial_(target_.string() + ".partial") {}
  ~NewFile() {
    std::error_code ignored;
    fs::remove(partial_, ignored);
  }
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  const fs::path& path() const { return partial_; }

  void commit(bool force) {
    if (!force && fs::exists(target_)) {
      throw Failure(ExitCode::cannot_create,
                    fmt::format("{} exists; --force replaces it", target_.string()));
    }
    sync_path(partial_);
    std::error_code code;
    fs::rename(partial_, target_, code);
    if (code) {
      throw Failure(ExitCode::io, fmt::format("{}: {}", target_.string(), code.message()));
    }
  }

 private:
  fs::path target_;
  fs::path partial_;
};

void write_stream(const fs::path& path, const std::function<void(std::ostream&)>& body) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) {
    throw Failure(ExitCode::cannot_create, fmt::format("cannot create {}", path.string()));
  }
  body(out);
  out.flush();
  if (!out) {
    throw Failure(ExitCode::io,
                  fmt::format("{} cannot be written; is the disk full?", path.string()));
  }
}

// To the file of -o, or to standard output.
void write(const QueryArguments& arguments, const Streams& streams,
           const std::function<void(std::ostream&)>& body) {
  if (arguments.output.empty()) {
    const RawOutput raw(streams.out, format_of(arguments) != RowFormat::text);
    body(streams.out);
    streams.out.flush();
    return;
  }
  NewFile file(arguments.output);
  write_stream(file.path(), body);
  file.commit(arguments.force);
}

// The file that says of which units and types the columns of the other one are.
void write_units(const QueryArguments& arguments, const analysis::QueryPlan& plan,
                 const analysis::QuerySource& source) {
  const fs::path csv = arguments.output;
  NewFile file(analysis::csv_metadata_file(csv));
  write_stream(file.path(), [&](std::ostream& out) {
    out << analysis::csv_metadata(csv.filename().string(), plan, source);
  });
  file.commit(arguments.force);
}

bool names_strategy(const QueryArguments& arguments) {
  const std::vector<std::string>& select = arguments.select;
  return std::find(select.begin(), select.end(), analysis::strategy_word) != select.end();
}

void show_rows(const QueryArguments& arguments, RowFormat format, const std::string& line,
               const std::string& name, const store::StudyReader& reader, const Streams& streams) {
  ReadingLine reading(streams);
  const analysis::QueryPlan plan = plan_query(reader, options_of(arguments, format, reading));
  const analysis::QuerySource source = analysis::source_of(reader, name, line);
  analysis::QueryCounts counts;
  const auto fill = [&](analysis::RowWriter& writer) {
    counts = run_query(reader, plan, [&](const store::Table& rows) {
      if (arguments.output.empty()) {
        reading.end();  // rows may go to the same terminal
      }
      writer.add(rows);
    });
    reading.end();
    writer.finish(counts);
  };
  if (format == RowFormat::hdf5) {
    NewFile file(arguments.output);
    fill(*make_hdf5_writer(file.path(), plan, source));
    file.commit(arguments.force);
  } else {
    const analysis::TextStyle style = {arguments.output.empty() ? terminal_width(streams) : 0,
                                       arguments.select.empty() || names_strategy(arguments),
                                       units_of(arguments, format), texts_of(arguments, format)};
    write(arguments, streams,
          [&](std::ostream& out) { fill(*make_writer(format, out, reader, plan, source, style)); });
    if (style.units == analysis::CsvUnits::beside) {
      write_units(arguments, plan, source);
    }
  }
  for (const std::string& note : counts.notes) {
    tell(streams, fmt::format("note     {}\n", note));
  }
  if (format != RowFormat::text || !arguments.output.empty()) {
    tell(streams, fmt::format("{}\n", counts_text(plan, counts)));
  }
}

void show_pivot(const QueryArguments& arguments, RowFormat format, const store::StudyReader& reader,
                const Streams& streams) {
  const PivotStatistic with =
      arguments.with.empty() ? PivotStatistic::min : chosen(statistics, arguments.with, "--with");
  ReadingLine reading(streams);
  const analysis::PivotTable table =
      analysis::pivot(reader, {filter_of(arguments, reading), arguments.pivot[0],
                               arguments.pivot[1], arguments.value, with});
  reading.end();
  for (const std::string& note : table.notes) {
    tell(streams, fmt::format("note     {}\n", note));
  }
  write(arguments, streams, [&](std::ostream& out) {
    out << (format == RowFormat::csv    ? pivot_csv(table, texts_of(arguments, format))
            : format == RowFormat::json ? pivot_json(table)
                                        : pivot_text(table, terminal_width(streams)));
  });
}

void show_columns(const QueryArguments& arguments, RowFormat format,
                  const store::StudyReader& reader, const Streams& streams) {
  const std::vector<analysis::ColumnWords> columns = analysis::column_words(reader);
  write(arguments, streams, [&](std::ostream& out) {
    out << (format == RowFormat::csv    ? columns_csv(columns)
            : format == RowFormat::json ? columns_json(columns)
                                        : columns_text(columns, terminal_width(streams)));
  });
}

void ask(const QueryArguments& arguments, RowFormat format, const std::string& line,
         const AskedStudy& study, const Streams& streams) {
  ReadingLine opening(streams);
  const store::StudyReader reader(study.file(), store::Unfinished::read, opening.progress());
  opening.end();
  for (const std::string& note : analysis::reading_notes(reader)) {
    tell(streams, fmt::format("note     {}\n", note));
  }
  if (arguments.columns) {
    show_columns(arguments, format, reader, streams);
  } else if (arguments.pivot.empty()) {
    show_rows(arguments, format, line, study.name().string(), reader, streams);
  } else {
    show_pivot(arguments, format, reader, streams);
  }
}

ExitCode query_files(const QueryArguments& arguments, const std::string& line,
                     const Streams& streams) {
  const RowFormat format = format_of(arguments);
  check(arguments, format);
  const AskedStudy study(arguments.files, arguments.threads, streams);
  study.named([&] { ask(arguments, format, line, study, streams); });
  return ExitCode::ok;
}

void add_list(Command& command, const std::string& name, std::vector<std::string>& to,
              const std::string& description) {
  command.option(name, to, "COLUMN,...", description).list();
}

void add_choices(Command& command, QueryArguments& arguments) {
  command.section("Which rows");
  command.flag("--columns", arguments.columns,
               "What can be asked for: the columns with their units and values");
  command.option(
      "--where", arguments.where, "CONDITION",
      "Only rows for which this holds, as \"tp <= 8 and memory == 'HBM4' and step_time < "
      "'20 s'\"; words: and or not, + - * / %");
  command.option("--id", arguments.ids, "N,...", "Only these points").list();
  command.flag("--all-statuses", arguments.all_statuses, "Also rows that are not feasible");
  command.section("The best of them");
  command.option("--best", arguments.best, "COLUMN",
                 "The row with the least of a column; -COLUMN: the most");
  add_list(command, "--per", arguments.per, "Groups for --best and --frontier, each on its own");
  command.option("--top", arguments.top, "N", "With --best: so many rows of each group")
      .at_least(1);
  command.flag("--frontier", arguments.frontier, "Rows that no other dominates in the objectives");
  command
      .option("--ranks", arguments.ranks, "N",
              "With --frontier: also the frontier of what is left without it, and so on to rank "
              "N; adds the column rank")
      .within(1, analysis::most_ranks);
  command
      .option("--thin", arguments.thin, "N",
              "With --frontier: at most N members of each, spread so that they stand for all")
      .at_least(1);
  add_objective_options(command, arguments.objectives);
}

void add_tables(Command& command, QueryArguments& arguments) {
  command.section("As a table");
  add_list(command, "--select", arguments.select,
           "Columns to show; 'strategy' for all of the layout, 'all' for all there are");
  add_list(command, "--sort", arguments.sort, "Order of the rows; -COLUMN: the largest first");
  command
      .option("--limit", arguments.limit, "N",
              "Rows to show (default: 20 as text, all otherwise; 0: all)")
      .at_least(0);
  add_list(command, "--pivot", arguments.pivot, "A table over two columns: down, across");
  command.option("--value", arguments.value, "COLUMN", "What the table shows");
  command.option("--with", arguments.with, "WORD",
                 "min (default), mean, max, median or count of it");
  command.choices("--with", words_of(statistics));
}

}  // namespace

Command query_command(const std::string& line) {
  Command command("query", "Rows and tables of a study by what you ask for");
  auto arguments = std::make_shared<QueryArguments>();
  add_study_files(command, arguments->files);
  add_choices(command, *arguments);
  add_tables(command, *arguments);
  command.section("Where it goes");
  command.choices("--format", words_of(formats));
  command.option("--format", arguments->format, "FORMAT",
                 "text, csv, json, jsonl, hdf5 or parquet (default: by the name of -o, else text)");
  command.choices("--units", analysis::csv_units_names.list());
  command.option("--units", arguments->units, "WHERE",
                 "Of csv: row, a second line with the units; beside, FILE.csv-metadata.json with "
                 "units, types and descriptions after CSV on the Web (default: none)");
  command.flag("--spreadsheet", arguments->spreadsheet,
               "Of csv: an apostrophe before names that a spreadsheet would take for a formula");
  command.option("--threads", arguments->threads, "N", "Threads that read (default: one per core)")
      .at_least(0);
  command.option("-o,--output", arguments->output, "FILE", "File to write");
  command.flag("--force", arguments->force, "Replace the file if it is there");
  command.body = [arguments, line](const Streams& streams) {
    return query_files(*arguments, line, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
