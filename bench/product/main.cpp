// Matrix products, against the time of their multiply-adds in registers.
//   64 ... 2048   square, and transposed: x @ w, x @ w.T, x.T @ w
//   odd           sizes that fit no tile, and one drawn at random
//   skinny        1 and 8 rows with 4096 x 4096, bound by memory
//   batched       32 of 128 x 64 x 128
//   gelu          gelu(x @ w + b)
//   bf16, f16     16-bit operands: compared with multiply-adds of floats

#include "by_hand.hpp"
#include "comparison.hpp"
#include "parallel_loops.hpp"

namespace {

using sinter::Tensor;

struct Shape {
  std::string name;  ///< Its kind, as the peer knows it: "nn", "nt", "tn", "gelu", "bf16", "f16".
  long batch, rows, columns, depth;
  double target;  ///< Of the multiply-adds.
};

std::string text_of(const Shape& shape) {
  const std::string batch = shape.batch == 1 ? "" : std::to_string(shape.batch) + "x";
  return shape.name + " " + batch + std::to_string(shape.rows) + "x" +
         std::to_string(shape.columns) + "x" + std::to_string(shape.depth);
}

using Product = Tensor (*)(const Tensor& x, const Tensor& w, const Tensor& bias);

// Without captures, because a function with captures is traced on every call.
Product product_of(const std::string& kind) {
  if (kind == "nt") {
    return [](const Tensor& x, const Tensor& w, const Tensor&) {
      return sinter::matmul(x, sinter::transpose(w, -1, -2));
    };
  }
  if (kind == "tn") {
    return [](const Tensor& x, const Tensor& w, const Tensor&) {
      return sinter::matmul(sinter::transpose(x, -1, -2), w);
    };
  }
  if (kind == "gelu") {
    return [](const Tensor& x, const Tensor& w, const Tensor& bias) {
      return sinter::gelu(sinter::matmul(x, w) + bias);
    };
  }
  return [](const Tensor& x, const Tensor& w, const Tensor&) { return sinter::matmul(x, w); };
}

sinter::DType dtype_of(const std::string& kind) {
  return kind == "bf16" ? sinter::bf16 : kind == "f16" ? sinter::f16 : sinter::f32;
}

Tensor matrix(const Shape& shape, long rows, long columns, bool transposed) {
  if (transposed) std::swap(rows, columns);
  const Tensor numbers = shape.batch == 1 ? sinter::randn({rows, columns})
                                          : sinter::randn({shape.batch, rows, columns});
  const Tensor result = numbers.to(dtype_of(shape.name));
  sinter::detail::evaluate(result);  // now, not while something is measured
  return result;
}

void measure(const bench::Report& report, bench::Peer& peer, const Shape& shape) {
  const Tensor x = matrix(shape, shape.rows, shape.depth, shape.name == "tn");
  const Tensor w = matrix(shape, shape.depth, shape.columns, shape.name == "nt");
  const Tensor bias = sinter::randn({shape.columns});
  bias.data<float>();
  const std::string name = text_of(shape);
  const long all = shape.batch * shape.rows * shape.columns * shape.depth;
  const auto results = static_cast<double>(shape.batch * shape.rows * shape.columns);
  const bench::Work work{bench::bytes_of(x, w) + 4 * results, 2.0 * static_cast<double>(all)};
  for (const int threads : {1, sinter::detail::runtime::num_threads()}) {
    sinter::set_num_threads(threads);
    const double least = bench::least_seconds(work, threads);
    auto compiled = sinter::compile(product_of(shape.name));
    auto sample = bench::sample_of([&] { bench::keep(compiled(x, w, bias)); });
    auto bound = bench::sample_of([=] {
      bench::share(static_cast<std::size_t>(all), threads, [](std::size_t begin, std::size_t end) {
        bench::keep(multiply_adds(static_cast<long>(end - begin)));
      });
    });
    const int pairs = bench::pairs_for(sample());
    report.add(name, threads, bench::compare(sample, bound, pairs), "multiply-adds", shape.target,
               least);
    if (peer.prepare("eager " + name, threads)) {
      report.add(name, threads, bench::compare(sample, peer, pairs), "torch eager", 1, least);
    }
    sinter::set_num_threads(0);
  }
}

}  // namespace

int main() {
  const bench::Report report("product");
  bench::Peer peer(SINTER_BENCH_DIR "/product/torch_peer.py");
  for (const long size : {64L, 128L, 256L, 512L, 1024L, 2048L}) {
    for (const std::string kind : {"nn", "nt", "tn", "gelu"}) {
      const bool bare = kind != "gelu" && size >= 256;
      measure(report, peer, {kind, 1, size, size, size, bare ? 0.9 : 0});
    }
  }
  measure(report, peer, {"nn", 1, 511, 513, 509, 0});
  measure(report, peer, {"nn", 1, 100, 1000, 300, 0});
  for (const long rows : {1L, 8L}) {
    measure(report, peer, {"nn", 1, rows, 4096, 4096, 0});
    measure(report, peer, {"nt", 1, rows, 4096, 4096, 0});
  }
  for (const std::string half : {"bf16", "f16"}) {
    measure(report, peer, {half, 1, 512, 512, 512, 0});
    measure(report, peer, {half, 1, 1, 4096, 4096, 0});
  }
  measure(report, peer, {"nn", 32, 128, 128, 64, 0});
  const auto extent = [] { return bench::draw(33, 1500); };
  measure(report, peer, {"nn", 1, extent(), extent(), extent(), 0});
}
