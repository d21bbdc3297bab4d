#include "store/read/study_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::store {
namespace {

// Root attributes of a part that its study cannot be made without.
constexpr std::array<const char*, 3> kept_attributes = {"keep", "objectives", "title"};

std::string prefix_of(std::size_t number) {
  return fmt::format("study_{}_", number);
}

std::string text_of(const Texts& texts, const std::string& name) {
  const auto found = texts.find(name);
  return found == texts.end() ? "" : found->second;
}

std::optional<std::int64_t> number_of(const Texts& texts, const std::string& name) {
  const std::string text = text_of(texts, name);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

bool all_have(const std::vector<StudyPart>& parts, Texts StudyPart::*texts, const std::string& name,
              const std::string& text) {
  return std::all_of(parts.begin(), parts.end(), [&](const StudyPart& part) {
    const auto found = (part.*texts).find(name);
    return found != (part.*texts).end() && found->second == text;
  });
}

Texts joined(const std::vector<StudyPart>& parts, Texts StudyPart::*texts) {
  Texts result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const auto& [name, text] : parts[i].*texts) {
      const bool common = all_have(parts, texts, name, text);
      result[common ? name : prefix_of(i + 1) + name] = text;
    }
  }
  return result;
}

// What belongs to all of a union, and what to this part of it.
Texts texts_of(const Texts& all, std::size_t number) {
  const std::string own = prefix_of(number);
  Texts result;
  for (const auto& [name, text] : all) {
    if (!name.starts_with("study_")) {
      result[name] = text;
    } else if (name.starts_with(own)) {
      result[name.substr(own.size())] = text;
    }
  }
  return result;
}

// Taken out of the texts of a part, where they do not belong.
std::string extracted(Texts& texts, const std::string& name) {
  const auto found = texts.extract(name);
  return found ? found.mapped() : "";
}

}  // namespace

std::vector<StudyPart> parts_of(const StudyReader& reader) {
  const Texts& all = reader.provenance();
  std::vector<StudyPart> parts;
  for (std::size_t number = 1; all.contains(prefix_of(number) + "first_id"); ++number) {
    const auto first = number_of(all, prefix_of(number) + "first_id");
    const auto points = number_of(all, prefix_of(number) + "points");
    if (!first || !points) {
      refuse(fmt::format("/provenance/{}first_id and points are no numbers", prefix_of(number)));
    }
    StudyPart part;
    part.ids = {*first, *first + *points};
    part.provenance = texts_of(all, number);
    part.identity_parts = texts_of(reader.identity_parts(), number);
    part.name = extracted(part.provenance, "name");
    part.file = extracted(part.provenance, "file");
    part.identity = extracted(part.provenance, "identity_hash");
    extracted(part.provenance, "first_id");
    extracted(part.provenance, "points");
    for (const char* name : kept_attributes) {
      if (const std::string text = extracted(part.provenance, name); !text.empty()) {
        part.root_attributes[name] = text;
      }
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::optional<StudyPart> part_with(const std::vector<StudyPart>& parts, PointId id) {
  for (const StudyPart& part : parts) {
    if (id >= part.ids.first && id < part.ids.last) {
      return part;
    }
  }
  return std::nullopt;
}

std::string estimators_text(const std::vector<StudyPart>& parts) {
  constexpr std::size_t shown_digits = 8;
  const std::string name = "estimator";
  if (parts.empty() || all_have(parts, &StudyPart::identity_parts, name,
                                text_of(parts.front().identity_parts, name))) {
    return "";
  }
  std::vector<std::string> texts;
  for (const StudyPart& part : parts) {
    const std::string hash = text_of(part.identity_parts, name);
    texts.push_back(fmt::format("{} by {}", part.name,
                                hash.empty() ? "an unknown one" : hash.substr(0, shown_digits)));
  }
  return join(texts, ", ");
}

Texts joined_provenance(const std::vector<StudyPart>& parts) {
  Texts result = joined(parts, &StudyPart::provenance);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const StudyPart& part = parts[i];
    const std::string own = prefix_of(i + 1);
    result[own + "name"] = part.name;
    result[own + "file"] = part.file;
    result[own + "identity_hash"] = part.identity;
    result[own + "first_id"] = std::to_string(part.ids.first);
    result[own + "points"] = std::to_string(part.ids.size());
    for (const char* name : kept_attributes) {
      if (const std::string text = text_of(part.root_attributes, name); !text.empty()) {
        result[own + name] = text;
      }
    }
  }
  return result;
}

Texts joined_identity_parts(const std::vector<StudyPart>& parts) {
  return joined(parts, &StudyPart::identity_parts);
}

}  // namespace scalesweep::store
