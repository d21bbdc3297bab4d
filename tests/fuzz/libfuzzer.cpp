// One target under libFuzzer; SCALESWEEP_FUZZ_TARGET says which. With SCALESWEEP_FUZZ_WORDS it
// writes what inputs of it are made of to that file, as a dictionary; --list tells the targets.
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <string>

#include "fuzz/targets.hpp"

namespace {

using scalesweep::fuzz::Target;

// Sanitizers take some of the second that an input may take.
constexpr double most_seconds = 5.0;

const Target* chosen = nullptr;
double longest_s = 0.0;

double cpu_seconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// A child that dies of a file is what trials are for, and none of libFuzzer's findings.
void leave_to_the_child() {
  __sanitizer_set_death_callback(nullptr);
  for (const int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGXCPU}) {
    std::signal(signal, SIG_DFL);
  }
}

void write_words(const char* path) {
  std::ofstream file(path);
  for (const std::string& word :
       chosen->words == nullptr ? std::vector<std::string>() : chosen->words()) {
    if (word.empty()) {
      continue;  // libFuzzer takes none
    }
    std::string line;
    for (const char c : word) {
      char escaped[5];
      std::snprintf(escaped, sizeof escaped, "\\x%02X", static_cast<unsigned char>(c));
      line += escaped;
    }
    file << '"' << line << "\"\n";
  }
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): libFuzzer calls them so
extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc > 1 && std::string((*argv)[1]) == "--list") {
    scalesweep::fuzz::print_targets();
    std::exit(0);
  }
  const char* name = std::getenv("SCALESWEEP_FUZZ_TARGET");
  chosen = name == nullptr ? nullptr : scalesweep::fuzz::find_target(name);
  if (chosen == nullptr) {
    std::fputs("SCALESWEEP_FUZZ_TARGET is none of those of --list\n", stderr);
    std::exit(64);
  }
  if (const char* words = std::getenv("SCALESWEEP_FUZZ_WORDS")) {
    write_words(words);
    std::exit(0);
  }
  chosen->run({});  // what is loaded once counts for no input
  pthread_atfork(nullptr, nullptr, leave_to_the_child);
  std::atexit([] { std::fprintf(stderr, "longest input: %.6f s\n", longest_s); });
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const scalesweep::fuzz::Bytes input(data, std::min(size, chosen->longest));
  const auto begin = std::chrono::steady_clock::now();
  chosen->run(input);
  const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
  if (passed.count() <= longest_s) {
    return 0;
  }
  // Others may have had the processor meanwhile. Its own clock is asked for rarely, as that takes
  // longer than some inputs do.
  const double before = cpu_seconds();
  chosen->run(input);
  const double taken = cpu_seconds() - before;
  longest_s = std::max(longest_s, taken);
  if (taken > most_seconds) {
    std::fprintf(stderr, "the input takes %.3f s\n", taken);
    std::abort();
  }
  return 0;
}
// NOLINTEND(readability-identifier-naming)
