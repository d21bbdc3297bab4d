// Options of a framework read by the table that they are written by: a row whose `why` is a field
// of strategies sets that field. Internal to import.
#pragma once

#include <span>

#include "deploy/import/imported.hpp"
#include "deploy/options.hpp"

namespace scalesweep::deploy {

// Sets what rows say in one word: a size, a word or a truth of a field, or a key of the workload.
// What needs more was read before, and is left alone.
void read_written_options(GivenKeys& keys, std::span<const TrainingOption> options,
                          Imported& imported);

// A strategy of one device and nothing special, for what is not said.
SpecTable plain_strategy();

// Names options that stacks have and specs do not, each with the reason.
void name_framework_options(GivenKeys& keys, std::span<const TrainingOption> options,
                            Imported& imported);

}  // namespace scalesweep::deploy
