// Tables as Apache Parquet, which pandas, Polars, DuckDB and Spark read: flat columns without
// compression, names as dictionaries of UTF-8 text, null where there is no value. After the
// format's specification (apache/parquet-format 2.9, its structures in Thrift's compact protocol).
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "store/read/table.hpp"

namespace scalesweep::analysis {

inline constexpr const char* parquet_key = "scalesweep";

// Where the pages of a column in a group of rows are.
struct ParquetChunk {
  std::int64_t first_page = 0;  // offset in the file
  std::int64_t data_page = 0;
  std::int64_t bytes = 0;
  std::int64_t absent = 0;  // rows without a value
};

class ParquetWriter {
 public:
  // `metadata`: texts about the whole. They become a JSON document under the key `parquet_key` of
  // the file, with its `columns`: name, units, long_name and description of each. A column has
  // those three as metadata of its own, too. The stream must outlive the writer.
  ParquetWriter(std::ostream& out, const store::Schema& schema,
                std::map<std::string, std::string> metadata);

  // Rows of the schema; kept until there are enough for a group.
  void add(const store::Table& rows);
  // Writes what is left and what makes it a file. `more`: metadata that was not known before.
  void finish(const std::map<std::string, std::string>& more = {});

 private:
  struct Group {
    std::vector<ParquetChunk> columns;
    std::int64_t rows = 0;
  };

  void write(const std::string& bytes);
  void write_group();
  ParquetChunk write_column(std::size_t column);
  std::string footer() const;
  std::string described() const;

  std::ostream& out_;
  store::Schema schema_;
  std::map<std::string, std::string> metadata_;
  store::Table rows_;
  std::vector<Group> groups_;
  std::int64_t written_ = 0;
};

}  // namespace scalesweep::analysis
