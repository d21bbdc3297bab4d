// scalesweep verify FOLDER: whether a published folder is what was published.
#include "publish/verify.hpp"

#include <fmt/core.h>
#include <fmt/ostream.h>

#include "cli/options/command.hpp"
#include "cli/output/reading_line.hpp"
#include "core/text.hpp"

namespace scalesweep::cli {
namespace {

struct VerifyArguments {
  std::string folder;
  std::size_t threads = 0;
};

ExitCode verify_published(const VerifyArguments& arguments, const Streams& streams) {
  ReadingLine reading(streams);
  const publish::Verified verified =
      publish::verify_folder(arguments.folder, arguments.threads, reading.progress());
  reading.end();
  fmt::print(streams.out,
             "{}: {} files, {}, are as they were published\n{}: {} rows, every checksum holds, and "
             "the metadata agree\n",
             arguments.folder, verified.files,
             with_si_prefix(static_cast<double>(verified.bytes), "B"), verified.title,
             with_thousands(verified.rows));
  return ExitCode::ok;
}

}  // namespace

Command verify_command() {
  Command command("verify", "Whether a published folder is as it was published, and agrees");
  auto arguments = std::make_shared<VerifyArguments>();
  command.operand("folder", arguments->folder, "FOLDER", "What 'publish' made", "the folder",
                  "verify FOLDER");
  command.option("--threads", arguments->threads, "N", "Threads that read (default: one per core)")
      .at_least(0);
  command.body = [arguments](const Streams& streams) {
    return verify_published(*arguments, streams);
  };
  return command;
}

}  // namespace scalesweep::cli
