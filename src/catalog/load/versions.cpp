#include "catalog/load/versions.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

#include "workload/framework.hpp"
#include "workload/stacks/versions.hpp"

namespace scalesweep::catalog {
namespace {

using workload::stack_name;
using workload::StackName;

// Of each stack with versions the newest of `entries`: `name_of` each, `is_one` of frameworks.
template <typename Entries, typename IsOne, typename NameOf>
std::map<std::string, std::size_t, std::less<>> newest_of(const Entries& entries,
                                                          const IsOne& is_one,
                                                          const NameOf& name_of) {
  std::map<std::string, std::size_t, std::less<>> newest;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const StackName name = stack_name(name_of(entries[i]));
    if (!is_one(entries[i]) || name.version.empty()) {
      continue;
    }
    const auto [known, is_new] = newest.try_emplace(std::string(name.stack), i);
    if (!is_new &&
        workload::is_newer(name.version, stack_name(name_of(entries[known->second])).version)) {
      known->second = i;
    }
  }
  return newest;
}

bool is_framework(const Found& found) {
  return found.section == Section::frameworks;
}

const std::string& name_of_found(const Found& found) {
  return found.name;
}

void check_form(const Found& found) {
  const StackName name = stack_name(found.name);
  const bool has_version = found.name.find('@') != std::string::npos;
  if (has_version && (name.stack.empty() || name.version.empty() ||
                      name.version.find('@') != std::string_view::npos)) {
    found.table.error(
        fmt::format("'{}' is no name of a version; write a stack, @ and a version, "
                    "for example \"vllm@0.11\"",
                    found.name));
  }
}

}  // namespace

void check_versions(const std::deque<Found>& all, Diagnostics& diagnostics) {
  const auto newest = newest_of(all, is_framework, name_of_found);
  for (const Found& found : all) {
    if (!is_framework(found)) {
      continue;
    }
    check_form(found);
    const auto versions = newest.find(found.name);
    if (versions != newest.end()) {
      const Found& other = all[versions->second];
      diagnostics.error(found.entry.position,
                        fmt::format("'{0}' stands for the newest of its versions, of which '{1}' "
                                    "({2}:{3}) is one; write the version of this one into its name "
                                    "as well, \"{0}@VERSION\"",
                                    found.name, other.name, other.entry.position.file,
                                    other.entry.position.line));
    }
  }
}

void enter_newest(std::deque<Found>& all, FoundByName& by_name) {
  auto& names = by_name[static_cast<std::size_t>(Section::frameworks)];
  for (const auto& [stack, place] : newest_of(all, is_framework, name_of_found)) {
    names.try_emplace(stack, &all[place]);
  }
}

void enter_versions(CatalogData& data) {
  auto& index = data.index[static_cast<std::size_t>(Section::frameworks)];
  const auto is_one = [](const Entry& entry) { return entry.section == Section::frameworks; };
  const auto name_of = [](const Entry& entry) -> const std::string& { return entry.name; };
  for (const auto& [stack, place] : newest_of(data.entries, is_one, name_of)) {
    index.try_emplace(stack, place);
  }
  for (std::size_t i = 0; i < data.entries.size(); ++i) {
    const Entry& entry = data.entries[i];
    if (is_one(entry) && stack_name(entry.name).version.empty()) {
      const auto read = data.frameworks.find(entry.name);
      if (read != data.frameworks.end() && !read->second->version.empty()) {
        index.try_emplace(fmt::format("{}@{}", entry.name, read->second->version), i);
      }
    }
  }
}

}  // namespace scalesweep::catalog
