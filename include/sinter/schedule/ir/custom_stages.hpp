#pragma once
// The functions with which later stages serve custom operations. A header-only program without
// custom operations does not compile them.

#include <cstdint>  // std::int64_t, std::uint8_t
#include <string>   // std::string

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/container/vector.hpp>
#include <sinter/base/source.hpp>
#include <sinter/config.hpp>
#include <sinter/graph/custom/raw_tensor.hpp>
#include <sinter/graph/graph.hpp>

namespace sinter::inline SINTER_ABI::detail {

class Storage;

namespace schedule {
struct Control;
struct Kernel;
struct Launch;
struct Plan;
}  // namespace schedule
namespace codegen {
enum class Linkage : std::uint8_t;
}
namespace compiler {
class Module;
struct TranslationUnit;
}  // namespace compiler
namespace runtime::interpreter {
struct Array;
}  // namespace runtime::interpreter

/// The host function of an operation that goes on in the background, in the memory of its results.
class StartingKernel : public HostKernel {
 public:
  /// Called when the run ends with an error: returns when nothing uses its memory any more.
  virtual void abandon() const = 0;
};

/// Each member points to the function of the same name. jit/parts.hpp fills it in.
struct CustomStages {
  using SymbolSize = FunctionRef<std::int64_t(Extent symbol)>;

  Graph (*resolve)(Graph, bool) = nullptr;
  /// The kernel and the launch, without buffers, of a node that a text computes.
  void (*lower)(const Node& node, Span<const TensorType> types, schedule::Kernel& kernel,
                schedule::Launch& launch) = nullptr;
  std::string (*function)(const schedule::Kernel& kernel, const std::string& name,
                          codegen::Linkage linkage) = nullptr;
  std::string (*user_functions)(const schedule::Kernel& kernel, Language language) = nullptr;
  SharedPtr<const compiler::Module> (*load_or_compile)(
      const schedule::Plan& plan, const compiler::TranslationUnit& unit) = nullptr;
  void (*run)(const schedule::Control& control, void* const* pointers,
              Span<const std::int64_t> symbols) = nullptr;
  Vector<runtime::interpreter::Array> (*interpret)(const Node& node,
                                                   Span<const runtime::interpreter::Array> inputs,
                                                   SymbolSize size) = nullptr;
  /// The results of a node that has neither a host function nor a reference.
  Vector<Storage> (*evaluate_text)(const Node& node, Span<const TensorType> types,
                                   Span<const Storage> inputs, SymbolSize size) = nullptr;
};

/// Null pointers in programs that have no custom operations.
inline CustomStages& custom_stages() {
  static CustomStages stages;
  return stages;
}

}  // namespace sinter::inline SINTER_ABI::detail
