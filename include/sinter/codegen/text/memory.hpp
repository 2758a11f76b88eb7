#pragma once
// Writes the loads and stores of a kernel: whole vectors where lanes are contiguous in memory.

#include <cstdint>      // std::int64_t, std::uint8_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/codegen/text/values.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// "f32", "u16": the type in memory, as helpers name it.
std::string stored_name(DType dtype);

/// When stores are non-temporal.
enum class NonTemporal : std::uint8_t { never, if_large };

class Memory : private KernelPart {
 public:
  Memory(KernelContext& context, Values& values, NonTemporal non_temporal)
      : KernelPart(context), values_(values), non_temporal_(non_temporal) {}

  void write_load(ValueId id, const Instance& instance);
  void write_store(ValueId id, const Instance& instance);
  void write_sort(ValueId id, const Instance& instance);
  /// Writes the pointer to the row that `id` accesses.
  void write_base(ValueId id);

  /// The element that `id` reads or writes: "in0[i0]"; with `lane`, for that lane.
  std::string element(ValueId id, const Instance& instance, std::string_view lane = "") const;
  /// The same as an address: "in0 + i0".
  std::string address(ValueId id, const Instance& instance) const;
  /// "f32_of_f16(in0[i0])": the value of an element.
  std::string read(ValueId id, const std::string& element) const;
  /// The value of a load whose guards do not hold.
  std::string fallback(ValueId id) const;
  /// True if `argument` may be large enough for non-temporal stores.
  bool stores_non_temporal(std::int32_t argument) const;
  /// The number of elements from which on its stores are non-temporal.
  std::int64_t least_non_temporal(std::int32_t argument) const;
  /// True if neighbouring lanes access neighbouring elements.
  bool contiguous(ValueId id) const;
  /// True if each vector that begins at a multiple of the lane count reads contiguous elements.
  bool contiguous_if_aligned(ValueId id) const;
  /// Stores to `argument` go through the caches in any case, until -1 is set.
  void set_temporal(std::int32_t argument) { temporal_argument_ = argument; }
  /// The same for all arguments.
  void set_all_temporal(bool all_of_them) { all_temporal_ = all_of_them; }

 private:
  /// True if the load `id` also prefetches the same part of the next row.
  bool prefetches(ValueId id) const;
  void write_prefetch(ValueId id, const Instance& instance);
  struct Place {
    std::string pointer{};
    Extent index = 0;
  };
  Place place(ValueId id, const Instance& instance, bool by_lane) const;
  void write_vector_load(ValueId id, const Instance& instance);
  void write_vector_store(ValueId id, const Instance& instance);
  /// The position of the unrolled loop whose two copies `id` stores interleaved; -1 if there is
  /// none.
  int pairs_of(ValueId id) const;
  void write_store_of_pairs(ValueId id, const Instance& instance);
  std::string narrowed(DType dtype, const std::string& vector) const;
  /// The value that `id` stores, as it is in memory.
  std::string stored_vector(ValueId id, const Instance& instance) const;
  int lane_step(ValueId id) const;
  bool has_range_guards(ValueId id) const;
  std::string lane_range(ValueId id, const Instance& instance) const;
  void write_masked_load(ValueId id, const Instance& instance);
  /// Loads `id`, testing its guards once per vector; only vectors for which they hold in some lanes
  /// test each lane. `vector` is the expression that loads all lanes at once, or empty if the lanes
  /// are not contiguous.
  void write_guarded_vector(ValueId id, const Instance& instance, const std::string& vector = "");
  /// The condition under which all lanes may be loaded at once: the guards hold for the first and
  /// the last lane, and the lanes are contiguous.
  std::string whole_vector(ValueId id, const Instance& instance) const;
  void write_element(ValueId id, const std::string& guard, const std::string& element,
                     const std::string& value);
  std::string store_head(std::string_view form, ValueId id) const;
  std::string vector_memory(std::string_view verb, DType dtype, bool masked) const;
  std::string load_vector(ValueId id, const std::string& address) const;
  std::string converted(ValueId id, const std::string& load) const;

  Values& values_;
  NonTemporal non_temporal_;
  std::int32_t temporal_argument_ = -1;
  bool all_temporal_ = false;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/memory.ipp>
#endif
