#pragma once
// The registry of the user's backends, and the interface that the compiler calls them by.

#include <cstdint>      // std::int64_t
#include <string>       // std::string
#include <string_view>  // std::string_view
#include <utility>      // std::move

#include <sinter/base/container/shared_ptr.hpp>
#include <sinter/base/container/span.hpp>
#include <sinter/base/where.hpp>
#include <sinter/config.hpp>
#include <sinter/device/host/device.hpp>

namespace sinter::inline SINTER_ABI::detail {

struct Graph;

namespace jit {

struct LoweredProgram;
struct LowerOptions;

/// A graph as a backend of the user compiled it.
class CustomProgram {
 public:
  virtual ~CustomProgram() = default;
  /// Computes the outputs of `graph`, as Program::run() does.
  virtual void run(const Graph& graph, Span<void* const> inputs, Span<void* const> outputs,
                   Span<const std::int64_t> symbols, Device device, Where where) const = 0;
};

/// A backend of the user.
class CustomBackend {
 public:
  explicit CustomBackend(std::string name) : name_(std::move(name)) {}
  virtual ~CustomBackend() = default;
  const std::string& name() const { return name_; }
  /// `graph`, compiled by the backend.
  virtual LoweredProgram lower(const Graph& graph, const LowerOptions& options) const = 0;

 private:
  std::string name_;
};

/// Registers `backend` under its name, in place of an earlier one. It lives as long as the process.
void add_custom_backend(SharedPtr<const CustomBackend> backend);
/// The backend `name`; null if there is none.
SharedPtr<const CustomBackend> find_custom_backend(std::string_view name);
/// The same, but throws ValueError, at `where`, that lists the registered names.
SharedPtr<const CustomBackend> require_custom_backend(std::string_view name, Where where);

}  // namespace jit

}  // namespace sinter::inline SINTER_ABI::detail

#ifdef SINTER_DEFINITIONS
#include <sinter/jit/interface/backend_names.ipp>
#endif
