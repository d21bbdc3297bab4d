#include "catalog/import/kept_modules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace scalesweep::catalog {
namespace {

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [text](std::string_view word) { return has(text, word); });
}

// "re:.*mlp\.(gate|up)_proj.*" without what quotes and repeats.
std::string plain(const std::string& name) {
  std::string text = name.starts_with("re:") ? name.substr(3) : name;
  std::erase_if(text, [](char c) { return c == '\\' || c == '*' || c == '^' || c == '$'; });
  while (!text.empty() && text.back() == '.') {
    text.pop_back();
  }
  return text;
}

// The number behind "layers.".
std::optional<std::int64_t> layer_in(const std::string& text) {
  constexpr std::string_view before = "layers.";
  const std::size_t at = text.find(before);
  std::size_t end = at == std::string::npos ? at : at + before.size();
  std::string digits;
  while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
    digits += text[end++];
  }
  constexpr std::size_t most_digits = 9;
  return digits.empty() || digits.size() > most_digits
             ? std::nullopt
             : std::optional<std::int64_t>(std::stoll(digits));
}

std::string last_part(const std::string& text) {
  const std::size_t dot = text.rfind('.');
  return dot == std::string::npos ? text : text.substr(dot + 1);
}

// Routers, norms, embeddings, what is before or behind the layers of the language model, and what
// counts for nothing.
bool is_wide_anyway(const std::string& text) {
  const std::string last = last_part(text);
  return last == "gate" || last == "shared_expert_gate" || last == "router" ||
         has_any(text, {"mlp.gate.", "router", "norm", "embed", "e_score", "vision", "visual",
                        "mm_projector", "multi_modal", "patch_merge", "mtp", "eh_proj", "indexer",
                        "index_", "conv1d", "audio", "enorm"});
}

// Of a module of attention or of a mixer.
void add_attention(const std::string& text, NamedModules& found) {
  const std::string last = last_part(text);
  if (has_any(last, {"o_proj", "out_proj", "dense", "wo"})) {
    found.parts = {ModulePart::attention_output};
  } else if (has_any(last, {"qkv", "in_proj"})) {
    found.inputs = {"q", "k", "v"};
  } else if (has(last, "_proj") || has(last, "w")) {
    found.inputs = {last};
  } else {
    found.parts = {ModulePart::attention, ModulePart::attention_output};
  }
}

}  // namespace

NamedModules modules_of(const std::string& name) {
  const std::string text = plain(name);
  NamedModules found;
  found.layer = layer_in(text);
  if (is_wide_anyway(text)) {
    return found;
  }
  if (last_part(text) == "head" || has(text, "lm_head") || has(text, "output_layer")) {
    found.parts = {ModulePart::head};
  } else if (has(text, "shared_expert")) {
    found.parts = {ModulePart::shared};
  } else if (has(text, "experts")) {
    found.parts = {ModulePart::experts};
  } else if (has_any(last_part(text), {"gate_proj", "up_proj", "down_proj"})) {
    found.parts = {ModulePart::mlp};
  } else if (has_any(text, {"attn", "attention", "mixer"})) {
    add_attention(text, found);
  } else if (has_any(text, {"mlp", "ffn", "feed_forward", "gate_proj", "up_proj", "down_proj"})) {
    found.parts = {ModulePart::mlp};
  } else if (found.layer && last_part(text) == std::to_string(*found.layer)) {
    found.parts = {ModulePart::experts, ModulePart::mlp, ModulePart::shared, ModulePart::attention,
                   ModulePart::attention_output};
  } else {
    found.is_known = false;
  }
  return found;
}

bool ModuleFormats::say(const std::string& name, const StoredFormat& format) {
  const NamedModules named = modules_of(name);
  if (named.layer && *named.layer >= layers_.all) {
    return true;  // a module for multi-token prediction
  }
  for (const ModulePart part : named.parts) {
    add(part, named.layer, format);
  }
  // One of several first projections alone decides nothing.
  constexpr std::size_t enough = 2;
  if (!named.inputs.empty()) {
    std::set<std::string>& known = inputs_[{format, named.layer.value_or(-1)}];
    known.insert(named.inputs.begin(), named.inputs.end());
    if (known.size() >= enough) {
      add(ModulePart::attention, named.layer, format);
    }
  }
  return named.is_known;
}

// Whole layers are named with and without experts.
bool ModuleFormats::may_have(std::int64_t layer, ModulePart part) const {
  const bool dense = layer < layers_.first_dense;
  switch (part) {
    case ModulePart::experts:
    case ModulePart::shared:
      return layers_.experts > 0 && !dense;
    case ModulePart::mlp:
      return layers_.experts == 0 || dense || layers_.every > 1;
    default:
      return true;
  }
}

void ModuleFormats::add(ModulePart part, const std::optional<std::int64_t>& layer,
                        const StoredFormat& format) {
  const auto index = static_cast<std::size_t>(part);
  if (layer && part != ModulePart::head) {
    if (may_have(*layer, part)) {
      said_[index][format].insert(*layer);
    }
  } else {
    all_[index] = format;
  }
}

std::int64_t ModuleFormats::layers_of(ModulePart part) const {
  switch (part) {
    case ModulePart::experts:
      return layers_.experts;
    case ModulePart::shared:
      return layers_.has_shared_experts ? layers_.experts : 0;
    case ModulePart::mlp:
      return layers_.all - layers_.experts;
    case ModulePart::head:
      return 1;
    default:
      return layers_.all;
  }
}

StoredFormat ModuleFormats::of(ModulePart part) const {
  const auto index = static_cast<std::size_t>(part);
  for (const auto& [format, layers] : said_[index]) {
    if (2 * static_cast<std::int64_t>(layers.size()) > layers_of(part)) {
      return format;
    }
  }
  return all_[index].value_or(usual_);
}

std::vector<std::string> ModuleFormats::uneven() const {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < said_.size(); ++i) {
    const auto part = ModulePart(i);
    for (const auto& [format, layers] : said_[i]) {
      const std::int64_t all = layers_of(part);
      const auto some = static_cast<std::int64_t>(layers.size());
      const std::int64_t others = format == of(part) ? all - some : some;
      if (all > 0 && others > 0 && some <= all) {
        texts.push_back(fmt::format("{} of {} of {} layers", module_part_names[part], others, all));
      }
    }
  }
  return texts;
}

}  // namespace scalesweep::catalog
