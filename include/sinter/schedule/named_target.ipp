#pragma once

#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/schedule/gpu_target.hpp>
#include <sinter/schedule/host_target.hpp>
#include <sinter/schedule/named_target.hpp>

namespace sinter::inline SINTER_ABI::detail::schedule {

namespace detail {

struct NamedHost {
  std::string_view name;
  VectorUnit vectors;
};

inline constexpr NamedHost named_hosts[]{
    {"scalar", {.bits = 0}},   {"neon", {.bits = 128}},
    {"sse2", {.bits = 128}},   {"avx2", {.bits = 256}},
    {"avx512", {.bits = 512}}, {"avx512_bf16", {.bits = 512, .has_bf16_dot = true}},
    {"amx", {512, true, true}}};

struct NamedGpu {
  std::string_view name;
  Multiprocessors gpu;
};

// The largest GPU of each, by the tables of the CUDA C++ Programming Guide and the data sheets.
inline constexpr NamedGpu named_gpus[]{
    {"sm_80", {.count = 108, .shared_bytes = 163 * 1024}},   // A100
    {"sm_86", {.count = 84, .shared_bytes = 99 * 1024}},     // A40
    {"sm_89", {.count = 142, .shared_bytes = 99 * 1024}},    // L40S
    {"sm_90", {.count = 132, .shared_bytes = 227 * 1024}},   // H100, H200
    {"sm_100", {.count = 148, .shared_bytes = 227 * 1024}},  // B200
};

}  // namespace detail

SINTER_INLINE Vector<std::string_view> target_names() {
  Vector<std::string_view> result;
  for (const detail::NamedHost& one : detail::named_hosts) result.push_back(one.name);
  for (const detail::NamedGpu& one : detail::named_gpus) result.push_back(one.name);
  return result;
}

SINTER_INLINE Target Target::named(std::string_view wanted) {
  Target result;
  for (const detail::NamedHost& one : detail::named_hosts) {
    if (one.name == wanted) result = host_target(one.vectors), result.name = one.name;
  }
  for (const detail::NamedGpu& one : detail::named_gpus) {
    if (one.name == wanted) result = gpu_target(one.gpu), result.name = one.name;
  }
  if (result.name == wanted) return result;
  throw ValueError({.op = "Target::named",
                    .what = "there is no such target",
                    .facts = {{"name", std::string(wanted)}},
                    .rule = text("the names are ", target_names()),
                    .fix = "use one of these, or host_target() or gpu_target() with numbers of "
                           "your own"});
}

}  // namespace sinter::inline SINTER_ABI::detail::schedule
