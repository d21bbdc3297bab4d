#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "cli/launch/launch.hpp"

namespace scalesweep::cli {
namespace {

struct Launcher {
  const char* rank;
  const char* size;
};

// Open MPI; PMIx, which tells no size; MPICH and its kin; srun, whatever it was told about MPI.
// SLURM_PROCID alone is set in batch scripts too: only a job step has a number of tasks.
constexpr std::array<Launcher, 4> launchers = {{{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                                {"PMIX_RANK", ""},
                                                {"PMI_RANK", "PMI_SIZE"},
                                                {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}};

// Nothing below 0 is a rank or a size.
int number_in(const char* variable) {
  const char* text = *variable == '\0' ? nullptr : std::getenv(variable);
  int number = -1;
  if (text != nullptr) {
    std::from_chars(text, text + std::strlen(text), number);
  }
  return number;
}

bool started_us(const Launcher& launcher) {
  return number_in(launcher.rank) >= 0 && (*launcher.size == '\0' || number_in(launcher.size) > 0);
}

const Launcher* find_launcher() {
  const auto* found = std::find_if(launchers.begin(), launchers.end(), started_us);
  return found == launchers.end() ? nullptr : found;
}

}  // namespace

bool was_launched() {
  return find_launcher() != nullptr;
}

int launched_rank() {
  const Launcher* launcher = find_launcher();
  return launcher == nullptr ? 0 : number_in(launcher->rank);
}

void let_first_rank_speak() {
  constexpr std::chrono::seconds patience(10);
  if (launched_rank() > 0) {
    std::this_thread::sleep_for(patience);
  }
}

}  // namespace scalesweep::cli
