#include "store/seal/verify.hpp"

#include <unistd.h>

#include <algorithm>
#include <system_error>

#include "core/host/parallel.hpp"
#include "store/hdf5/file_problem.hpp"
#include "store/hdf5/names.hpp"
#include "store/read/reader.hpp"
#include "store/seal/open.hpp"
#include "store/seal/outside.hpp"
#include "store/seal/seal.hpp"
#include "store/seal/trial.hpp"
#include "store/segments/segment.hpp"
#include "store/segments/stored_study.hpp"

namespace scalesweep::store {
namespace {

namespace fs = std::filesystem;

// What is damaged belongs to the study no more: the reader has left it out.
void count(const fs::path& file, VerifiedStudy& verified) {
  try {
    verified.sealed += check_seal(file) == Seal::whole ? 1 : 0;
    ++verified.files;
  } catch (const h5::Hdf5Error&) {
    return;
  }
}

void check_rows(const StudyReader& reader, std::size_t threads, const PassProgress& progress) {
  std::vector<std::string> names;
  for (const Column& column : reader.schema()) {
    names.push_back(column.name);
  }
  const ColumnBlocks blocks = reader.blocks(names);
  std::size_t done = 0;
  for_each_in_order(
      thread_count(threads), blocks.size(),
      [&](std::size_t block) { return blocks.read(block).rows(); },
      [&](std::size_t) { tell(progress, "checking rows", ++done, blocks.size()); });
}

void try_sealed(const fs::path& file) {
  bool is_whole = false;
  try {
    is_whole = check_seal(file) == Seal::whole;
  } catch (const h5::Hdf5Error&) {
    return;  // is told, or left out, where it is read
  }
  if (is_whole) {
    with_study(file, ExitCode::bad_input, [&] {
      try_in_child(file);
      refuse_what_lies_outside(open_again(file).get());
    });
  }
}

}  // namespace

void try_sealed_files(const fs::path& file) {
  const fs::path folder = segments_folder(file);
  try_sealed(file);
  try_sealed(folder / template_name);
  if (::access(folder.c_str(), R_OK | X_OK) != 0) {
    return;  // there is none, or whoever reads it says why it cannot be read
  }
  for (const ListedSegment& segment : listed_segments(folder)) {
    try_sealed(segment.path);
  }
}

void check_values(const fs::path& file, std::size_t threads, const PassProgress& progress) {
  check_rows(StudyReader(file), threads, progress);
}

VerifiedStudy verify_study(const fs::path& file, std::size_t threads,
                           const PassProgress& progress) {
  const StudyReader reader(file, Unfinished::read, progress);
  check_rows(reader, threads, progress);
  // Read, so that what they say is held against each other.
  reader.counts();
  reader.histograms();
  reader.outcomes();
  VerifiedStudy verified;
  verified.rows = reader.rows();
  verified.left_out = reader.left_out();
  const fs::path folder = segments_folder(file);
  count(reader.complete() ? file : folder / template_name, verified);
  if (reader.layout() == Layout::by_segment) {
    for (const ListedSegment& segment : listed_segments(folder)) {
      count(segment.path, verified);
    }
  }
  return verified;
}

bool is_sealed(const fs::path& file, Layout layout) {
  const auto is_whole = [](const fs::path& path) {
    return with_study(path, ExitCode::bad_input, [&] { return check_seal(path) == Seal::whole; });
  };
  const bool is_file_sealed = is_whole(file);
  if (!is_file_sealed || layout == Layout::merged) {
    return is_file_sealed;
  }
  const std::vector<ListedSegment> segments = listed_segments(segments_folder(file));
  return std::all_of(segments.begin(), segments.end(),
                     [&](const ListedSegment& segment) { return is_whole(segment.path); });
}

}  // namespace scalesweep::store
