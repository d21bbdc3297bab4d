// What the values of the axis `precision` stand for.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "estimator/inference/inference_precision.hpp"
#include "estimator/training/precision_policy.hpp"
#include "space/read/spec.hpp"
#include "technology/precision.hpp"

namespace scalesweep::study {

// The formats of a value of the axis: of the table of that name, where there is one, else the usual
// policy for linear layers in the format of that name. Of names that were checked.
estimator::PrecisionPolicy precision_policy(const std::string& name,
                                            const std::vector<space::PrecisionTable>& tables);

// What a model's checkpoint in a format keeps wider; nothing where there is none.
using CheckpointOf =
    std::function<std::optional<technology::CheckpointFormats>(technology::Precision)>;

// The same of inference and serving: operands and weights of linear layers in the format, the
// rest in it as well from 16 bits on, else in bf16. A table may name a checkpoint of the model.
estimator::InferencePrecision inference_precision(const std::string& name,
                                                  const std::vector<space::PrecisionTable>& tables,
                                                  const CheckpointOf& checkpoint_of = {});

// Whether a class of tensors may have this format. In inference and serving, some are only
// stored and never multiplied: those may be int4 as well, which takes the bytes of fp4.
bool is_format(const std::string& tensors, const std::string& format);
bool is_inference_format(const std::string& tensors, const std::string& format);

// "linear fp8, moments bf16, gradient_compression 0.5".
std::string precision_text(const space::PrecisionTable& table);

}  // namespace scalesweep::study
