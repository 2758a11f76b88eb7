#pragma once
// Calls a compiled kernel on memory that is filled with NaN, and compares it with its definition.

#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <sinter/base/philox.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include "cases.hpp"
#include "evaluate.hpp"
#include "harness.hpp"

namespace kernels {

/// A pseudorandom number that depends only on `seed`.
inline double uniform(std::uint64_t seed) {
  const PhiloxCounter words = random_words(1, 2, 3, seed);
  return static_cast<double>(words[0]) * 0x1p-32;
}

/// The inputs and options of one test of a kernel.
struct Trial {
  double tolerance = 0;
  std::int64_t integers = 9;  ///< Integers of the inputs lie in [-integers, integers].
  bool edges = false;         ///< Whether NaN, infinities and zeros of both signs are among them.
  long threads = 1;
};

inline Constant input_element(DType dtype, std::uint64_t seed, const Trial& trial) {
  if (dtype == boolean) return constant(uniform(seed) < 0.4, boolean);
  if (!is_floating(dtype)) {
    const auto span = static_cast<double>(2 * trial.integers + 1);
    return constant(static_cast<std::int64_t>(uniform(seed) * span) - trial.integers, dtype);
  }
  const double edges[] = {0.0, -0.0, std::nan(""), INFINITY, -INFINITY, 0.75, 3e-39};
  if (trial.edges && seed % 5 == 0) return constant(edges[seed / 5 % 7], dtype);
  return constant(uniform(seed) * 4 - 2, dtype);
}

inline void write_element(DType dtype, void* to, const Constant& value) {
  visit_dtype(dtype, [&]<class T>(T) {
    const T element = is_floating(dtype) ? convert_element<T>(value.floating())
                                         : convert_element<T>(value.integer());
    std::memcpy(to, &element, sizeof(T));
  });
}

inline Constant read_element(DType dtype, const void* from) {
  return visit_dtype(dtype, [&]<class T>(T) {
    T element;
    std::memcpy(&element, from, sizeof(T));
    return constant(element, dtype);
  });
}

/// The memory of one buffer, between guard bytes that must not change.
struct Memory {
  static constexpr std::size_t border = 128;
  DType dtype{};
  std::vector<unsigned char> bytes{};

  Memory(const Data& data, bool filled) : dtype(data.dtype) {
    const std::size_t size = info(dtype).size;
    bytes.assign(data.elements.size() * size + 2 * border, 0xff);  // NaN, also in the guard bytes
    for (std::size_t i = 0; filled && i < data.elements.size(); ++i) {
      write_element(dtype, begin() + i * size, data.elements[i]);
    }
  }
  unsigned char* begin() { return bytes.data() + border; }
  bool borders_hold() const {
    for (std::size_t i = 0; i < border; ++i) {
      if (bytes[i] != 0xff || bytes[bytes.size() - 1 - i] != 0xff) return false;
    }
    return true;
  }
};

inline bool close(const Constant& a, const Constant& b, double tolerance) {
  if (!is_floating(a.dtype)) return a.bits == b.bits;
  const double x = a.floating(), y = b.floating();
  if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
  if (x == y) return true;
  return std::abs(x - y) <= tolerance * (1 + std::abs(y));
}

/// The signature of generated C++ functions.
using Call = std::function<void(void* const*, const long*, Context*, long, long)>;

/// The elements of the arguments before a call and after it.
struct Expected {
  std::vector<Data> before{}, after{};
  KernelFault fault{};
};

inline Expected evaluated(const Kernel& kernel, const std::vector<std::int64_t>& sizes,
                          const Trial& trial) {
  Expected result;
  const auto value = [&](Extent extent) {
    return static_cast<std::size_t>(evaluate(extent, [&](Extent variable) {
      for (std::size_t i = 0; i < kernel.symbols.size(); ++i) {
        if (same(kernel.symbols[i], variable)) return sizes[i];
      }
      throw InternalError("not a symbol of the kernel");
    }));
  };
  for (const schedule::Argument& argument : kernel.arguments) {
    if (argument.access == Access::local) continue;
    Data& one = result.before.emplace_back(Data{argument.dtype, {}});
    for (std::size_t i = 0; i < value(argument.elements); ++i) {
      const std::size_t seed = i + 1000 * result.before.size();
      one.elements.push_back(input_element(argument.dtype, seed, trial));
    }
  }
  result.after = result.before;
  result.fault = Evaluator(kernel, sizes, result.after).fault;
  return result;
}

/// The same, computed once for all texts of a kernel and all numbers of threads.
inline const Expected& expected_of(const Kernel& kernel, const std::vector<std::int64_t>& sizes,
                                   const Trial& trial) {
  static auto& known = *new std::map<std::string, Expected>;
  const std::string key =
      text(to_string(kernel), " ", text(sizes), " ", trial.integers, " ", trial.edges);
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known.emplace(key, evaluated(kernel, sizes, trial)).first->second;
}

/// The memory of the arguments of `kernel`.
inline std::vector<Memory> memory_of(const Kernel& kernel, const std::vector<Data>& data) {
  std::vector<Memory> result;
  for (const schedule::Argument& argument : kernel.arguments) {
    if (argument.access == Access::local) continue;
    result.emplace_back(data[result.size()], argument.access != Access::write);
  }
  return result;
}

/// The first difference between `function` and the definition of `kernel`; "" if there is none.
inline std::string difference(const Kernel& kernel, const Call& function,
                              const std::vector<std::int64_t>& sizes, const Trial& trial) {
  const Expected& expected = expected_of(kernel, sizes, trial);
  const std::vector<Data>& data = expected.after;
  std::vector<Memory> memory = memory_of(kernel, expected.before);
  std::vector<void*> buffers;
  for (Memory& one : memory) buffers.push_back(one.begin());
  const std::vector<long> numbers(sizes.begin(), sizes.end());
  Context context;
  std::vector<std::thread> team;
  for (long thread = 0; thread < trial.threads; ++thread) {
    team.emplace_back(
        [&, thread] { function(buffers.data(), numbers.data(), &context, thread, trial.threads); });
  }
  for (std::thread& thread : team) thread.join();

  const KernelFault& fault = expected.fault;
  if (context.fault != fault.site || context.value != fault.value || context.bound != fault.bound ||
      context.position != fault.position || context.lock != 0) {
    return text("fault ", context.fault, " ", context.value, " ", context.bound, " ",
                context.position, ", expected ", fault.site, " ", fault.value, " ", fault.bound,
                " ", fault.position);
  }
  for (std::size_t b = 0; b < data.size(); ++b) {
    if (!memory[b].borders_hold()) return text("buffer ", b, " was written outside of its bounds");
    for (std::size_t i = 0; i < data[b].elements.size(); ++i) {
      const DType dtype = data[b].dtype;
      const Constant is = read_element(dtype, memory[b].begin() + i * info(dtype).size);
      const Constant wanted = data[b].elements[i];
      if (!close(is, wanted, trial.tolerance)) {
        return text("buffer ", b, "[", i, "] is ", is, ", expected ", wanted);
      }
    }
  }
  return "";
}

}  // namespace kernels
