#include "cli/options/values/run_values.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <vector>

#include "config/quantity_text.hpp"
#include "core/failure.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && end == text.data() + text.size() && number >= 0;
  return whole ? std::optional(number) : std::nullopt;
}

// "03:55:00" and "1-12:00:00"; nothing for anything else.
std::optional<double> clock_seconds(const std::string& text) {
  const std::size_t dash = text.find('-');
  const std::optional<std::int64_t> days =
      dash == std::string::npos ? 0 : whole_number(text.substr(0, dash));
  const std::vector<std::string> parts =
      split(dash == std::string::npos ? text : text.substr(dash + 1), ':');
  if (!days || parts.size() != 3) {
    return std::nullopt;
  }
  const auto hours = whole_number(parts[0]);
  const auto minutes = whole_number(parts[1]);
  const auto seconds = whole_number(parts[2]);
  if (!hours || !minutes || !seconds || *minutes > 59 || *seconds > 59) {
    return std::nullopt;
  }
  return static_cast<double>(((*days * 24 + *hours) * 60 + *minutes) * 60 + *seconds);
}

}  // namespace

Shard parse_shard(const std::string& text) {
  const std::vector<std::string> parts = split(text, '/');
  Shard shard{0, 0};
  if (parts.size() == 2) {
    shard = {whole_number(parts[0]).value_or(0), whole_number(parts[1]).value_or(0)};
  }
  if (shard.number < 1 || shard.number > shard.count) {
    throw Failure(ExitCode::usage,
                  fmt::format("--shard {}: write which of how many, the first being 1, for example "
                              "--shard 3/16",
                              text));
  }
  return shard;
}

IdRange ids_of(const Shard& shard, std::int64_t points, std::int64_t chunk_rows) {
  const std::int64_t chunks = (points + chunk_rows - 1) / chunk_rows;
  const std::int64_t unit = chunks >= shard.count ? chunk_rows : 1;
  const std::int64_t units = (points + unit - 1) / unit;
  // The first `units % count` shards have one more; no product that could overflow.
  const auto begin = [&](std::int64_t before) {
    return units / shard.count * before + std::min(before, units % shard.count);
  };
  return {std::min(begin(shard.number - 1) * unit, points),
          std::min(begin(shard.number) * unit, points)};
}

double parse_time_limit(const std::string& text) {
  const std::optional<double> clock = clock_seconds(text);
  const double seconds =
      clock ? *clock : config::parse_quantity(text, config::Dimension::seconds).si.value_or(0.0);
  if (!(seconds > 0.0)) {
    throw Failure(
        ExitCode::usage,
        fmt::format("--time-limit {}: write a time with its unit, for example '55 min' or "
                    "'4 h', or as Slurm does, 03:55:00",
                    text));
  }
  return seconds;
}

store::Layout parse_layout(const std::string& text) {
  if (text == "merged") {
    return store::Layout::merged;
  }
  if (text == "virtual") {
    return store::Layout::by_segment;
  }
  const std::vector<std::string> known = {"merged", "virtual"};
  throw Failure(ExitCode::usage,
                fmt::format("--layout {}: no such layout{}", text, suggestion(text, known)));
}

void check_place(const std::filesystem::path& output) {
  const auto refuse = [](const std::string& message) {
    throw Failure(ExitCode::cannot_create, message);
  };
  if (std::filesystem::is_directory(output)) {
    refuse(fmt::format("{} is a folder; name a file in it, for example -o {}", output.string(),
                       (output / "study.h5").string()));
  }
  const std::filesystem::path folder = output.parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder)) {
    refuse(
        fmt::format("cannot write {}: there is no folder {}; make it with 'mkdir -p {}' or "
                    "choose another place with -o",
                    output.string(), folder.string(), folder.string()));
  }
}

}  // namespace scalesweep::cli
