#include "publish/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/failure.hpp"
#include "core/hash.hpp"
#include "core/host/parallel.hpp"
#include "core/text.hpp"

namespace scalesweep::publish {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t hash_digits = 64;
constexpr std::string_view between = "  ";

bool is_hash(std::string_view text) {
  return text.size() == hash_digits && std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

// A name that stays inside of the folder.
bool is_inside(std::string_view name) {
  const fs::path path(name);
  return !name.empty() && path.is_relative() &&
         std::find(path.begin(), path.end(), "..") == path.end();
}

}  // namespace

std::string manifest_text(const Manifest& manifest) {
  std::string text;
  for (const auto& [name, hash] : manifest) {
    text += fmt::format("{}{}{}\n", hash, between, name);
  }
  return text;
}

Manifest parse_manifest(const fs::path& file, const std::string& text) {
  Manifest manifest;
  std::vector<std::string> lines = split(text, '\n');
  if (!lines.empty() && lines.back().empty()) {
    lines.pop_back();
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    const std::size_t name_at = hash_digits + between.size();
    const bool has_parts = line.size() > name_at && is_hash(line.substr(0, hash_digits)) &&
                           line.substr(hash_digits, between.size()) == between;
    if (!has_parts || !is_inside(line.substr(name_at)) ||
        !manifest.emplace(line.substr(name_at), line.substr(0, hash_digits)).second) {
      refuse(
          fmt::format("{}:{}: it is no line of a manifest, which has a SHA-256, two blanks and the "
                      "name of a file, each once; take the file from where it was published",
                      file.string(), i + 1));
    }
  }
  return manifest;
}

std::string sha256_of_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    throw Failure(ExitCode::no_input, fmt::format("{}: {}", path.string(), std::strerror(errno)));
  }
  constexpr std::size_t piece = std::size_t{1} << 20;
  std::string buffer(piece, '\0');
  Sha256 hash;
  while (in.read(buffer.data(), static_cast<std::streamsize>(piece)) || in.gcount() > 0) {
    hash.add({buffer.data(), static_cast<std::size_t>(in.gcount())});
  }
  if (in.bad()) {
    throw Failure(ExitCode::io, fmt::format("{} cannot be read", path.string()));
  }
  return hash.digest();
}

std::vector<std::string> files_in(const fs::path& folder, std::vector<std::string>& others) {
  std::vector<std::string> names;
  std::error_code unreadable;
  const fs::recursive_directory_iterator entries(folder, unreadable);
  if (unreadable) {
    throw Failure(ExitCode::io, fmt::format("{}: {}", folder.string(), unreadable.message()));
  }
  for (const fs::directory_entry& entry : entries) {
    const std::string name = entry.path().lexically_relative(folder).generic_string();
    if (entry.is_symlink() || (!entry.is_regular_file() && !entry.is_directory())) {
      others.push_back(name);
    } else if (entry.is_regular_file() && name != manifest_name) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  std::sort(others.begin(), others.end());
  return names;
}

std::vector<std::string> compare_with(const fs::path& folder, const Manifest& manifest,
                                      std::size_t threads) {
  std::vector<std::string> others;
  const std::vector<std::string> there = files_in(folder, others);
  std::vector<std::string> problems;
  for (const std::string& name : others) {
    problems.push_back(
        fmt::format("{}: it is no plain file, of which a published folder is made; remove it",
                    (folder / name).string()));
  }
  for (const auto& [name, hash] : manifest) {
    if (!std::binary_search(there.begin(), there.end(), name)) {
      problems.push_back(fmt::format(
          "{}: it is missing; take it from where the data set was published, or publish "
          "the study again",
          (folder / name).string()));
    }
  }
  std::vector<std::string> found(there.size());
  std::vector<int> states(thread_count(threads));
  for_each_parallel(states, there.size(), [&](int&, std::size_t i) {
    const auto listed = manifest.find(there[i]);
    const std::string place = (folder / there[i]).string();
    if (listed == manifest.end()) {
      found[i] = fmt::format("{}: it is not in {}; remove it, or publish the study again", place,
                             manifest_name);
    } else if (sha256_of_file(folder / there[i]) != listed->second) {
      found[i] = fmt::format(
          "{}: its bytes are not those that were published (another SHA-256 than in {}); take it "
          "from where the data set was published, or publish the study again",
          place, manifest_name);
    }
  });
  std::copy_if(found.begin(), found.end(), std::back_inserter(problems),
               [](const std::string& problem) { return !problem.empty(); });
  return problems;
}

}  // namespace scalesweep::publish
