#include "analysis/words/words.hpp"

#include <algorithm>
#include <array>

#include "core/text.hpp"
#include "store/read/study_file.hpp"

namespace scalesweep::analysis {
namespace {

using Entry = std::pair<std::string_view, std::string_view>;

constexpr std::array<Entry, 30> table = {
    {{"logic", "logic node"},
     {"scale_up", "scale-up network"},
     {"scale_out", "scale-out network"},
     {"scale_up_domain", "scale-up domain"},
     {"memory_of", "memory taken from"},
     {"power", "power per accelerator"},
     {"stacks", "memory stacks"},
     {"sequence", "sequence length"},
     {"prompt", "prompt length"},
     {"output", "output length"},
     {"time_to_first_token_limit", "time-to-first-token limit"},
     {"time_per_output_token_limit", "time-per-output-token limit"},
     {"time_to_first_token_p50_limit", "time-to-first-token limit, p50"},
     {"time_to_first_token_p90_limit", "time-to-first-token limit, p90"},
     {"time_to_first_token_p99_limit", "time-to-first-token limit, p99"},
     {"time_per_output_token_p50_limit", "time-per-output-token limit, p50"},
     {"time_per_output_token_p90_limit", "time-per-output-token limit, p90"},
     {"time_per_output_token_p99_limit", "time-per-output-token limit, p99"},
     {"dram", "DRAM"},
     {"l2", "L2"},
     {"dram_bandwidth", "DRAM bandwidth"},
     {"scale_up_bandwidth", "scale-up bandwidth"},
     {"scale_out_bandwidth", "scale-out bandwidth"},
     {"micro_batch", "micro-batch"},
     {"micro_batches", "micro-batches"},
     {"zero", "ZeRO stage"},
     {"ok", "feasible"},
     {"not_in_file", "not in the file"},
     {"point_id", "point"},
     {"dominant_group", "limit"}}};

}  // namespace

std::string words(std::string_view name) {
  const auto* found = std::find_if(table.begin(), table.end(),
                                   [&](const Entry& entry) { return entry.first == name; });
  if (found != table.end()) {
    return std::string(found->second);
  }
  std::string text(name);
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string value_words(std::string_view axis, const std::string& label) {
  const bool is_number = !label.empty() && label[0] >= '0' && label[0] <= '9';
  return is_number ? words(axis) + " " + label : label;
}

namespace {

// The device, or "": what its own memory needs not be said of.
std::string device_in(const std::vector<std::string>& axes,
                      const std::vector<std::string>& labels) {
  const auto found = std::find(axes.begin(), axes.end(), "device");
  return found == axes.end() ? "" : labels[static_cast<std::size_t>(found - axes.begin())];
}

}  // namespace

// Memory of another device says so, "memory of h200-sxm"; that of the device itself goes without
// saying.
std::vector<std::string> choice_words(const std::vector<std::string>& axes,
                                      const std::vector<std::string>& labels, bool prompts_apart) {
  std::vector<std::string> texts;
  const std::string device = device_in(axes, labels);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const bool is_memory = axes[i] == "memory_of";
    if (labels[i] == store::no_axis_value || (is_memory && labels[i] == device)) {
      continue;
    }
    const bool is_decode = prompts_apart && axes[i] == "device";
    const bool is_prompts = axes[i] == "prefill_device";
    const bool is_study = axes[i] == store::study_axis;
    texts.push_back(is_decode    ? "decode on " + labels[i]
                    : is_prompts ? "prompts on " + labels[i]
                    : is_study   ? "study " + labels[i]
                    : is_memory  ? "memory of " + labels[i]
                                 : value_words(axes[i], labels[i]));
  }
  return texts;
}

std::string listed(std::span<const std::string> texts) {
  if (texts.size() < 2) {
    return texts.empty() ? std::string() : texts.front();
  }
  return join(texts.first(texts.size() - 1), ", ") + " and " + texts.back();
}

std::span<const Entry> names_with_words() {
  return table;
}

}  // namespace scalesweep::analysis
