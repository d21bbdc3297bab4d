// scalesweep check SPEC: every mistake of a spec, or what it would be as a study.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include "cli/options/options.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {

Command add_check(CLI::App& parent) {
  CLI::App* app = parent.add_subcommand("check", "Find every mistake in a spec; run nothing");
  auto spec = std::make_shared<std::string>();
  CLI::Option* operand =
      app->add_option("spec", *spec, "The study, a TOML file")->type_name("SPEC");
  const auto catalog = add_catalog_option(*app);

  auto body = [spec, catalog](const Streams& streams) {
    const std::optional<study::Study> study = load_study(*spec, *catalog, streams);
    if (!study) {
      return ExitCode::bad_input;
    }
    fmt::print(streams.out, "{}: correct, {} points\n", *spec,
               with_thousands(study->space().size()));
    fmt::print(streams.err, "{}", unverified_note(*study));
    return ExitCode::ok;
  };
  return {app, {required_operand(operand, "the spec", "check SPEC")}, body};
}

}  // namespace scalesweep::cli
