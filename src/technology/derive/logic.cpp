#include "technology/derive/logic.hpp"

#include <cmath>

namespace scalesweep::technology {

LogicNode extrapolate(const LogicNode& last, const LogicNode& previous, int steps) {
  const auto beyond = [steps](double from, double to) { return to * std::pow(to / from, steps); };
  LogicNode node = last;
  node.logic_density = beyond(previous.logic_density, last.logic_density);
  node.sram_density = beyond(previous.sram_density, last.sram_density);
  node.analog_density = beyond(previous.analog_density, last.analog_density);
  node.switching_energy = beyond(previous.switching_energy, last.switching_energy);
  node.leakage = beyond(previous.leakage, last.leakage);
  const auto volts = [&](Volts from, Volts to) { return Volts::si(beyond(from.si(), to.si())); };
  node.voltage = {volts(previous.voltage.nominal, last.voltage.nominal),
                  volts(previous.voltage.threshold, last.voltage.threshold),
                  volts(previous.voltage.minimum, last.voltage.minimum),
                  volts(previous.voltage.maximum, last.voltage.maximum)};
  return node;
}

}  // namespace scalesweep::technology
