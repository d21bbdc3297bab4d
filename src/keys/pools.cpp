// The rows of [prefill] and [decode]: the pools of a service whose prompts are processed on devices
// of their own. Both have the keys of [strategy] beside their devices.
#include <array>
#include <vector>

#include "keys/prefill_system.hpp"
#include "keys/rows.hpp"

namespace scalesweep::keys {
namespace {

using catalog::CataloguedSystem;

// clang-format off
constexpr auto prefill = std::to_array<Row>({
    {{.path = "prefill.device", .kind = KeyKind::name,
        .fallback = "that of the devices that decode",
        .example = "[\"h100-sxm\", \"b200-sxm\"]",
        .description = "catalogued devices that process prompts; those of [system] decode. Its "
                       "links are its own, its network that of [system] where one is written "
                       "there",
        .list = true, .axis = "prefill_device", .names = devices, .variants = serving},
     sets<into<&PrefillSystem::system, &CataloguedSystem::device>>},
    {{.path = "prefill.accelerators", .kind = KeyKind::integer,
        .fallback = "as many as decoding keeps busy",
        .example = "[16, 32]", .units = "devices",
        .description = "devices that process prompts, beside those that decode. Where it is not "
                       "written, so many that most requests are answered for each device of both",
        .list = true, .axis = "prefill_accelerators", .variants = serving}},
});

// What [system] says otherwise: the values go where those of its keys do.
constexpr auto decode = std::to_array<Row>({
    {{.path = "decode.device", .kind = KeyKind::name,
        .fallback = "that of [system]", .example = "\"h200-sxm\"",
        .description = "catalogued devices, as in [system], whose place it takes",
        .list = true, .axis = "device", .names = devices, .variants = serving}},
    {{.path = "decode.accelerators", .kind = KeyKind::integer,
        .fallback = "that of [system]", .example = "[64, 144]", .units = "devices",
        .description = "devices that decode: as in [system], whose place it takes",
        .list = true, .axis = "accelerators", .variants = serving}},
});
// clang-format on

}  // namespace

std::vector<Row> pool_rows() {
  std::vector<Row> all(prefill.begin(), prefill.end());
  const auto add_strategies = [&all](std::string_view pool) {
    for (const Key& key : strategy_keys_in(pool)) {
      all.push_back({key});
    }
  };
  add_strategies("prefill");
  all.insert(all.end(), decode.begin(), decode.end());
  add_strategies("decode");
  return all;
}

}  // namespace scalesweep::keys
