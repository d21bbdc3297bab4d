#include "study/resolve/settle_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include "core/names.hpp"
#include "core/text.hpp"
#include "space/keys/spec_keys.hpp"
#include "study/resolve/used_entries.hpp"
#include "technology/precision.hpp"

namespace scalesweep::study {
namespace {

using catalog::Catalog;

// "'h100-sxm', 'h100-pcie' or 'h100-nvl'", or the first of many.
std::string alternatives(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  std::string text;
  const std::size_t shown = std::min(names.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i + 1 == names.size();
    text += fmt::format("{}'{}'", i == 0 ? "" : last ? " or " : ", ", names[i]);
  }
  return shown == names.size() ? text : fmt::format("{} or {} more", text, names.size() - shown);
}

// The entries of a generation of ports, where that alone is written: "NDRx1", "NDRx2", ...
std::vector<std::string> with_ports(const std::string& written, const Catalog& catalog) {
  std::vector<std::string> names;
  for (const std::string& name : catalog.names(catalog::Section::scale_out)) {
    if (same_but_for_case(name.substr(0, name.rfind('x')), written)) {
      names.push_back(name);
    }
  }
  return names;
}

// The kind of workload whose specs alone have this axis; "" of an axis that several have.
std::string_view kind_with(std::string_view axis) {
  const auto keys = space::spec_keys();
  const auto key = std::find_if(keys.begin(), keys.end(),
                                [axis](const config::Key& one) { return one.axis == axis; });
  if (key == keys.end() || !std::has_single_bit(key->variants)) {
    return "";
  }
  return parallel::workload_kind_names[static_cast<std::size_t>(std::countr_zero(key->variants))];
}

// Where the name is one of another kind of entry: which, and where it is written. "" where it is
// none at all.
// Only of what has a name of its own: 'none' and 'default' are entries of several kinds.
std::string named_elsewhere(const NamedAxis& named, const std::string& written,
                            const Catalog& catalog) {
  for (const NamedAxis& other : named_axes()) {
    const bool is_named = other.section == catalog::Section::models ||
                          other.section == catalog::Section::recommenders ||
                          other.section == catalog::Section::diffusion_models ||
                          other.section == catalog::Section::devices;
    if (other.section == named.section || !is_named || other.noun.empty() ||
        !catalog.has(other.section, written)) {
      continue;
    }
    const std::string key = fmt::format("{} = \"{}\"", other.axis, written);
    const std::string_view kind = kind_with(other.axis);
    return kind.empty() ? fmt::format("'{}' is a {} and no {}; write {}", written, other.noun,
                                      named.noun, key)
                        : fmt::format(
                              "'{0}' is a {1}, of workloads of another kind; write a spec with "
                              "kind = \"{2}\" and {3}, as sweeps/{2}.toml",
                              written, other.noun, kind, key);
  }
  return "";
}

std::string problem_of(const NamedAxis& named, const std::string& written,
                       const std::vector<std::string>& meant, const Catalog& catalog) {
  if (named.section == catalog::Section::scale_out) {
    if (const std::vector<std::string> ports = with_ports(written, catalog); !ports.empty()) {
      return fmt::format("'{}' does not say how many ports eight devices have; write {}", written,
                         alternatives(ports));
    }
  }
  if (!meant.empty()) {
    return fmt::format("'{}' may be {}; write more of the name", written, alternatives(meant));
  }
  if (named.noun.empty()) {
    return "";
  }
  const std::string elsewhere = named_elsewhere(named, written, catalog);
  return !elsewhere.empty() ? elsewhere
                            : fmt::format("the catalog has no {} '{}'{}", named.noun, written,
                                          catalog.suggestion(named.section, written));
}

// Who wrote each name of an axis first, so that none stands twice.
class WrittenNames {
 public:
  WrittenNames(const space::Axis& axis, Diagnostics& diagnostics)
      : axis_(axis), diagnostics_(diagnostics) {}

  void add(std::size_t i, const std::string& written, const std::string& name) {
    const auto [other, is_new] = by_name_.try_emplace(name, written);
    if (!is_new) {
      diagnostics_.error(
          axis_.positions[i],
          fmt::format("'{}' and '{}' are both '{}', which stands twice on the axis {}",
                      other->second, written, name, axis_.name));
    }
  }

 private:
  const space::Axis& axis_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::string> by_name_;
};

void settle_axis(const NamedAxis& named, space::Axis& axis, const Catalog& catalog,
                 Diagnostics& diagnostics) {
  WrittenNames names(axis, diagnostics);
  const std::vector<std::string> written = axis.labels;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    if (std::find(named.others.begin(), named.others.end(), written[i]) != named.others.end()) {
      continue;
    }
    const std::vector<std::string> meant = catalog.meant(named.section, written[i]);
    if (meant.size() != 1) {
      if (const std::string problem = problem_of(named, written[i], meant, catalog);
          !problem.empty()) {
        diagnostics.error(axis.positions[i], problem);
      }
      continue;
    }
    axis.labels[i] = meant.front();
    names.add(i, written[i],
              catalog.canonical(named.section, meant.front()).value_or(meant.front()));
  }
  if (axis.labels != written) {
    axis.written = written;
  }
}

// Formats of numbers are no entries of the catalog.
void settle_formats(space::Axis& axis, Diagnostics& diagnostics) {
  WrittenNames names(axis, diagnostics);
  const std::vector<std::string> written = axis.labels;
  for (std::size_t i = 0; i < axis.size(); ++i) {
    for (std::size_t format = 0; format < technology::precision_count; ++format) {
      const std::string name(technology::precision_names[technology::Precision(format)]);
      if (same_but_for_case(written[i], name)) {
        axis.labels[i] = name;
        names.add(i, written[i], name);
      }
    }
  }
  if (axis.labels != written) {
    axis.written = written;
  }
}

}  // namespace

void settle_names(std::vector<space::Axis>& axes, const Catalog& catalog,
                  Diagnostics& diagnostics) {
  for (const NamedAxis& named : named_axes()) {
    if (const auto axis = space::find_axis(axes, std::string(named.axis))) {
      settle_axis(named, axes[*axis], catalog, diagnostics);
    }
  }
  if (const auto axis = space::find_axis(axes, "precision")) {
    settle_formats(axes[*axis], diagnostics);
  }
}

}  // namespace scalesweep::study
