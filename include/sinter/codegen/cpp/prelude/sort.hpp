#pragma once
// Helpers of generated C++ that sort the positions of a row.

#include <array>        // std::array
#include <string_view>  // std::string_view

#include <sinter/codegen/text/helper.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen::detail {

inline constexpr std::string_view sorted_types = "bool u8 i8 i16 i32 i64 f16 bf16 f32 f64";

inline constexpr std::array<Helper, 8> cpp_sort_helpers{{
    {"sort_key", "bool u8", Lanes::one,
     R"(// An unsigned number that is ordered as v is; NaN is the largest.
INLINE $U sort_key_$S($E v) { return v; })"},
    {"sort_key", "i8 i16 i32 i64", Lanes::one,
     R"(INLINE $U sort_key_$S($E v) { return ($U)(($U)v ^ ($U)1 << ($B - 1)); })"},
    {"sort_key", "f16 bf16", Lanes::one,
     R"(INLINE unsigned short sort_key_$S(unsigned short v) {
  const float number = f32_of_$S(v);
  if (number != number) return 0xffff;
  return number == 0 ? 0x8000 : v & 0x8000 ? (unsigned short)~v : v | 0x8000;
})"},
    {"sort_key", "f32 f64", Lanes::one,
     R"(INLINE $U sort_key_$S($E v) {
  const $U bits = __builtin_bit_cast($U, v), sign = ($U)1 << ($B - 1);
  if (v != v) return ~($U)0;
  return v == 0 ? sign : bits & sign ? ~bits : bits | sign;
})"},
    {"SortEntry", sorted_types, Lanes::one,
     R"(struct SortEntry_$S {
  $U key;
  unsigned at;
};)"},
    {"sort_in_place", sorted_types, Lanes::one,
     R"(// A heap sort, which needs no memory. Equal elements are ordered by their positions.
static __attribute__((noinline)) void sort_in_place_$S(const $E* keys, long* to, long count,
                                                       long step, $U flip) {
  const auto is_after = [=](long a, long b) {
    const $U x = sort_key_$S(keys[a * step]) ^ flip, y = sort_key_$S(keys[b * step]) ^ flip;
    return x > y || (x == y && a > b);
  };
  for (long i = 0; i < count; ++i) to[i * step] = i;
  for (long first = count / 2, last = count; last > 1;) {
    long hole = 0, moved = 0;
    if (first > 0) {
      hole = --first;
      moved = to[hole * step];
    } else {
      moved = to[--last * step];
      to[last * step] = to[0];
    }
    for (long child = 2 * hole + 1; child < last; child = 2 * hole + 1) {
      if (child + 1 < last && is_after(to[(child + 1) * step], to[child * step])) ++child;
      if (!is_after(to[child * step], moved)) break;
      to[hole * step] = to[child * step];
      hole = child;
    }
    to[hole * step] = moved;
  }
})"},
    {"sort_few", sorted_types, Lanes::one,
     R"(// An insertion sort of less than 64 elements.
INLINE void sort_few_$S(const $E* keys, long* to, int count, long step, $U flip) {
  SortEntry_$S sorted[64];
  for (int i = 0; i < count; ++i) {
    const $U key = sort_key_$S(keys[i * step]) ^ flip;
    int hole = i;
    for (; hole > 0 && sorted[hole - 1].key > key; --hole) sorted[hole] = sorted[hole - 1];
    sorted[hole] = {key, (unsigned)i};
  }
  for (int i = 0; i < count; ++i) to[i * step] = sorted[i].at;
})"},
    {"argsort", sorted_types, Lanes::one,
     R"(// The positions of the sorted elements: a radix sort to the base 256.
static __attribute__((noinline)) void argsort_$S(const $E* keys, long* to, long count, long step,
                                                 bool descending) {
  const $U flip = descending ? ($U)~($U)0 : 0;
  if (count < 64) return sort_few_$S(keys, to, (int)count, step, flip);
  void* const memory =
      count >> 32 == 0 ? __builtin_malloc(2 * count * sizeof(SortEntry_$S)) : nullptr;
  if (memory == nullptr) return sort_in_place_$S(keys, to, count, step, flip);
  SortEntry_$S *from = (SortEntry_$S*)memory, *sorted = from + count;
  unsigned places[$B / 8][256] = {};
  for (long i = 0; i < count; ++i) {
    from[i] = {($U)(sort_key_$S(keys[i * step]) ^ flip), (unsigned)i};
    for (int digit = 0; digit < $B / 8; ++digit) ++places[digit][from[i].key >> 8 * digit & 255];
  }
  for (int digit = 0; digit < $B / 8; ++digit) {
    unsigned* const place = places[digit];
    if (place[from[0].key >> 8 * digit & 255] == count) continue;  // all have the same digit
    unsigned next = 0;
    for (int i = 0; i < 256; ++i) {
      const unsigned equal = place[i];
      place[i] = next;
      next += equal;
    }
    for (long i = 0; i < count; ++i) sorted[place[from[i].key >> 8 * digit & 255]++] = from[i];
    SortEntry_$S* const other = from;
    from = sorted;
    sorted = other;
  }
  for (long i = 0; i < count; ++i) to[i * step] = from[i].at;
  __builtin_free(memory);
})"},
}};

}  // namespace sinter::inline SINTER_ABI::detail::codegen::detail
