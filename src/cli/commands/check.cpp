// scalesweep check SPEC: every mistake of a spec, or what it would be as a study.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <algorithm>

#include "cli/options/options.hpp"
#include "cli/output/terminal.hpp"
#include "core/text.hpp"
#include "deploy/rules/launchable.hpp"

namespace scalesweep::cli {
namespace {

constexpr std::int64_t points_looked_at = 2000;
constexpr std::size_t reasons_told = 3;

// What the program of a framework refuses of its points: they are estimated, and cannot be
// launched.
std::string launch_note(const study::Study& study) {
  std::string text;
  for (const deploy::Launchable& one : deploy::launchable(study, points_looked_at)) {
    if (one.refused == 0) {
      continue;
    }
    text += fmt::format("note: {} of {} points{} cannot be launched with {}:\n",
                        with_thousands(one.refused), with_thousands(one.points),
                        study.space().size() > points_looked_at ? " looked at" : "", one.framework);
    for (std::size_t i = 0; i < std::min(reasons_told, one.reasons.size()); ++i) {
      text +=
          fmt::format("  {}: {}\n", with_thousands(one.reasons[i].second), one.reasons[i].first);
    }
    if (one.reasons.size() > reasons_told) {
      text += fmt::format("  and {} other reasons\n", one.reasons.size() - reasons_told);
    }
  }
  return text;
}

}  // namespace

Command check_command() {
  Command command("check", "Find every mistake in a spec; run nothing");
  auto spec = std::make_shared<std::string>();
  command.operand("spec", *spec, "SPEC", "The study, a TOML file", "the spec", "check SPEC");
  const auto catalog = add_catalog_option(command);

  command.body = [spec, catalog](const Streams& streams) {
    const std::optional<study::Study> study = load_study(*spec, *catalog, streams);
    if (!study) {
      return ExitCode::bad_input;
    }
    fmt::print(streams.out, "{}: correct, {} points\n", *spec,
               with_thousands(study->space().size()));
    tell(streams, framework_note(*study) + template_note(*study) + launch_note(*study) +
                      unverified_note(*study));
    return ExitCode::ok;
  };
  return command;
}

}  // namespace scalesweep::cli
