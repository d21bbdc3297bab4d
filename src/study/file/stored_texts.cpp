#include "study/file/stored_texts.hpp"

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/documents/json.hpp"
#include "core/documents/stored_json.hpp"

namespace scalesweep::study {
namespace {

space::ReducedTrace read_trace(const nlohmann::json& document) {
  space::ReducedTrace reduced;
  space::RequestTrace& trace = reduced.trace;
  document.at("file").get_to(trace.file);
  document.at("sha256").get_to(trace.sha256);
  document.at("requests").get_to(trace.requests);
  document.at("arrival_rate").get_to(trace.arrival_rate);
  document.at("burstiness").get_to(trace.burstiness);
  const nlohmann::json& dispersion = document.at("dispersion");
  trace.dispersion = dispersion.is_null() ? 0.0 : dispersion.get<double>();
  for (const nlohmann::json& one : document.at("classes")) {
    reduced.requests.push_back({one.at("prompt").get<double>(),
                                one.at("output").get<double>(),
                                one.at("share").get<double>(),
                                {}});
  }
  for (const nlohmann::json& point : document.at("reuse")) {
    trace.reuse.push_back({point.at("tokens").get<double>(), point.at("share").get<double>()});
  }
  return reduced;
}

}  // namespace

std::string trace_json(const space::RequestTrace& trace,
                       const std::vector<space::RequestClass>& requests) {
  std::vector<Json> classes;
  for (const space::RequestClass& one : requests) {
    classes.push_back(
        Json::object({{"prompt", one.prompt}, {"output", one.output}, {"share", one.share}}));
  }
  std::vector<Json> reuse;
  for (const space::ReusePoint& point : trace.reuse) {
    reuse.push_back(Json::object({{"tokens", point.tokens}, {"share", point.share}}));
  }
  return Json::object({{"file", trace.file},
                       {"sha256", trace.sha256},
                       {"requests", trace.requests},
                       {"arrival_rate", trace.arrival_rate},
                       {"burstiness", trace.burstiness},
                       {"dispersion", trace.dispersion > 0.0 ? Json(trace.dispersion) : Json()},
                       {"classes", classes},
                       {"reuse", reuse}})
      .dump();
}

std::string load_curve_json(const space::Spec& spec) {
  Json::Members members = {{"loads", spec.load_curve}};
  if (spec.trace) {
    members.emplace_back("busiest_rate", spec.trace->busiest_rate);
  }
  return Json::object(std::move(members)).dump();
}

std::optional<space::ReducedTrace> trace_of_json(const std::string& requests,
                                                 const std::string& load_curve) {
  auto reduced = read_stored_json(
      requests, [](const nlohmann::json& document) { return std::optional(read_trace(document)); });
  if (!reduced) {
    return std::nullopt;
  }
  read_stored_json(load_curve, [&](const nlohmann::json& document) {
    const double busiest_rate = document.at("busiest_rate").get<double>();
    document.at("loads").get_to(reduced->trace.hours);
    reduced->trace.busiest_rate = busiest_rate;
  });
  return reduced;
}

std::string overlays_json(const std::vector<const catalog::Entry*>& entries) {
  std::vector<Json> overlays;
  for (const catalog::Entry* entry : entries) {
    if (const auto& overlay = entry->overlay) {
      overlays.push_back(Json::object(
          {{"entry", id_of(*entry)}, {"file", overlay->name}, {"sha256", overlay->sha256}}));
    }
  }
  return overlays.empty() ? "" : Json(overlays).dump();
}

catalog::OverlaysByEntry overlays_of_json(const std::string& text) {
  std::map<std::pair<std::string, std::string>, std::shared_ptr<const catalog::Overlay>> files;
  catalog::OverlaysByEntry overlays;
  read_stored_json(text, [&](const nlohmann::json& document) {
    for (const nlohmann::json& one : document) {
      const catalog::Overlay overlay{one.at("file").get<std::string>(),
                                     one.at("sha256").get<std::string>()};
      auto& file = files[{overlay.name, overlay.sha256}];  // one for all of its entries
      if (file == nullptr) {
        file = std::make_shared<const catalog::Overlay>(overlay);
      }
      overlays.emplace(one.at("entry").get<std::string>(), file);
    }
  });
  return overlays;
}

}  // namespace scalesweep::study
