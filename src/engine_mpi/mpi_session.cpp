#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <thread>

#include "engine/run.hpp"
#include "engine_mpi/mpi_transport.hpp"

namespace scalesweep::engine_mpi {
namespace {

constexpr unsigned finalize_patience_seconds = 30;
// Of ranks that have done nothing yet.
constexpr unsigned leave_patience_seconds = 10;

// What the process ends with if MPI_Finalize takes too long: a handler gets no argument of ours.
volatile std::sig_atomic_t late_exit_code = 0;

extern "C" void leave_late(int) {
  _exit(late_exit_code);
}

int tasks_started_by_srun() {
  const char* text = std::getenv("SLURM_STEP_NUM_TASKS");
  int tasks = 1;
  if (text != nullptr) {
    std::from_chars(text, text + std::strlen(text), tasks);
  }
  return tasks;
}

// Ranks that share the memory of this machine.
int count_ranks_here(int rank) {
  MPI_Comm here = MPI_COMM_NULL;
  int ranks = 1;
  if (MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &here) ==
      MPI_SUCCESS) {
    MPI_Comm_size(here, &ranks);
    MPI_Comm_free(&here);
  }
  return ranks;
}

[[noreturn]] void abort_all(ExitCode code) {
  std::fflush(nullptr);
  MPI_Abort(MPI_COMM_WORLD, static_cast<int>(code));
  std::_Exit(static_cast<int>(code));
}

// Whether all ranks call this within some seconds.
bool all_came() {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::seconds(leave_patience_seconds);
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  int done = 0;
  while (done == 0 && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  }
  return done != 0;
}

}  // namespace

MpiSession::MpiSession()
    : launcher_(static_cast<int>(getppid())), exceptions_(std::uncaught_exceptions()) {
  int given = MPI_THREAD_SINGLE;
  // FUNNELED: rank 0 evaluates in a second thread, which never calls MPI.
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &given) != MPI_SUCCESS) {
    throw Failure(ExitCode::mpi_unavailable, "MPI does not start");
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  ranks_here_ = count_ranks_here(rank_);
  if (given < MPI_THREAD_FUNNELED) {
    MPI_Finalize();
    throw Failure(ExitCode::mpi_unavailable,
                  "this MPI library supports no threads (MPI_THREAD_FUNNELED is needed)");
  }
  const int tasks = tasks_started_by_srun();
  if (size_ == 1 && tasks > 1) {
    MPI_Finalize();
    throw Failure(ExitCode::mpi_unavailable,
                  fmt::format("srun started {} tasks, but each sees itself alone; use 'srun "
                              "--mpi=pmix' ('srun --mpi=list' shows what there is) or mpirun",
                              tasks));
  }
}

MpiSession::~MpiSession() {
  if (std::uncaught_exceptions() > exceptions_ || launcher_lost()) {
    return;
  }
  // A rank that hangs, rather than died, would keep the others here, but the work is done.
  std::fflush(nullptr);
  late_exit_code = static_cast<int>(code_);
  std::signal(SIGALRM, leave_late);
  alarm(finalize_patience_seconds);
  if (size_ > 1) {
    // srun ends the others as soon as one has ended with an error. They are about to end well: that
    // would put the signal in place of the exit code of the job.
    std::signal(SIGTERM, SIG_IGN);
  }
  MPI_Finalize();
  alarm(0);
}

bool MpiSession::launcher_lost() const {
  return size_ > 1 && static_cast<int>(getppid()) != launcher_;
}

void MpiSession::abort(ExitCode code) const {
  abort_all(code);
}

namespace {

// Says what happened on this rank and ends all of them.
[[noreturn]] void report_and_abort(const MpiSession& session, const char* what, ExitCode code) {
  fmt::print(stderr, "scalesweep: rank {}: error: {}\n", session.rank(), what);
  session.abort(code);
}

// The launcher or the master is gone: nothing to finalise with, nobody to tell.
[[noreturn]] void leave_alone(const MpiSession& session, const engine::ConnectionLost& lost) {
  fmt::print(stderr, "scalesweep: rank {}: {}\n", session.rank(), lost.what());
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(lost.code()));
}

// The session ends with this call. `known_to_all`: what the caller is to throw after that.
ExitCode run_session(const std::function<ExitCode(engine::Transport&)>& body,
                     std::exception_ptr& known_to_all, int& rank) {
  MpiSession session;
  rank = session.rank();
  ExitCode code = ExitCode::ok;
  try {
    const std::unique_ptr<engine::Transport> transport = make_mpi_transport(session);
    code = body(*transport);
  } catch (const engine::RunFailure& failure) {
    code = failure.code();
    known_to_all = std::current_exception();
  } catch (const engine::ConnectionLost& lost) {
    leave_alone(session, lost);
  } catch (const Failure& failure) {
    report_and_abort(session, failure.what(), failure.code());
  } catch (const std::exception& error) {
    report_and_abort(session, error.what(), ExitCode::internal);
  }
  session.ends_with(code);
  return code;
}

}  // namespace

ExitCode with_mpi(const std::function<ExitCode(engine::Transport&)>& body) {
  std::exception_ptr known_to_all;
  int rank = 0;
  const ExitCode code = run_session(body, known_to_all, rank);
  if (rank != 0 && code != ExitCode::ok) {
    // A launcher ends the whole job when the first rank exits with an error, and may lose what
    // another one has just written. All ranks know of this one: rank 0 says why and exits with it.
    return ExitCode::ok;
  }
  if (known_to_all) {
    std::rethrow_exception(known_to_all);
  }
  return code;
}

ExitCode leave_together(ExitCode code) {
  int begun = 0;
  MPI_Initialized(&begun);
  if (begun != 0) {
    return code;
  }
  // Ranks that do not come keep this one in the start of MPI already.
  late_exit_code = static_cast<int>(code);
  std::signal(SIGALRM, leave_late);
  alarm(leave_patience_seconds);
  MpiSession session;
  alarm(0);
  session.ends_with(code);
  if (!all_came()) {
    fmt::print(stderr,
               "scalesweep: rank {}: error: it ends with exit code {} and others do not; does its "
               "machine see the same files?\n",
               session.rank(), static_cast<int>(code));
    std::fflush(nullptr);
    _exit(static_cast<int>(code));
  }
  return session.rank() == 0 ? code : ExitCode::ok;
}

std::string mpi_library_version() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = {};
  int length = 0;
  MPI_Get_library_version(text, &length);
  return text;
}

}  // namespace scalesweep::engine_mpi
