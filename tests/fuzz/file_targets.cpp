// Files that people give to commands, against the catalog that ships.
#include <set>

#include "catalog/import/import_model.hpp"
#include "config/document.hpp"
#include "deploy/import/import_run.hpp"
#include "fuzz/known_study.hpp"
#include "fuzz/laws.hpp"
#include "space/keys/spec_keys.hpp"
#include "space/read/spec.hpp"
#include "space/requests/request_trace.hpp"
#include "study/resolve/check_names.hpp"
#include "study/resolve/settle_names.hpp"
#include "validation/cases/case_file.hpp"
#include "validation/measure/logs.hpp"

namespace scalesweep::fuzz {
namespace {

const std::string first_requests = "arrival,prompt,output\n0,100,20\n1,200,10\n3,50,400\n";

// In the place of the file that a spec names: nothing of a disk is read.
const space::ReducedTrace& known_trace() {
  static const space::ReducedTrace trace = [] {
    Diagnostics diagnostics;
    return space::reduce_trace("a.csv", first_requests, {}, diagnostics).value();
  }();
  return trace;
}

void expect_toml(const std::string& text) {
  Diagnostics diagnostics;
  const bool is_toml = config::Document::parse("made.toml", text, diagnostics).has_value();
  require(is_toml, "what is made is TOML: " + diagnostics.text());
}

validation::LogRows rows_of(validation::LogKind kind, const validation::Log& log) {
  switch (kind) {
    case validation::LogKind::collectives:
      return validation::read_collectives(log);
    case validation::LogKind::nvbench:
      return validation::read_nvbench(log);
    case validation::LogKind::nvbench_csv:
      return validation::read_nvbench_csv(log);
    case validation::LogKind::trace:
      return validation::read_trace(log);
    case validation::LogKind::training:
      break;
  }
  return {};
}

}  // namespace

void run_spec(Bytes input) {
  const catalog::Catalog& catalog = *known_catalog();
  Diagnostics diagnostics;
  space::SpecCheck check;
  check.trace = known_trace();
  check.names = [&](std::vector<space::Axis>& axes) {
    study::settle_names(axes, catalog, diagnostics);
  };
  check.spec = [&](const space::Spec& spec) {
    study::check_spec(spec, study::kind_of(spec), catalog, diagnostics);
  };
  const auto spec = space::read_spec("spec.toml", text_of(input), diagnostics, check);
  require(spec.has_value() != diagnostics.has_errors(), "a spec, or why it is none");
  diagnostics.text();
}

void run_cases(Bytes input) {
  const catalog::Catalog& catalog = *known_catalog();
  Diagnostics diagnostics;
  const auto cases = validation::evaluate_file("a.csv", text_of(input), catalog, "", diagnostics);
  diagnostics.text();
  if (cases) {
    require(cases->rows.size() == cases->table.rows(), "each row is told of");
    validation::predictions_csv(*cases);
  }
}

void run_trace(Bytes input) {
  Diagnostics diagnostics;
  const auto trace = space::reduce_trace("a.csv", text_of(input), {"spec.toml", 1, 1}, diagnostics);
  require(trace.has_value() != diagnostics.has_errors(), "a trace, or why it is none");
  diagnostics.text();
}

void run_log(Bytes input) {
  const validation::Log log = {"a.log", text_of(input), "h100-sxm"};
  succeeds([&] {
    if (const auto kind = validation::kind_of_log(log.text)) {
      const validation::LogRows read = rows_of(*kind, log);
      validation::case_text(validation::written_columns(read.rows), read.rows);
    }
  });
}

void run_config(Bytes input) {
  Diagnostics diagnostics;
  const auto model = catalog::import_model("config.json", text_of(input), "", diagnostics);
  require(model.has_value() != diagnostics.has_errors(), "a model, or why it is none");
  diagnostics.text();
  if (model) {
    expect_toml(catalog::catalog_text(*model));
  }
}

void run_import(Bytes input) {
  const catalog::Catalog& catalog = *known_catalog();
  Choices choices(input);
  const std::uint8_t asked = choices.byte();
  const deploy::GivenFile file = {"given", text_of(choices.rest())};
  const auto formats = deploy::import_format_names.size();
  auto format = deploy::format_of(file);
  if (!format && asked % 8 < formats) {
    format = static_cast<deploy::ImportFormat>(asked % 8);
  }
  if (!format) {
    return;
  }
  deploy::ImportQuestion question;
  question.device = (asked & 0x10U) != 0 ? "h100-sxm" : "";
  question.like = (asked & 0x20U) != 0 ? "a100-sxm-80gb" : "";
  question.model = (asked & 0x40U) != 0 ? "llama-2-7b" : "";
  question.devices = (asked & 0x80U) != 0 ? 16 : 0;
  question.vocab = (asked & 0x08U) != 0 ? 32000 : 0;
  succeeds([&] {
    const deploy::Imported imported = deploy::import_files(*format, {file}, catalog, question);
    if (imported.has_spec()) {
      expect_toml(deploy::spec_text(imported));
    }
    expect_toml(imported.entries);
  });
}

std::vector<std::string> spec_words() {
  std::set<std::string> words = {
      "[[",      "]]",    " = ",       "{ ",      " }",       "\n", "powers_of_two_to = ",
      "from = ", "to = ", "values = ", "mean = ", "spread = "};
  for (const space::Key& key : space::spec_keys()) {
    words.insert(std::string(key.name()) + " = ");
    words.insert(std::string(key.path));
    words.insert(std::string(key.example));
    for (const std::string_view word : key.words) {
      words.insert("\"" + std::string(word) + "\"");
    }
  }
  for (const catalog::Entry& entry : known_catalog()->entries()) {
    words.insert("\"" + entry.name + "\"");
  }
  return {words.begin(), words.end()};
}

std::vector<std::string> cases_words() {
  std::vector<std::string> words = {"h100-sxm", "a100-sxm-80gb", "llama-2-7b", "bf16",
                                    "fp8",      "1e308",         "-1",         "0"};
  for (const char* column : {"case",
                             "source",
                             "device",
                             "gpus",
                             "op",
                             "m",
                             "k",
                             "n",
                             "batch",
                             "seq",
                             "heads",
                             "kv_heads",
                             "head_dim",
                             "causal",
                             "precision",
                             "bytes",
                             "library",
                             "time_s",
                             "metric",
                             "model",
                             "tp",
                             "pp",
                             "dp",
                             "micro_batch",
                             "zero",
                             "prompts",
                             "output",
                             "prompt",
                             "recommender",
                             "width",
                             "height",
                             "framework",
                             "value",
                             "global_batch",
                             "recompute",
                             "matmul",
                             "all_reduce",
                             "latency_s",
                             "attention_decode",
                             "step_time_s",
                             "diffusion_model"}) {
    words.emplace_back(column);
  }
  return words;
}

std::vector<std::string> trace_words() {
  return {"arrival",   "prompt",    "output", "prefix", "prefix_tokens", "86400", "1e308",
          "helper/17", "2000/5400", ",,",     "\n",     "0,1,1\n",       "nan",   "1e-300"};
}

std::vector<std::string> log_words() {
  return {"all_reduce_perf",
          "# nccl-tests",
          "float",
          "bfloat16",
          "\"traceEvents\"",
          "\"dur\"",
          "\"name\"",
          "\"args\"",
          "\"Input Dims\"",
          "\"cat\": \"kernel\"",
          "\"nvbench\"",
          "\"measurements\"",
          "iteration",
          "elapsed time per iteration (ms):",
          "\"ph\": \"X\"",
          "External id",
          "N/A",
          "1e308",
          "-1",
          "\"states\"",
          "\"summaries\""};
}

std::vector<std::string> config_words() {
  std::vector<std::string> words = {
      "true", "false", "null", "0", "-1", "1e308", "9223372036854775807", "[]", "{}"};
  for (const std::string& family : catalog::importable_models()) {
    words.push_back("\"" + family + "\"");
  }
  for (const char* key : {"model_type",
                          "hidden_size",
                          "num_hidden_layers",
                          "num_attention_heads",
                          "num_key_value_heads",
                          "head_dim",
                          "intermediate_size",
                          "vocab_size",
                          "max_position_embeddings",
                          "sliding_window",
                          "layer_types",
                          "num_local_experts",
                          "num_experts",
                          "num_experts_per_tok",
                          "moe_intermediate_size",
                          "first_k_dense_replace",
                          "text_config",
                          "vision_config",
                          "q_lora_rank",
                          "kv_lora_rank",
                          "qk_rope_head_dim",
                          "tie_word_embeddings",
                          "mlp_only_layers",
                          "decoder_sparse_step"}) {
    words.push_back("\"" + std::string(key) + "\": ");
  }
  return words;
}

std::vector<std::string> import_words() {
  return {"--num-layers ",
          "--hidden-size ",
          "--tensor-model-parallel-size ",
          "--bf16",
          " \\\n",
          "\"tensor_par\": ",
          "\"num_blocks\": ",
          "\"mem1\": ",
          "\"compute_chiplet\": ",
          "tech_param:",
          "aiconfigurator ",
          "--isl ",
          "--osl ",
          "[parallelism]\n",
          "[training]\n",
          "- ",
          ": ",
          "&a ",
          "*a",
          "<<: ",
          "!!binary ",
          "--- \n",
          "1e308",
          "0x10",
          "{}",
          "[]",
          "--model ",
          "--system ",
          "--backend ",
          "--total-gpus ",
          "\"networks\": "};
}

}  // namespace scalesweep::fuzz
