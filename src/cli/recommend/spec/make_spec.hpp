// The study that answers a question: a spec like one written by hand, with rules of layout that
// cover what people use. What the question leaves open is assumed, and every assumption told.
#pragma once

#include <vector>

#include "catalog/catalog.hpp"
#include "cli/recommend/question.hpp"
#include "cli/recommend/spec/made_spec.hpp"

namespace scalesweep::cli {

// Names that the catalog does not have are written as they are: checking the spec reports them.
// `counts` has every device of the question, in its order.
MadeSpec make_spec(const Question& question, const std::vector<DeviceCounts>& counts,
                   const catalog::Catalog& catalog);

}  // namespace scalesweep::cli
