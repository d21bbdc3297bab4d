// The words of columns (src/columns), in which analysis speaks of a study.
#pragma once

#include "columns/condition.hpp"
#include "columns/meaning.hpp"
#include "columns/roles.hpp"
#include "columns/strategy_fields.hpp"
#include "columns/table_values.hpp"

namespace scalesweep::analysis {

using namespace columns;  // NOLINT(google-build-using-namespace): a layer below, under one name

}  // namespace scalesweep::analysis
