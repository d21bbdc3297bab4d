#include "store/hdf5/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <numeric>
#include <string_view>

#include "core/contracts.hpp"
#include "store/hdf5/file_problem.hpp"
#include "store/seal/input_driver.hpp"

namespace scalesweep::store {
namespace {

using h5::check;
using h5::Hid;
using h5::owned;

constexpr const char* flag_values_attribute = "flag_values";
constexpr const char* flag_meanings_attribute = "flag_meanings";

hid_t stored_id(ColumnType type) {
  switch (type) {
    case ColumnType::f64:
      return H5T_IEEE_F64LE;
    case ColumnType::f32:
      return H5T_IEEE_F32LE;
    case ColumnType::i64:
      return H5T_STD_I64LE;
    case ColumnType::i32:
      return H5T_STD_I32LE;
    case ColumnType::u8:
      return H5T_STD_U8LE;
  }
  return H5I_INVALID_HID;
}

void insert_label(hid_t type, ColumnType base, const std::string& label, std::size_t value) {
  const auto as_u8 = static_cast<std::uint8_t>(value);
  const auto as_i32 = static_cast<std::int32_t>(value);
  const void* member =
      base == ColumnType::u8 ? static_cast<const void*>(&as_u8) : static_cast<const void*>(&as_i32);
  check(H5Tenum_insert(type, label.c_str(), member), fmt::format("cannot name value '{}'", label));
}

Hid creation_properties(std::int64_t chunk_rows) {
  const std::string what = "cannot prepare a dataset";
  Hid properties = owned(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  const auto chunk = static_cast<hsize_t>(chunk_rows);
  check(H5Pset_chunk(properties.get(), 1, &chunk), what);
  check(H5Pset_shuffle(properties.get()), what);
  check(H5Pset_deflate(properties.get(), 1), what);
  check(H5Pset_fletcher32(properties.get()), what);
  // Without times the file depends on nothing but its contents.
  check(H5Pset_obj_track_times(properties.get(), false), what);
  return properties;
}

ColumnType numeric_type(hid_t type, const std::string& name) {
  const std::size_t bytes = H5Tget_size(type);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_FLOAT && bytes == 8) {
    return ColumnType::f64;
  }
  if (kind == H5T_FLOAT && bytes == 4) {
    return ColumnType::f32;
  }
  const bool is_signed = kind == H5T_INTEGER && H5Tget_sign(type) == H5T_SGN_2;
  if (is_signed && bytes == 8) {
    return ColumnType::i64;
  }
  if (is_signed && bytes == 4) {
    return ColumnType::i32;
  }
  if (kind == H5T_INTEGER && !is_signed && bytes == 1) {
    return ColumnType::u8;
  }
  throw h5::Hdf5Error(fmt::format("'{}' is of a type that no column has", name));
}

// The member names of an enum whose values are 0, 1, 2, ...
std::vector<std::string> read_labels(hid_t type, ColumnType base, const std::string& name) {
  const int members = H5Tget_nmembers(type);
  std::vector<std::string> labels(static_cast<std::size_t>(std::max(members, 0)));
  for (int m = 0; m < members; ++m) {
    std::array<std::uint8_t, 8> raw{};
    check(H5Tget_member_value(type, static_cast<unsigned>(m), raw.data()),
          fmt::format("cannot read the labels of '{}'", name));
    std::size_t value = 0;
    for (std::size_t b = type_bytes(base); b-- > 0;) {
      value = value * 256 + raw[b];
    }
    char* label = H5Tget_member_name(type, static_cast<unsigned>(m));
    if (label == nullptr || value >= labels.size()) {
      H5free_memory(label);
      throw h5::Hdf5Error(fmt::format("the labels of '{}' do not count from 0", name));
    }
    labels[value] = label;
    H5free_memory(label);
  }
  return labels;
}

// What CF lets stand in flag_meanings: no blanks, and few other signs.
std::string flag_meaning(const std::string& label) {
  std::string meaning = label;
  for (char& letter : meaning) {
    const auto code = static_cast<unsigned char>(letter);
    const bool may_stand = code >= 128 || std::isalnum(code) != 0 ||
                           std::string_view("_-.+@").find(letter) != std::string_view::npos;
    letter = may_stand ? letter : '_';
  }
  return meaning;
}

void write_flags(hid_t dataset, const Column& column) {
  std::vector<std::int32_t> values(column.labels.size());
  std::iota(values.begin(), values.end(), 0);
  h5::write_array_attribute(dataset, flag_values_attribute, stored_id(column.type), H5T_NATIVE_INT,
                            values.size(), values.data());
  std::string meanings;
  for (const std::string& label : column.labels) {
    meanings += (meanings.empty() ? "" : " ") + flag_meaning(label);
  }
  h5::write_text_attribute(dataset, flag_meanings_attribute, meanings);
}

}  // namespace

bool fits_enum(const Column& column) {
  constexpr std::size_t most_bytes = 60000;
  std::size_t bytes = 0;
  for (const std::string& label : column.labels) {
    bytes += label.size() + 1 + type_bytes(column.type);
  }
  return !column.labels.empty() && !column.numbers && bytes <= most_bytes;
}

Hid file_type(const Column& column) {
  const std::string what = fmt::format("cannot describe the type of '{}'", column.name);
  if (!fits_enum(column)) {
    return owned(H5Tcopy(stored_id(stored_type(column))), H5Tclose, what);
  }
  SCALESWEEP_EXPECT(column.type == ColumnType::u8 || column.type == ColumnType::i32);
  Hid type = owned(H5Tenum_create(stored_id(column.type)), H5Tclose, what);
  for (std::size_t value = 0; value < column.labels.size(); ++value) {
    insert_label(type.get(), column.type, column.labels[value], value);
  }
  return type;
}

hid_t NamedTypes::type_of(const Column& column) {
  const std::string what = fmt::format("cannot name the type of '{}'", column.name);
  if (!fits_enum(column)) {
    return others_.emplace_back(file_type(column)).get();
  }
  const auto known = std::find_if(named_.begin(), named_.end(), [&](const Named& one) {
    return one.base == column.type && one.labels == column.labels;
  });
  if (known != named_.end()) {
    return known->type.get();
  }
  std::string name = column.name + "_names";
  for (int number = 2; h5::exists(file_, name); ++number) {
    name = fmt::format("{}_names_{}", column.name, number);
  }
  Hid type = file_type(column);
  const Hid creation = owned(H5Pcreate(H5P_DATATYPE_CREATE), H5Pclose, what);
  check(H5Pset_obj_track_times(creation.get(), false), what);
  check(H5Tcommit2(file_, name.c_str(), type.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
        what);
  return named_.emplace_back(Named{column.type, column.labels, std::move(type)}).type.get();
}

Hid create_column(hid_t group, const Column& column, hid_t type, std::int64_t rows,
                  std::int64_t chunk_rows) {
  const std::string what = fmt::format("cannot create '{}'", column.name);
  const auto extent = static_cast<hsize_t>(rows);
  const hsize_t limit = H5S_UNLIMITED;  // chunks may be longer than a short column
  const Hid space = owned(H5Screate_simple(1, &extent, &limit), H5Sclose, what);
  const Hid properties = creation_properties(chunk_rows);
  return owned(H5Dcreate2(group, column.name.c_str(), type, space.get(), H5P_DEFAULT,
                          properties.get(), H5P_DEFAULT),
               H5Dclose, what);
}

void annotate_column(hid_t dataset, const Column& column) {
  const auto write_if_any = [&](const char* name, const std::string& text) {
    if (!text.empty()) {
      h5::write_text_attribute(dataset, name, text);
    }
  };
  write_if_any("units", column.units);
  write_if_any("role", column.role);
  write_if_any("better", column.better);
  h5::write_text_attribute(dataset, "long_name", column.long_name);
  h5::write_text_attribute(dataset, "description", column.description);
  for (const auto& [name, text] : column.attributes) {
    h5::write_text_attribute(dataset, name.c_str(), text);
  }
  if (fits_enum(column)) {
    write_flags(dataset, column);
  }
}

ColumnWriter::ColumnWriter(Hid dataset, std::string name, std::size_t width,
                           std::int64_t chunk_rows)
    : dataset_(std::move(dataset)),
      name_(std::move(name)),
      width_(width),
      chunk_bytes_(width * static_cast<std::size_t>(chunk_rows)),
      chunk_rows_(chunk_rows) {}

void ColumnWriter::write_chunk(std::span<const std::uint8_t> chunk) {
  const auto offset = static_cast<hsize_t>(chunk_rows_) * written_.size();
  constexpr std::uint32_t all_filters_applied = 0;
  check(H5Dwrite_chunk(dataset_.get(), H5P_DEFAULT, all_filters_applied, &offset, chunk.size(),
                       chunk.data()),
        fmt::format("cannot write '{}'", name_));
  written_.push_back(sum_of(chunk));
}

void ColumnWriter::append(std::span<const std::uint8_t> values, ChunkEncoder& encoder) {
  const auto chunk_rows = static_cast<std::size_t>(chunk_rows_);
  while (!values.empty()) {
    if (pending_.empty() && values.size() >= chunk_bytes_) {
      write_chunk(encoder.encode(values.first(chunk_bytes_), width_, chunk_rows));
      values = values.subspan(chunk_bytes_);
      continue;
    }
    const std::size_t taken = std::min(values.size(), chunk_bytes_ - pending_.size());
    pending_.insert(pending_.end(), values.begin(),
                    values.begin() + static_cast<std::ptrdiff_t>(taken));
    values = values.subspan(taken);
    if (pending_.size() == chunk_bytes_) {
      write_chunk(encoder.encode(pending_, width_, chunk_rows));
      pending_.clear();
    }
  }
}

void ColumnWriter::finish(ChunkEncoder& encoder) {
  if (!pending_.empty()) {
    write_chunk(encoder.encode(pending_, width_, static_cast<std::size_t>(chunk_rows_)));
    pending_.clear();
  }
}

void ColumnWriter::add_chunks_to(std::vector<SealedChunk>& chunks) const {
  for (std::size_t chunk = 0; chunk < written_.size(); ++chunk) {
    const auto offset = static_cast<hsize_t>(chunk_rows_) * chunk;
    unsigned skipped_filters = 0;
    haddr_t address = HADDR_UNDEF;
    hsize_t bytes = 0;
    check(H5Dget_chunk_info_by_coord(dataset_.get(), &offset, &skipped_filters, &address, &bytes),
          fmt::format("cannot find the chunks of '{}'", name_));
    SCALESWEEP_EXPECT(bytes == written_[chunk].bytes);
    chunks.push_back({address, written_[chunk]});
  }
}

void load_encoded_chunk(hid_t dataset, const std::string& name, std::int64_t first,
                        std::vector<std::uint8_t>& chunk) {
  const std::string what = fmt::format("cannot read '{}' from row {}", name, first);
  const auto offset = static_cast<hsize_t>(first);
  hsize_t bytes = 0;
  check(H5Dget_chunk_storage_size(dataset, &offset, &bytes), what);
  chunk.resize(bytes);
  std::uint32_t skipped_filters = 0;
  if (bytes > 0 &&
      H5Dread_chunk(dataset, H5P_DEFAULT, &offset, &skipped_filters, chunk.data()) < 0) {
    if (h5::reason() == other_than_sealed) {
      throw damaged_chunk(name, first);
    }
    check(-1, what);
  }
  if (skipped_filters != 0) {
    throw damaged_chunk(name, first);
  }
}

void read_encoded_chunk(hid_t dataset, const std::string& name, std::int64_t first,
                        std::vector<std::uint8_t>& chunk) {
  load_encoded_chunk(dataset, name, first, chunk);
  if (!checksum_holds(chunk)) {
    throw damaged_chunk(name, first);
  }
}

h5::Hdf5Error damaged_chunk(const std::string& name, std::int64_t first) {
  return h5::Hdf5Error(
      fmt::format("'{}' is damaged from row {}: {}", name, first, other_than_sealed),
      damaged_way_out);
}

void read_rows(hid_t dataset, const Column& column, std::int64_t first, std::int64_t last,
               void* values) {
  if (!column.numbers) {
    read_stored_rows(dataset, column.name, first, last, values);
    return;
  }
  std::vector<double> stored(static_cast<std::size_t>(std::max(last - first, std::int64_t{0})));
  read_stored_rows(dataset, column.name, first, last, stored.data());
  take_numbers(column, stored, values);
}

namespace {

template <typename Index>
void take_indices(const Column& column, std::span<const double> stored, Index* values) {
  std::size_t index = 0;
  for (std::size_t row = 0; row < stored.size(); ++row) {
    const auto found = column.numbers->index_of(stored[row], index);
    if (!found) {
      throw h5::Hdf5Error(
          fmt::format("'{}' has {:g}, which is no value of this axis", column.name, stored[row]),
          damaged_way_out);
    }
    index = *found;
    values[row] = static_cast<Index>(index);
  }
}

}  // namespace

void take_numbers(const Column& column, std::span<const double> stored, void* values) {
  if (column.type == ColumnType::u8) {
    take_indices(column, stored, static_cast<std::uint8_t*>(values));
  } else {
    take_indices(column, stored, static_cast<std::int32_t*>(values));
  }
}

void read_stored_rows(hid_t dataset, const std::string& name, std::int64_t first, std::int64_t last,
                      void* values) {
  if (last <= first) {
    return;
  }
  const std::string what = fmt::format("cannot read '{}', rows {} to {}", name, first, last);
  const auto start = static_cast<hsize_t>(first);
  const auto count = static_cast<hsize_t>(last - first);
  const Hid on_disk = owned(H5Dget_space(dataset), H5Sclose, what);
  check(H5Sselect_hyperslab(on_disk.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr), what);
  const Hid in_memory = owned(H5Screate_simple(1, &count, nullptr), H5Sclose, what);
  const Hid stored = owned(H5Dget_type(dataset), H5Tclose, what);
  if (H5Dread(dataset, stored.get(), in_memory.get(), on_disk.get(), H5P_DEFAULT, values) < 0) {
    if (h5::reason() == other_than_sealed) {
      throw h5::Hdf5Error(
          fmt::format("'{}' is damaged in rows {} to {}: {}", name, first, last, other_than_sealed),
          damaged_way_out);
    }
    check(-1, what);
  }
}

namespace {

// Empty where there is none.
std::string taken(std::map<std::string, std::string>& attributes, const std::string& name) {
  const auto found = attributes.extract(name);
  return found ? found.mapped() : "";
}

}  // namespace

Column describe_column(hid_t dataset, const std::string& name) {
  const std::string what = fmt::format("cannot read the type of '{}'", name);
  const Hid type = owned(H5Dget_type(dataset), H5Tclose, what);
  Column column;
  column.name = name;
  if (H5Tget_class(type.get()) == H5T_ENUM) {
    const Hid base = owned(H5Tget_super(type.get()), H5Tclose, what);
    column.type = numeric_type(base.get(), name);
    column.labels = read_labels(type.get(), column.type, name);
  } else {
    column.type = numeric_type(type.get(), name);
  }
  column.attributes = h5::read_text_attributes(dataset);
  column.units = taken(column.attributes, "units");
  column.long_name = taken(column.attributes, "long_name");
  column.description = taken(column.attributes, "description");
  column.role = taken(column.attributes, "role");
  column.better = taken(column.attributes, "better");
  column.attributes.erase(flag_meanings_attribute);  // its labels say the same
  return column;
}

DatasetShape shape_of(hid_t dataset, const std::string& name) {
  const std::string what = fmt::format("cannot read the shape of '{}'", name);
  const Hid space = owned(H5Dget_space(dataset), H5Sclose, what);
  hsize_t rows = 0;
  if (H5Sget_simple_extent_ndims(space.get()) != 1 ||
      H5Sget_simple_extent_dims(space.get(), &rows, nullptr) < 0) {
    throw h5::Hdf5Error(fmt::format("'{}' is not one-dimensional", name));
  }
  const Hid properties = owned(H5Dget_create_plist(dataset), H5Pclose, what);
  hsize_t chunk = 0;
  if (H5Pget_layout(properties.get()) == H5D_CHUNKED) {
    H5Pget_chunk(properties.get(), 1, &chunk);
  }
  return {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(chunk)};
}

bool has_our_filters(hid_t dataset, const std::string& name) {
  const h5::Hid properties = h5::owned(H5Dget_create_plist(dataset), H5Pclose,
                                       "cannot read the filters of '" + name + "'");
  const std::vector<H5Z_filter_t> ours = {H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE,
                                          H5Z_FILTER_FLETCHER32};
  std::vector<H5Z_filter_t> stored;
  for (int f = 0; f < H5Pget_nfilters(properties.get()); ++f) {
    unsigned flags = 0;
    std::size_t values = 0;
    stored.push_back(H5Pget_filter2(properties.get(), static_cast<unsigned>(f), &flags, &values,
                                    nullptr, 0, nullptr, nullptr));
  }
  return stored == ours;
}

bool is_stored_as(const Column& stored, const Column& column) {
  const std::vector<std::string> none;
  const std::vector<std::string>& labels = fits_enum(column) ? column.labels : none;
  return stored.name == column.name && stored.type == stored_type(column) &&
         stored.labels == labels;
}

namespace {

template <typename Index>
void put_numbers(const std::vector<Index>& places, const std::vector<double>& values,
                 std::vector<double>& numbers) {
  numbers.resize(places.size());
  for (std::size_t row = 0; row < places.size(); ++row) {
    const auto place = static_cast<std::size_t>(places[row]);
    SCALESWEEP_EXPECT(place < values.size());
    numbers[row] = values[place];
  }
}

}  // namespace

std::span<const std::uint8_t> stored_values(const Table& table, std::size_t place,
                                            const Column& column, std::vector<double>& numbers) {
  // Bytes of an array may be looked at as unsigned char.
  if (!column.numbers) {
    return {static_cast<const std::uint8_t*>(table.data(place)),
            table.rows() * type_bytes(column.type)};
  }
  const std::vector<double>& values = column.numbers->values();
  if (column.type == ColumnType::u8) {
    put_numbers(table.values<std::uint8_t>(place), values, numbers);
  } else {
    put_numbers(table.values<std::int32_t>(place), values, numbers);
  }
  return {reinterpret_cast<const std::uint8_t*>(numbers.data()), numbers.size() * sizeof(double)};
}

bool is_plain_name(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return c == '_' || (c < 128 && std::isalnum(c) != 0);
  });
}

}  // namespace scalesweep::store
