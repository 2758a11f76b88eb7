// Checks and computes products of cuBLASLt.

#include <bit>
#include <cmath>
#include <vector>

#include <sinter/base/half.hpp>
#include <sinter/base/text.hpp>

#include "cublaslt.hpp"
#include "launch.hpp"
#include "machine.hpp"
#include "reports.hpp"

namespace emulator {

namespace {

using sinter::detail::CublasLt;

constexpr int illegal_address = 700;

// A matrix of the batch, stored by columns that are `leading` elements apart.
struct Matrix {
  Address first = 0;
  LibraryLayout layout{};
  const char* name = "";

  Address at(std::int64_t row, std::int64_t column) const {
    return first + static_cast<Address>(row + column * layout.leading) * element_bytes(layout.type);
  }
  double value(std::int64_t row, std::int64_t column) const;
  void put(std::int64_t row, std::int64_t column, double value) const;
};

double Matrix::value(std::int64_t row, std::int64_t column) const {
  const auto* const address = reinterpret_cast<const void*>(at(row, column));
  switch (layout.type) {
    case CublasLt::data_f64:
      return *static_cast<const double*>(address);
    case CublasLt::data_f16:
      return static_cast<double>(static_cast<float>(*static_cast<const sinter::half*>(address)));
    case CublasLt::data_bf16:
      return static_cast<double>(
          static_cast<float>(*static_cast<const sinter::bfloat16*>(address)));
    default:
      return static_cast<double>(*static_cast<const float*>(address));
  }
}

void Matrix::put(std::int64_t row, std::int64_t column, double value) const {
  auto* const address = reinterpret_cast<void*>(at(row, column));
  const auto single = static_cast<float>(value);
  switch (layout.type) {
    case CublasLt::data_f64:
      *static_cast<double*>(address) = value;
      return;
    case CublasLt::data_f16:
      *static_cast<sinter::half*>(address) = sinter::half(single);
      return;
    case CublasLt::data_bf16:
      *static_cast<sinter::bfloat16*>(address) = sinter::bfloat16(single);
      return;
    default:
      *static_cast<float*>(address) = single;
  }
}

// False, with a report about the first invalid byte, if the access is invalid.
bool touch(Arena& arena, Address address, std::size_t bytes, bool read, const std::string& what) {
  if (arena.owns(address) && arena.holds(address, bytes, read)) return true;
  Address at = address;
  if (arena.owns(address)) {
    while (arena.state(at) == Byte::written || (!read && arena.state(at) == Byte::unwritten)) ++at;
  }
  const Byte state = arena.owns(address) ? arena.state(at) : Byte::outside;
  const char* const kind = state == Byte::unwritten ? "read of unwritten memory"
                           : state == Byte::freed   ? "use after free"
                                                    : "out of bounds";
  add_report(sinter::detail::text(kind, ": cuBLASLt, ", what, ": ", where(at)));
  return state == Byte::unwritten;
}

bool touch(Arena& arena, const Matrix& matrix, bool read) {
  const std::size_t bytes =
      static_cast<std::size_t>(matrix.layout.rows) * element_bytes(matrix.layout.type);
  for (std::int64_t column = 0; column < matrix.layout.columns; ++column) {
    const std::string what = sinter::detail::text("column ", column, " of ", matrix.name);
    if (!touch(arena, matrix.at(0, column), bytes, read, what)) return false;
  }
  return true;
}

Matrix matrix_of(const LibraryProduct& product, std::size_t i, std::int32_t batch) {
  static constexpr const char* names[]{"a", "b", "c", "d"};
  const LibraryLayout& layout = product.layouts[i];
  const auto step = static_cast<Address>(batch * layout.step) * element_bytes(layout.type);
  return {product.addresses[i] + step, layout, names[i]};
}

double activated(const LibraryProduct& product, double x) {
  if (product.has(CublasLt::epilogue_relu)) return x <= 0 ? 0 : x;
  if (!product.has(CublasLt::epilogue_gelu)) return x;
  return x / 2 * (1 + std::tanh(0.797884560802865356 * (x + 0.044715 * x * x * x)));
}

// Rounds to 11 bits (TF32), ties away from zero.
double as_tf32(double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  return static_cast<double>(std::bit_cast<float>((bits + 0x1000) & 0xffffe000));
}

// The elements of a row of op(a), or of a column of op(b), rounded to the compute type.
std::vector<double> line(const LibraryProduct& product, const Matrix& matrix, bool along_rows,
                         std::int64_t number) {
  const bool rounds = product.description.compute == CublasLt::compute_tf32;
  std::vector<double> result;
  for (std::int64_t k = 0; k < product.depth(); ++k) {
    const double value = along_rows ? matrix.value(k, number) : matrix.value(number, k);
    result.push_back(rounds ? as_tf32(value) : value);
  }
  return result;
}

void compute(const LibraryProduct& product, const Matrix& a, const Matrix& b, const Matrix& c,
             const Matrix& d) {
  const Matrix bias{reinterpret_cast<std::uintptr_t>(product.description.bias), d.layout, "bias"};
  std::vector<std::vector<double>> lines;
  for (std::int64_t row = 0; row < d.layout.rows; ++row) {
    lines.push_back(line(product, a, product.description.transposes_a != 0, row));
  }
  for (std::int64_t column = 0; column < d.layout.columns; ++column) {
    const auto other = line(product, b, product.description.transposes_b == 0, column);
    for (std::int64_t row = 0; row < d.layout.rows; ++row) {
      double sum = 0;
      for (std::size_t k = 0; k < other.size(); ++k) {
        sum += lines[static_cast<std::size_t>(row)][k] * other[k];
      }
      sum *= product.alpha;
      if (product.beta != 0) sum += product.beta * c.value(row, column);
      if (product.has(CublasLt::epilogue_bias)) sum += bias.value(row, 0);
      d.put(row, column, activated(product, sum));
    }
  }
}

bool touch_vectors(Arena& arena, const LibraryProduct& product) {
  const LibraryLayout& d = product.layouts[3];
  const auto bias = reinterpret_cast<std::uintptr_t>(product.description.bias);
  const std::size_t bytes = static_cast<std::size_t>(d.rows) * element_bytes(d.type);
  if (product.has(CublasLt::epilogue_bias) && !touch(arena, bias, bytes, true, "the bias")) {
    return false;
  }
  if (product.workspace_bytes == 0) return true;
  if (!touch(arena, product.workspace, product.workspace_bytes, false, "the workspace")) {
    return false;
  }
  return set_device(product.workspace, 0xff, 1, product.workspace_bytes) == 0;
}

bool run_one(Arena& arena, const LibraryProduct& product, std::int32_t batch) {
  const Matrix a = matrix_of(product, 0, batch), b = matrix_of(product, 1, batch);
  const Matrix c = matrix_of(product, 2, batch), d = matrix_of(product, 3, batch);
  const bool reachable = touch(arena, a, true) && touch(arena, b, true) && touch(arena, d, false) &&
                         (product.beta == 0 || touch(arena, c, true));
  if (!reachable) return false;
  const Opened opened;
  compute(product, a, b, c, d);
  const std::size_t bytes = static_cast<std::size_t>(d.layout.rows) * element_bytes(d.layout.type);
  for (std::int64_t column = 0; column < d.layout.columns; ++column) {
    arena.mark_written(d.at(0, column), bytes);
  }
  return true;
}

}  // namespace

std::size_t element_bytes(int type) {
  switch (type) {
    case CublasLt::data_f64:
      return 8;
    case CublasLt::data_f32:
      return 4;
    case CublasLt::data_f16:
    case CublasLt::data_bf16:
      return 2;
    default:
      return 0;
  }
}

std::string mistake_in(const LibraryProduct& product) {
  const auto& [a, b, c, d] = product.layouts;
  for (const LibraryLayout& one : product.layouts) {
    if (one.rows < 1 || one.columns < 1) return "an empty matrix";
    if (one.leading < one.rows) {
      return sinter::detail::text("columns of ", one.rows, " elements that lie ", one.leading,
                                  " apart");
    }
    if (one.batch != d.batch) return "matrices of different batches";
  }
  if (d.batch > 1 && d.step == 0) return "a batch of results in one place";
  const bool ta = product.description.transposes_a != 0;
  const bool tb = product.description.transposes_b != 0;
  const bool fit = (ta ? a.columns : a.rows) == d.rows && (tb ? b.rows : b.columns) == d.columns &&
                   (tb ? b.columns : b.rows) == product.depth() && c.rows == d.rows &&
                   c.columns == d.columns;
  if (!fit) return "matrices that do not fit";
  const bool bias = product.has(CublasLt::epilogue_bias);
  return bias && product.description.bias == nullptr ? "a bias that is nowhere" : "";
}

bool is_supported(const LibraryProduct& product) {
  const auto& [a, b, c, d] = product.layouts;
  if (a.type != b.type || c.type != d.type) return false;
  if (a.type == CublasLt::data_f64) {
    return d.type == a.type && product.description.compute == CublasLt::compute_f64 &&
           product.description.scale == CublasLt::data_f64;
  }
  const bool half = a.type == CublasLt::data_f16 || a.type == CublasLt::data_bf16;
  const bool single = a.type == CublasLt::data_f32;
  const bool computes = product.description.compute == CublasLt::compute_f32 ||
                        (single && product.description.compute == CublasLt::compute_tf32);
  return (half || single) && (d.type == a.type || d.type == CublasLt::data_f32) && computes &&
         product.description.scale == CublasLt::data_f32;
}

int run_product(const LibraryProduct& product) {
  Device& device = *machine().devices[static_cast<std::size_t>(product.device)];
  if (device.error != 0) return device.error;
  ++machine().products;
  device.clock += machine().time_of({.kernel = sinter::detail::text("product ", product.answer)});
  const auto& [a, b, c, d] = product.layouts;
  const bool in_place = product.addresses[2] == product.addresses[3];
  if (product.beta != 0 && in_place && (c.leading != d.leading || c.step != d.step)) {
    add_report("cuBLASLt: what is added lies where the result does, but in another way");
  }
  if (!touch_vectors(device.arena, product)) return illegal_address;
  for (std::int32_t batch = 0; batch < d.batch; ++batch) {
    if (!run_one(device.arena, product, batch)) return illegal_address;
  }
  return 0;
}

// cuBLASLt loads its kernels lazily, possibly at this call. An algorithm with workspace (split-K)
// runs two kernels, of which the second reduces.
int capture_product(Stream& stream, const LibraryProduct& product) {
  if (const int error = unsafe_call("cuBLASLt loads a kernel"); error != 0) return error;
  capture(stream, {.library = [product] { return run_product(product); }});
  return product.workspace_bytes == 0 ? 0 : capture(stream, {.library = [] { return 0; }});
}

}  // namespace emulator
