#include "catalog/read/entry_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <utility>

#include "catalog/keys/catalog_keys.hpp"
#include "core/contracts.hpp"
#include "core/text.hpp"

namespace scalesweep::catalog {
namespace {

constexpr std::array<std::string_view, 6> bookkeeping_keys = {"source",  "kind",          "note",
                                                              "aliases", predecessor_key, like_key};

std::vector<std::string> keys_of(const Sources& sources) {
  std::vector<std::string> keys;
  for (const auto& [key, citation] : sources.citations) {
    keys.push_back(key);
  }
  return keys;
}

std::optional<SourceKind> read_kind(const config::TableCursor& table) {
  const std::optional<std::string> name = table.optional_string("kind");
  if (!name) {
    return std::nullopt;
  }
  const std::optional<SourceKind> kind = source_kind_names.find(*name);
  if (!kind) {
    table.error("kind", fmt::format("unknown kind of source '{}'{}", *name,
                                    suggestion(*name, source_kind_names.list())));
  }
  return kind;
}

}  // namespace

EntryReader::EntryReader(config::TableCursor table, const Sources& sources, Entry& entry,
                         const Entry* base)
    : EntryReader(std::move(table), sources, entry, base, "", {}) {}

EntryReader::EntryReader(config::TableCursor table, const Sources& sources, Entry& entry,
                         const Entry* base, std::string prefix, Defaults defaults)
    : table_(std::move(table)),
      sources_(&sources),
      entry_(&entry),
      base_(base),
      prefix_(std::move(prefix)),
      defaults_(std::move(defaults)) {
  if (table_.exists()) {
    read_defaults();
  }
}

void EntryReader::read_defaults() {
  if (const std::optional<std::string> source = table_.optional_string("source")) {
    defaults_.source = citation(table_, *source);
  }
  if (const std::optional<SourceKind> kind = read_kind(table_)) {
    defaults_.kind = kind;
  }
  (void)table_.optional_string("note");
}

std::string EntryReader::citation(const config::TableCursor& table, const std::string& key) const {
  if (sources_->left_behind) {
    return key;
  }
  const auto found = sources_->citations.find(key);
  if (found == sources_->citations.end()) {
    table.error("source", fmt::format("no source '{}' in [sources]{}", key,
                                      suggestion(key, keys_of(*sources_))));
    return key;  // reported once; what rests on it is not reported again
  }
  return found->second;
}

std::optional<config::ValueCursor> EntryReader::open(std::string_view key) {
  std::optional<config::ValueCursor> value = table_.value(key);
  if (!value) {
    return std::nullopt;
  }
  Value record;
  record.key = prefix_ + std::string(key);
  record.position = value->position();
  Defaults own = defaults_;
  if (value->form() == config::ValueCursor::Form::table) {
    const config::TableCursor annotated = value->table();
    if (const std::optional<std::string> source = annotated.optional_string("source")) {
      own.source = citation(annotated, *source);
    }
    if (const std::optional<SourceKind> kind = read_kind(annotated)) {
      own.kind = kind;
    }
    record.note = annotated.optional_string("note").value_or("");
    value = annotated.value("value");
    if (!value) {
      annotated.error(fmt::format("'{}' has no value; write {} = {{ value = ..., source = ... }}",
                                  record.key, key));
      return std::nullopt;
    }
  }
  if (own.source.empty()) {
    value->error(fmt::format(
        "'{}' has no source; give the entry or the value one: source = \"key of [sources]\"",
        record.key));
  }
  if (!own.kind) {
    value->error(
        fmt::format("'{}' has no kind of source; give the entry or the value one, "
                    "for example kind = \"datasheet\"",
                    record.key));
  }
  record.text =
      value->form() == config::ValueCursor::Form::string ? *value->string() : value->text();
  record.source = own.source;
  record.kind = own.kind.value_or(SourceKind::unverified);
  entry_->values.push_back(std::move(record));
  return value;
}

namespace {

// Whether it states anything in a table, "core.".
bool holds(const Entry& entry, std::string_view table) {
  return std::any_of(entry.values.begin(), entry.values.end(),
                     [table](const Value& value) { return value.key.starts_with(table); });
}

// How many times the rate of `base` that of `entry` is; 1 where one has none.
double rate_ratio(const Entry& entry, const Entry& base, std::string_view rate) {
  const Value* own = entry.value(rate);
  const Value* its = base.value(rate);
  const bool known =
      own != nullptr && its != nullptr && !own->numbers.empty() && !its->numbers.empty();
  return known ? own->numbers.front() / its->numbers.front() : 1.0;
}

}  // namespace

bool EntryReader::lacks(std::string_view key) const {
  const bool unknown = base_ != nullptr && base_->values.empty();
  return !table_.has(key) && inherited(key) == nullptr && !unknown;
}

bool EntryReader::has(std::string_view key) const {
  return table_.has(key) || base_holds(prefix_ + std::string(key) + ".") ||
         inherited(key) != nullptr;
}

bool EntryReader::is_left(std::string_view path) const {
  return std::any_of(left_.begin(), left_.end(), [path](const std::string& each) {
    return path == each || path.starts_with(each + ".");
  });
}

bool EntryReader::base_holds(const std::string& table) const {
  return base_ != nullptr && !is_left(table) && holds(*base_, table);
}

void EntryReader::leave(std::string_view key) {
  left_.push_back(prefix_ + std::string(key));
}

void EntryReader::either(const std::vector<std::string_view>& keys,
                         const std::vector<std::string_view>& others) {
  const auto leave_where = [this](const std::vector<std::string_view>& given,
                                  const std::vector<std::string_view>& left) {
    const auto here = [this](std::string_view key) { return table_.has(key); };
    if (std::any_of(given.begin(), given.end(), here)) {
      std::for_each(left.begin(), left.end(), [this](std::string_view key) { leave(key); });
    }
  };
  leave_where(keys, others);
  leave_where(others, keys);
}

template <typename Report>
void EntryReader::miss(std::string_view key, const Report& report) {
  if (entry_->section != Section::templates) {
    report();
    return;
  }
  std::string path = prefix_ + std::string(key);
  const bool known = base_ != nullptr && std::find(base_->lacking.begin(), base_->lacking.end(),
                                                   path) != base_->lacking.end();
  if (!known) {
    entry_->lacking.push_back(std::move(path));
  }
}

const Value* EntryReader::inherited(std::string_view key) const {
  const std::string path = prefix_ + std::string(key);
  return base_ == nullptr || table_.has(key) || is_left(path) ? nullptr : base_->value(path);
}

const std::vector<double>& EntryReader::take_over(const Value& value) {
  Value taken = value;
  if (value.from.empty()) {
    taken.from = base_->name;
  }
  // What holds of another entry is a choice for this one, and no better known than there.
  taken.kind = std::max(value.kind, SourceKind::assumed);
  const std::string_view rate = rate_of(value.key);
  const double ratio = rate.empty() ? 1.0 : rate_ratio(*entry_, *base_, rate);
  if (ratio != 1.0 && !taken.numbers.empty()) {
    taken.numbers.front() *= ratio;
    taken.text = config::quantity_text(taken.numbers.front(), row(value.key).dimension);
    taken.scaled = true;
  }
  taken.note = fmt::format("from {}{}", taken.from, taken.scaled ? ", scaled by rate" : "");
  entry_->values.push_back(std::move(taken));
  return entry_->values.back().numbers;
}

namespace {

// False, and reported, where a number is not what its row allows. Limits other than 0 and 1 are for
// whoever knows what they mean.
bool check_range(const config::ValueCursor& value, double number, const config::Key& key) {
  const bool zero = key.kind == config::KeyKind::quantity
                        ? key.zero
                        : key.range.low_included && key.range.low == 0.0;
  if (key.range.high && !key.range.holds(number)) {
    value.error(fmt::format("{} is not a fraction; it must be {}", number, key.range.text()));
    return false;
  }
  if (zero ? number < 0.0 : number <= 0.0) {
    value.error(zero ? "must not be negative" : "must be above 0");
    return false;
  }
  return true;
}

std::int64_t least_integer(const config::Key& key) {
  return key.zero ? 0 : std::max<std::int64_t>(1, static_cast<std::int64_t>(key.range.low));
}

// The default of a row in SI; nothing where it is said in words.
std::optional<double> default_of(const config::Key& key) {
  if (key.kind == config::KeyKind::quantity) {
    return config::parse_quantity(config::unquoted(key.fallback), key.dimension).si;
  }
  char* end = nullptr;
  const std::string text(key.fallback);
  const double number = std::strtod(text.c_str(), &end);
  return end == text.c_str() ? std::nullopt : std::optional(number);
}

}  // namespace

const config::Key& EntryReader::row(std::string_view key) const {
  const config::Key* found = table_.scope().find(key);
  SCALESWEEP_EXPECT(found != nullptr);
  return *found;
}

double EntryReader::value(std::string_view key) {
  const config::Key& known = row(key);
  if (known.need == config::Need::required) {
    return needed(key);
  }
  const std::optional<double> otherwise = default_of(known);
  SCALESWEEP_EXPECT(otherwise || !table_.exists() || !lacks(key));
  return given(key).value_or(otherwise.value_or(1.0));
}

double EntryReader::needed(std::string_view key) {
  const config::Key& known = row(key);
  if (lacks(key)) {
    miss(key, [&] {
      (void)(known.kind == config::KeyKind::quantity ? table_.quantity(key, known.dimension)
                                                     : table_.number(key));
    });
  }
  return given(key).value_or(1.0);
}

std::optional<double> EntryReader::given(std::string_view key) {
  if (const Value* other = inherited(key)) {
    const std::vector<double>& numbers = take_over(*other);
    return numbers.empty() ? 1.0 : numbers.front();
  }
  const config::Key& known = row(key);
  const std::optional<config::ValueCursor> value = open(key);
  if (!value) {
    return std::nullopt;
  }
  const std::optional<double> number =
      known.kind == config::KeyKind::quantity ? value->quantity(known.dimension) : value->number();
  if (!number) {
    return std::nullopt;
  }
  if (!check_range(*value, *number, known)) {
    return 1.0;
  }
  entry_->values.back().numbers = {*number};
  return *number;
}

double EntryReader::value_or(std::string_view key, double otherwise) {
  const config::Key& known = row(key);
  return known.need == config::Need::required || default_of(known) ? value(key)
                                                                   : given(key).value_or(otherwise);
}

std::int64_t EntryReader::integer_or(std::string_view key, std::int64_t otherwise) {
  const config::Key& known = row(key);
  return known.need == config::Need::required || default_of(known)
             ? integer(key)
             : given_integer(key).value_or(otherwise);
}

bool EntryReader::truth_or(std::string_view key, bool otherwise) {
  const std::string_view fallback = row(key).fallback;
  return given_truth(key).value_or(fallback == "true" || (fallback != "false" && otherwise));
}

std::string EntryReader::text_or(std::string_view key, const std::string& otherwise) {
  if (row(key).need == config::Need::required) {
    return text(key).text;
  }
  const std::optional<Located> given = given_text(key);
  return given ? given->text : otherwise;
}

std::int64_t EntryReader::integer(std::string_view key) {
  const config::Key& known = row(key);
  const std::int64_t harmless = std::max<std::int64_t>(1, least_integer(known));
  if (known.need == config::Need::required) {
    if (lacks(key)) {
      miss(key, [&] { (void)table_.integer(key); });
    }
    return given_integer(key).value_or(harmless);
  }
  return given_integer(key).value_or(
      static_cast<std::int64_t>(default_of(known).value_or(static_cast<double>(harmless))));
}

std::optional<std::int64_t> EntryReader::given_integer(std::string_view key) {
  const std::int64_t least = least_integer(row(key));
  if (const Value* other = inherited(key)) {
    const std::vector<double>& numbers = take_over(*other);
    return numbers.empty() ? least : static_cast<std::int64_t>(numbers.front());
  }
  const std::optional<config::ValueCursor> value = open(key);
  if (!value) {
    return std::nullopt;
  }
  const std::optional<std::int64_t> integer = value->integer();
  if (integer && *integer < least) {
    value->error(fmt::format("{} is too small; it must be at least {}", *integer, least));
    return std::nullopt;
  }
  if (integer) {
    entry_->values.back().numbers = {static_cast<double>(*integer)};
  }
  return integer;
}

bool EntryReader::truth(std::string_view key) {
  return given_truth(key).value_or(row(key).fallback == "true");
}

std::optional<bool> EntryReader::given_truth(std::string_view key) {
  if (const Value* other = inherited(key)) {
    (void)take_over(*other);
    return other->text == "true";
  }
  const std::optional<config::ValueCursor> value = open(key);
  return value ? value->boolean() : std::nullopt;
}

Located EntryReader::text(std::string_view key) {
  if (lacks(key)) {
    miss(key, [&] { (void)table_.string(key); });
    return {"", table_.position()};
  }
  return given_text(key).value_or(Located{"", table_.position(key)});
}

std::optional<Located> EntryReader::given_text(std::string_view key) {
  if (const Value* other = inherited(key)) {
    (void)take_over(*other);
    return Located{other->text, other->position};
  }
  const std::optional<config::ValueCursor> value = open(key);
  if (!value) {
    return std::nullopt;
  }
  const std::optional<std::string> string = value->string();
  return string ? std::optional(Located{*string, value->position()}) : std::nullopt;
}

std::vector<std::int64_t> EntryReader::integers(std::string_view key) {
  std::vector<std::int64_t> result;
  if (const Value* other = inherited(key)) {
    for (const double number : take_over(*other)) {
      result.push_back(static_cast<std::int64_t>(number));
    }
    return result;
  }
  if (lacks(key)) {
    (void)table_.integer(key);
    return result;
  }
  const std::optional<config::ValueCursor> value = open(key);
  if (!value) {
    return result;
  }
  const std::int64_t least = least_integer(row(key));
  for (const config::ValueCursor& item : value->list_or_single()) {
    const std::optional<std::int64_t> integer = item.integer();
    if (integer && *integer >= least) {
      result.push_back(*integer);
      entry_->values.back().numbers.push_back(static_cast<double>(*integer));
    } else if (integer) {
      item.error(fmt::format("{} is too small; it must be at least {}", *integer, least));
    }
  }
  return result;
}

std::vector<std::string> EntryReader::words(std::string_view key) {
  if (const Value* other = inherited(key)) {
    (void)take_over(*other);
    return other->words;
  }
  const std::optional<config::ValueCursor> value = open(key);
  if (!value) {
    return {};
  }
  const std::span<const std::string_view> known = row(key).words;
  std::vector<std::string> result;
  for (const config::ValueCursor& item : value->list_or_single()) {
    const std::optional<std::string> word = item.string();
    if (word && !known.empty() && std::find(known.begin(), known.end(), *word) == known.end()) {
      item.error(fmt::format("'{}' is none of {}", *word, fmt::join(known, ", ")));
    } else if (word) {
      result.push_back(*word);
    }
  }
  entry_->values.back().words = result;
  return result;
}

bool EntryReader::has_value_of(std::string_view table,
                               std::initializer_list<SourceKind> kinds) const {
  return std::any_of(entry_->values.begin(), entry_->values.end(), [&](const Value& value) {
    return value.key.starts_with(table) &&
           std::find(kinds.begin(), kinds.end(), value.kind) != kinds.end();
  });
}

EntryReader EntryReader::group(std::string_view key) {
  const bool unknown = base_ != nullptr && base_->values.empty();
  const bool has_base = unknown || base_holds(prefix_ + std::string(key) + ".");
  const bool absent = !has_base && table_.exists() && !table_.has(key);
  if (absent && row(key).kind == config::KeyKind::table &&
      table_.scope().inside(key).find("any") != nullptr) {
    miss(key, [] {});  // a table of precisions: there is no key in it that could be missed
  }
  const bool silent = has_base || entry_->section == Section::templates;
  return inside(silent ? table_.optional_table(key) : table_.table(key), key);
}

EntryReader EntryReader::optional_group(std::string_view key) {
  return inside(table_.optional_table(key), key);
}

EntryReader EntryReader::inside(config::TableCursor table, std::string_view key) const {
  EntryReader group(std::move(table), *sources_, *entry_, base_, prefix_ + std::string(key) + ".",
                    defaults_);
  group.left_ = left_;
  return group;
}

std::vector<std::string> EntryReader::value_keys() const {
  std::vector<std::string> keys = table_.keys();
  std::erase_if(keys, [](const std::string& key) {
    return std::find(bookkeeping_keys.begin(), bookkeeping_keys.end(), key) !=
           bookkeeping_keys.end();
  });
  for (const Value& value : base_ == nullptr ? std::vector<Value>{} : base_->values) {
    const bool inside = value.key.starts_with(prefix_) && !is_left(value.key) &&
                        value.key.find('.', prefix_.size()) == std::string::npos;
    if (inside && !table_.has(value.key.substr(prefix_.size()))) {
      keys.push_back(value.key.substr(prefix_.size()));
    }
  }
  return keys;
}

}  // namespace scalesweep::catalog
