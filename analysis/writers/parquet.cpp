#include "analysis/writers/parquet.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "analysis/words/value_text.hpp"

namespace scalesweep::analysis {
namespace {

static_assert(std::endian::native == std::endian::little, "values are written as they lie");

constexpr std::size_t rows_of_group = std::size_t{1} << 20;
constexpr const char* magic = "PAR1";

// Numbers of the specification.
enum class Physical : int { int32 = 1, int64 = 2, float32 = 4, float64 = 5, bytes = 6 };
enum class Encoding : int { plain = 0, rle = 3, dictionary = 8 };
constexpr int data_page = 0;
constexpr int dictionary_page = 2;
constexpr int required = 0;
constexpr int optional = 1;
constexpr int utf8 = 0;
constexpr int uncompressed = 0;

void append_varint(std::string& out, std::uint64_t value) {
  while (value >= 0x80) {
    out.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  out.push_back(static_cast<char>(value));
}

void append_zigzag(std::string& out, std::int64_t value) {
  append_varint(out,
                (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
}

// One struct of Thrift's compact protocol; fields in ascending order of their numbers.
class Struct {
 public:
  Struct& i32(int field, std::int64_t value) { return number(field, 5, value); }
  Struct& i64(int field, std::int64_t value) { return number(field, 6, value); }
  Struct& text(int field, const std::string& value) {
    header(field, 8);
    append_text(bytes_, value);
    return *this;
  }
  Struct& nested(int field, const Struct& value) {
    header(field, 12);
    bytes_ += value.done();
    return *this;
  }
  Struct& structs(int field, const std::vector<Struct>& values) {
    list(field, 12, values.size());
    for (const Struct& value : values) {
      bytes_ += value.done();
    }
    return *this;
  }
  Struct& numbers(int field, const std::vector<int>& values) {
    list(field, 5, values.size());
    for (const int value : values) {
      append_zigzag(bytes_, value);
    }
    return *this;
  }
  Struct& texts(int field, const std::vector<std::string>& values) {
    list(field, 8, values.size());
    for (const std::string& value : values) {
      append_text(bytes_, value);
    }
    return *this;
  }
  std::string done() const { return bytes_ + '\0'; }

 private:
  static void append_text(std::string& out, const std::string& value) {
    append_varint(out, value.size());
    out += value;
  }
  void header(int field, int type) {
    bytes_.push_back(static_cast<char>((field - last_) << 4 | type));  // fields are close together
    last_ = field;
  }
  Struct& number(int field, int type, std::int64_t value) {
    header(field, type);
    append_zigzag(bytes_, value);
    return *this;
  }
  void list(int field, int type, std::size_t size) {
    header(field, 9);
    constexpr std::size_t longest_short = 14;
    if (size <= longest_short) {
      bytes_.push_back(static_cast<char>(size << 4 | static_cast<std::size_t>(type)));
    } else {
      bytes_.push_back(static_cast<char>(0xF0 | type));
      append_varint(bytes_, size);
    }
  }

  std::string bytes_;
  int last_ = 0;
};

Physical physical_type(const store::Column& column) {
  if (!column.labels.empty()) {
    return Physical::bytes;
  }
  switch (column.type) {
    case store::ColumnType::f64:
      return Physical::float64;
    case store::ColumnType::f32:
      return Physical::float32;
    case store::ColumnType::i64:
      return Physical::int64;
    case store::ColumnType::i32:
    case store::ColumnType::u8:
      break;
  }
  return Physical::int32;
}

template <typename T>
void append_value(std::string& out, T value) {
  const auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  out.append(bytes.data(), bytes.size());
}

// Ids and whole numbers of axes always have a value.
bool may_lack_values(const store::Column& column) {
  return !column.labels.empty() ||
         (column.type != store::ColumnType::i64 && column.type != store::ColumnType::u8);
}

// The rows of a column that have a value.
std::vector<std::size_t> rows_with_value(const store::Table& table, const store::Column& described,
                                         std::size_t column) {
  std::vector<std::size_t> rows;
  rows.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (has_value(table, described, column, row)) {
      rows.push_back(row);
    }
  }
  return rows;
}

template <typename Stored, typename Written = Stored>
std::string plain(const std::vector<Stored>& values, const std::vector<std::size_t>& rows) {
  std::string out;
  out.reserve(rows.size() * sizeof(Written));
  for (const std::size_t row : rows) {
    append_value(out, static_cast<Written>(values[row]));
  }
  return out;
}

std::string plain_values(const store::Table& table, std::size_t column, store::ColumnType type,
                         const std::vector<std::size_t>& rows) {
  switch (type) {
    case store::ColumnType::f64:
      return plain(table.values<double>(column), rows);
    case store::ColumnType::f32:
      return plain(table.values<float>(column), rows);
    case store::ColumnType::i64:
      return plain(table.values<std::int64_t>(column), rows);
    case store::ColumnType::i32:
      return plain(table.values<std::int32_t>(column), rows);
    case store::ColumnType::u8:
      break;
  }
  return plain<std::uint8_t, std::int32_t>(table.values<std::uint8_t>(column), rows);
}

std::string dictionary_values(const std::vector<std::string>& labels) {
  std::string out;
  for (const std::string& label : labels) {
    append_value(out, static_cast<std::uint32_t>(label.size()));
    out += label;
  }
  return out;
}

// Numbers of so many bits in one run of groups of eight, the last one filled up with zeros; nothing
// of none.
template <typename NumberAt>
void append_packed(std::string& out, int bits, std::size_t count, const NumberAt& number_at) {
  if (count == 0) {
    return;
  }
  const std::size_t groups = (count + 7) / 8;
  append_varint(out, groups << 1 | 1);
  std::uint64_t waiting = 0;  // bits that fill no byte yet, the first ones lowest
  int held = 0;
  for (std::size_t i = 0; i < groups * 8; ++i) {
    waiting |= (i < count ? number_at(i) : std::uint64_t{0}) << held;
    for (held += bits; held >= 8; held -= 8) {
      out.push_back(static_cast<char>(waiting & 0xFF));
      waiting >>= 8;
    }
  }
}

// Indices of as many bits as the largest needs.
std::string dictionary_indices(const store::Table& table, std::size_t column, std::size_t labels,
                               const std::vector<std::size_t>& rows) {
  const int bits = std::max(1, static_cast<int>(std::bit_width(labels - 1)));
  std::string out(1, static_cast<char>(bits));
  append_packed(out, bits, rows.size(), [&](std::size_t i) {
    return static_cast<std::uint64_t>(table.number(column, rows[i]));
  });
  return out;
}

// Of each row whether it has a value, with the length of that before it.
std::string definition_levels(std::size_t rows, const std::vector<std::size_t>& with_value) {
  std::string levels;
  auto next = with_value.begin();
  append_packed(levels, 1, rows, [&](std::size_t row) {
    const bool has_one = next != with_value.end() && *next == row;
    next += has_one ? 1 : 0;
    return std::uint64_t{has_one};
  });
  std::string out;
  append_value(out, static_cast<std::uint32_t>(levels.size()));
  return out + levels;
}

std::string page(int type, const std::string& values, int header_field, const Struct& header) {
  const auto bytes = static_cast<std::int64_t>(values.size());
  Struct page;
  page.i32(1, type).i32(2, bytes).i32(3, bytes).nested(header_field, header);
  return page.done() + values;
}

Struct schema_element(const store::Column& column) {
  Struct element;
  element.i32(1, static_cast<int>(physical_type(column)))
      .i32(3, may_lack_values(column) ? optional : required)
      .text(4, column.name);
  if (!column.labels.empty()) {
    element.i32(6, utf8);
  }
  return element;
}

// Texts by key, where there are any.
std::vector<Struct> key_values(const std::vector<std::pair<std::string, std::string>>& texts) {
  std::vector<Struct> pairs;
  for (const auto& [key, value] : texts) {
    if (!value.empty()) {
      Struct pair;
      pairs.push_back(pair.text(1, key).text(2, value));
    }
  }
  return pairs;
}

Struct column_chunk(const store::Column& described, const ParquetChunk& chunk, std::int64_t rows) {
  const bool named = !described.labels.empty();
  Struct data;
  data.i32(1, static_cast<int>(physical_type(described)))
      .numbers(2, named ? std::vector<int>{0, 3, 8} : std::vector<int>{0, 3})
      .texts(3, {described.name})
      .i32(4, uncompressed)
      .i64(5, rows)
      .i64(6, chunk.bytes)
      .i64(7, chunk.bytes);
  const std::vector<Struct> told = key_values({{"units", described.units},
                                               {"long_name", described.long_name},
                                               {"description", described.description}});
  if (!told.empty()) {
    data.structs(8, told);
  }
  data.i64(9, chunk.data_page);
  if (named) {
    data.i64(11, chunk.first_page);
  }
  // Not the least and the greatest: a reader that knows them passes over groups.
  Struct statistics;
  data.nested(12, statistics.i64(3, chunk.absent));
  Struct column;
  return column.i64(2, chunk.first_page).nested(3, data);
}

}  // namespace

ParquetWriter::ParquetWriter(std::ostream& out, const store::Schema& schema,
                             std::map<std::string, std::string> metadata)
    : out_(out), schema_(schema), metadata_(std::move(metadata)), rows_(schema) {
  write(magic);
}

void ParquetWriter::write(const std::string& bytes) {
  out_ << bytes;
  written_ += static_cast<std::int64_t>(bytes.size());
}

void ParquetWriter::add(const store::Table& rows) {
  rows_.append(rows);
  if (rows_.rows() >= rows_of_group) {
    write_group();
  }
}

ParquetChunk ParquetWriter::write_column(std::size_t column) {
  const store::Column& described = schema_[column];
  const std::size_t labels = described.labels.size();
  const std::vector<std::size_t> rows = rows_with_value(rows_, described, column);
  ParquetChunk chunk{written_, written_, 0, static_cast<std::int64_t>(rows_.rows() - rows.size())};
  Encoding encoding = Encoding::plain;
  if (labels > 0) {
    encoding = Encoding::dictionary;
    Struct header;
    header.i32(1, static_cast<std::int64_t>(labels)).i32(2, static_cast<int>(Encoding::plain));
    write(page(dictionary_page, dictionary_values(described.labels), 7, header));
    chunk.data_page = written_;
  }
  Struct header;
  header.i32(1, static_cast<std::int64_t>(rows_.rows()))
      .i32(2, static_cast<int>(encoding))
      .i32(3, static_cast<int>(Encoding::rle))
      .i32(4, static_cast<int>(Encoding::rle));
  std::string values;
  if (may_lack_values(described)) {
    values = definition_levels(rows_.rows(), rows);
  }
  values += labels > 0 ? dictionary_indices(rows_, column, labels, rows)
                       : plain_values(rows_, column, described.type, rows);
  write(page(data_page, values, 5, header));
  chunk.bytes = written_ - chunk.first_page;
  return chunk;
}

void ParquetWriter::write_group() {
  Group group;
  group.rows = static_cast<std::int64_t>(rows_.rows());
  for (std::size_t column = 0; column < schema_.size(); ++column) {
    group.columns.push_back(write_column(column));
  }
  groups_.push_back(std::move(group));
  rows_.clear();
}

std::string ParquetWriter::described() const {
  nlohmann::ordered_json document = metadata_;
  auto& columns = document["columns"] = nlohmann::ordered_json::array();
  for (const store::Column& column : schema_) {
    columns.push_back({{"name", column.name},
                       {"units", column.units},
                       {"long_name", column.long_name},
                       {"description", column.description}});
  }
  return document.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string ParquetWriter::footer() const {
  std::vector<Struct> elements(1);
  elements.front().text(4, "rows").i32(5, static_cast<std::int64_t>(schema_.size()));
  for (const store::Column& column : schema_) {
    elements.push_back(schema_element(column));
  }
  std::int64_t rows = 0;
  std::vector<Struct> groups;
  for (const Group& group : groups_) {
    std::vector<Struct> chunks;
    std::int64_t bytes = 0;
    for (std::size_t c = 0; c < schema_.size(); ++c) {
      const ParquetChunk& chunk = group.columns[c];
      chunks.push_back(column_chunk(schema_[c], chunk, group.rows));
      bytes += chunk.bytes;
    }
    Struct one;
    one.structs(1, chunks).i64(2, bytes).i64(3, group.rows);
    groups.push_back(one);
    rows += group.rows;
  }
  Struct file;
  file.i32(1, 1).structs(2, elements).i64(3, rows).structs(4, groups);
  file.structs(5, key_values({{parquet_key, described()}}));
  return file.text(6, "scalesweep").done();
}

void ParquetWriter::finish(const std::map<std::string, std::string>& more) {
  metadata_.insert(more.begin(), more.end());
  if (rows_.rows() > 0) {
    write_group();
  }
  const std::string end = footer();
  std::string length;
  append_value(length, static_cast<std::uint32_t>(end.size()));
  write(end + length + magic);
}

}  // namespace scalesweep::analysis
