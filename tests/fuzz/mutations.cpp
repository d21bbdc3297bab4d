#include "fuzz/mutations.hpp"

#include <algorithm>
#include <array>

namespace scalesweep::fuzz {
namespace {

constexpr std::size_t most_changes = 5;
constexpr std::size_t longest_part = 64;

// Where numbers of machines end, and what separates words.
constexpr std::array<std::uint8_t, 12> odd_bytes = {0,   1,   0x7f, 0x80, 0xff, 0xfe,
                                                    '"', '.', '0',  '9',  '-',  '\n'};

auto at(Input& input, std::size_t place) {
  return input.begin() + static_cast<std::ptrdiff_t>(place);
}

}  // namespace

std::size_t Mutator::below(std::size_t n) {
  return n == 0 ? 0 : random_() % n;
}

Input Mutator::draw(const std::vector<Input>& known) {
  Input input = known[below(known.size())];
  for (std::size_t left = 1 + below(most_changes); left > 0; --left) {
    change(input, known);
  }
  input.resize(std::min(input.size(), longest_));
  return input;
}

void Mutator::change(Input& input, const std::vector<Input>& known) {
  const std::size_t place = below(input.size() + 1);
  const std::size_t length = std::min(below(longest_part), input.size() - place);
  const auto byte = static_cast<std::uint8_t>(random_());
  switch (below(words_.empty() ? 7 : 10)) {
    case 0:
      input.insert(at(input, place), byte);
      break;
    case 1:
      if (place < input.size()) {
        input[place] ^= static_cast<std::uint8_t>(1U << byte % 8);
      }
      break;
    case 2:
      if (place < input.size()) {
        input[place] = odd_bytes[byte % odd_bytes.size()];
      }
      break;
    case 3:
      input.erase(at(input, place), at(input, place + length));
      break;
    case 4: {  // the same twice
      const Input part(at(input, place), at(input, place + length));
      input.insert(at(input, below(input.size() + 1)), part.begin(), part.end());
      break;
    }
    case 5: {  // the end of another
      const Input& other = known[below(known.size())];
      const std::size_t from = below(other.size() + 1);
      input.resize(place);
      input.insert(input.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
      break;
    }
    case 6:
      input.resize(place + byte % 8, byte);
      break;
    default: {
      const std::string& word = words_[below(words_.size())];
      const bool in_place = byte % 2 == 0;
      if (in_place) {
        input.erase(at(input, place), at(input, std::min(place + word.size(), input.size())));
      }
      input.insert(at(input, place), word.begin(), word.end());
      break;
    }
  }
}

}  // namespace scalesweep::fuzz
