#pragma once
// Runs random programs by the interpreter and by compiled kernels, many in one translation unit.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include <sinter/codegen/tune/candidates.hpp>
#include <sinter/compile/cache/load_or_compile.hpp>
#include <sinter/graph/print.hpp>
#include <sinter/graph/rewrite.hpp>
#include <sinter/jit/lower/host_target.hpp>
#include <sinter/jit/lower/lower.hpp>
#include <sinter/pass/pipeline.hpp>
#include <sinter/runtime/host/executable.hpp>
#include <sinter/runtime/interpreter/interpret.hpp>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/plan.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

#include "gpu.hpp"
#include "make.hpp"

namespace random_program {

/// The number in the environment variable `name`.
inline unsigned number_from(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::atoi(text));
}

/// What the stages made of a program.
struct Planned {
  Program program;
  Graph graph;
  schedule::Plan plan;
  compiler::TranslationUnit unit;
};

/// A fault that a test plants to see whether it is noticed: in a kernel, or in what is printed.
struct Planted {
  const char* name = "";
  void (*kernel)(schedule::Kernel& kernel) = nullptr;
  const char* printed = "";  ///< Is printed as `instead`, wherever it stands.
  const char* instead = "";
};

inline void plant(const Planted& planted, std::string& text) {
  const std::string printed = planted.printed, instead = planted.instead;
  if (printed.empty()) return;
  for (std::size_t at = 0; (at = text.find(printed, at)) != std::string::npos;) {
    text.replace(at, printed.size(), instead);
    at += instead.size();
  }
}

/// The text of `kernel`: for every other `choice` one that max_autotune may choose.
inline ::sinter::detail::Source source_of(const schedule::Kernel& kernel,
                                          const codegen::CppOptions& options, std::size_t choice) {
  if (choice % 2 == 0) return codegen::emit_cpp(kernel, options);
  Vector<codegen::Candidate> candidates = codegen::candidates(kernel, options);
  if (candidates.empty()) return codegen::emit_cpp(kernel, options);
  return candidates[choice / 2 % candidates.size()].source;
}

inline compiler::TranslationUnit unit_of(schedule::Plan& plan, const Program& program,
                                         const Planted& planted) {
  if (program.on_gpu) return gpu_unit_of(plan, program.strict);
  compiler::TranslationUnit unit;
  const bool strict = program.strict;
  codegen::CppOptions options{.target = jit::machine_target(), .strict = strict};
  options.target.vectors.has_bf16_dot = true;
  for (schedule::Kernel& kernel : plan.kernels) {
    if (planted.kernel != nullptr) planted.kernel(kernel);
    unit.kernels.push_back(source_of(kernel, options, program.seed / 8 + unit.kernels.size()));
    ::sinter::detail::Source& source = unit.kernels.back();
    plant(planted, source.text);
    source.key = Hasher().add(source.key).add(planted.name).result();
  }
  unit.contraction = strict ? compiler::Contraction::off : compiler::Contraction::fast;
  return unit;
}

inline Planned planned(const Program& program, const Planted& planted = {}) {
  Planned result{program, make(program), {}, {}};
  const Graph optimized = pass::optimize(result.graph, {.strict = program.strict});
  // Those of other devices have no reductions over the grid, and no kernels side by side.
  const bool host = !program.on_gpu && program.seed % 4 != 0;
  const bool streams = program.on_gpu && !program.strict;
  const schedule::Options options{.strict = program.strict,
                                  .row_tiles = host || streams,
                                  .target = program.on_gpu ? schedule::gpu_target()
                                            : host         ? schedule::host_target()
                                                           : schedule::Target()};
  result.plan = schedule::plan(optimized, options);
  schedule::verify(result.plan);
  result.unit = unit_of(result.plan, program, planted);
  return result;
}

inline std::string prelude_of(const compiler::TranslationUnit& unit) {
  return unit.language == Language::cuda ? codegen::cuda_prelude(unit.kernels)
                                         : codegen::cpp_prelude(unit.kernels);
}

/// Compiles the kernels of `programs`, all for one device, at once; those of strict ones apart.
inline void compile_all(std::vector<Planned>& programs, const Planted& planted = {}) {
  for (const bool strict : {false, true}) {
    compiler::TranslationUnit unit;
    for (Planned& one : programs) {
      if (one.program.strict != strict) continue;
      unit.contraction = one.unit.contraction;
      unit.language = one.unit.language;
      unit.architecture = one.unit.architecture;
      for (const ::sinter::detail::Source& kernel : one.unit.kernels)
        unit.kernels.push_back(kernel);
    }
    if (unit.kernels.empty()) continue;
    unit.prelude = prelude_of(unit);
    plant(planted, unit.prelude);
    // What is planted is in the text: it shows as well in what takes half of the time to compile.
    if (*planted.name != 0) unit.prelude.insert(0, "#pragma GCC optimize(\"O0\")\n");
    if (compiler::load_or_compile(unit) == nullptr) throw InternalError("no host compiler");
  }
  for (Planned& one : programs) one.unit.prelude = prelude_of(one.unit);
}

inline std::size_t bytes_of(const TensorType& type, const Symbols& symbols) {
  return static_cast<std::size_t>(evaluate(numel(type.shape), symbols)) * info(type.dtype).size;
}

/// Numbers in [-2, 2], small integers, and, for every other program, what is at the edges.
inline Storage random_input(const TensorType& type, std::size_t bytes, std::mt19937& engine,
                            bool edges) {
  const Storage result = Storage::allocate(bytes);
  visit_dtype(type.dtype, [&]<class T>(T) {
    T* const to = static_cast<T*>(result.data());
    const double rare[]{0.0, -0.0, std::nan(""), INFINITY, -INFINITY, 1.0, 1e-3};
    for (std::size_t i = 0; i < bytes / sizeof(T); ++i) {
      const auto word = static_cast<std::int64_t>(engine() % 4001);
      if (!is_floating(type.dtype)) {
        to[i] = convert_element<T>(type.dtype == boolean ? word % 2 : word % 13 - 6);
      } else if (edges && word % 5 == 0) {
        to[i] = convert_element<T>(rare[word % 7]);
      } else {
        to[i] = convert_element<T>(static_cast<double>(word) / 1000.0 - 2.0);
      }
    }
  });
  return result;
}

inline double tolerance(DType dtype) {
  if (dtype == f64) return 1e-9;
  if (dtype == f32) return 3e-4;
  return dtype == f16 ? 4e-2 : 2e-1;
}

/// How far the elements are apart at worst, in parts of the larger number or of one.
inline double distance(DType dtype, const Storage& a, const Storage& b) {
  double worst = 0;
  visit_dtype(dtype, [&]<class T>(T) {
    const T *const x = static_cast<const T*>(a.data()), *const y = static_cast<const T*>(b.data());
    for (std::size_t i = 0; i < a.bytes() / sizeof(T); ++i) {
      const auto p = static_cast<double>(x[i]), q = static_cast<double>(y[i]);
      if (p == q || (std::isnan(p) && std::isnan(q))) continue;
      const double off = std::abs(p - q) / std::max({1.0, std::abs(p), std::abs(q)});
      worst = std::max(worst, std::isfinite(off) ? off : 1e300);
    }
  });
  return worst;
}

/// What is wrong with the results of `one` for these sizes; empty if nothing is.
inline std::string mistake(const Planned& one, const Symbols& symbols) {
  std::mt19937 engine(one.program.seed);
  const bool edges = one.program.seed % 2 == 0;
  Vector<Storage> inputs, outputs;
  std::vector<void*> from, to;
  for (const NodeId id : one.graph.inputs) {
    const TensorType& type = one.graph[id].results[0];
    inputs.push_back(random_input(type, bytes_of(type, symbols), engine, edges));
    from.push_back(inputs.back().data());
  }
  const auto expected = runtime::interpret(one.graph, inputs, symbols);
  for (const Value output : one.graph.outputs) {
    outputs.push_back(Storage::allocate(bytes_of(one.graph.type(output), symbols)));
    if (outputs.back().bytes() > 0) {
      std::memset(outputs.back().data(), 0xff, outputs.back().bytes());
    }
    to.push_back(outputs.back().data());
  }
  if (one.program.on_gpu) {
    run_on_gpu(one.plan, one.program.strict, compiler::load_or_compile(one.unit), inputs, outputs,
               symbols);
  } else {
    const runtime::Executable executable(one.plan, compiler::load_or_compile(one.unit));
    executable.run(from, to, symbols);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!is_own_output(one.plan, i)) continue;  // an input, or another output
    const DType dtype = one.graph.type(one.graph.outputs[i]).dtype;
    const double off = distance(dtype, expected[i], outputs[i]);
    const bool is_exact = !is_floating(dtype);
    if (off > (is_exact ? 0 : tolerance(dtype))) return text("output ", i, " is off by ", off);
  }
  return {};
}

inline std::vector<Symbols> sizes_of(const Program& program) {
  if (!program.symbolic) return {{}};
  return {{4, 6}, {1, 5}, {7, 2}, {0, 3}, {21, 17}};
}

/// What is wrong with `one` for any sizes.
inline std::string mistake(const Planned& one) {
  try {
    for (const Symbols& symbols : sizes_of(one.program)) {
      if (std::string found = mistake(one, symbols); !found.empty()) {
        for (const std::int64_t size : symbols) found += text(" size ", size);
        return found;
      }
    }
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

/// The same for a program of its own.
inline std::string mistake(const Program& program) {
  try {
    std::vector<Planned> one{planned(program)};
    compile_all(one);
    return mistake(one[0]);
  } catch (const std::exception& error) {
    return error.what();
  }
}

/// The first output of `program` that is wrong, alone.
inline Program with_one_output(Program program) {
  const std::size_t count = make(program).outputs.size();
  for (std::size_t i = 0; i < count; ++i) {
    program.output = static_cast<int>(i);
    if (!mistake(program).empty()) return program;
  }
  program.output = -1;
  return program;
}

/// A smallest program that is still wrong: without the steps and outputs that do not matter.
inline Program shrunk(Program program) {
  for (std::size_t i = program.steps.size(); i-- > 0;) {
    Program shorter = program;
    shorter.steps.erase(shorter.steps.begin() + static_cast<std::ptrdiff_t>(i));
    if (!mistake(shorter).empty()) program = shorter;
  }
  Program with_numbers = program;
  with_numbers.symbolic = false;
  if (!mistake(with_numbers).empty()) program = with_numbers;
  return with_one_output(program);
}

/// What is said of a program that is wrong: a smallest one that still is.
inline std::string description(const Program& program) {
  const Program small = shrunk(program);
  const std::string kind = text("seed ", program.seed, small.symbolic ? " symbolic" : "",
                                small.strict ? " strict" : "", small.on_gpu ? " on a GPU" : "");
  return text(kind, ": ", mistake(small), "\n", rewrite(make(small), {}));
}

}  // namespace random_program
