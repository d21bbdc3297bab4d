// scalesweep launch STUDY --point ID --for FRAMEWORK: what to run for a point.
#include <fmt/core.h>
#include <fmt/ostream.h>

#include <filesystem>
#include <optional>

#include "cli/options/given_study.hpp"
#include "cli/options/options.hpp"
#include "cli/output/terminal.hpp"
#include "core/host/files.hpp"
#include "core/text.hpp"
#include "deploy/deploy.hpp"
#include "deploy/parts/deployment_json.hpp"
#include "deploy/parts/documents.hpp"
#include "workload/stacks/versions.hpp"

namespace scalesweep::cli {
namespace {

namespace fs = std::filesystem;

struct LaunchArguments {
  std::string study;
  PointId point = 0;
  std::string target;  // "": of the framework of the point
  std::string folder;  // "": nothing is written
  bool force = false;
};

// The installed catalog: a finished file holds the entries of its own framework alone. Nothing
// where there is none, or where it cannot be read: then what others can run is not known.
std::optional<catalog::Catalog> installed_catalog(const CatalogChoice& asked) {
  try {
    Diagnostics ignored;
    return catalog::Catalog::load(find_catalog(asked), ignored);
  } catch (const Failure&) {
    if (asked.given()) {
      throw;
    }
    return std::nullopt;
  }
}

// Throws Failure(usage) where no version that was read is meant.
void expect_version(const study::Study& study, const std::string& target,
                    const std::string& framework, const std::string& what) {
  if (const std::string problem = deploy::version_problem(study.kind(), target, framework);
      !problem.empty()) {
    throw Failure(ExitCode::usage, fmt::format("{}: {}", what, problem));
  }
}

// The target that is asked for, with its version where one is.
std::string chosen_target(const study::Study& study, const study::Point& point,
                          const std::string& asked, const catalog::Catalog* others) {
  const std::vector<std::string> targets = deploy::targets_of(study.kind());
  const std::string kind(study.spec().kind->name);
  if (targets.empty()) {
    throw Failure(ExitCode::usage,
                  fmt::format("studies of {} cannot be launched by anything known here", kind));
  }
  const std::string own = deploy::framework_of(study, point);
  if (asked.empty()) {
    const auto target = deploy::target_of(study.kind(), own);
    if (!target) {
      throw Failure(ExitCode::usage,
                    fmt::format("launch: the framework '{}' of this point is nothing that can be "
                                "started; say what runs it, for {} --for {}",
                                own, kind, join(targets, ", --for ")));
    }
    expect_version(study, *target, deploy::asked_framework(study, point), "launch");
    return *target;
  }
  const workload::StackName name = workload::stack_name(asked);
  const std::string stack(name.stack);
  auto entry = study.catalog().canonical(catalog::Section::frameworks, stack);
  if (!entry && others != nullptr) {
    entry = others->canonical(catalog::Section::frameworks, stack);
  }
  const auto target = deploy::target_of(study.kind(), entry.value_or(stack));
  if (!target) {
    throw Failure(ExitCode::usage,
                  fmt::format("--for {}: for {} there are {}", asked, kind, join(targets, ", ")));
  }
  expect_version(study, *target, asked, "--for " + asked);
  return name.version.empty() ? *target : fmt::format("{}@{}", *target, name.version);
}

// The command as a script beside its files. Nothing is written where one of them is there already.
void write_files(const deploy::Deployment& made, const LaunchArguments& arguments,
                 const Streams& streams) {
  std::vector<deploy::File> files = made.files;
  files.push_back({"launch.sh", "#!/bin/bash\n" + made.command});
  const fs::path folder = arguments.folder;
  for (const deploy::File& file : files) {
    if (!arguments.force && fs::exists(folder / file.name)) {
      throw Failure(ExitCode::cannot_create,
                    fmt::format("'{}' is there already; another --output FOLDER, or --force to "
                                "replace it",
                                (folder / file.name).string()));
    }
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Failure(ExitCode::cannot_create, fmt::format("cannot create the folder '{}': {}",
                                                       folder.string(), error.message()));
  }
  for (const deploy::File& file : files) {
    write_file_durably(folder / file.name, file.content);
    tell(streams, fmt::format("wrote {}\n", (folder / file.name).string()));
  }
}

ExitCode launch_point(const LaunchArguments& arguments, const CatalogChoice& catalog, Format format,
                      const Streams& streams) {
  const auto source = given_study(arguments.study, catalog, streams, arguments.point);
  if (!source) {
    return ExitCode::bad_input;
  }
  const study::Study* const study = &source->study;
  const PointId id = arguments.point - source->first_id;
  if (id < 0 || id >= study->space().size()) {
    throw Failure(ExitCode::usage, fmt::format("--point {}: the points of this study are 0 to {}",
                                               arguments.point, study->space().size() - 1));
  }
  const study::Point point = study->point_at(id);
  const auto installed = source->file ? installed_catalog(catalog) : std::nullopt;
  const catalog::Catalog* const others = installed ? &*installed : nullptr;
  const deploy::Deployment made =
      deploy::deploy(*study, point, chosen_target(*study, point, arguments.target, others), others);
  if (!made.can_run()) {
    refuse(fmt::format("launch: point {}: {}", arguments.point, join(made.problems, "; ")));
  }
  if (!arguments.folder.empty()) {
    write_files(made, arguments, streams);
  }
  fmt::print(streams.out, "{}",
             format == Format::json ? deploy::json_text(made) : deploy::script(made));
  return ExitCode::ok;
}

}  // namespace

Command launch_command() {
  Command command("launch", "What to run for one point of a study: commands and files");
  auto arguments = std::make_shared<LaunchArguments>();
  command.operand("study", arguments->study, "STUDY", "The study: its spec, or its finished file",
                  "the study", "launch STUDY --point ID");
  const Option point = command.option("--point", arguments->point, "ID", "The point by its id");
  command.option(
      "--for", arguments->target, "FRAMEWORK",
      "What is to run it (default: the framework of the point): megatron-lm, "
      "megatron-bridge, torchtitan, nanotron, deepspeed or maxtext; vllm, sglang or tensorrt-llm; "
      "NAME@VERSION for a version that was read, else the newest of them");
  command.option("-o,--output", arguments->folder, "FOLDER",
                 "Write the command (launch.sh) and the files into it as well");
  command.flag("--force", arguments->force, "Replace files that are there");
  const auto catalog = add_catalog_option(command);
  const auto format = add_format_option(command, false);
  command.body = [arguments, catalog, format, point](const Streams& streams) {
    if (!point.given()) {
      throw Failure(ExitCode::usage, "launch: say which point, by its id: --point ID");
    }
    return launch_point(*arguments, *catalog, *format, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
