// Ranks as MPI processes. The only folder that includes mpi.h, and only its .cpp does.
//
//   return engine_mpi::with_mpi([&](engine::Transport& transport) {
//     return engine::run_study(transport, study, evaluator, options).exit;
//   });
//
// After the start, point-to-point messages only: a rank that dies never leaves another one in a
// collective. MPI is
// called from the thread that called with_mpi.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "core/failure.hpp"
#include "engine/worker/transport.hpp"

namespace scalesweep::engine_mpi {

// MPI from construction to destruction, once per process. Throws Failure(mpi_unavailable) if the
// library gives too little thread support, or if this process was started as one of many tasks but
// MPI sees it alone. The destructor finalises, except while an exception is in flight or after the
// launcher has died: then MPI_Finalize could wait for ever.
class MpiSession {
 public:
  MpiSession();
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  int ranks_here() const { return ranks_here_; }
  // mpirun (or srun's step daemon) that started this process is gone.
  bool launcher_lost() const;
  // The exit code of this process if the destructor has to leave a rank that hangs behind.
  void ends_with(ExitCode code) { code_ = code; }
  // Ends all ranks at once with this exit code, without a word.
  [[noreturn]] void abort(ExitCode code) const;

 private:
  int rank_ = 0;
  int size_ = 1;
  int ranks_here_ = 1;
  int launcher_ = 0;  // process id of the parent at the start
  int exceptions_ = 0;
  ExitCode code_ = ExitCode::ok;
};

// Handles engine::stop_signals while it lives. One per session. Its receive() throws
// engine::ConnectionLost when the launcher is gone.
std::unique_ptr<engine::Transport> make_mpi_transport(const MpiSession& session);

// Session, transport, body. A Failure that every rank knows of (engine::RunFailure, as run_study
// throws it on rank 0) leaves through MPI_Finalize; any other exception is printed as
// "scalesweep: rank N: error: ..." and ends all ranks with its exit code. An exit code that every
// rank knows of is returned on rank 0; ok on the others, so that no launcher ends rank 0 before it
// has said why.
ExitCode with_mpi(const std::function<ExitCode(engine::Transport&)>& body);

// For a process that ends with an exit code before it has called with_mpi: all ranks are expected
// to come to the same end, as of a mistake that each of them finds. They meet in MPI, so that no
// launcher ends rank 0 before it has said why, or a rank that is still starting, and end it with
// another code. Returns the code on rank 0 and ok on the others; where the others do not come, the
// process ends by itself after some seconds, and says so. Throws as MpiSession does. After
// with_mpi: `code`.
ExitCode leave_together(ExitCode code);

// "Open MPI v4.1.4, ...", without starting MPI.
std::string mpi_library_version();

}  // namespace scalesweep::engine_mpi
