// Writes a small HDF5 file of several tables, for results derived from a study.
//
//   TableFile file("quick.analysis.h5", "scalesweep-analysis", 1, {{"title", "..."}});
//   file.add_table("frontier", schema, table, {{"description", "..."}});
//   file.begin_table("rows", schema);
//   file.add_rows(part);  // as often as there is one
//   file.end_table();
//   file.add_text("provenance/study", "quick.h5");
//   file.commit();
//
// Everything goes to PATH.partial; commit() fsyncs and renames, so that PATH is either as before
// or complete. Without commit() the destructor removes PATH.partial.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "store/read/table.hpp"

namespace scalesweep::store {

using TextAttributes = std::map<std::string, std::string>;

class TableFile {
 public:
  // `format` and `format_version` become root attributes beside `attributes`; `created` is added.
  // A file that already stands at `path` is replaced at commit if it is of the same `format`;
  // anything else there throws Failure(cannot_create). Throws Failure(cannot_create or io).
  TableFile(const std::filesystem::path& path, const std::string& format,
            std::int64_t format_version, const TextAttributes& attributes);
  ~TableFile();
  TableFile(TableFile&&) noexcept;
  TableFile& operator=(TableFile&&) noexcept;

  // One group (nested names "a/b" are made) with one 1-D dataset per column, compressed, with
  // units, long_name, description and enum labels as in a study. `attributes` go to the group.
  // Column 0 becomes the dimension scale of the others. A table may have no rows.
  void add_table(const std::string& group, const Schema& schema, const Table& table,
                 const TextAttributes& attributes = {});
  // The same of rows that come part by part: memory is that of a chunk of each column.
  void begin_table(const std::string& group, const Schema& schema);
  // Of that schema; other threads may read ColumnBlocks meanwhile.
  void add_rows(const Table& rows);
  void end_table(const TextAttributes& attributes = {});
  // A scalar UTF-8 string dataset; nested names are made.
  void add_text(const std::string& name, std::string_view text);

  // Throws Failure(io).
  void commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct NamedTable {
  Schema schema;
  Table table;
  TextAttributes attributes;
};

// Reads one group back. Throws Failure(no_input) if the file is not there, Failure(bad_input) if
// it is no HDF5 file or has no such group.
NamedTable read_table(const std::filesystem::path& path, const std::string& group);

}  // namespace scalesweep::store
