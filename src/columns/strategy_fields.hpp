// What the columns of a strategy say of themselves in the file (FORMAT.md): how a label writes
// them, which value goes without saying, and what is not chosen but follows from the rest.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "store/read/reader.hpp"
#include "store/read/table.hpp"

namespace scalesweep::columns {

bool is_strategy_column(const store::Column& column);
// Their names, in the order in which a strategy is written.
std::vector<std::string> strategy_columns(const store::Schema& schema);

// Of a value that is written as `text`: "TP8", "sel-rc"; empty for what goes without saying.
// `field` is the name of the column in the study.
std::string label_word(const std::string& field, const store::Column& column, double value,
                       const std::string& text);
// Of a whole strategy, "TP8 PP16 CP2": `values` of `fields`, columns of `schema`.
std::string layout_label(const store::Schema& schema, const std::vector<std::string>& fields,
                         const std::vector<double>& values);
// What stands before its values in a label, "TP" or "Z", or what is written where it is on, "SP";
// empty where there is nothing.
std::string short_name_of(const store::Column& column);
// The value of strategies of studies without the column; empty where they have no usual one.
std::string default_of(const store::Column& column);

// A field that is not chosen: it follows from the other fields and from the values of these axes,
// and so changes along them while the strategy stays the same.
struct FollowingField {
  std::string field;
  std::vector<std::string> axes;
};
std::vector<FollowingField> following_fields_of(const store::StudyReader& reader);

// Whether a field follows from the others; from one of these axes too.
bool follows(const std::vector<FollowingField>& following, std::string_view field);
bool follows_from(const std::vector<FollowingField>& following, std::string_view field,
                  const std::vector<std::string>& axes);

// What follows in both of two studies.
std::vector<FollowingField> following_in_both(const store::StudyReader& a,
                                              const store::StudyReader& b);

}  // namespace scalesweep::columns
