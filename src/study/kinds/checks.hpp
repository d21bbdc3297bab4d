// Whether models, frameworks and formats of a spec go with what is done with them.
#pragma once

#include <string>
#include <string_view>

#include "catalog/catalog.hpp"
#include "core/diagnostic.hpp"
#include "keys/entry_names.hpp"
#include "space/read/spec.hpp"
#include "study/resolve/check_names.hpp"

namespace scalesweep::study {

using KnowsFormat = bool (*)(const std::string& tensors, const std::string& format);

// Names of formats, or of tables that name formats. `int4_hint` is what is said of int4 where it is
// none; "": as of other names.
void check_precisions(const space::Spec& spec, KnowsFormat knows, std::string_view int4_hint,
                      Diagnostics& diagnostics);
// Of precisions that name a checkpoint, whether the models have one.
void check_checkpoints(const space::Spec& spec, const catalog::Catalog& catalog,
                       Diagnostics& diagnostics);
// `what` a framework that `does` it is said to do.
void check_frameworks(const space::Spec& spec, const catalog::Catalog& catalog,
                      bool workload::Framework::*does, const char* what, Diagnostics& diagnostics);
// The same of the names of another axis.
void check_frameworks(const space::Spec& spec, const catalog::Catalog& catalog,
                      const std::string& axis, bool workload::Framework::*does, const char* what,
                      Diagnostics& diagnostics);
// What a stack was measured on may be other devices than those it meets here: on these it is an
// entry of another name, which is told.
void warn_of_ports(const space::Spec& spec, const catalog::Catalog& catalog,
                   Diagnostics& diagnostics);
// A stack that takes prompts in iterations of their own answers first tokens sooner, and the others
// later, than one that mixes them: told where a study has `mixed` and not `apart` of its axis
// `batching`.
void warn_of_mixed_prompts(const space::Spec& spec, const catalog::Catalog& catalog,
                           std::string_view mixed, std::string_view apart,
                           Diagnostics& diagnostics);
// Names of formats alone, of another axis.
void check_precisions(const space::Spec& spec, const std::string& axis, Diagnostics& diagnostics);
void check_drafters(const space::Spec& spec, const catalog::Catalog& catalog,
                    Diagnostics& diagnostics);

void check_decoders(const space::Spec& spec, const catalog::Catalog& catalog,
                    Diagnostics& diagnostics);

// A rank above the width of a model, which saves nothing.
void check_adapters(const space::Spec& spec, const catalog::Catalog& catalog,
                    Diagnostics& diagnostics);

}  // namespace scalesweep::study
