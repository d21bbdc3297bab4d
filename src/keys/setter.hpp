// Where the value of an axis goes: a member of a job or of what a system is made of, named in the
// row of its key.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "core/contracts.hpp"

namespace scalesweep::catalog {
class Catalog;
}

namespace scalesweep::keys {

// The value of a point on one axis.
struct AxisValue {
  std::size_t index;         // on the axis
  const std::string& label;  // "N5"
  double number;             // SI
  const catalog::Catalog& catalog;

  std::int64_t integer() const { return static_cast<std::int64_t>(number); }
  // "none", which is larger than all on an axis, is 0 in a job.
  double limit() const { return std::isfinite(number) ? number : 0.0; }
  // Of a label that the row's words have been checked against.
  template <typename Names>
  auto word(const Names& names) const {
    const auto found = names.find(label);
    SCALESWEEP_EXPECT(found.has_value());
    return *found;
  }
};

// A type as a value, which setters of all types can stand beside each other by.
using Target = const void*;
template <typename T>
inline constexpr char target_tag = 0;
template <typename T>
inline constexpr Target target_of = &target_tag<T>;

struct Setter {
  Target target = nullptr;
  void (*set)(void* target, const AxisValue& value) = nullptr;
};
using Setters = std::span<const Setter>;

// Numbers, names and quantities.
template <typename Member>
void assign(Member& member, const AxisValue& value) {
  if constexpr (std::is_integral_v<Member>) {
    member = static_cast<Member>(value.integer());
  } else if constexpr (std::is_floating_point_v<Member>) {
    member = value.number;
  } else if constexpr (requires { Member::si(value.number); }) {
    member = Member::si(value.number);
  } else {
    member = value.label;
  }
}

// The same that may be missing.
template <typename Member>
void assign(std::optional<Member>& member, const AxisValue& value) {
  assign(member.emplace(), value);
}

// The member at the end of a path of them.
template <typename T>
T& member_of(T& target) {
  return target;
}
template <typename T, typename Member, typename... More>
auto& member_of(T& target, Member member, More... more) {
  return member_of(target.*member, more...);
}

template <typename T>
struct TargetOf;
template <typename T, typename Member>
struct TargetOf<Member T::*> {
  using type = T;
};
template <typename T>
struct TargetOf<void (*)(T&, const AxisValue&)> {
  using type = T;
};
template <typename Function>
requires requires {
  &Function::operator();
}
struct TargetOf<Function> : TargetOf<decltype(+std::declval<Function>())> {};
template <auto set>
using TargetFor = typename TargetOf<std::remove_const_t<decltype(set)>>::type;

// The value, where a path of members leads: into<&InferenceJob::speculation, &Speculation::draft>.
template <auto first, auto... rest>
inline constexpr auto into = +[](TargetFor<first>& target, const AxisValue& value) {
  assign(member_of(target, first, rest...), value);
};
// The same of a quantity that may be "none".
template <auto first, auto... rest>
inline constexpr auto limit = +[](TargetFor<first>& target, const AxisValue& value) {
  member_of(target, first, rest...) = value.limit();
};
// The same of an enumerator by its word.
template <const auto& names, auto first, auto... rest>
inline constexpr auto word = +[](TargetFor<first>& target, const AxisValue& value) {
  member_of(target, first, rest...) = value.word(names);
};

// A member, one of the above, or a function of a target and a value.
template <typename T, auto set>
constexpr Setter setter() {
  return {target_of<T>, [](void* target, const AxisValue& value) {
            if constexpr (std::is_member_object_pointer_v<decltype(set)>) {
              assign(static_cast<T*>(target)->*set, value);
            } else {
              set(*static_cast<T*>(target), value);
            }
          }};
}

namespace detail {
template <auto... set>
inline constexpr std::array setters = {setter<TargetFor<set>, set>()...};
template <auto set, typename... T>
inline constexpr std::array setters_of_each = {setter<T, set>()...};
}  // namespace detail

// What a row sets, each in a type of its own.
template <auto... set>
inline constexpr Setters sets = detail::setters<set...>;
// The same in each of these types.
template <auto set, typename... T>
inline constexpr Setters sets_each = detail::setters_of_each<set, T...>;

}  // namespace scalesweep::keys
