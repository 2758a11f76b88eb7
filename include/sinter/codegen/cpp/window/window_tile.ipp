#pragma once

#include <cstddef>  // std::size_t

#include <sinter/base/text.hpp>
#include <sinter/codegen/cpp/window/window_tile.hpp>
#include <sinter/codegen/text/scalar.hpp>
#include <sinter/codegen/text/writer.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

namespace detail {

class WindowTile {
 public:
  WindowTile(const WindowProduct& product, const ProductDecision& how, int points)
      : product_(product),
        most_steps_(how.limits().most_window_steps),
        points_(points),
        vectors_(product.tile.vectors),
        lanes_(product.tile.lanes),
        element_(memory_type(how.dtype)),
        vector_(text(how.dtype, "x", product.tile.lanes)) {}

  std::string function(const std::string& name) {
    {
      const auto body =
          out_.block({"static __attribute__((noinline)) void ", name, "_tile", points_, "(",
                      element_, "* sums, const ", element_, "* window, const ", element_,
                      "* panel, long steps, bool more)"});
      write_sums([](const std::string& sum, const std::string&) { return sum + " = {}"; },
                 vector_ + " ");
      {
        const auto adds = out_.block("if (more)");
        write_sums([&](const std::string& sum, const std::string& at) {
          return text(sum, " = load_", vector_, "(", at, ")");
        });
      }
      write_loop(0, "window");
      write_sums([&](const std::string& sum, const std::string& at) {
        return text("store_", vector_, "(", at, ", ", sum, ")");
      });
    }
    return out_.str() + "\n";
  }

 private:
  // A line for each point; write(sum, address) for each of its vectors.
  template <class Write>
  void write_sums(Write write, const std::string& before = "") {
    for (int i = 0; i < points_; ++i) {
      std::string line = before;
      for (int j = 0; j < vectors_; ++j) {
        const int offset = (i * vectors_ + j) * lanes_;
        line += text(j == 0 ? "" : ", ",
                     write(sum(i, j), offset == 0 ? "sums" : text("sums + ", offset)));
      }
      out_.line(line + ";");
    }
  }

  // The loops of the depth from `loop` on, where `at` is the position in the strip. The last one is
  // written out.
  void write_loop(std::size_t loop, const std::string& at) {
    const Vector<Loop>& depth = product_.form.depth;
    const Extent stride = product_.stride(depth[loop]);
    const bool is_last = loop + 1 == depth.size();
    const std::int64_t count = depth[loop].extent.number();
    if (is_last && loop > 0 && count <= most_steps_) {
      for (std::int64_t i = 0; i < count; ++i) write_step(at, i * stride.number(), i);
      return out_.line({"panel += ", count * vectors_ * lanes_, ";"});
    }
    const std::string i = text("i", loop), from = text("at", loop);
    out_.line({"const ", element_, "* ", from, " = ", at, ";"});
    const auto block =
        out_.block({"for (long ", i, " = 0; ", i, " < ", loop == 0 ? "steps" : text(count), "; ++",
                    i, ", ", from, " += ", stride, ")"});
    if (!is_last) return write_loop(loop + 1, from);
    write_step(from, 0, 0);
    out_.line({"panel += ", vectors_ * lanes_, ";"});
  }

  // One step: an element of the window at each point times a row of the panel.
  void write_step(const std::string& at, std::int64_t offset, std::int64_t row) {
    const auto step = out_.block("");
    std::string weights = text("const ", vector_, " ");
    for (int j = 0; j < vectors_; ++j) {
      const std::int64_t from = (row * vectors_ + j) * lanes_;
      weights += text(j == 0 ? "" : ", ", "b", j, " = load_", vector_, "(panel",
                      from == 0 ? "" : text(" + ", from), ")");
    }
    out_.line(weights + ";");
    for (int i = 0; i < points_; ++i) {
      out_.line({"const ", vector_, " x", i, " = splat_", vector_, "(", at, "[",
                 offset + i * product_.point_step(), "]);"});
      std::string sums;
      for (int j = 0; j < vectors_; ++j) {
        sums += text(j == 0 ? "" : ", ", sum(i, j), " = add_product_", vector_, "(", sum(i, j),
                     ", x", i, ", b", j, ")");
      }
      out_.line(sums + ";");
    }
    // The next step reads some of these elements again: that is cheaper than to keep them.
    out_.line({"__asm__(\"\" : \"+r\"(", at, "));"});
  }

  static std::string sum(int i, int j) { return text("c", i, "_", j); }

  const WindowProduct& product_;
  std::int64_t most_steps_;
  int points_, vectors_, lanes_;
  std::string element_, vector_;
  Writer out_{};
};

}  // namespace detail

SINTER_INLINE std::string window_tile(const WindowProduct& product, const ProductDecision& how,
                                      int points, const std::string& name) {
  return detail::WindowTile(product, how, points).function(name);
}

}  // namespace sinter::inline SINTER_ABI::detail::codegen
