#include "kernel_text.hpp"

#include <algorithm>
#include <cctype>

#include <sinter/base/text.hpp>

namespace emulator {

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class Rewriter {
 public:
  explicit Rewriter(const std::string& text) : text_(text) {}

  KernelText result() {
    while (at_ < text_.size()) step();
    for (const std::string& one : all_.kernels) out_ += "EMULATED_KERNEL(" + one + ")\n";
    all_.text = out_ + bounds_;
    return all_;
  }

 private:
  void step() {
    const char c = text_[at_];
    if (const std::size_t end = after_comment(at_); end != at_) return copy_to(end);
    if (c == '"' || c == '\'') return copy_to(after_quote(at_));
    if (c == '#') check_directive();
    if (c == '{') ++depth_;
    if (c == '}') --depth_;
    if (!is_word(c)) return copy_to(at_ + 1);
    const std::string word = word_at(at_);
    if (word == "asm" || word == "__asm__") return rewrite_assembly();
    if (word == "extern" && word_at(after_space(at_ + 6)) == "__shared__") return rewrite_shared();
    if (word == "__global__") note_kernel(at_ + word.size());
    if (word == "__device__" && is_variable(at_ + word.size())) {
      out_ += "__emulated_global__";
      at_ += word.size();
      return;
    }
    copy_to(at_ + word.size());
  }

  void copy_to(std::size_t end) {
    out_.append(text_, at_, end - at_);
    at_ = end;
  }

  std::string word_at(std::size_t from) const {
    std::size_t end = from;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return text_.substr(from, end - from);
  }

  std::size_t after_comment(std::size_t at) const {
    if (text_.compare(at, 2, "//") == 0) return std::min(text_.find('\n', at), text_.size());
    if (text_.compare(at, 2, "/*") == 0) return text_.find("*/", at + 2) + 2;
    return at;
  }

  std::size_t after_quote(std::size_t at) const {
    const char quote = text_[at];
    // A quote between digits is a digit separator.
    if (quote == '\'' && at > 0 && is_word(text_[at - 1])) return at + 1;
    for (++at; at < text_.size() && text_[at] != quote; ++at) {
      if (text_[at] == '\\') ++at;
    }
    return std::min(at + 1, text_.size());
  }

  std::size_t after_space(std::size_t at) const {
    while (at < text_.size()) {
      const std::size_t comment = after_comment(at);
      if (comment == at && std::isspace(static_cast<unsigned char>(text_[at])) == 0) break;
      at = comment == at ? at + 1 : comment;
    }
    return at;
  }

  std::size_t after_brackets(std::size_t at) const {
    int depth = 0;
    while (at < text_.size()) {
      if (text_[at] == '"' || text_[at] == '\'') {
        at = after_quote(at);
        continue;
      }
      if (text_[at] == '(') ++depth;
      if (text_[at] == ')' && --depth == 0) return at + 1;
      ++at;
    }
    return at;
  }

  [[noreturn]] void fail(const std::string& what) const {
    const auto line = std::count(text_.begin(), text_.begin() + static_cast<long>(at_), '\n') + 1;
    throw std::runtime_error(sinter::detail::text("kernels.cu(", line, "): error: ", what));
  }

  void check_directive() const {
    if (word_at(after_space(at_ + 1)) == "include") fail("there are no headers to include");
  }

  // The name of a kernel is the word before its parameters, after __launch_bounds__(...) etc.
  void note_kernel(std::size_t at) {
    std::string bound;
    for (;;) {
      at = after_space(at);
      const std::string word = word_at(at);
      if (word.empty()) fail("__global__ without the name of a kernel");
      const std::size_t open = after_space(at + word.size());
      const bool call = open < text_.size() && text_[open] == '(';
      if (call && word.rfind("__", 0) != 0) {
        const auto known = std::find(all_.kernels.begin(), all_.kernels.end(), word);
        if (known != all_.kernels.end()) return;
        all_.kernels.push_back(word);
        if (!bound.empty()) {
          bounds_ +=
              sinter::detail::text("extern \"C\" { extern const int emulated_bound_", word,
                                   "; const int emulated_bound_", word, " = ", bound, "; }\n");
        }
        return;
      }
      const std::size_t end = call ? after_brackets(open) : at + word.size();
      if (word == "__launch_bounds__") {
        bound = text_.substr(open + 1, text_.find_first_of(",)", open) - open - 1);
      }
      at = end;
    }
  }

  // True if __device__ declares a variable rather than a function.
  bool is_variable(std::size_t at) const {
    if (depth_ != 0) return false;
    while (at < text_.size()) {
      at = after_space(at);
      const std::string word = word_at(at);
      const std::size_t end = at + std::max<std::size_t>(word.size(), 1);
      if (word == "__align__" || word == "__attribute__") {
        at = after_brackets(end);
        continue;
      }
      if (text_[at] == ';' || text_[at] == '=' || text_[at] == '[') return true;
      if (text_[at] == '(' || text_[at] == '{') return false;
      at = end;
    }
    return false;
  }

  // extern __shared__ __align__(16) T name[];
  void rewrite_shared() {
    const std::size_t first = text_.find("__shared__", at_) + 10, end = text_.find(';', first);
    const std::size_t open = text_.rfind('[', end);
    if (end == std::string::npos || open == std::string::npos || open < first) {
      fail("extern __shared__ is for arrays without a size");
    }
    std::size_t name = open;
    while (name > first && !is_word(text_[name - 1])) --name;
    while (name > first && is_word(text_[name - 1])) --name;
    std::size_t type = after_space(first);
    while (word_at(type) == "__align__") type = after_space(after_brackets(type));
    const std::string of = text_.substr(type, name - type);
    out_ += sinter::detail::text(of, "* const ", text_.substr(name, open - name), " = (", of,
                                 "*)emulated_dynamic_shared()");
    skip_to(end);
  }

  void skip_to(std::size_t end) {
    out_.append(static_cast<std::size_t>(std::count(text_.begin() + static_cast<long>(at_),
                                                    text_.begin() + static_cast<long>(end), '\n')),
                '\n');
    at_ = end;
  }

  // asm volatile("text" : "=f"(a) : "r"(b) : "memory")
  void rewrite_assembly() {
    std::size_t at = after_space(at_ + word_at(at_).size());
    if (word_at(at) == "volatile" || word_at(at) == "__volatile__") {
      at = after_space(at + word_at(at).size());
    }
    const std::size_t end = after_brackets(at) - 1;
    std::string literal, operands;
    for (at = after_space(at + 1); at < end && text_[at] == '"'; at = after_space(at)) {
      const std::size_t next = after_quote(at);
      literal += text_.substr(at + 1, next - at - 2);
      at = next;
    }
    for (int section = 0; at < end; at = after_space(at)) {
      if (text_[at] == ':') {
        ++section;
        ++at;
      } else if (text_[at] == '"' && section < 3) {
        const std::size_t next = after_quote(at), open = after_space(next);
        const std::size_t close = after_brackets(open);
        operands += sinter::detail::text(
            section == 1 ? ", emulated::output('" : ", emulated::input('",
            text_.substr(next - 2, 1), "', ", text_.substr(open + 1, close - open - 2), ")");
        at = close;
      } else {
        at = text_[at] == '"' ? after_quote(at) : at + 1;
      }
    }
    all_.assembly.push_back(literal);
    out_ += sinter::detail::text("emulated_ptx(\"", literal, "\"", operands, ")");
    skip_to(end + 1);
  }

  const std::string& text_;
  std::string out_{}, bounds_{};
  KernelText all_{};
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

KernelText host_text(const std::string& text) { return Rewriter(text).result(); }

}  // namespace emulator
