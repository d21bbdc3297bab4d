// What a person wants to know of an entry first, in a few lines.
#pragma once

#include <vector>

#include "catalog/catalog.hpp"
#include "cli/output/sheet.hpp"

namespace scalesweep::cli {

// Entry, what, and how much of it, in words; no row of entries whose values say it all.
Sheet summary_sheet(const std::vector<const catalog::Entry*>& entries,
                    const catalog::Catalog& catalog);

// The same of one entry, without its name.
Sheet for_people(const Sheet& summary);

// Of a device: whether the sustained fractions of its matrix units are of its own kernels.
bool has_measured_kernels(const catalog::Entry& device);

}  // namespace scalesweep::cli
