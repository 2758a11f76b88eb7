#pragma once

#ifdef __x86_64__
#include <cpuid.h>  // __get_cpuid_count
#endif
#ifdef __linux__
#include <sys/syscall.h>  // SYS_arch_prctl
#include <unistd.h>       // syscall, sysconf
#endif

#include <cstdlib>  // std::atoi, std::atoll
#include <fstream>  // std::ifstream

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

namespace detail {

// The first line of a file of sysfs; empty if there is none.
SINTER_INLINE std::string sysfs_line(const std::string& path) {
  std::ifstream file(path);
  std::string result;
  std::getline(file, result);
  return result;
}

SINTER_INLINE schedule::Caches caches_in(const std::string& directory) {
  schedule::Caches result;
  for (int i = 0;; ++i) {
    const std::string path = text(directory, "/index", i, "/");
    const std::string level = sysfs_line(path + "level"), type = sysfs_line(path + "type");
    if (level.empty()) return result;
    const std::int64_t bytes = std::atoll(sysfs_line(path + "size").c_str()) * 1024;  // "32K"
    if (type == "Instruction" || bytes <= 0) continue;
    if (level == "2") result.l2 = bytes;
    if (level == "3") result.last_level = bytes;
    if (level != "1") continue;
    const int ways = std::atoi(sysfs_line(path + "ways_of_associativity").c_str());
    result.l1 = bytes;
    if (ways > 0) result.l1_way = bytes / ways;
  }
}

}  // namespace detail

SINTER_INLINE schedule::Caches host_caches() {
  static const schedule::Caches result = [] {
#ifdef _SC_LEVEL1_DCACHE_SIZE
    // On most machines the C library has them from the processor; sysfs takes 0.2 ms to read.
    const long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE), ways = sysconf(_SC_LEVEL1_DCACHE_ASSOC);
    const long l2 = sysconf(_SC_LEVEL2_CACHE_SIZE), last = sysconf(_SC_LEVEL3_CACHE_SIZE);
    if (l1 > 0 && ways > 0 && l2 > 0 && last > 0) return schedule::Caches{l1, l1 / ways, l2, last};
#endif
    return detail::caches_in("/sys/devices/system/cpu/cpu0/cache");
  }();
  return result;
}

SINTER_INLINE schedule::Target machine_target() {
  const int bits = host_vector_bits();
  return schedule::host_target({.bits = bits,
                                .has_bf16_dot = bits == 512 && host_has_bf16_dot(),
                                .has_amx = bits == 512 && host_has_amx()},
                               host_caches());
}

}  // namespace sinter::inline SINTER_ABI::detail::jit
