#pragma once
// What sinter throws, and how the text of an error is laid out.

#include <stdexcept>  // std::logic_error, std::runtime_error
#include <string>     // std::string
#include <utility>    // std::move, std::pair
#include <vector>     // std::vector

#include <sinter/base/public_call.hpp>
#include <sinter/base/text.hpp>
#include <sinter/base/where.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// The parts of an error, in the order in which they are printed. Empty parts are left out.
struct Report {
  std::string op{};    ///< The public function that was called.
  std::string what{};  ///< What is wrong, as a statement; no capital, no full stop.
  std::vector<std::pair<std::string, std::string>> facts{};  ///< The values that prove it.
  std::string rule{};                                        ///< The condition that was broken.
  std::string fix{};                                         ///< What to write instead.
  Where where{};                                             ///< The line of the user's program.
  std::string see{};                                         ///< The section of docs/errors.md.
};

std::string to_string(const Report& report);

/// `report` in terms of the public function that is running, if one is noted: its name, its line.
Report as_called(Report report);

}  // namespace detail

/// The user's program is wrong, and the text says how to put it right.
class UserError : public std::runtime_error {
 public:
  /// What `report` says, as_called().
  explicit UserError(detail::Report report)
      : UserError(detail::as_called(std::move(report)), Final()) {}

  const Where& where() const { return where_; }

 private:
  struct Final {};
  UserError(const detail::Report& report, Final)
      : runtime_error(detail::to_string(report)), where_(report.where) {}

  Where where_;
};

/// Shapes that do not fit an operation, or each other.
struct ShapeError : UserError {
  using UserError::UserError;
};
/// A dtype that an operation does not take.
struct DTypeError : UserError {
  using UserError::UserError;
};
/// Tensors on different devices, or a device that is not there.
struct DeviceError : UserError {
  using UserError::UserError;
};
/// An axis or an element that is not there.
struct IndexError : UserError {
  using UserError::UserError;
};
/// A value that a function cannot take; anything that no other kind fits.
struct ValueError : UserError {
  using UserError::UserError;
};
/// A gradient that does not exist.
struct GradientError : UserError {
  using UserError::UserError;
};
/// A read of elements while `fullgraph` forbids it.
struct GraphBreakError : UserError {
  using UserError::UserError;
};
/// A new signature while recompiling is forbidden.
struct RecompileLimitError : UserError {
  using UserError::UserError;
};
/// A number in the program that contradicts mark_dynamic or a named dimension.
struct ConstraintError : UserError {
  using UserError::UserError;
};
/// A file that cannot be read or written.
struct IoError : UserError {
  using UserError::UserError;
};

/// Compiled code was demanded, and there is none.
struct CompilerError : UserError {
  using UserError::UserError;
};

/// sinter is wrong: a graph that fails its own check, a kernel that does not compile.
class InternalError : public std::logic_error {
 public:
  explicit InternalError(const std::string& what)
      : logic_error(
            detail::text("internal error: ", what,
                         "\n  this is a bug in sinter; report it with this text and, if you can, "
                         "the files of SINTER_DUMP=dir")) {}
};

}  // namespace sinter::inline SINTER_ABI

#ifdef SINTER_DEFINITIONS
#include <sinter/base/error.ipp>
#endif
