#include "study/step_price.hpp"

namespace scalesweep::study {

StepPrice& StepPrice::operator+=(const StepPrice& o) {
  capital_usd += o.capital_usd;
  for (std::size_t part = 0; part < parts_usd.size(); ++part) {
    parts_usd[part] += o.parts_usd[part];
  }
  for (std::size_t what = 0; what < repricing_usd.size(); ++what) {
    repricing_usd[what] += o.repricing_usd[what];
  }
  energy_usd += o.energy_usd;
  embodied_kg += o.embodied_kg;
  operational_kg += o.operational_kg;
  return *this;
}

StepPrice step_price(const technology::Ownership& ownership, double step_s, double devices,
                     double energy_j) {
  const double device_s = step_s * devices;
  const double bought_j = energy_j + ownership.server_power_w * device_s;
  StepPrice price;
  price.capital_usd = ownership.capital().si() * devices;
  for (std::size_t part = 0; part < price.parts_usd.size(); ++part) {
    price.parts_usd[part] = ownership.rates_usd_per_s[part] * device_s;
  }
  for (std::size_t what = 0; what < price.repricing_usd.size(); ++what) {
    price.repricing_usd[what] = ownership.repricing_usd_per_s[what] * device_s;
  }
  price.energy_usd = ownership.energy_usd_per_j * bought_j;
  price.embodied_kg = ownership.embodied_kg_per_s * device_s;
  price.operational_kg = ownership.energy_kg_per_j * bought_j;
  return price;
}

}  // namespace scalesweep::study
