#include "validation/case_sources.hpp"

#include <array>

namespace scalesweep::validation {
namespace {

// GPT steps on A100, fp16, unfused attention, everything recomputed (Bang et al., vTrain, MICRO
// 2024): Megatron-LM of its time.
constexpr CaseSource vtrain = {"vTrain", "megatron-lm-2022", std::nullopt, true, 0};
// Llama-like models in eager PyTorch (Hugging Face, ultra-scale playbook).
constexpr CaseSource nanotron = {"ultra-scale", "nanotron", std::nullopt, true, 0};
// SimuMax's measured steps on 8 B200; its 405B has 16 key and value heads.
constexpr CaseSource simumax = {"SimuMax", "megatron-lm", std::nullopt, true, 16};
constexpr CaseSource unknown = {"", "overlapped", std::nullopt, true, 0};

struct PublishedSource {
  std::string_view mark;  // in the text of `source`
  CaseSource source;
};

// The first whose mark is in the text. MPT models are trained with fused attention on all devices
// and have neither biases nor dropout (MosaicML, LLM Foundry). NVIDIA's GPT and Nemotron models of
// the later releases are told apart by their vocabulary (training_cases.cpp).
constexpr std::array<PublishedSource, 8> published = {{
    {"2205.05198", {"Korthikanti 2022", "megatron-lm-2022", std::nullopt, true, 0}},
    {"2104.04473", {"Narayanan 2021", "megatron-lm-2022", std::nullopt, true, 0}},
    {"2201.11990", {"Smith 2022", "megatron-lm-2022", std::nullopt, true, 0}},
    {"mosaicml/", {"MosaicML", "fsdp", true, false, 0}},
    {"torchtitan", {"TorchTitan", "torchtitan", true, true, 0}},
    {"NVIDIA", {"NVIDIA", "megatron-bridge", std::nullopt, true, 0}},
    {"docs.nvidia.com", {"NVIDIA", "megatron-bridge", std::nullopt, true, 0}},
    {"SimuMax", simumax},
}};

// "h100-13436292": how the files without a `source` name their cases.
bool is_numbered(std::string_view name, std::string_view prefix) {
  return name.starts_with(prefix) && name.size() > prefix.size() &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string_view::npos;
}

}  // namespace

const CaseSource& source_of(const RowReader& row) {
  const std::string_view text = row.text("source");
  for (const PublishedSource& known : published) {
    if (text.find(known.mark) != std::string_view::npos) {
      return known.source;
    }
  }
  if (!text.empty()) {
    return unknown;
  }
  const std::string_view name = row.text("case");
  if (row.has("measured_all_reduce_gb_per_s") || row.knows("memory_states_gb") ||
      is_numbered(name, "h100-")) {
    return nanotron;
  }
  if ((row.text("precision") == "fp16" && row.text("flash_attention") == "false") ||
      is_numbered(name, "a100-single-") || is_numbered(name, "a100-multi-")) {
    return vtrain;
  }
  return row.has("memory_allocated_gb") || name.starts_with("b200-") ? simumax : unknown;
}

}  // namespace scalesweep::validation
