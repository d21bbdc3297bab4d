// What the files of measured cases do not say and the model needs: chosen once for each source, for
// all of its rows. A cell that says otherwise wins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/enum_names.hpp"
#include "validation/cases/row_reader.hpp"

namespace scalesweep::validation {

// What a row ran on where neither it nor its source says, or the catalog lacks what they say.
inline constexpr std::string_view fallback_framework = "overlapped";

struct CaseSource {
  std::string_view name;
  std::string_view framework;           // entry of the catalog
  std::optional<bool> flash_attention;  // where it is not what the device's generation usually runs
  bool plain_gpt = true;  // models without a gated MLP have biases, dropout and learned positions
  // Key and value heads that the source ran llama-3-405b with, 0: as published.
  int llama_405b_kv_heads = 0;
  // What its rows of h100-sxm ran on, where that is another entry of the catalog; "" where not.
  std::string_view h100 = "";
};

// Told by the text of `source`; for files without one by what only they have.
const CaseSource& source_of(const RowReader& row);

// The entry for a framework as a row ran it: its name, or that of a variant which the name of the
// case tells apart and no column does.
std::string_view framework_variant(std::string_view framework, std::string_view case_name,
                                   std::string_view source);

enum class InferenceMetric : std::uint8_t {
  latency,            // s, from start to the last token of the batch
  first_token,        // s
  output_token,       // s, mean of all tokens after the first
  tokens_per_second,  // of output, all devices
};
inline constexpr auto inference_metric_names =
    enum_names<InferenceMetric>("latency_s", "ttft_s", "tpot_s", "tokens_per_s");

struct InferenceSource {
  std::string_view name;
  std::string_view framework;  // entry of the catalog
  // Engines with linear layers of 8 bits keep keys and values in fp8 as well.
  bool narrow_cache = false;
  // The batch is cut into one micro-batch for each stage of a pipeline where that divides it.
  bool cuts_batch_by_stages = false;
  // Tokens per second are the reciprocal of the time per token, prefill left out.
  bool rate_without_prompt = false;
  // A batch is what a server under load had in flight on average, and its times per token are
  // medians.
  bool under_load = false;
  // Requests of a batch are copies of one: their tokens go to the same experts.
  bool copies_of_one = false;
  // Rows name this entry for want of their own.
  std::string_view named_as = "";
  // Tokens of prompts that a device takes at once, 0: as the framework does.
  std::int64_t prefill_chunk = 0;
  // The engine keeps the loads of experts alike, by copies of some that no column tells.
  bool balances_experts = false;
  // Requests of a closed loop all have the lengths of the row, but for means of drawn ones
  // (is_mean_of_drawn).
  bool fixed_lengths = false;
  // All open requests begin at once, and of each place so many follow in all: times to the first
  // token are means over them, the first ones, which wait for each other, among them. 0: of a
  // steady state.
  double requests_each = 0.0;
};

// Told by the text of `source`.
const InferenceSource& inference_source_of(const RowReader& row);

// Whether a file tells its stacks apart by version: by the columns `version`, `image` or `date`.
// Its rows ran as that version does on their device, where others are as a study of the same spec.
bool tells_versions(const RowReader& row);
// The entry of the catalog that a row's stack is in its version, by these columns as far as the row
// has them; the name itself where the file has none.
std::string version_of_row(const RowReader& row, const catalog::Catalog& catalog,
                           const std::string& framework);

// Kernels that were measured where the library had none for query heads that share their cache on
// this device: the most that read it together. Nothing where the device says it.
std::optional<int> measured_shared_heads(std::string_view library, std::string_view device);

// What agreement is asked for by name: "NIM, time per output token". "" for the rest.
std::string inference_group(const InferenceSource& source, std::string_view framework,
                            InferenceMetric metric);

}  // namespace scalesweep::validation
