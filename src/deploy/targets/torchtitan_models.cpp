#include "deploy/targets/torchtitan_models.hpp"

#include <algorithm>
#include <array>

#include "deploy/parts/model_shape.hpp"

namespace scalesweep::deploy {
namespace {

// torchtitan/models/*/__init__.py of 29624e37, 81af8833 and 73a0e697, get_train_spec and the tables
// above it; of b5bcd76c as well as config_registry.py. Sequences: max_context_length of their RoPE.
constexpr std::int64_t llama_positions = 131072;
constexpr std::int64_t qwen_positions = 40960;
constexpr std::int64_t deepseek_positions = 16384;
// clang-format off
constexpr auto flavors = std::to_array<Flavor>({
    {"llama3", "8B", "llama3_8b", 4096, 32, 32, 8, 14336, 0, false, llama_positions},
    {"llama3", "70B", "llama3_70b", 8192, 80, 64, 8, 28672, 0, false, llama_positions},
    {"llama3", "405B", "llama3_405b", 16384, 126, 128, 8, 53248, 0, false, llama_positions},
    {"llama4", "17bx16e_irope", "", 5120, 48, 40, 8, 8192, 16, false, 0, true, true,
     before("main")},
    {"llama4", "17bx128e_irope", "", 5120, 48, 40, 8, 8192, 128, false, 0, true, true,
     before("main")},
    {"deepseek_v3", "16B", "deepseek_v3_16b", 2048, 27, 16, 0, 1408, 64, false, deepseek_positions,
     true},
    {"deepseek_v3", "236B", "deepseek_v3_16b", 5120, 60, 128, 0, 1536, 160, false,
     deepseek_positions, true},
    {"deepseek_v3", "671B", "deepseek_v3_671b", 7168, 61, 128, 0, 2048, 256, false,
     deepseek_positions, true},
    {"qwen3", "0.6B", "qwen3_0_6b", 1024, 28, 16, 8, 3072, 0, true, qwen_positions, false, false},
    {"qwen3", "1.7B", "qwen3_1_7b", 2048, 28, 16, 8, 6144, 0, true, qwen_positions, false, false},
    {"qwen3", "4B", "qwen3_1_7b", 2560, 36, 32, 8, 9728, 0, true, qwen_positions, false, false},
    {"qwen3", "8B", "qwen3_14b", 4096, 36, 32, 8, 12288, 0, false, qwen_positions, false, false},
    {"qwen3", "14B", "qwen3_14b", 5120, 40, 40, 8, 17408, 0, false, qwen_positions, false, false},
    {"qwen3", "32B", "qwen3_32b", 5120, 64, 64, 8, 25600, 0, false, qwen_positions, false, false},
    {"qwen3", "30B-A3B", "qwen3_30b_a3b", 2048, 48, 32, 4, 768, 128, false, qwen_positions, false,
     false},
    {"qwen3", "235B-A22B", "qwen3_30b_a3b", 4096, 94, 64, 4, 1536, 128, false, qwen_positions,
     false, false},
    {"gpt_oss", "20b", "gpt_oss_20b", 2880, 24, 64, 8, 2880, 32, false, llama_positions, true,
     false, since("0.2.2")},
    {"gpt_oss", "120b", "gpt_oss_120b", 2880, 36, 64, 8, 2880, 128, false, llama_positions, true,
     false, since("0.2.2")},
});
// clang-format on

bool is_of(const Flavor& flavor, const workload::TransformerModel& model) {
  return model.gated_ffn && has_shape_of(model, flavor);
}

}  // namespace

const Flavor* torchtitan_flavor(const workload::TransformerModel& model, std::string_view version) {
  const auto found = std::find_if(flavors.begin(), flavors.end(), [&](const Flavor& one) {
    return one.in.has(version) && is_of(one, model);
  });
  return found == flavors.end() ? nullptr : &*found;
}

}  // namespace scalesweep::deploy
