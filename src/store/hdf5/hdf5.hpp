// A thin layer over the HDF5 C API: handles that close themselves, errors as exceptions with
// HDF5's innermost reason, and the few attribute and text helpers that the store needs.
//
// Private to src/store. The serial HDF5 library is not thread-safe: nothing of the store may be
// called from two threads at once.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/failure.hpp"
#include "store/hdf5/hdf5_error.hpp"

namespace scalesweep::store::h5 {

// Owns one HDF5 id.
class Hid {
 public:
  using Close = herr_t (*)(hid_t);
  Hid() = default;
  Hid(hid_t id, Close close) : id_(id), close_(close) {}
  Hid(Hid&& other) noexcept
      : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  Hid& operator=(Hid&& other) noexcept {
    if (this != &other) {
      reset();
      id_ = std::exchange(other.id_, H5I_INVALID_HID);
      close_ = other.close_;
    }
    return *this;
  }
  Hid(const Hid&) = delete;
  Hid& operator=(const Hid&) = delete;
  ~Hid() { reset(); }

  hid_t get() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }
  void reset() {
    if (id_ >= 0) {
      close_(id_);
    }
    id_ = H5I_INVALID_HID;
  }
  // Gives the id away, for a close whose status matters.
  hid_t release() { return std::exchange(id_, H5I_INVALID_HID); }

 private:
  hid_t id_ = H5I_INVALID_HID;
  Close close_ = nullptr;
};

// Stops HDF5 from printing its error stack; called by every entry point of the store.
void quiet();

// The innermost description on HDF5's error stack, with the system's own words where it has them.
std::string reason();

// Throws Hdf5Error("<what>: <reason>") if `status` is negative.
void check(herr_t status, const std::string& what);
Hid owned(hid_t id, Hid::Close close, const std::string& what);

// Runs `body`; an Hdf5Error becomes Failure(code, "<path>: <error>").
template <typename Body>
auto with_file(const std::filesystem::path& path, ExitCode code, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const Hdf5Error& error) {
    throw Failure(code, path.string() + ": " + error.what());
  }
}

// No locks: files here are immutable once they have their name, and some cluster file systems
// refuse locks.
Hid file_access();
// Read only; of what others may have changed, open_checked (seal/open.hpp) is to be asked. What
// HDF5 cannot open is an Hdf5Error in words for people, with the way out.
Hid open_file(const std::filesystem::path& path, const Hid& access);
Hid create_group(hid_t parent, const std::string& name);
Hid open_group(hid_t parent, const std::string& name);
Hid open_dataset(hid_t parent, const std::string& name);
bool exists(hid_t parent, const std::string& name);  // every step of a nested name
std::vector<std::string> link_names(hid_t group);    // in order of name

// Variable-length UTF-8, which h5py gives back as str.
Hid text_type();
void write_text_attribute(hid_t object, const std::string& name, const std::string& text);
void write_texts_attribute(hid_t object, const std::string& name,
                           const std::vector<std::string>& texts);
void write_int_attribute(hid_t object, const std::string& name, std::int64_t value);
// Lies inside the object header and so under its checksum, unlike variable-length text.
void write_fixed_text_attribute(hid_t object, const std::string& name, const std::string& text);
void write_ints_attribute(hid_t object, const std::string& name,
                          const std::vector<std::int64_t>& values);
// `count` values of `memory_type`, stored as `file_type`.
void write_array_attribute(hid_t object, const std::string& name, hid_t file_type,
                           hid_t memory_type, std::size_t count, const void* values);

bool has_attribute(hid_t object, const std::string& name);
std::string read_text_attribute(hid_t object, const std::string& name);
std::string read_text_attribute_or(hid_t object, const std::string& name, const std::string& other);
std::vector<std::string> read_texts_attribute(hid_t object, const std::string& name);
std::int64_t read_int_attribute(hid_t object, const std::string& name);
std::vector<std::int64_t> read_ints_attribute(hid_t object, const std::string& name);
// All attributes that are one text.
std::map<std::string, std::string> read_text_attributes(hid_t object);

// Throws Hdf5Error where a dataset says that it has more values than its file has room for, however
// well they are compressed: a file of a stranger may say anything, and memory is taken by it.
void expect_room(hid_t dataset, std::int64_t values, const std::string& name);

// Scalar text dataset; `name` may be nested below `parent`, groups are made.
void write_text(hid_t parent, const std::string& name, std::string_view text);
std::string read_text(hid_t parent, const std::string& name);
// One-dimensional datasets, contiguous.
void write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& texts);
std::vector<std::string> read_texts(hid_t parent, const std::string& name);
Hid write_doubles(hid_t parent, const std::string& name, const std::vector<double>& values);
std::vector<double> read_doubles(hid_t parent, const std::string& name);
Hid write_ints(hid_t parent, const std::string& name, const std::vector<std::int64_t>& values);
std::vector<std::int64_t> read_ints(hid_t parent, const std::string& name);

}  // namespace scalesweep::store::h5
