// scalesweep help SUBJECT [TABLE]: every key of a spec or of a catalog file, from the rows that
// they are read by.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "catalog/keys/catalog_keys.hpp"
#include "cli/options/command.hpp"
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

}  // namespace

Command help_command() {
  Command command("help", "Every key of a spec or of a catalog file");
  auto subject = std::make_shared<std::string>();
  auto table = std::make_shared<std::string>();
  auto schema = std::make_shared<bool>(false);
  command.operand("subject", *subject, "spec|catalog", "Of which sort of file",
                  "'spec' or 'catalog'", "help spec");
  command.option("table", *table, "TABLE", "Of this table only: workload, system, device, ...");
  command.flag("--json-schema", *schema, "As a JSON schema, for editors of TOML");

  command.body = [subject, table, schema](const Streams& streams) {
    const bool spec = *subject == "spec";
    if (!spec && *subject != "catalog") {
      const std::vector<std::string> subjects = {"spec", "catalog"};
      throw Failure(ExitCode::usage,
                    fmt::format("no help on '{}'{}", *subject, suggestion(*subject, subjects)));
    }
    if (*schema) {
      fmt::print(streams.out, "{}", spec ? space::spec_schema() : catalog::catalog_schema());
    } else {
      print_keys(spec ? space::spec_book() : catalog::catalog_book(), *table, streams);
    }
    return ExitCode::ok;
  };
  return command;
}

}  // namespace scalesweep::cli
