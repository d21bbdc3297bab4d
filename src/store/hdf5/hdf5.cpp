#include "store/hdf5/hdf5.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include "core/failure.hpp"
#include "store/hdf5/file_problem.hpp"

namespace scalesweep::store::h5 {
namespace {

struct Innermost {
  std::string words;
  bool is_of_memory = false;  // it got none
};

herr_t keep_innermost(unsigned, const H5E_error2_t* entry, void* kept) {
  auto& innermost = *static_cast<Innermost*>(kept);
  if (innermost.words.empty() && entry->desc != nullptr) {
    innermost.words = entry->desc;
    // Properties that are not found are its own: it got no memory for them when it began, and says
    // so of every file from then on.
    innermost.is_of_memory = entry->min_num == H5E_NOSPACE || entry->min_num == H5E_CANTALLOC ||
                             (entry->maj_num == H5E_PLIST && entry->min_num == H5E_NOTFOUND);
  }
  return 0;
}

Innermost innermost_error() {
  Innermost innermost;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &innermost);
  return innermost;
}

// Where HDF5 gets no memory it may say anything: HDF5 1.10 names a property that it did not find.
// So it is tried whether there is any.
bool memory_is_short() {
  constexpr std::size_t bytes = std::size_t{8} << 20;
  void* const tried =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return tried == MAP_FAILED || ::munmap(tried, bytes) != 0;
}

// HDF5 tells of a failed system call as "..., error message = 'No space left on device', buf =
// ...".
std::string system_words(const std::string& description) {
  constexpr std::string_view opening = "error message = '";
  const auto start = description.find(opening);
  if (start == std::string::npos) {
    return description;
  }
  const auto from = start + opening.size();
  return description.substr(from, description.find('\'', from) - from);
}

std::string words_of(const Innermost& innermost) {
  return innermost.words.empty() ? "unknown HDF5 error" : system_words(innermost.words);
}

const char* way_out_of(const Innermost& innermost) {
  return innermost.is_of_memory || memory_is_short() ? for_memory : "";
}

// What a signal handler says: it can be handed nothing.
std::array<char, 4096> damage_message = {};
std::size_t damage_message_size = 0;

extern "C" void leave_damaged(int /*signal*/) {
  const ssize_t written = write(STDERR_FILENO, damage_message.data(), damage_message_size);
  _exit(static_cast<int>(written >= 0 ? ExitCode::bad_input : ExitCode::io));
}

// While texts of variable length are read. HDF5 copies as many bytes out of the heap that they are
// in as that says, and does not look whether it has them: of a damaged file it reads beyond memory.
// There is no way back from there but to say so and leave. Where somebody else takes the signal (a
// sanitizer), it is theirs.
class HeapRead {
 public:
  explicit HeapRead(hid_t object) {
    struct sigaction now = {};
    if (sigaction(SIGSEGV, nullptr, &now) != 0 || now.sa_handler != SIG_DFL) {
      return;
    }
    std::array<char, 2048> name = {};
    const ssize_t length = H5Fget_name(object, name.data(), name.size());
    const std::string message = fmt::format(
        "scalesweep: error: {}: it is damaged: HDF5 cannot read its texts\n",
        std::string_view(
            name.data(),
            length > 0 ? std::min<std::size_t>(static_cast<std::size_t>(length), name.size() - 1)
                       : 0));
    damage_message_size = std::min(message.size(), damage_message.size());
    std::copy_n(message.begin(), damage_message_size, damage_message.begin());
    struct sigaction leaves = {};
    leaves.sa_handler = leave_damaged;
    is_on_ = sigaction(SIGSEGV, &leaves, &before_) == 0;
  }
  ~HeapRead() {
    if (is_on_) {
      sigaction(SIGSEGV, &before_, nullptr);
    }
  }
  HeapRead(const HeapRead&) = delete;
  HeapRead& operator=(const HeapRead&) = delete;

 private:
  struct sigaction before_ = {};
  bool is_on_ = false;
};

Hid simple_space(hsize_t count) {
  return owned(H5Screate_simple(1, &count, nullptr), H5Sclose, "cannot describe an array");
}

Hid scalar_space() {
  return owned(H5Screate(H5S_SCALAR), H5Sclose, "cannot describe a scalar");
}

std::size_t count_of(hid_t space, const std::string& what) {
  const hssize_t count = H5Sget_simple_extent_npoints(space);
  if (count < 0) {
    throw Hdf5Error(fmt::format("{}: {}", what, reason()));
  }
  return static_cast<std::size_t>(count);
}

void write_attribute(hid_t object, const std::string& name, hid_t type, hid_t space,
                     hid_t memory_type, const void* values) {
  const std::string what = fmt::format("cannot write attribute '{}'", name);
  const Hid attribute = owned(
      H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose, what);
  // HDF5 1.10 refuses to write no values.
  if (count_of(space, what) > 0) {
    check(H5Awrite(attribute.get(), memory_type, values), what);
  }
}

void write_attribute(hid_t object, const std::string& name, hid_t type, hid_t space,
                     const void* values) {
  write_attribute(object, name, type, space, type, values);
}

Hid open_attribute(hid_t object, const std::string& name) {
  return owned(H5Aopen(object, name.c_str(), H5P_DEFAULT), H5Aclose,
               fmt::format("cannot open attribute '{}'", name));
}

std::vector<const char*> pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> result;
  result.reserve(texts.size());
  for (const std::string& text : texts) {
    result.push_back(text.c_str());
  }
  return result;
}

// Reads an attribute or dataset of texts, variable or fixed length, through `read(type, buffer)`.
template <typename Read>
std::vector<std::string> read_strings(hid_t file_type, hid_t space, const std::string& what,
                                      Read&& read) {
  if (H5Tget_class(file_type) != H5T_STRING) {
    throw Hdf5Error(fmt::format("{}: it is not text", what));
  }
  const std::size_t count = count_of(space, what);
  std::vector<std::string> texts;
  if (count == 0) {
    return texts;
  }
  texts.reserve(count);
  if (H5Tis_variable_str(file_type) > 0) {
    const Hid type = text_type();
    std::vector<char*> raw(count, nullptr);
    check(read(type.get(), raw.data()), what);
    for (const char* text : raw) {
      texts.emplace_back(text != nullptr ? text : "");
    }
    H5Dvlen_reclaim(type.get(), space, H5P_DEFAULT, raw.data());
    return texts;
  }
  const std::size_t width = H5Tget_size(file_type);
  std::vector<char> raw(count * width);
  check(read(file_type, raw.data()), what);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string_view field(raw.data() + i * width, width);
    texts.emplace_back(field.substr(0, field.find('\0')));
  }
  return texts;
}

// Without the times at which HDF5 made the dataset, so that equal contents are equal files.
Hid timeless_dataset(const std::string& what) {
  Hid properties = owned(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  check(H5Pset_obj_track_times(properties.get(), false), what);
  return properties;
}

template <typename T>
Hid write_array(hid_t parent, const std::string& name, hid_t file_type, hid_t memory_type,
                const std::vector<T>& values) {
  const std::string what = fmt::format("cannot write '{}'", name);
  const Hid space = simple_space(values.size());
  const Hid creation = timeless_dataset(what);
  Hid dataset = owned(H5Dcreate2(parent, name.c_str(), file_type, space.get(), H5P_DEFAULT,
                                 creation.get(), H5P_DEFAULT),
                      H5Dclose, what);
  if (!values.empty()) {
    check(H5Dwrite(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  }
  return dataset;
}

template <typename T>
std::vector<T> read_array(hid_t parent, const std::string& name, hid_t memory_type) {
  const std::string what = fmt::format("cannot read '{}'", name);
  const Hid dataset = open_dataset(parent, name);
  const Hid space = owned(H5Dget_space(dataset.get()), H5Sclose, what);
  const std::size_t count = count_of(space.get(), what);
  expect_room(dataset.get(), static_cast<std::int64_t>(count), name);
  std::vector<T> values(count);
  if (!values.empty()) {
    check(H5Dread(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), what);
  }
  return values;
}

}  // namespace

void quiet() {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

std::string reason() {
  return words_of(innermost_error());
}

void check(herr_t status, const std::string& what) {
  if (status < 0) {
    const Innermost innermost = innermost_error();
    throw Hdf5Error(fmt::format("{}: {}", what, words_of(innermost)), way_out_of(innermost));
  }
}

Hid owned(hid_t id, Hid::Close close, const std::string& what) {
  if (id < 0) {
    check(-1, what);
  }
  return {id, close};
}

Hid file_access() {
  Hid access = owned(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "cannot prepare the access");
  check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "cannot prepare the access");
  check(H5Pset_file_locking(access.get(), false, true), "cannot prepare the access");
  return access;
}

Hid open_file(const std::filesystem::path& path, const Hid& access) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get());
  if (file < 0) {
    const Innermost innermost = innermost_error();  // before anything else asks HDF5
    const FileProblem problem = problem_of(path);
    throw problem.empty() ? Hdf5Error(fmt::format("cannot open as HDF5: {}", words_of(innermost)),
                                      way_out_of(innermost))
                          : Hdf5Error(problem.what, problem.way_out);
  }
  return {file, H5Fclose};
}

Hid create_group(hid_t parent, const std::string& name) {
  const std::string what = fmt::format("cannot create group '{}'", name);
  const Hid links = owned(H5Pcreate(H5P_LINK_CREATE), H5Pclose, what);
  check(H5Pset_create_intermediate_group(links.get(), 1), what);
  const Hid creation = owned(H5Pcreate(H5P_GROUP_CREATE), H5Pclose, what);
  check(H5Pset_obj_track_times(creation.get(), false), what);
  return owned(H5Gcreate2(parent, name.c_str(), links.get(), creation.get(), H5P_DEFAULT), H5Gclose,
               what);
}

Hid open_group(hid_t parent, const std::string& name) {
  return owned(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose,
               fmt::format("cannot open group '{}'", name));
}

Hid open_dataset(hid_t parent, const std::string& name) {
  return owned(H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose,
               fmt::format("cannot open dataset '{}'", name));
}

bool exists(hid_t parent, const std::string& name) {
  for (std::size_t slash = name.find('/'); slash != std::string::npos;
       slash = name.find('/', slash + 1)) {
    if (slash > 0 && H5Lexists(parent, name.substr(0, slash).c_str(), H5P_DEFAULT) <= 0) {
      return false;
    }
  }
  return H5Lexists(parent, name.c_str(), H5P_DEFAULT) > 0;
}

std::vector<std::string> link_names(hid_t group) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  check(H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), "cannot list a group");
  return names;
}

Hid text_type() {
  Hid type = owned(H5Tcopy(H5T_C_S1), H5Tclose, "cannot describe text");
  check(H5Tset_size(type.get(), H5T_VARIABLE), "cannot describe text");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "cannot describe text");
  return type;
}

void write_text_attribute(hid_t object, const std::string& name, const std::string& text) {
  const char* pointer = text.c_str();
  write_attribute(object, name, text_type().get(), scalar_space().get(), &pointer);
}

void write_texts_attribute(hid_t object, const std::string& name,
                           const std::vector<std::string>& texts) {
  write_attribute(object, name, text_type().get(), simple_space(texts.size()).get(),
                  pointers(texts).data());
}

void write_int_attribute(hid_t object, const std::string& name, std::int64_t value) {
  write_attribute(object, name, H5T_STD_I64LE, scalar_space().get(), &value);
}

void write_fixed_text_attribute(hid_t object, const std::string& name, const std::string& text) {
  const Hid type = owned(H5Tcopy(H5T_C_S1), H5Tclose, "cannot describe text");
  check(H5Tset_size(type.get(), text.size() + 1), "cannot describe text");
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), "cannot describe text");
  write_attribute(object, name, type.get(), scalar_space().get(), text.c_str());
}

void write_ints_attribute(hid_t object, const std::string& name,
                          const std::vector<std::int64_t>& values) {
  write_attribute(object, name, H5T_STD_I64LE, simple_space(values.size()).get(), values.data());
}

void write_array_attribute(hid_t object, const std::string& name, hid_t file_type,
                           hid_t memory_type, std::size_t count, const void* values) {
  write_attribute(object, name, file_type, simple_space(count).get(), memory_type, values);
}

bool has_attribute(hid_t object, const std::string& name) {
  const htri_t found = H5Aexists(object, name.c_str());
  check(found, fmt::format("cannot look for attribute '{}'", name));
  return found > 0;
}

std::vector<std::string> read_texts_attribute(hid_t object, const std::string& name) {
  const std::string what = fmt::format("cannot read attribute '{}'", name);
  const Hid attribute = open_attribute(object, name);
  const Hid type = owned(H5Aget_type(attribute.get()), H5Tclose, what);
  const Hid space = owned(H5Aget_space(attribute.get()), H5Sclose, what);
  return read_strings(type.get(), space.get(), what, [&](hid_t memory_type, void* buffer) {
    const HeapRead reading(attribute.get());
    return H5Aread(attribute.get(), memory_type, buffer);
  });
}

std::string read_text_attribute(hid_t object, const std::string& name) {
  const std::vector<std::string> texts = read_texts_attribute(object, name);
  if (texts.size() != 1) {
    throw Hdf5Error(fmt::format("attribute '{}' is not one text", name));
  }
  return texts.front();
}

std::string read_text_attribute_or(hid_t object, const std::string& name,
                                   const std::string& other) {
  return has_attribute(object, name) ? read_text_attribute(object, name) : other;
}

std::vector<std::int64_t> read_ints_attribute(hid_t object, const std::string& name) {
  const std::string what = fmt::format("cannot read attribute '{}'", name);
  const Hid attribute = open_attribute(object, name);
  const Hid space = owned(H5Aget_space(attribute.get()), H5Sclose, what);
  std::vector<std::int64_t> values(count_of(space.get(), what));
  if (!values.empty()) {
    check(H5Aread(attribute.get(), H5T_NATIVE_INT64, values.data()), what);
  }
  return values;
}

std::int64_t read_int_attribute(hid_t object, const std::string& name) {
  const std::vector<std::int64_t> values = read_ints_attribute(object, name);
  if (values.size() != 1) {
    throw Hdf5Error(fmt::format("attribute '{}' is not one number", name));
  }
  return values.front();
}

std::map<std::string, std::string> read_text_attributes(hid_t object) {
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  check(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names),
        "cannot list the attributes");
  std::map<std::string, std::string> texts;
  for (const std::string& name : names) {
    const Hid attribute = open_attribute(object, name);
    const Hid type = owned(H5Aget_type(attribute.get()), H5Tclose, "cannot read an attribute");
    const Hid space = owned(H5Aget_space(attribute.get()), H5Sclose, "cannot read an attribute");
    if (H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) > 0 &&
        H5Sget_simple_extent_type(space.get()) == H5S_SCALAR) {
      texts.emplace(name, read_text_attribute(object, name));
    }
  }
  return texts;
}

void expect_room(hid_t dataset, std::int64_t values, const std::string& name) {
  const std::string what = fmt::format("cannot read the shape of '{}'", name);
  // Deflate writes 258 bytes as one bit and one, at the best.
  constexpr double least_bytes_of_byte = 1.0 / 1032.0;
  const Hid type = owned(H5Dget_type(dataset), H5Tclose, what);
  const Hid file = owned(H5Iget_file_id(dataset), H5Fclose, what);
  hsize_t bytes = 0;
  check(H5Fget_filesize(file.get(), &bytes), what);
  const double least = static_cast<double>(values) * static_cast<double>(H5Tget_size(type.get())) *
                       least_bytes_of_byte;
  if (least > static_cast<double>(bytes)) {
    throw Hdf5Error(fmt::format("'{}' says that it has {} values, for which the file is too small",
                                name, values));
  }
}

void write_text(hid_t parent, const std::string& name, std::string_view text) {
  const std::string what = fmt::format("cannot write '{}'", name);
  const Hid type = text_type();
  const Hid space = scalar_space();
  const Hid links = owned(H5Pcreate(H5P_LINK_CREATE), H5Pclose, what);
  check(H5Pset_create_intermediate_group(links.get(), 1), what);
  const Hid creation = timeless_dataset(what);
  const Hid dataset = owned(H5Dcreate2(parent, name.c_str(), type.get(), space.get(), links.get(),
                                       creation.get(), H5P_DEFAULT),
                            H5Dclose, what);
  const std::string copy(text);
  const char* pointer = copy.c_str();
  check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, &pointer), what);
}

void write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& texts) {
  const Hid type = text_type();
  write_array(parent, name, type.get(), type.get(), pointers(texts));
}

std::vector<std::string> read_texts(hid_t parent, const std::string& name) {
  const std::string what = fmt::format("cannot read '{}'", name);
  const Hid dataset = open_dataset(parent, name);
  const Hid type = owned(H5Dget_type(dataset.get()), H5Tclose, what);
  const Hid space = owned(H5Dget_space(dataset.get()), H5Sclose, what);
  expect_room(dataset.get(), static_cast<std::int64_t>(count_of(space.get(), what)), name);
  return read_strings(type.get(), space.get(), what, [&](hid_t memory_type, void* buffer) {
    const HeapRead reading(dataset.get());
    return H5Dread(dataset.get(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer);
  });
}

std::string read_text(hid_t parent, const std::string& name) {
  const std::vector<std::string> texts = read_texts(parent, name);
  if (texts.size() != 1) {
    throw Hdf5Error(fmt::format("'{}' is not one text", name));
  }
  return texts.front();
}

Hid write_doubles(hid_t parent, const std::string& name, const std::vector<double>& values) {
  return write_array(parent, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values);
}

std::vector<double> read_doubles(hid_t parent, const std::string& name) {
  return read_array<double>(parent, name, H5T_NATIVE_DOUBLE);
}

Hid write_ints(hid_t parent, const std::string& name, const std::vector<std::int64_t>& values) {
  return write_array(parent, name, H5T_STD_I64LE, H5T_NATIVE_INT64, values);
}

std::vector<std::int64_t> read_ints(hid_t parent, const std::string& name) {
  return read_array<std::int64_t>(parent, name, H5T_NATIVE_INT64);
}

}  // namespace scalesweep::store::h5
