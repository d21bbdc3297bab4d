// Rows of a query for people and programs: text, CSV, JSON, JSON lines, HDF5, Parquet.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analysis/file/columns.hpp"
#include "analysis/writers/row_writer.hpp"
#include "store/read/reader.hpp"
#include "store/read/table.hpp"

namespace scalesweep::analysis {

// What the rows are of.
struct QuerySource {
  std::string file;
  std::string title;
  std::string identity;
  std::string command;             // line that asked
  std::vector<std::string> notes;  // on how much of the study was read
  // What the study says of itself as a data set: attributes of its root by name.
  std::map<std::string, std::string> dataset = {};
};
QuerySource source_of(const store::StudyReader& reader, const std::string& file,
                      const std::string& command);

// Columns as a program wants them: names stay indices with labels, axes of numbers and quantities
// are those numbers, in SI units.
class ValueColumns {
 public:
  ValueColumns(const store::Schema& stored, std::vector<ColumnMeaning> meanings);
  const store::Schema& schema() const { return schema_; }
  store::Table values(const store::Table& stored) const;

 private:
  store::Schema stored_;
  std::vector<ColumnMeaning> meanings_;
  store::Schema schema_;
};

ValueColumns value_columns(const QueryPlan& plan);

enum class RowFormat { text, csv, json, json_lines, hdf5, parquet };

// To a stream, all but hdf5.
std::unique_ptr<RowWriter> make_writer(RowFormat format, std::ostream& out,
                                       const store::StudyReader& reader, const QueryPlan& plan,
                                       const QuerySource& source, const TextStyle& style);

// To an HDF5 file with the table `rows`: columns with units, descriptions and enums.
std::unique_ptr<RowWriter> make_hdf5_writer(const std::filesystem::path& file,
                                            const QueryPlan& plan, const QuerySource& source);

}  // namespace scalesweep::analysis
