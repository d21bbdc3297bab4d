#include "study/file/overlay_text.hpp"

#include <fmt/core.h>

#include <string_view>

#include "core/text.hpp"

namespace scalesweep::study {
namespace {

constexpr std::string_view behind_entry = ": ";
constexpr std::string_view behind_name = ", SHA-256 ";

}  // namespace

std::string overlays_text(const std::vector<const catalog::Entry*>& entries) {
  std::vector<std::string> lines;
  for (const catalog::Entry* entry : entries) {
    if (const auto& overlay = entry->overlay) {
      lines.push_back(fmt::format("{}{}{}{}{}", id_of(*entry), behind_entry, overlay->name,
                                  behind_name, overlay->sha256));
    }
  }
  return join(lines, "\n");
}

catalog::OverlaysByEntry overlays_of_text(const std::string& text) {
  std::map<std::string, std::shared_ptr<const catalog::Overlay>> files;  // by all that is told
  catalog::OverlaysByEntry overlays;
  for (const std::string& line : split(text, '\n')) {
    const std::size_t name = line.find(behind_entry);
    const std::size_t hash = line.rfind(behind_name);
    if (name == std::string::npos || hash == std::string::npos || hash < name) {
      continue;
    }
    const std::size_t begin = name + behind_entry.size();
    auto& file = files[line.substr(begin)];
    if (file == nullptr) {
      file = std::make_shared<const catalog::Overlay>(catalog::Overlay{
          line.substr(begin, hash - begin), line.substr(hash + behind_name.size())});
    }
    overlays.emplace(line.substr(0, name), file);
  }
  return overlays;
}

}  // namespace scalesweep::study
