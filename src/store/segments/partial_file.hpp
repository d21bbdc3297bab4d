// An HDF5 file in the making: written as PATH.partial, given its name only when complete and on
// disk. Private to src/store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "store/hdf5/hdf5.hpp"
#include "store/hdf5/output_driver.hpp"
#include "store/read/study_file.hpp"
#include "store/seal/seal.hpp"

namespace scalesweep::store {

enum class Existing { keep, replace };

class PartialFile {
 public:
  // Throws Failure(cannot_create or io).
  explicit PartialFile(const std::filesystem::path& target, H5F_libver_t version = H5F_LIBVER_V18);
  // Without commit() nothing is left behind.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  hid_t id() const { return file_.get(); }
  const std::filesystem::path& path() const { return partial_; }

  // Throws Failure(io) if something could not be written up to now: HDF5 itself does not tell.
  void check_written() const;

  // Close, seal all but these chunks, fsync, rename, fsync of the folder. With Existing::keep a
  // file that stands at the target stays and Failure(cannot_create) is thrown. Throws Failure(io)
  // otherwise.
  void commit(Existing existing, Durability durability, std::vector<SealedChunk> chunks = {});

 private:
  void close_descriptor() noexcept;
  void discard() noexcept;

  std::filesystem::path target_;
  std::filesystem::path partial_;
  OutputSink sink_;
  h5::Hid file_;
  bool committed_ = false;
};

// A new HDF5 file in the sink, its metadata as HDF5 `version` and every later one know it.
h5::Hid create_file(OutputSink& sink, H5F_libver_t version);

// Writes beside the target under a name of this process, then renames over it: two processes may
// write the same bytes to one target at once. Throws Failure(io), and leaves nothing behind then.
void write_bytes(const std::filesystem::path& target, std::span<const std::uint8_t> bytes,
                 Durability durability);
// The name that write_bytes uses; scans ignore it.
std::filesystem::path temporary_name(const std::filesystem::path& target);

// Renames, refusing to replace where asked: atomically where the file system can. Then fsyncs the
// folder, if it is to be durable. Throws Failure(cannot_create) if `to` exists and is to be kept,
// Failure(io) otherwise.
void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to,
                    Existing existing, Durability durability = Durability::synced);

// UTC, ISO 8601.
std::string timestamp();

}  // namespace scalesweep::store
