#pragma once
// Writes the loads and stores of a kernel: whole vectors where lanes are neighbours in memory.

#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/codegen/text/values.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// From this size on, what is stored has left the caches before anybody reads it.
inline constexpr std::int64_t stream_bytes = std::int64_t{32} << 20;

class Memory : public Values {
 public:
  using Values::Values;

 protected:
  void write_load(ValueId id, const Instance& instance) override;
  void write_store(ValueId id, const Instance& instance) override;
  void write_sort(ValueId id, const Instance& instance) override;
  void write_bases(int depth, int stage) override;
  /// Writes the pointer to a row of the tile of a load, as if it began where all columns do. CUDA
  /// has no tiles.
  virtual void write_tile_row(ValueId) {}

  /// The element that `id` reads or writes: "in0[i0]"; with `lane`, for that lane.
  std::string element(ValueId id, const Instance& instance, std::string_view lane = "") const;
  /// The same as an address: "in0 + i0".
  std::string address(ValueId id, const Instance& instance) const;
  /// "f32_of_f16(in0[i0])": an element as a value.
  std::string read(ValueId id, const std::string& element) const;
  /// What a load gives where its guards do not hold.
  std::string fallback(ValueId id) const;
  /// True if `argument` may be so large that its stores had better pass the caches by.
  virtual bool streams(std::int32_t argument) const;
  /// The number of elements from which on they do.
  std::int64_t least_streamed(std::int32_t argument) const;
  /// "f32", "u16": as the helpers call what is in memory.
  static std::string stored_name(DType dtype);
  /// True if neighbouring iterations of `variable` are neighbouring elements.
  bool contiguous(ValueId id) const;
  /// True if the lanes of each vector whose first position is a multiple of the lane count read
  /// contiguous elements.
  bool contiguous_if_aligned(ValueId id) const;
  /// True if a long function is computed in the loops of `stage`.
  bool computes_long_in(int stage) const;

  std::int32_t plain_argument_ = -1;  ///< What is not streamed where text is being written.

 private:
  /// True if, with the load `id`, the same part of the next row is fetched.
  bool prefetches(ValueId id) const;
  void write_prefetch(ValueId id, const Instance& instance);
  struct Place {
    std::string pointer{};
    Extent index = 0;
  };
  Place place(ValueId id, const Instance& instance, bool by_lane) const;
  void write_vector_load(ValueId id, const Instance& instance);
  void write_vector_store(ValueId id, const Instance& instance);
  int lane_step(ValueId id) const;
  bool counts_guards(ValueId id) const;
  std::string live_range(ValueId id, const Instance& instance) const;
  void write_window(ValueId id, const Instance& instance);
  /// Loads `id`, testing its guards once per vector; only vectors for which they hold in some lanes
  /// test each lane. `vector` is the expression that loads all lanes at once, or empty if the lanes
  /// are not contiguous.
  void write_guarded_vector(ValueId id, const Instance& instance, const std::string& vector = "");
  /// The condition under which all lanes may be loaded at once: the guards hold for the first and
  /// the last lane, and the lanes are contiguous.
  std::string whole_vector(ValueId id, const Instance& instance) const;
  void write_element(ValueId id, const std::string& guard, const std::string& element,
                     const std::string& value);
  std::string vector_memory(std::string_view verb, DType dtype, bool masked) const;
  std::string load_vector(ValueId id, const std::string& address) const;
  std::string converted(ValueId id, const std::string& load) const;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/text/memory.ipp>
#endif
