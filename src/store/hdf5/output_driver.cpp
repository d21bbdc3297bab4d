#include "store/hdf5/output_driver.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "store/hdf5/file_driver.hpp"
#include "store/seal/descriptor_bytes.hpp"

namespace scalesweep::store {
namespace {

struct OutputFile : DriverFile {
  OutputSink* sink = nullptr;
};

OutputFile& ours(H5FD_t* file) {
  return *static_cast<OutputFile*>(file);
}

H5FD_t* open_output(const char*, unsigned, hid_t access, haddr_t) {
  const auto* info = static_cast<OutputSink* const*>(H5Pget_driver_info(access));
  if (info == nullptr) {
    return nullptr;
  }
  auto file = std::make_unique<OutputFile>();
  file->sink = *info;
  return file.release();
}

int compare_outputs(const H5FD_t* a, const H5FD_t* b) {
  return a < b ? -1 : a > b ? 1 : 0;
}

herr_t query_output(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
           H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t allocate(H5FD_t* file, H5FD_mem_t type, hid_t, hsize_t size) {
  OutputFile& output = ours(file);
  OutputSink& sink = *output.sink;
  if (sink.placing && type == H5FD_MEM_DRAW) {
    const haddr_t address = sink.next_chunk;
    sink.next_chunk += size;
    return address;
  }
  const haddr_t address = output.end_of_allocation;
  output.end_of_allocation += size;
  // The first to be allocated is the superblock, which must be at 0.
  if (address == 0 && sink.region_last > 0) {
    if (size > sink.region_first) {
      return HADDR_UNDEF;
    }
    output.end_of_allocation = sink.region_last;
  }
  return address;
}

herr_t read_output(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                   void* buffer) {
  auto* bytes = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got =
        ::pread(ours(file).sink->descriptor, bytes, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    if (got <= 0) {
      std::memset(bytes, 0, size);  // behind the end, as after a write that went nowhere
      return 0;
    }
    bytes += got;
    address += static_cast<haddr_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return 0;
}

herr_t write_output(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                    const void* buffer) {
  OutputFile& output = ours(file);
  output.end_of_file = std::max(output.end_of_file, address + size);
  // By the place, not by the type: HDF5 writes a global heap, which holds texts, as raw data too,
  // and does so whenever its cache of metadata is full.
  if (address >= output.sink->region_first && address + size <= output.sink->region_last) {
    return 0;
  }
  if (output.sink->error == 0) {
    output.sink->error = write_whole(output.sink->descriptor, address,
                                     {static_cast<const std::uint8_t*>(buffer), size});
  }
  return 0;
}

herr_t truncate_output(H5FD_t* file, hid_t, hbool_t) {
  OutputFile& output = ours(file);
  const haddr_t end = output.end_of_allocation;
  if (output.sink->error == 0 && end != output.end_of_file &&
      ::ftruncate(output.sink->descriptor, static_cast<off_t>(end)) != 0) {
    output.sink->error = errno;
  }
  output.end_of_file = end;
  return 0;
}

H5FD_class_t output_class() {
  H5FD_class_t driver = driver_of<OutputFile>("scalesweep-output", 600);
  driver.fapl_size = sizeof(OutputSink*);
  driver.open = open_output;
  driver.cmp = compare_outputs;
  driver.query = query_output;
  driver.alloc = allocate;
  driver.read = read_output;
  driver.write = write_output;
  driver.truncate = truncate_output;
  // Room that metadata gave back is not used for chunks.
  driver.fl_map[H5FD_MEM_GHEAP] = H5FD_MEM_SUPER;
  return driver;
}

}  // namespace

void set_output_driver(hid_t access, OutputSink& sink) {
  static const H5FD_class_t driver_class = output_class();
  static const hid_t driver = H5FDregister(&driver_class);
  OutputSink* const info = &sink;
  h5::check(H5Pset_driver(access, driver, &info), "cannot prepare the output");
}

}  // namespace scalesweep::store
