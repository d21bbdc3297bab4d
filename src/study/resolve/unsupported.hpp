// Precisions that a study asks for and its devices do not have.
#pragma once

#include "core/diagnostic.hpp"
#include "space/space.hpp"
#include "study/resolve/resolve.hpp"

namespace scalesweep::study {

// A warning at each precision that some device of the study has no matrix unit for, with the
// combinations that have no estimate for it. Those that the filters leave out are not counted; of
// very large studies that is not searched to its end.
void warn_of_unsupported(const space::Spec& spec, const space::Space& space,
                         const Resolver& resolver, Diagnostics& diagnostics);

}  // namespace scalesweep::study
