#include "parallel/strategy.hpp"

namespace scalesweep::parallel {
namespace {

template <typename Choice, std::size_t count>
std::optional<Choice> choice_from(const std::array<std::string_view, count>& names,
                                  std::string_view name) {
  for (std::size_t i = 0; i < count; ++i) {
    if (names[i] == name) {
      return static_cast<Choice>(i);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Recompute> recompute_from(std::string_view name) {
  return choice_from<Recompute>(recompute_names, name);
}

std::optional<Schedule> schedule_from(std::string_view name) {
  return choice_from<Schedule>(schedule_names, name);
}

std::optional<ContextExchange> context_exchange_from(std::string_view name) {
  return choice_from<ContextExchange>(context_exchange_names, name);
}

std::optional<RankOrder> rank_order_from(std::string_view name) {
  return choice_from<RankOrder>(rank_order_names, name);
}

}  // namespace scalesweep::parallel
