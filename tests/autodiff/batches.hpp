#pragma once
// Programs of one sample, as a batch and in a loop over samples.

#include <doctest/doctest.h>
#include <sinter/autodiff/batching/batch.hpp>
#include <sinter/graph/builder.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/verify.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "../gpu_graphs.hpp"

namespace batches {

using namespace sinter;
using namespace sinter::detail;
using autodiff::Batched;

/// A program of one sample, whose sizes are numbers, or symbols that stand for them.
struct Sample {
  struct Range {
    double low, high;
  };

  Graph graph{};
  Builder builder{graph};
  bool symbolic;
  std::vector<std::int64_t> sizes{};
  std::vector<Range> ranges{};  // of the inputs

  explicit Sample(bool with_symbols = false) : symbolic(with_symbols) {}
  Sample(const Sample&) = delete;

  Extent size(std::int64_t number) {
    if (!symbolic) return number;
    sizes.push_back(number);
    return Extent::symbol(static_cast<std::uint32_t>(sizes.size() - 1));
  }
  Value input(DType dtype, Shape shape, Range range = {0.25, 2}) {
    ranges.push_back(range);
    return builder.input({dtype, shape});
  }
  Value x(Shape shape) { return input(f32, shape); }
  /// Positions in an axis of `size` elements, which count from the end if they are negative.
  Value indices(Shape shape, std::int64_t size) {
    const auto limit = static_cast<double>(size);
    return input(i64, shape, {-limit, limit});
  }
  Value truth() { return input(boolean, {}, {0, 2}); }
};

/// Writes a program and returns its outputs.
using WriteProgram = Vector<Value> (*)(Sample& sample);

/// `count` numbers of `dtype` in [low, high).
inline Storage random_numbers(DType dtype, std::int64_t count, Sample::Range range,
                              std::uint32_t& seed) {
  Storage result = Storage::allocate(static_cast<std::size_t>(count) * info(dtype).size);
  visit_dtype(dtype, [&]<class T>(T) {
    for (std::int64_t i = 0; i < count; ++i) {
      seed = seed * 1664525 + 1013904223;
      const double number = range.low + (range.high - range.low) * (seed >> 8) / 0x1p24;
      static_cast<T*>(result.data())[i] =
          convert_element<T>(is_floating(dtype) ? number : std::floor(number));
    }
  });
  return result;
}

/// Part number `i` of `count`.
inline Storage part(const Storage& whole, std::int64_t i, std::int64_t count) {
  const std::size_t bytes = whole.bytes() / static_cast<std::size_t>(count);
  Storage result = Storage::allocate(bytes);
  const auto* const from = static_cast<const char*>(whole.data());
  if (bytes != 0) std::memcpy(result.data(), from + static_cast<std::size_t>(i) * bytes, bytes);
  return result;
}

inline bool same_bytes(const Storage& a, const Storage& b) {
  return a.bytes() == b.bytes() && (a.bytes() == 0 || !std::memcmp(a.data(), b.data(), a.bytes()));
}

/// The batch of a program in which the inputs are batched of which `flags` says so.
struct SampleBatch {
  Graph graph{};
  Vector<Batched> outputs{};

  SampleBatch(const Sample& sample, const Vector<bool>& flags, Extent count) {
    Builder builder(graph);
    Vector<Batched> operands;
    for (std::size_t i = 0; i < flags.size(); ++i) {
      TensorType type = sample.graph.type(sample.graph.inputs[i]);
      if (flags[i]) type = with_count(type, count);
      operands.push_back({builder.input(type), flags[i]});
    }
    outputs = autodiff::batch(builder, sample.graph, operands, count);
    for (const Batched& output : outputs) graph.outputs.push_back(output.value);
    verify(graph);
  }

  static TensorType with_count(const TensorType& type, Extent count) {
    Shape shape{count};
    for (const Extent& extent : type.shape) shape.push_back(extent);
    return {type.dtype, shape};
  }
};

/// Checks a batch of `count` samples against a loop over them.
inline void check_batch(Sample& sample, const Vector<bool>& flags, std::int64_t count,
                        std::uint32_t seed) {
  std::vector<std::int64_t> sizes = sample.sizes;
  Extent extent = count;
  if (sample.symbolic) {
    extent = Extent::symbol(static_cast<std::uint32_t>(sizes.size()));
    sizes.push_back(count);
  }
  const SampleBatch batch(sample, flags, extent);
  Vector<Storage> inputs;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const TensorType& type = batch.graph.type(batch.graph.inputs[i]);
    inputs.push_back(
        random_numbers(type.dtype, evaluate(numel(type.shape), sizes), sample.ranges[i], seed));
  }
  const Vector<Storage> found = runtime::interpret(batch.graph, inputs, sizes);
  const bool all = std::find(flags.begin(), flags.end(), false) == flags.end();
  if (all && count > 1) gpu_graphs::note(batch.graph, inputs, sizes, found);
  for (std::int64_t i = 0; i < count; ++i) {
    Vector<Storage> of_sample;
    for (std::size_t k = 0; k < flags.size(); ++k) {
      of_sample.push_back(flags[k] ? part(inputs[k], i, count) : inputs[k]);
    }
    const Vector<Storage> expected = runtime::interpret(sample.graph, of_sample, sizes);
    for (std::size_t k = 0; k < expected.size(); ++k) {
      const bool is_batched = batch.outputs[k].is_batched;
      INFO("output " << k << " of sample " << i << " in\n" << to_string(batch.graph));
      CHECK(same_bytes(is_batched ? part(found[k], i, count) : found[k], expected[k]));
    }
  }
}

/// Checks a program with each choice of inputs that are batched, sizes static and symbolic.
inline void check(WriteProgram write, const std::string& name = {}) {
  for (const bool symbolic : {false, true}) {
    Sample sample(symbolic);
    sample.graph.outputs = write(sample);
    verify(sample.graph);
    const std::size_t inputs = sample.graph.inputs.size();
    for (std::uint32_t choice = 0; choice < (1u << inputs); ++choice) {
      Vector<bool> flags;
      for (std::size_t i = 0; i < inputs; ++i) flags.push_back((choice >> i & 1) != 0);
      CAPTURE(name);
      CAPTURE(symbolic);
      CAPTURE(choice);
      for (const std::int64_t count : {3, 1, 0}) check_batch(sample, flags, count, choice + 1);
    }
  }
}

}  // namespace batches
