#pragma once
// Emits a matrix product as CUDA: a block computes an output tile from operands staged in shared
// memory, or a few rows from a matrix that is read once, and then runs the epilogue.

#include <cstdint>   // std::int64_t
#include <string>    // std::string

#include <sinter/base/container/optional.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/cuda/nest/function_head.hpp>
#include <sinter/codegen/cuda/nest/launch.hpp>
#include <sinter/codegen/cuda/nest/options.hpp>
#include <sinter/codegen/cuda/nest/piece.hpp>
#include <sinter/codegen/cuda/product/tile.hpp>
#include <sinter/codegen/text/product_form.hpp>
#include <sinter/codegen/text/tuning.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

class CudaProduct {
 public:
  CudaProduct(const Kernel& kernel, ProductForm form, const CudaOptions& options = {});
  /// The text of the function `name`, preceded by the device functions that it calls.
  std::string function(const std::string& name);
  CudaLaunch launch() const { return {max(tasks(), 1), threads(), shared_bytes()}; }
  CudaMethod method() const { return method_; }
  const CudaTile& tile() const { return tile_; }
  bool has_few_rows() const {
    return method_ == CudaMethod::dots || method_ == CudaMethod::columns;
  }

 private:
  /// How the left or right operand is read.
  struct Factor {
    std::string name{};
    CudaSide side{};       ///< Its rows or columns.
    ValueId value = -1;    ///< The value that is multiplied.
    DType dtype{};         ///< The type in which it is multiplied.
    bool deep = false;     ///< Read along the depth (K-major), else across it.
    bool copied = false;   ///< A plain input, copied with cp.async, ...
    Extent stride = 0;     ///< ... whose lines are this far apart.
    int pack = 1;          ///< If not copied: neighbours computed at once.
    bool has_rest = true;  ///< There may be a remainder, computed element by element.
    std::string arguments{};
  };

  const Instruction& at(ValueId id) const { return kernel_.instructions[id]; }
  DType multiplied_as() const;
  bool is_tf32() const { return method_ == CudaMethod::mma && left_.dtype == f32; }
  void choose_method();
  void choose_few_rows();
  void choose_tile();
  void choose_factor(Factor& factor, const Vector<Loop>& loops);
  bool copies(Factor& factor, const Vector<Loop>& loops) const;
  int widest_pack(const Factor& factor) const;
  bool packs(const Loop& last, std::size_t loops, int pack) const;

  Vector<CudaSide> sides_of(const Factor& factor) const;
  void write_operand(Factor& factor);
  void write_epilogue();

  std::string c(Extent extent) const { return c_inside(kernel_, {{"batch", form_.batch}}, extent); }
  Extent tasks() const;
  int padding(const Factor& factor) const;
  std::int64_t shared_bytes() const;
  int threads() const;
  int pitch() const { return tile_.columns + 8; }
  std::string sum_type() const;
  std::string operand_type(const Factor& factor, int count) const;

  std::string remark() const;
  void write_shared();
  void write_body();
  void write_tile_sums();
  void write_fetch(const Factor& factor, const std::string& first, const std::string& end);
  void write_few_row_sums();
  std::string call(const Factor& factor, int pack, const std::string& item,
                   const std::string& k) const;
  std::string neighbours(const Factor& factor, const std::string& item,
                         const std::string& live) const;
  void write_epilogue_loop();

  const Kernel& kernel_;
  ProductForm form_;
  DType sum_dtype_{};  ///< Accumulator type.
  CudaOptions options_{};
  CudaFunction function_;
  CudaMethod method_{};
  CudaTile tile_{};
  Factor left_{}, right_{};
  Extent batch_, rows_, columns_, depth_;
  int few_rows_ = 1;  ///< Number of rows of a product of few rows; else 1.
  int epilogue_pack_ = 1;
  std::string integer_{};
  std::string name_{}, pieces_{}, epilogue_arguments_{};
  Writer out_{};
};

/// The product form in which `kernel` is emitted: see product_form(). None for floating types if
/// `strict`: their sums keep their order, so that tiling gains nothing.
Optional<ProductForm> cuda_product_form(const Kernel& kernel, const CudaOptions& options);

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/product/product.ipp>
#endif
