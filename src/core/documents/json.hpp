// A value to be written as JSON, exactly; json.cpp alone knows the library that spells it.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace scalesweep {

class Json {
 public:
  using Members = std::vector<std::pair<std::string, Json>>;

  Json(std::nullptr_t = nullptr) {}                         // NOLINT(*explicit*)
  Json(bool value) : value_(value) {}                       // NOLINT(*explicit*)
  Json(double value) : value_(value) {}                     // NOLINT(*explicit*)
  Json(std::string text) : value_(std::move(text)) {}       // NOLINT(*explicit*)
  Json(std::string_view text) : Json(std::string(text)) {}  // NOLINT(*explicit*)
  Json(const char* text) : Json(std::string(text)) {}       // NOLINT(*explicit*)
  template <std::integral Number>
  Json(Number value) : value_(static_cast<std::int64_t>(value)) {}  // NOLINT(*explicit*)

  template <typename Element>
  Json(const std::vector<Element>& elements)  // NOLINT(*explicit*)
      : value_(std::vector<Json>(elements.begin(), elements.end())) {}

  // In the order given.
  static Json object(Members members);

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  // The text of a string; nothing of any other value.
  const std::string* text() const { return std::get_if<std::string>(&value_); }
  // A number; nothing of any other value.
  std::optional<double> number() const;

  // In one line, or with `indent` blanks a level. What is no UTF-8 is replaced; infinities and NaN,
  // which JSON does not have, are null.
  std::string dump(int indent = -1) const;

 private:
  void write(std::string& out, int indent, int depth) const;

  std::variant<std::nullptr_t, bool, std::int64_t, double, std::string, std::vector<Json>, Members>
      value_;
};

}  // namespace scalesweep
