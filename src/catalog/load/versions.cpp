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

void enter_newest(std::deque<Found>& all, FoundByName& by_name, Diagnostics& diagnostics) {
  std::map<std::string, Found*, std::less<>> newest;
  for (Found& found : all) {
    if (found.section != Section::frameworks) {
      continue;
    }
    check_form(found);
    const StackName name = stack_name(found.name);
    if (name.version.empty()) {
      continue;
    }
    Found*& known = newest.try_emplace(std::string(name.stack), &found).first->second;
    known = workload::is_newer(name.version, stack_name(known->name).version) ? &found : known;
  }
  auto& names = by_name[static_cast<std::size_t>(Section::frameworks)];
  for (const auto& [stack, found] : newest) {
    const auto [plain, is_free] = names.try_emplace(stack, found);
    if (!is_free && plain->second->name == stack) {
      diagnostics.error(
          plain->second->entry.position,
          fmt::format("'{0}' stands for the newest of its versions, of which '{1}' "
                      "({2}:{3}) is one; write the version of this one into its name "
                      "as well, \"{0}@VERSION\"",
                      stack, found->name, found->entry.position.file, found->entry.position.line));
    }
  }
}

void enter_versions(const FoundByName& by_name, CatalogData& data) {
  auto& index = data.index[static_cast<std::size_t>(Section::frameworks)];
  for (const auto& [name, found] : by_name[static_cast<std::size_t>(Section::frameworks)]) {
    const std::size_t place = index.find(found->name)->second;
    index.try_emplace(name, place);
    const std::string& version = data.frameworks.find(found->name)->second->version;
    if (name == found->name && stack_name(name).version.empty() && !version.empty()) {
      index.try_emplace(fmt::format("{}@{}", name, version), place);
    }
  }
}

}  // namespace scalesweep::catalog
