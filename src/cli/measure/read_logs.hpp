// scalesweep measure --read: logs as case files.
#pragma once

#include <string>
#include <vector>

#include "catalog/catalog.hpp"
#include "cli/options/command.hpp"
#include "validation/measure/logs.hpp"

namespace scalesweep::cli {

struct ReadArguments {
  std::vector<std::string> logs;
  std::string device;      // as it was given
  std::string output;      // standard output where empty
  std::int64_t vocab = 0;  // of a training log; 0: as it says
};

ExitCode read_logs(const catalog::Catalog& catalog, const ReadArguments& arguments,
                   const Streams& streams);

}  // namespace scalesweep::cli
