#include "study/search/boxes.hpp"

#include <algorithm>
#include <queue>
#include <tuple>
#include <utility>

#include "core/contracts.hpp"

namespace scalesweep::study {
namespace {

struct BoundedBox {
  GridBox box;
  std::vector<double> least;
  std::int64_t number = 0;  // in which it was made
};

struct MostPromisingLast {
  bool operator()(const BoundedBox& a, const BoundedBox& b) const {
    return std::tie(a.least.front(), a.number) > std::tie(b.least.front(), b.number);
  }
};

class Boxes {
 public:
  Boxes(std::span<const std::int32_t> sizes, const BoxWork& work, std::int64_t most)
      : work_(work),
        most_(most),
        climber_(
            sizes,
            [this](const GridPlace& place) {
              ++found_.places;
              return work_.look_at(place);
            },
            [this] { return !is_used_up(); }) {}

  BoxesSearched search(BoundedBox root) {
    climber_.climb_from(root.box.middle());
    waiting_.push(std::move(root));
    while (!waiting_.empty()) {
      BoundedBox next = waiting_.top();
      waiting_.pop();
      dive(std::move(next));
    }
    return found_;
  }

 private:
  bool is_used_up() const { return found_.places + found_.boxes >= most_; }
  bool is_known(const GridBox& box) const { return box.is_one_place() && climber_.knows(box.low); }

  bool is_left_out(const BoundedBox& box) {
    if (is_known(box.box)) {
      return true;
    }
    if (is_used_up() || !work_.can_be_kept(box.least)) {
      found_.least_left = std::min(found_.least_left, box.least.front());
      return true;
    }
    return false;
  }

  // Divides it, and goes on in the better half down to a place: what is found there lets boxes be
  // left out soon.
  void dive(BoundedBox box) {
    while (!is_left_out(box)) {
      if (box.box.is_one_place()) {
        climber_.climb_from(box.box.low);
        return;
      }
      auto [first, second] = box.box.halves();
      BoundedBox better = bounded(std::move(first), box.least);
      BoundedBox other = bounded(std::move(second), box.least);
      if (MostPromisingLast()(better, other)) {
        std::swap(better, other);
      }
      waiting_.push(std::move(other));
      box = std::move(better);
    }
  }

  // What a part is at least, the whole is.
  BoundedBox bounded(GridBox box, const std::vector<double>& of_whole) {
    BoundedBox part = {std::move(box), of_whole, ++number_};
    if (is_known(part.box) || is_used_up()) {
      return part;
    }
    ++found_.boxes;
    if (const auto least = work_.least(part.box)) {
      for (std::size_t i = 0; i < part.least.size(); ++i) {
        part.least[i] = std::max(part.least[i], (*least)[i]);
      }
    }
    return part;
  }

  const BoxWork& work_;
  std::int64_t most_;
  std::int64_t number_ = 0;
  BoxesSearched found_;
  Climber climber_;
  std::priority_queue<BoundedBox, std::vector<BoundedBox>, MostPromisingLast> waiting_;
};

}  // namespace

GridPlace GridBox::middle() const {
  GridPlace place = low;
  for (std::size_t i = 0; i < place.size(); ++i) {
    place[i] += (high[i] - low[i]) / 2;
  }
  return place;
}

std::pair<GridBox, GridBox> GridBox::halves() const {
  SCALESWEEP_EXPECT(!is_one_place());
  std::size_t longest = 0;
  for (std::size_t i = 1; i < low.size(); ++i) {
    longest = high[i] - low[i] > high[longest] - low[longest] ? i : longest;
  }
  std::pair<GridBox, GridBox> parts = {*this, *this};
  parts.first.high[longest] = low[longest] + (high[longest] - low[longest]) / 2;
  parts.second.low[longest] = parts.first.high[longest] + 1;
  return parts;
}

BoxesSearched search_boxes(std::span<const std::int32_t> sizes, std::size_t values,
                           const BoxWork& work, std::int64_t most) {
  SCALESWEEP_EXPECT(!sizes.empty() && values > 0 && most > 0);
  BoundedBox root;
  root.box.low.assign(sizes.size(), 0);
  for (const std::int32_t size : sizes) {
    SCALESWEEP_EXPECT(size > 0);
    root.box.high.push_back(size - 1);
  }
  root.least.assign(values, -std::numeric_limits<double>::infinity());
  return Boxes(sizes, work, most).search(std::move(root));
}

}  // namespace scalesweep::study
