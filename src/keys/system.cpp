// The rows of [system], but for `accelerators`, which stands with the workload, and of [economics].
#include <algorithm>
#include <array>

#include "keys/prefill_system.hpp"
#include "keys/rows.hpp"

namespace scalesweep::keys {
namespace {

using catalog::CataloguedSystem;
using catalog::DerivedSystem;
using technology::Budget;
using technology::Device;
using technology::Economics;
using technology::Shares;

constexpr const char* one_price = "each says by itself what dies are sold for";

constexpr NumberRange at_least_one = {1.0, true};
constexpr NumberRange draw_range = {2.0, true, 1e4, true};
constexpr NumberRange seed_range = {0.0, true, 1e6, true};

// What changes a catalogued device.
void set_memory(Device& device, const AxisValue& value) {
  const Device& other = value.catalog.device(value.label);
  device.dram = other.dram;
  device.memory = other.memory;
  device.stacks = other.stacks;
}
void limit_power(Device& device, const AxisValue& value) {
  device.thermal_design_power = std::min(device.thermal_design_power, Watts::si(value.number));
}
void set_silicon_markup(Economics& economics, const AxisValue& value) {
  economics.silicon_markup = value.number;
  economics.one_silicon_markup = true;
}
template <auto... member>
constexpr auto in_budget = into<&DerivedSystem::budget, member...>;
template <auto member>
constexpr auto in_shares = in_budget<&Budget::shares, member>;
// The network of the devices that process prompts is that of all.
template <auto member>
constexpr auto of_prefill = into<&PrefillSystem::system, member>;

// clang-format off
constexpr auto system_table = std::to_array<Row>({
    {{.path = "system.device", .kind = KeyKind::name_or_table, .need = Need::required,
        .example = "[\"a100-sxm-80gb\", \"h100-sxm\"]",
        .description = "catalogued devices by name, each with its memory and links; or a table, "
                       "from which a device is derived",
        .list = true, .axis = "device", .names = devices}, sets<&CataloguedSystem::device>},
    {{.path = "system.memory_of", .kind = KeyKind::name, .fallback = "the device's own",
        .example = "\"h200-sxm\"",
        .description = "another catalogued device, whose DRAM this one gets: capacity, "
                       "bandwidth, energy",
        .list = true, .axis = "memory_of", .names = devices, .variants = catalogued_device,
        .instead = "memory"}, sets<set_memory>},
    {{.path = "system.power_limit", .kind = KeyKind::quantity, .fallback = "the device's own",
        .example = "\"500 W\"",
        .description = "replaces the design power where that is higher. A limit above the design "
                       "power of all devices is an error, above that of some a warning",
        .dimension = Dimension::watts, .list = true, .axis = "power_limit",
        .variants = catalogued_device, .instead = "device.power"}, sets<limit_power>},
    {{.path = "system.device.template", .kind = KeyKind::name, .need = Need::required,
        .example = "\"tensor-core-gpu\"",
        .description = "what is built, an entry of `nodes/templates.toml`",
        .list = true, .axis = "template", .names = templates, .variants = derived_device},
     sets<&DerivedSystem::architecture>},
    {{.path = "system.logic", .kind = KeyKind::name, .need = Need::required,
        .example = "[\"N7\", \"N5\"]", .description = "logic nodes of `nodes/logic.toml`",
        .list = true, .axis = "logic", .names = logic_nodes, .variants = derived_device},
     sets<&DerivedSystem::logic>},
    {{.path = "system.scaling", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"foundry\"", .example = "\"iso-performance\"",
        .description = "series of node factors: `foundry`, `roadmap`, `iso-performance`, "
                       "`deepflow` (`nodes/README.md`)",
        .list = true, .axis = "scaling", .variants = derived_device},
     sets<&DerivedSystem::scaling>},
    {{.path = "system.memory", .kind = KeyKind::name, .need = Need::required,
        .example = "\"HBM3\"", .description = "DRAM by the stack, of `nodes/memory.toml`",
        .list = true, .axis = "memory", .names = memories, .variants = derived_device},
     sets<&DerivedSystem::memory>},
    {{.path = "system.device.die_area", .kind = KeyKind::quantity, .need = Need::required,
        .example = "\"826 mm2\"",
        .description = "area of one die; decides how many cores fit",
        .dimension = Dimension::area, .list = true, .continuous = true,
        .uncertain = true, .axis = "die_area",
        .variants = derived_device}, sets<in_budget<&Budget::die_area>>},
    {{.path = "system.device.dies", .kind = KeyKind::integer, .need = Need::standing,
        .fallback = "1", .example = "2", .description = "dies in a package",
        .list = true, .axis = "dies", .variants = derived_device}, sets<in_budget<&Budget::dies>>},
    {{.path = "system.device.power", .kind = KeyKind::quantity, .need = Need::required,
        .example = "\"700 W\"",
        .description = "power of the whole device; decides how fast the cores run",
        .dimension = Dimension::watts, .list = true, .continuous = true,
        .uncertain = true, .axis = "power",
        .variants = derived_device}, sets<in_budget<&Budget::power>>},
    {{.path = "system.device.power_sharing", .kind = KeyKind::name, .fallback = "\"shared\"",
        .example = "\"static\"",
        .description = "`shared`: what runs draws the power, and its clock follows from what it "
                       "draws. `static`: memory and links keep what their full rate takes, and "
                       "cores run as fast as the rest carries under full load",
        .words = words_of(technology::power_sharing_names),
        .list = true, .axis = "power_sharing", .variants = derived_device},
     sets<word<technology::power_sharing_names, &DerivedSystem::budget, &Budget::power_sharing>>},
    {{.path = "system.device.stacks", .kind = KeyKind::integer, .need = Need::required,
        .example = "6",
        .description = "memory stacks; the die edge must take them. With `memory_edge_share` "
                       "they follow from that, and the key must be left out",
        .list = true, .continuous = true, .axis = "stacks", .variants = derived_device,
        .unless = "memory_edge_share"}, sets<in_budget<&Budget::stacks>>},
    {{.path = "system.device.package", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"interposer\"", .example = "\"interposer\"",
        .description = "what carries dies and stacks, an entry of `nodes/packages.toml`",
        .list = true, .axis = "package", .names = packages, .variants = derived_device},
     sets<&DerivedSystem::package>},
    {{.path = "system.device.pin_rate", .kind = KeyKind::quantity, .fallback = "of the memory",
        .example = "\"5.2 Gb/s\"", .description = "data rate of one memory pin",
        .dimension = Dimension::bytes_per_second, .list = true, .continuous = true,
        .uncertain = true,
        .axis = "pin_rate", .variants = derived_device}, sets<in_budget<&Budget::pin_rate>>},
    {{.path = "system.device.flop_per_clock", .kind = KeyKind::integer,
        .fallback = "of the template", .example = "4096", .units = "FLOP",
        .description = "16-bit FLOP of one core in one clock, a multiply-add counted as two; the "
                       "other precisions change with it",
        .list = true, .axis = "flop_per_clock", .variants = derived_device},
     sets<in_budget<&Budget::flop_per_clock>>},
    {{.path = "system.device.core_area_share", .kind = KeyKind::number,
        .fallback = "of the template", .example = "0.6",
        .description = "part of the die, less interfaces, for cores; L2 takes the rest",
        .range = config::open_share, .list = true, .continuous = true, .axis = "core_area_share",
        .variants = derived_device}, sets<in_shares<&Shares::core_area>>},
    {{.path = "system.device.memory_edge_share", .kind = KeyKind::number,
        .fallback = "of the template", .example = "0.4",
        .description = "part of the outer die edge for memory, filled with stacks; links take "
                       "what is left of the usable edge, and are as wide as it",
        .range = config::open_share, .list = true, .continuous = true, .axis = "memory_edge_share",
        .variants = derived_device}, sets<in_shares<&Shares::memory_edge>>},
    {{.path = "system.device.memory_power_share", .kind = KeyKind::number,
        .fallback = "what full speed takes", .example = "0.2",
        .description = "part of the power that memory takes at most; its pins run slower if need "
                       "be",
        .range = config::open_share, .list = true, .continuous = true, .axis = "memory_power_share",
        .variants = derived_device}, sets<in_shares<&Shares::memory_power>>},
    {{.path = "system.extrapolate", .kind = KeyKind::truth, .fallback = "false",
        .example = "true",
        .description = "allows nodes beyond the last one of a series, below. No axis",
        .variants = derived_device}},
    {{.path = "system.scale_up", .kind = KeyKind::name_or_table, .fallback = "of the device",
        .example = "[\"NVLink4\", \"NVLink5\"]",
        .description = "link inside a domain, of `nodes/links.toml`; or a table with its domain. "
                       "A domain larger than the link can join gives the status "
                       "`domain_exceeds_link`",
        .list = true, .axis = "scale_up", .names = scale_up_links, .variants = catalogued_device},
     sets<&CataloguedSystem::scale_up>},
    {{.path = "system.scale_up", .kind = KeyKind::name_or_table, .need = Need::required,
        .example = "{ link = \"NVLink4\", domain = 8 }",
        .description = "link inside a domain, of `nodes/links.toml`; or a table with its domain. "
                       "A domain larger than the link can join gives the status "
                       "`domain_exceeds_link`",
        .list = true, .axis = "scale_up", .names = scale_up_links, .variants = derived_device},
     sets<&DerivedSystem::scale_up>},
    {{.path = "system.scale_up.link", .kind = KeyKind::name, .need = Need::required,
        .example = "\"NVLink4\"", .description = "the link, where `scale_up` is a table",
        .list = true, .axis = "scale_up", .names = scale_up_links},
     sets<&CataloguedSystem::scale_up, &DerivedSystem::scale_up>},
    {{.path = "system.scale_up.domain", .kind = KeyKind::integer,
        .fallback = "of the device", .example = "72", .units = "devices",
        .description = "devices that a link joins",
        .list = true, .axis = "scale_up_domain", .variants = catalogued_device},
     sets<&CataloguedSystem::domain>},
    {{.path = "system.scale_up.domain", .kind = KeyKind::integer, .need = Need::standing,
        .fallback = "8", .example = "72", .units = "devices",
        .description = "devices that a link joins",
        .list = true, .axis = "scale_up_domain", .variants = derived_device},
     sets<&DerivedSystem::domain>},
    {{.path = "system.scale_out", .kind = KeyKind::name, .fallback = "of the device",
        .example = "\"NDRx8\"",
        .description = "network between domains, of `nodes/networks.toml`: eight ports for every "
                       "eight devices",
        .list = true, .axis = "scale_out", .names = scale_out_networks,
        .variants = catalogued_device},
     sets<&CataloguedSystem::scale_out, of_prefill<&CataloguedSystem::scale_out>>},
    {{.path = "system.scale_out", .kind = KeyKind::name, .need = Need::required,
        .example = "\"NDRx8\"",
        .description = "network between domains, of `nodes/networks.toml`: eight ports for every "
                       "eight devices",
        .list = true, .axis = "scale_out", .names = scale_out_networks, .variants = derived_device},
     sets<&DerivedSystem::scale_out, of_prefill<&CataloguedSystem::scale_out>>},
    {{.path = "system.topology", .kind = KeyKind::name, .need = Need::standing,
        .fallback = "\"fat-tree\"", .example = "\"rail-optimised\"",
        .description = "how the ports of `scale_out` are joined, an entry of "
                       "`nodes/topologies.toml`: decides hops, and what patterns between far "
                       "devices reach",
        .list = true, .axis = "topology", .names = topologies},
     sets<&DerivedSystem::topology, &CataloguedSystem::topology,
          of_prefill<&CataloguedSystem::topology>>},
});

constexpr auto economics_table = std::to_array<Row>({
    {{.path = "draws.count", .kind = KeyKind::integer, .fallback = "64", .example = "256",
        .description = "draws of all of them together: the values of the axis `draw`",
        .range = draw_range, .axis = "draw", .asked = true}},
    {{.path = "draws.seed", .kind = KeyKind::integer, .fallback = "1", .example = "2",
        .description = "another one gives other pairs of values", .range = seed_range,
        .zero = true}},
    {{.path = "economics.assumptions", .kind = KeyKind::name, .fallback = "\"default\"",
        .example = "\"cloud-us\"", .description = "an entry of `nodes/economics.toml`",
        .list = true, .axis = "economics", .asked = true, .names = assumptions}},
    {{.path = "economics.energy_price", .kind = KeyKind::quantity,
        .fallback = "of the assumptions", .example = "\"0.08 USD/kWh\"",
        .description = "of electricity at the meter",
        .dimension = Dimension::usd_per_joule, .zero = true, .list = true, .uncertain = true,
        .axis = "energy_price", .asked = true}, sets<&Economics::energy_price>},
    {{.path = "economics.power_usage_effectiveness", .kind = KeyKind::number,
        .fallback = "of the assumptions", .example = "1.2",
        .description = "power of the site over that of its computers",
        .range = at_least_one, .list = true,
        .uncertain = true, .axis = "power_usage_effectiveness", .asked = true},
     sets<&Economics::power_usage_effectiveness>},
    {{.path = "economics.grid_carbon", .kind = KeyKind::quantity,
        .fallback = "of the assumptions", .example = "\"0.37 kgCO2e/kWh\"",
        .description = "CO2 equivalent of electricity", .dimension = Dimension::co2_per_joule,
        .zero = true, .list = true, .uncertain = true, .axis = "grid_carbon", .asked = true},
     sets<&Economics::grid_carbon>},
    {{.path = "economics.lifetime", .kind = KeyKind::quantity,
        .fallback = "of the assumptions", .example = "\"4 a\"",
        .description = "time over which capital and embodied carbon are written off",
        .dimension = Dimension::seconds, .list = true, .uncertain = true, .axis = "lifetime",
        .asked = true},
     sets<&Economics::lifetime>},
    {{.path = "economics.utilization", .kind = KeyKind::number,
        .fallback = "of the assumptions", .example = "0.8",
        .description = "part of the lifetime spent on such work",
        .range = config::share_or_all, .list = true, .uncertain = true, .axis = "utilization",
        .asked = true},
     sets<&Economics::utilization>},
    {{.path = "economics.interest", .kind = KeyKind::number,
        .fallback = "of the assumptions", .example = "0.08", .units = "per year",
        .description = "cost of capital: what is bought is paid back in equal yearly sums over "
                       "its lifetime, with such a part of what is not yet paid back beside it. 0: "
                       "a straight line",
        .range = config::any_share, .list = true, .uncertain = true,
        .axis = "interest", .asked = true}, sets<&Economics::interest>},
    {{.path = "economics.silicon_markup", .kind = KeyKind::number,
        .fallback = "by the prices of products, else of the assumptions", .example = "35",
        .description = "price of dies over what making them costs, of every maker alike",
        .range = config::above_zero, .list = true, .uncertain = true, .axis = "silicon_markup",
        .asked = true, .excludes = "margin or device_price", .because = one_price},
     sets<set_silicon_markup>},
    {{.path = "economics.margin", .kind = KeyKind::quantity,
        .fallback = "a part of what dies cost, by `silicon_markup`", .example = "\"28000 USD\"",
        .description = "what the maker of a device asks for its dies beside what making them "
                       "takes: a sum for each device, however large its dies are and whatever its "
                       "node",
        .dimension = Dimension::usd, .zero = true, .list = true, .uncertain = true,
        .axis = "margin", .asked = true, .excludes = "device_price", .because = one_price},
     sets<&Economics::margin>},
    {{.path = "economics.device_price", .kind = KeyKind::quantity,
        .fallback = "cost and margin", .example = "\"35000 USD\"",
        .description = "price of a device with its memory and package, of every device alike",
        .dimension = Dimension::usd, .list = true, .uncertain = true, .axis = "device_price",
        .asked = true,
        .excludes = "wafer_price or defect_density or die_yield or memory_price or "
                    "memory_markup or package_price",
        .because = "they are parts of that price"},
     sets<&Economics::device_price>},
    {{.path = "economics.wafer_price", .kind = KeyKind::quantity,
        .fallback = "of the process", .example = "\"20000 USD\"",
        .description = "of a processed wafer, of every node alike",
        .dimension = Dimension::usd, .list = true, .uncertain = true, .axis = "wafer_price",
        .asked = true}, sets<&Economics::wafer_price>},
    {{.path = "economics.defect_density", .kind = KeyKind::quantity,
        .fallback = "of the process", .example = "\"0.1 1/cm2\"",
        .description = "defects on a wafer by its area, which decide the yield of a die, of every "
                       "node alike",
        .dimension = Dimension::per_area, .list = true, .uncertain = true,
        .axis = "defect_density", .asked = true, .excludes = "die_yield",
        .because = "the yield follows from defects, or is given"},
     sets<&Economics::defect_density>},
    {{.path = "economics.die_yield", .kind = KeyKind::number,
        .fallback = "by defects and area of a die", .example = "0.6",
        .description = "part of the dies on a wafer that is sold, of every die alike, however "
                       "large it is and whatever its node",
        .range = config::share_or_all, .list = true, .uncertain = true, .axis = "die_yield",
        .asked = true}, sets<&Economics::die_yield>},
    {{.path = "economics.parts_markup", .kind = KeyKind::number,
        .fallback = "of the assumptions", .example = "1.25",
        .description = "price of memory and package in a device over what they cost its maker",
        .range = config::above_zero, .list = true, .uncertain = true, .axis = "parts_markup",
        .asked = true},
     sets<&Economics::parts_markup>},
    {{.path = "economics.memory_price", .kind = KeyKind::quantity,
        .fallback = "cost of the memory and `parts_markup`", .example = "\"25 USD/GB\"",
        .description = "of memory as it is sold in a device, of every memory alike",
        .dimension = Dimension::usd_per_byte, .list = true, .uncertain = true,
        .axis = "memory_price", .asked = true, .excludes = "memory_markup",
        .because = "both say what memory is sold at"}, sets<&Economics::memory_price>},
    {{.path = "economics.memory_markup", .kind = KeyKind::number,
        .fallback = "`parts_markup`", .example = "2.5",
        .description = "price of memory in a device over what it costs its maker, in place of "
                       "`parts_markup`, which then is of packages alone",
        .range = config::above_zero, .list = true, .uncertain = true, .axis = "memory_markup",
        .asked = true}, sets<&Economics::memory_markup>},
    {{.path = "economics.package_price", .kind = KeyKind::quantity,
        .fallback = "cost of the package and `parts_markup`", .example = "\"1500 USD\"",
        .description = "of what carries dies and memory of a device, with assembly and what it "
                       "loses, of every device alike",
        .dimension = Dimension::usd, .list = true, .uncertain = true, .axis = "package_price",
        .asked = true}, sets<&Economics::package_price>},
    {{.path = "economics.network_markup", .kind = KeyKind::number,
        .fallback = "of the assumptions", .example = "1",
        .description = "price of network equipment over its catalogued cost",
        .range = config::above_zero, .list = true, .uncertain = true, .axis = "network_markup",
        .asked = true},
     sets<&Economics::network_markup>},
    {{.path = "economics.rental_markup", .kind = KeyKind::number,
        .fallback = "of the assumptions", .example = "1.4",
        .description = "what renting asks for all that is bought over what its owner paid",
        .range = config::above_zero, .list = true, .uncertain = true, .axis = "rental_markup",
        .asked = true},
     sets<&Economics::rental_markup>},
    {{.path = "economics.facility_cost", .kind = KeyKind::quantity,
        .fallback = "of the assumptions", .example = "\"11 USD/W\"",
        .description = "building, electrical and cooling plant, by the power of all that stands "
                       "in it",
        .dimension = Dimension::usd_per_watt, .zero = true, .list = true, .uncertain = true,
        .axis = "facility_cost", .asked = true}, sets<&Economics::facility_cost>},
    {{.path = "economics.facility_lifetime", .kind = KeyKind::quantity,
        .fallback = "of the assumptions", .example = "\"15 a\"",
        .description = "time over which the facility is written off",
        .dimension = Dimension::seconds, .list = true,
        .uncertain = true, .axis = "facility_lifetime",
        .asked = true}, sets<&Economics::facility_lifetime>},
    {{.path = "economics.delivery_cost", .kind = KeyKind::quantity,
        .fallback = "of the assumptions", .example = "\"1 USD/W\"",
        .description = "supplies, regulators and cold plates, by the same power; written off with "
                       "the device",
        .dimension = Dimension::usd_per_watt, .zero = true, .list = true, .uncertain = true,
        .axis = "delivery_cost", .asked = true}, sets<&Economics::delivery_cost>},
    {{.path = "economics.server_cost", .kind = KeyKind::quantity,
        .fallback = "of the assumptions", .example = "\"6000 USD\"",
        .description = "host, board and chassis, per accelerator",
        .dimension = Dimension::usd, .zero = true, .list = true,
        .uncertain = true, .axis = "server_cost", .asked = true}, sets<&Economics::server_cost>},
    {{.path = "economics.server_power", .kind = KeyKind::quantity,
        .fallback = "of the assumptions", .example = "\"150 W\"",
        .description = "power of the same, per accelerator",
        .dimension = Dimension::watts, .zero = true, .list = true,
        .uncertain = true, .axis = "server_power", .asked = true}, sets<&Economics::server_power>},
    {{.path = "economics.server_carbon", .kind = KeyKind::quantity,
        .fallback = "of the assumptions", .example = "\"160 kgCO2e\"",
        .description = "embodied carbon of the same, per accelerator",
        .dimension = Dimension::co2, .zero = true, .list = true,
        .uncertain = true, .axis = "server_carbon",
        .asked = true}, sets<&Economics::server_carbon>},
});
// clang-format on

}  // namespace

std::span<const Row> system_rows() {
  return system_table;
}

std::span<const Row> economics_rows() {
  return economics_table;
}

}  // namespace scalesweep::keys
