#include "study/resolve/resolve.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/contracts.hpp"
#include "study/resolve/precision.hpp"
#include "technology/precision.hpp"

namespace scalesweep::study {
namespace {

using catalog::Section;

// Values of [economics] by the names of their axes.
struct EconomicsAxis {
  const char* axis;
  void (*set)(technology::Economics& economics, double value);
};
using technology::Economics;
constexpr std::array<EconomicsAxis, 10> economics_axes = {{
    {"energy_price", [](Economics& e, double v) { e.energy_price = UsdPerJoule::si(v); }},
    {"power_usage_effectiveness", [](Economics& e, double v) { e.power_usage_effectiveness = v; }},
    {"grid_carbon", [](Economics& e, double v) { e.grid_carbon = KilogramsCo2PerJoule::si(v); }},
    {"lifetime", [](Economics& e, double v) { e.lifetime = Seconds::si(v); }},
    {"utilization", [](Economics& e, double v) { e.utilization = v; }},
    {"device_markup", [](Economics& e, double v) { e.device_markup = v; }},
    {"network_markup", [](Economics& e, double v) { e.network_markup = v; }},
    {"server_cost", [](Economics& e, double v) { e.server_cost = Usd::si(v); }},
    {"server_power", [](Economics& e, double v) { e.server_power = Watts::si(v); }},
    {"server_carbon", [](Economics& e, double v) { e.server_carbon = KilogramsCo2::si(v); }},
}};

}  // namespace

Resolver::Resolver(const space::Spec& spec, std::shared_ptr<const catalog::Catalog> catalog)
    : axes_(std::make_shared<const std::vector<space::Axis>>(spec.axes)),
      catalog_(std::move(catalog)),
      kind_(spec.kind) {
  for (const space::RequestClass& one : spec.requests) {
    requests_.push_back({one.prompt, one.output, one.share});
  }
  find_coordinates();
  find_overrides();
  find_precisions(spec.precisions);
  collect_entries();
}

void Resolver::find_coordinates() {
  const std::vector<std::pair<Coordinate*, const char*>> named = {
      {&model_, "model"},
      {&sequence_, "sequence"},
      {&global_batch_, "global_batch"},
      {&precision_, "precision"},
      {&attention_, "attention"},
      {&framework_, "framework"},
      {&accelerators_, "accelerators"},
      {&prompt_, "prompt"},
      {&output_, "output"},
      {&batch_, "batch"},
      {&prefix_hits_, "prefix_hits"},
      {&prefill_chunk_, "prefill_chunk"},
      {&draft_, "draft"},
      {&acceptance_, "acceptance"},
      {&draft_time_, "draft_time"},
      {&batching_, "batching"},
      {&prefill_share_, "prefill_share"},
      {&arrival_rate_, "arrival_rate"},
      {&first_token_limit_, "time_to_first_token_limit"},
      {&output_token_limit_, "time_per_output_token_limit"},
      {&device_, "device"},
      {&memory_of_, "memory_of"},
      {&power_limit_, "power_limit"},
      {&architecture_, "template"},
      {&logic_, "logic"},
      {&scaling_, "scaling"},
      {&memory_, "memory"},
      {&package_, "package"},
      {&die_area_, "die_area"},
      {&dies_, "dies"},
      {&power_, "power"},
      {&stacks_, "stacks"},
      {&pin_rate_, "pin_rate"},
      {&flop_per_clock_, "flop_per_clock"},
      {&core_area_share_, "core_area_share"},
      {&memory_edge_share_, "memory_edge_share"},
      {&memory_power_share_, "memory_power_share"},
      {&scale_up_, "scale_up"},
      {&scale_up_domain_, "scale_up_domain"},
      {&scale_out_, "scale_out"},
      {&topology_, "topology"},
      {&economics_, "economics"}};
  for (const auto& [coordinate_of, name] : named) {
    *coordinate_of = coordinate(name);
  }
}

void Resolver::find_overrides() {
  for (const EconomicsAxis& known : economics_axes) {
    if (const Coordinate value = coordinate(known.axis); value.exists()) {
      overrides_.push_back({value, known.set});
    }
  }
}

void Resolver::find_precisions(const std::vector<space::PrecisionTable>& tables) {
  for (std::size_t i = 0; precision_.exists() && i < precision_.axis->size(); ++i) {
    if (kind_ == WorkloadKind::training) {
      precisions_.push_back(precision_policy(precision_.axis->labels[i], tables));
    } else {
      inference_precisions_.push_back(inference_precision(precision_.axis->labels[i], tables));
    }
  }
  if (!precision_.exists()) {
    precisions_.emplace_back();
    inference_precisions_.emplace_back();
  }
}

std::size_t Resolver::precision_index(std::span<const std::int32_t> axis_index) const {
  return precision_.exists() ? static_cast<std::size_t>(axis_index[precision_.index]) : 0;
}

// The formats that need a matrix unit.
std::vector<technology::Precision> Resolver::multiplied(
    std::span<const std::int32_t> axis_index) const {
  const std::size_t index = precision_index(axis_index);
  if (kind_ == WorkloadKind::training) {
    return {precisions_[index].linear, precisions_[index].activations};
  }
  return {inference_precisions_[index].operands, inference_precisions_[index].activations};
}

Resolver::Coordinate Resolver::coordinate(std::string_view name) const {
  const auto found = space::find_axis(*axes_, std::string(name));
  return found ? Coordinate{&(*axes_)[*found], *found} : Coordinate{};
}

workload::Framework Resolver::framework(std::span<const std::int32_t> axis_index) const {
  return framework_.exists() ? catalog_->framework(framework_.label(axis_index))
                             : workload::Framework();
}

technology::Uncertainty Resolver::uncertainty(std::span<const std::int32_t> axis_index,
                                              catalog::MeasuredWork work) const {
  return framework_.exists()
             ? catalog_->uncertainty(device_.exists() ? device_.label(axis_index) : "",
                                     framework_.label(axis_index), work)
             : technology::Uncertainty();
}

estimator::TrainingJob Resolver::training(std::span<const std::int32_t> axis_index) const {
  estimator::TrainingJob job;
  job.model = catalog_->model(model_.label(axis_index));
  job.sequence = static_cast<std::int64_t>(sequence_.value(axis_index));
  job.global_batch = static_cast<std::int64_t>(global_batch_.value(axis_index));
  job.precision = precisions_[precision_index(axis_index)];
  if (attention_.exists()) {
    job.flash_attention = attention_.label(axis_index) == "flash";
  }
  job.framework = framework(axis_index);
  job.uncertainty = uncertainty(axis_index, catalog::MeasuredWork::training);
  return job;
}

// Of a service the batch is not known yet, and a mix of requests has no one length.
estimator::InferenceJob Resolver::inference(std::span<const std::int32_t> axis_index) const {
  estimator::InferenceJob job;
  job.model = catalog_->model(model_.label(axis_index));
  job.prompt = std::max<std::int64_t>(1, prompt_.integer(axis_index));
  job.output = std::max<std::int64_t>(1, output_.integer(axis_index));
  job.batch = std::max<std::int64_t>(1, batch_.integer(axis_index));
  job.precision = inference_precisions_[precision_index(axis_index)];
  job.prefix_hits = prefix_hits_.value_or(axis_index, 0.0);
  job.prefill_chunk = prefill_chunk_.integer(axis_index);
  job.speculation.draft = draft_.integer(axis_index);
  job.speculation.acceptance = acceptance_.value_or(axis_index, 0.0);
  job.speculation.draft_time = draft_time_.value_or(axis_index, 0.0);
  job.framework = framework(axis_index);
  if (attention_.exists()) {
    job.framework.serving.flash_attention = attention_.label(axis_index) == "flash";
  }
  job.uncertainty = uncertainty(axis_index, catalog::MeasuredWork::inference);
  return job;
}

estimator::ServingJob Resolver::serving(std::span<const std::int32_t> axis_index) const {
  const auto limit = [&](const Coordinate& axis) {
    const double value_s = axis.value_or(axis_index, 0.0);
    return std::isfinite(value_s) ? value_s : 0.0;
  };
  estimator::ServingJob job;
  job.inference = inference(axis_index);
  job.requests = requests_;
  if (requests_.empty()) {
    job.requests.push_back({prompt_.value(axis_index), output_.value(axis_index), 1.0});
  }
  job.limits = {limit(first_token_limit_), limit(output_token_limit_)};
  job.arrival_rate = arrival_rate_.value_or(axis_index, 0.0);
  if (batching_.exists()) {
    const auto batching = estimator::batching_from(batching_.label(axis_index));
    SCALESWEEP_EXPECT(batching.has_value());
    job.batching = *batching;
  }
  job.prefill_share = prefill_share_.value_or(axis_index, 0.0);
  return job;
}

Job Resolver::job(std::span<const std::int32_t> axis_index) const {
  switch (kind_) {
    case WorkloadKind::inference:
      return inference(axis_index);
    case WorkloadKind::serving:
      return serving(axis_index);
    case WorkloadKind::training:
      break;
  }
  return training(axis_index);
}

double Resolver::accelerators(std::span<const std::int32_t> axis_index) const {
  return accelerators_.value(axis_index);
}

technology::Budget Resolver::budget(std::span<const std::int32_t> axis_index,
                                    const technology::Shares& allocated) const {
  technology::Budget budget;
  budget.die_area = SquareMetres::si(die_area_.value(axis_index));
  budget.dies = static_cast<int>(dies_.value(axis_index));
  budget.power = Watts::si(power_.value(axis_index));
  if (stacks_.exists()) {
    budget.stacks = static_cast<int>(stacks_.value(axis_index));
  }
  if (pin_rate_.exists()) {
    budget.pin_rate = BytesPerSecond::si(pin_rate_.value(axis_index));
  }
  if (flop_per_clock_.exists()) {
    budget.flop_per_clock = flop_per_clock_.value(axis_index);
  }
  budget.shares = allocated;
  if (core_area_share_.exists()) {
    budget.shares.core_area = core_area_share_.value(axis_index);
  }
  if (memory_edge_share_.exists()) {
    budget.shares.memory_edge = memory_edge_share_.value(axis_index);
  }
  if (memory_power_share_.exists()) {
    budget.shares.memory_power = memory_power_share_.value(axis_index);
  }
  return budget;
}

SystemChoice Resolver::derived(std::span<const std::int32_t> axis_index,
                               const technology::Shares& allocated) const {
  catalog::DerivedSystem wanted;
  wanted.architecture = architecture_.label(axis_index);
  wanted.logic = logic_.label(axis_index);
  if (scaling_.exists()) {
    wanted.scaling = scaling_.label(axis_index);
  }
  wanted.memory = memory_.label(axis_index);
  if (package_.exists()) {
    wanted.package = package_.label(axis_index);
  }
  wanted.budget = budget(axis_index, allocated);
  wanted.scale_up = scale_up_.label(axis_index);
  wanted.domain = static_cast<int>(scale_up_domain_.value(axis_index));
  wanted.scale_out = scale_out_.label(axis_index);
  if (topology_.exists()) {
    wanted.topology = topology_.label(axis_index);
  }
  wanted.endpoints = accelerators(axis_index);
  catalog::DerivedResult result = catalog_->derived_system(wanted);
  SystemChoice choice;
  choice.system = std::move(result.system);
  choice.derivation = std::move(result.derivation);
  if (const auto& infeasible = choice.derivation->infeasible) {
    choice.status = status_of(infeasible->problem);
    choice.reason = technology::to_string(*infeasible);
  }
  choice.asked = std::move(wanted);
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
  if (topology_.exists()) {
    wanted.topology = topology_.label(axis_index);
  }
  wanted.endpoints = accelerators(axis_index);
  SystemChoice choice;
  choice.system = catalog_->catalogued_system(wanted);
  technology::Device& device = choice.system->device;
  if (memory_of_.exists()) {
    const technology::Device& other = catalog_->device(memory_of_.label(axis_index));
    device.dram = other.dram;
    device.memory = other.memory;
    device.stacks = other.stacks;
  }
  if (power_limit_.exists()) {
    device.thermal_design_power =
        std::min(device.thermal_design_power, Watts::si(power_limit_.value(axis_index)));
  }
  return choice;
}

technology::Economics Resolver::economics(std::span<const std::int32_t> axis_index) const {
  technology::Economics economics =
      catalog_->economics(economics_.exists() ? std::string_view(economics_.label(axis_index))
                                              : catalog::default_economics);
  for (const Override& override : overrides_) {
    override.set(economics, override.value.value(axis_index));
  }
  return economics;
}

SystemChoice Resolver::system(std::span<const std::int32_t> axis_index,
                              const technology::Shares& allocated) const {
  if (scale_up_.exists() && scale_up_domain_.exists()) {
    const std::string& link = scale_up_.label(axis_index);
    const int domain = static_cast<int>(scale_up_domain_.value(axis_index));
    const int largest = catalog_->largest_domain(link);
    if (domain > largest) {
      SystemChoice choice;
      choice.status = Status::domain_exceeds_link;
      choice.reason =
          fmt::format("{} joins at most {} devices, the domain has {}", link, largest, domain);
      return choice;
    }
  }
  SystemChoice choice = device_.exists() ? catalogued(axis_index) : derived(axis_index, allocated);
  const std::vector<technology::Precision> formats = multiplied(axis_index);
  for (const technology::Precision format : formats) {
    if (choice.system &&
        choice.system->device.tensor_peak[technology::index_of(format)].si() <= 0.0) {
      choice.status = Status::unsupported_precision;
      choice.reason = fmt::format("{} has no matrix unit for {}", choice.system->device.name,
                                  technology::name_of(format));
      choice.system.reset();
    }
  }
  if (choice.system) {
    choice.ownership = catalog_->ownership(*choice.system, economics(axis_index));
  }
  return choice;
}

std::vector<std::string> Resolver::scalings_used() const {
  return scaling_.exists() ? scaling_.axis->labels
                           : std::vector<std::string>{std::string(catalog::default_scaling)};
}

// Links, and what making the device takes.
void Resolver::imply_by_device(const std::string& name, EntryNames& names) const {
  const catalog::CataloguedSystem usual = catalog_->usual_system(name);
  const technology::Device& device = catalog_->device(name);
  names.emplace_back(Section::scale_up, usual.scale_up.value_or(""));
  names.emplace_back(Section::scale_out, usual.scale_out.value_or(""));
  names.emplace_back(Section::memories, device.memory);
  names.emplace_back(Section::packages, device.package);
  names.emplace_back(Section::processes, device.logic);
}

// The node in every series, and making its wafers; beyond a series, its last two nodes.
void Resolver::imply_by_node(const std::string& node, EntryNames& names) const {
  for (const std::string& scaling : scalings_used()) {
    std::vector<std::string> used = {catalog_->canonical(Section::logic, node).value_or(node)};
    if (catalog_->extrapolates(node, scaling)) {
      const std::vector<std::string> series = catalog_->nodes(scaling);
      used.assign(series.end() - 2, series.end());
    }
    for (const std::string& name : used) {
      names.emplace_back(Section::logic, scaling + "/" + name);
      names.emplace_back(Section::processes, name);
    }
  }
}

// What the devices and templates of the study rest on beside their own entries.
Resolver::EntryNames Resolver::implied_entries() const {
  EntryNames names;
  for (const Coordinate* devices : {&device_, &memory_of_}) {
    for (std::size_t i = 0; devices->exists() && i < devices->axis->size(); ++i) {
      imply_by_device(devices->axis->labels[i], names);
    }
  }
  for (std::size_t i = 0; logic_.exists() && i < logic_.axis->size(); ++i) {
    imply_by_node(logic_.axis->labels[i], names);
  }
  for (std::size_t i = 0; architecture_.exists() && i < architecture_.axis->size(); ++i) {
    const auto& open = catalog_->architecture(architecture_.axis->labels[i]);
    for (const std::string& scaling : scalings_used()) {
      names.emplace_back(Section::logic, scaling + "/" + open.reference_node);
    }
  }
  if (!package_.exists() && !device_.exists()) {
    names.emplace_back(Section::packages, catalog::default_package);
  }
  if (!topology_.exists()) {
    names.emplace_back(Section::topologies, catalog::default_topology);
  }
  if (!economics_.exists()) {
    names.emplace_back(Section::economics, catalog::default_economics);
  }
  for (const std::string& name : catalog_->names(Section::uncertainties)) {
    names.emplace_back(Section::uncertainties, name);
  }
  return names;
}

void Resolver::collect_entries() {
  EntryNames names = implied_entries();
  const std::array<std::pair<const Coordinate*, Section>, 11> named = {
      {{&model_, Section::models},
       {&framework_, Section::frameworks},
       {&device_, Section::devices},
       {&memory_of_, Section::devices},
       {&architecture_, Section::templates},
       {&memory_, Section::memories},
       {&package_, Section::packages},
       {&scale_up_, Section::scale_up},
       {&scale_out_, Section::scale_out},
       {&topology_, Section::topologies},
       {&economics_, Section::economics}}};
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

std::vector<std::string> Resolver::extrapolated() const {
  std::vector<std::string> names;
  for (const std::string& scaling : scalings_used()) {
    for (std::size_t i = 0; logic_.exists() && i < logic_.axis->size(); ++i) {
      const std::string& node = logic_.axis->labels[i];
      if (catalog_->extrapolates(node, scaling)) {
        names.push_back(fmt::format("logic {}/{} (extrapolated)", scaling, node));
      }
    }
  }
  return names;
}

}  // namespace scalesweep::study
