#pragma once
// Programs drawn at random over the whole table of operations: each step is an operation, the dtype
// and rank of its operand, and a seed for the rest, so that a program stays one if a step is left
// out.

#include <random>
#include <vector>

#include <sinter/graph/builder.hpp>

namespace random_program {

using namespace sinter;
using namespace sinter::detail;

/// How many programs a run of the tests has: twice as many as it takes at most to notice
/// faults that planted_test.cpp plants.
constexpr int programs_of_a_run = 1000;

/// One operation of a program: `rank` and `dtype` are those of what it reads first; of what it
/// gives, if it reads nothing.
struct Step {
  Op op{};
  DType dtype{};
  int rank = 0;
  unsigned seed = 0;
};

struct Program {
  unsigned seed = 0;
  bool symbolic = false;  ///< Extents of 4 are the symbol 0, those of 6 the symbol 1.
  bool strict = false;    ///< Numerics that round at every operation.
  bool on_gpu = false;    ///< Planned, compiled and run for cuda().
  std::vector<Step> steps{};
  int output = -1;  ///< The only output that is looked at; all, if it is -1.
};

inline constexpr int most_axes = 5;
inline constexpr std::int64_t most_elements = 3000;

/// Whether a graph can have this step.
inline bool is_allowed(Op op, DType dtype, int rank) {
  if (op == Op::input || op == Op::call) return false;  // always there; inlined before schedule
  if (op == Op::custom || op == Op::custom_elementwise) return false;  // of a user
  if (op == Op::random_bits) return dtype == i32;
  if (op == Op::select) return rank <= most_axes;
  const OpKind kind = info(op).kind;
  const bool has_axis = kind == OpKind::row || kind == OpKind::indexed || op == Op::scan ||
                        op == Op::iota || (kind == OpKind::reduction && op != Op::argmax) ||
                        (kind == OpKind::movement && op != Op::reshape);
  if (has_axis && rank == 0) return false;
  if (op == Op::iota && dtype == boolean) return false;
  return takes(info(op).takes, dtype);
}

/// What is known of a value beside its type.
struct Known {
  bool exact = true;  ///< The interpreter and the kernels give the same bits.
  double bound = 2;   ///< No element of a floating value is larger.
};

/// Whether a cast asks for the bits of a number: to decide which integer it is, or to show them.
inline bool needs_bits(DType from, DType to) {
  constexpr auto digits = [](DType dtype) {
    return dtype == f64 ? 4 : dtype == f32 ? 3 : dtype == f16 ? 2 : dtype == bf16 ? 1 : 5;
  };
  return is_floating(from) && digits(to) > digits(from);
}

/// Where a graph is written, step by step: its values and random choices.
class Writer {
 public:
  explicit Writer(const Program& program) : program_(program) {}

  Graph graph{};
  Builder build{graph};

  void seed(unsigned value) { engine_.seed(value); }
  int below(int count) { return static_cast<int>(engine_() % static_cast<unsigned>(count)); }
  bool strict() const { return program_.strict; }

  /// 0 rarely, 1, odd numbers, and the two sizes that may be symbols.
  Extent extent() {
    if (below(14) == 0) return 0;
    const Extent choices[]{1, 1, 2, 3, 5, 7, symbol(0), symbol(1)};
    return choices[below(8)];
  }
  Extent symbol(std::uint32_t id) const {
    if (!program_.symbolic) return id == 0 ? 4 : 6;
    return Extent::symbol(id, {.min = 0, .max = 64});
  }
  Shape shape(int rank) {
    for (int attempt = 0; attempt < 50; ++attempt) {
      Shape result;
      for (int axis = 0; axis < rank; ++axis) result.push_back(extent());
      if (fits(result)) return result;
    }
    Shape ones;
    for (int axis = 0; axis < rank; ++axis) ones.push_back(1);
    return ones;
  }
  /// Whether `shape` is small enough, symbols counted as what they are on average.
  static bool fits(const Shape& shape) {
    std::int64_t elements = 1;
    for (const Extent& extent : shape) elements *= extent.is_number() ? extent.number() : 6;
    return elements <= most_elements && shape.size() <= most_axes + 2;
  }

  const Known& known(Value value) const { return known_[index_of(value)]; }
  const Vector<Value>& values() const { return values_; }
  /// `value` can be an operand from now on.
  void add(Value value, Known known) {
    values_.push_back(value);
    known_.push_back(known);
  }
  Value input(DType dtype, const Shape& shape) {
    const Value result = build.input({dtype, shape});
    add(result, {});
    return result;
  }
  /// A value of this dtype and rank, with one that is there in it if that can be; of the same bits
  /// in all backends, if it is to be `exact`.
  Value operand(DType dtype, int rank, bool exact);
  /// The same of a certain shape.
  Value operand(DType dtype, const Shape& shape, bool exact);

 private:
  std::size_t index_of(Value value) const {
    for (std::size_t i = values_.size(); i-- > 0;) {
      if (values_[i] == value) return i;
    }
    throw InternalError("not a value of the program");
  }
  bool serves(Value value, DType dtype, bool exact) const;
  Value converted(Value value, DType dtype, bool exact);
  Shape regrouped(const Shape& from, int rank);

  const Program& program_;
  std::mt19937 engine_{};
  Vector<Value> values_{};
  std::vector<Known> known_{};
};

inline bool Writer::serves(Value value, DType dtype, bool exact) const {
  return known(value).exact || !(exact || needs_bits(build.dtype(value), dtype));
}

inline Value Writer::converted(Value value, DType dtype, bool exact) {
  if (build.dtype(value) == dtype) return value;
  Known facts = known(value);
  if (!is_floating(build.dtype(value))) {
    // Integers are brought into the range that floating values have.
    const Value small =
        build.dtype(value) == boolean
            ? value
            : build.elementwise(Op::remainder, {value, build.constant_like(value, 3)});
    facts = {};
    value = is_floating(dtype) ? small : value;
  }
  const bool narrows = is_floating(build.dtype(value)) && (dtype == f16 || dtype == bf16);
  if (!narrows) {
    const Value result = build.cast(value, dtype);
    add(result, facts);
    return result;
  }
  // One that the program asks for rounds; others need not.
  Node node{.op = Op::cast, .inputs = {value}};
  node.results = {{dtype, build.shape(value)}};
  const bool written = exact || graph.nodes.size() % 2 == 0;
  if (written) node.attributes = {{"written", constant(true)}};
  facts.exact = facts.exact && written;
  const Value result = build.append(std::move(node));
  add(result, facts);
  return result;
}

/// `from` as `rank` extents: neighbours multiplied, or ones added.
inline Shape Writer::regrouped(const Shape& from, int rank) {
  Shape result = from;
  while (result.size() > rank && rank > 0) {
    Shape merged;
    const int at = below(result.size() - 1);
    for (int axis = 0; axis < result.size(); ++axis) {
      if (axis == at + 1) continue;
      merged.push_back(axis == at ? result[at] * result[at + 1] : result[axis]);
    }
    result = merged;
  }
  while (result.size() < rank) {
    Shape wider;
    const int at = below(result.size() + 1);
    for (int axis = 0; axis <= result.size(); ++axis) {
      if (axis == at) wider.push_back(1);
      if (axis < result.size()) wider.push_back(result[axis]);
    }
    result = wider;
  }
  return result;
}

inline Value Writer::operand(DType dtype, int rank, bool exact) {
  const int count = static_cast<int>(values_.size());
  for (int attempt = 0; attempt < 3 && count > 0; ++attempt) {
    const Value value = values_[static_cast<std::size_t>(count - 1 - below(count))];
    const Shape from = build.shape(value);
    if (!serves(value, dtype, exact)) continue;
    if (rank == 0 && !same(numel(from), Extent(1))) continue;
    const Value typed = converted(value, dtype, exact);
    const Known facts = known(typed);
    const Value result = build.reshape(typed, regrouped(from, rank));
    add(result, facts);
    return result;
  }
  return input(dtype, shape(rank));
}

inline Value Writer::operand(DType dtype, const Shape& shape, bool exact) {
  for (std::size_t i = 0; i < values_.size() && below(4) != 0; ++i) {
    const Value value = values_[values_.size() - 1 - i];
    const Shape from = build.shape(value);
    const bool is_one = same(numel(from), Extent(1)) && !from.empty();
    if (!serves(value, dtype, exact)) continue;
    if (!same(numel(from), numel(shape)) && !(is_one && from.size() == shape.size())) continue;
    const Value typed = converted(value, dtype, exact);
    const Known facts = known(typed);
    const bool equal = same(numel(from), numel(shape));
    const Value result = equal ? build.reshape(typed, shape) : build.expand(typed, shape);
    add(result, facts);
    return result;
  }
  return input(dtype, shape);
}

}  // namespace random_program
