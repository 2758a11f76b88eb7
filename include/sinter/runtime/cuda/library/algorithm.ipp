#pragma once

#include <algorithm>  // std::swap
#include <memory>     // std::unique_ptr
#include <mutex>      // std::lock_guard

#include <sinter/base/container/vector.hpp>
#include <sinter/base/log.hpp>
#include <sinter/runtime/cuda/library/algorithm.hpp>

namespace sinter::inline SINTER_ABI::detail::runtime {

namespace detail {

/// An owned object of the library.
using LibraryObject = std::unique_ptr<void, int (*)(CublasLt::Handle)>;

template <class Function, class T>
bool set_value(Function set, void* subject, int attribute, const T& value) {
  return set(subject, attribute, &value, sizeof(value)) == 0;
}

SINTER_INLINE int library_type(DType dtype) {
  switch (dtype) {
    case f64:
      return CublasLt::data_f64;
    case f16:
      return CublasLt::data_f16;
    case bf16:
      return CublasLt::data_bf16;
    default:
      return CublasLt::data_f32;
  }
}

SINTER_INLINE int epilogue_of(const LibraryProblem& problem) {
  int result = problem.has_bias ? static_cast<int>(CublasLt::epilogue_bias) : 0;
  if (problem.activation == Activation::relu) result += CublasLt::epilogue_relu;
  if (problem.activation == Activation::gelu) result += CublasLt::epilogue_gelu;
  return result == 0 ? static_cast<int>(CublasLt::epilogue_none) : result;
}

SINTER_INLINE int compute_of(const LibraryProblem& problem) {
  if (problem.operands == f64) return CublasLt::compute_f64;
  return problem.tf32 ? CublasLt::compute_tf32 : CublasLt::compute_f32;
}

// The description of the operation, without the matrices.
SINTER_INLINE LibraryObject description_of(const CublasLt& table, const LibraryProblem& problem,
                                           const void* bias) {
  const bool wide = problem.operands == f64;
  CublasLt::Handle made = nullptr;
  if (table.create_description(&made, compute_of(problem),
                               wide ? CublasLt::data_f64 : CublasLt::data_f32) != 0) {
    return {nullptr, table.destroy_description};
  }
  LibraryObject result(made, table.destroy_description);
  const int a = problem.transposes_a ? CublasLt::transposed : 0;
  const int b = problem.transposes_b ? CublasLt::transposed : 0;
  const int epilogue = epilogue_of(problem);
  const auto set = [&](int attribute, const auto& value) {
    return set_value(table.set_description, made, attribute, value);
  };
  const bool done = set(CublasLt::transpose_a, a) && set(CublasLt::transpose_b, b) &&
                    set(CublasLt::epilogue, epilogue) &&
                    (!problem.has_bias || set(CublasLt::bias_pointer, bias));
  if (!done) result.reset();
  return result;
}

SINTER_INLINE CublasLt::Handle layout_of(const CublasLt& table, const LibraryMatrix& matrix,
                                         DType dtype, std::int64_t batch) {
  CublasLt::Handle layout = nullptr;
  if (table.create_layout(&layout, library_type(dtype), static_cast<std::uint64_t>(matrix.length),
                          static_cast<std::uint64_t>(matrix.lines), matrix.pitch) != 0) {
    return nullptr;
  }
  const auto count = static_cast<std::int32_t>(batch);
  if (batch > 1 && !(set_value(table.set_layout, layout, CublasLt::batch_count, count) &&
                     set_value(table.set_layout, layout, CublasLt::batch_stride, matrix.step))) {
    table.destroy_layout(layout);
    return nullptr;
  }
  return layout;
}

SINTER_INLINE LibraryObject preference_of(const CublasLt& table, const LibraryProblem& problem,
                                          std::size_t max_workspace) {
  CublasLt::Handle made = nullptr;
  if (table.create_preference(&made) != 0) return {nullptr, table.destroy_preference};
  LibraryObject result(made, table.destroy_preference);
  const auto set = [&](int attribute, const auto& value) {
    return set_value(table.set_preference, made, attribute, value);
  };
  const auto align = [&](int attribute, const LibraryMatrix& matrix) {
    return set(attribute, static_cast<std::uint32_t>(matrix.alignment));
  };
  const std::uint64_t bytes = max_workspace;
  const std::uint32_t reductions = CublasLt::reduces_as_it_computes;
  const bool done =
      set(CublasLt::most_workspace_bytes, bytes) && set(CublasLt::reductions, reductions) &&
      align(CublasLt::alignment_a, problem.a) && align(CublasLt::alignment_b, problem.b) &&
      align(CublasLt::alignment_c, problem.c) && align(CublasLt::alignment_d, problem.d);
  if (!done) result.reset();
  return result;
}

SINTER_INLINE Hash key_of(const LibraryProblem& problem, std::size_t max_workspace, int answer) {
  Hasher hasher;
  const auto add = [&](auto value) { hasher.add(static_cast<std::uint64_t>(value)); };
  for (const LibraryMatrix* one : {&problem.a, &problem.b, &problem.c, &problem.d}) {
    add(one->length), add(one->lines), add(one->pitch), add(one->step), add(one->alignment);
  }
  add(problem.operands), add(problem.result), add(problem.activation), add(problem.has_bias);
  add(problem.adds), add(problem.transposes_a), add(problem.transposes_b), add(problem.batch);
  add(problem.bias_alignment), add(max_workspace), add(answer), add(problem.tf32);
  return hasher.result();
}

// Asks the library's heuristic; returns the reason if it has no algorithm.
SINTER_INLINE std::string ask(CudaLibrary::Choice& choice, const void* bias,
                              std::size_t max_workspace, int answer) {
  const CublasLt& table = *choice.table;
  const LibraryProblem& problem = choice.problem;
  choice.a = layout_of(table, problem.a, problem.operands, problem.batch);
  choice.b = layout_of(table, problem.b, problem.operands, problem.batch);
  choice.c = layout_of(table, problem.c, problem.result, problem.batch);
  choice.d = layout_of(table, problem.d, problem.result, problem.batch);
  const LibraryObject description = description_of(table, problem, bias);
  const LibraryObject preference = preference_of(table, problem, max_workspace);
  const bool described = choice.a != nullptr && choice.b != nullptr && choice.c != nullptr &&
                         choice.d != nullptr && description != nullptr && preference != nullptr;
  if (!described) return "the library cannot describe it";
  int given = 0;
  Vector<CublasLtChoice> answers(static_cast<std::size_t>(answer));
  const int status = table.heuristic(choice.handle, description.get(), choice.a, choice.b, choice.c,
                                     choice.d, preference.get(), answer, answers.data(), &given);
  if (status != 0) return table.status_string(status);
  if (given < 1) return "it has no algorithm";
  choice.algorithm = answers[static_cast<std::size_t>(given) - 1];
  return choice.algorithm.state == 0 ? "" : table.status_string(choice.algorithm.state);
}

// NVIDIA's recommendation, 32 MiB from Hopper on: split-K keeps partial sums of all
// multiprocessors.
SINTER_INLINE std::size_t max_workspace(Device device) {
  const std::string architecture = cuda_architecture(device);
  const bool old = architecture.size() == 5 && architecture < "sm_90";
  return std::size_t{old ? 4u : 32u} << 20;
}

}  // namespace detail

SINTER_INLINE std::string to_string(const LibraryProblem& problem) {
  const std::int64_t rows = problem.d.lines, columns = problem.d.length;
  const std::int64_t depth = problem.transposes_a ? problem.a.length : problem.a.lines;
  return text(problem.batch == 1 ? "" : text(problem.batch, " of "), problem.operands,
              problem.tf32 ? " as tf32 " : " ", rows, " x ", depth, " by ", depth, " x ", columns);
}

SINTER_INLINE CudaLibrary::Choice::~Choice() {
  for (const CublasLt::Handle layout : {a, b, c, d}) {
    if (layout != nullptr) table->destroy_layout(layout);
  }
}

SINTER_INLINE int CudaLibrary::Choice::multiply(CudaDriver::Handle stream, double scale,
                                                const void* a_first, const void* b_first,
                                                double added_scale, const void* c_first,
                                                void* d_first, const void* bias, void* workspace,
                                                std::size_t workspace_bytes) const {
  const detail::LibraryObject description = detail::description_of(*table, problem, bias);
  if (description == nullptr) return CublasLt::allocation_failed;
  const auto scale_f32 = static_cast<float>(scale), added_f32 = static_cast<float>(added_scale);
  const bool wide = problem.operands == f64;
  const void* const alpha = wide ? static_cast<const void*>(&scale) : &scale_f32;
  const void* const beta = wide ? static_cast<const void*>(&added_scale) : &added_f32;
  return table->multiply(handle, description.get(), alpha, a_first, a, b_first, b, beta, c_first, c,
                         d_first, d, algorithm.algorithm, workspace, workspace_bytes, stream);
}

// The caller holds the mutex.
SINTER_INLINE bool CudaLibrary::open(CudaContext& context) {
  if (handle_ != nullptr || missing_) return !missing_;
  table_ = cublaslt();
  const int status = table_ == nullptr ? 0 : table_->create(&handle_);
  missing_ = table_ == nullptr || status != 0;
  max_workspace_ = detail::max_workspace(context.device());
  if (missing_) {
    log(Log::perf, text("generated kernels compute all products on ", to_string(context.device()),
                        ": ", table_ == nullptr ? cublaslt_missing() : words_of(status)));
  }
  return !missing_;
}

SINTER_INLINE const CudaLibrary::Choice* CudaLibrary::choose(CudaContext& context,
                                                             const LibraryProblem& problem,
                                                             const void* bias, Workspace workspace,
                                                             int answer) {
  const std::lock_guard lock(mutex_);
  if (!open(context)) return nullptr;
  const std::size_t max_workspace = workspace == Workspace::none ? 0 : max_workspace_;
  UniquePtr<Choice>& known = choices_[detail::key_of(problem, max_workspace, answer)];
  if (known == nullptr) {
    known = make_unique_ptr<Choice>();
    known->table = table_;
    known->handle = handle_;
    known->problem = problem;
    const std::string reason = detail::ask(*known, bias, max_workspace, answer);
    known->usable = reason.empty();
    if (!known->usable) {
      log(Log::perf,
          text("a generated kernel computes ", to_string(problem), ", cuBLASLt: ", reason));
    }
  }
  return known->usable ? known.get() : nullptr;
}

SINTER_INLINE void CudaLibrary::refuse(const Choice& choice, const std::string& reason) {
  const std::lock_guard lock(mutex_);
  for (const auto& [key, known] : choices_) {
    if (known.get() == &choice) known->usable = false;
  }
  log(Log::perf,
      text("a generated kernel computes ", to_string(choice.problem), ", cuBLASLt: ", reason));
}

SINTER_INLINE std::string CudaLibrary::words_of(int status) const {
  return text(table_->status_string(status), " ", status);
}

SINTER_INLINE void CudaLibrary::close(const CudaDriver&) noexcept {
  choices_.clear();
  if (handle_ != nullptr) table_->destroy(handle_);
  handle_ = nullptr;
}

}  // namespace sinter::inline SINTER_ABI::detail::runtime
