// What a name that somebody writes may stand for.
#include <algorithm>
#include <utility>

#include "catalog/catalog.hpp"
#include "catalog/data.hpp"
#include "core/names.hpp"

namespace scalesweep::catalog {
namespace {

// A name or alias, and what it is taken for.
struct Spelling {
  std::string spelling;
  std::string name;
};

// The names of those that fit, each once.
template <typename Fits>
std::vector<std::string> names_of(const std::vector<Spelling>& spellings, const Fits& fits) {
  std::vector<std::string> names;
  for (const Spelling& one : spellings) {
    if (fits(one.spelling) && std::find(names.begin(), names.end(), one.name) == names.end()) {
      names.push_back(one.name);
    }
  }
  return names;
}

// In file order, names before aliases.
std::vector<Spelling> spellings_of(const Catalog& catalog, const CatalogData& data,
                                   Section section) {
  std::vector<Spelling> spellings;
  for (const std::string& name : catalog.names(section)) {
    spellings.push_back({name, name});
  }
  if (section == Section::logic) {
    for (const auto& [alias, node] : data.node_aliases) {
      spellings.push_back({alias, alias});
    }
    return spellings;
  }
  for (const Entry& entry : data.entries) {
    if (entry.section != section) {
      continue;
    }
    for (const std::string& alias : entry.aliases) {
      if (section != Section::scale_out) {
        spellings.push_back({alias, entry.name});
        continue;
      }
      for (const std::int64_t ports : data.ports.at(entry.name).ports) {
        spellings.push_back({with_ports(alias, ports), with_ports(entry.name, ports)});
      }
    }
  }
  return spellings;
}

}  // namespace

std::vector<std::string> Catalog::meant(Section section, std::string_view written) const {
  if (const auto name = canonical(section, written)) {
    return {section == Section::logic ? std::string(written) : *name};
  }
  if (section == Section::logic) {
    if (const std::size_t plus = written.rfind('+'); plus != std::string_view::npos && plus > 0) {
      std::vector<std::string> nodes = meant(section, written.substr(0, plus));
      for (std::string& node : nodes) {
        node += written.substr(plus);
      }
      return nodes;
    }
  }
  const std::vector<Spelling> spellings = spellings_of(*this, *data_, section);
  const std::vector<std::string> same = names_of(
      spellings, [&](const std::string& name) { return same_but_for_case(written, name); });
  return !same.empty() ? same : names_of(spellings, [&](const std::string& name) {
    return abbreviates(written, name);
  });
}

}  // namespace scalesweep::catalog
