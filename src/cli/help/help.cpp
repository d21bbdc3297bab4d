// scalesweep help COMMAND: its page, and that of no command: the first one. help spec|catalog
// [TABLE]: every key of such a file, from the rows that they are read by. help --man: all pages.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "catalog/keys/catalog_keys.hpp"
#include "cli/help/manual.hpp"
#include "cli/options/command.hpp"
#include "cli/options/parse.hpp"
#include "cli/output/terminal.hpp"
#include "core/text.hpp"
#include "space/keys/spec_book.hpp"

namespace scalesweep::cli {
namespace {

constexpr std::size_t width = 80;

// `text` at a margin, broken between words, without the marks of Markdown.
std::string indented(std::string text, std::size_t margin) {
  std::erase(text, '`');
  std::string lines;
  for (const std::string& line : split(wrapped(text, width - margin), '\n')) {
    lines += std::string(margin, ' ') + line + "\n";
  }
  return lines;
}

void print_entry(const config::KeyEntry& entry, const Streams& streams) {
  const config::Key& key = *entry.key;
  constexpr std::size_t margin = 6;
  const std::string example = key.example.empty() ? "" : fmt::format(" = {}", key.example);
  const std::string standard = config::fallback_text(key);
  const bool required = key.need == config::Need::required;
  fmt::print(streams.out, "{}{}{}\n", indented(entry.name + example, 2),
             indented(config::type_text(key) + (key.list ? ", one or a list" : "") +
                          (standard.empty() ? ""
                           : required       ? "; " + standard
                                            : "; default: " + standard),
                      margin),
             indented(config::description_text(entry), margin));
}

// Without a table, all of them.
void print_keys(const config::KeyBook& book, const std::string& table, const Streams& streams) {
  std::vector<std::string> names;
  bool found = false;
  for (const config::KeyGroup& group : book.groups) {
    const std::string own(group.table.substr(0, group.table.find('.')));
    names.push_back(own.empty() ? std::string(group.name) : own);
    if (!table.empty() && table != names.back() && table != group.table && table != group.name) {
      continue;
    }
    found = true;
    fmt::print(streams.out, "{}\n", indented(std::string(group.title), 0));
    for (const config::KeyEntry& entry : config::entries_of(group, book)) {
      print_entry(entry, streams);
    }
  }
  if (!found) {
    names.erase(std::unique(names.begin(), names.end()), names.end());
    throw Failure(ExitCode::usage, fmt::format("no table '{}'{}", table, suggestion(table, names)));
  }
}

const std::vector<std::string> files = {"spec", "catalog"};

struct HelpArguments {
  std::string subject;
  std::string table;
  std::string manual;
  bool schema = false;
};

void print_file(const HelpArguments& arguments, const Streams& streams) {
  const bool spec = arguments.subject == "spec";
  if (arguments.schema) {
    fmt::print(streams.out, "{}", spec ? space::spec_schema() : catalog::catalog_schema());
  } else {
    print_keys(spec ? space::spec_book() : catalog::catalog_book(), arguments.table, streams);
  }
}

// Over what an earlier version wrote there.
void write_manual(const std::filesystem::path& folder, const Program& program) {
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  for (const ManualPage& page : manual_pages(program)) {
    std::ofstream file(folder / page.file);
    file << page.text;
    if (!file.flush()) {
      throw Failure(ExitCode::cannot_create,
                    fmt::format("--man {}: '{}' cannot be written there; name a folder that you "
                                "may write to",
                                folder.string(), page.file));
    }
  }
}

// The page of a command, and of none the first one.
std::string page(const std::string& subject, const Program& program) {
  if (subject.empty()) {
    return help_text(program);
  }
  for (const Command* command : commands_of(program)) {
    if (command->name() == subject) {
      return help_text(*command);
    }
  }
  std::vector<std::string> subjects = command_names(program);
  subjects.insert(subjects.begin(), files.begin(), files.end());
  throw Failure(ExitCode::usage,
                fmt::format("no help on '{}'{}", subject, suggestion(subject, subjects)));
}

ExitCode print_help(const HelpArguments& arguments, const Program& program,
                    const Streams& streams) {
  const bool of_file = std::find(files.begin(), files.end(), arguments.subject) != files.end();
  if (!of_file && (arguments.schema || !arguments.table.empty())) {
    throw Failure(ExitCode::usage,
                  "tables and schemas are of files; write 'scalesweep help spec' or 'scalesweep "
                  "help catalog'");
  }
  if (!arguments.manual.empty()) {
    write_manual(arguments.manual, program);
  } else if (of_file) {
    print_file(arguments, streams);
  } else {
    fmt::print(streams.out, "{}", page(arguments.subject, program));
  }
  return ExitCode::ok;
}

}  // namespace

Command help_command(const Program& program) {
  Command command("help", "A page on a command, or every key of a spec or of a catalog file");
  auto arguments = std::make_shared<HelpArguments>();
  command.option("subject", arguments->subject, "SUBJECT",
                 "A command, 'spec' or 'catalog' (default: the first page)");
  command.option("table", arguments->table, "TABLE",
                 "Of this table of a file only: workload, system, device, ...");
  command.flag("--json-schema", arguments->schema, "As a JSON schema, for editors of TOML");
  command.option("--man", arguments->manual, "FOLDER",
                 "Write the manual pages of all commands into this folder");
  std::vector<std::string> subjects = command_names(program);
  subjects.insert(subjects.begin(), files.begin(), files.end());
  command.choices("subject", subjects);
  command.body = [&program, arguments](const Streams& streams) {
    return print_help(*arguments, program, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
