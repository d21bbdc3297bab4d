#include "analysis/show/result_files.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "analysis/bottlenecks/cells.hpp"
#include "analysis/file/columns.hpp"
#include "analysis/file/study_layout.hpp"
#include "analysis/show/data_text.hpp"
#include "analysis/show/figures.hpp"
#include "analysis/words/words.hpp"
#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "core/version.hpp"
#include "store/read/table_file.hpp"

namespace scalesweep::analysis {
namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    throw Failure(ExitCode::cannot_create,
                  fmt::format("cannot make the folder {}: {}", folder.string(),
                              error ? error.message() : "a file of that name is in the way"));
  }
}

// Without an earlier analysis in the folder, nothing there can be an earlier output.
void refuse_foreign(const OutputFiles& files, const std::string& name) {
  if (fs::exists(files.tables)) {
    return;  // TableFile checks that it is one of ours; what stands beside it then is ours too
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(files.folder)) {
    const std::string file = entry.path().filename().string();
    bool ours = false;
    for (const fs::path& csv : files.csv) {
      ours = ours || csv.filename() == file;
    }
    for (const FigureName& figure : figure_names) {
      ours = ours || file.starts_with(fmt::format("{}.{}", name, figure.name));
    }
    if (ours) {
      throw Failure(ExitCode::cannot_create,
                    fmt::format("{} stands in the way: it is not the output of an earlier analysis "
                                "in this folder ({} is missing); move it or choose another folder "
                                "with -o",
                                entry.path().string(), files.tables.filename().string()));
    }
  }
}

// Figures look places up in /axes: tables of an analysis hold them, and not the numbers.
store::Schema with_places(store::Schema schema) {
  for (store::Column& column : schema) {
    if (column.numbers) {
      column.numbers = nullptr;
      column.units = "";
    }
  }
  return schema;
}

store::Schema axis_schema(const store::AxisValues& axis) {
  return {{"index", store::ColumnType::i32, "1", "index", "as axis columns hold it", {}},
          {"value", store::ColumnType::f64, axis.units, axis.name, axis.description, {}}};
}

void add_axis(store::TableFile& file, const store::AxisValues& axis) {
  const store::Schema schema = axis_schema(axis);
  store::Table table(schema);
  for (std::size_t i = 0; i < axis.labels.size(); ++i) {
    table.values<std::int32_t>(0).push_back(static_cast<std::int32_t>(i));
    table.values<double>(1).push_back(i < axis.values.size() ? axis.values[i]
                                                             : static_cast<double>(i));
  }
  file.add_table("axes/" + axis.name, schema, table,
                 {{"description", axis.description}, {"units", axis.units}});
  file.add_text("labels/" + axis.name, join(axis.labels, "\n"));
}

// "tensor_compute=compute,dram=memory,..."
std::string groups_text(const std::vector<std::string>& resources) {
  std::vector<std::string> pairs;
  for (const std::string& resource : resources) {
    pairs.push_back(resource + "=" + group_of(resource));
  }
  return join(pairs, ",");
}

std::vector<std::string> maximized(const std::vector<Objective>& objectives) {
  std::vector<std::string> columns;
  for (const Objective& objective : objectives) {
    if (objective.direction == Direction::maximize) {
      columns.push_back(objective.column);
    }
  }
  return columns;
}

// "scale_out=scale-out network": names that are read as more than themselves, a line each.
std::string words_text(const AnalysisResult& result) {
  std::vector<std::string> lines;
  for (const auto& [name, text] : words_by_name(result)) {
    lines.push_back(fmt::format("{}={}", name, text));
  }
  return join(lines, "\n");
}

// The axes that say what is asked.
std::string workloads_text(const AnalysisResult& result) {
  std::vector<std::string> names;
  for (const store::AxisValues& axis : result.axes) {
    if (is_workload_axis(axis.name)) {
      names.push_back(axis.name);
    }
  }
  return join(names, ",");
}

void write_tables(const AnalysisResult& result, const fs::path& path) {
  const store::TextAttributes attributes = {
      {"title", result.source.title},
      {"source", "scalesweep " + build_info().version},
      {"study_file", result.source.file.filename().string()},
      {"study_sha256", result.source.sha256},
      {"study_identity", result.source.identity},
      {"along", result.along},
      {"along_axes", join(result.along_axes, ",")},
      {"held", result.held ? "yes" : "no"},
      {"phase_axes", join(result.phase_axes, ",")},
      {"panels", join(result.panels, ",")},
      {"workloads", workloads_text(result)},
      {"objectives", join(columns_of(result.objectives), ",")},
      {"maximized", join(maximized(result.objectives), ",")},
      {"time", result.time},
      {"better", result.better},
      {"resources", join(result.resources, ",")},
      {"groups", groups_text(result.resources)},
      {"strategy", join(result.strategy, ",")},
  };
  store::TableFile file(path, analysis_format, analysis_format_version, attributes);
  for (const ResultTable* table : tables_of(result)) {
    file.add_table(table->name, with_places(table->schema), table->table,
                   {{"description", table->description}});
  }
  for (const store::AxisValues& axis : result.axes) {
    add_axis(file, axis);
  }
  file.add_text("words", words_text(result));
  file.add_text("findings", join(result.findings, "\n"));
  file.add_text("notes", join(result.notes, "\n"));
  file.commit();
}

}  // namespace

fs::path default_folder(const fs::path& study) {
  return study.parent_path() / (study.stem().string() + "-analysis");
}

OutputFiles write_analysis(const AnalysisResult& result, const fs::path& folder, CsvTexts texts) {
  const std::string name = result.source.file.stem().string();
  OutputFiles files;
  files.folder = folder;
  files.tables = folder / (name + ".analysis.h5");
  for (const ResultTable* table : tables_of(result)) {
    files.csv.push_back(folder / fmt::format("{}.{}.csv", name, table->name));
  }
  make_folder(folder);
  refuse_foreign(files, name);
  write_tables(result, files.tables);
  std::size_t next = 0;
  for (const ResultTable* table : tables_of(result)) {
    write_file_durably(files.csv[next++], csv_text(result, *table, texts));
  }
  return files;
}

}  // namespace scalesweep::analysis
