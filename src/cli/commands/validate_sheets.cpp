#include "cli/commands/validate_sheets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

using validation::CaseRow;

Cell none() {
  return {"", nullptr};
}

Cell seconds_cell(double seconds) {
  return {fmt::format("{:.4g} s", seconds), seconds};
}

// Seconds, or what is done per second.
Cell value_cell(const std::optional<double>& value, const validation::CaseKind& kind,
                bool is_rate) {
  if (!value) {
    return none();
  }
  if (&kind == &validation::kernel_cases()) {
    return {with_si_prefix(*value, "s"), *value};
  }
  return is_rate ? Cell{fmt::format("{:.4g} /s", *value), *value} : seconds_cell(*value);
}

Cell signed_percent_cell(double fraction) {
  return {fmt::format("{:+.1f} %", 100.0 * fraction), fraction};
}

Cell percent_cell(double fraction) {
  return {fmt::format("{:.2f} %", 100.0 * fraction), fraction};
}

Cell share_cell(double fraction) {
  return {fmt::format("{:.0f} %", 100.0 * fraction), fraction};
}

Cell count_cell(std::size_t count) {
  return {std::to_string(count), count};
}

Cell correlation_cell(const std::optional<double>& correlation) {
  return correlation ? Cell{fmt::format("{:.3f}", *correlation), *correlation} : none();
}

const std::vector<SheetColumn> agreement_columns = {
    {"count", "n", Align::right},
    {"mean_absolute_error", "mean |error|", Align::right},
    {"median_absolute_error", "median", Align::right},
    {"p90_absolute_error", "p90", Align::right},
    {"bias", "bias", Align::right},
    {"rank_correlation", "Spearman", Align::right},
    {"error_bars", "bars", Align::right},
    {"within_one_error_bar", "within 1", Align::right},
    {"within_two_error_bars", "within 2", Align::right}};

void append_agreement(std::vector<Cell>& row, const validation::Agreement& agreement) {
  const validation::ErrorStatistics& error = agreement.error;
  row.push_back(count_cell(error.count));
  for (const double figure :
       {error.mean_absolute, error.median_absolute, error.p90_absolute, error.bias}) {
    row.push_back(error.count > 0 ? percent_cell(figure) : none());
  }
  row.push_back(correlation_cell(agreement.rank_correlation));
  const validation::Coverage& coverage = agreement.coverage;
  const bool has_bars = coverage.count > 0;
  row.push_back(has_bars ? count_cell(coverage.count) : none());
  row.push_back(has_bars ? share_cell(coverage.share_within_one()) : none());
  row.push_back(has_bars ? share_cell(coverage.share_within_two()) : none());
}

// Column of the case file that a row is about.
const SheetColumn figure_column = {"figure", "figure", Align::left};

std::vector<SheetColumn> with_agreement(std::vector<SheetColumn> columns) {
  columns.insert(columns.end(), agreement_columns.begin(), agreement_columns.end());
  return columns;
}

// One row of the sheet for each figure that the file can have.
void append_summary(Sheet& sheet, const ValidatedFile& file, const validation::Summary& summary) {
  for (std::size_t i = 0; i < file.figures.size(); ++i) {
    const validation::Summary::OfFigure& of = summary.figures[i];
    std::vector<Cell> cells = {file.name,
                               std::string(file.kind->name),
                               summary.which,
                               count_cell(summary.cases),
                               file.figures[i].column,
                               count_cell(of.predicted)};
    append_agreement(cells, of.agreement.result());
    sheet.rows.push_back(cells);
  }
}

// What any of the files has columns of beside its value.
std::vector<validation::Figure> figures_beside(const std::vector<ValidatedFile>& files) {
  std::vector<validation::Figure> found;
  for (const ValidatedFile& file : files) {
    for (const validation::Figure& figure : file.figures) {
      const bool is_known = std::any_of(found.begin(), found.end(), [&](const auto& known) {
        return known.beside == figure.beside;
      });
      if (figure.beside != nullptr && !is_known) {
        found.push_back(figure);
      }
    }
  }
  return found;
}

// What is predicted and how far off that is.
void append_beside(std::vector<Cell>& cells, const validation::Figure& figure, const CaseRow& row) {
  const auto measured = figure.measured(row);
  const auto predicted = figure.predicted(row);
  cells.push_back(predicted ? Cell{fmt::format("{:.4g}", *predicted), *predicted} : none());
  cells.push_back(measured && predicted ? signed_percent_cell(*predicted / *measured - 1.0)
                                        : none());
}

// Of all requests that any of the files counts.
std::span<const estimator::RequestCount> request_counts(const std::vector<ValidatedFile>& files) {
  for (const ValidatedFile& file : files) {
    if (const auto counts = validation::request_counts_of(*file.kind); !counts.empty()) {
      return counts;
    }
  }
  return {};
}

Cell count_cell(const std::optional<estimator::RequestCounts>& requests,
                const estimator::RequestCount& count) {
  if (!requests) {
    return none();
  }
  const double value = (*requests).*count.value;
  return {fmt::format("{:.6g}", value), value};
}

std::vector<Cell> case_cells(const ValidatedFile& file, const CaseRow& row,
                             std::span<const estimator::RequestCount> counts,
                             const std::vector<validation::Figure>& beside) {
  const validation::Prediction& p = row.predicted;
  const auto error = row.error();
  const auto share = validation::share_of_design_power(row);
  const auto& bytes = p.memory.reserved_bytes;
  std::vector<Cell> cells = {
      file.name,
      row.name,
      value_cell(row.measured, *file.kind, row.is_rate),
      value_cell(p.value, *file.kind, row.is_rate),
      error ? signed_percent_cell(*error) : none(),
      p.relative_uncertainty
          ? Cell{fmt::format("{:.1f} %", 100.0 * *p.relative_uncertainty), *p.relative_uncertainty}
          : none(),
      bytes ? Cell{fmt::format("{:.1f} GB", *bytes / 1e9), *bytes} : none(),
      p.fits ? Cell{*p.fits ? "yes" : "no", *p.fits} : none(),
      p.device_power_w ? Cell{fmt::format("{:.0f} W", *p.device_power_w), *p.device_power_w}
                       : none(),
      share ? share_cell(*share) : none()};
  for (const estimator::RequestCount& count : counts) {
    cells.push_back(count_cell(p.requests, count));
  }
  for (const validation::Figure& figure : beside) {
    append_beside(cells, figure, row);
  }
  cells.emplace_back(p.bottleneck);
  cells.emplace_back(p.note);
  return cells;
}

}  // namespace

ValidatedFile::ValidatedFile(std::string shown_name, const validation::CaseFile& part,
                             const std::vector<std::string>& by)
    : name(std::move(shown_name)),
      kind(part.kind),
      columns(part.table.columns()),
      figures(validation::figures_of(part)),
      summaries(*kind, figures),
      groups(figures) {
  if (!by.empty() && std::all_of(by.begin(), by.end(), [&](const std::string& column) {
        return part.table.has(column);
      })) {
    residuals.emplace(figures, by);
  }
}

void ValidatedFile::add(const validation::CaseFile& part, std::size_t most_listed) {
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    const CaseRow& row = part.rows[i];
    ++cases;
    summaries.add(row);
    groups.add(row);
    if (residuals) {
      residuals->add(row, part.table, i);
    }
    if (kind == &validation::training_cases()) {
      rankings.add(row);
    }
    memory.add(row);
    verdicts.add(row);
    powers.add(row);
    if (listed.size() < most_listed) {
      listed.push_back(row);
    }
  }
}

Sheet case_sheet(const std::vector<ValidatedFile>& files) {
  Sheet sheet{"cases", "", {}, {}, true};
  sheet.columns = {{"file", "file", Align::left},
                   {"case", "case", Align::left},
                   {"measured", "measured", Align::right},
                   {"predicted", "predicted", Align::right},
                   {"error", "error", Align::right},
                   {"predicted_relative_uncertainty", "bar", Align::right},
                   {"predicted_memory", "memory", Align::right},
                   {"fits", "fits", Align::left},
                   {"predicted_device_power", "power", Align::right},
                   {"share_of_design_power", "of TDP", Align::right}};
  const std::span counts = request_counts(files);
  for (const estimator::RequestCount& count : counts) {
    const std::string name(count.name);
    sheet.columns.push_back({name, name, Align::right});
  }
  const std::vector<validation::Figure> beside = figures_beside(files);
  for (const validation::Figure& figure : beside) {
    sheet.columns.push_back({"predicted_" + figure.column, figure.column, Align::right});
    sheet.columns.push_back({figure.column + "_error", "error", Align::right});
  }
  sheet.columns.push_back({"bottleneck", "bottleneck", Align::left});
  sheet.columns.push_back({"note", "", Align::left});
  for (const ValidatedFile& file : files) {
    for (const CaseRow& row : file.listed) {
      sheet.rows.push_back(case_cells(file, row, counts, beside));
    }
  }
  return sheet;
}

Sheet summary_sheet(const std::vector<ValidatedFile>& files) {
  Sheet sheet{"summary", "predicted against measured", {}, {}, true};
  sheet.columns = with_agreement({{"file", "file", Align::left},
                                  {"kind", "kind", Align::left},
                                  {"rows", "rows", Align::left},
                                  {"cases", "cases", Align::right},
                                  figure_column,
                                  {"predicted", "predicted", Align::right}});
  for (const ValidatedFile& file : files) {
    for (const validation::Summary& summary : file.summaries.result()) {
      append_summary(sheet, file, summary);
    }
  }
  return sheet;
}

Sheet group_sheet(const std::vector<ValidatedFile>& files) {
  Sheet sheet{"groups", "by source, device, framework, operator and precision", {}, {}, true};
  sheet.columns = with_agreement({{"file", "file", Align::left},
                                  {"device", "device", Align::left},
                                  {"op", "op", Align::left},
                                  {"precision", "precision", Align::left},
                                  {"framework", "framework", Align::left},
                                  {"source", "source", Align::left},
                                  figure_column});
  constexpr std::size_t longest_source = 48;  // in text; programs get all of it
  for (const ValidatedFile& file : files) {
    for (const validation::Group& group : file.groups.result()) {
      const bool cut = group.source.size() > longest_source;
      std::vector<Cell> row = {
          file.name,
          group.device,
          group.op,
          group.precision,
          group.framework,
          Cell{cut ? group.source.substr(0, longest_source) + "..." : group.source, group.source},
          group.figure.column};
      append_agreement(row, group.agreement);
      sheet.rows.push_back(row);
    }
  }
  return sheet;
}

Sheet residual_sheet(const std::vector<ValidatedFile>& files,
                     const std::vector<std::string>& columns) {
  Sheet sheet{"residuals", fmt::format("by {}", join(columns, ", ")), {}, {}, true};
  sheet.columns = with_agreement(
      {{"file", "file", Align::left}, {"cells", "cells", Align::left}, figure_column});
  for (const ValidatedFile& file : files) {
    if (!file.residuals) {
      continue;
    }
    for (const validation::Residuals& group : file.residuals->result()) {
      std::vector<Cell> row = {file.name, group.cells, group.figure.column};
      append_agreement(row, group.agreement);
      sheet.rows.push_back(row);
    }
  }
  return sheet;
}

Sheet ranking_sheet(const std::vector<ValidatedFile>& files) {
  Sheet sheet{"rankings",
              fmt::format("layouts of one model on one number of devices, {} or more measured; "
                          "regret: extra time of the best of the model's first 1 and 3",
                          validation::fewest_candidates),
              {},
              {},
              true};
  sheet.columns = with_agreement({{"file", "file", Align::left},
                                  {"device", "device", Align::left},
                                  {"model", "model", Align::left},
                                  {"devices", "devices", Align::right}});
  sheet.columns.push_back({"regret_first", "regret 1", Align::right});
  sheet.columns.push_back({"regret_first_three", "regret 3", Align::right});
  for (const ValidatedFile& file : files) {
    for (const validation::Ranking& ranking : file.rankings.result()) {
      std::vector<Cell> row = {file.name, ranking.device, ranking.shape,
                               Cell{std::to_string(ranking.gpus), ranking.gpus}};
      append_agreement(row, ranking.agreement);
      row.push_back(percent_cell(ranking.regret_first));
      row.push_back(percent_cell(ranking.regret_first_three));
      sheet.rows.push_back(row);
    }
  }
  return sheet;
}

Sheet memory_sheet(const std::vector<ValidatedFile>& files) {
  Sheet sheet{"memory", "memory of a device", {}, {}, true};
  sheet.columns = {{"file", "file", Align::left},
                   {"figure", "figure", Align::left},
                   {"count", "n", Align::right},
                   {"mean_absolute_error", "mean |error|", Align::right},
                   {"median_absolute_error", "median", Align::right},
                   {"p90_absolute_error", "p90", Align::right},
                   {"bias", "bias", Align::right}};
  for (const ValidatedFile& file : files) {
    for (const validation::MemoryAgreement& memory : file.memory.result()) {
      sheet.rows.push_back(
          {file.name, memory.figure, count_cell(memory.error.count),
           percent_cell(memory.error.mean_absolute), percent_cell(memory.error.median_absolute),
           percent_cell(memory.error.p90_absolute), percent_cell(memory.error.bias)});
    }
  }
  return sheet;
}

Sheet verdict_sheet(const std::vector<ValidatedFile>& files) {
  Sheet sheet{
      "verdicts", "fits or runs out of memory: measured outcome, then predicted", {}, {}, true};
  sheet.columns = {{"file", "file", Align::left},
                   {"count", "n", Align::right},
                   {"fits_fits", "fits, fits", Align::right},
                   {"fits_out_of_memory", "fits, out", Align::right},
                   {"out_of_memory_out_of_memory", "out, out", Align::right},
                   {"out_of_memory_fits", "out, fits", Align::right},
                   {"agreement", "agreement", Align::right}};
  for (const ValidatedFile& file : files) {
    const validation::Verdicts& verdicts = file.verdicts;
    if (verdicts.count() > 0) {
      sheet.rows.push_back({file.name, count_cell(verdicts.count()),
                            count_cell(verdicts.fits_as_predicted),
                            count_cell(verdicts.fits_though_not_predicted),
                            count_cell(verdicts.out_of_memory_as_predicted),
                            count_cell(verdicts.out_of_memory_though_not_predicted),
                            percent_cell(verdicts.agreement())});
    }
  }
  return sheet;
}

Sheet power_sheet(const std::vector<ValidatedFile>& files) {
  Sheet sheet{"power",
              "power of a device over its thermal design power (TDP), cases that ran",
              {},
              {},
              true};
  sheet.columns = {{"file", "file", Align::left},
                   {"device", "device", Align::left},
                   {"count", "cases", Align::right},
                   {"mean", "mean", Align::right},
                   {"lowest", "lowest", Align::right},
                   {"highest", "highest", Align::right},
                   {"above", "above", Align::right},
                   {"below_half", "below half", Align::right},
                   {"limited", "clock lowered", Align::right}};
  for (const ValidatedFile& file : files) {
    for (const validation::DevicePower& power : file.powers.result()) {
      sheet.rows.push_back({file.name, power.device, count_cell(power.count),
                            share_cell(power.mean), share_cell(power.lowest),
                            share_cell(power.highest), count_cell(power.above),
                            count_cell(power.below_half), count_cell(power.limited)});
    }
  }
  return sheet;
}

Sheet device_order_sheet(const validation::DeviceOrders& orders) {
  Sheet sheet{"device_orders",
              fmt::format("tokens per second of one device, models measured on {} or more: the "
                          "devices from the fastest as measured; inverted pairs as measured, "
                          "predicted",
                          validation::fewest_devices),
              {},
              {},
              true};
  sheet.columns = {{"model", "model", Align::left},
                   {"op", "op", Align::left},
                   {"lengths", "lengths", Align::right},
                   {"precision", "precision", Align::left},
                   {"devices", "devices", Align::left},
                   {"kendall_tau", "tau", Align::right},
                   {"pairs", "pairs", Align::right},
                   {"inverted", "inverted", Align::right},
                   {"inverted_beyond_measured", "beyond", Align::right},
                   {"inverted_pairs", "which", Align::left}};
  for (const validation::DeviceOrder& order : orders.result()) {
    std::vector<std::string> devices;
    for (const validation::DeviceRate& rate : order.devices) {
      devices.push_back(rate.device);
    }
    std::vector<std::string> inverted;
    std::size_t beyond = 0;
    for (const validation::InvertedPair& pair : order.inverted) {
      inverted.push_back(fmt::format("{} over {} {:.2f}, {:.2f}", pair.faster, pair.slower,
                                     pair.measured_lead, pair.predicted_lead));
      beyond += pair.beyond_measured() ? 1 : 0;
    }
    sheet.rows.push_back({order.model, order.op, order.lengths, order.precision,
                          join(devices, ", "), correlation_cell(order.tau),
                          count_cell(order.pairs()), count_cell(order.inverted.size()),
                          count_cell(beyond), join(inverted, "; ")});
  }
  return sheet;
}

}  // namespace scalesweep::cli
