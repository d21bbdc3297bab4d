// What reads files and texts of strangers, each as a function of bytes. Both drivers have this one
// list: fuzz_replay of every build, and libFuzzer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace scalesweep::fuzz {

using Bytes = std::span<const std::uint8_t>;

// Returns where the input is read or refused as it should be. What it throws, or dies of, is a
// finding.
using Run = void (*)(Bytes input);

// Each has a folder of inputs, corpus/NAME.
struct Target {
  std::string_view name;
  Run run = nullptr;
  std::size_t longest = 0;  // bytes of an input; of longer ones the beginning is taken
  int drawn = 0;            // inputs that fuzz_replay draws, of which sanitizers get a tenth
  std::string_view reads;   // what it is
  // What inputs are made of, for mutations; nullptr: bytes.
  std::vector<std::string> (*words)() = nullptr;
};

std::span<const Target> targets();
// Nothing if there is none of that name.
const Target* find_target(std::string_view name);
// To standard output, a line each: the name and the bytes of the longest input.
void print_targets();

// text_targets.cpp
void run_quantity(Bytes input);
void run_json(Bytes input);
void run_toml(Bytes input);
void run_csv(Bytes input);
std::vector<std::string> quantity_words();
std::vector<std::string> json_words();
std::vector<std::string> toml_words();
std::vector<std::string> csv_words();

// condition_targets.cpp
void run_filter(Bytes input);
void run_condition(Bytes input);
std::vector<std::string> filter_words();
std::vector<std::string> condition_words();

// file_targets.cpp
void run_spec(Bytes input);
void run_cases(Bytes input);
void run_trace(Bytes input);
void run_log(Bytes input);
void run_config(Bytes input);
void run_import(Bytes input);
std::vector<std::string> spec_words();
std::vector<std::string> cases_words();
std::vector<std::string> trace_words();
std::vector<std::string> log_words();
std::vector<std::string> config_words();
std::vector<std::string> import_words();

// evaluate_target.cpp
void run_evaluate(Bytes input);

// store_targets.cpp
void run_codec(Bytes input);
void run_study(Bytes input);
void run_segments(Bytes input);

}  // namespace scalesweep::fuzz
