// scalesweep check SPEC: every mistake of a spec, or what it would be as a study.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include "cli/options/options.hpp"
#include "cli/output/terminal.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {

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
    tell(streams, framework_note(*study) + template_note(*study) + unverified_note(*study));
    return ExitCode::ok;
  };
  return command;
}

}  // namespace scalesweep::cli
