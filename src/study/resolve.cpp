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

// Looks up the names on the axes of a spec that may be incomplete.
class NameCheck {
 public:
  NameCheck(const std::vector<space::Axis>& axes, const catalog::Catalog& catalog,
            Diagnostics& diagnostics)
      : axes_(axes), catalog_(catalog), diagnostics_(diagnostics) {}

  void in_catalog(const std::string& axis_name, Section section) {
    for_each_label(axis_name, [&](const std::string& name, const SourcePosition& position) {
      if (!catalog_.has(section, name)) {
        diagnostics_.error(position, fmt::format("the catalog has no {} '{}'{}", axis_name, name,
                                                 catalog_.suggestion(section, name)));
      }
    });
  }

  void in_words(const std::string& axis_name, const std::vector<std::string>& known) {
    for_each_label(axis_name, [&](const std::string& name, const SourcePosition& position) {
      if (!contains(known, name)) {
        diagnostics_.error(position, fmt::format("there is no {} '{}'{}", axis_name, name,
                                                 suggestion(name, known)));
      }
    });
  }

  // A node must be in every series that the spec asks for.
  void nodes_in_scalings() {
    std::vector<std::string> scalings;
    for_each_label("scaling", [&](const std::string& name, const SourcePosition&) {
      if (contains(catalog_.scalings(), name)) {
        scalings.push_back(name);
      }
    });
    for_each_label("logic", [&](const std::string& node, const SourcePosition& position) {
      for (const std::string& scaling : scalings) {
        if (catalog_.has(Section::logic, node) && !catalog_.has_logic(node, scaling)) {
          diagnostics_.error(position, fmt::format("the scaling '{}' has no node '{}'; take it out "
                                                   "or choose another scaling",
                                                   scaling, node));
        }
      }
    });
  }

 private:
  static bool contains(const std::vector<std::string>& words, const std::string& word) {
    return std::find(words.begin(), words.end(), word) != words.end();
  }

  template <typename Function>
  void for_each_label(const std::string& axis_name, Function&& function) {
    if (const auto index = space::find_axis(axes_, axis_name)) {
      const space::Axis& axis = axes_[*index];
      for (std::size_t i = 0; i < axis.size(); ++i) {
        function(axis.labels[i], axis.positions[i]);
      }
    }
  }

  const std::vector<space::Axis>& axes_;
  const catalog::Catalog& catalog_;
  Diagnostics& diagnostics_;
};

}  // namespace

void Resolver::check(const std::vector<space::Axis>& axes, const catalog::Catalog& catalog,
                     Diagnostics& diagnostics) {
  NameCheck check(axes, catalog, diagnostics);
  check.in_catalog("model", Section::models);
  check.in_catalog("framework", Section::frameworks);
  check.in_catalog("device", Section::devices);
  check.in_catalog("template", Section::templates);
  check.in_catalog("logic", Section::logic);
  check.in_catalog("memory", Section::memories);
  check.in_catalog("scale_up", Section::scale_up);
  check.in_catalog("scale_out", Section::scale_out);
  check.in_words("scaling", catalog.scalings());
  check.in_words("precision", precisions());
  check.nodes_in_scalings();
}

Resolver::Resolver(std::vector<space::Axis> axes, std::shared_ptr<const catalog::Catalog> catalog)
    : axes_(std::make_shared<const std::vector<space::Axis>>(std::move(axes))),
      catalog_(std::move(catalog)) {
  model_ = coordinate("model");
  sequence_ = coordinate("sequence");
  global_batch_ = coordinate("global_batch");
  precision_ = coordinate("precision");
  attention_ = coordinate("attention");
  framework_ = coordinate("framework");
  accelerators_ = coordinate("accelerators");
  device_ = coordinate("device");
  architecture_ = coordinate("template");
  logic_ = coordinate("logic");
  scaling_ = coordinate("scaling");
  memory_ = coordinate("memory");
  die_area_ = coordinate("die_area");
  dies_ = coordinate("dies");
  power_ = coordinate("power");
  stacks_ = coordinate("stacks");
  scale_up_ = coordinate("scale_up");
  scale_up_domain_ = coordinate("scale_up_domain");
  scale_out_ = coordinate("scale_out");
  collect_entries();
}

Resolver::Coordinate Resolver::coordinate(std::string_view name) const {
  const auto found = space::find_axis(*axes_, std::string(name));
  return found ? Coordinate{&(*axes_)[*found], *found} : Coordinate{};
}

estimator::TrainingJob Resolver::job(std::span<const std::int32_t> axis_index) const {
  estimator::TrainingJob job;
  job.model = catalog_->model(model_.label(axis_index));
  job.sequence = static_cast<std::int64_t>(sequence_.value(axis_index));
  job.global_batch = static_cast<std::int64_t>(global_batch_.value(axis_index));
  if (precision_.exists()) {
    job.precision = *technology::precision_from(precision_.label(axis_index));
  }
  if (attention_.exists()) {
    job.flash_attention = attention_.label(axis_index) == "flash";
  }
  if (framework_.exists()) {
    job.framework = catalog_->framework(framework_.label(axis_index));
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
  const std::array<std::pair<const Coordinate*, Section>, 7> named = {
      {{&model_, Section::models},
       {&framework_, Section::frameworks},
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
