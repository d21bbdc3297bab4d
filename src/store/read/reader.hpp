// Reads a study: what it is about, its axes, and its columns by slices. One that is not finished
// may be read as well: what is in the segments of NAME.h5.d so far.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "store/read/column_blocks.hpp"
#include "store/read/outcomes.hpp"
#include "store/read/study_file.hpp"
#include "store/read/table.hpp"

namespace scalesweep::store {

// What to do with NAME.h5 that is not there while NAME.h5.d is.
enum class Unfinished { refuse, read };

class StudyReader {
 public:
  // Throws Failure(no_input) if it is not there, Failure(bad_input) if it is no study or of another
  // format version, also if the rows lie in segments of which one is missing or not the right one.
  // Of an unfinished study every segment is verified whole; damaged ones are left out.
  explicit StudyReader(const std::filesystem::path& file,
                       Unfinished unfinished = Unfinished::refuse,
                       const PassProgress& progress = {});
  ~StudyReader();
  StudyReader(StudyReader&&) noexcept;
  StudyReader& operator=(StudyReader&&) noexcept;

  const Schema& schema() const;
  const std::vector<AxisValues>& axes() const;
  const std::map<std::string, std::string>& root_attributes() const;
  std::string root_attribute(const std::string& name) const;  // "" where the file has none
  const std::map<std::string, std::string>& provenance() const;
  // Hash of everything that decides the values, and what went into it.
  const std::string& identity() const;
  const std::map<std::string, std::string>& identity_parts() const;
  std::map<std::string, std::int64_t> counts() const;  // ids by status, rows kept or not
  std::vector<StoredHistogram> histograms() const;
  // Ids by status, group by group, rows kept or not; empty where the file does not say.
  std::vector<StoredOutcomes> outcomes() const;
  Layout layout() const;
  std::int64_t rows() const;
  std::int64_t points() const;

  bool complete() const;      // false: read from NAME.h5.d
  std::int64_t done() const;  // ids that the rows stand for; points() of a finished study
  // Files of NAME.h5.d that do not count, "<name>: <why>".
  const std::vector<std::string>& left_out() const;

  // Rows [first, last) of the named columns only; the table's schema has those columns in the given
  // order. Throws Failure(bad_input) for an unknown column.
  Table read(const std::vector<std::string>& columns, std::int64_t first, std::int64_t last) const;

  // The same columns, all rows, for several threads.
  ColumnBlocks blocks(const std::vector<std::string>& columns) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace scalesweep::store
