// Options as text: command lines, and files in the languages that frameworks read.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "deploy/deployment.hpp"

namespace scalesweep::deploy {

enum class Language : std::uint8_t { toml, yaml, json };

// Of the options in a file, whose names are paths ("parallelism.tensor_parallel_degree").
std::string document(std::span<const Flag> flags, Language language);

// `program` behind the variables of its environment, and the options of the command line, one a
// line, continued by backslashes.
std::string command_line(const std::string& program, std::span<const Flag> flags);

// The value of an option as a word of a shell; "$NAME" and "${NAME:-value}" stay variables.
std::string option_word(const std::string& value);

// What a value is in a document: a number, a truth, a list or a text.
enum class ValueKind : std::uint8_t { number, truth, list, text };
ValueKind kind_of(const std::string& value);

// All of it as a script that can be saved and run: notes as comments, files by `cat`, the command.
std::string script(const Deployment& deployment);

}  // namespace scalesweep::deploy
