#include "study/file/provenance.hpp"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include <array>
#include <chrono>
#include <cstdlib>

#include "core/host/host_name.hpp"
#include "core/version.hpp"

namespace scalesweep::study {
namespace {

constexpr std::array<const char*, 12> telling_variables = {
    "SLURM_JOB_ID",         "SLURM_JOB_NAME",      "SLURM_JOB_NODELIST", "SLURM_NTASKS",
    "SLURM_CLUSTER_NAME",   "SLURM_RESTART_COUNT", "PBS_JOBID",          "LSB_JOBID",
    "OMPI_COMM_WORLD_SIZE", "LOADEDMODULES",       "SCALESWEEP_NODES",   "HDF5_USE_FILE_LOCKING"};

std::string environment() {
  std::string text;
  for (const char* variable : telling_variables) {
    if (const char* value = std::getenv(variable)) {
      text += fmt::format("{}={}\n", variable, value);
    }
  }
  return text;
}

}  // namespace

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now));
}

std::map<std::string, std::string> run_provenance(const std::string& command, int ranks) {
  const BuildInfo& build = build_info();
  std::map<std::string, std::string> texts = {
      {"command", command},
      {"ranks", std::to_string(ranks)},
      {"host", host_name()},
      {"started", utc_now()},
      {"version", fmt::format("scalesweep {}, revision {}, {}, {}", build.version,
                              build.git_revision, build.compiler, build.build_type)}};
  if (const std::string variables = environment(); !variables.empty()) {
    texts.emplace("environment", variables);
  }
  if (const char* job = std::getenv("SLURM_JOB_ID")) {
    texts.emplace("slurm_job", job);
  }
  return texts;
}

}  // namespace scalesweep::study
