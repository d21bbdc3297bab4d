// The names of a catalog's entries, each of which stands for one. Internal to the folder.
#pragma once

#include <string>
#include <vector>

#include "catalog/load/found.hpp"

namespace scalesweep::catalog {

class NameBook {
 public:
  NameBook(CatalogData& data, Diagnostics& diagnostics) : data_(data), diagnostics_(diagnostics) {}

  // The names of the entry that is pushed to the data's next.
  void enter(const Found& found);
  // Reports names that stand twice: of an overlay that has most of a catalog, once.
  void report();

 private:
  struct Collision {
    const Found* found;
    const Found* other;
    std::string name;
  };
  void enter_name(const std::string& name, const Found& found);
  void enter_node(const Found& found);
  void report(const Collision& collision);

  CatalogData& data_;
  Diagnostics& diagnostics_;
  std::vector<const Found*> entered_;  // as the data's entries are
  std::vector<Collision> collisions_;
};

}  // namespace scalesweep::catalog
