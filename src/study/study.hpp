// A study: a spec resolved against a catalog, ready to be counted, evaluated or explained.
//
//   Diagnostics diagnostics;
//   std::optional<Study> study = Study::load("a.toml", "nodes", diagnostics);
//   if (!study) { print diagnostics.text(); }
//   engine::Evaluator evaluator = study->make_evaluator();
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostic.hpp"
#include "engine/run.hpp"
#include "space/space.hpp"
#include "store/read/study_file.hpp"
#include "study/kinds/workload_kind.hpp"
#include "study/resolve/resolve.hpp"
#include "study/rows/keep.hpp"

namespace scalesweep::study {

// One configuration with everything that its estimate needs.
struct Point {
  PointId id = 0;
  std::vector<std::int32_t> axis_index;
  parallel::Strategy strategy;
  Job job;  // of the kind of the study
  double accelerators = 1.0;
  SystemChoice system;
  bool filtered = false;
  std::vector<bool> requirements_met = {};  // of each of the spec; none is without an estimate
};

// What a study is made of, as texts: of files, or out of a file that holds them all.
struct StudySource {
  std::string file;  // of the spec, for messages and to find its trace of requests from
  std::string spec;
  std::shared_ptr<const catalog::Catalog> catalog;  // null: reported where it was read
  // What the trace was reduced to; nothing: its file is read, if the spec names one.
  std::optional<space::ReducedTrace> trace = {};
};

class Study {
 public:
  // Reads both and resolves every name. All mistakes of the spec and the catalog go to
  // `diagnostics`; nothing if there was one. Throws Failure(no_input) if the spec or the folder
  // cannot be read. `kinds` are those that a spec may name; they must outlive the study.
  static std::optional<Study> load(const std::filesystem::path& spec_file,
                                   const std::filesystem::path& nodes_folder,
                                   Diagnostics& diagnostics,
                                   WorkloadKinds kinds = workload_kinds());
  // The same with overlays beside the catalog.
  static std::optional<Study> load(const std::filesystem::path& spec_file,
                                   const catalog::Places& places, Diagnostics& diagnostics,
                                   WorkloadKinds kinds = workload_kinds());
  static std::optional<Study> of(const StudySource& source, Diagnostics& diagnostics,
                                 WorkloadKinds kinds = workload_kinds());

  const space::Spec& spec() const;
  const WorkloadKind& kind() const;
  const space::Space& space() const;
  const catalog::Catalog& catalog() const;
  // Entries of the catalog that the study rests on, in catalog order.
  const std::vector<const catalog::Entry*>& entries() const;
  // Of what it rests on, what is not sure: values marked unverified, and nodes beyond their series.
  std::vector<std::string> unverified() const;
  const store::StudyDescription& description() const;

  // Why its counts cannot be bounded by such a policy, "" if they can be.
  std::string counts_problem(const space::Keep& keep) const;
  // Replaces the policy of the spec (--keep), which has no such problem; part of the identity.
  void set_keep(const space::Keep& keep);
  // How and where it is run: part of the provenance, never of the identity. With names left out,
  // nothing in the description tells the machine, its folders and who computes.
  enum class Names { told, left_out };
  void describe_run(const std::string& command, int ranks, Names names = Names::told);

  // False where rows are dropped again at the end (best, frontier).
  bool rows_are_final() const;
  // Of the first objective.
  std::string objective_units() const;

  Point point_at(PointId id) const;
  // The same for many points: what points share is not computed again, shares that are allocated
  // above all. One per thread; it may outlive the study.
  std::function<Point(PointId)> make_points() const;

  // One per thread; each may outlive the study.
  engine::Evaluator make_evaluator() const;
  // The same for those who ask for some points: `evaluate` gives a row for each id, whatever the
  // policy keeps, [search] looks at or bounds leave out, and counts statuses alone. One per thread;
  // it may outlive the study.
  engine::Evaluator make_row_evaluator() const;

  struct Data;

 private:
  std::shared_ptr<Data> data_;
};

}  // namespace scalesweep::study
