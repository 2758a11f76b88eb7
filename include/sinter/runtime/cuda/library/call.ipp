#pragma once

#include <algorithm>  // std::max_element, std::min, std::swap

#include <sinter/base/container/vector.hpp>
#include <sinter/base/error.hpp>
#include <sinter/device/cuda/memory.hpp>
#include <sinter/runtime/cuda/library/call.hpp>
#include <sinter/symbol/extent/interval.hpp>
#include <sinter/symbol/solve/evaluate.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

// Products of fewer multiply-adds finish before a library call would have started.
inline constexpr double min_library_work = 1 << 21;
// A product of this many multiply-adds takes longer than launching several kernels.
inline constexpr double min_hiding_work = 1 << 30;
inline constexpr std::int64_t max_skinny_lines = 8;
// Each library call costs the host about as much as a launch.
inline constexpr std::int64_t max_library_calls = 64;
// No algorithm needs a larger alignment, in bytes.
inline constexpr std::int64_t max_alignment = 256;

SINTER_INLINE double work_of(std::int64_t rows, std::int64_t columns, std::int64_t depth) {
  return static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth);
}

SINTER_INLINE std::int64_t alignment_of(std::int64_t bits) {
  bits |= max_alignment;
  return bits & -bits;
}

// Whether the lines do not overlap, which the library requires. Sets the pitch of a single line.
SINTER_INLINE bool fits(LibraryMatrix& matrix) {
  if (matrix.lines == 1) matrix.pitch = std::max(matrix.pitch, matrix.length);
  return matrix.length > 0 && matrix.lines > 0 && matrix.pitch >= matrix.length && matrix.step >= 0;
}

// Whether a status means that the library does not support a product.
SINTER_INLINE bool refuses(int status) {
  return status == CublasLt::allocation_failed || status == CublasLt::invalid_value ||
         status == CublasLt::architecture_mismatch || status == CublasLt::not_supported;
}

// A temporary workspace; empty if memory runs out.
SINTER_INLINE Storage workspace_of(CudaSubmission& work, std::size_t bytes, Where where) {
  if (bytes == 0) return {};
  try {
    Storage result = Storage::allocate(bytes, work.context().device(), where, "a matrix product");
    work.writes(result);
    return result;
  } catch (const ValueError&) {
    return {};
  }
}

// The longest batch axis becomes the batch of the library call, the others loops around it.
SINTER_INLINE bool place_repeats(Vector<CudaLibraryRun::OuterLoop> repeats, CudaLibraryRun& run) {
  erase_if(repeats, [](const auto& one) { return one.count == 1; });
  const auto longest =
      std::max_element(repeats.begin(), repeats.end(),
                       [](const auto& one, const auto& other) { return one.count < other.count; });
  LibraryProblem& problem = run.problem;
  if (longest != repeats.end()) {
    problem.batch = longest->count;
    LibraryMatrix* const matrices[]{&problem.a, &problem.b, &problem.c, &problem.d};
    for (std::size_t i = 0; i < 4; ++i) matrices[i]->step = longest->steps[i];
    repeats.erase(longest);
  }
  std::int64_t calls = 1;
  for (CudaLibraryRun::OuterLoop& one : repeats) {
    for (std::size_t i = 0; i < 4; ++i) {
      const DType dtype = i < 2 ? problem.operands : problem.result;
      one.steps[i] *= static_cast<std::int64_t>(info(dtype).size);
    }
    calls = one.count > max_library_calls ? one.count : calls * one.count;
    if (calls > max_library_calls || one.count < 1) return false;
  }
  run.outer_loops = std::move(repeats);
  return problem.batch >= 1 && problem.batch < std::int64_t{1} << 31;
}

SINTER_INLINE void align(CudaLibraryRun& run) {
  LibraryProblem& problem = run.problem;
  LibraryMatrix* const matrices[]{&problem.a, &problem.b, &problem.c, &problem.d};
  for (std::size_t i = 0; i < 4; ++i) {
    std::int64_t bits = run.addresses[i];
    for (const CudaLibraryRun::OuterLoop& one : run.outer_loops) bits |= one.steps[i];
    matrices[i]->alignment = alignment_of(bits);
  }
  problem.bias_alignment =
      problem.has_bias ? alignment_of(reinterpret_cast<std::intptr_t>(run.bias)) : 0;
}

// The addresses of the matrices of call `index`; the last loop is the innermost.
SINTER_INLINE CudaLibraryRun::PerMatrix addresses_at(const CudaLibraryRun& run,
                                                     std::int64_t index) {
  CudaLibraryRun::PerMatrix result = run.addresses;
  for (std::size_t loop = run.outer_loops.size(); loop-- > 0;) {
    const auto& [count, steps] = run.outer_loops[loop];
    for (std::size_t i = 0; i < 4; ++i) result[i] += index % count * steps[i];
    index /= count;
  }
  return result;
}

// Whether the result aliases no operand, except an addend with the same layout.
SINTER_INLINE bool may_overwrite(const CudaLibraryRun& run) {
  const auto& [a, b, c, d] = run.addresses;
  const LibraryProblem& problem = run.problem;
  if (d == a || d == b || d == reinterpret_cast<std::intptr_t>(run.bias)) return false;
  return c != d || (problem.c.pitch == problem.d.pitch && problem.c.step == problem.d.step);
}

// Evaluates the extents of a call.
struct EvaluatedCall {
  const CudaLibraryCall& call;
  Span<void* const> buffers;
  Span<const std::int64_t> symbols;

  std::int64_t value(Extent extent) const { return evaluate(extent, symbols); }

  std::byte* address(const CudaLibraryCall::Matrix& matrix, DType dtype) const {
    auto* const first = static_cast<std::byte*>(buffers[static_cast<std::size_t>(matrix.buffer)]);
    return first + value(matrix.start) * static_cast<std::int64_t>(info(dtype).size);
  }

  std::int64_t number(const CudaLibraryCall::Matrix& matrix, DType dtype) const {
    return reinterpret_cast<std::intptr_t>(address(matrix, dtype));
  }

  LibraryMatrix matrix(const CudaLibraryCall::Matrix& matrix, std::int64_t length,
                       std::int64_t lines) const {
    return {.length = length, .lines = lines, .pitch = value(matrix.pitch)};
  }

  const CudaLibraryCall::Matrix& third() const {
    return call.added.buffer >= 0 ? call.added : call.result;
  }

  LibraryProblem problem(std::int64_t m, std::int64_t n, std::int64_t k) const {
    const CudaLibraryCall::Matrix &left = call.left, &right = call.right;
    return {.operands = call.operands,
            .result = call.stored,
            .tf32 = call.tf32,
            .activation = call.activation,
            .has_bias = call.bias.buffer >= 0,
            .adds = call.added.buffer >= 0,
            .transposes_a = right.by_depth,
            .transposes_b = !left.by_depth,
            .a = right.by_depth ? matrix(right, k, n) : matrix(right, n, k),
            .b = left.by_depth ? matrix(left, k, m) : matrix(left, m, k),
            .c = matrix(third(), n, m),
            .d = matrix(call.result, n, m)};
  }

  Vector<CudaLibraryRun::OuterLoop> repeats() const {
    Vector<CudaLibraryRun::OuterLoop> result;
    for (const CudaLibraryCall::Repeat& one : call.repeats) {
      const Extent third = call.added.buffer >= 0 ? one.added : one.result;
      result.push_back(
          {value(one.count), {value(one.right), value(one.left), value(third), value(one.result)}});
    }
    return result;
  }
};

}  // namespace detail

SINTER_INLINE bool CudaLibraryCall::pays(std::int64_t rows, std::int64_t columns,
                                         std::int64_t depth) {
  return std::min(rows, columns) > detail::max_skinny_lines &&
         detail::work_of(rows, columns, depth) >= detail::min_library_work;
}

SINTER_INLINE bool CudaLibraryCall::may_pay() const {
  return pays(bounds(rows).max, bounds(columns).max, bounds(depth).max);
}

SINTER_INLINE bool CudaLibraryCall::always_pays() const {
  return pays(bounds(rows).min, bounds(columns).min, bounds(depth).min);
}

SINTER_INLINE bool CudaLibraryCall::hides_launches() const {
  const std::int64_t m = bounds(rows).min, n = bounds(columns).min, k = bounds(depth).min;
  return always_pays() && detail::work_of(m, n, k) >= detail::min_hiding_work;
}

SINTER_INLINE Optional<CudaLibraryRun> CudaLibraryCall::resolve(CudaContext& context,
                                                                Span<void* const> buffers,
                                                                Span<const std::int64_t> symbols,
                                                                Workspace workspace) const {
  const detail::EvaluatedCall numbers{*this, buffers, symbols};
  const std::int64_t m = numbers.value(rows), n = numbers.value(columns), k = numbers.value(depth);
  if (!pays(m, n, k)) return {};
  CudaLibraryRun run;
  run.problem = numbers.problem(m, n, k);
  run.addresses = {numbers.number(right, operands), numbers.number(left, operands),
                   numbers.number(numbers.third(), stored), numbers.number(result, stored)};
  if (run.problem.has_bias) run.bias = numbers.address(bias, stored);
  if (!detail::place_repeats(numbers.repeats(), run)) return {};
  LibraryProblem& problem = run.problem;
  const bool fit = detail::fits(problem.a) && detail::fits(problem.b) && detail::fits(problem.c) &&
                   detail::fits(problem.d);
  if (!fit || !detail::may_overwrite(run)) return {};
  detail::align(run);
  run.choice = context.state<CudaLibrary>().choose(context, problem, run.bias, workspace, answer);
  if (run.choice == nullptr) return {};
  run.workspace_bytes = run.choice->algorithm.workspace_bytes;
  return run;
}

SINTER_INLINE bool CudaLibraryCall::enqueue(CudaContext& context, CudaDriver::Handle stream,
                                            const CudaLibraryRun& run, void* workspace,
                                            Where where) const {
  CudaLibrary& library = context.state<CudaLibrary>();
  std::int64_t calls = 1;
  for (const CudaLibraryRun::OuterLoop& one : run.outer_loops) calls *= one.count;
  for (std::int64_t index = 0; index < calls; ++index) {
    const CudaLibraryRun::PerMatrix at = detail::addresses_at(run, index);
    const auto pointer = [&](std::size_t i) { return reinterpret_cast<void*>(at[i]); };
    const int status =
        run.choice->multiply(stream, scale, pointer(0), pointer(1), added_scale, pointer(2),
                             pointer(3), run.bias, workspace, run.workspace_bytes);
    if (status == 0) continue;
    if (index == 0 && detail::refuses(status)) {
      library.refuse(*run.choice, library.words_of(status));
      return false;
    }
    throw DeviceError({.op = to_string(context.device()),
                       .what = "cuBLASLt reports an error",
                       .facts = {{"call", "cublasLtMatmul"},
                                 {"product", to_string(run.problem)},
                                 {"error", library.words_of(status)}},
                       .where = where});
  }
  return true;
}

SINTER_INLINE bool CudaLibraryCall::run(CudaSubmission& work, Span<void* const> buffers,
                                        Span<const std::int64_t> symbols, Where where) const {
  Optional<CudaLibraryRun> run = resolve(work.context(), buffers, symbols);
  if (!run) return false;
  const Storage workspace = detail::workspace_of(work, run->workspace_bytes, where);
  if (run->workspace_bytes != 0 && !workspace) {
    CudaLibrary& library = work.context().state<CudaLibrary>();
    run->choice = library.choose(work.context(), run->problem, run->bias, Workspace::none, answer);
    run->workspace_bytes = 0;
    if (run->choice == nullptr) return false;
  }
  return enqueue(work.context(), work.stream().handle, *run, workspace ? workspace.data() : nullptr,
                 where);
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
