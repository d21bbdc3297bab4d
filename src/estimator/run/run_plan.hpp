// What is asked of a whole run of training beside its step: how much, on what storage, with which
// failures, and what is done about them.
#pragma once

#include <cstdint>
#include <optional>

#include "core/enum_names.hpp"
#include "technology/reliability.hpp"

namespace scalesweep::estimator {

// How a checkpoint is taken. Synchronous: the job stops until storage has it. Asynchronous: it
// stops until host memory has it, and storage follows. Peer: host memory of another node has it as
// well, and a node that is replaced is given it from there (Wang et al., GEMINI, SOSP 2023).
enum class CheckpointKind : std::uint8_t { synchronous, asynchronous, peer };
inline constexpr auto checkpoint_kind_names =
    enum_names<CheckpointKind>("synchronous", "asynchronous", "peer");

// What becomes of the job while a node is repaired: a spare one takes its place, or the job waits
// where there is none; or it goes on with the other replicas, which share the batch (elastic data
// parallelism).
enum class Recovery : std::uint8_t { replace, shrink };
inline constexpr auto recovery_names = enum_names<Recovery>("replace", "shrink");

inline constexpr double accepted_wait = 0.005;

struct RunPlan {
  double devices = 1.0;  // of the job, without those that stand by
  double tokens = 0.0;   // that are trained on
  technology::Reliability reliability;
  double failure_factor = 1.0;  // on all of its rates
  technology::Storage storage;
  CheckpointKind checkpoint = CheckpointKind::asynchronous;
  double interval_s = 0.0;  // of work between checkpoints; 0: the best
  Recovery recovery = Recovery::replace;
  // Of the devices of the job, which stand by; nothing: as many as keep it from waiting for more
  // than accepted_wait of the time, and none where it goes on without them.
  std::optional<double> spare_share = std::nullopt;
  // Of input, as read from storage: a token, a pixel of images as they are compressed, and a second
  // of audio (16,000 samples of 16 bits).
  double token_bytes = 4.0;
  double pixel_bytes = 0.6;
  double audio_bytes_per_s = 32e3;

  friend bool operator==(const RunPlan&, const RunPlan&) = default;
};

}  // namespace scalesweep::estimator
