// Where and how a study was run, as texts for the file.
#pragma once

#include <map>
#include <string>

namespace scalesweep::study {

// command, ranks, host, started (UTC), version, environment: the variables of the scheduler, MPI
// and modules that are set.
std::map<std::string, std::string> run_provenance(const std::string& command, int ranks);

// 2026-01-31T12:00:00Z
std::string utc_now();

}  // namespace scalesweep::study
