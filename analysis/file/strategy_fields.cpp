#include "analysis/file/strategy_fields.hpp"

#include <algorithm>

#include "space/spec/spec.hpp"

namespace scalesweep::analysis {
namespace {

const FollowingField* find(const std::vector<FollowingField>& following, std::string_view field) {
  const auto found = std::find_if(following.begin(), following.end(),
                                  [&](const FollowingField& one) { return one.field == field; });
  return found == following.end() ? nullptr : &*found;
}

bool has_one_a_stage(const store::StudyReader& reader) {
  const auto text = reader.provenance().find("spec");
  if (text == reader.provenance().end()) {
    return false;
  }
  Diagnostics diagnostics;
  const auto spec = space::read_spec("the spec", text->second, diagnostics);
  return spec && spec->strategy.micro_batch_by_stages;
}

}  // namespace

std::vector<FollowingField> following_fields_of(const store::StudyReader& reader) {
  std::vector<FollowingField> following(following_fields.begin(), following_fields.end());
  if (has_one_a_stage(reader)) {
    following.push_back(one_a_stage);
  }
  return following;
}

bool follows(const std::vector<FollowingField>& following, std::string_view field) {
  return find(following, field) != nullptr;
}

bool follows_from(const std::vector<FollowingField>& following, std::string_view field,
                  const std::vector<std::string>& axes) {
  const FollowingField* const found = find(following, field);
  return found != nullptr && std::find_first_of(axes.begin(), axes.end(), found->axes.begin(),
                                                found->axes.end()) != axes.end();
}

std::vector<FollowingField> following_in_both(const store::StudyReader& a,
                                              const store::StudyReader& b) {
  std::vector<FollowingField> both = following_fields_of(a);
  const std::vector<FollowingField> others = following_fields_of(b);
  std::erase_if(both, [&](const FollowingField& one) { return !follows(others, one.field); });
  return both;
}

}  // namespace scalesweep::analysis
