#include "analysis/show/figures.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/failure.hpp"
#include "core/text.hpp"

// NOLINTNEXTLINE(readability-redundant-declaration): POSIX leaves it to the program.
extern char** environ;

namespace scalesweep::analysis {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view note_prefix = "note: ";  // of figures.py, on its standard output

constexpr int modules_missing = 69;  // exit status of figures.py (EX_UNAVAILABLE)

struct ProcessResult {
  bool started = false;
  int status = -1;  // exit status; -1 if it died by a signal
  std::string output;
  std::string errors;
};

// A pipe whose ends close themselves.
struct Pipe {
  std::array<int, 2> ends{-1, -1};
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      ends = {-1, -1};
    }
  }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(std::size_t end) {
    if (ends[end] >= 0) {
      ::close(ends[end]);
      ends[end] = -1;
    }
  }
};

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
    if (got > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(got));
    } else if (got == 0 || errno != EINTR) {
      return text;
    }
  }
}

// Runs a program with both of its streams in one text each. Errors go through a file, so that
// neither stream can fill up while the other is read.
ProcessResult run_process(const std::vector<std::string>& arguments) {
  ProcessResult result;
  Pipe output;
  std::FILE* errors = std::tmpfile();
  if (errors == nullptr || output.ends[0] < 0) {
    if (errors != nullptr) {
      std::fclose(errors);
    }
    return result;
  }
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv;
  for (std::string& argument : copies) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ::fileno(errors), STDERR_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  output.close_end(1);
  if (failed == 0) {
    result.started = true;
    result.output = read_all(output.ends[0]);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    std::rewind(errors);
    result.errors = read_all(::fileno(errors));
  }
  std::fclose(errors);
  return result;
}

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
