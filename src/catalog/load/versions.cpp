#include "catalog/load/versions.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

#include "catalog/catalog.hpp"
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

std::string Catalog::stack_on(std::string_view device, std::string_view stack) const {
  const StackName asked = stack_name(stack);
  for (const auto& [name, framework] : data_->frameworks) {
    if (framework->port_of == asked.stack && device.starts_with(framework->port_devices)) {
      return std::string(stack_name(name).stack);
    }
  }
  return std::string(stack);
}

std::string Catalog::version_of(std::string_view stack, std::string_view version,
                                std::string_view day) const {
  const bool has_version = !version.empty() && version.front() >= '0' && version.front() <= '9';
  const std::string_view plain = stack_name(stack).stack;
  const workload::Framework* oldest = nullptr;
  const workload::Framework* chosen = nullptr;
  for (const auto& [name, framework] : data_->frameworks) {
    const StackName own = stack_name(name);
    if (own.stack != plain || own.version.empty()) {
      continue;
    }
    if (oldest == nullptr || workload::is_newer(oldest->version, own.version)) {
      oldest = framework.get();
    }
    const bool was_out = has_version ? !workload::is_newer(own.version, version)
                                     : !framework->released.empty() && framework->released <= day;
    if (was_out && (chosen == nullptr || workload::is_newer(own.version, chosen->version))) {
      chosen = framework.get();
    }
  }
  if (oldest == nullptr || (!has_version && day.empty())) {
    return canonical(Section::frameworks, stack).value_or(std::string(stack));
  }
  return (chosen == nullptr ? oldest : chosen)->name;
}

}  // namespace scalesweep::catalog
