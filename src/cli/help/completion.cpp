#include "cli/help/completion.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <map>

#include "core/documents/shell.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

// What may stand for a value: words, or files by what the type of the option is called in help.
enum class Offer { nothing, words, specs, studies, folders, files };

Offer offer_of(const OptionFacts& option) {
  static const std::map<std::string, Offer> by_type = {
      {"SPEC", Offer::specs},    {"FILE", Offer::files},     {"FILE...", Offer::studies},
      {"HTML", Offer::files},    {"OUT.h5", Offer::studies}, {"A.h5", Offer::studies},
      {"B.h5", Offer::studies},  {"FOLDER", Offer::folders}, {"PLACE", Offer::files},
      {"STUDY", Offer::studies}, {"CASES...", Offer::files}};
  if (!option.choices.empty()) {
    return Offer::words;
  }
  const auto found = by_type.find(option.type);
  if (found == by_type.end()) {
    return Offer::nothing;
  }
  // As an operand, FILE is a study.
  return option.names.empty() && option.type == "FILE" ? Offer::studies : found->second;
}

// Of the operands the first stands for all: commands take one sort of them.
OptionFacts operand_of(const Command& command) {
  for (const OptionFacts& option : command.options()) {
    if (option.names.empty()) {
      return option;
    }
  }
  return {};
}

// A file name ends in one of these; "" for any.
std::string ending_of(Offer offer) {
  return offer == Offer::specs ? "toml" : offer == Offer::studies ? "h5" : "";
}

std::string bash_offer(const OptionFacts& option) {
  switch (const Offer offer = offer_of(option)) {
    case Offer::nothing:
      return ":";
    case Offer::words:
      return fmt::format("_scalesweep_words '{}'", join(option.choices, " "));
    case Offer::folders:
      return "_scalesweep_files -d ''";
    default:
      return fmt::format("_scalesweep_files -f '{}'", ending_of(offer));
  }
}

constexpr const char* bash_begin = R"(# bash completion of scalesweep
_scalesweep_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word"); }

# _scalesweep_files -f|-d ENDING: such files, and the folders that may hold them.
_scalesweep_files() {
  compopt -o filenames
  local name
  COMPREPLY=()
  while IFS= read -r name; do
    if [[ -d $name || ( $1 == -f && ( -z $2 || $name == *.$2 ) ) ]]; then COMPREPLY+=("$name"); fi
  done < <(compgen "$1" -- "$word")
}

_scalesweep() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  if ((COMP_CWORD == 1)); then
)";

std::string bash_script(const Program& program) {
  std::string text = bash_begin;
  text += fmt::format("    _scalesweep_words '{} --help --version'\n    return\n  fi\n",
                      join(command_names(program), " "));
  text += "  case ${COMP_WORDS[1]} in\n";
  for (const Command* command : commands_of(program)) {
    std::vector<std::string> names;
    text += fmt::format("    {})\n      case $before in\n", command->name());
    for (const OptionFacts& option : command->options()) {
      names.insert(names.end(), option.names.begin(), option.names.end());
      if (!option.names.empty() && !option.type.empty()) {
        text += fmt::format("        {}) {}; return ;;\n", join(option.names, " | "),
                            bash_offer(option));
      }
    }
    text += fmt::format(
        "      esac\n      if [[ $word == -* ]]; then _scalesweep_words '{}'; else {}; fi\n"
        "      ;;\n",
        join(names, " "), bash_offer(operand_of(*command)));
  }
  return text + "  esac\n}\n\ncomplete -F _scalesweep scalesweep\n";
}

// In single quotes, for what stands between brackets or after a colon.
std::string zsh_words(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe +=
        c == '[' || c == ']' || c == ':' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return safe;
}

std::string zsh_offer(const OptionFacts& option) {
  switch (const Offer offer = offer_of(option)) {
    case Offer::nothing:
      return " ";
    case Offer::words:
      return fmt::format("({})", join(option.choices, " "));
    case Offer::folders:
      return "_files -/";
    default: {
      const std::string ending = ending_of(offer);
      return ending.empty() ? "_files" : fmt::format("_files -g \"*.{}(-.)\"", ending);
    }
  }
}

std::string zsh_option(const OptionFacts& option) {
  std::string specs;
  const std::string all = join(option.names, " ");
  for (const std::string& name : option.names) {
    const std::string value =
        option.type.empty() ? "" : fmt::format(":{}:{}", zsh_words(option.type), zsh_offer(option));
    specs += fmt::format(
        " \\\n        {}",
        shell_quoted(fmt::format("({}){}[{}]{}", all, name, zsh_words(option.description), value)));
  }
  return specs;
}

std::string zsh_script(const Program& program) {
  std::string text =
      "#compdef scalesweep\n# zsh completion of scalesweep\n_scalesweep() {\n"
      "  local -a commands=(";
  for (const Command* command : commands_of(program)) {
    text += fmt::format("\n    {}", shell_quoted(fmt::format("{}:{}", command->name(),
                                                             zsh_words(command->description()))));
  }
  text +=
      "\n  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
      "  shift words\n  ((CURRENT--))\n  case ${words[1]} in\n";
  for (const Command* command : commands_of(program)) {
    text += fmt::format("    {})\n      _arguments", command->name());
    for (const OptionFacts& option : command->options()) {
      text += zsh_option(option);
    }
    const OptionFacts operand = operand_of(*command);
    if (!operand.type.empty()) {
      text += fmt::format(
          " \\\n        {}",
          shell_quoted(fmt::format("*:{}:{}", zsh_words(operand.type), zsh_offer(operand))));
    }
    text += "\n      ;;\n";
  }
  return text + "  esac\n}\n\ncompdef _scalesweep scalesweep\n";
}

// Between single quotes, where fish knows escapes of the quote and of the backslash.
std::string fish_quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    safe += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  }
  return "'" + safe + "'";
}

constexpr std::string_view any_file = " -F";

std::string fish_offer(const OptionFacts& option) {
  switch (const Offer offer = offer_of(option)) {
    case Offer::nothing:
      return "";
    case Offer::words:
      return fmt::format(" -a {}", fish_quoted(join(option.choices, " ")));
    case Offer::folders:
      return " -a '(__fish_complete_directories)'";
    default: {
      const std::string ending = ending_of(offer);
      return ending.empty() ? std::string(any_file)
                            : fmt::format(" -a '(__fish_complete_suffix .{})'", ending);
    }
  }
}

std::string fish_script(const Program& program) {
  std::string text = "# fish completion of scalesweep\ncomplete -c scalesweep -f\n";
  for (const Command* command : commands_of(program)) {
    text += fmt::format("complete -c scalesweep -n __fish_use_subcommand -a {} -d {}\n",
                        command->name(), fish_quoted(command->description()));
    const std::string begin =
        fmt::format("complete -c scalesweep -n '__fish_seen_subcommand_from {}'", command->name());
    for (const OptionFacts& option : command->options()) {
      std::string names;
      for (const std::string& name : option.names) {
        names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      }
      const std::string offer = fish_offer(option);
      const bool takes_value = !option.type.empty() && !option.names.empty();
      // fish refuses an option that takes no files (-x) and offers all of them (-F).
      const std::string value = !takes_value ? "" : offer == any_file ? " -r" : " -x";
      if (!names.empty() || offer_of(option) != Offer::nothing) {
        text += fmt::format("{}{}{}{} -d {}\n", begin, names, value, offer,
                            fish_quoted(option.description));
      }
    }
  }
  return text;
}

}  // namespace

const std::vector<std::string>& shells() {
  static const std::vector<std::string> names = {"bash", "zsh", "fish"};
  return names;
}

std::string completion_script(const Program& program, const std::string& shell) {
  return shell == "bash"  ? bash_script(program)
         : shell == "zsh" ? zsh_script(program)
                          : fish_script(program);
}

Command completion_command(const Program& program) {
  Command command("completion", "A script by which a shell completes scalesweep's commands");
  auto shell = std::make_shared<std::string>();
  command.operand("shell", *shell, "SHELL", "bash, zsh or fish", "the shell",
                  "completion bash > ~/.local/share/bash-completion/completions/scalesweep");
  command.choices("shell", shells());
  command.body = [&program, shell](const Streams& streams) {
    const std::vector<std::string>& known = shells();
    if (std::find(known.begin(), known.end(), *shell) == known.end()) {
      throw Failure(ExitCode::usage,
                    fmt::format("no completion for '{}'{}", *shell, suggestion(*shell, known)));
    }
    fmt::print(streams.out, "{}", completion_script(program, *shell));
    return ExitCode::ok;
  };
  return command;
}

}  // namespace scalesweep::cli
