#pragma once
// Writes the function of a kernel in CUDA: its head, and how it gets its arguments.

#include <cstdint>      // std::int32_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/codegen/text/names.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A parameter: "const float*" and "in0".
struct CudaParameter {
  std::string type{}, name{};
};

/// "in3", "out4": the parameter for `argument` of `kernel`, which is not local.
std::string parameter_name(const Kernel& kernel, std::int32_t argument);

/// The arguments of `kernel` that are not local, its sizes "n0", ..., and the fault record.
Vector<CudaParameter> parameters_of(const Kernel& kernel);

/// The type of the indices of `kernel`: "int" if they, and `counts`, are proven to fit in 31 bits,
/// else "long".
std::string index_type(const Kernel& kernel, const std::vector<Extent>& counts);

/// The function of `kernel`. It takes the parameters, but
///
/// - in the body of a branch or loop of a CUDA graph: `words` in memory, and for each parameter the
///   position of the word that has it (see cuda/control.hpp);
/// - of a batched kernel: a table of the parameters of several launches, which is described in
///   schedule/launch/batched.hpp. Each block looks up its launch, and does what it would do there.
struct CudaFunction {
  const Kernel& kernel;
  bool in_body = false;

  bool has_table() const { return kernel.batch_capacity != 0 && !in_body; }
  /// What the function calls the number of a block in its launch, and the number of all blocks.
  std::string_view block() const { return has_table() ? "block" : "blockIdx.x"; }
  std::string_view blocks() const { return has_table() ? "blocks" : "gridDim.x"; }

  /// Writes the function `name` ("add_f32_0123abcd") with the launch bounds "128, 1".
  void write(Writer& out, const std::string& name, const std::string& bounds,
             FunctionRef<void()> write_body) const;

 private:
  void write_table_type(Writer& out, const std::string& type) const;
  void write_entry_search(Writer& out) const;
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen

#ifdef SINTER_DEFINITIONS
#include <sinter/codegen/cuda/nest/function_head.ipp>
#endif
