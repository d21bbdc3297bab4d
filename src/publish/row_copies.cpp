#include "publish/row_copies.hpp"

#include <fmt/format.h>

#include <fstream>
#include <functional>

#include "analysis/query/query.hpp"
#include "analysis/writers/csv_metadata.hpp"
#include "analysis/writers/output.hpp"
#include "core/documents/shell.hpp"
#include "core/failure.hpp"

namespace scalesweep::publish {
namespace {

namespace fs = std::filesystem;

analysis::QueryPlan all_rows(const store::StudyReader& reader,
                             const analysis::ReadingOptions& how) {
  analysis::QueryOptions options;
  options.rows.all_statuses = true;
  options.rows.reading = how;
  options.select = {std::string(analysis::all_word)};
  return analysis::plan_query(reader, options);
}

analysis::QuerySource source_of_all(const store::StudyReader& reader, const std::string& name) {
  return analysis::source_of(
      reader, name,
      fmt::format("scalesweep query {} --select all --all-statuses", shell_word(name)));
}

void write_file(const fs::path& path, const std::function<void(std::ostream&)>& body) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  body(out);
  out.flush();
  if (!out) {
    throw Failure(ExitCode::io,
                  fmt::format("{} cannot be written; is the disk full?", path.string()));
  }
}

void write_rows(const store::StudyReader& reader, const fs::path& path, const std::string& name,
                const analysis::QueryPlan& plan, analysis::RowFormat format,
                CsvTexts texts = CsvTexts::plain) {
  const analysis::TextStyle style = {0, false, analysis::CsvUnits::beside, texts};
  write_file(path, [&](std::ostream& out) {
    const auto writer =
        analysis::make_writer(format, out, reader, plan, source_of_all(reader, name), style);
    writer->finish(
        analysis::run_query(reader, plan, [&](const store::Table& rows) { writer->add(rows); }));
  });
}

}  // namespace

void write_parquet(const store::StudyReader& reader, const fs::path& path, const std::string& name,
                   const analysis::ReadingOptions& how) {
  write_rows(reader, path, name, all_rows(reader, how), analysis::RowFormat::parquet);
}

fs::path write_csv(const store::StudyReader& reader, const fs::path& path, const std::string& name,
                   const analysis::ReadingOptions& how, CsvTexts texts) {
  const analysis::QueryPlan plan = all_rows(reader, how);
  write_rows(reader, path, name, plan, analysis::RowFormat::csv, texts);
  const fs::path metadata = analysis::csv_metadata_file(path);
  write_file(metadata, [&](std::ostream& out) {
    out << analysis::csv_metadata(path.filename().string(), plan, source_of_all(reader, name));
  });
  return metadata;
}

}  // namespace scalesweep::publish
