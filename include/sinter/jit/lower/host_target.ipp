#pragma once

#ifdef __x86_64__
#include <cpuid.h>  // __get_cpuid_count
#endif
#ifdef __linux__
#include <sys/syscall.h>  // SYS_arch_prctl
#include <unistd.h>       // syscall
#endif

#include <sinter/base/env.hpp>
#include <sinter/base/error.hpp>
#include <sinter/base/text.hpp>
#include <sinter/jit/lower/host_target.hpp>

namespace sinter::inline SINTER_ABI::detail::jit {

SINTER_INLINE int host_vector_bits() {
  const std::string_view chosen = env(Env::vector_bits);
  for (const int bits : {512, 256, 128, 0}) {
    if (chosen == text(bits)) return bits;
  }
  if (!chosen.empty()) {
    throw ValueError({.op = "SINTER_VECTOR_BITS",
                      .what = "the vector width is not supported",
                      .facts = {{"value", std::string(chosen)}},
                      .rule = text("it is ", info(Env::vector_bits).values),
                      .fix = "unset SINTER_VECTOR_BITS: the width is that of this machine"});
  }
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) return 512;
  if (__builtin_cpu_supports("avx2")) return 256;
#endif
  return 128;
}

SINTER_INLINE bool host_has_bf16_dot() {
#ifdef __x86_64__
  return __builtin_cpu_supports("avx512bf16");
#else
  return false;
#endif
}

SINTER_INLINE bool host_has_amx() {
#if defined(__x86_64__) && defined(__linux__)
  static const bool may = [] {
    constexpr unsigned amx_tile = 1u << 24, amx_bf16 = 1u << 22;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return false;
    if ((d & amx_tile) == 0 || (d & amx_bf16) == 0) return false;
    constexpr long request_state = 0x1023, tile_data = 18;  // of asm/prctl.h
    return syscall(SYS_arch_prctl, request_state, tile_data) == 0;
  }();
  return may;
#else
  return false;
#endif
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
