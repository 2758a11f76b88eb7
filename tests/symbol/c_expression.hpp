#pragma once
// The value of an expression in C, computed as a C compiler would: / and % round towards zero.

#include <cctype>
#include <cstdint>
#include <string>
#include <string_view>

#include "random_extent.hpp"

namespace symbol_test {

class CExpression {
 public:
  CExpression(std::string_view text, const Values& values) : text_(text), values_(values) {}

  std::int64_t value() {
    const std::int64_t result = conditional();
    if (!text_.empty()) throw std::string("left over: ") + std::string(text_);
    return result;
  }

 private:
  // Skips spaces; true if `token` comes next, which is then consumed.
  bool next(std::string_view token) {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
    if (text_.substr(0, token.size()) != token) return false;
    text_.remove_prefix(token.size());
    return true;
  }

  std::int64_t conditional() {
    const std::int64_t condition = comparison();
    if (!next("?")) return condition;
    const std::int64_t yes = conditional();
    if (!next(":")) throw std::string("expected :");
    const std::int64_t no = conditional();
    return condition != 0 ? yes : no;
  }

  std::int64_t comparison() {
    const std::int64_t x = sum();
    if (next(">=")) return x >= sum();
    if (next("<")) return x < sum();
    if (next(">")) return x > sum();
    return x;
  }

  std::int64_t sum() {
    std::int64_t result = product();
    while (true) {
      if (next("+")) {
        result += product();
      } else if (next("-")) {
        result -= product();
      } else {
        return result;
      }
    }
  }

  std::int64_t product() {
    std::int64_t result = unary();
    while (true) {
      if (next("*")) {
        result *= unary();
      } else if (next("/")) {
        result /= unary();
      } else if (next("%")) {
        result %= unary();
      } else {
        return result;
      }
    }
  }

  std::int64_t unary() {
    if (next("-")) return -unary();
    if (next("(")) {
      const std::int64_t result = conditional();
      if (!next(")")) throw std::string("expected )");
      return result;
    }
    std::string word;
    while (!text_.empty() && std::isalnum(static_cast<unsigned char>(text_.front())) != 0) {
      word += text_.front();
      text_.remove_prefix(1);
    }
    if (word.empty()) throw std::string("expected a value");
    if (std::isdigit(static_cast<unsigned char>(word.front())) != 0) return std::stoll(word);
    for (const auto& [variable, value] : values_) {
      if (to_string(variable) == word) return value;
    }
    throw "unknown name " + word;
  }

  std::string_view text_;
  const Values& values_;
};

inline std::int64_t c_value(std::string_view text, const Values& values) {
  return CExpression(text, values).value();
}

}  // namespace symbol_test
