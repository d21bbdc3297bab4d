#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "spec_reading.hpp"

namespace scalesweep::space {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using tests::derived_spec;

std::string economics(const std::string& keys) {
  return std::string(derived_spec) + "[economics]\n" + keys + "\n";
}

TEST(SpecEconomics, without_the_table_there_is_no_axis) {
  const Spec spec = good(std::string(derived_spec));
  EXPECT_EQ(spec.axes.back().name, "topology");
}

TEST(SpecEconomics, every_key_may_be_an_axis_and_comes_after_the_networks) {
  const Spec spec = good(economics(R"(assumptions = ["default", "cheap"]
energy_price = ["0.08 USD/kWh", "0.2 USD/kWh"]
power_usage_effectiveness = [1.1, 1.3]
grid_carbon = "0.1 kgCO2e/kWh"
lifetime = ["3 a", "5 a"]
utilization = 0.7
silicon_markup = 6
parts_markup = 1.2
network_markup = 1.5
rental_markup = 2
facility_cost = ["9 USD/W", "13 USD/W"]
facility_lifetime = "20 a"
delivery_cost = "0.5 USD/W"
server_cost = "10000 USD"
server_power = "300 W"
server_carbon = "100 kgCO2e")"));
  const std::vector<std::string> names = names_of(spec);
  EXPECT_THAT(
      std::vector<std::string>(names.end() - 17, names.end()),
      ElementsAre("topology", "economics", "energy_price", "power_usage_effectiveness",
                  "grid_carbon", "lifetime", "utilization", "silicon_markup", "parts_markup",
                  "network_markup", "rental_markup", "facility_cost", "facility_lifetime",
                  "delivery_cost", "server_cost", "server_power", "server_carbon"));
  EXPECT_THAT(axis_of(spec, "economics").labels, ElementsAre("default", "cheap"));
  const Axis& price = axis_of(spec, "energy_price");
  EXPECT_EQ(price.units, "USD J-1");
  EXPECT_THAT(price.values,
              ElementsAre(DoubleNear(0.08 / 3.6e6, 1e-20), DoubleNear(0.2 / 3.6e6, 1e-20)));
  EXPECT_THAT(axis_of(spec, "lifetime").labels, ElementsAre("3 a", "5 a"));
  EXPECT_THAT(axis_of(spec, "silicon_markup").labels, ElementsAre("6"));
  EXPECT_EQ(axis_of(spec, "facility_cost").units, "USD W-1");
  EXPECT_THAT(axis_of(spec, "facility_cost").values, ElementsAre(9.0, 13.0));
  EXPECT_EQ(axis_of(spec, "server_carbon").units, "kg");
}

TEST(SpecEconomics, electricity_may_be_free_of_price_and_carbon) {
  const Spec spec = good(economics("energy_price = '0 USD/kWh'\ngrid_carbon = ['0 kgCO2e/kWh']"));
  EXPECT_THAT(axis_of(spec, "energy_price").values, ElementsAre(0.0));
}

}  // namespace
}  // namespace scalesweep::space
