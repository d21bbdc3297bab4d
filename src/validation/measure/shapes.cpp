#include "validation/measure/shapes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "validation/systems.hpp"
#include "workload/layer.hpp"
#include "workload/model.hpp"

namespace scalesweep::validation {
namespace {

using technology::Precision;

// Tokens that linear layers work on at a time: of decode, and of prefill or a micro-batch.
constexpr std::array<std::int64_t, 9> token_counts = {1, 8, 32, 64, 128, 256, 512, 2048, 8192};
// Products of sizes that no model gives: square ones, from latency-bound to long, then such with
// little of one side, and rows just above whole tiles.
struct Product {
  std::int64_t m, k, n;
};
constexpr std::array<Product, 17> products = {{{256, 256, 256},
                                               {512, 512, 512},
                                               {1024, 1024, 1024},
                                               {2048, 2048, 2048},
                                               {3072, 3072, 3072},
                                               {4096, 4096, 4096},
                                               {6144, 6144, 6144},
                                               {8192, 8192, 8192},
                                               {16384, 16384, 16384},
                                               {1, 16384, 16384},
                                               {16, 65536, 4096},
                                               {128, 65536, 1024},
                                               {8192, 512, 8192},
                                               {16384, 8192, 256},
                                               {264, 8192, 8192},
                                               {776, 4096, 14336},
                                               {4104, 4112, 4112}}};
struct Prompts {
  std::int64_t batch, sequence;
};
constexpr std::array<Prompts, 9> prefills = {{{1, 512},
                                              {1, 2048},
                                              {1, 8192},
                                              {1, 32768},
                                              {4, 1024},
                                              {4, 4096},
                                              {16, 512},
                                              {16, 2048},
                                              {64, 512}}};
constexpr std::array<Prompts, 12> decodes = {{{1, 512},
                                              {1, 8192},
                                              {1, 65536},
                                              {4, 2048},
                                              {4, 32768},
                                              {16, 512},
                                              {16, 4096},
                                              {16, 16384},
                                              {64, 1024},
                                              {64, 8192},
                                              {256, 512},
                                              {256, 2048}}};
constexpr double most_cache_bytes = 24e9;  // of one decode: what a part of any memory holds
constexpr std::array<int, 8> stream_exponents = {16, 18, 20, 22, 24, 26, 28, 31};  // of 2, bytes
constexpr std::array<int, 9> message_exponents = {10, 13, 16, 18, 20, 22, 24, 27, 30};
constexpr std::array<std::string_view, 4> collectives = {"all_reduce", "all_gather",
                                                         "reduce_scatter", "all_to_all"};
constexpr int largest_group = 8;  // of ranks: a node

std::string_view word_of(Precision precision) {
  return precision == Precision::fp4 ? "nvfp4" : technology::name_of(precision);
}

class Collector {
 public:
  Collector(const technology::System& system, const ShapeQuestion& question)
      : system_(system), question_(question) {}

  void matmul(double m, double k, double n) {
    for (const Precision precision : question_.precisions) {
      add(fmt::format("matmul-{}-{}-{}x{}x{}", question_.device, word_of(precision), m, k, n),
          "matmul",
          {{"m", number_cell(m)},
           {"k", number_cell(k)},
           {"n", number_cell(n)},
           {"precision", std::string(word_of(precision))}});
    }
  }

  void attention(std::string_view op, const Prompts& size, std::int64_t heads,
                 std::int64_t kv_heads, std::int64_t head_dim) {
    CaseCells cells = {
        {"batch", std::to_string(size.batch)},  {"seq", std::to_string(size.sequence)},
        {"heads", std::to_string(heads)},       {"kv_heads", std::to_string(kv_heads)},
        {"head_dim", std::to_string(head_dim)}, {"precision", sixteen_bits()},
        {"kv_precision", sixteen_bits()}};
    if (op == "attention_prefill") {
      cells["causal"] = "true";
    }
    add(fmt::format("{}-{}-{}-b{}-s{}-h{}-{}-d{}", op, question_.device, sixteen_bits(), size.batch,
                    size.sequence, heads, kv_heads, head_dim),
        op, cells);
  }

  // Dealt out by chance. `ep`: devices that they are spread over; `tp`: those that share each.
  void experts(const workload::TransformerModel& model, std::int64_t tokens, std::int64_t ep,
               std::int64_t tp) {
    const workload::Experts& experts = model.experts;
    for (const Precision precision : question_.precisions) {
      add(fmt::format("experts-{}-{}-t{}-h{}-f{}-e{}-k{}-ep{}-tp{}", question_.device,
                      word_of(precision), tokens, model.hidden, experts.ffn, experts.count,
                      experts.top_k, ep, tp),
          "experts",
          {{"tokens", std::to_string(tokens)},
           {"hidden", std::to_string(model.hidden)},
           {"expert_ffn", std::to_string(experts.ffn)},
           {"gated_ffn", model.gated_ffn ? "true" : "false"},
           {"experts", std::to_string(experts.count)},
           {"experts_per_token", std::to_string(experts.top_k)},
           {"ep", std::to_string(ep)},
           {"tp", std::to_string(tp)},
           {"precision", std::string(word_of(precision))}});
    }
  }

  void latent(std::string_view op, const Prompts& size, std::int64_t heads,
              const workload::LatentAttention& latent) {
    add(fmt::format("{}-{}-{}-b{}-s{}-h{}-r{}-{}", op, question_.device, sixteen_bits(), size.batch,
                    size.sequence, heads, latent.kv_rank, latent.rope_dim),
        op,
        {{"batch", std::to_string(size.batch)},
         {"seq", std::to_string(size.sequence)},
         {"heads", std::to_string(heads)},
         {"kv_rank", std::to_string(latent.kv_rank)},
         {"rope_dim", std::to_string(latent.rope_dim)},
         {"nope_dim", std::to_string(latent.nope_dim)},
         {"value_dim", std::to_string(latent.value_dim)},
         {"precision", sixteen_bits()},
         {"kv_precision", sixteen_bits()}});
  }

  void stream(double bytes) {
    add(fmt::format("pointwise-{}-{}", question_.device, bytes), "pointwise",
        {{"bytes", number_cell(bytes)}, {"precision", sixteen_bits()}});
  }

  void collective(std::string_view op, int ranks, double bytes) {
    add(fmt::format("{}-{}-{}-{}", op, question_.device, ranks, bytes), op,
        {{"bytes", number_cell(bytes)}, {"precision", sixteen_bits()}}, ranks);
  }

  std::vector<CaseCells> rows;

 private:
  std::string sixteen_bits() const {
    return std::string(technology::name_of(usual_sixteen_bit(system_.device)));
  }

  void add(const std::string& name, std::string_view op, CaseCells cells, int ranks = 1) {
    if (!known_.insert(name).second) {
      return;
    }
    cells["case"] = name;
    cells["device"] = question_.device;
    cells["gpus"] = std::to_string(ranks);
    cells["op"] = std::string(op);
    rows.push_back(std::move(cells));
  }

  const technology::System& system_;
  const ShapeQuestion& question_;
  std::set<std::string> known_;
};

// Whole heads and experts on one device, and split over the largest domain that divides them.
std::vector<std::int64_t> tensor_shards(const workload::TransformerModel& model, int domain) {
  std::vector<std::int64_t> shards = {1};
  for (std::int64_t size = std::min(domain, largest_group); size > 1; size /= 2) {
    if (model.heads % size == 0 && model.kv_heads % size == 0 && model.ffn % size == 0) {
      shards.push_back(size);
      break;
    }
  }
  return shards;
}

// GEMMs of a layer as the model of the program has them; experts are batches of GEMMs, of which
// rows of their own speak.
void add_products(const workload::TransformerModel& model, std::int64_t shards, Collector& to) {
  for (const std::int64_t tokens : token_counts) {
    workload::Slice slice;
    slice.sequence = tokens;
    slice.tensor_shards = shards;
    for (const workload::Operator& op : workload::layer_operators(model, slice).forward) {
      const auto* product = op.as<workload::MatMul>();
      if (product != nullptr && product->batch == 1.0 && product->low_precision) {
        to.matmul(product->m, product->k, product->n);
      }
    }
  }
}

void add_attention(const workload::TransformerModel& model, std::int64_t shards, Collector& to) {
  const std::int64_t heads = model.heads / shards;
  const std::int64_t kv_heads = model.kv_heads / shards;
  for (const Prompts& size : prefills) {
    to.attention("attention_prefill", size, heads, kv_heads, model.head_dim);
  }
  for (const Prompts& size : decodes) {
    const auto elements = static_cast<double>(size.batch * size.sequence * kv_heads);
    if (4.0 * elements * static_cast<double>(model.head_dim) <= most_cache_bytes) {
      to.attention("attention_decode", size, heads, kv_heads, model.head_dim);
    }
  }
}

// On one device, each cut into as many parts, and spread over the node.
void add_experts(const workload::TransformerModel& model, int domain, Collector& to) {
  const std::int64_t most = std::min(domain, largest_group);
  for (const std::int64_t tokens : token_counts) {
    for (const std::int64_t shards : tensor_shards(model, domain)) {
      to.experts(model, tokens, 1, shards);
    }
    if (model.experts.count % most == 0) {
      to.experts(model, tokens, most, 1);
    }
  }
}

void add_latent(const workload::TransformerModel& model, std::int64_t shards, Collector& to) {
  const std::int64_t heads = model.heads / shards;
  for (const Prompts& size : prefills) {
    to.latent("latent_prefill", size, heads, model.latent);
  }
  for (const Prompts& size : decodes) {
    to.latent("latent_decode", size, heads, model.latent);
  }
}

void add_collectives(int domain, Collector& to) {
  for (const std::string_view op : collectives) {
    for (int ranks = 2; ranks <= std::min(domain, largest_group); ranks *= 2) {
      for (const int exponent : message_exponents) {
        to.collective(op, ranks, std::ldexp(1.0, exponent));
      }
    }
  }
}

}  // namespace

std::vector<Precision> measured_precisions(const technology::Device& device) {
  std::vector<Precision> found = {usual_sixteen_bit(device)};
  for (const Precision precision : {Precision::fp8, Precision::fp4, Precision::mxfp4}) {
    if (technology::has_peak(device, precision)) {
      found.push_back(precision);
    }
  }
  return found;
}

std::vector<CaseCells> shapes_to_measure(const catalog::Catalog& catalog,
                                         const ShapeQuestion& question) {
  Systems systems(catalog);
  const technology::System& system = systems.of(question.device, 1);
  Collector collector(system, question);
  for (const std::string& name : question.models) {
    const workload::TransformerModel& model = catalog.model(name);
    for (const std::int64_t shards : tensor_shards(model, system.scale_up_domain())) {
      add_products(model, shards, collector);
      if (model.latent.on()) {
        add_latent(model, shards, collector);
      } else {
        add_attention(model, shards, collector);
      }
    }
    if (model.experts.on()) {
      add_experts(model, system.scale_up_domain(), collector);
    }
  }
  for (const Product& product : products) {
    collector.matmul(static_cast<double>(product.m), static_cast<double>(product.k),
                     static_cast<double>(product.n));
  }
  for (const int exponent : stream_exponents) {
    collector.stream(std::ldexp(1.0, exponent));
  }
  add_collectives(system.scale_up_domain(), collector);
  return std::move(collector.rows);
}

}  // namespace scalesweep::validation
