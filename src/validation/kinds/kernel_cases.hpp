// Measured kernels and collectives, each run alone: rows of a case file, and what the estimator's
// kernel models say of them. tests/validation/README.md has the columns.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/enum_names.hpp"
#include "estimator/parts/cost.hpp"
#include "estimator/parts/rates.hpp"
#include "validation/cases/row_reader.hpp"
#include "validation/kinds/case_kind.hpp"
#include "validation/systems.hpp"
#include "workload/recipe.hpp"

namespace scalesweep::validation {

struct ServedKernels;  // served_kernels.hpp

enum class KernelOperator : std::uint8_t {
  matmul,
  attention_prefill,
  attention_decode,
  pointwise,
  experts,
  latent_prefill,
  latent_decode,
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
};
inline constexpr auto kernel_operator_names = enum_names<KernelOperator>(
    "matmul", "attention_prefill", "attention_decode", "pointwise", "experts", "latent_prefill",
    "latent_decode", "all_reduce", "all_gather", "reduce_scatter", "all_to_all");

struct KernelCase {
  KernelOperator op = KernelOperator::matmul;
  std::string device;
  std::string library;  // as the row names it; its constants where the catalog has them
  technology::Precision precision = technology::Precision::bf16;
  std::int64_t devices = 1;                // of a collective
  double m = 0.0, n = 0.0, k = 0.0;        // matmul
  std::optional<workload::Recipe> recipe;  // of its operands
  bool operands_ready = false;             // when it begins
  double batch = 0.0;                      // attention: sequences
  double sequence = 0.0;                   // tokens: of a prefill, of the context of a decode
  double heads = 0.0, kv_heads = 0.0, head_dim = 0.0;
  bool causal = true;
  technology::Precision cache_precision = technology::Precision::bf16;
  std::optional<int> shared_heads;              // of the measured library, where not the device's
  std::shared_ptr<const ServedKernels> served;  // of experts and latent attention
  // Of a collective the full buffer, of a pointwise kernel what it reads and writes.
  double bytes = 0.0;
  // Its kernels are an inference library's own, not those of the vendor's communication library.
  bool one_shot = false;
  // Timed from the host: launch and synchronisation are part of the measurement.
  bool host_timed = false;
  std::optional<double> measured_s;
};

// The columns without which there is no kernel case.
inline constexpr std::array<std::string_view, 3> kernel_columns = {"case", "device", "op"};

// Nothing, with the mistakes reported, if the row cannot be read.
std::optional<KernelCase> read_kernel_case(RowReader& row);

struct KernelPrediction {
  double time_s = 0.0;
  estimator::Charges charges;
  std::string note;  // why there is no prediction, "" if there is one
};

// Rates are looked up once for each device and precision. One per thread.
class KernelPredictor {
 public:
  explicit KernelPredictor(Systems& systems) : systems_(systems) {}

  KernelPrediction predict(const KernelCase& kernel);

 private:
  const estimator::Rates& rates(const KernelCase& c, technology::Precision precision);
  estimator::Cost matmul(const KernelCase& kernel);
  estimator::Cost prefill(const KernelCase& kernel);
  estimator::Cost decode(const KernelCase& kernel);
  estimator::Cost pointwise(const KernelCase& kernel);
  estimator::Cost collective(const KernelCase& kernel);

  Systems& systems_;
  std::map<std::tuple<std::string, std::string, technology::Precision>, estimator::Rates> rates_;
};

}  // namespace scalesweep::validation
