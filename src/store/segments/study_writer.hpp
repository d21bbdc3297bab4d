// Everything of a study's file but the values of its rows. Private to src/store.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "store/hdf5/hdf5.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::store {

// Call add_columns, then close.
class StudyWriter {
 public:
  // Both must outlive it. `format` is what the file says it is.
  StudyWriter(hid_t file, const StudyDescription& study, const std::string& format,
              std::int64_t rows);

  // Makes the dataset of a column, of that type.
  using CreateColumn = std::function<h5::Hid(hid_t group, const Column& column, hid_t type)>;
  void add_columns(const CreateColumn& create);
  std::vector<hid_t> datasets() const;  // in the order of the schema
  // Without outcomes nothing is said of them.
  void close(const Counts& counts, const std::optional<Outcomes>& outcomes);

 private:
  const StudyDescription& study_;
  hid_t file_;
  h5::Hid results_;
  std::vector<h5::Hid> columns_;
};

}  // namespace scalesweep::store
