#include "store/seal/input_driver.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include "store/hdf5/file_driver.hpp"
#include "store/seal/descriptor_bytes.hpp"
#include "store/seal/seal.hpp"

namespace scalesweep::store {
namespace {

struct InputFile : DriverFile {
  explicit InputFile(const char* name) : bytes(name) {}

  Descriptor bytes;
  dev_t device = 0;
  ino_t inode = 0;
  std::vector<SealedChunk> chunks;  // in order
};

const InputFile& ours(const H5FD_t* file) {
  return *static_cast<const InputFile*>(file);
}

void say(const std::string& why) {
  H5Epush2(H5E_DEFAULT, __FILE__, __func__, 0, H5E_ERR_CLS, H5E_IO, H5E_READERROR, "%s",
           why.c_str());
}

H5FD_t* open_input(const char* name, unsigned flags, hid_t, haddr_t) {
  if ((flags & H5F_ACC_RDWR) != 0) {
    say("this driver does not write");
    return nullptr;
  }
  auto file = std::make_unique<InputFile>(name);
  struct stat status = {};
  if (file->bytes.number() < 0 || ::fstat(file->bytes.number(), &status) != 0) {
    say(std::generic_category().message(errno));
    return nullptr;
  }
  file->device = status.st_dev;
  file->inode = status.st_ino;
  file->end_of_file = static_cast<haddr_t>(status.st_size);
  file->chunks = sealed_chunks(file->bytes.number());
  return file.release();
}

int compare_inputs(const H5FD_t* a, const H5FD_t* b) {
  const auto key = [](const InputFile& file) { return std::tie(file.device, file.inode); };
  return key(ours(a)) < key(ours(b)) ? -1 : key(ours(b)) < key(ours(a)) ? 1 : 0;
}

herr_t query_input(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

// A read that begins in a chunk is one of the whole chunk, and gives what was written there. HDF5
// reads metadata in pieces that may reach into the chunks behind.
bool is_as_sealed(const std::vector<SealedChunk>& chunks, haddr_t address,
                  std::span<const std::uint8_t> bytes) {
  const auto after =
      std::upper_bound(chunks.begin(), chunks.end(), address,
                       [](haddr_t place, const SealedChunk& chunk) { return place < chunk.first; });
  if (after == chunks.begin()) {
    return true;
  }
  const SealedChunk& chunk = *std::prev(after);
  if (address >= chunk.first + chunk.sum.bytes) {
    return true;
  }
  return address == chunk.first && sum_of(bytes) == chunk.sum;
}

// A heap of texts ("HDF5 File Format Specification", III.E): its length, then objects of an index,
// a length and so many bytes, in steps of eight; the one with index 0 is what is free.
bool is_sound_heap(std::span<const char> heap) {
  constexpr std::size_t head_bytes = 16;
  std::size_t at = head_bytes;
  while (heap.size() - at >= head_bytes) {
    const std::uint64_t length = word_at(heap, at + 8);
    const bool is_free = heap[at] == 0 && heap[at + 1] == 0;
    const std::uint64_t rest = heap.size() - at;
    if (length > rest || (is_free && length < head_bytes)) {
      return false;
    }
    const std::uint64_t taken = is_free ? length : head_bytes + (length + 7) / 8 * 8;
    if (taken > rest) {
      return false;
    }
    at += taken;
  }
  return true;
}

// HDF5 follows the lengths in a heap of texts wherever they lead. `start` is what it reads first of
// one, as raw data; what begins so is no chunk, which zlib's two bytes begin.
bool is_sound_heap(const InputFile& file, haddr_t address, std::span<const char> start) {
  constexpr std::string_view signature("GCOL\1\0\0\0", 8);
  if (start.size() < 16 || std::string_view(start.data(), 8) != signature) {
    return true;  // no beginning of one
  }
  const std::uint64_t length = word_at(start, 8);
  if (length < 16 || address > file.end_of_file || length > file.end_of_file - address) {
    return false;
  }
  if (length <= start.size()) {
    return is_sound_heap(start.first(length));
  }
  std::vector<char> heap(length);
  return read_whole(file.bytes.number(), address, heap) && is_sound_heap(heap);
}

herr_t read_input(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                  void* buffer) {
  auto* const bytes = static_cast<char*>(buffer);
  errno = 0;
  if (!read_whole(ours(file).bytes.number(), address, {bytes, size})) {
    say(errno != 0 ? std::generic_category().message(errno) : "bytes are missing at its end");
    return -1;
  }
  if (!is_as_sealed(ours(file).chunks, address, {static_cast<const std::uint8_t*>(buffer), size})) {
    say(other_than_sealed);
    return -1;
  }
  if (!is_sound_heap(ours(file), address, {bytes, size})) {
    say("its texts are damaged");
    return -1;
  }
  return 0;
}

herr_t write_input(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) {
  say("this driver does not write");
  return -1;
}

H5FD_class_t input_class() {
  H5FD_class_t driver = driver_of<InputFile>("scalesweep-input", 601);
  driver.open = open_input;
  driver.cmp = compare_inputs;
  driver.query = query_input;
  driver.read = read_input;
  driver.write = write_input;
  return driver;
}

}  // namespace

void set_input_driver(hid_t access) {
  static const H5FD_class_t driver_class = input_class();
  static const hid_t driver = H5FDregister(&driver_class);
  h5::check(H5Pset_driver(access, driver, nullptr), "cannot prepare the access");
}

}  // namespace scalesweep::store
