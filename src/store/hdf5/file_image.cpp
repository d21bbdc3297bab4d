#include "store/hdf5/file_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace scalesweep::store {
namespace {

using h5::check;
using h5::Hid;
using h5::owned;

constexpr const char* what = "cannot build a file in memory";

void* allocate(std::size_t size, H5FD_file_image_op_t, void*) {
  return std::malloc(size);
}

void* copy(void* to, const void* from, std::size_t size, H5FD_file_image_op_t, void*) {
  return std::memcpy(to, from, size);
}

void* reallocate(void* buffer, std::size_t size, H5FD_file_image_op_t, void*) {
  return std::realloc(buffer, size);
}

// HDF5 copies and frees the pointer to the image with its property lists; it owns nothing.
void* share(void* image) {
  return image;
}

herr_t forget(void*) {
  return 0;
}

}  // namespace

FileImage::~FileImage() {
  file_.reset();
  std::free(buffer_);
}

herr_t FileImage::release(void* buffer, H5FD_file_image_op_t operation, void* image) {
  if (operation == H5FD_FILE_IMAGE_OP_FILE_CLOSE) {
    static_cast<FileImage*>(image)->buffer_ = buffer;
  } else {
    std::free(buffer);
  }
  return 0;
}

hid_t FileImage::create() {
  constexpr std::size_t growth_bytes = std::size_t{1} << 22;
  const Hid access = h5::file_access();
  check(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V110, H5F_LIBVER_V110), what);
  check(H5Pset_fapl_core(access.get(), growth_bytes, false), what);
  H5FD_file_image_callbacks_t callbacks = {allocate, copy,   reallocate, release,
                                           share,    forget, this};
  check(H5Pset_file_image_callbacks(access.get(), &callbacks), what);
  const Hid creation = owned(H5Pcreate(H5P_FILE_CREATE), H5Pclose, what);
  check(H5Pset_obj_track_times(creation.get(), false), what);
  file_ = owned(H5Fcreate("image", H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose, what);
  return file_.get();
}

void FileImage::close(std::vector<SealedChunk> chunks) {
  check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), what);
  const ssize_t size = H5Fget_file_image(file_.get(), nullptr, 0);
  check(H5Fclose(file_.release()), what);
  if (size <= 0 || buffer_ == nullptr) {
    throw h5::Hdf5Error(fmt::format("{}: nothing was left", what));
  }
  size_ = static_cast<std::size_t>(size);
  const std::vector<std::uint8_t> seal = seal_of(bytes(), std::move(chunks));
  void* const longer = std::realloc(buffer_, size_ + seal.size());
  if (longer == nullptr) {
    throw std::bad_alloc();
  }
  buffer_ = longer;
  std::copy(seal.begin(), seal.end(), static_cast<std::uint8_t*>(buffer_) + size_);
  size_ += seal.size();
}

std::span<const std::uint8_t> FileImage::bytes() const {
  return {static_cast<const std::uint8_t*>(buffer_), size_};
}

}  // namespace scalesweep::store
