// scalesweep explain STUDY --point ID | --set axis=value ...: every term of one estimate.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include "cli/explain/compare.hpp"
#include "cli/explain/explain_report.hpp"
#include "cli/explain/trace/trace.hpp"
#include "cli/options/given_study.hpp"
#include "cli/options/options.hpp"
#include "cli/options/values/numbers.hpp"
#include "cli/output/terminal.hpp"
#include "core/text.hpp"
#include "study/resolve/choose.hpp"

namespace scalesweep::cli {
namespace {

struct ExplainArguments {
  std::string study;
  PointId point = 0;
  std::vector<std::string> settings;
  std::string against;
  PointId against_point = 0;
  std::string trace;
  bool force = false;
};

// Which options were there, and those that every command has.
struct Asked {
  bool by_id = false;
  bool against_point = false;
  CatalogChoice catalog;
  Format format = Format::text;
};

Failure usage(const std::string& message) {
  return Failure(ExitCode::usage, message);
}

std::vector<study::Setting> parse_settings(const std::vector<std::string>& words) {
  std::vector<study::Setting> settings;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw usage(fmt::format("--set {}: write NAME=VALUE, for example --set logic=N7", word));
    }
    settings.push_back(
        {std::string(trim(word.substr(0, equals))), std::string(trim(word.substr(equals + 1)))});
  }
  return settings;
}

// Of an id in the file, or in the study where it is that of a spec.
PointId checked(PointId in_file, const GivenStudy& source, std::string_view option) {
  const study::Study& study = source.study;
  const PointId id = in_file - source.first_id;
  if (id < 0 || id >= study.space().size()) {
    throw usage(fmt::format("{} {}: the points of this study are 0 to {}", option, id,
                            study.space().size() - 1));
  }
  return id;
}

PointId chosen_point(const GivenStudy& source, const ExplainArguments& arguments, bool by_id,
                     const Streams& streams) {
  if (by_id) {
    return checked(arguments.point, source, "--point");
  }
  const study::Choice choice =
      study::choose_point(source.study, parse_settings(arguments.settings));
  tell(streams, fmt::format("{}\n", choice.how));
  return choice.id;
}

// Nothing of a text that is no number. Throws Failure(usage) of a number that no option takes.
std::optional<PointId> id_in(const std::string& text) {
  const bool is_number = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!is_number) {
    return std::nullopt;
  }
  const auto id = read_whole_number(text);
  if (!id.value) {
    throw usage("--against: " + id.problem);
  }
  return id.value;
}

// The other point: of which study ("": of the same), and its id.
struct Other {
  std::string study;
  PointId id = 0;
};

Other other_point(const ExplainArguments& arguments, bool with_point) {
  const std::string& text = arguments.against;
  if (with_point) {
    return {text, arguments.against_point};
  }
  if (const auto id = id_in(text)) {
    return {"", *id};
  }
  const std::size_t colon = text.rfind(':');
  if (const auto id = colon == std::string::npos ? std::nullopt : id_in(text.substr(colon + 1))) {
    return {text.substr(0, colon), *id};
  }
  throw usage(
      fmt::format("--against {}: write the id of a point of the same study, or STUDY:ID of "
                  "another, for example --against other.h5:40",
                  text));
}

std::optional<std::vector<Sheet>> compared(const GivenStudy& source, PointId id,
                                           const ExplainArguments& arguments, const Asked& asked,
                                           const Streams& streams) {
  Other other = other_point(arguments, asked.against_point);
  const std::string name = other.study.empty() ? fmt::format("{}", other.id)
                                               : fmt::format("{}:{}", other.study, other.id);
  if (other.study.empty() && source.is_part) {
    other.study = arguments.study;  // another point of a union may be of another study
  }
  const GivenStudy* against = &source;
  std::optional<GivenStudy> read;
  if (!other.study.empty()) {
    read = given_study(other.study, asked.catalog, streams, other.id);
    if (!read) {
      return std::nullopt;
    }
    against = &*read;
  }
  const study::Study& study = against->study;
  const PointId other_id = checked(other.id, *against, "--against");
  if (against != &source) {
    tell(streams, other_value_note(*against, other_id));
  }
  return comparison_sheets(
      {source.study, source.study.point_at(id), fmt::format("{}", id + source.first_id)},
      {study, study.point_at(other_id), name}, asked.format);
}

void draw(const study::Study& study, const study::Point& point, const ExplainArguments& arguments,
          const Streams& streams) {
  const Trace trace = trace_of(study, point);
  write_trace(trace, arguments.trace);
  tell(streams, fmt::format("{} written\n", arguments.trace));
  for (const std::string& note : trace.notes) {
    tell(streams, fmt::format("note: {}\n", note));
  }
}

ExitCode explain_point(const ExplainArguments& arguments, const Asked& asked,
                       const Streams& streams) {
  if (!arguments.trace.empty()) {
    check_trace_file(arguments.trace, arguments.force);
  }
  const std::optional<GivenStudy> source =
      given_study(arguments.study, asked.catalog, streams,
                  asked.by_id ? std::optional(arguments.point) : std::nullopt);
  if (!source) {
    return ExitCode::bad_input;
  }
  const study::Study& study = source->study;
  const PointId id = chosen_point(*source, arguments, asked.by_id, streams);
  tell(streams, other_value_note(*source, id));
  if (!arguments.against.empty()) {
    const auto sheets = compared(*source, id, arguments, asked, streams);
    if (!sheets) {
      return ExitCode::bad_input;
    }
    print(streams, *sheets, asked.format);
    return ExitCode::ok;
  }
  const study::Point point = study.point_at(id);
  if (!arguments.trace.empty()) {
    draw(study, point, arguments, streams);
    return ExitCode::ok;
  }
  print(streams, explain_sheets(study, point, asked.format), asked.format);
  return ExitCode::ok;
}

}  // namespace

Command explain_command() {
  Command command("explain", "Every term of the estimate of one point of a study");
  auto arguments = std::make_shared<ExplainArguments>();
  command.operand("study", arguments->study, "STUDY",
                  "The study: its spec (SPEC.toml), or its finished file (FILE.h5), which needs "
                  "neither spec nor catalog",
                  "the spec or the file of the study", "explain FILE.h5 --point ID");
  const Option point = command.option("--point", arguments->point, "ID", "The point by its id");
  const Option set =
      command
          .option("--set", arguments->settings, "NAME=VALUE",
                  "The point by what it is, for example --set logic=N7 --set "
                  "tensor_parallel=8; axes left out take their first value, of the strategies "
                  "left open the best is explained")
          .repeated();
  const Option against = command.option(
      "--against", arguments->against, "OTHER",
      "Compare with another point, term by term, and say why: an id of the same study, or STUDY:ID "
      "of another one");
  const Option against_point =
      command.option("--against-point", arguments->against_point, "ID",
                     "The id of that point, where OTHER names a study alone");
  const Option trace =
      command.option("--trace", arguments->trace, "FILE",
                     "Draw the step or an iteration instead: what runs when, for Perfetto "
                     "(FILE.json) or as a picture (FILE.svg)");
  command.flag("--force", arguments->force, "Replace the file if it is there");
  const auto catalog = add_catalog_option(command);
  const auto format = add_format_option(command, true);
  command.body = [=](const Streams& streams) {
    const Asked asked = {point.given(), against_point.given(), *catalog, *format};
    if (asked.by_id && set.given()) {
      throw usage("explain: --point and --set both choose the point; give one of them");
    }
    if (against.given() && trace.given()) {
      throw usage("explain: --trace draws one point; leave --against out, or draw both one by one");
    }
    if (asked.against_point && !against.given()) {
      throw usage("explain: --against-point goes with --against STUDY");
    }
    return explain_point(*arguments, asked, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
