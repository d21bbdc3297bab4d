// A study as other programs hold it: what they are told of it, and estimates of any of its points.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "engine/evaluator.hpp"
#include "library/parameters.hpp"
#include "study/study.hpp"

namespace scalesweep::library {

struct OpenedCatalog {
  std::filesystem::path folder;
  std::shared_ptr<const catalog::Catalog> entries;
};

// Nothing, with what is wrong in `message`, if there is a mistake in it; else `message` has
// warnings. `folder`: "" for the one of find_catalog, which throws.
std::optional<OpenedCatalog> open_catalog(const std::string& folder, std::string& message);

class OpenedStudy {
 public:
  // Null, with what is wrong in `message`, if there is a mistake in the spec; else `message` has
  // warnings. Throws Failure.
  static std::unique_ptr<OpenedStudy> of_file(const std::filesystem::path& file,
                                              const OpenedCatalog& catalog, std::string& message);
  static std::unique_ptr<OpenedStudy> of_text(const std::string& text, const std::string& name,
                                              const OpenedCatalog& catalog, std::string& message);

  explicit OpenedStudy(study::Study study);

  const study::Study& study() const { return study_; }
  const std::vector<Parameter>& parameters() const { return parameters_; }

  // values[c * ids.size() + r] of columns[c] and ids[r]. Throws Failure(usage) for an id or a
  // column that is none. `threads`: 0 for one on every processor. May be called by several threads.
  // False, with some of the values missing, where is_stopped() was true meanwhile; all threads ask
  // it, again and again.
  bool evaluate(std::span<const PointId> ids, std::span<const std::size_t> columns,
                std::size_t threads, double* values, const std::function<bool()>& is_stopped) const;

 private:
  // An evaluator and what it fills; it remembers what points in a row share.
  struct Worker {
    engine::Evaluator evaluator;
    engine::RangeResult result;
    std::size_t at_once = 1;  // points between two questions of whether to stop
  };
  // As many, of those that nobody uses now before new ones.
  std::vector<std::unique_ptr<Worker>> take_workers(std::size_t count) const;
  void give_back(std::vector<std::unique_ptr<Worker>> workers) const;
  static bool fill(Worker& worker, std::span<const PointId> ids,
                   const std::function<bool()>& is_stopped);
  void copy_column(const store::Table& rows, std::size_t column, double* to) const;

  study::Study study_;
  std::vector<Parameter> parameters_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Worker>> idle_;
};

}  // namespace scalesweep::library
