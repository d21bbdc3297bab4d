// How a key of a spec becomes an axis: what its row says of its values, and what is said where they
// are others.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/document.hpp"
#include "space/keys/spec_keys.hpp"
#include "space/read/spec_types.hpp"

namespace scalesweep::space {

// Reads one axis after the other; those that cannot be read are reported and left out.
class AxisReader {
 public:
  std::vector<Axis> take() { return std::move(axes_); }

  // As the row says where the key is absent: reports it, takes the default, or leaves the axis out.
  // False where it is absent.
  bool read(const config::TableCursor& table, const Key& key);
  void read(const config::ValueCursor& value, const Key& key);
  void add(Axis axis) { axes_.push_back(std::move(axis)); }

 private:
  std::vector<Axis> axes_;
};

// An integer of a table by the path of its row, `usual` where it is not there; reports one that is
// out of the row's range, and gives nothing.
std::optional<std::int64_t> integer_in_range(const config::TableCursor& table,
                                             std::string_view path, std::int64_t usual);

// One more value, in SI units, which the key takes.
void append_value(Axis& axis, double value, const Key& key);

// The default of a key that the user did not write, at the place of the table it belongs to.
Axis default_axis(const Key& key, const SourcePosition& position);

// Units of an axis of quantities as a result file writes them ("m2", "B s-1"), and back.
std::string units_of(config::Dimension dimension);
std::optional<config::Dimension> dimension_of(const Axis& axis);

}  // namespace scalesweep::space
