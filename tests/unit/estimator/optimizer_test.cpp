// Optimizers beside Adam: what they keep, stream and multiply.
#include <gtest/gtest.h>

#include "estimator/parts/matmul.hpp"
#include "estimator/training/data_parallel.hpp"
#include "estimator/training/states/matrix_updates.hpp"
#include "estimator/training/states/parameters.hpp"
#include "estimator/training/step.hpp"
#include "estimator/training/training.hpp"
#include "support/examples.hpp"

namespace scalesweep::estimator {
namespace {

TrainingJob llama_8b() {
  TrainingJob job;
  job.model = test::llama(4096, 32, 32, 8, 14336, 128256);
  job.sequence = 4096;
  job.global_batch = 64;
  return job;
}

parallel::Strategy replicas(int count, int zero) {
  parallel::Strategy strategy;
  strategy.data_parallel = count;
  strategy.micro_batches = 64 / count;
  strategy.zero = static_cast<std::int8_t>(zero);
  return strategy;
}

double state_bytes(const TrainingJob& job) {
  return optimizer_state_bytes(job, replicas(1, 0), whole_model(job.model));
}

workload::Optimizer muon() {
  workload::Optimizer optimizer;
  optimizer.moments = 1.0;
  optimizer.orthogonal_steps = 5.0;
  return optimizer;
}

// Beside master weights of 4 bytes.
TEST(Optimizer, KeepsItsMoments) {
  TrainingJob job = llama_8b();
  EXPECT_DOUBLE_EQ(state_bytes(job), 12.0);
  job.optimizer.moment_bytes = 1.0 + 4.0 / 2048.0;  // 8-bit Adam
  EXPECT_DOUBLE_EQ(state_bytes(job), 4.0 + 2.0 * (1.0 + 4.0 / 2048.0));
  job.optimizer = {};
  job.optimizer.moments = job.optimizer.edge_moments = 0.0;  // Adafactor
  EXPECT_DOUBLE_EQ(state_bytes(job), 4.0);
}

// Momentum of the matrices, Adam of the tables.
TEST(Optimizer, TreatsTablesOnTheirOwn) {
  TrainingJob job = llama_8b();
  job.optimizer = muon();
  const StageShare whole = whole_model(job.model);
  const double all = stage_parameters(job.model, replicas(1, 0), whole).total();
  const double tables = 2.0 * 128256.0 * 4096.0;
  EXPECT_NEAR(state_bytes(job), 4.0 + 4.0 * (1.0 + tables / all), 1e-9);
}

// Both factors of a square and their roots are four squares; thin matrices have larger ones.
TEST(Optimizer, KeepsFactorsOfBlocks) {
  TrainingJob job = llama_8b();
  job.model = test::gpt(4096, 32, 32);
  job.optimizer.block = 2048.0;
  job.optimizer.block_states = 4.0;
  job.optimizer.product_bytes = 4.0;
  StageShare share = whole_model(job.model).layers_alone();
  EXPECT_DOUBLE_EQ(moment_bytes(job, replicas(1, 0), share), 2.0 * 4.0 + 4.0 * 4.0);
}

double flop_of(const Cost& cost) {
  return cost.work[Amount::tensor_flop];
}

// 5 steps of 4 s s l + 2 s s s (arXiv:2502.16982, section 2.1).
TEST(Optimizer, MakesMatricesOrthogonal) {
  TrainingJob job = llama_8b();
  job.optimizer = muon();
  const technology::System system = test::example_system();
  const Rates rates = rates_of(system.device, technology::Precision::bf16);
  const MatrixUpdates updates =
      layer_updates(job, shards_of(replicas(1, 0)), workload::LayerKind::dense, rates);
  const auto steps = [](double s, double l) { return 5.0 * (4.0 * s * s * l + 2.0 * s * s * s); };
  const double expected =
      steps(4096, 6144) + steps(4096, 4096) + steps(4096, 2.0 * 14336) + steps(4096, 14336);
  EXPECT_NEAR(flop_of(updates.dense) / expected, 1.0, 0.02);  // tiles are filled up
  EXPECT_DOUBLE_EQ(updates.dense_matrices, 4.0);
  EXPECT_DOUBLE_EQ(updates.routed_matrices, 0.0);
}

TEST(Optimizer, ReplicasShareMatricesAndOneTakesOneMore) {
  MatrixUpdates updates;
  updates.dense.time = Charges::of(Resource::tensor_compute, 128.0);
  updates.dense_matrices = 128.0;
  EXPECT_DOUBLE_EQ(own_updates(updates, replicas(8, 0)).time.total_s(), 128.0);
  EXPECT_DOUBLE_EQ(own_updates(updates, replicas(8, 1)).time.total_s(), 17.0);
  EXPECT_DOUBLE_EQ(own_updates(updates, replicas(64, 1)).time.total_s(), 3.0);
}

// Jordan: T m / B of the FLOP of a step, T steps, m the shorter side, B tokens.
TEST(Optimizer, OrthogonalStepsTakeLittleOfALargeBatch) {
  TrainingJob job = llama_8b();
  const technology::System system = test::example_system();
  const parallel::Strategy strategy = replicas(1, 0);
  const auto optimizer_s = [&](const TrainingJob& one) {
    const TrainingEstimate estimate = estimate_training({one, system, strategy});
    return estimate.phase_s[static_cast<std::size_t>(Phase::optimizer)] / estimate.step_time_s();
  };
  const double adam = optimizer_s(job);
  job.optimizer = muon();
  const double tokens = 64.0 * 4096.0;
  const double added = optimizer_s(job) - adam;
  EXPECT_GT(added, 0.5 * 5.0 * 4096.0 / tokens);
  EXPECT_LT(added, 1.5 * 5.0 * 4096.0 / tokens);
}

// Of devices whose matrix units do not multiply fp32.
TEST(Optimizer, VectorUnitsMultiplyWhatMatrixUnitsCannot) {
  TrainingJob job = llama_8b();
  job.optimizer.block = 2048.0;
  job.optimizer.block_products = 4.0;
  technology::System system = test::example_system();
  job.optimizer.product_bytes = 4.0;
  const auto estimate = [&] { return estimate_training({job, system, replicas(1, 0)}); };
  const auto optimizer_s = [](const TrainingEstimate& one) {
    return one.phase_s[static_cast<std::size_t>(Phase::optimizer)];
  };
  const TrainingEstimate by_matrix_units = estimate();
  system.device.tensor_peak[technology::index_of(technology::Precision::fp32)] =
      FlopPerSecond::si(0.0);
  system.device.vector_energy =
      10.0 * system.device.tensor_energy[technology::index_of(technology::Precision::bf16)];
  const TrainingEstimate by_vector_units = estimate();
  EXPECT_GT(optimizer_s(by_vector_units), optimizer_s(by_matrix_units));
  EXPECT_LT(optimizer_s(by_vector_units), 100.0 * optimizer_s(by_matrix_units));
  EXPECT_GT(by_vector_units.energy.tensor_j, by_matrix_units.energy.tensor_j);
}

TEST(Optimizer, MatricesAreGatheredWhereRanksShareThem) {
  TrainingJob job = llama_8b();
  const technology::System system = test::example_system();
  const StageShare whole = whole_model(job.model);
  const auto open_bytes = [&](int zero) {
    const parallel::Strategy strategy = replicas(8, zero);
    return gradient_transfers({job, system, strategy}, whole).open.work.sent_bytes();
  };
  const double adam = open_bytes(1);
  const double alone = open_bytes(0);
  job.optimizer = muon();
  EXPECT_GT(open_bytes(1), adam);
  EXPECT_DOUBLE_EQ(open_bytes(0), alone);
}

}  // namespace
}  // namespace scalesweep::estimator
