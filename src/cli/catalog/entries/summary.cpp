#include "cli/catalog/entries/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

#include "core/text.hpp"
#include "workload/diffusion/diffusion.hpp"
#include "workload/inference_layer.hpp"
#include "workload/layer.hpp"
#include "workload/model.hpp"
#include "workload/recommendation/recommendation.hpp"

namespace scalesweep::cli {
namespace {

using catalog::Catalog;
using catalog::Entry;
using catalog::Section;

struct Fact {
  std::string what;
  std::string text;
};
using Facts = std::vector<Fact>;

// As the entry writes it; "" where it does not.
std::string written(const Entry& entry, std::string_view key) {
  const catalog::Value* value = entry.value(key);
  return value == nullptr ? "" : value->text;
}

// "a, b", without those that are empty.
std::string joined(std::vector<std::string> words, std::string_view separator = ", ") {
  std::erase(words, "");
  return join(words, separator);
}

std::string with(const std::string& before, const std::string& text,
                 const std::string& behind = "") {
  return text.empty() ? "" : before + text + behind;
}

std::string count_text(std::int64_t count, const std::string& one, const std::string& many) {
  return fmt::format("{} {}", with_thousands(count), count == 1 ? one : many);
}

// 70.6e9 -> "70.6 billion".
std::string amount(double number) {
  return number >= 1e9   ? fmt::format("{:.4g} billion", number / 1e9)
         : number >= 1e6 ? fmt::format("{:.4g} million", number / 1e6)
                         : with_thousands(static_cast<std::int64_t>(number));
}

std::string money(double usd) {
  return with_thousands(static_cast<std::int64_t>(usd + 0.5)) + " USD";
}

// 989.4, 15,630
std::string figure(double number) {
  return number < 1e4 ? fmt::format("{:.4g}", number)
                      : with_thousands(static_cast<std::int64_t>(number + 0.5));
}

// "bf16 989, fp8 1979 TFLOP/s"
std::string peaks(const technology::Device& device) {
  std::vector<std::string> rates;
  for (std::size_t p = 0; p < technology::precision_count; ++p) {
    if (const double peak = device.tensor_peak[p].si(); peak > 0.0) {
      rates.push_back(fmt::format("{} {}", technology::precision_names[p], figure(peak / 1e12)));
    }
  }
  return rates.empty() ? "" : join(rates, ", ") + " TFLOP/s dense";
}

std::string price_text(const Entry& entry, const Catalog& catalog) {
  if (const catalog::Value* price = entry.value("price");
      price != nullptr && !price->numbers.empty()) {
    return money(price->numbers.front());
  }
  const auto own =
      catalog.ownership(catalog.catalogued_system({.device = entry.name}), catalog.economics());
  const std::string like = written(entry, "priced_like");
  return own ? fmt::format("about {}, its dies at the markup {}", money(own->device_price().si()),
                           like.empty() ? "that is usual" : "of " + like)
             : "not known";
}

bool has_gemm_of(const Entry& device, std::initializer_list<catalog::SourceKind> kinds) {
  return std::any_of(device.values.begin(), device.values.end(), [&](const catalog::Value& value) {
    return value.key.starts_with("tensor_sustained.") &&
           std::find(kinds.begin(), kinds.end(), value.kind) != kinds.end();
  });
}

std::string kernel_evidence(const Entry& entry) {
  return has_measured_kernels(entry) ? "its kernels were measured"
         : has_gemm_of(entry, {catalog::SourceKind::published})
             ? "its best GEMMs are published"
             : "none of its kernels was measured";
}

// "training 12 rows in fsdp and nanotron": cases that error bars are of.
std::string case_evidence(const Entry& entry, const Catalog& catalog, std::string_view work) {
  std::int64_t rows = 0;
  std::vector<std::string> stacks;
  for (const std::string& name : catalog.names(Section::uncertainties)) {
    const Entry& known = *catalog.entry(Section::uncertainties, name);
    const std::string of = written(known, "work");
    if (written(known, "device") != entry.name || (of.empty() ? "training" : of) != work) {
      continue;
    }
    rows += static_cast<std::int64_t>(known.value("rows")->numbers.front());
    if (const std::string stack = written(known, "framework");
        std::find(stacks.begin(), stacks.end(), stack) == stacks.end()) {
      stacks.push_back(stack);
    }
  }
  return rows > 0
             ? fmt::format("{} rows of {} by {}", with_thousands(rows), work, join(stacks, ", "))
             : fmt::format("no rows of {}", work);
}

std::string evidence_text(const Entry& entry, const Catalog& catalog) {
  return joined({kernel_evidence(entry), case_evidence(entry, catalog, "training"),
                 case_evidence(entry, catalog, "inference")},
                "; ");
}

Facts device_facts(const Entry& entry, const Catalog& catalog) {
  const technology::Device& device = catalog.device(entry.name);
  const catalog::CataloguedSystem usual = catalog.usual_system(entry.name);
  const auto rate = [](double si) { return with_si_prefix(si, "B/s"); };
  const std::string dies =
      device.die_area.si() > 0.0
          ? fmt::format("{} of {:.4g} mm2", count_text(device.dies, "die", "dies"),
                        device.die_area.si() * 1e6)
          : "";
  return {
      {"computes", peaks(device)},
      {"beside", with_si_prefix(device.vector_peak.si(), "FLOP/s") + " in vectors; " +
                     fmt::format("{} at {:.4g} GHz", count_text(device.cores, "core", "cores"),
                                 device.clock.si() / 1e9)},
      {"memory",
       joined({fmt::format("{} of {} at {}", written(entry, "dram.capacity"), device.memory,
                           rate(device.dram.bandwidth.si())),
               device.l2.capacity.si() > 0.0 ? with("L2 ", written(entry, "l2.capacity")) : ""})},
      {"links",
       fmt::format("{} at {} among {}; {} at {} beyond", *usual.scale_up,
                   rate(catalog.scale_up(*usual.scale_up).bandwidth.si()), *usual.domain,
                   *usual.scale_out, rate(catalog.scale_out(*usual.scale_out).bandwidth.si()))},
      {"power",
       joined({written(entry, "power"), with("", written(entry, "idle_power"), " of it idle")})},
      {"price", price_text(entry, catalog)},
      {"made of", joined({dies, device.logic, with("on ", written(entry, "package"))})},
      {"evidence", evidence_text(entry, catalog)}};
}

Facts memory_facts(const Entry& entry, const Catalog& catalog) {
  const technology::MemoryTechnology& memory = catalog.memory(entry.name);
  if (memory.in_cores) {
    return {{"holds", "what the cores say: it is in them"}};
  }
  return {
      {"a stack",
       fmt::format("{} at {}, {:.3g} % of it sustained", written(entry, "capacity"),
                   with_si_prefix(memory.stack_bandwidth.si(), "B/s"), 100.0 * memory.sustained)},
      {"pins", fmt::format("{} at {}", with_thousands(memory.pins), written(entry, "pin_rate"))},
      {"takes",
       fmt::format("{} to read, {} to make, {} of the edge of a die", written(entry, "energy"),
                   written(entry, "cost"), written(entry, "edge"))}};
}

std::string latency_text(const Entry& entry) {
  return joined({with("", written(entry, "latency"), " a step"),
                 with("", written(entry, "call_latency"), " a call"),
                 with("", written(entry, "switch_latency"), " a switch")});
}

std::string inside_text(const Entry& entry) {
  return with("blocks of " + written(entry, "inside.size") + " by ", entry.inside);
}

Facts link_facts(const Entry& entry, const Catalog& catalog) {
  const technology::Network& link = catalog.scale_up(entry.name);
  return {
      {"of a device",
       fmt::format("{} each way, {:.3g} % of it sustained",
                   with_si_prefix(link.bandwidth.si(), "B/s"), 100.0 * link.sustained)},
      {"joins", joined({fmt::format("up to {} devices", catalog.largest_domain(entry.name)),
                        with("in them ", inside_text(entry))})},
      {"latency", latency_text(entry)},
      {"takes", fmt::format("{}, {} a device", written(entry, "energy"), written(entry, "cost"))}};
}

Facts port_facts(const Entry& entry, const Catalog& catalog) {
  std::vector<std::string> names;
  for (const std::string& name : catalog.names(Section::scale_out)) {
    if (catalog.entry(Section::scale_out, name) == &entry) {
      names.push_back(name);
    }
  }
  const technology::Network eight = catalog.scale_out(entry.name + "x8");
  return {
      {"a port", fmt::format("{} each way, {:.3g} % of it sustained",
                             with_si_prefix(eight.bandwidth.si(), "B/s"), 100.0 * eight.sustained)},
      {"of eight devices", joined({join(names, ", "), with("in it ", inside_text(entry))})},
      {"latency", latency_text(entry)},
      {"costs", fmt::format("{} a port, {} a port of a switch, {} a cable between switches",
                            written(entry, "port_cost"), written(entry, "switch_cost"),
                            written(entry, "cable_cost"))}};
}

Facts node_facts(const Entry& entry, const Catalog& catalog) {
  const std::size_t slash = entry.name.rfind('/');
  const std::string name = entry.name.substr(slash + 1);
  const technology::LogicNode node = catalog.logic(name, entry.name.substr(0, slash));
  Facts facts = {
      {"density over N7", fmt::format("logic {:.3g}, SRAM {:.3g}, analog {:.3g}",
                                      node.logic_density, node.sram_density, node.analog_density)},
      {"energy over N7",
       fmt::format("{:.3g} an operation, leakage {:.3g}", node.switching_energy, node.leakage)},
      {"voltage",
       fmt::format("{}, {} to {}", written(entry, "voltage"), written(entry, "minimum_voltage"),
                   written(entry, "maximum_voltage"))}};
  if (const Entry* process = catalog.entry(Section::processes, name)) {
    facts.push_back({"a wafer", fmt::format("{}, {} defects", written(*process, "wafer_price"),
                                            written(*process, "defect_density"))});
  }
  return facts;
}

// Of a sequence of so many tokens, or as long as the model takes.
constexpr std::int64_t usual_sequence = 4096;

std::string token_text(const workload::TransformerModel& model) {
  const std::int64_t sequence =
      model.max_positions > 0 ? std::min(model.max_positions, usual_sequence) : usual_sequence;
  const double trained =
      workload::model_flop_per_sequence(model, sequence) / static_cast<double>(sequence);
  const double kept = 2.0 * workload::cache_elements(model, 1) *
                      workload::layers_with(model, workload::Mixer::attention);
  return fmt::format("{} forward, {} in training (of {} tokens)",
                     with_si_prefix(trained / 3.0, "FLOP"), with_si_prefix(trained, "FLOP"),
                     with_thousands(sequence)) +
         (model.causal ? fmt::format("; {} of cache in 16 bits", with_si_prefix(kept, "B")) : "");
}

Facts model_facts(const Entry& entry, const Catalog& catalog) {
  const workload::TransformerModel& model = catalog.model(entry.name);
  const bool sparse = model.experts.count > 0;
  const std::string heads = model.latent.on()
                                ? fmt::format("{} heads of latent attention", model.heads)
                                : fmt::format("{} heads of {}, {} heads of keys and values",
                                              model.heads, model.head_dim, model.kv_heads);
  Facts facts = {
      {"parameters",
       amount(model.parameters()) +
           (sparse ? fmt::format(", {} of them for a token", amount(model.active_parameters()))
                   : "")},
      {"layers",
       fmt::format("{} of width {}, {}, MLP of {}", model.layers, model.hidden, heads, model.ffn)}};
  if (sparse) {
    facts.push_back(
        {"experts", fmt::format("{}, {} of them for a token, each of {}", model.experts.count,
                                model.experts.top_k, model.experts.ffn)});
  }
  facts.push_back({"a token takes", token_text(model)});
  facts.push_back(
      {"reads",
       fmt::format("up to {} tokens out of {}{}", with_thousands(model.max_positions),
                   with_thousands(model.vocab), with(", and what ", entry.inside, " encodes"))});
  return facts;
}

Facts recommender_facts(const Entry& entry, const Catalog& catalog) {
  const workload::RecommendationModel& model = catalog.recommender(entry.name);
  return {{"parameters", fmt::format("{} in tables, {} in layers", amount(model.table_parameters()),
                                     amount(model.dense_parameters()))},
          {"tables", fmt::format("{:.0f}", model.table_count())},
          {"a sample reads", fmt::format("{:.4g} rows", model.lookups())}};
}

Facts diffusion_facts(const Entry& entry, const Catalog& catalog) {
  const workload::DiffusionModel& model = catalog.diffusion_model(entry.name);
  std::int64_t layers = 0;
  for (const std::int64_t count : model.layers) {
    layers += count;
  }
  return {{"parameters", fmt::format("{}, {} with encoders and decoder", amount(model.parameters()),
                                     amount(model.all_parameters()))},
          {"layers", fmt::format("{} of width {}, {} heads", layers, model.hidden, model.heads)},
          {"makes", fmt::format("{} in {} steps of {}", model.makes_video() ? "videos" : "images",
                                model.steps, count_text(model.passes, "pass", "passes"))}};
}

Facts facts_of(const Entry& entry, const Catalog& catalog) {
  switch (entry.section) {
    case Section::devices:
      return device_facts(entry, catalog);
    case Section::logic:
      return node_facts(entry, catalog);
    case Section::memories:
      return memory_facts(entry, catalog);
    case Section::scale_up:
      return link_facts(entry, catalog);
    case Section::scale_out:
      return port_facts(entry, catalog);
    case Section::models:
      return model_facts(entry, catalog);
    case Section::recommenders:
      return recommender_facts(entry, catalog);
    case Section::diffusion_models:
      return diffusion_facts(entry, catalog);
    default:
      return {};
  }
}

}  // namespace

bool has_measured_kernels(const Entry& device) {
  return has_gemm_of(device, {catalog::SourceKind::calibrated, catalog::SourceKind::measured});
}

Sheet summary_sheet(const std::vector<const Entry*>& entries, const Catalog& catalog) {
  Sheet sheet{"summary",
              "",
              {{"entry_kind", "", Align::left},
               {"entry", "", Align::left},
               {"what", "", Align::left},
               {"text", "", Align::left}},
              {},
              false};
  for (const Entry* entry : entries) {
    for (const Fact& fact : facts_of(*entry, catalog)) {
      if (!fact.text.empty()) {
        sheet.rows.push_back(
            {std::string(catalog::name_of(entry->section)), entry->name, fact.what, fact.text});
      }
    }
  }
  return sheet;
}

Sheet for_people(const Sheet& summary) {
  Sheet sheet = summary;
  sheet.columns.erase(sheet.columns.begin(), sheet.columns.begin() + 2);
  for (std::vector<Cell>& row : sheet.rows) {
    row.erase(row.begin(), row.begin() + 2);
  }
  return sheet;
}

}  // namespace scalesweep::cli
