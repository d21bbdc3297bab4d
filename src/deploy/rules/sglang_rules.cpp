// What SGLang refuses.
#include <array>

#include "deploy/rules/program_rules.hpp"

namespace scalesweep::deploy {
namespace {

constexpr auto rules = std::to_array<Rule>({
    {[](const Subject&) -> std::string { return "decode_context_parallel > 1"; },
     "decode context parallelism, which came as --dcp-size in 2026-08",
     "python/sglang/srt/server_args.py of 65d3b47f has no such option, of 001067ff it has",
     before("main-2026-08")},
});

}  // namespace

std::span<const Rule> sglang_rules() {
  return rules;
}

}  // namespace scalesweep::deploy
