// How one work relates to another: the relation types of the DataCite Metadata Schema 4.4.
#pragma once

#include <array>
#include <string_view>

namespace scalesweep::citation {

inline constexpr std::array<std::string_view, 34> relation_names = {
    "IsCitedBy",        "Cites",
    "IsSupplementTo",   "IsSupplementedBy",
    "IsContinuedBy",    "Continues",
    "IsDescribedBy",    "Describes",
    "HasMetadata",      "IsMetadataFor",
    "HasVersion",       "IsVersionOf",
    "IsNewVersionOf",   "IsPreviousVersionOf",
    "IsPartOf",         "HasPart",
    "IsPublishedIn",    "IsReferencedBy",
    "References",       "IsDocumentedBy",
    "Documents",        "IsCompiledBy",
    "Compiles",         "IsVariantFormOf",
    "IsOriginalFormOf", "IsIdenticalTo",
    "IsReviewedBy",     "Reviews",
    "IsDerivedFrom",    "IsSourceOf",
    "IsRequiredBy",     "Requires",
    "IsObsoletedBy",    "Obsoletes"};
inline constexpr std::string_view usual_relation = "References";

}  // namespace scalesweep::citation
