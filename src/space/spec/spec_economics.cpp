#include "space/spec/spec_economics.hpp"

namespace scalesweep::space {
namespace {

using config::Dimension;
using config::TableCursor;

// Free electricity and electricity without carbon are worth asking about.
KeyRule possibly_zero(std::string name, Dimension dimension) {
  KeyRule rule = quantity_key(std::move(name), dimension);
  rule.zero = true;
  return rule;
}

}  // namespace

void read_economics(AxisReader& reader, const TableCursor& economics) {
  constexpr NumberRange above_zero = {0.0, false, std::nullopt, false};
  constexpr NumberRange at_least_one = {1.0, true, std::nullopt, false};
  constexpr NumberRange share_or_all = {0.0, false, 1.0, true};
  reader.optional(economics, "assumptions", name_key("economics"));
  const std::vector<KeyRule> overrides = {possibly_zero("energy_price", Dimension::usd_per_joule),
                                          number_key("power_usage_effectiveness", at_least_one),
                                          possibly_zero("grid_carbon", Dimension::co2_per_joule),
                                          quantity_key("lifetime", Dimension::seconds),
                                          number_key("utilization", share_or_all),
                                          number_key("device_markup", above_zero),
                                          number_key("network_markup", above_zero),
                                          possibly_zero("server_cost", Dimension::usd),
                                          possibly_zero("server_power", Dimension::watts),
                                          possibly_zero("server_carbon", Dimension::co2)};
  for (const KeyRule& rule : overrides) {
    reader.optional(economics, rule.name, rule);
  }
}

}  // namespace scalesweep::space
