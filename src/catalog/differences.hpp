// What differs between two catalogs.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "catalog/catalog.hpp"

namespace scalesweep::catalog {

// Of an entry that only one of them has, or of a value of an entry that both have. Pointers into
// the catalogs.
struct Difference {
  const Entry* from = nullptr;  // null: only `to` has it
  const Entry* to = nullptr;
  std::string key;  // "": of the entry as a whole
  const Value* from_value = nullptr;
  const Value* to_value = nullptr;
};

// By kind, and in the order of entries and of their values, those of `to` last. A value is another
// one by what it says, not by how it is written, where it comes from or how it is known. `ids`:
// only of these entries; empty: of all.
std::vector<Difference> differences(const Catalog& from, const Catalog& to,
                                    const std::set<std::string>& ids);

}  // namespace scalesweep::catalog
