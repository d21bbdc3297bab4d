// Runs the targets on the inputs of the corpus and on inputs drawn from them, in any build.
//
//   fuzz_replay [--list] [--target NAME]... [--minutes N] [--seed S] [--corpus FOLDER]...
//               [--findings FOLDER] [FILE...]
//
// FILE is one input; its target is the name of its folder, or that of --target. With --minutes
// inputs are drawn so long, shared by the targets; without as many as the table says. The first
// finding ends the target: its input is saved and named, and the exit code is 1.
#include <unistd.h>
#include <ctime>

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "fuzz/mutations.hpp"
#include "fuzz/targets.hpp"

#ifdef SCALESWEEP_SANITIZED
// What a sanitizer sees ends the program by a signal, as all else does that ends it.
extern "C" const char* __asan_default_options();
extern "C" const char* __ubsan_default_options();
extern "C" const char* __asan_default_options() {
  return "abort_on_error=1";
}
extern "C" const char* __ubsan_default_options() {
  return "abort_on_error=1:print_stacktrace=1";
}
#endif

namespace scalesweep::fuzz {
namespace {

namespace fs = std::filesystem;

#ifdef SCALESWEEP_SANITIZED
constexpr int sanitizer_share = 10;  // of the inputs that are drawn, one of so many
constexpr double most_seconds = 5.0;
#else
constexpr int sanitizer_share = 1;
constexpr double most_seconds = 1.0;
#endif
constexpr unsigned hangs_after_s = 60;

struct Arguments {
  std::vector<const Target*> targets;
  std::vector<fs::path> files;
  std::vector<fs::path> corpora;
  fs::path findings = "fuzz-findings";
  double minutes = 0.0;  // 0: as many inputs as the table says
  std::uint64_t seed = 1;
};

// What is run now, for whoever finds the program dead.
const Target* current = nullptr;
const Input* current_input = nullptr;
char finding_path[4096];

void save(const char* path, const Input& input) {
  if (std::FILE* file = std::fopen(path, "wb")) {
    std::fwrite(input.data(), 1, input.size(), file);
    std::fclose(file);
  }
}

extern "C" void on_signal(int number) {
  if (current_input != nullptr) {
    save(finding_path, *current_input);
    std::fprintf(stderr, "%s: finding: signal %d; the input is %s\n", current->name.data(), number,
                 finding_path);
  }
  std::_Exit(1);
}

void catch_signals() {
  static char stack[1 << 16];  // the usual one may be what is full
  stack_t other = {};
  other.ss_sp = stack;
  other.ss_size = sizeof stack;
  sigaltstack(&other, nullptr);
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
#ifdef SCALESWEEP_SANITIZED
  const std::initializer_list<int> signals = {SIGABRT, SIGALRM};
#else
  const std::initializer_list<int> signals = {SIGABRT, SIGALRM, SIGSEGV, SIGFPE, SIGBUS, SIGILL};
#endif
  for (const int number : signals) {
    sigaction(number, &action, nullptr);
  }
}

double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Tally {
  std::int64_t inputs = 0;
  double seconds = 0.0;
  double longest_s = 0.0;
};

// Why an input is a finding; nothing if it is none.
std::optional<std::string> problem_of(const Target& target, const Input& input, Tally& tally) {
  current_input = &input;
  const double begin = cpu_seconds();
  std::optional<std::string> problem;
  try {
    target.run(input);
  } catch (const std::exception& error) {
    problem = error.what();
  } catch (...) {
    problem = "something was thrown that is no exception";
  }
  const double taken = cpu_seconds() - begin;
  current_input = nullptr;
  ++tally.inputs;
  tally.seconds += taken;
  tally.longest_s = std::max(tally.longest_s, taken);
  if (!problem && taken > most_seconds) {
    problem = "it takes " + std::to_string(taken) + " s";
  }
  return problem;
}

Input read_input(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path.c_str());
    std::exit(66);
  }
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// In the order of their names, so that a seed draws the same everywhere.
std::vector<Input> inputs_of(const Target& target, const std::vector<fs::path>& corpora) {
  std::vector<fs::path> paths;
  for (const fs::path& corpus : corpora) {
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(corpus / target.name, none)) {
      paths.push_back(entry.path());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Input> inputs;
  for (const fs::path& path : paths) {
    Input input = read_input(path);
    input.resize(std::min(input.size(), target.longest));
    inputs.push_back(std::move(input));
  }
  return inputs;
}

void begin(const Target& target, const Arguments& arguments) {
  current = &target;
  const fs::path folder = arguments.findings / target.name;
  fs::create_directories(folder);
  const std::string path = (folder / ("seed-" + std::to_string(arguments.seed))).string();
  std::snprintf(finding_path, sizeof finding_path, "%s", path.c_str());
  target.run({});  // what is loaded once counts for no input
}

bool told(const Target& target, const Input& input, const std::optional<std::string>& problem) {
  if (problem) {
    save(finding_path, input);
    std::fprintf(stderr, "%s: finding: %s; the input is %s\n", target.name.data(), problem->c_str(),
                 finding_path);
  }
  return problem.has_value();
}

// False where there is a finding.
bool replay(const Target& target, const Arguments& arguments) {
  begin(target, arguments);
  std::vector<Input> known = inputs_of(target, arguments.corpora);
  Tally tally;
  bool good = true;
  const auto run = [&](const Input& input) {
    alarm(hangs_after_s);
    good = !told(target, input, problem_of(target, input, tally));
    return good;
  };
  std::all_of(known.begin(), known.end(), run);
  const std::size_t in_corpus = known.size();
  known.emplace_back();
  Mutator mutator(arguments.seed,
                  target.words == nullptr ? std::vector<std::string>() : target.words(),
                  target.longest);
  const double end =
      cpu_seconds() + 60.0 * arguments.minutes / static_cast<double>(arguments.targets.size());
  const std::int64_t drawn = target.drawn / sanitizer_share;
  for (std::int64_t i = 0; good && (arguments.minutes > 0.0 ? cpu_seconds() < end : i < drawn);
       ++i) {
    run(mutator.draw(known));
  }
  alarm(0);
  std::printf("%-10s %10lld inputs (%zu of the corpus) %10.0f a second, the longest %.3f s\n",
              target.name.data(), static_cast<long long>(tally.inputs), in_corpus,
              static_cast<double>(tally.inputs) / std::max(tally.seconds, 1e-9), tally.longest_s);
  std::fflush(stdout);
  return good;
}

bool replay_file(const fs::path& path, const Arguments& arguments) {
  const std::string folder = fs::absolute(path).parent_path().filename().string();
  const Target* target =
      arguments.targets.size() == 1 ? arguments.targets.front() : find_target(folder);
  if (target == nullptr) {
    std::fprintf(stderr, "%s: whose input it is cannot be told; give --target\n", path.c_str());
    return false;
  }
  begin(*target, arguments);
  const Input input = read_input(path);
  Tally tally;
  const bool good = !told(*target, input, problem_of(*target, input, tally));
  std::printf("%s: %s, %.3f s\n", path.c_str(), good ? "no finding" : "a finding", tally.longest_s);
  return good;
}

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "fuzz_replay: %s\n", why.c_str());
  std::exit(64);
}

template <typename Number>
Number number_of(const std::string& option, const std::string& text) {
  Number number = {};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    stop(option + " needs a number, not '" + text + "'");
  }
  return number;
}

Arguments parsed(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (!option.starts_with("--")) {
      arguments.files.emplace_back(option);
      continue;
    }
    if (option == "--list") {
      print_targets();
      std::exit(0);
    }
    if (++i == argc) {
      stop(option + " needs a value");
    }
    const std::string value = argv[i];
    if (option == "--target") {
      arguments.targets.push_back(find_target(value));
      if (arguments.targets.back() == nullptr) {
        stop("there is no target '" + value + "'");
      }
    } else if (option == "--minutes") {
      arguments.minutes = number_of<double>(option, value);
    } else if (option == "--seed") {
      arguments.seed = number_of<std::uint64_t>(option, value);
    } else if (option == "--corpus") {
      arguments.corpora.emplace_back(value);
    } else if (option == "--findings") {
      arguments.findings = value;
    } else {
      stop("there is no option " + option);
    }
  }
  return arguments;
}

int replay_all(Arguments arguments) {
  catch_signals();
  bool good = true;
  for (const fs::path& file : arguments.files) {
    good = replay_file(file, arguments) && good;
  }
  if (!arguments.files.empty()) {
    return good ? 0 : 1;
  }
  if (arguments.targets.empty()) {
    for (const Target& target : targets()) {
      arguments.targets.push_back(&target);
    }
  }
  for (const Target* target : arguments.targets) {
    good = replay(*target, arguments) && good;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace scalesweep::fuzz

int main(int argc, char** argv) {
  return scalesweep::fuzz::replay_all(scalesweep::fuzz::parsed(argc, argv));
}
