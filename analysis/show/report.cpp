#include "analysis/show/report.hpp"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <system_error>

#include "core/documents/escapes.hpp"
#include "core/failure.hpp"
#include "core/host/files.hpp"
#include "store/read/reader.hpp"

namespace scalesweep::analysis {
namespace {

namespace fs = std::filesystem;

// In the head of every page: what tells a report from any other file.
constexpr std::string_view signature = "<meta name=\"generator\" content=\"scalesweep report\">";
constexpr std::string_view title_place = "<title>scalesweep report</title>";
constexpr std::string_view data_place = "{\"data\":\"here\"}";
constexpr std::size_t head_bytes = 1024;  // the signature lies within

void replace_once(std::string& page, std::string_view place, std::string_view text) {
  const std::size_t at = page.find(place);
  if (at == std::string::npos) {
    throw std::logic_error("the page of the report has no place for its data");
  }
  page.replace(at, place.size(), text);
}

bool is_report(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  std::string head(head_bytes, '\0');
  stream.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.find(signature) != std::string::npos;
}

}  // namespace

SourceTexts source_texts(const fs::path& study) {
  const store::StudyReader reader(study, store::Unfinished::read);
  SourceTexts texts;
  // Hosts, folders and variables of who ran it stay in the study file: a report is passed around.
  constexpr std::array<std::string_view, 6> quoted = {"catalog",   "estimator", "ranks",
                                                      "spec_file", "started",   "version"};
  for (const auto& [name, text] : reader.provenance()) {
    if (name == "spec") {
      texts.spec = text;
    } else if (name == "command") {
      texts.command = text;
    } else if (name == "environment") {
      texts.environment = text;
    }
    for (const std::string_view known : quoted) {
      if (name == known) {
        texts.provenance[name] = name == "spec_file" ? fs::path(text).filename().string() : text;
      }
    }
  }
  return texts;
}

std::string report_html(const AnalysisResult& result, const SourceTexts& texts,
                        const std::vector<std::string>& commands, const std::string& explanations) {
  std::string page(report_page());
  if (page.empty()) {
    throw Failure(ExitCode::report_unavailable,
                  fmt::format("this program was built without the HTML report: {}; install npm, "
                              "give it access to its registry, and run cmake and the build again "
                              "('scalesweep analyze' makes tables and figures without it)",
                              report_problem()));
  }
  const std::string title =
      result.source.title.empty() ? result.source.file.stem().string() : result.source.title;
  replace_once(page, title_place, fmt::format("<title>{}</title>", xml_text(title)));
  replace_once(page, data_place,
               report_data(result, texts, commands, most_table_bytes, explanations));
  return page;
}

fs::path default_report(const fs::path& study) {
  return study.parent_path() / (study.stem().string() + ".html");
}

void write_report(const std::string& html, const fs::path& file) {
  std::error_code error;
  if (fs::exists(file, error) && !is_report(file)) {
    throw Failure(ExitCode::cannot_create,
                  fmt::format("{} stands in the way: it is no report of scalesweep; move it or "
                              "choose another name with -o",
                              file.string()));
  }
  write_file_durably(file, html);
}

}  // namespace scalesweep::analysis
