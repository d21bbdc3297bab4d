// How often parts of a system fail, what follows, and the storage that a run goes on from.
#pragma once

#include <limits>
#include <string>

#include "core/quantity.hpp"

namespace scalesweep::technology {

inline constexpr Seconds never = Seconds::si(std::numeric_limits<double>::infinity());

// Mean times between failures of one part, each of which stops a job that uses it; `never` where
// there are none. Silicon fails by its area and memory by its stacks, so that a device that nobody
// has built yet has a rate, too.
struct Reliability {
  std::string name;
  Seconds die = never;  // of compute dies of this area, with all that fails of a device beside ...
  SquareMetres die_area = SquareMetres::si(814e-6);
  Seconds stack = never;  // ... one stack of its memory
  Seconds node = never;   // host, supplies, fans, disks, of so many devices
  int node_devices = 8;
  Seconds link = never;            // what joins one device to the network: adapter, cable, optics
  Seconds network_switch = never;  // of the scale-out network
  Seconds software = never;        // for each device: what stops a job and is nobody's hardware
  // A device that computes wrongly, which is found after so long: what was computed since is lost.
  Seconds corruption = never;
  Seconds corruption_found;
  // A device that becomes slow and is replaced after so long: until then steps take longer by this
  // part of them.
  Seconds slow = never;
  Seconds slow_found;
  double slowed_by = 0.0;

  Seconds detection;            // from a failure until it is located
  Seconds replacement;          // until a node that stands by is in its place
  Seconds start;                // of processes and communicators, until the first step ...
  Seconds start_of_each;        // ... and what each device adds to it
  double repaired_share = 0.0;  // of failures of hardware, after which a node is out for ...
  Seconds repair;

  // What labs report beside failures, as parts of the time that their runs took ...
  double batch_ramp = 0.0;  // smaller batches at the beginning
  double evaluation = 0.0;
  double by_hand = 0.0;  // what people stop and start: hangs, losses that diverge, maintenance
  // ... and how many times as long as estimated, failures included, their runs took with all of it:
  // the middle one, and what two of three lie between. 0: nobody knows.
  double reached = 0.0;
  double reached_low = 0.0;
  double reached_high = 0.0;

  friend bool operator==(const Reliability&, const Reliability&) = default;
};

// Where checkpoints and input lie.
struct Storage {
  std::string name;
  BytesPerSecond write;  // of one device
  BytesPerSecond read;
  // Of all devices together; 0: as many times that of one.
  BytesPerSecond most_write;
  BytesPerSecond most_read;
  Seconds checkpoint_latency;  // of a checkpoint: what it stops the job for however small it is

  friend bool operator==(const Storage&, const Storage&) = default;
};

}  // namespace scalesweep::technology
