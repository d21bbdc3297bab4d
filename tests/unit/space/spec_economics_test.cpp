#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "spec_reading.hpp"

namespace scalesweep::space {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
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
interest = [0, 0.08]
silicon_markup = 6
wafer_price = "20000 USD"
defect_density = ["0.1 1/cm2", "0.2 1/cm2"]
parts_markup = 1.2
memory_price = "25 USD/GB"
package_price = "1500 USD"
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
      std::vector<std::string>(names.end() - 22, names.end()),
      ElementsAre("topology", "economics", "energy_price", "power_usage_effectiveness",
                  "grid_carbon", "lifetime", "utilization", "interest", "silicon_markup",
                  "wafer_price", "defect_density", "parts_markup", "memory_price", "package_price",
                  "network_markup", "rental_markup", "facility_cost", "facility_lifetime",
                  "delivery_cost", "server_cost", "server_power", "server_carbon"));
  EXPECT_THAT(axis_of(spec, "economics").labels, ElementsAre("default", "cheap"));
  const Axis& price = axis_of(spec, "energy_price");
  EXPECT_EQ(price.units, "USD J-1");
  EXPECT_THAT(price.values,
              ElementsAre(DoubleNear(0.08 / 3.6e6, 1e-20), DoubleNear(0.2 / 3.6e6, 1e-20)));
  EXPECT_THAT(axis_of(spec, "lifetime").labels, ElementsAre("3 a", "5 a"));
  EXPECT_THAT(axis_of(spec, "silicon_markup").labels, ElementsAre("6"));
  EXPECT_THAT(axis_of(spec, "interest").values, ElementsAre(0.0, 0.08));
  EXPECT_EQ(axis_of(spec, "facility_cost").units, "USD W-1");
  EXPECT_THAT(axis_of(spec, "facility_cost").values, ElementsAre(9.0, 13.0));
  EXPECT_EQ(axis_of(spec, "server_carbon").units, "kg");
  EXPECT_EQ(axis_of(spec, "defect_density").units, "m-2");
  EXPECT_EQ(axis_of(spec, "memory_price").units, "USD B-1");
  EXPECT_THAT(axis_of(spec, "defect_density").values, ElementsAre(1000.0, 2000.0));
  EXPECT_THAT(axis_of(spec, "memory_price").values, ElementsAre(DoubleNear(25e-9, 1e-20)));
}

TEST(SpecEconomics, a_maker_asks_in_one_way_only) {
  const std::string text = refused(economics("silicon_markup = 6\nmargin = '28000 USD'"));
  EXPECT_THAT(text, HasSubstr("error: 'silicon_markup' does not go with margin: each says by "
                              "itself what dies are sold for; leave one of them out\n"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_THAT(refused(economics("margin = '28000 USD'\ndevice_price = '35000 USD'")),
              HasSubstr("error: 'margin' does not go with device_price: each says by itself what "
                        "dies are sold for; leave one of them out\n"));
  EXPECT_THAT(refused(economics("silicon_markup = 6\ndevice_price = '35000 USD'")),
              HasSubstr("error: 'silicon_markup' does not go with device_price: each says by "
                        "itself what dies are sold for; leave one of them out\n"));
}

TEST(SpecEconomics, what_is_in_a_price_is_not_said_beside_it) {
  EXPECT_THAT(refused(economics("device_price = '35000 USD'\nmemory_price = '25 USD/GB'")),
              HasSubstr("error: 'device_price' does not go with memory_price: they are parts of "
                        "that price; leave one of them out\n"));
  EXPECT_THAT(refused(economics("memory_price = '25 USD/GB'\nmemory_markup = 2")),
              HasSubstr("error: 'memory_price' does not go with memory_markup: both say what "
                        "memory is sold at; leave one of them out\n"));
}

TEST(SpecEconomics, a_yield_is_given_or_follows_from_defects) {
  EXPECT_THAT(axis_of(good(economics("die_yield = [0.5, 0.9]")), "die_yield").values,
              ElementsAre(0.5, 0.9));
  EXPECT_THAT(refused(economics("defect_density = '0.1 1/cm2'\ndie_yield = 0.5")),
              HasSubstr("error: 'defect_density' does not go with die_yield: the yield follows "
                        "from defects, or is given; leave one of them out\n"));
  EXPECT_THAT(refused(economics("device_price = '35000 USD'\ndie_yield = 0.5")),
              HasSubstr("error: 'device_price' does not go with die_yield: they are parts of that "
                        "price; leave one of them out\n"));
  EXPECT_THAT(refused(economics("die_yield = 0")),
              HasSubstr("error: die_yield must be above 0 and at most 1, not 0\n"));
}

TEST(SpecEconomics, interest_is_a_part_a_year) {
  EXPECT_THAT(refused(economics("interest = 8")),
              HasSubstr("error: interest must be at least 0 and at most 1, not 8\n"));
  EXPECT_THAT(refused(economics("interest = -0.1")),
              HasSubstr("error: interest must be at least 0 and at most 1, not -0.1\n"));
}

TEST(SpecEconomics, electricity_may_be_free_of_price_and_carbon) {
  const Spec spec = good(economics("energy_price = '0 USD/kWh'\ngrid_carbon = ['0 kgCO2e/kWh']"));
  EXPECT_THAT(axis_of(spec, "energy_price").values, ElementsAre(0.0));
}

}  // namespace
}  // namespace scalesweep::space
