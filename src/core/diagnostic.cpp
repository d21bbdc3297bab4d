#include "core/diagnostic.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace scalesweep {

SourcePosition position_at(const std::string& file, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line = before.rfind('\n');
  const std::size_t column =
      line == std::string_view::npos ? before.size() : before.size() - line - 1;
  return {file, 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n')),
          1 + static_cast<int>(column)};
}

std::string to_string(const Diagnostic& diagnostic) {
  const char* label = diagnostic.severity == Severity::error ? "error" : "warning";
  const SourcePosition& at = diagnostic.position;
  if (at.file.empty()) {
    return fmt::format("{}: {}", label, diagnostic.message);
  }
  if (at.line == 0) {
    return fmt::format("{}: {}: {}", at.file, label, diagnostic.message);
  }
  return fmt::format("{}:{}:{}: {}: {}", at.file, at.line, at.column, label, diagnostic.message);
}

void Diagnostics::error(SourcePosition position, std::string message) {
  all_.push_back({Severity::error, std::move(position), std::move(message)});
  ++errors_;
}

void Diagnostics::warning(SourcePosition position, std::string message) {
  all_.push_back({Severity::warning, std::move(position), std::move(message)});
}

void Diagnostics::take_back(Mark since) {
  while (all_.size() > since) {
    errors_ -= all_.back().severity == Severity::error ? 1 : 0;
    all_.pop_back();
  }
}

std::string Diagnostics::text() const {
  std::vector<Diagnostic> sorted = all_;
  std::stable_sort(sorted.begin(), sorted.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return std::tie(a.position.file, a.position.line, a.position.column) <
           std::tie(b.position.file, b.position.line, b.position.column);
  });
  const std::size_t shown = std::min(sorted.size(), most_shown);
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    text += to_string(sorted[i]) + "\n";
  }
  if (sorted.size() > shown) {
    text += fmt::format("... and {} more\n", sorted.size() - shown);
  }
  return text;
}

}  // namespace scalesweep
