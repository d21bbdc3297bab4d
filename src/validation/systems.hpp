// Catalogued systems by the name of their device, each looked up once.
#pragma once

#include <map>
#include <string>

#include "catalog/catalog.hpp"

namespace scalesweep::validation {

class Systems {
 public:
  explicit Systems(const catalog::Catalog& catalog) : catalog_(catalog) {}

  // The device with its usual networks; `device` is a canonical name of the catalog.
  const technology::System& of(const std::string& device) {
    const auto known = known_.find(device);
    return known != known_.end()
               ? known->second
               : known_.emplace(device, catalog_.catalogued_system(catalog_.usual_system(device)))
                     .first->second;
  }

 private:
  const catalog::Catalog& catalog_;
  std::map<std::string, technology::System> known_;
};

// What the rows of a file are read with.
struct CaseDefaults {
  const catalog::Catalog& catalog;
  Systems& systems;
  // What rows run on that do not name a framework; "" for that of their source (case_sources.hpp).
  std::string framework;
};

}  // namespace scalesweep::validation
