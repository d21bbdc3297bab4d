// How long one derived device takes: it is done once for every combination of technology axes.
//
//   build/release/tests/derive_bench
//
// Why: a study of many technologies and few strategies must not wait for its devices; 20 us is the
// limit the project set itself.
#include <benchmark/benchmark.h>

#include "support/shipped_catalog.hpp"

namespace scalesweep {
namespace {

const catalog::Catalog& shipped() {
  return test::shipped_catalog();
}

catalog::DerivedSystem example() {
  catalog::DerivedSystem choice;
  choice.architecture = "tensor-core-gpu";
  choice.logic = "N5";
  choice.memory = "HBM3";
  choice.budget.die_area = SquareMetres::si(826e-6);
  choice.budget.power = Watts::si(700);
  choice.budget.stacks = 5;
  choice.scale_up = "NVLink4";
  choice.scale_out = "NDRx8";
  return choice;
}

// Names looked up, device and networks made: what a study does for a combination of its axes.
void derived_system(benchmark::State& state) {
  const catalog::DerivedSystem choice = example();
  for (auto _ : state) {
    benchmark::DoNotOptimize(shipped().derived_system(choice));
  }
}
BENCHMARK(derived_system)->Unit(benchmark::kMicrosecond);

void derive_alone(benchmark::State& state) {
  const catalog::DerivedSystem choice = example();
  const technology::Parts parts = shipped().parts(choice);
  for (auto _ : state) {
    benchmark::DoNotOptimize(technology::derive(parts, choice.budget));
  }
}
BENCHMARK(derive_alone)->Unit(benchmark::kMicrosecond);

void what_it_costs(benchmark::State& state) {
  const catalog::DerivedResult made = shipped().derived_system(example());
  const technology::Economics& economics = shipped().economics();
  for (auto _ : state) {
    benchmark::DoNotOptimize(shipped().ownership(*made.system, economics));
  }
}
BENCHMARK(what_it_costs)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace scalesweep
