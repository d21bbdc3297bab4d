// A configuration of another program as keys with values, of which is kept what was read: what was
// not can be named.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace scalesweep::deploy {

class GivenKeys {
 public:
  struct Key {
    std::string name;   // "--bf16", "networks[0].bandwidth"
    std::string value;  // as it is written; "" of a switch
    bool is_read = false;
  };

  explicit GivenKeys(std::string file) : file_(std::move(file)) {}
  void add(const std::string& name, const std::string& value);

  const std::string& file() const { return file_; }
  bool empty() const { return keys_.empty(); }
  bool has(std::string_view name) const;
  bool is_read(std::string_view name) const;
  // Whether a key begins so: "parallelism.".
  bool has_table(std::string_view prefix) const;

  // Reads the key; nothing where it is absent. Throws Failure(bad_input) where it is not of the
  // form.
  std::optional<std::string> text(std::string_view name);
  std::optional<double> number(std::string_view name);
  std::optional<std::int64_t> integer(std::string_view name);  // 1 or more
  bool truth(std::string_view name);  // a switch, true, yes or 1; false where absent

  // "name = value" of each key that was not read.
  std::vector<std::string> unread() const;

 private:
  Key* find(std::string_view name);
  [[noreturn]] void wrong(const Key& key, std::string_view allowed) const;

  std::string file_;
  std::vector<Key> keys_;
};

// Objects and lists inside are part of names: "networks[0].bandwidth". Throw Failure(bad_input)
// with the place of the mistake.
GivenKeys keys_of_json(const std::string& file, const std::string& text);
GivenKeys keys_of_toml(const std::string& file, const std::string& text);
GivenKeys keys_of_yaml(const std::string& file, const std::string& text);
// Options "--name value" or "--name=value" of a shell script, comments left out.
GivenKeys keys_of_command(const std::string& file, const std::string& text);
// "  hidden_size .......... 4096", as Megatron-LM logs its arguments, by the names of options.
GivenKeys keys_of_argument_log(const std::string& file, const std::string& text);

}  // namespace scalesweep::deploy
