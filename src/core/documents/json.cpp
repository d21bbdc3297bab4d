#include "core/documents/json.hpp"

#include <nlohmann/json.hpp>

namespace scalesweep {
namespace {

std::string spelled(const nlohmann::json& value) {
  return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

Json Json::object(Members members) {
  Json json;
  json.value_ = std::move(members);
  return json;
}

std::optional<double> Json::number() const {
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    return static_cast<double>(*whole);
  }
  const auto* number = std::get_if<double>(&value_);
  return number == nullptr ? std::nullopt : std::optional(*number);
}

std::string Json::dump(int indent) const {
  std::string out;
  write(out, indent, 0);
  return out;
}

void Json::write(std::string& out, int indent, int depth) const {
  const auto line = [&](int level) {
    if (indent >= 0) {
      out += '\n' + std::string(static_cast<std::size_t>(indent * level), ' ');
    }
  };
  const auto list = [&](char open, char close, const auto& elements, const auto& element) {
    out += open;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      out += i == 0 ? "" : ",";
      line(depth + 1);
      element(elements[i]);
    }
    if (!elements.empty()) {
      line(depth);
    }
    out += close;
  };
  if (const auto* elements = std::get_if<std::vector<Json>>(&value_)) {
    list('[', ']', *elements, [&](const Json& e) { e.write(out, indent, depth + 1); });
  } else if (const auto* members = std::get_if<Members>(&value_)) {
    list('{', '}', *members, [&](const auto& member) {
      out += spelled(member.first) + (indent >= 0 ? ": " : ":");
      member.second.write(out, indent, depth + 1);
    });
  } else if (const auto* text = std::get_if<std::string>(&value_)) {
    out += spelled(*text);
  } else if (const auto* number = std::get_if<double>(&value_)) {
    out += spelled(*number);
  } else if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    out += std::to_string(*whole);
  } else if (const auto* truth = std::get_if<bool>(&value_)) {
    out += *truth ? "true" : "false";
  } else {
    out += "null";
  }
}

}  // namespace scalesweep
