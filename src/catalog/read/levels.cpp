// Levels of links: entries that name another one inside them, and whether they go into each other.
#include <fmt/format.h>

#include "catalog/data.hpp"

namespace scalesweep::catalog {
namespace {

// Levels of one section at most: the other has at least one.
constexpr int most_levels = static_cast<int>(technology::most_link_levels) - 1;

template <typename Record>
const Record* find(const CatalogData& data, Section section, const Named<Record>& records,
                   std::string_view name) {
  const Entry* const entry = data.entry(section, name);
  return entry == nullptr ? nullptr : &records.at(entry->name);
}

const LinkRecord* named(const CatalogData& data, const LinkRecord&, const std::string& name) {
  return find(data, Section::scale_up, data.links, name);
}

const PortRecord* named(const CatalogData& data, const PortRecord&, const std::string& name) {
  const auto split = split_ports(name);
  return find(data, Section::scale_out, data.ports, split ? split->first : name);
}

// Levels of an entry with all that are inside it: more than there can be where they go in circles.
template <typename Record>
int levels_of(const CatalogData& data, const Record& outer) {
  int levels = 1;
  for (const Record* record = &outer; record != nullptr && levels <= most_levels; ++levels) {
    if (record->inside.link.text.empty()) {
      return levels;
    }
    record = named(data, outer, record->inside.link.text);
  }
  return levels;
}

// Of blocks inside each other.
template <typename Record>
void check_blocks(const std::string& name, const Record& outer, const Record& inner,
                  Diagnostics& diagnostics) {
  const Inside& block = outer.inside;
  const Inside& next = inner.inside;
  if (!next.link.text.empty() && (block.size <= next.size || block.size % next.size != 0)) {
    diagnostics.error(
        block.link.position,
        fmt::format("'{}' has blocks of {} devices inside, '{}' in them blocks of {}: a block must "
                    "hold two or more whole ones of those inside it; give a multiple of {}",
                    name, block.size, block.link.text, next.size, next.size));
  }
}

void check_joined(const std::string& name, const LinkRecord& outer, const LinkRecord& inner,
                  Diagnostics& diagnostics) {
  const Inside& block = outer.inside;
  if (block.size > inner.largest_domain) {
    diagnostics.error(block.link.position,
                      fmt::format("'{}' joins at most {} devices, the block inside '{}' has {}; "
                                  "give a smaller size or another link",
                                  block.link.text, inner.largest_domain, name, block.size));
  }
  if (block.size >= outer.largest_domain) {
    diagnostics.error(block.link.position,
                      fmt::format("the block of {} devices inside '{}' leaves it nothing to join: "
                                  "its largest_domain is {}; give a smaller size",
                                  block.size, name, outer.largest_domain));
  }
}

void check_joined(const std::string&, const PortRecord&, const PortRecord&, Diagnostics&) {}

template <typename Record>
void check_section(const CatalogData& data, const Named<Record>& records,
                   Diagnostics& diagnostics) {
  for (const auto& [name, outer] : records) {
    const Inside& block = outer.inside;
    const Record* const inner =
        block.link.text.empty() ? nullptr : named(data, outer, block.link.text);
    if (inner == nullptr) {
      continue;  // nothing inside, or reported where names are
    }
    if (levels_of(data, outer) > most_levels) {
      diagnostics.error(
          block.link.position,
          fmt::format("'{}' has more than {} levels with those inside it, or is inside itself; "
                      "take one away",
                      name, most_levels));
      continue;
    }
    if (block.size < 2) {
      diagnostics.error(block.link.position,
                        fmt::format("the block inside '{}' has {} device; give 2 or more, or take "
                                    "the table away",
                                    name, block.size));
      continue;
    }
    check_blocks(name, outer, *inner, diagnostics);
    check_joined(name, outer, *inner, diagnostics);
  }
}

}  // namespace

std::optional<UnevenDomain> uneven_domain(const CatalogData& data, std::string_view scale_up,
                                          int domain) {
  const LinkRecord* link = find(data, Section::scale_up, data.links, scale_up);
  while (link != nullptr && !link->inside.link.text.empty()) {
    const Inside& inside = link->inside;
    if (inside.size < domain && domain % inside.size != 0) {
      return UnevenDomain{inside.link.text, inside.size};
    }
    link = find(data, Section::scale_up, data.links, inside.link.text);
  }
  return std::nullopt;
}

void check_levels(const CatalogData& data, Diagnostics& diagnostics) {
  const int errors_before = diagnostics.error_count();
  check_section(data, data.links, diagnostics);
  check_section(data, data.ports, diagnostics);
  if (diagnostics.error_count() > errors_before) {
    return;
  }
  for (const auto& [name, record] : data.devices) {
    const CataloguedSystem& usual = record.usual;
    if (const auto uneven = uneven_domain(data, *usual.scale_up, *usual.domain)) {
      diagnostics.error(data.entry(Section::devices, name)->position,
                        to_string(*uneven, *usual.domain));
    }
  }
}

std::string to_string(const UnevenDomain& uneven, int domain) {
  return fmt::format(
      "a domain of {} devices holds no whole number of the {} that {} joins inside "
      "it; give a multiple of {}",
      domain, uneven.size, uneven.link, uneven.size);
}

}  // namespace scalesweep::catalog
