#pragma once

#include <cstdio>  // std::fwrite
#include <vector>  // std::vector

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/trace/interop/host.hpp>
#include <sinter/trace/interop/print.hpp>
#include <sinter/trace/interop/print_number.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

// Above the threshold, this many elements are shown at each end of an axis.
inline constexpr std::int64_t print_threshold = 1000;
inline constexpr std::int64_t print_edge = 3;
inline constexpr std::size_t print_width = 75;
inline constexpr std::int64_t left_out = -1;

/// The layout of an array: brackets, line breaks and ellipses.
class ArrayText {
 public:
  ArrayText(const Shape& shape, bool summarize) : summarize_(summarize) {
    for (const Extent& extent : shape) extents_.push_back(extent.number());
    collect(0, 0);
  }

  /// The row-major positions of the elements that are shown, in their order.
  const std::vector<std::int64_t>& shown() const { return shown_; }
  std::string text(std::vector<std::string> words) {
    words_ = std::move(words);
    return array(0, " ", print_width);
  }

 private:
  // The indices along `axis` that are shown; -1 stands for those that are left out.
  std::vector<std::int64_t> indices(std::size_t axis) const {
    const std::int64_t extent = extents_[axis];
    std::vector<std::int64_t> result;
    for (std::int64_t i = 0; i < extent; ++i) {
      const bool is_inner = i >= print_edge && i < extent - print_edge;
      if (summarize_ && is_inner && extent > 2 * print_edge) {
        result.push_back(left_out);
        i = extent - print_edge - 1;
      } else {
        result.push_back(i);
      }
    }
    return result;
  }

  void collect(std::size_t axis, std::int64_t position) {
    if (axis == extents_.size()) return shown_.push_back(position);
    for (const std::int64_t index : indices(axis)) {
      if (index != left_out) collect(axis + 1, position * extents_[axis] + index);
    }
  }

  std::string array(std::size_t axis, const std::string& indent, std::size_t width) {
    if (axis == extents_.size()) return words_[next_++];
    const std::string inside =
        axis + 1 == extents_.size() ? row(axis, indent, width) : rows(axis, indent, width);
    return "[" + inside.substr(indent.size()) + "]";
  }

  // One line of elements, broken where it is too wide.
  std::string row(std::size_t axis, const std::string& indent, std::size_t width) {
    std::string done, line = indent;
    bool is_first = true;
    for (const std::int64_t index : indices(axis)) {
      const std::string word = index == left_out ? "..." : words_[next_++];
      if (!is_first) line += " ";
      is_first = false;
      if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
        while (line.back() == ' ') line.pop_back();
        done += line + "\n";
        line = indent;
      }
      line += word;
    }
    return done + line;
  }

  std::string rows(std::size_t axis, const std::string& indent, std::size_t width) {
    const std::string breaks(extents_.size() - axis - 1, '\n');
    std::string result;
    for (const std::int64_t index : indices(axis)) {
      if (!result.empty()) result += breaks;
      result += indent + (index == left_out ? "..." : array(axis + 1, indent + " ", width - 1));
    }
    return result;
  }

  bool summarize_;
  std::vector<std::int64_t> extents_{}, shown_{};
  std::vector<std::string> words_{};
  std::size_t next_ = 0;
};

template <class T>
std::string format_elements(const T* elements, const Shape& shape) {
  const std::int64_t size = numel(shape).number();
  if (shape.empty()) return format_one(elements[0]);
  if (size == 0) return "[]";
  ArrayText layout(shape, size > print_threshold);
  std::vector<T> shown;
  for (const std::int64_t position : layout.shown()) shown.push_back(elements[position]);
  const NumberFormat<T> format(shown);
  std::vector<std::string> words;
  for (const T x : shown) words.push_back(format(x));
  return layout.text(std::move(words));
}

SINTER_INLINE std::string format(const Tensor& x, Where where) {
  if (!x.defined()) return "undefined";
  const void* const elements = host_elements_of(x, where);
  return visit_dtype(x.dtype(), [&]<class T>(T) {
    return detail::format_elements(static_cast<const T*>(elements), x.shape());
  });
}

class PrintFunction : public HostFunction {
 public:
  void operator()(Span<const Tensor> operands) const override {
    print_text(format(operands[0], operands[0].lazy()->node.where));
  }
  Hash identity() const override { return Hasher().add("print").result(); }
};

}  // namespace detail

SINTER_INLINE void print(const Tensor& x, Where where) {
  const bool is_effect = x.defined() && (is_recording() || detail::current_body != 0);
  if (!is_effect) return detail::print_text(detail::format(x, where));
  detail::add_effect(detail::make_shared_ptr<const detail::PrintFunction>(),
                     {detail::imported(x, where)}, false, "print", where);
}

namespace detail {

SINTER_INLINE void print_text(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  if (text.empty() || text.back() != '\n') std::fputc('\n', stdout);
  std::fflush(stdout);
}

}  // namespace detail

}  // namespace sinter::inline SINTER_ABI
