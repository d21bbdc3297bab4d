// What the error bars of an estimate say about which resource leads.
//
// An estimate comes with the relative error u that two of three measured times lie within, of the
// time as a whole: how it falls on the resources is not known. If the charges of resources are off
// independently of each other, the variance of the time is the sum of theirs, and the difference of
// any two charges is no more uncertain than that sum. So a lead of more than u of the time is more
// than one error bar; a lead of less is not firm. Errors that move two charges against each other
// and cancel in the time are not covered.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/bottlenecks/result.hpp"
#include "analysis/verdict/attribution.hpp"

namespace scalesweep::analysis {

enum class Firm : std::int32_t { no, yes, unknown };
inline const std::vector<std::string> firm_names = {"no", "yes", "unknown"};

// The relative error of the time of each row; NaN where the study knows none.
std::vector<double> relative_errors(const ResultTable& points);

// Whether the largest of the shares leads all others by more than `doubt`; unknown if that is NaN.
Firm leads_firmly(const std::vector<double>& shares, double doubt);

// Of a change: what holds on both sides.
Firm both(Firm before, Firm after);

// A column of Firm.
store::Column firm_column(const std::string& name, const std::string& description);

}  // namespace scalesweep::analysis
