#include "estimator/inference/passes/iteration_cost.hpp"

namespace scalesweep::estimator {

IterationCost& IterationCost::operator+=(const IterationCost& o) {
  linear += o.linear;
  attention += o.attention;
  other += o.other;
  communication += o.communication;
  encoder += o.encoder;
  pipeline += o.pipeline;
  host += o.host;
  slowest_stage += o.slowest_stage;
  return *this;
}

Cost IterationCost::total() const {
  Cost total = linear;
  for (const Cost* part : {&attention, &other, &communication, &encoder, &pipeline, &host}) {
    total += *part;
  }
  return total;
}

IterationCost& IterationCost::add(double n, const IterationCost& o) {
  linear.add(n, o.linear);
  attention.add(n, o.attention);
  other.add(n, o.other);
  communication.add(n, o.communication);
  encoder.add(n, o.encoder);
  pipeline.add(n, o.pipeline);
  host.add(n, o.host);
  slowest_stage.add(n, o.slowest_stage);
  return *this;
}

IterationCost operator*(double n, const IterationCost& c) {
  return {n * c.linear,  n * c.attention, n * c.other, n * c.communication,
          n * c.encoder, n * c.pipeline,  n * c.host,  n * c.slowest_stage};
}

}  // namespace scalesweep::estimator
