// A catalog constant in one row: its key, with what it is, its unit and its default, and the member
// that it sets. Reading, the tables of documents, the schema and provenance follow from the rows of
// a section; what depends on other keys stays code beside them.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catalog/keys/rows.hpp"
#include "catalog/read/entry_reader.hpp"
#include "core/enum_names.hpp"
#include "core/quantity.hpp"
#include "technology/precision.hpp"

namespace scalesweep::catalog {

template <class Record>
struct Field {
  Key key;
  // Null where another row reads it, that of its table, or code.
  std::function<void(EntryReader&, Record&)> read;
};
template <class Record>
using Fields = std::vector<Field<Record>>;

template <class T>
concept OfUnit = requires(T quantity) {
  T::si(1.0);
  { quantity.si() } -> std::same_as<double>;
};

// A quantity, or a number that is kept in SI.
template <class T>
T of_si(double si) {
  if constexpr (OfUnit<T>) {
    return T::si(si);
  } else {
    return si;
  }
}

// The dimension of a quantity, whose units a file may write.
// clang-format off
constexpr Dimension dimension_of(Bytes) { return Dimension::bytes; }
constexpr Dimension dimension_of(BytesPerSecond) { return Dimension::bytes_per_second; }
constexpr Dimension dimension_of(FlopPerSecond) { return Dimension::flop_per_second; }
constexpr Dimension dimension_of(Seconds) { return Dimension::seconds; }
constexpr Dimension dimension_of(Hertz) { return Dimension::hertz; }
constexpr Dimension dimension_of(Metres) { return Dimension::metres; }
constexpr Dimension dimension_of(SquareMetres) { return Dimension::area; }
constexpr Dimension dimension_of(Watts) { return Dimension::watts; }
constexpr Dimension dimension_of(Volts) { return Dimension::volts; }
constexpr Dimension dimension_of(JoulesPerByte) { return Dimension::joules_per_byte; }
constexpr Dimension dimension_of(JoulesPerFlop) { return Dimension::joules_per_flop; }
constexpr Dimension dimension_of(Usd) { return Dimension::usd; }
constexpr Dimension dimension_of(PerSquareMetre) { return Dimension::per_area; }
constexpr Dimension dimension_of(UsdPerByte) { return Dimension::usd_per_byte; }
constexpr Dimension dimension_of(UsdPerArea) { return Dimension::usd_per_area; }
constexpr Dimension dimension_of(UsdPerJoule) { return Dimension::usd_per_joule; }
constexpr Dimension dimension_of(UsdPerWatt) { return Dimension::usd_per_watt; }
constexpr Dimension dimension_of(KilogramsCo2) { return Dimension::co2; }
constexpr Dimension dimension_of(KilogramsCo2PerByte) { return Dimension::co2_per_byte; }
constexpr Dimension dimension_of(KilogramsCo2PerArea) { return Dimension::co2_per_area; }
constexpr Dimension dimension_of(KilogramsCo2PerJoule) { return Dimension::co2_per_joule; }
constexpr Dimension dimension_of(BytesPerSecondMetre) {
  return Dimension::bytes_per_second_per_metre;
}
constexpr Dimension dimension_of(JoulesPerByteMetre) { return Dimension::joules_per_byte_metre; }
// clang-format on

// As the row says. `value` stays what it is where the entry leaves it out and the row says its
// default in words ("as `moments`").
template <class T>
void read_value(EntryReader& entry, const Key& key, T& value) {
  if constexpr (std::same_as<T, bool>) {
    value = entry.truth_or(key.path, value);
  } else if constexpr (OfUnit<T>) {
    value = T::si(entry.value_or(key.path, value.si()));
  } else if constexpr (std::integral<T>) {
    value = static_cast<T>(entry.integer_or(key.path, value));
  } else if constexpr (std::same_as<T, std::string>) {
    value = entry.text_or(key.path, value);
  } else if constexpr (std::same_as<T, std::optional<double>>) {
    value = entry.given(key.path);
  } else if constexpr (std::same_as<T, std::vector<std::int64_t>>) {
    value = entry.integers(key.path);
  } else {
    static_assert(std::same_as<T, double>, "no row has such a member");
    value = key.kind == KeyKind::integer
                ? static_cast<double>(entry.integer_or(key.path, static_cast<std::int64_t>(value)))
                : entry.value_or(key.path, value);
  }
}

template <class Record, class T>
Field<Record> field(const Key& key, T Record::*member) {
  return {key, [key, member](EntryReader& entry, Record& record) {
            read_value(entry, key, record.*member);
          }};
}

// The row of a quantity (in the unit of its type), of a whole number, one or a list, or of a name.
template <class Record, class T>
Field<Record> value(T Record::*member, std::string_view path, std::string_view text,
                    std::string_view example, std::string_view fallback = required) {
  if constexpr (OfUnit<T>) {
    return field(quantity(path, dimension_of(T{}), text, example, fallback), member);
  } else if constexpr (std::same_as<T, std::string>) {
    return field(name(path, text, example, fallback), member);
  } else {
    Key key = integer(path, text, example, fallback);
    key.list = !std::integral<T> && !std::same_as<T, double>;
    return field(key, member);
  }
}
// Of a number in SI, with a unit or without one.
template <class Record>
Field<Record> quantity(double Record::*member, Dimension dimension, std::string_view path,
                       std::string_view text, std::string_view example,
                       std::string_view fallback = required) {
  return field(quantity(path, dimension, text, example, fallback), member);
}
template <class Record>
Field<Record> number(double Record::*member, NumberRange range, std::string_view path,
                     std::string_view text, std::string_view example,
                     std::string_view fallback = required) {
  return field(number(path, range, text, example, fallback), member);
}
template <class Record>
Field<Record> truth(bool Record::*member, std::string_view path, std::string_view text,
                    std::string_view fallback) {
  return field(truth(path, text, fallback), member);
}
template <class Record>
Field<Record> or_zero(Field<Record> row) {
  row.key.zero = true;
  return row;
}

// What is not given is as another member, of a row before.
template <class Record, class T>
Field<Record> field(const Key& key, T Record::*member, T Record::*otherwise) {
  return {key, [key, member, otherwise](EntryReader& entry, Record& record) {
            record.*member = record.*otherwise;
            read_value(entry, key, record.*member);
          }};
}

// Must be given where `when` holds by the rows before, and is not read elsewhere.
template <class Record, class T>
Field<Record> needed_field(Key key, T Record::*member, bool (*when)(const Record&)) {
  return {key, [key, member, when](EntryReader& entry, Record& record) {
            if (when(record)) {
              record.*member = of_si<T>(entry.needed(key.path));
            }
          }};
}

// A name out of a few, which the row says.
template <class Record, class Enum, std::size_t count>
Field<Record> choice(Key key, Enum Record::*member, const EnumNames<Enum, count>& names) {
  key.words = names;
  return {key, [key, member, &names](EntryReader& entry, Record& record) {
            record.*member = read_choice(entry, key.path, names, record.*member);
          }};
}

// What is said of an entry and no estimate reads.
template <class Record>
Field<Record> said(Key key) {
  return {key, [key](EntryReader& entry, Record&) {
            if (key.kind == KeyKind::integer) {
              (void)entry.given_integer(key.path);
            } else if (key.kind == KeyKind::name || key.kind == KeyKind::text) {
              (void)entry.given_text(key.path);
            } else {
              (void)entry.given(key.path);
            }
          }};
}

// Rows that code reads.
template <class Record>
Fields<Record> by_hand(const std::vector<Key>& keys) {
  Fields<Record> fields;
  for (const Key& key : keys) {
    fields.push_back({key, nullptr});
  }
  return fields;
}

template <class Record>
void read_fields(EntryReader& entry, const Fields<Record>& fields, Record& record) {
  for (const Field<Record>& one : fields) {
    if (one.read) {
      one.read(entry, record);
    }
  }
}

template <class Record>
Record read_named(EntryReader& entry, const std::string& name, const Fields<Record>& fields) {
  Record record;
  record.name = name;
  read_fields(entry, fields, record);
  return record;
}

template <class Record>
std::vector<Key> keys_of(const Fields<Record>& fields) {
  std::vector<Key> keys;
  for (const Field<Record>& one : fields) {
    keys.push_back(one.key);
  }
  return keys;
}

template <class Record>
Fields<Record> joined(std::initializer_list<Fields<Record>> parts) {
  Fields<Record> fields;
  for (const Fields<Record>& part : parts) {
    fields.insert(fields.end(), part.begin(), part.end());
  }
  return fields;
}

// Rows of a part of the record whose keys stand in the entry itself.
template <class Record, class Part>
Fields<Record> of_part(Part Record::*part, const Fields<Part>& fields) {
  Fields<Record> lifted;
  for (const Field<Part>& one : fields) {
    lifted.push_back({one.key, nullptr});
    if (one.read) {
      lifted.back().read = [part, read = one.read](EntryReader& entry, Record& record) {
        read(entry, record.*part);
      };
    }
  }
  return lifted;
}

// "attention.softmax_flop", of the row of a table and one in it.
std::string_view path_in(const Key& table, const Key& key);

// The row of a table, which reads it, and those in it.
template <class Record, class Read>
Fields<Record> read_by_table(const Key& table, const std::vector<Key>& keys, Read read) {
  Fields<Record> rows = {{table, std::move(read)}};
  for (Key key : keys) {
    key.path = path_in(table, key);
    rows.push_back({key, nullptr});
  }
  return rows;
}

inline EntryReader group_of(EntryReader& entry, const Key& table) {
  return table.need == Need::required ? entry.group(table.path) : entry.optional_group(table.path);
}

// A table that is read into the record itself, or into a part of it.
template <class Record>
Fields<Record> in_table(const Key& table, const Fields<Record>& fields) {
  return read_by_table<Record>(table, keys_of(fields),
                               [table, fields](EntryReader& entry, Record& record) {
                                 EntryReader group = group_of(entry, table);
                                 read_fields(group, fields, record);
                               });
}
template <class Record, class Part>
Fields<Record> in_table(const Key& table, Part Record::*part, const Fields<Part>& fields) {
  return in_table(table, of_part(part, fields));
}

// Visits the values of a group whose keys are precisions: read(index, key).
void read_precisions(EntryReader& group,
                     const std::function<void(std::size_t, const std::string&)>& read);

// A table with a value for each precision; `each` is the row of one.
template <class Record, class T>
Fields<Record> by_precision(const Key& table, const Key& each,
                            std::array<T, technology::precision_count> Record::*member) {
  return read_by_table<Record>(table, {each}, [table, member](EntryReader& entry, Record& record) {
    EntryReader group = group_of(entry, table);
    read_precisions(group, [&](std::size_t i, const std::string& key) {
      (record.*member)[i] = of_si<T>(group.value(key));
    });
  });
}

}  // namespace scalesweep::catalog
