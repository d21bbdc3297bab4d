// Whether what is trained, served or answered is longer than the context of its model: one rule for
// all kinds that have a model.
#pragma once

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "space/read/spec.hpp"

namespace scalesweep::study {

// One diagnostic for each model, of its longest sequence or request. A warning, as models are
// trained on to longer contexts; an error where trained weights with learned positions are asked
// for more than there are.
void check_contexts(const space::Spec& spec, const catalog::Catalog& catalog,
                    Diagnostics& diagnostics);

}  // namespace scalesweep::study
