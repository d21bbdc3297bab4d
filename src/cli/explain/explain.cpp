// scalesweep explain STUDY --point ID | --set axis=value ...: every term of one estimate.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include "cli/explain/explain_report.hpp"
#include "cli/explain/explained_study.hpp"
#include "cli/options/options.hpp"
#include "core/text.hpp"
#include "study/resolve/choose.hpp"

namespace scalesweep::cli {
namespace {

struct ExplainArguments {
  std::string study;
  PointId point = 0;
  std::vector<std::string> settings;
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

PointId chosen_point(const study::Study& study, const ExplainArguments& arguments, bool by_id,
                     const Streams& streams) {
  if (by_id) {
    if (arguments.point < 0 || arguments.point >= study.space().size()) {
      throw usage(fmt::format("--point {}: the points of this study are 0 to {}", arguments.point,
                              study.space().size() - 1));
    }
    return arguments.point;
  }
  const study::Choice choice = study::choose_point(study, parse_settings(arguments.settings));
  fmt::print(streams.err, "{}\n", choice.how);
  return choice.id;
}

ExitCode explain_point(const ExplainArguments& arguments, bool by_id, const std::string& catalog,
                       Format format, const Streams& streams) {
  const std::optional<ExplainedStudy> source = explained_study(arguments.study, catalog, streams);
  if (!source) {
    return ExitCode::bad_input;
  }
  const study::Study* study = &source->study;
  const PointId id = chosen_point(*study, arguments, by_id, streams);
  fmt::print(streams.err, "{}", other_value_note(*source, id));
  print(streams.out, explain_sheets(*study, study->point_at(id), format), format);
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
  const auto catalog = add_catalog_option(command);
  const auto format = add_format_option(command, true);
  command.body = [arguments, catalog, format, point, set](const Streams& streams) {
    const bool by_id = point.given();
    if (by_id && set.given()) {
      throw usage("explain: --point and --set both choose the point; give one of them");
    }
    return explain_point(*arguments, by_id, *catalog, *format, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
