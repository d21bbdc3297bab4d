#include "cli/recommend/options.hpp"

#include <fmt/format.h>

namespace scalesweep::cli {
namespace {

void add_training_options(Command& command, RecommendArguments& arguments) {
  Question& question = arguments.question;
  command.flag("--train", arguments.train, "What trains soonest");
  command
      .option("--sequence", question.sequence, "TOKENS",
              "Training: length of a sequence (default: 8192, or the context of the model)")
      .at_least(1);
  command.option("--global-batch", question.global_batch, "N", "Training: sequences of a step")
      .at_least(1);
  command.option(
      "--tokens", arguments.batch_tokens, "TOKENS",
      "Training: tokens of a step, '4 M', in place of --global-batch (default: 4194304)");
  command.option("--run-tokens", arguments.run_tokens, "TOKENS",
                 "Training: tokens of the whole run, '15 T': how many days it takes, and what it "
                 "costs");
}

void add_session_options(Command& command, Question& question) {
  command
      .option("--turns", question.turns, "N",
              "Serving: turns of a session, a chat or an agent; --prompt is the first of them, and "
              "--concurrency counts sessions")
      .at_least(1);
  command
      .option("--turn-tokens", question.turn_tokens, "TOKENS",
              "Sessions: what a user or a tool adds before each turn but the first")
      .at_least(0);
  command
      .option("--shared-prompt", question.shared_prompt, "TOKENS",
              "Sessions: tokens of --prompt that all begin with (default: 0)")
      .at_least(0);
  command.option("--think-time", question.think_time, "TIME",
                 "Sessions: from an answer to the next turn, '30 s' (default: none)");
  command.option("--host-cache", question.host_cache, "SIZE",
                 "Sessions: host memory for each device that keeps what was said, '200 GB' "
                 "(default: none)");
}

void add_serving_options(Command& command, RecommendArguments& arguments) {
  Question& question = arguments.question;
  command.flag("--serve", arguments.serve, "What serves most tokens a second");
  command
      .option("--prompt", question.prompts, "TOKENS",
              "Serving: prompt of a request; several with commas are a mix")
      .list();
  command
      .option("--output-tokens", question.outputs, "TOKENS",
              "Serving: output of a request, one for each of --prompt")
      .list();
  command
      .option("--share", question.shares, "SHARES",
              "Serving: how many of each there are, relative to each other (default: alike)")
      .list();
  add_session_options(command, question);
  question.limits = latency_limits();
  for (LatencyLimit& limit : question.limits) {
    command.option(limit.option, limit.value, "TIME",
                   fmt::format("Serving: limit on {}, '{}'", limit.key,
                               limit.option.starts_with("--ttft") ? "2 s" : "30 ms"));
  }
  command.option("--request-rate", question.request_rate, "RATE",
                 "Serving: requests that arrive, '20 Hz': which layout answers them fastest "
                 "(default: as many as can be answered)");
  command
      .option("--concurrency", question.concurrency, "N",
              "Serving: requests in flight, each followed by the next, in place of "
              "--request-rate; each of several with commas is answered")
      .list();
  command.flag("--curve", question.curve,
               "Serving: output tokens/s a device over tokens/s a user, the best layout at each "
               "rate, over all numbers of requests in flight");
  command.option("--figure", question.figure, "FILE", "Draw the curve (FILE.svg)");
  command.option("--measured", question.measured, "FILE",
                 "Draw measured points beside it (FILE.csv: tokens_per_s_user, "
                 "tokens_per_s_device, label)");
}

void add_system_options(Command& command, Question& question) {
  command.require(command.option("--model", question.model, "MODEL",
                                 "A model of the catalog, or its config.json from Hugging Face, "
                                 "or the folder of that"),
                  "which model? add --model NAME; 'scalesweep catalog list --kind models' lists "
                  "them");
  const Option device = command.option("--device", question.devices, "NAME",
                                       "A device of the catalog; of several with commas the best "
                                       "is told");
  Option(device).list();
  command.require(device,
                  "on what? add --device NAME; 'scalesweep catalog list --kind devices' lists "
                  "them");
  Option(command.option("--devices", question.counts, "N",
                        "How many; each of several with commas is answered"))
      .list();
  command.option("--budget", question.budget, "AMOUNT",
                 "In place of --devices: as many as a power ('500 kW') or a capital ('2 MUSD') "
                 "allows, with servers and networks");
}

void add_software_options(Command& command, Question& question) {
  Option(command.option("--precision", question.precisions, "NAME",
                        "bf16, fp8, ..., of serving w4a16 and w8a16 too; of several with commas "
                        "the best is told (default: bf16; of serving as the weights are "
                        "published)"))
      .list();
  Option(command.option("--cache", question.caches, "NAME",
                        "Serving: keys and values in bf16, fp8, ...; of several with commas the "
                        "best is told (default: bf16; where 8 bits or fewer are multiplied, and "
                        "without --curve, bf16 and fp8)"))
      .list();
  question.keys = key_options();
  for (KeyOption& one : question.keys) {
    std::visit(
        [&](auto& values) { command.option(one.option, values, one.type, one.description).list(); },
        one.values);
  }
  Option(command.option("--framework", question.frameworks, "NAME",
                        "The software (default: megatron-lm, of serving vllm); of several with "
                        "commas the best is told"))
      .list();
  command.option("--network", question.network, "NAME",
                 "Between servers, 'NDRx8' (default: that of the device)");
}

}  // namespace

void read_tokens(RecommendArguments& arguments) {
  const auto read = [](const char* option, const std::string& text,
                       std::optional<std::int64_t>& tokens) {
    if (!text.empty()) {
      tokens = parse_tokens(option, text);
    }
  };
  read("--tokens", arguments.batch_tokens, arguments.question.batch_tokens);
  read("--run-tokens", arguments.run_tokens, arguments.question.run_tokens);
}

void add_options(Command& command, RecommendArguments& arguments) {
  Question& question = arguments.question;
  add_system_options(command, question);
  add_training_options(command, arguments);
  add_serving_options(command, arguments);
  add_software_options(command, question);
  command
      .option("--top", arguments.top, "K",
              "Layouts to show (default: 5), or points of a curve (12)")
      .at_least(1);
  command.flag("--what-to-measure", arguments.what_to_measure,
               "What to measure where layouts cannot be told apart, and how much less the choice "
               "is then expected to lose");
  command.option("-o,--output", arguments.output, "OUT.h5",
                 "Keep the study (default: a temporary file)");
  command.option("--save-spec", arguments.save_spec, "FILE", "Keep its spec, to change and run");
}

}  // namespace scalesweep::cli
