#include "cli/catalog/derive.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "cli/catalog/compare.hpp"
#include "cli/catalog/derivation_sheets.hpp"
#include "cli/output/terminal.hpp"
#include "config/quantity_text.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

using catalog::DerivedSystem;
using catalog::Section;

// Where neither an option nor the product that one starts from says another.
constexpr std::string_view usual_template = "tensor-core-gpu";

Failure usage(const std::string& message) {
  return Failure(ExitCode::usage, message);
}

double quantity(const std::string& option, const std::string& text, config::Dimension dimension) {
  const config::QuantityResult result = config::parse_quantity(text, dimension);
  if (!result.si) {
    throw usage(fmt::format("{}: {}", option, result.problem));
  }
  if (*result.si <= 0.0) {
    throw usage(fmt::format("{}: must be above zero", option));
  }
  return *result.si;
}

// A name of the catalog: as given, else what `like` brings, else missing.
void choose_name(std::string& chosen, const std::string& option, const std::string& given,
                 Section section, const catalog::Catalog& catalog) {
  if (!given.empty()) {
    chosen = given;
  }
  if (chosen.empty()) {
    throw usage(
        fmt::format("catalog derive: {} is missing; name one, or start from a product with "
                    "--like DEVICE",
                    option));
  }
  if (!catalog.has(section, chosen)) {
    throw usage(fmt::format("{}: the catalog has no '{}'{}", option, chosen,
                            catalog.suggestion(section, chosen)));
  }
}

void choose_node(DerivedSystem& system, const DeriveArguments& arguments,
                 const catalog::Catalog& catalog) {
  if (!arguments.scaling.empty()) {
    system.scaling = arguments.scaling;
  }
  const std::vector<std::string> scalings = catalog.scalings();
  if (std::find(scalings.begin(), scalings.end(), system.scaling) == scalings.end()) {
    throw usage(fmt::format("--scaling: there is no series '{}'{}", system.scaling,
                            suggestion(system.scaling, scalings)));
  }
  if (!arguments.logic.empty()) {
    system.logic = arguments.logic;
  }
  if (catalog.extrapolates(system.logic, system.scaling)) {
    if (!arguments.extrapolate) {
      throw usage(
          fmt::format("--logic: '{}' lies beyond the last node of the series '{}'; add "
                      "--extrapolate to go on by its last step",
                      system.logic, system.scaling));
    }
    return;
  }
  choose_name(system.logic, "--logic", "", Section::logic, catalog);
  if (!catalog.has_logic(system.logic, system.scaling)) {
    throw usage(
        fmt::format("--logic: the series '{}' has no node '{}'", system.scaling, system.logic));
  }
}

std::optional<double> share(const char* option, double value) {
  if (value == 0.0) {
    return std::nullopt;
  }
  if (value < 0.0 || value > 1.0) {
    throw usage(fmt::format("{}: a share lies between 0 and 1, not at {}", option, value));
  }
  return value;
}

void choose_budget(technology::Budget& budget, const DeriveArguments& arguments) {
  if (!arguments.die_area.empty()) {
    budget.die_area =
        SquareMetres::si(quantity("--die-area", arguments.die_area, config::Dimension::area));
  }
  if (!arguments.power.empty()) {
    budget.power = Watts::si(quantity("--power", arguments.power, config::Dimension::watts));
  }
  if (!arguments.power_sharing.empty()) {
    const auto sharing = technology::power_sharing_names.find(arguments.power_sharing);
    if (!sharing) {
      throw usage(fmt::format("--power-sharing: '{}' is neither shared nor static",
                              arguments.power_sharing));
    }
    budget.power_sharing = *sharing;
  }
  if (!arguments.pin_rate.empty()) {
    budget.pin_rate = BytesPerSecond::si(
        quantity("--pin-rate", arguments.pin_rate, config::Dimension::bytes_per_second));
  }
  budget.dies = arguments.dies > 0 ? arguments.dies : budget.dies;
  budget.stacks = arguments.stacks > 0 ? arguments.stacks : budget.stacks;
  if (arguments.flop_per_clock > 0.0) {
    budget.flop_per_clock = arguments.flop_per_clock;
  }
  budget.enabled_cores = share("--enabled-cores", arguments.enabled_cores);
  budget.shares = {share("--core-area-share", arguments.core_area_share),
                   share("--memory-edge-share", arguments.memory_edge_share),
                   share("--memory-power-share", arguments.memory_power_share)};
  for (const auto& [option, missing] :
       {std::pair{"--die-area", budget.die_area.si() <= 0.0},
        std::pair{"--power", budget.power.si() <= 0.0},
        std::pair{"--stacks", budget.stacks <= 0 && !budget.shares.memory_edge}}) {
    if (missing) {
      throw usage(
          fmt::format("catalog derive: {} is missing; give it, or start from a product "
                      "with --like DEVICE",
                      option));
    }
  }
}

DerivedSystem wanted_system(const DeriveArguments& arguments, const catalog::Catalog& catalog) {
  DerivedSystem system;
  system.architecture = usual_template;
  system.budget.stacks = 0;
  if (!arguments.like.empty()) {
    if (!catalog.has(Section::devices, arguments.like)) {
      throw usage(fmt::format("--like: the catalog has no device '{}'{}", arguments.like,
                              catalog.suggestion(Section::devices, arguments.like)));
    }
    const std::string own = catalog.architecture_of(arguments.like);
    const std::string by = own.empty() ? std::string(usual_template) : own;
    const auto like = catalog.published_budget(arguments.like, by);
    if (!like) {
      throw usage(fmt::format("--like: too little is known of '{}': it lacks {}", arguments.like,
                              join(catalog.missing_facts(arguments.like, by), ", ")));
    }
    system = *like;
  }
  choose_name(system.architecture, "--template", arguments.architecture, Section::templates,
              catalog);
  choose_node(system, arguments, catalog);
  choose_name(system.memory, "--memory", arguments.memory, Section::memories, catalog);
  choose_name(system.package, "--package", arguments.package, Section::packages, catalog);
  choose_name(system.scale_up, "--scale-up", arguments.scale_up, Section::scale_up, catalog);
  choose_budget(system.budget, arguments);
  return system;
}

// What a derivation rests on, each value with its source.
Sheet sources_sheet(const DerivedSystem& system, const catalog::Catalog& catalog) {
  Sheet sheet{"sources",
              "Catalog values it rests on ('scalesweep catalog show NAME' has the citations)",
              {{"entry", "entry", Align::left},
               {"key", "key", Align::left},
               {"value", "value", Align::left},
               {"known_as", "known as", Align::left},
               {"note", "note", Align::left}},
              {},
              true};
  const auto node = [&](const std::string& name) {
    return system.scaling + "/" + catalog.canonical(Section::logic, name).value_or(name);
  };
  const std::string reference = catalog.architecture(system.architecture).reference_node;
  for (const auto& [section, name] : {std::pair{Section::templates, system.architecture},
                                      {Section::logic, node(system.logic)},
                                      {Section::logic, node(reference)},
                                      {Section::memories, system.memory},
                                      {Section::packages, system.package},
                                      {Section::scale_up, system.scale_up}}) {
    const catalog::Entry* entry = catalog.entry(section, name);
    for (const catalog::Value& value : entry ? entry->values : std::vector<catalog::Value>{}) {
      sheet.rows.push_back({entry->name, value.key, value.text,
                            std::string(catalog::name_of(value.kind)), value.note});
    }
  }
  return sheet;
}

Sheet asked_sheet(const DerivedSystem& system) {
  using config::Dimension;
  const technology::Budget& b = system.budget;
  Sheet sheet{"asked",
              "What was asked for",
              {{"name", "", Align::left}, {"value", "", Align::left}},
              {},
              false};
  sheet.rows = {{"template", system.architecture},
                {"logic", fmt::format("{} ({})", system.logic, system.scaling)},
                {"memory", system.memory},
                {"package", system.package},
                {"scale_up", system.scale_up},
                {"die_area", config::quantity_text(b.die_area.si(), Dimension::area)},
                {"dies", std::to_string(b.dies)},
                {"power", config::quantity_text(b.power.si(), Dimension::watts)},
                {"power_sharing", std::string(technology::power_sharing_names[b.power_sharing])}};
  if (!b.shares.memory_edge) {
    sheet.rows.push_back({"stacks", std::to_string(b.stacks)});
  }
  if (b.pin_rate) {
    sheet.rows.push_back({"pin_rate", fmt::format("{:.4g} Gb/s", b.pin_rate->si() * 8e-9)});
  }
  if (b.flop_per_clock) {
    sheet.rows.push_back(
        {"flop_per_clock", fmt::format("{:.0f} a core, 16 bit", *b.flop_per_clock)});
  }
  for (const auto& [name, value] : {std::pair{"enabled_cores", b.enabled_cores},
                                    std::pair{"core_area_share", b.shares.core_area},
                                    std::pair{"memory_edge_share", b.shares.memory_edge},
                                    std::pair{"memory_power_share", b.shares.memory_power}}) {
    if (value) {
      sheet.rows.push_back({name, fmt::format("{:.4g}", *value)});
    }
  }
  return sheet;
}

}  // namespace

std::shared_ptr<DeriveArguments> add_derive_options(Command& command) {
  auto a = std::make_shared<DeriveArguments>();
  const auto text = [&](const char* option, std::string& value, const char* type,
                        const char* what) {
    command.option(option, value, type, std::string("derive: ") + what);
  };
  command.option("--template", a->architecture, "NAME",
                 "derive, compare: architecture (default: that of the product; for derive "
                 "without one tensor-core-gpu)");
  text("--like", a->like, "DEVICE", "start from what is published of a product, then change it");
  text("--logic", a->logic, "NODE", "logic node, N5");
  text("--scaling", a->scaling, "SERIES", "series of node factors (default: foundry)");
  text("--memory", a->memory, "NAME", "memory technology, HBM3E");
  text("--package", a->package, "NAME", "package (default: interposer)");
  text("--scale-up", a->scale_up, "NAME", "links, NVLink5");
  text("--die-area", a->die_area, "AREA", "of one die, \"814 mm2\"");
  text("--power", a->power, "POWER", "thermal design power, \"700 W\"");
  text("--power-sharing", a->power_sharing, "WORD",
       "shared or static: who may draw the power (default: shared)");
  text("--pin-rate", a->pin_rate, "RATE", "of one memory pin, \"5.2 Gb/s\"");
  command.option("--dies", a->dies, "N", "derive: dies in the package (default: 1)");
  command.option("--stacks", a->stacks, "N", "derive: stacks of memory");
  command.option("--flop-per-clock", a->flop_per_clock, "N",
                 "derive: 16-bit FLOP of one core in one clock");
  command.option("--enabled-cores", a->enabled_cores, "SHARE",
                 "derive: of the cores on the dies, the share that is sold as working");
  command.option("--core-area-share", a->core_area_share, "SHARE",
                 "derive: of the area, for cores");
  command.option("--memory-edge-share", a->memory_edge_share, "SHARE",
                 "derive: of the die edge, for memory");
  command.option("--memory-power-share", a->memory_power_share, "SHARE",
                 "derive: of the power, for memory");
  command.flag("--extrapolate", a->extrapolate, "derive: allow a node beyond the last, A10+1");
  return a;
}

namespace {

// Parts that nobody sells: what is printed holds if somebody did.
void warn_of_parts(const DerivedSystem& system, const catalog::Catalog& catalog,
                   const Streams& streams) {
  const technology::MemoryTechnology& memory = catalog.memory(system.memory);
  if (system.budget.pin_rate && !memory.in_cores &&
      system.budget.pin_rate->si() > memory.stack_bandwidth.si() / memory.pins * (1.0 + 1e-9)) {
    tell(streams, fmt::format("scalesweep: warning: {:.4g} Gb/s is above the {:.4g} Gb/s that a "
                              "pin of {} carries: no such parts are sold, and neither their price "
                              "nor their energy is known\n",
                              system.budget.pin_rate->si() * 8e-9,
                              memory.stack_bandwidth.si() / memory.pins * 8e-9, system.memory));
  }
  if (catalog.extrapolates(system.logic, system.scaling)) {
    tell(streams,
         fmt::format(
             "scalesweep: warning: '{}' is extrapolated: every factor of the node goes on by its "
             "last step\n",
             system.logic));
  }
}

}  // namespace

ExitCode derive_device(const DeriveArguments& arguments, const catalog::Catalog& catalog,
                       Format format, const Streams& streams) {
  const DerivedSystem system = wanted_system(arguments, catalog);
  const technology::Parts parts = catalog.parts(system);
  const technology::Derivation d = technology::derive(parts, system.budget);
  if (d.infeasible) {
    refuse(fmt::format("there is no such device: {}", technology::to_string(*d.infeasible)));
  }
  std::vector<Sheet> sheets = {
      asked_sheet(system), derivation_sheet(parts, system.budget, d),
      device_sheet(d.device, d.scale_up),
      binding_sheet(technology::binding_limits(parts, system.budget, d), d)};
  technology::System alone;
  alone.device = d.device;
  alone.scale_up() = d.scale_up;
  alone.scale_up_domain() = system.domain;
  if (const auto own = catalog.ownership(alone, catalog.economics())) {
    sheets.push_back(cost_sheet(*own));
  }
  if (!arguments.like.empty() && system.budget.flop_per_clock) {
    sheets.push_back(comparison_sheet({compare(arguments.like, d, catalog.device(arguments.like),
                                               *system.budget.flop_per_clock)}));
  }
  sheets.push_back(sources_sheet(system, catalog));
  warn_of_parts(system, catalog, streams);
  print(streams, format == Format::csv ? std::vector<Sheet>{sheets[1]} : sheets, format);
  return ExitCode::ok;
}

}  // namespace scalesweep::cli
