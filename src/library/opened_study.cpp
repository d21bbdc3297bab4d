#include "library/opened_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "catalog/project_entries.hpp"
#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "core/host/installation.hpp"
#include "core/host/parallel.hpp"
#include "core/host/processors.hpp"
#include "study/file/study_of_file.hpp"

namespace scalesweep::library {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t ids_at_once = 4096;

std::optional<study::Study> study_of_finished(const fs::path& file, const OpenedCatalog& catalog,
                                              Diagnostics& diagnostics, std::string& notes) {
  std::optional<study::FileStudy> read;
  try {
    read = study::study_of_file(
        file, [&] { return catalog::Places{catalog.folder}; }, diagnostics);
  } catch (const Failure& failure) {
    if (failure.code() == ExitCode::usage) {  // it asks for a point that says of which study
      refuse(fmt::format("{} is a union of studies; open one of those that it was made of",
                         file.string()));
    }
    throw;
  }
  if (!read) {
    return std::nullopt;
  }
  for (const std::string& note : read->notes) {
    notes += fmt::format("note: {}\n", note);
  }
  return std::move(read->study);
}

std::unique_ptr<OpenedStudy> opened(std::optional<study::Study> study,
                                    const Diagnostics& diagnostics, const std::string& notes,
                                    std::string& message) {
  message = diagnostics.text() + notes;
  return study ? std::make_unique<OpenedStudy>(std::move(*study)) : nullptr;
}

// The end of the ids that follow on the one at `first`, at most so many.
std::size_t end_of_run(std::span<const PointId> ids, std::size_t first) {
  std::size_t last = first + 1;
  while (last < ids.size() && ids[last] == ids[last - 1] + 1) {
    ++last;
  }
  return last;
}

}  // namespace

std::optional<OpenedCatalog> open_catalog(const std::string& folder, std::string& message) {
  Diagnostics diagnostics;
  OpenedCatalog opened = {find_catalog(folder, "the argument catalog"), nullptr};
  auto read = catalog::Catalog::load(opened.folder, diagnostics);
  message = diagnostics.text();
  if (!read || diagnostics.has_errors()) {
    return std::nullopt;
  }
  opened.entries = std::make_shared<const catalog::Catalog>(std::move(*read));
  return opened;
}

std::unique_ptr<OpenedStudy> OpenedStudy::of_file(const fs::path& file,
                                                  const OpenedCatalog& catalog,
                                                  std::string& message) {
  Diagnostics diagnostics;
  if (!study::is_study_file(file)) {
    catalog::Places places = {catalog.folder};
    const std::string note = catalog::add_project_entries(file, places);
    if (places.overlays.empty()) {
      auto study = of_text(read_file(file), file.string(), catalog, message);
      message += note;
      return study;
    }
    return opened(study::Study::load(file, places, diagnostics), diagnostics, note, message);
  }
  std::string notes;
  auto study = study_of_finished(file, catalog, diagnostics, notes);
  return opened(std::move(study), diagnostics, notes, message);
}

std::unique_ptr<OpenedStudy> OpenedStudy::of_text(const std::string& text, const std::string& name,
                                                  const OpenedCatalog& catalog,
                                                  std::string& message) {
  Diagnostics diagnostics;
  study::StudySource source;
  source.file = name;
  source.spec = text;
  source.catalog = catalog.entries;
  return opened(study::Study::of(source, diagnostics), diagnostics, "", message);
}

OpenedStudy::OpenedStudy(study::Study study)
    : study_(std::move(study)), parameters_(parameters_of(study_)) {}

std::vector<std::unique_ptr<OpenedStudy::Worker>> OpenedStudy::take_workers(
    std::size_t count) const {
  std::vector<std::unique_ptr<Worker>> workers;
  {
    const std::lock_guard lock(mutex_);
    while (!idle_.empty() && workers.size() < count) {
      workers.push_back(std::move(idle_.back()));
      idle_.pop_back();
    }
  }
  const store::StudyDescription& description = study_.description();
  while (workers.size() < count) {
    workers.push_back(std::make_unique<Worker>(
        Worker{study_.make_row_evaluator(),
               {store::Table(description.schema), store::zero_counts(description),
                std::numeric_limits<double>::infinity()}}));
  }
  return workers;
}

void OpenedStudy::give_back(std::vector<std::unique_ptr<Worker>> workers) const {
  const std::lock_guard lock(mutex_);
  std::move(workers.begin(), workers.end(), std::back_inserter(idle_));
}

// The rows of these ids, in their order.
void OpenedStudy::fill(Worker& worker, std::span<const PointId> ids) {
  worker.result.rows.clear();
  worker.result.outcomes.clear();
  for (std::size_t first = 0; first < ids.size();) {
    const std::size_t last = end_of_run(ids, first);
    worker.evaluator.evaluate({ids[first], ids[last - 1] + 1}, worker.result);
    first = last;
  }
}

void OpenedStudy::evaluate(std::span<const PointId> ids, std::span<const std::size_t> columns,
                           std::size_t threads, double* values) const {
  for (const PointId id : ids) {
    if (id < 0 || id >= study_.space().size()) {
      throw Failure(ExitCode::usage, fmt::format("there is no point {}; ids are 0 to {}", id,
                                                 study_.space().size() - 1));
    }
  }
  for (const std::size_t column : columns) {
    if (column >= study_.description().schema.size()) {
      throw Failure(ExitCode::usage, fmt::format("there is no column {}; there are {}", column,
                                                 study_.description().schema.size()));
    }
  }
  const std::size_t pieces = (ids.size() + ids_at_once - 1) / ids_at_once;
  const std::size_t wanted = threads > 0 ? threads : usable_processors();
  auto workers = take_workers(std::min(wanted, pieces));
  for_each_parallel(workers, pieces, [&](std::unique_ptr<Worker>& worker, std::size_t piece) {
    const std::size_t first = piece * ids_at_once;
    const auto some = ids.subspan(first, std::min(ids_at_once, ids.size() - first));
    fill(*worker, some);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      double* const to = values + c * ids.size() + first;
      const store::Table& rows = worker->result.rows;
      const auto& numbers = study_.description().schema[columns[c]].numbers;
      for (std::size_t r = 0; r < some.size(); ++r) {
        to[r] = numbers ? numbers->values()[static_cast<std::size_t>(rows.number(columns[c], r))]
                        : rows.number(columns[c], r);
      }
    }
  });
  give_back(std::move(workers));
}

}  // namespace scalesweep::library
