#include "deploy/manifests/container_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "deploy/parts/versions.hpp"

namespace scalesweep::deploy {
namespace {

// Of devices whose names begin so; {} is the version.
struct Image {
  EngineKind engine;
  Vendor vendor;
  std::string_view text;
  Versions in = {};
  std::string_view devices = "";
};

constexpr std::string_view newest = "main";  // of the branch

// vLLM: .buildkite/scripts/annotate-release.sh at be22bb6f, publish-release-images.sh,
// push-nightly-builds.sh and push-nightly-builds-rocm.sh at 017e9f44; for AMD since 41c544f7
// (2026-01-16, before v0.14). TPU: docs/examples/vllm/TPU/lws.yaml of kubernetes-sigs/lws at
// 060ab4da; .buildkite/release-pipeline.yaml:113 at be22bb6f.
// SGLang: .github/workflows/release-docker.yml at 5c8bd8b5, release-docker-dev.yml:64 at 65d3b47f,
// release-docker-amd.yml at a4a3d823 and 65d3b47f; those of a branch for AMD have the day in their
// names. TensorRT-LLM: container/context.yaml of ai-dynamo/dynamo at 3890a4d9 names its image so.
constexpr auto images = std::to_array<Image>({
    {EngineKind::vllm, Vendor::nvidia, "vllm/vllm-openai:v{}", before(newest)},
    {EngineKind::vllm, Vendor::nvidia, "vllm/vllm-openai:nightly", since(newest)},
    {EngineKind::vllm, Vendor::amd, "vllm/vllm-openai-rocm:v{}", {"0.14", newest}},
    {EngineKind::vllm, Vendor::amd, "vllm/vllm-openai-rocm:nightly", since(newest)},
    {EngineKind::vllm, Vendor::google, "vllm/vllm-tpu:latest", before(newest)},
    {EngineKind::vllm, Vendor::google, "vllm/vllm-tpu:nightly", since(newest)},
    {EngineKind::sglang, Vendor::nvidia, "lmsysorg/sglang:v{}", before(newest)},
    {EngineKind::sglang, Vendor::nvidia, "lmsysorg/sglang:dev", since(newest)},
    {EngineKind::sglang, Vendor::amd, "lmsysorg/sglang:v{}-rocm700-mi35x", before(newest), "mi35"},
    {EngineKind::sglang, Vendor::amd, "lmsysorg/sglang:v{}-rocm700-mi30x", before(newest), "mi3"},
    {EngineKind::tensorrt_llm, Vendor::nvidia, "nvcr.io/nvidia/tensorrt-llm/release:{}"},
});

// Releases have three numbers: "0.22" is 0.22.0.
std::string release(std::string_view version) {
  const auto dots = std::count(version.begin(), version.end(), '.');
  return std::string(version) + (dots == 1 ? ".0" : "");
}

}  // namespace

std::string container_image(const Engine& engine) {
  const auto found = std::find_if(images.begin(), images.end(), [&](const Image& image) {
    return image.engine == engine.kind && image.vendor == engine.vendor() &&
           image.in.has(engine.version) && engine.device.starts_with(image.devices);
  });
  return found == images.end() ? ""
                               : fmt::format(fmt::runtime(found->text), release(engine.version));
}

std::string_view device_resource(Vendor vendor) {
  switch (vendor) {
    case Vendor::nvidia:
      return "nvidia.com/gpu";
    case Vendor::amd:
      return "amd.com/gpu";
    case Vendor::google:
      return "google.com/tpu";
    case Vendor::intel:
      return "habana.ai/gaudi";
    case Vendor::amazon:
    case Vendor::intel_cpu:
    case Vendor::cerebras:
      break;
  }
  return "";
}

}  // namespace scalesweep::deploy
