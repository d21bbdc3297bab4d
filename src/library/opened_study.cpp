#include "library/opened_study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iterator>
#include <limits>
#include <utility>

#include "catalog/load/project_entries.hpp"
#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "core/host/installation.hpp"
#include "core/host/parallel.hpp"
#include "core/host/processors.hpp"
#include "study/file/study_of_file.hpp"

namespace scalesweep::library {
namespace {

namespace fs = std::filesystem;

// Of one thread: fewer are not worth one, and of more the rows take memory for nothing.
constexpr std::size_t fewest_ids_at_once = 256;
constexpr std::size_t most_ids_at_once = 4096;

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

namespace {

// As many as take about as long as somebody who stops it notices: some points are a thousand times
// as slow as others, and what comes next is like what was.
std::size_t next_at_once(std::size_t at_once, std::chrono::steady_clock::duration took) {
  constexpr std::chrono::milliseconds between_questions(50);
  return took < between_questions / 2 ? std::min(2 * at_once, most_ids_at_once)
         : took > between_questions   ? std::max<std::size_t>(at_once / 2, 1)
                                      : at_once;
}

// Each of several threads has some pieces, of which the last ones take as long as all others.
std::size_t ids_of_piece(std::size_t ids, std::size_t threads) {
  return std::clamp(ids / (4 * threads), fewest_ids_at_once, most_ids_at_once);
}

}  // namespace

// The rows of these ids, in their order; false where it was stopped.
bool OpenedStudy::fill(Worker& worker, std::span<const PointId> ids,
                       const std::function<bool()>& is_stopped) {
  using Clock = std::chrono::steady_clock;
  worker.result.rows.clear();
  worker.result.outcomes.clear();
  for (std::size_t first = 0; first < ids.size();) {
    if (is_stopped()) {
      return false;
    }
    const auto begin = Clock::now();
    const std::size_t last =
        end_of_run(ids.first(std::min(ids.size(), first + worker.at_once)), first);
    worker.evaluator.evaluate({ids[first], ids[last - 1] + 1}, worker.result);
    if (last - first == worker.at_once) {
      worker.at_once = next_at_once(worker.at_once, Clock::now() - begin);
    }
    first = last;
  }
  return true;
}

bool OpenedStudy::evaluate(std::span<const PointId> ids, std::span<const std::size_t> columns,
                           std::size_t threads, double* values,
                           const std::function<bool()>& is_stopped) const {
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
  const std::size_t wanted = threads > 0 ? threads : usable_processors();
  const std::size_t size = ids_of_piece(ids.size(), wanted);
  const std::size_t pieces = (ids.size() + size - 1) / size;
  std::atomic<bool> stopped{false};
  auto workers = take_workers(std::min(wanted, pieces));
  for_each_parallel(workers, pieces, [&](std::unique_ptr<Worker>& worker, std::size_t piece) {
    const std::size_t first = piece * size;
    const auto some = ids.subspan(first, std::min(size, ids.size() - first));
    if (stopped || !fill(*worker, some, is_stopped)) {
      stopped = true;
      return;
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      copy_column(worker->result.rows, columns[c], values + c * ids.size() + first);
    }
  });
  give_back(std::move(workers));
  return !stopped;
}

// Numbers of axes where tables hold what stands for them.
void OpenedStudy::copy_column(const store::Table& rows, std::size_t column, double* to) const {
  const auto& numbers = study_.description().schema[column].numbers;
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    to[r] = numbers ? numbers->values()[static_cast<std::size_t>(rows.number(column, r))]
                    : rows.number(column, r);
  }
}

}  // namespace scalesweep::library
