// Small study files written through the store, so that analysis is tested on what it will read.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "parallel/strategy.hpp"
#include "store/read/study_file.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::analysis::testing {

inline const std::vector<std::string> resource_names = {
    "tensor_compute", "vector_compute", "dram",      "l2",
    "shared_memory",  "scale_up",       "scale_out", "latency"};

struct TestPoint {
  std::vector<std::int32_t> axes;     // index into each axis
  std::array<double, 8> charges_s{};  // in the order of resource_names
  double energy_j = 1.0;
  std::uint8_t status = 0;  // ok, does_not_fit, filtered
  std::int32_t tensor_parallel = 1;
  std::int32_t pipeline_parallel = 1;
  std::uint8_t recompute = 0;  // none, selective, full
  double tensor_peak = 0.0;    // columns of the study only where one of its points has them
  double dram_bandwidth = 0.0;
  std::int32_t data_parallel = 0;  // these three the same
  std::int32_t micro_batch = 0;
  std::int32_t micro_batches = 0;
  std::int32_t chunks = 0;  // the same
  double error_bar = 0.0;   // relative, of the time; the same
  bool unmeasured = false;  // its device; the same
};

struct TestStudy {
  std::vector<store::AxisValues> axes;
  std::vector<TestPoint> points;  // the id is the place in the list
  std::int64_t not_kept = 0;  // ids behind those of the points, filtered, of which no row is kept
  std::int64_t worse_not_kept = 0;                       // feasible ids behind those, likewise
  bool only_feasible = false;                            // rows that the file keeps
  std::vector<store::OutcomeTable> outcome_tables = {};  // counted of all points; none: nothing is
  std::vector<std::string> drop_columns;
  std::string objectives;  // root attribute; "": the time and what else there is of the usual ones
  std::map<std::string, std::string> root_attributes = {};  // beside title and objectives
  bool say_objectives = true;                               // false leaves it out
  bool say_roles = true;                            // false: as files were before columns had roles
  std::map<std::string, std::string> renamed = {};  // columns, to what they are called in the file
  std::vector<std::string> adds_up = {};            // columns that do over phases
  std::string spec = {};                            // of the provenance; "" leaves it out
  // Whose rules make the strategies: of inference, one micro-batch a stage.
  parallel::WorkloadKind kind = parallel::WorkloadKind::training;
  std::int64_t chunk_rows = 1024;

  store::StudyDescription description() const;
  void write(const std::filesystem::path& file) const;
};

// An axis of names, and one of numbers.
store::AxisValues names(const std::string& name, const std::vector<std::string>& labels);
store::AxisValues values(const std::string& name, const std::vector<double>& values,
                         const std::string& units);

using test::TemporaryFolder;

// Seven logic nodes, `memories` and `networks`, with a few strategies each: a toy law that is
// compute-bound at the first nodes and memory- or network-bound at the last. `copies` repeats each
// strategy with slightly different times, for size.
TestStudy scaling_study(std::size_t memories, std::size_t networks, int copies);

}  // namespace scalesweep::analysis::testing
