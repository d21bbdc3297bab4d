// An HDF5 file built in memory and given out as bytes, so that HDF5 never meets a failing disk.
// Private to src/store.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/hdf5/hdf5.hpp"
#include "store/seal/seal.hpp"

namespace scalesweep::store {

// HDF5 builds the file in a buffer that it gets from here and, when the file is closed, leaves
// here instead of freeing it. Only then is the image complete: what H5Fget_file_image gives of an
// open file has a superblock whose checksum does not hold.
class FileImage {
 public:
  FileImage() = default;
  ~FileImage();
  FileImage(const FileImage&) = delete;
  FileImage& operator=(const FileImage&) = delete;

  // An empty file in the newest metadata layout, because all of it is under checksums. Once.
  hid_t create();
  // All that was opened in the file must be closed before. It is sealed but for these chunks.
  void close(std::vector<SealedChunk> chunks = {});
  // Of the closed file.
  std::span<const std::uint8_t> bytes() const;

 private:
  static herr_t release(void* buffer, H5FD_file_image_op_t operation, void* image);

  void* buffer_ = nullptr;
  std::size_t size_ = 0;
  h5::Hid file_;  // closed before the buffer is freed
};

}  // namespace scalesweep::store
