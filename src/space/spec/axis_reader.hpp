// How a key of a spec becomes an axis: what its values may be, and what is said where they are not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/document.hpp"
#include "space/spec/spec.hpp"

namespace scalesweep::space {

// Which numbers without a unit a key takes.
struct NumberRange {
  double low = 0.0;
  bool low_included = false;
  std::optional<double> high = std::nullopt;
  bool high_included = false;

  bool holds(double number) const;
  std::string text() const;  // "above 0 and below 1"
};
inline constexpr NumberRange open_share = {0.0, false, 1.0, false};

// How the values of one key are read.
struct KeyRule {
  std::string name;  // of the axis
  AxisKind kind = AxisKind::name;
  config::Dimension dimension = config::Dimension::bytes;  // of quantities
  std::string example = "";                                // where it is missing or has no unit
  std::vector<std::string> words = {};                     // if not empty, the only names allowed
  NumberRange range = {};                                  // of numbers
  bool zero = false;                                       // a quantity or integer may be zero
  bool none = false;  // a quantity may be "none", which is larger than all
};

KeyRule name_key(std::string name, std::string example = "");
KeyRule integer_key(std::string name, std::string example = "");
KeyRule quantity_key(std::string name, config::Dimension dimension, std::string example = "");
KeyRule number_key(std::string name, NumberRange range, std::string example = "");

// Reads one axis after the other; those that cannot be read are reported and left out.
class AxisReader {
 public:
  std::vector<Axis> take() { return std::move(axes_); }

  void required(const config::TableCursor& table, const std::string& key, const KeyRule& rule);
  // False where the key is absent.
  bool optional(const config::TableCursor& table, const std::string& key, const KeyRule& rule);
  void with_default(const config::TableCursor& table, const std::string& key, const KeyRule& rule,
                    const std::string& label, double value);
  void read(const config::ValueCursor& value, const KeyRule& rule);
  void add(Axis axis) { axes_.push_back(std::move(axis)); }

 private:
  std::vector<Axis> axes_;
};

// A value that the user did not write, at the place of the table it belongs to.
Axis default_axis(const KeyRule& rule, const std::string& label, double value,
                  const SourcePosition& position);

// Units of an axis of quantities as a result file writes them ("m2", "B s-1"), and back.
std::string units_of(config::Dimension dimension);
std::optional<config::Dimension> dimension_of(const Axis& axis);

}  // namespace scalesweep::space
