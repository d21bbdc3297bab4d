#include "analysis/show/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/failure.hpp"
#include "core/host/process.hpp"
#include "core/text.hpp"

namespace scalesweep::analysis {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view note_prefix = "note: ";  // of figures.py, on its standard output

constexpr int modules_missing = 69;  // exit status of figures.py (EX_UNAVAILABLE)

// In the installation of the executable, or in the source tree that it was built from.
fs::path find_script(const fs::path& executable) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(executable, error).parent_path();
  const std::array<fs::path, 2> candidates = {
      folder.parent_path() / "share/scalesweep/analysis/figures.py",
      fs::path(SCALESWEEP_FIGURES_SCRIPT)};
  for (const fs::path& candidate : candidates) {
    if (fs::is_regular_file(candidate, error)) {
      return candidate;
    }
  }
  return {};
}

// Whether the script did its work or failed at it, rather than found no ground to stand on.
bool has_run(const ProcessResult& process) {
  return process.started && process.status != modules_missing;
}

std::string last_line(const std::string& text) {
  std::string last = "it gave no reason";
  for (const std::string& line : split(text, '\n')) {
    if (!trim(line).empty()) {
      last = trim(line);
    }
  }
  return last;
}

}  // namespace

std::vector<std::string> names_of_figures(bool is_default) {
  std::vector<std::string> names;
  for (const FigureName& figure : figure_names) {
    if (figure.is_default == is_default) {
      names.emplace_back(figure.name);
    }
  }
  return names;
}

std::vector<std::string> known_figures() {
  std::vector<std::string> names;
  for (const FigureName& figure : figure_names) {
    names.emplace_back(figure.name);
  }
  names.emplace_back(all_figures);
  return names;
}

void check_figures(const std::vector<std::string>& names) {
  const std::vector<std::string> known = known_figures();
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Failure(ExitCode::usage, fmt::format("--figures: there is no figure '{}'; known are {}",
                                                 name, join(known, ", ")));
    }
  }
}

FigureReport draw_figures(const fs::path& tables, const fs::path& folder,
                          const fs::path& executable, std::size_t processes,
                          const std::vector<std::string>& names,
                          const std::vector<std::string>& pythons) {
  FigureReport report;
  const fs::path script = find_script(executable);
  if (script.empty()) {
    report.problem = fmt::format(
        "the script figures.py is not where the installation of {} should have it "
        "(../share/scalesweep/analysis beside bin)",
        executable.string());
    return report;
  }
  const bool all = std::find(names.begin(), names.end(), all_figures) != names.end();
  const std::string wanted = all ? std::string(all_figures) : join(names, ",");
  ProcessResult drawn;
  for (auto python = pythons.begin(); python != pythons.end() && !has_run(drawn); ++python) {
    drawn = run_process({*python, script.string(), tables.string(), folder.string(),
                         std::to_string(processes), wanted});
  }
  if (!has_run(drawn)) {
    report.problem =
        "no python3 with numpy, h5py and matplotlib (Debian, Ubuntu: apt-get install python3-h5py "
        "python3-matplotlib; Fedora: dnf install python3-h5py python3-matplotlib)";
    return report;
  }
  if (drawn.status != 0) {
    report.problem = fmt::format("{} failed: {}", script.string(), last_line(drawn.errors));
    return report;
  }
  for (const std::string& line : split(drawn.output, '\n')) {
    if (line.starts_with(note_prefix)) {
      report.notes.push_back(line.substr(note_prefix.size()));
    } else if (!line.empty()) {
      report.files.emplace_back(line);
    }
  }
  return report;
}

}  // namespace scalesweep::analysis
