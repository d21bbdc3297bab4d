#include "estimator/inference/queueing/waits.hpp"

#include <algorithm>
#include <cmath>

namespace scalesweep::estimator {
namespace {

// The squared coefficient of variation of the iterations that a request is decoded for.
double stay_scv(const RequestMix& mix) {
  const double mean = mix.decoded();
  return mean > 0.0 ? scv_of(mean, mix.decoded_square) : 0.0;
}

// For a place in the batch.
Wait place_wait(const Traffic& traffic, const Fluctuation& f, double arrival_scv, double rate,
                double full_rate, double places) {
  const double load = traffic.prefill_load;
  const double work_scv = load * load * f.prompt_scv + (1.0 - load) * (1.0 - load) * f.stay_scv;
  return wait_for_place(rate, full_rate, places, traffic.sequences, f.deviation, arrival_scv,
                        work_scv);
}

}  // namespace

// An arrival stays, and those that it stalled leave later: one after the other, so that of them
// half is there in the mean of a stay, a third in its square. Neighbours slow each other down, so
// that a surplus takes 1 / (1 - growth) times as long to go (the negative binomial distribution of
// a shared processor whose round is affine in its jobs; Cohen, "The multiple phase service network
// with generalized processor sharing", Acta Informatica 12, 1979).
Fluctuation fluctuation(const Traffic& traffic, const RequestMix& mix, double arrival_scv) {
  Fluctuation f;
  f.prompt_scv = scv_of(mix.fresh, mix.fresh_square);
  f.stay_scv = stay_scv(mix);
  f.arrival_scv = departure_scv(traffic.rate * traffic.prompt_s,
                                dispersion(arrival_scv, traffic.sequences), f.prompt_scv);
  f.stall = traffic.prefill_load / (1.0 - traffic.prefill_load);
  const double squares = f.stall * f.stall / 3.0;
  const double noise = f.arrival_scv * (1.0 + f.stall + squares) + f.prompt_scv * squares;
  const double growth = std::min(traffic.growth, most_growth);
  f.deviation = std::sqrt(peakedness(noise, f.stay_scv) * traffic.sequences / (1.0 - growth));
  return f;
}

FirstTokenWaits prompt_waits(const Traffic& traffic, const RequestMix& mix) {
  FirstTokenWaits waits;
  waits.rest_s =
      traffic.busy * residual_s(traffic.prefill_share, traffic.prefill_s, traffic.plain_s);
  if (traffic.prompt_s > 0.0) {
    const double square_s2 =
        mix.fresh_square * traffic.prompt_s * traffic.prompt_s / (mix.fresh * mix.fresh);
    waits.prompts = wait_at_one(traffic.rate, traffic.prompt_s, square_s2, traffic.arrival_scv);
    if (std::isfinite(waits.prompts.mean_s)) {
      waits.prompts = after(waits.prompts, traffic.begun_s);
    }
  }
  return waits;
}

FirstTokenWaits first_token_waits(const ServingJob& job, const RequestMix& mix,
                                  const SteadyState& state, const FullBatch& full,
                                  double replicas) {
  const Traffic& traffic = state.traffic;
  FirstTokenWaits waits = prompt_waits(traffic, mix);
  const double scv = split_scv(job.burstiness, replicas);
  waits.place =
      place_wait(traffic, fluctuation(traffic, mix, scv), scv, state.request_rate / replicas,
                 full.request_rate / replicas, full.batch / replicas);
  if (job.batching == Batching::disaggregated && std::isfinite(waits.place.mean_s)) {
    waits.place = {};  // the first token comes of the other pool, and is there by then
  }
  return waits;
}

}  // namespace scalesweep::estimator
