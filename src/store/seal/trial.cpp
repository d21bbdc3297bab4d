#include "store/seal/trial.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "store/hdf5/columns.hpp"
#include "store/hdf5/file_problem.hpp"
#include "store/hdf5/hdf5.hpp"

namespace scalesweep::store {
namespace {

using h5::Hid;
using h5::owned;

constexpr const char* reading = "cannot read";

struct Limits {
  rlim_t seconds = 0;  // of computing
  rlim_t bytes = 0;    // of memory; 0: none
};

Limits limits_for(std::uint64_t file_bytes) {
#ifdef __SANITIZE_ADDRESS__
  constexpr rlim_t least_seconds = 10;  // each access costs tenfold, and a fork copies its records
#else
  constexpr rlim_t least_seconds = 2;
#endif
  constexpr rlim_t bytes_a_second = 10'000'000;
  constexpr rlim_t least_bytes = rlim_t{1} << 30;
  constexpr rlim_t most_used = rlim_t{1} << 40;  // sanitizers reserve more
  rlim_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t used = pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE));
  return {least_seconds + file_bytes / bytes_a_second,
          used == 0 || used > most_used ? 0 : used + least_bytes + 4 * file_bytes};
}

void set_limit(__rlimit_resource resource, rlim_t value) {
  rlimit limit = {};
  if (::getrlimit(resource, &limit) == 0) {
    limit.rlim_cur = std::min(value, limit.rlim_max);
    ::setrlimit(resource, &limit);
  }
}

constexpr int no_memory = 3;  // exit status of the child

// What is wrong in one object does not keep us from the next, but for what would take all memory.
// No exception may pass HDF5, which calls this.
template <typename Body>
herr_t survived(const Body& body) {
  try {
    body();
  } catch (const std::bad_alloc&) {
    ::_exit(no_memory);
  } catch (const h5::Hdf5Error& error) {
    if (error.way_out() == h5::for_memory) {
      ::_exit(no_memory);
    }
  } catch (const std::exception&) {
    return 0;
  }
  return 0;
}

// Values of any type into memory that is given back at once.
template <typename Reading>
void read_values(hid_t type, hid_t space, const Reading& read) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  const std::size_t width = H5Tget_size(type);
  if (count <= 0 || width == 0) {
    return;
  }
  std::vector<std::uint8_t> values(static_cast<std::size_t>(count) * width);
  h5::check(read(values.data()), reading);
  H5Dvlen_reclaim(type, space, H5P_DEFAULT, values.data());
}

herr_t read_attribute(hid_t object, const char* name, const H5A_info_t*, void*) {
  return survived([&] {
    const Hid attribute = owned(H5Aopen(object, name, H5P_DEFAULT), H5Aclose, reading);
    const Hid type = owned(H5Aget_type(attribute.get()), H5Tclose, reading);
    const Hid space = owned(H5Aget_space(attribute.get()), H5Sclose, reading);
    read_values(type.get(), space.get(),
                [&](void* values) { return H5Aread(attribute.get(), type.get(), values); });
  });
}

// Where its chunks lie, and what is in them where we would not decode them ourselves.
void read_chunks(hid_t dataset) {
  const DatasetShape shape = shape_of(dataset, "");
  const bool ours = has_our_filters(dataset, "");
  if (shape.rows <= 0 || shape.chunk_rows <= 0) {
    return;
  }
  h5::expect_room(dataset, shape.rows, "");
  const Hid type = owned(H5Dget_type(dataset), H5Tclose, reading);
  std::vector<std::uint8_t> values(
      ours ? 0 : static_cast<std::size_t>(shape.chunk_rows) * H5Tget_size(type.get()));
  for (std::int64_t row = 0; row < shape.rows; row += shape.chunk_rows) {
    const auto offset = static_cast<hsize_t>(row);
    hsize_t bytes = 0;
    h5::check(H5Dget_chunk_storage_size(dataset, &offset, &bytes), reading);
    if (!ours) {
      read_stored_rows(dataset, "", row, std::min(row + shape.chunk_rows, shape.rows),
                       values.data());
    }
  }
}

void read_dataset(hid_t dataset) {
  const Hid properties = owned(H5Dget_create_plist(dataset), H5Pclose, reading);
  const H5D_layout_t layout = H5Pget_layout(properties.get());
  if (layout == H5D_CHUNKED) {
    read_chunks(dataset);
  } else if (layout != H5D_VIRTUAL) {
    const Hid type = owned(H5Dget_type(dataset), H5Tclose, reading);
    const Hid space = owned(H5Dget_space(dataset), H5Sclose, reading);
    h5::expect_room(dataset, H5Sget_simple_extent_npoints(space.get()), "");
    read_values(type.get(), space.get(), [&](void* values) {
      return H5Dread(dataset, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    });
  }
}

herr_t read_object(hid_t file, const char* name, const H5O_info_t* info, void*) {
  return survived([&] {
    const Hid object = owned(H5Oopen(file, name, H5P_DEFAULT), H5Oclose, reading);
    H5Aiterate2(object.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, read_attribute, nullptr);
    if (info->type == H5O_TYPE_DATASET) {
      read_dataset(object.get());
    }
  });
}

[[noreturn]] void read_all(const std::filesystem::path& path, const Limits& limits) {
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDERR_FILENO);
  std::signal(SIGSEGV, SIG_DFL);
  set_limit(RLIMIT_CORE, 0);
  set_limit(RLIMIT_CPU, limits.seconds);
  if (limits.bytes > 0) {
    set_limit(RLIMIT_AS, limits.bytes);
  }
  survived([&] {
    h5::quiet();
    const Hid access = h5::file_access();
    const Hid file = owned(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, reading);
    H5Ovisit(file.get(), H5_INDEX_NAME, H5_ITER_INC, read_object, nullptr);
  });
  ::_exit(0);  // without what would be done at the end of the parent
}

std::string end_of(int status, const Limits& limits) {
  if (WIFSIGNALED(status) && (WTERMSIG(status) == SIGXCPU || WTERMSIG(status) == SIGKILL)) {
    return fmt::format("HDF5 did not come to its end with it in {} s", limits.seconds);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == no_memory) {
    return "something in it would take more memory than a file of its size can hold";
  }
  return WIFSIGNALED(status)
             ? fmt::format("HDF5 crashes on it, by signal {}", WTERMSIG(status))
             : fmt::format("HDF5 ends the program on it, with status {}", WEXITSTATUS(status));
}

}  // namespace

void try_in_child(const std::filesystem::path& path) {
  std::error_code code;
  const std::uintmax_t bytes = std::filesystem::file_size(path, code);
  if (code || bytes == 0) {
    return;
  }
  const Limits limits = limits_for(bytes);
  const pid_t child = ::fork();
  if (child == 0) {
    read_all(path, limits);
  }
  int status = 0;
  pid_t ended = 0;
  do {
    ended = child < 0 ? child : ::waitpid(child, &status, 0);
  } while (ended < 0 && errno == EINTR && child > 0);
  // Where no process could be had, the file is read as it is.
  if (ended == child && child > 0 && status != 0) {
    throw h5::Hdf5Error(fmt::format("it is damaged: {}", end_of(status, limits)), damaged_way_out);
  }
}

}  // namespace scalesweep::store
