// scalesweep validate CASES...: measured cases in, predicted against measured out.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

#include "cli/commands/validate_sheets.hpp"
#include "cli/options/options.hpp"
#include "cli/output/reading_line.hpp"
#include "cli/output/terminal.hpp"
#include "core/host/files.hpp"
#include "core/host/processors.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

// In text, cases are listed one by one only while they fit a screen or two.
constexpr std::size_t most_cases_listed = 60;

struct ValidateArguments {
  std::vector<std::string> files;
  std::string framework;
  std::string predictions;
  std::vector<std::string> by;
  bool list = false;
  bool json = false;
};

void check_predictions(const ValidateArguments& arguments) {
  if (arguments.predictions.empty()) {
    return;
  }
  if (arguments.files.size() > 1) {
    throw Failure(ExitCode::usage,
                  fmt::format("--predictions takes the predictions of one case file, {} are given; "
                              "validate them one by one",
                              arguments.files.size()));
  }
  std::error_code unreadable;
  if (fs::equivalent(arguments.predictions, arguments.files.front(), unreadable)) {
    throw Failure(ExitCode::usage,
                  fmt::format("--predictions {}: would overwrite the measured cases; name another "
                              "file",
                              arguments.predictions));
  }
}

// Columns to group by must be those of a file.
void check_columns(const std::vector<std::string>& by, const std::vector<ValidatedFile>& files) {
  std::vector<std::string> known;
  for (const ValidatedFile& file : files) {
    known.insert(known.end(), file.columns.begin(), file.columns.end());
  }
  for (const std::string& column : by) {
    if (std::find(known.begin(), known.end(), column) == known.end()) {
      throw Failure(ExitCode::usage, fmt::format("--by: no case file has a column '{}'{}", column,
                                                 suggestion(column, known)));
    }
  }
}

struct Validated {
  std::vector<ValidatedFile> files;
  validation::DeviceOrders orders;              // of all files together
  std::optional<DurableFile> predictions = {};  // that become the file once all is well
};

void print_reports(const Validated& validated, const ValidateArguments& arguments, Format format,
                   const Streams& streams) {
  const std::vector<ValidatedFile>& files = validated.files;
  std::size_t cases = 0;
  for (const ValidatedFile& file : files) {
    cases += file.cases;
  }
  std::vector<Sheet> sheets;
  if (arguments.list || format == Format::json || cases <= most_cases_listed) {
    sheets.push_back(case_sheet(files));
  }
  sheets.push_back(summary_sheet(files));
  sheets.push_back(group_sheet(files));
  if (!arguments.by.empty()) {
    sheets.push_back(residual_sheet(files, arguments.by));
  }
  sheets.push_back(ranking_sheet(files));
  sheets.push_back(device_order_sheet(validated.orders));
  for (const auto& sheet : {memory_sheet, verdict_sheet, power_sheet}) {
    sheets.push_back(sheet(files));
  }
  if (format == Format::text) {
    std::erase_if(sheets, [](const Sheet& sheet) { return sheet.rows.empty(); });
  }
  print(streams, sheets, format);
}

// Predicts the cases of a file and adds them; a file with a mistake that ends it adds nothing.
void add_file(const std::string& path, const ValidateArguments& arguments,
              const catalog::Catalog& catalog, std::size_t most_listed, const Streams& streams,
              Diagnostics& diagnostics, Validated& all) {
  std::ifstream text = open_to_read(path);
  std::error_code unknown;
  const auto bytes = static_cast<double>(fs::file_size(path, unknown));
  const std::string name = fs::path(path).filename().string();
  ReadingLine line(streams);
  const auto progress = line.progress();
  validation::DeviceOrders orders = all.orders;
  std::optional<ValidatedFile> file;
  const auto add = [&](const validation::CaseFile& part) {
    if (!file) {
      file.emplace(name, part, arguments.by);
      if (!arguments.predictions.empty()) {
        all.predictions.emplace(arguments.predictions);
        all.predictions->write(validation::predictions_header(part));
      }
    }
    file->add(part, most_listed);
    for (const validation::CaseRow& row : part.rows) {
      orders.add(row);
    }
    if (all.predictions) {
      all.predictions->write(validation::predictions_lines(part));
    }
    if (progress && !unknown && text.good()) {
      progress("Predicting " + name, static_cast<double>(text.tellg()) / bytes);
    }
  };
  if (validation::evaluate_parts({path, catalog, arguments.framework, usable_processors()}, text,
                                 diagnostics, add)) {
    all.files.push_back(std::move(*file));
    all.orders = std::move(orders);
  } else {
    all.predictions.reset();
  }
}

void commit_predictions(DurableFile& file, const std::string& path, const Streams& streams) {
  const bool replaces = fs::exists(path);
  file.commit();
  tell(streams, fmt::format("predictions {}{}\n", path, replaces ? " (replaced)" : ""));
}

ExitCode validate(const ValidateArguments& arguments, const catalog::Places& places, Format format,
                  const Streams& streams) {
  check_predictions(arguments);
  Diagnostics diagnostics;
  const auto catalog = catalog::Catalog::load(places, diagnostics);
  Validated all;
  if (catalog && !arguments.framework.empty() &&
      !catalog->has(catalog::Section::frameworks, arguments.framework)) {
    diagnostics.error(
        {}, fmt::format("--framework: the catalog has no framework '{}'{}", arguments.framework,
                        catalog->suggestion(catalog::Section::frameworks, arguments.framework)));
  } else if (catalog) {
    const bool lists_all = arguments.list || format == Format::json;
    const std::size_t most_listed =
        lists_all ? std::numeric_limits<std::size_t>::max() : most_cases_listed;
    for (const std::string& file : arguments.files) {
      add_file(file, arguments, *catalog, most_listed, streams, diagnostics, all);
    }
  }
  tell(streams, diagnostics.text());
  if (!all.files.empty()) {
    check_columns(arguments.by, all.files);
    if (all.predictions) {
      commit_predictions(*all.predictions, arguments.predictions, streams);
    }
    print_reports(all, arguments, format, streams);
  }
  return diagnostics.has_errors() ? ExitCode::bad_input : ExitCode::ok;
}

}  // namespace

Command validate_command() {
  Command command("validate",
                  "Hold the model against measured steps, inference, kernels and collectives");
  auto arguments = std::make_shared<ValidateArguments>();
  command.operand("cases", arguments->files, "CASES...",
                  "Measured cases, CSV files; the columns tell their kind", "the case file",
                  "validate CASES.csv");
  command.option("--predictions", arguments->predictions, "FILE",
                 "Write the rows of the case file with what is predicted of each to this CSV file");
  const auto catalog_folder = add_catalog_option(command);
  command.option("--framework", arguments->framework, "NAME",
                 "What rows of training and inference run on that do not name one (default: the "
                 "framework of "
                 "their source)");
  command
      .option("--by", arguments->by, "COLUMN",
              "Also the errors of rows with the same cells in these columns, as tp,pp")
      .list();
  command.flag("--cases", arguments->list,
               fmt::format("List every case (default: in text only up to {})", most_cases_listed));
  const auto format = add_format_option(command, false);
  command.flag("--json", arguments->json, "The same as --format json");

  command.body = [arguments, catalog_folder, format](const Streams& streams) {
    return validate(*arguments, find_catalog(*catalog_folder),
                    arguments->json ? Format::json : *format, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
