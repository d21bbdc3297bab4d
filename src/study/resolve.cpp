#include "study/resolve.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "technology/precision.hpp"

namespace scalesweep::study {
namespace {

using catalog::Section;

constexpr const char* default_scaling = "foundry";

std::vector<std::string> precisions() {
  return std::vector<std::string>(technology::precision_names.begin(),
                                  technology::precision_names.end());
}

}  // namespace

std::optional<Resolver> Resolver::build(const std::vector<space::Axis>& axes,
                                        std::shared_ptr<const catalog::Catalog> catalog,
                                        Diagnostics& diagnostics) {
  Resolver resolver;
  resolver.axes_ = std::make_shared<const std::vector<space::Axis>>(axes);
  resolver.catalog_ = std::move(catalog);
  resolver.model_ = resolver.coordinate("model");
  resolver.sequence_ = resolver.coordinate("sequence");
  resolver.global_batch_ = resolver.coordinate("global_batch");
  resolver.precision_ = resolver.coordinate("precision");
  resolver.accelerators_ = resolver.coordinate("accelerators");
  resolver.device_ = resolver.coordinate("device");
  resolver.architecture_ = resolver.coordinate("template");
  resolver.logic_ = resolver.coordinate("logic");
  resolver.scaling_ = resolver.coordinate("scaling");
  resolver.memory_ = resolver.coordinate("memory");
  resolver.die_area_ = resolver.coordinate("die_area");
  resolver.dies_ = resolver.coordinate("dies");
  resolver.power_ = resolver.coordinate("power");
  resolver.stacks_ = resolver.coordinate("stacks");
  resolver.scale_up_ = resolver.coordinate("scale_up");
  resolver.scale_up_domain_ = resolver.coordinate("scale_up_domain");
  resolver.scale_out_ = resolver.coordinate("scale_out");
  const int errors = diagnostics.error_count();
  resolver.check_names(diagnostics);
  if (diagnostics.error_count() > errors) {
    return std::nullopt;
  }
  resolver.collect_entries();
  return resolver;
}

Resolver::Coordinate Resolver::coordinate(std::string_view name) const {
  const auto found = space::find_axis(*axes_, std::string(name));
  return found ? Coordinate{&(*axes_)[*found], *found} : Coordinate{};
}

void Resolver::check_section(const Coordinate& axis, Section section,
                             Diagnostics& diagnostics) const {
  for (std::size_t i = 0; axis.exists() && i < axis.axis->size(); ++i) {
    const std::string& name = axis.axis->labels[i];
    if (!catalog_->has(section, name)) {
      diagnostics.error(axis.axis->positions[i],
                        fmt::format("the catalog has no {} '{}'{}", axis.axis->name, name,
                                    catalog_->suggestion(section, name)));
    }
  }
}

void Resolver::check_logic(Diagnostics& diagnostics) const {
  const std::vector<std::string> known = catalog_->scalings();
  std::vector<std::string> scalings;
  if (!scaling_.exists()) {
    scalings.emplace_back(default_scaling);
  }
  for (std::size_t i = 0; scaling_.exists() && i < scaling_.axis->size(); ++i) {
    const std::string& name = scaling_.axis->labels[i];
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      diagnostics.error(
          scaling_.axis->positions[i],
          fmt::format("the catalog has no scaling '{}'{}", name, suggestion(name, known)));
    } else {
      scalings.push_back(name);
    }
  }
  for (std::size_t i = 0; i < logic_.axis->size(); ++i) {
    const std::string& node = logic_.axis->labels[i];
    if (!catalog_->has(Section::logic, node)) {
      continue;  // already reported
    }
    for (const std::string& scaling : scalings) {
      if (!catalog_->has_logic(node, scaling)) {
        diagnostics.error(logic_.axis->positions[i],
                          fmt::format("the series '{}' has no node '{}'; take it out or choose "
                                      "another scaling",
                                      scaling, node));
      }
    }
  }
}

void Resolver::check_precision(Diagnostics& diagnostics) const {
  for (std::size_t i = 0; precision_.exists() && i < precision_.axis->size(); ++i) {
    const std::string& name = precision_.axis->labels[i];
    if (!technology::precision_from(name)) {
      diagnostics.error(
          precision_.axis->positions[i],
          fmt::format("no number format is called '{}'{}", name, suggestion(name, precisions())));
    }
  }
}

void Resolver::check_names(Diagnostics& diagnostics) const {
  check_section(model_, Section::models, diagnostics);
  check_section(device_, Section::devices, diagnostics);
  check_section(architecture_, Section::templates, diagnostics);
  check_section(memory_, Section::memories, diagnostics);
  check_section(scale_up_, Section::scale_up, diagnostics);
  check_section(scale_out_, Section::scale_out, diagnostics);
  check_section(logic_, Section::logic, diagnostics);
  if (logic_.exists()) {
    check_logic(diagnostics);
  }
  check_precision(diagnostics);
}

estimator::TrainingJob Resolver::job(std::span<const std::int32_t> axis_index) const {
  estimator::TrainingJob job;
  job.model = catalog_->model(model_.label(axis_index));
  job.sequence = static_cast<std::int64_t>(sequence_.value(axis_index));
  job.global_batch = static_cast<std::int64_t>(global_batch_.value(axis_index));
  if (precision_.exists()) {
    job.precision = *technology::precision_from(precision_.label(axis_index));
  }
  return job;
}

double Resolver::accelerators(std::span<const std::int32_t> axis_index) const {
  return accelerators_.value(axis_index);
}

SystemChoice Resolver::derived(std::span<const std::int32_t> axis_index) const {
  catalog::DerivedSystem wanted;
  wanted.architecture = architecture_.label(axis_index);
  wanted.logic = logic_.label(axis_index);
  wanted.scaling = scaling_.exists() ? scaling_.label(axis_index) : default_scaling;
  wanted.memory = memory_.label(axis_index);
  wanted.budget.die_area = SquareMetres::si(die_area_.value(axis_index));
  wanted.budget.dies = static_cast<int>(dies_.value(axis_index));
  wanted.budget.power = Watts::si(power_.value(axis_index));
  wanted.budget.stacks = static_cast<int>(stacks_.value(axis_index));
  wanted.scale_up = scale_up_.label(axis_index);
  wanted.domain = static_cast<int>(scale_up_domain_.value(axis_index));
  wanted.scale_out = scale_out_.label(axis_index);
  catalog::DerivedResult result = catalog_->derived_system(wanted);
  SystemChoice choice;
  choice.system = std::move(result.system);
  choice.derivation = std::move(result.derivation);
  if (const auto& infeasible = choice.derivation->infeasible) {
    choice.status = status_of(infeasible->problem);
    choice.reason = technology::to_string(*infeasible);
  }
  return choice;
}

SystemChoice Resolver::catalogued(std::span<const std::int32_t> axis_index) const {
  catalog::CataloguedSystem wanted;
  wanted.device = device_.label(axis_index);
  if (scale_up_.exists()) {
    wanted.scale_up = scale_up_.label(axis_index);
  }
  if (scale_up_domain_.exists()) {
    wanted.domain = static_cast<int>(scale_up_domain_.value(axis_index));
  }
  if (scale_out_.exists()) {
    wanted.scale_out = scale_out_.label(axis_index);
  }
  SystemChoice choice;
  choice.system = catalog_->catalogued_system(wanted);
  return choice;
}

SystemChoice Resolver::system(std::span<const std::int32_t> axis_index) const {
  if (scale_up_.exists() && scale_up_domain_.exists()) {
    const std::string& link = scale_up_.label(axis_index);
    const int domain = static_cast<int>(scale_up_domain_.value(axis_index));
    const int largest = catalog_->largest_domain(link);
    if (domain > largest) {
      return {Status::domain_exceeds_link,
              fmt::format("{} joins at most {} devices, the domain has {}", link, largest, domain),
              std::nullopt, std::nullopt};
    }
  }
  SystemChoice choice = device_.exists() ? catalogued(axis_index) : derived(axis_index);
  const technology::Precision precision =
      precision_.exists() ? *technology::precision_from(precision_.label(axis_index))
                          : estimator::TrainingJob().precision;
  if (choice.system &&
      choice.system->device.tensor_peak[technology::index_of(precision)].si() <= 0.0) {
    choice.status = Status::unsupported_precision;
    choice.reason = fmt::format("{} has no matrix unit for {}", choice.system->device.name,
                                technology::name_of(precision));
    choice.system.reset();
  }
  return choice;
}

std::vector<std::string> Resolver::scalings_used() const {
  return scaling_.exists() ? scaling_.axis->labels : std::vector<std::string>{default_scaling};
}

// What the devices and templates of the study rest on beside their own entries.
std::vector<Resolver::EntryName> Resolver::implied_entries() const {
  std::vector<EntryName> names;
  for (std::size_t i = 0; device_.exists() && i < device_.axis->size(); ++i) {
    const catalog::CataloguedSystem usual = catalog_->usual_system(device_.axis->labels[i]);
    names.emplace_back(Section::scale_up, usual.scale_up.value_or(""));
    names.emplace_back(Section::scale_out, usual.scale_out.value_or(""));
  }
  if (!logic_.exists()) {
    return names;
  }
  std::vector<std::string> nodes = logic_.axis->labels;
  for (std::size_t i = 0; architecture_.exists() && i < architecture_.axis->size(); ++i) {
    nodes.push_back(catalog_->architecture(architecture_.axis->labels[i]).reference_node);
  }
  for (const std::string& scaling : scalings_used()) {
    for (const std::string& node : nodes) {
      names.emplace_back(Section::logic, scaling + "/" + node);
    }
  }
  return names;
}

void Resolver::collect_entries() {
  std::vector<EntryName> names = implied_entries();
  const std::array<std::pair<const Coordinate*, Section>, 6> named = {
      {{&model_, Section::models},
       {&device_, Section::devices},
       {&architecture_, Section::templates},
       {&memory_, Section::memories},
       {&scale_up_, Section::scale_up},
       {&scale_out_, Section::scale_out}}};
  for (const auto& [axis, section] : named) {
    for (std::size_t i = 0; axis->exists() && i < axis->axis->size(); ++i) {
      names.emplace_back(section, axis->axis->labels[i]);
    }
  }
  std::vector<const catalog::Entry*> used;
  for (const auto& [section, name] : names) {
    used.push_back(catalog_->entry(section, name));
  }
  // In catalog order, each once: the identity must not depend on how the spec is written.
  for (const catalog::Entry& entry : catalog_->entries()) {
    if (std::find(used.begin(), used.end(), &entry) != used.end()) {
      entries_.push_back(&entry);
    }
  }
}

}  // namespace scalesweep::study
