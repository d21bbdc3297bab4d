#include "cli/options/options.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>
#include <ostream>
#include <vector>

#include "core/text.hpp"
#include "study/identity.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

fs::path executable_folder() {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  return error ? fs::path() : executable.parent_path();
}

// `holds` for a number, which `words` describe.
template <typename Holds>
CLI::Validator number_check(Holds holds, const std::string& words) {
  const auto problem = [holds, words](const std::string& text) {
    double number = 0.0;
    const bool is_number = CLI::detail::lexical_cast(text, number);
    return is_number && holds(number) ? std::string()
                                      : fmt::format("{} is not a number {}", text, words);
  };
  return {problem, ""};
}

}  // namespace

std::shared_ptr<std::string> add_catalog_option(CLI::App& app) {
  auto folder = std::make_shared<std::string>();
  app.add_option("--catalog", *folder,
                 "Folder of technologies, devices, networks and models (default: "
                 "$SCALESWEEP_NODES, else the nodes that came with scalesweep)")
      ->type_name("FOLDER");
  return folder;
}

std::shared_ptr<Format> add_format_option(CLI::App& app, bool with_csv) {
  auto format = std::make_shared<Format>(Format::text);
  std::map<std::string, Format> words = {{"text", Format::text}, {"json", Format::json}};
  if (with_csv) {
    words.emplace("csv", Format::csv);
  }
  const std::string names = with_csv ? "text, json or csv" : "text or json";
  app.add_option_function<std::string>(
         "--format",
         [format, words, names](const std::string& word) {
           const auto found = words.find(word);
           if (found == words.end()) {
             throw CLI::ValidationError("--format", fmt::format("'{}' is not {}", word, names));
           }
           *format = found->second;
         },
         fmt::format("What to print on standard output: {} (default: text)", names))
      ->type_name("FORMAT");
  return format;
}

CLI::Validator at_least(int least) {
  return number_check([least](double number) { return number >= least; },
                      fmt::format("of {} or more", least));
}

CLI::Validator above_zero() {
  return number_check([](double number) { return number > 0.0; }, "above 0");
}

Required required_operand(CLI::Option* option, const std::string& what, const std::string& usage) {
  return {option, fmt::format("{} is missing; write 'scalesweep {}'", what, usage)};
}

fs::path find_catalog(const std::string& given) {
  if (!given.empty()) {
    if (!fs::is_directory(given)) {
      throw Failure(ExitCode::no_input,
                    fmt::format("--catalog {}: no such folder; give one like the nodes/ that comes "
                                "with scalesweep",
                                given));
    }
    return given;
  }
  if (const char* variable = std::getenv("SCALESWEEP_NODES"); variable && *variable != '\0') {
    if (!fs::is_directory(variable)) {
      throw Failure(
          ExitCode::no_input,
          fmt::format("SCALESWEEP_NODES={}: no such folder; set it to one like the nodes/ "
                      "that comes with scalesweep, or unset it",
                      variable));
    }
    return variable;
  }
  const std::vector<fs::path> candidates = {
      (executable_folder() / SCALESWEEP_NODES_FROM_BIN).lexically_normal(),
      fs::path(SCALESWEEP_SOURCE_NODES)};
  std::string looked;
  for (const fs::path& candidate : candidates) {
    if (fs::is_directory(candidate)) {
      return candidate;
    }
    looked += fmt::format("{}{}", looked.empty() ? "" : " and ", candidate.string());
  }
  throw Failure(ExitCode::no_input, fmt::format("no catalog found: looked at {}; name one with "
                                                "--catalog FOLDER or SCALESWEEP_NODES",
                                                looked));
}

std::optional<study::Study> load_study(const std::string& spec_file, const std::string& catalog,
                                       const Streams& streams) {
  Diagnostics diagnostics;
  std::optional<study::Study> study =
      study::Study::load(spec_file, find_catalog(catalog), diagnostics);
  fmt::print(streams.err, "{}", diagnostics.text());
  if (diagnostics.has_errors()) {
    fmt::print(streams.err, "scalesweep: {} mistake{}; nothing was run\n",
               diagnostics.error_count(), diagnostics.error_count() == 1 ? "" : "s");
    return std::nullopt;
  }
  return study;
}

std::string unverified_note(const study::Study& study) {
  constexpr std::size_t shown = 3;
  std::vector<std::string> names = study.unverified();
  if (names.empty()) {
    return "";
  }
  const std::size_t count = names.size();
  if (count > shown) {
    names.resize(shown);
    names.push_back(fmt::format("and {} more", count - shown));
  }
  return fmt::format(
      "note: {} of the {} catalog values used are unverified ({}); 'scalesweep catalog show NAME' "
      "tells their sources\n",
      count, study::value_count(study.entries()), join(names, ", "));
}

}  // namespace scalesweep::cli
