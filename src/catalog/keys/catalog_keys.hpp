// Every key of a catalog entry, one row each: the readers, nodes/README.md, `scalesweep help
// catalog` and the schema for editors are made of them.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "catalog/provenance.hpp"
#include "config/key_text.hpp"

namespace scalesweep::catalog {

// The key of a section's tables in a file: [device.NAME], [logic.SERIES.NODE], ...
std::string_view table_of(Section section);

// By path below an entry ("dram.capacity"), with what every table of an entry may say of its
// values.
std::span<const config::Key> keys_of(Section section);

// The two keys by which an entry names the one that it takes from what it lacks: `like` of every
// section, `predecessor` of those that come in generations.
inline constexpr std::string_view predecessor_key = "predecessor";
inline constexpr std::string_view like_key = "like";
bool has_generations(Section section);

// The key of the rate that a value of this key grows with from an entry to the one that takes it
// over: what takes a constant time. "" where it stays as it is.
std::string_view rate_of(std::string_view key);

// As nodes/README.md and help show them; paths begin with the name of the table ("device.cores").
const config::KeyBook& catalog_book();

// For editors.
std::string catalog_schema();

}  // namespace scalesweep::catalog
