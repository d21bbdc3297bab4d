#include "text_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <stdexcept>

#include "cli/application.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "support/temporary_folder.hpp"

namespace scalesweep::cases {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view case_mark = "== ";
constexpr std::string_view folder_mark = "{}";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
  }
  return lines;
}

std::string without_folder(std::string text, const std::string& folder) {
  for (const std::string& name : {folder + "/", folder}) {
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
      text.erase(at, name.size());
    }
  }
  return text;
}

// One file of cases, line by line.
class Reader {
 public:
  explicit Reader(CaseFile& file) : file_(file) {}

  void read() {
    for (at_ = 0; at_ < file_.lines.size(); ++at_) {
      const std::string& line = file_.lines[at_];
      if (line.starts_with(case_mark)) {
        begin(line.substr(case_mark.size()));
      } else if (!line.empty() && line[0] != '#') {
        file_.cases.empty() ? read_head(line) : read_line(line);
      }
    }
    if (file_.cases.empty()) {
      fail("no case: a line '== TITLE' begins one");
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error(fmt::format("{}:{}: {}", file_.path.string(), at_ + 1, what));
  }

  TextCase& last() { return file_.cases.back(); }

  void begin(const std::string& title) {
    TextCase& one = file_.cases.emplace_back();
    one.title = title;
    one.first_line = one.said_line = one.end_line = at_;
    name_ = file_.bases.empty() ? "" : file_.bases.front().first;
    adds_ = false;
  }

  // "file NAME from PATH", beside this file; "$ COMMAND".
  void read_head(const std::string& line) {
    const std::vector<std::string> words = split(line, ' ');
    if (words.size() == 4 && words[0] == "file" && words[2] == "from") {
      file_.bases.emplace_back(words[1], file_.path.parent_path() / words[3]);
    } else if (line.starts_with("$ ")) {
      file_.command = line.substr(2);
    } else {
      fail("before the first case stand 'file NAME from PATH', '$ COMMAND' and comments");
    }
  }

  void read_line(const std::string& line) {
    const std::string rest = line.size() > 2 ? line.substr(2) : "";
    switch (line[0]) {
      case '@':
        name_ = rest;
        adds_ = false;
        break;
      case '-':
        take_away(rest);
        break;
      case '+':
        put(rest);
        break;
      case '$':
        last().command = rest;
        break;
      case '>':
        last().said.push_back(rest);
        expect();
        break;
      case '?':
        last().code = std::stoi(rest);
        expect();
        break;
      default:
        fail("a line of a case begins with -, +, @, $, > or ?");
    }
  }

  void expect() {
    if (last().said_line == last().first_line) {
      last().said_line = at_;
    }
    last().end_line = at_ + 1;
  }

  void take_away(const std::string& text) {
    std::vector<Edit>& edits = last().edits;
    if (edits.empty() || adds_ || !edits.back().from || edits.back().file != name_) {
      edits.push_back({name_, text, ""});
    } else {
      *edits.back().from += "\n" + text;
    }
    adds_ = false;
  }

  void put(const std::string& text) {
    std::vector<Edit>& edits = last().edits;
    const bool goes_on = !edits.empty() && edits.back().file == name_ &&
                         (adds_ || (edits.back().from && edits.back().to.empty()));
    if (!goes_on) {
      edits.push_back({name_, std::nullopt, ""});
    }
    std::string& to = edits.back().to;
    to += adds_ && goes_on && edits.back().from ? "\n" + text : text;
    to += edits.back().from ? "" : "\n";
    adds_ = true;
  }

  CaseFile& file_;
  std::size_t at_ = 0;
  std::string name_;   // of the file that is changed
  bool adds_ = false;  // the line before was added
};

void apply(const Edit& edit, const fs::path& path) {
  std::string text = fs::exists(path) ? read_file(path) : "";
  if (!edit.from) {
    text += edit.to;
  } else {
    const std::size_t at = text.find(*edit.from);
    if (at == std::string::npos) {
      throw std::runtime_error(fmt::format("{} has no '{}'", edit.file, *edit.from));
    }
    text.replace(at, edit.from->size(), edit.to);
  }
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

CaseFile read_cases(const fs::path& path) {
  CaseFile file;
  file.path = path;
  file.lines = lines_of(read_file(path));
  Reader(file).read();
  return file;
}

Seen run_case(const CaseFile& file, const TextCase& one) {
  const test::TemporaryFolder folder;
  for (const auto& [name, base] : file.bases) {
    fs::copy_file(base, folder / name);
  }
  for (const Edit& edit : one.edits) {
    apply(edit, folder / edit.file);
  }
  std::vector<std::string> words = split(one.command.empty() ? file.command : one.command, ' ');
  for (std::string& word : words) {
    if (word.starts_with(folder_mark)) {
      word.replace(0, folder_mark.size(), folder.path().string());
    }
  }
  std::ostringstream out;
  std::ostringstream err;
  Seen seen;
  seen.code = cli::run(words, out, err);
  seen.said = lines_of(without_folder(err.str() + out.str(), folder.path().string()));
  return seen;
}

std::string with_seen(const CaseFile& file, const std::vector<Seen>& seen) {
  std::string text;
  std::size_t line = 0;
  const auto copy_to = [&](std::size_t end) {
    for (; line < end; ++line) {
      text += file.lines[line] + "\n";
    }
  };
  for (std::size_t i = 0; i < file.cases.size(); ++i) {
    const TextCase& one = file.cases[i];
    if (one.said_line > one.first_line) {
      copy_to(one.said_line);
    } else {  // nothing was expected so far
      const std::size_t next =
          i + 1 < file.cases.size() ? file.cases[i + 1].first_line : file.lines.size();
      std::size_t end = next;
      while (end > one.first_line + 1 && file.lines[end - 1].empty()) {
        --end;
      }
      copy_to(end);
    }
    for (const std::string& said : seen[i].said) {
      text += said.empty() ? ">\n" : "> " + said + "\n";
    }
    text += seen[i].code == 0 ? "" : fmt::format("? {}\n", seen[i].code);
    line = std::max(line, one.end_line);
  }
  copy_to(file.lines.size());
  return text;
}

}  // namespace scalesweep::cases
