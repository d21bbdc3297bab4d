// Inputs made of others, always the same ones for a seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace scalesweep::fuzz {

using Input = std::vector<std::uint8_t>;

class Mutator {
 public:
  // `words` may be empty.
  Mutator(std::uint64_t seed, std::vector<std::string> words, std::size_t longest)
      : random_(seed), words_(std::move(words)), longest_(longest) {}

  // A few changes of one of the known inputs, which there must be; at most as long as asked for.
  Input draw(const std::vector<Input>& known);

 private:
  std::size_t below(std::size_t n);
  void change(Input& input, const std::vector<Input>& known);

  std::mt19937_64 random_;
  std::vector<std::string> words_;
  std::size_t longest_;
};

}  // namespace scalesweep::fuzz
