#include "store/hdf5/output_driver.hpp"

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>  // where later versions declare drivers
#endif
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>

namespace scalesweep::store {
namespace {

// HDF5 knows a file by its first member and hands the whole back to us.
struct OutputFile {
  H5FD_t common{};
  OutputSink* sink = nullptr;
  haddr_t end_of_allocation = 0;
  haddr_t end_of_file = 0;
};

OutputFile& ours(H5FD_t* file) {
  return *reinterpret_cast<OutputFile*>(file);
}

const OutputFile& ours(const H5FD_t* file) {
  return *reinterpret_cast<const OutputFile*>(file);
}

H5FD_t* open_output(const char*, unsigned, hid_t access, haddr_t) {
  const auto* info = static_cast<OutputSink* const*>(H5Pget_driver_info(access));
  if (info == nullptr) {
    return nullptr;
  }
  auto file = std::make_unique<OutputFile>();
  file->sink = *info;
  return &file.release()->common;
}

herr_t close_output(H5FD_t* file) {
  const std::unique_ptr<OutputFile> owned(&ours(file));
  return 0;
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

haddr_t end_of_allocation(const H5FD_t* file, H5FD_mem_t) {
  return ours(file).end_of_allocation;
}

herr_t set_end_of_allocation(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  ours(file).end_of_allocation = address;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return ours(file).end_of_file;
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
  const auto* bytes = static_cast<const char*>(buffer);
  while (size > 0 && output.sink->error == 0) {
    const ssize_t put = ::pwrite(output.sink->descriptor, bytes, size, static_cast<off_t>(address));
    if (put < 0) {
      output.sink->error = errno == EINTR ? 0 : errno;
      continue;
    }
    bytes += put;
    address += static_cast<haddr_t>(put);
    size -= static_cast<std::size_t>(put);
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
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = 600;  // of the range for drivers that are not registered with The HDF Group
#endif
  driver.name = "scalesweep-output";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(OutputSink*);
  driver.open = open_output;
  driver.close = close_output;
  driver.cmp = compare_outputs;
  driver.query = query_output;
  driver.alloc = allocate;
  driver.get_eoa = end_of_allocation;
  driver.set_eoa = set_end_of_allocation;
  driver.get_eof = end_of_file;
  driver.read = read_output;
  driver.write = write_output;
  driver.truncate = truncate_output;
  // Room that metadata gave back is not used for chunks.
  const H5FD_mem_t spaces[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(spaces), std::end(spaces), std::begin(driver.fl_map));
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
