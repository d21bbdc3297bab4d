// The rows of [prefill] and [decode]: the pools of a service whose prompts are processed on devices
// of their own. Both have the keys of [strategy] beside their devices.
#include <array>
#include <vector>

#include "space/keys/rows.hpp"

namespace scalesweep::space {
namespace {

// clang-format off
constexpr std::array prefill = {
    Key{.path = "prefill.device", .kind = KeyKind::name,
        .fallback = "that of the devices that decode",
        .example = "[\"h100-sxm\", \"b200-sxm\"]",
        .description = "catalogued devices that process prompts; those of [system] decode. Its "
                       "links are its own, its network that of [system] where one is written "
                       "there",
        .list = true, .axis = "prefill_device", .names = devices, .variants = serving},
    Key{.path = "prefill.accelerators", .kind = KeyKind::integer,
        .fallback = "as many as decoding keeps busy",
        .example = "[16, 32]", .units = "devices",
        .description = "devices that process prompts, beside those that decode. Where it is not "
                       "written, so many that most requests are answered for each device of both",
        .list = true, .axis = "prefill_accelerators", .variants = serving},
};

constexpr std::array decode = {
    Key{.path = "decode.device", .kind = KeyKind::name,
        .fallback = "that of [system]", .example = "\"h200-sxm\"",
        .description = "catalogued devices, as in [system], whose place it takes",
        .list = true, .axis = "device", .names = devices, .variants = serving},
    Key{.path = "decode.accelerators", .kind = KeyKind::integer,
        .fallback = "that of [system]", .example = "[64, 144]", .units = "devices",
        .description = "devices that decode: as in [system], whose place it takes",
        .list = true, .axis = "accelerators", .variants = serving},
};
// clang-format on

}  // namespace

std::span<const Key> pool_keys() {
  static const std::vector<Key> keys = [] {
    std::vector<Key> all(prefill.begin(), prefill.end());
    const auto add = [&all](std::span<const Key> more) {
      all.insert(all.end(), more.begin(), more.end());
    };
    add(strategy_keys_in("prefill"));
    add(decode);
    add(strategy_keys_in("decode"));
    return all;
  }();
  return keys;
}

}  // namespace scalesweep::space
