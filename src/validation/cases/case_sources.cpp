#include "validation/cases/case_sources.hpp"

#include <algorithm>
#include <array>

namespace scalesweep::validation {
namespace {

// GPT steps on A100, fp16, unfused attention, everything recomputed (Bang et al., vTrain, MICRO
// 2024): Megatron-LM of its time.
constexpr CaseSource vtrain = {"vTrain", "megatron-lm-2022", std::nullopt, true, 0};
// Llama-like models in eager PyTorch (Hugging Face, ultra-scale playbook).
constexpr CaseSource nanotron = {"ultra-scale", "nanotron", std::nullopt, true, 0};
// SimuMax's measured steps on 8 B200; its 405B has 16 key and value heads.
constexpr CaseSource simumax = {"SimuMax", "megatron-lm-2025", std::nullopt, true, 16};
constexpr CaseSource unknown = {"", fallback_framework, std::nullopt, true, 0};

struct PublishedSource {
  std::string_view mark;  // in the text of `source`
  CaseSource source;
};

// The first whose mark is in the text. MPT models are trained with fused attention on all devices
// and have neither biases nor dropout (MosaicML, LLM Foundry). NVIDIA's GPT and Nemotron models of
// the later releases are told apart by their vocabulary (training_cases.cpp).
constexpr std::array<PublishedSource, 12> published = {{
    {"2205.05198", {"Korthikanti 2022", "megatron-lm-2022", std::nullopt, true, 0}},
    {"2104.04473", {"Narayanan 2021", "megatron-lm-2022", std::nullopt, true, 0}},
    {"2201.11990", {"Smith 2022", "megatron-lm-2022", std::nullopt, true, 0}},
    {"mosaicml/", {"MosaicML", "fsdp", true, false, 0}},
    {"H100 of 96 GB HBM2e", {"TorchTitan", "torchtitan", true, true, 0, "h100-sxm-96gb"}},
    {"torchtitan", {"TorchTitan", "torchtitan", true, true, 0}},
    {"NVIDIA", {"NVIDIA", "megatron-bridge", std::nullopt, true, 0}},
    {"docs.nvidia.com", {"NVIDIA", "megatron-bridge", std::nullopt, true, 0}},
    {"SimuMax", simumax},
    {"2204.02311", {"PaLM", "maxtext", std::nullopt, true, 0}},
    {"MaxText", {"MaxText", "maxtext", std::nullopt, true, 0}},
    {"maxtext", {"MaxText", "maxtext", std::nullopt, true, 0}},
}};

// Told by the name of the case, or by its source: "titan 2025 8b TP8 async fp8 64" in TorchTitan's
// table of both ways; models with experts in the benchmarks of May 2025.
struct Variant {
  std::string_view framework, mark, entry;
};
constexpr std::array<Variant, 2> variants = {{
    {"torchtitan", " async ", "torchtitan-async-tensor"},
    {"megatron-bridge", "(v25.05) deepseek_v3", "megatron-bridge-2025"},
}};

struct PublishedInference {
  std::string_view mark;  // in the text of `source`
  InferenceSource source;
  std::string_view case_mark = "";  // in the name of the case as well
};

constexpr std::string_view nemo_docs = "NeMo docs";
constexpr std::string_view nim = "NIM";
constexpr std::string_view cpus = "Xeon";
constexpr std::string_view faster_transformer = "fastertransformer";

// The first whose marks are in the texts.
//
// - NIM and TensorRT-LLM: engines of 8 bits have an fp8 cache. Its tables say so where it is built
//   (--fp8_kv_cache); batches of 896 on one device and 50 requests of 5,500 tokens on two would not
//   fit otherwise.
// - TensorRT-LLM's tables are of versions 0.5 to 0.9, of 2023 and early 2024.
// - FasterTransformer, and the launcher's tables that ran on it: getLocalBatchSize cuts the batch
//   by the stages. Cache and all else in 16 bits.
// - vLLM by UCI: before graphs, half a millisecond a layer whatever its width; tokens/s are one
// over the time per token in every pair of rows.
// - NeMo's Llama-2 page does not say what ran; Xeons: 16-bit weights, since the four sockets read
//   them in 9/10 of the time that is published, and 8-bit ones in half of it.
// - Argonne's bench of 2024 ran vLLM of that year, on AMD's devices as ported. In TensorRT-LLM's
//   benchmark all requests of a batch take the same experts: with a batch of 16, of which hardly an
//   expert would be left out, four H100 would read 3.5 TB/s each of their 3.35, four A100 2.1
//   of 1.56.
// - SGLang with large expert parallelism, and DeepSeek's own engine, which overlaps two batches as
//   well: their rows name vLLM, since the catalog had no other entry. The first took prompts of
//   16,384 tokens a device at once (chunked_prefill_size of 524,288 for 32, from memory). Both deal
//   copies of 32 experts so that ranks have as much to do (EPLB); the rows' ranks are a power of
//   two next to those that 288 experts divide into, so that copies of their own would be uneven
//   again.
// - TensorRT-LLM's guide to DeepSeek-R1: as many requests open all the time as its rows call a
//   batch.
// - ML.ENERGY: medians of the times between tokens of vLLM servers that requests keep coming to.
//
// - AIConfigurator's table of servers: first tokens grow with the number of open requests, whatever
//   the load, as they do where all begin at once: by 0.08 to 0.2 of what half of the prompts take,
//   by stack (718 rows of inference-servers-2026-ttft.csv); ten requests for each open one are
//   taken, a tenth. The other 205 rows of that file have 0 to 0.02.
constexpr InferenceSource measured_servers = {.name = "AIConfigurator",
                                              .framework = fallback_framework,
                                              .fixed_lengths = true,
                                              .requests_each = 10.0};
constexpr std::array<PublishedInference, 21> published_inference = {{
    {"LLM-Inference-Bench",
     {"Argonne", "tensorrt-llm-2023", false, false, false, false, true},
     "TensorRT-LLM"},
    {"LLM-Inference-Bench", {"Argonne", "vllm-2024-rocm-cdna2"}, "AMD MI250"},
    {"LLM-Inference-Bench", {"Argonne", "vllm-2024-rocm"}, "AMD "},
    {"LLM-Inference-Bench", {"Argonne", "vllm-2024"}},
    {"ROCm/vllm", {"ROCm", "vllm-rocm"}},
    {"oracle.com/cloud-infrastructure/serving", {"Oracle", "vllm-rocm"}, "mi300x"},
    {"ml-energy", {"ML.ENERGY", "vllm@0.11", false, false, false, true}},
    {"Best_perf_practice_on_DeepSeek-R1",
     {"TensorRT-LLM", "tensorrt-llm@1.0", false, false, false, true}},
    {"TRT-LLM 1.0 perf-overview", {"TensorRT-LLM 1.0", "tensorrt-llm@1.0"}},
    {"nim/benchmarking", {nim, "tensorrt-llm@1.0", true, false, false}},
    {"NVIDIA NIM", {nim, "tensorrt-llm@1.0", true, false, false}},
    {"TensorRT-LLM", {"TensorRT-LLM", "tensorrt-llm-2023", true, false, false}},
    {"NVIDIA NeMo docs", {nemo_docs, "nemo", false, false, false}},
    {"FasterTransformer", {"FasterTransformer", faster_transformer, false, true, false}},
    {"NeMo-Megatron-Launcher", {"NeMo-Megatron", faster_transformer, false, true, false}},
    {"lmdeploy", {"LMDeploy", "lmdeploy", false, false, false}},
    {"UCI vLLM", {"UCI", "vllm-2023", false, false, true}},
    {"lmsys.org",
     {"SGLang", "sglang-large-ep", false, false, false, false, false, "vllm", 16384, true}},
    {"open-infra-index",
     {"DeepSeek", "sglang-large-ep", false, false, false, false, false, "vllm", 0, true}},
    {"AIConfigurator silicon table", measured_servers},
    {"2407.00029", {cpus, "xfastertransformer", false, false, false}},
}};
constexpr InferenceSource unknown_inference = {"", fallback_framework, false, false, false};

// The operator database of Blackwell ran decode attention that reads the cache for every query
// head: a fallback of that release. What serves on these devices shares it, as on Hopper:
// throughput of TensorRT-LLM 1.0 on B200 and GB200 is met within 8 % so, and 72 % too low
// otherwise.
struct Fallback {
  std::string_view library, device;
  int shared_heads;
};
constexpr std::array<Fallback, 2> fallbacks = {{
    {"TensorRT-LLM 1.3.0rc10", "b200-sxm", 1},
    {"TensorRT-LLM 1.3.0rc10", "gb200", 1},
}};

// Whose version the tag of a published image says; other images (of Dynamo, for example) have a
// version of their own in it.
struct Image {
  std::string_view name;   // without what stands before the last '/'
  std::string_view stack;  // that it holds, whatever the row names
  std::string_view mark;   // of the tag, behind which the version stands; "": at its first digit
};
constexpr std::array<Image, 7> images = {{
    {"sglang", "sglang", ""},
    {"sglang-rocm", "sglang", ""},
    {"sgl-dev", "sglang", ""},
    {"vllm-openai", "vllm", ""},
    {"vllm-openai-rocm", "vllm-rocm", ""},
    {"release", "tensorrt-llm", ""},
    {"atom", "atom", "-atom"},
}};

// "0.5.12-rocm700" of "sglang:v0.5.12-rocm700".
std::string_view tagged_version(const Image& image, std::string_view tag) {
  if (!image.mark.empty()) {
    const std::size_t at = tag.find(image.mark);
    return at == std::string_view::npos ? "" : tag.substr(at + image.mark.size());
  }
  const std::size_t at = tag.find_first_of("0123456789");
  return at == std::string_view::npos ? "" : tag.substr(at);
}

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

std::string_view framework_variant(std::string_view framework, std::string_view case_name,
                                   std::string_view source) {
  const auto* const found = std::find_if(variants.begin(), variants.end(), [&](const Variant& v) {
    return framework == v.framework && (case_name.find(v.mark) != std::string_view::npos ||
                                        source.find(v.mark) != std::string_view::npos);
  });
  return found == variants.end() ? framework : found->entry;
}

const InferenceSource& inference_source_of(const RowReader& row) {
  const std::string_view text = row.text("source");
  const std::string_view name = row.text("case");
  for (const PublishedInference& known : published_inference) {
    if (text.find(known.mark) != std::string_view::npos &&
        name.find(known.case_mark) != std::string_view::npos) {
      return known.source;
    }
  }
  return unknown_inference;
}

bool tells_versions(const RowReader& row) {
  return row.knows("version") || row.knows("image") || row.knows("date");
}

std::string version_of_row(const RowReader& row, const catalog::Catalog& catalog,
                           const std::string& framework) {
  if (!tells_versions(row)) {
    return framework;
  }
  std::string_view version = row.text("version");
  std::string_view stack = framework;
  const std::string_view written = row.text("image");
  const std::size_t colon = written.rfind(':');
  if (colon != std::string_view::npos) {
    const std::string_view path = written.substr(0, colon);
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const auto* const image = std::find_if(images.begin(), images.end(),
                                           [&](const Image& one) { return one.name == name; });
    if (image != images.end() && catalog.has(catalog::Section::frameworks, image->stack)) {
      stack = image->stack;
      version = version.empty() ? tagged_version(*image, written.substr(colon + 1)) : version;
    }
  }
  return catalog.version_of(catalog.stack_on(row.text("device"), stack), version, row.text("date"));
}

std::optional<int> measured_shared_heads(std::string_view library, std::string_view device) {
  const auto* const found =
      std::find_if(fallbacks.begin(), fallbacks.end(),
                   [&](const Fallback& f) { return f.library == library && f.device == device; });
  return found == fallbacks.end() ? std::nullopt : std::optional(found->shared_heads);
}

std::string inference_group(const InferenceSource& source, std::string_view framework,
                            InferenceMetric metric) {
  if (source.name == nemo_docs) {
    return "Llama-2, one request";
  }
  if (source.name == nim) {
    return metric == InferenceMetric::output_token ? "NIM, time per output token" : "";
  }
  return framework == faster_transformer ? "FasterTransformer" : source.name == cpus ? "Xeon" : "";
}

}  // namespace scalesweep::validation
