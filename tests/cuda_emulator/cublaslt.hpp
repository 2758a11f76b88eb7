#pragma once
// The objects behind cuBLASLt handles, and the products that they describe.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <sinter/device/cuda/cublaslt.hpp>

#include "memory.hpp"

namespace emulator {

struct LibraryHandle {
  int device = 0;
};

struct LibraryDescription {
  int compute = 0, scale = 0;
  int transposes_a = 0, transposes_b = 0;
  int epilogue = sinter::detail::CublasLt::epilogue_none;
  const void* bias = nullptr;
};

/// Columns of `rows` elements, `leading` elements apart.
struct LibraryLayout {
  int type = 0;
  std::int64_t rows = 0, columns = 0, leading = 0;
  std::int32_t batch = 1;
  std::int64_t step = 0;
};

struct LibraryPreference {
  std::uint64_t workspace = 0;
  std::uint32_t reductions = 7;
  std::array<std::uint32_t, 4> alignments{256, 256, 256, 256};
};

/// d = epilogue(alpha * a * b + beta * c). Everything is copied: the descriptors may be destroyed
/// before the product runs.
struct LibraryProduct {
  LibraryDescription description{};
  std::array<LibraryLayout, 4> layouts{};  ///< a, b, c and d
  double alpha = 1, beta = 0;
  std::array<Address, 4> addresses{};
  Address workspace = 0;
  std::size_t workspace_bytes = 0;
  int device = 0;
  int answer = 1;  ///< Rank of the chosen algorithm among those that the heuristic offered.

  bool has(int epilogue) const { return (description.epilogue & epilogue) != 0; }
  std::int64_t depth() const {
    return description.transposes_a != 0 ? layouts[0].rows : layouts[0].columns;
  }
};

/// Size of an element in bytes; 0 for unsupported types.
std::size_t element_bytes(int type);

/// What is wrong with the description, apart from addresses; "" if nothing.
std::string mistake_in(const LibraryProduct& product);

/// True if there is an algorithm for its types.
bool is_supported(const LibraryProduct& product);

/// Computes the product, and reports invalid accesses. Returns a status of the driver.
int run_product(const LibraryProduct& product);

struct Stream;
/// Adds the product to the capture of the stream.
int capture_product(Stream& stream, const LibraryProduct& product);

const sinter::detail::CublasLt& cublaslt_table();

/// The number of library objects that were not destroyed; destroys them.
std::size_t forget_library_objects();

}  // namespace emulator
