#pragma once
// Writes the function of a kernel in CUDA: its head, and how it gets its arguments.

#include <bit>          // std::bit_ceil
#include <cstdint>      // std::int32_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <vector>       // std::vector

#include <sinter/base/container/algorithm.hpp>
#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/text.hpp>
#include <sinter/codegen/text/names.hpp>
#include <sinter/codegen/text/writer.hpp>
#include <sinter/config.hpp>
#include <sinter/schedule/launch/batched.hpp>

namespace sinter::inline SINTER_ABI::detail::codegen {

/// A parameter: "const float*" and "in0".
struct CudaParameter {
  std::string type{}, name{};
};

/// "in3", "out4": the parameter for `argument` of `kernel`, which is not local.
inline std::string parameter_name(const Kernel& kernel, std::int32_t argument) {
  if (kernel.custom != nullptr) return text("p", argument);
  std::int32_t position = 0;  // among those that are not local
  for (std::int32_t i = 0; i < argument; ++i) {
    position += kernel.arguments[i].access == Access::local ? 0 : 1;
  }
  return text(kernel.arguments[argument].access == Access::read ? "in" : "out", position);
}

/// The arguments of `kernel` that are not local, its sizes "n0", ..., and the fault record.
inline Vector<CudaParameter> parameters_of(const Kernel& kernel) {
  Vector<CudaParameter> result;
  for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
    if (kernel.arguments[i].access == Access::local) continue;
    result.push_back(
        {pointer_type(kernel.arguments[i]), parameter_name(kernel, static_cast<std::int32_t>(i))});
  }
  for (std::size_t i = 0; i < kernel.symbols.size(); ++i) result.push_back({"long", text("n", i)});
  result.push_back({"Context*", "context"});
  return result;
}

/// The type of the indices of `kernel`: "int" if they, and `counts`, are proven to fit in 31 bits,
/// else "long".
inline std::string index_type(const Kernel& kernel, const std::vector<Extent>& counts) {
  const auto fits = [](Extent extent) { return bounds(extent).max < (std::int64_t{1} << 31); };
  const bool fit =
      all_of(counts, fits) &&
      all_of(kernel.arguments, [&](const auto& argument) { return fits(argument.elements); }) &&
      all_of(kernel.instructions, [&](const Instruction& one) { return fits(one.index); });
  return fit ? "int" : "long";
}

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
             FunctionRef<void()> write_body) const {
    const Vector<CudaParameter> parameters = parameters_of(kernel);
    const std::string table = has_table() ? "parts" + name.substr(name.rfind('_')) : "";
    std::string taken = in_body       ? "const unsigned long long* words"
                        : has_table() ? text("const __grid_constant__ ", table, " table")
                                      : "";
    for (std::size_t i = 0; i < parameters.size() && !has_table(); ++i) {
      taken += in_body ? text(", long word", i)
                       : text(i == 0 ? "" : ", ", parameters[i].type, " ", parameters[i].name);
    }
    if (has_table()) write_table_type(out, table);
    const auto body = out.block(
        {"extern \"C\" __global__ void __launch_bounds__(", bounds, ") ", name, "(", taken, ")"});
    if (has_table()) write_entry_search(out);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto& [type, own] = parameters[i];
      if (in_body) out.line({type, " ", own, " = (", type, ")words[word", i, "];"});
      if (has_table() && own != "context")  // a batched kernel reports no faults
        out.line({type, " ", own, " = (", type, ")table.words[part + ", i + 1, "];"});
    }
    write_body();
  }

 private:
  void write_table_type(Writer& out, const std::string& type) const {
    out.line({"// Up to ", kernel.batch_capacity,
              " batched launches. Each entry: first block, then arguments."});
    out.line("// The last word is the total number of blocks.");
    out.line({"struct ", type, " {"});
    out.line({"  long words[", schedule::table_words(kernel), "];"});
    out.line("};");
  }

  // Entries are sorted by their first block. Unused entries begin after the last block, so that a
  // binary search finds the last entry that begins at or before this block.
  void write_entry_search(Writer& out) const {
    const auto parts = static_cast<std::size_t>(kernel.batch_capacity);
    const std::size_t words = schedule::table_words_per_kernel(kernel);
    const std::size_t steps = std::bit_ceil(parts) / 2;
    out.line("int part = 0;  // first word of the entry");
    {
      const auto loop =
          out.block({"for (int step = ", steps * words, "; step >= ", words, "; step /= 2)"});
      const std::string fits =
          std::bit_ceil(parts) == parts ? "" : text("part + step < ", parts * words, " && ");
      out.line({"if (", fits, "table.words[part + step] <= blockIdx.x) part += step;"});
    }
    out.line("const unsigned block = blockIdx.x - table.words[part];");
    out.line({"const unsigned blocks = table.words[part + ", words, "] - table.words[part];"});
  }
};

}  // namespace sinter::inline SINTER_ABI::detail::codegen
