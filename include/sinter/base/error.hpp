#pragma once
// The exceptions of sinter and the layout of their messages.

#include <concepts>          // std::same_as
#include <initializer_list>  // std::initializer_list
#include <stdexcept>         // std::logic_error, std::runtime_error
#include <string>            // std::string
#include <utility>           // std::pair
#include <vector>            // std::vector

#include <sinter/base/container/function_ref.hpp>
#include <sinter/base/public_call.hpp>
#include <sinter/base/text.hpp>
#include <sinter/base/where.hpp>

namespace sinter::inline SINTER_ABI {

namespace detail {

/// The parts of an error, in the order in which they are printed. Empty parts are left out.
struct Report {
  std::string op{};    ///< The public function that was called.
  std::string what{};  ///< The problem, as a statement; no capital, no full stop.
  std::vector<std::pair<std::string, std::string>> facts{};  ///< The values involved.
  std::string rule{};                                        ///< The violated condition.
  std::string fix{};                                         ///< What to write instead.
  Where where{};                                             ///< The line of the user's program.
  std::string see{};                                         ///< The section of docs/errors.md.
};

/// A value that an error shows: {"x", to_string(x)}.
struct Fact {
  TextPart label, value;
};

/// A view of the facts of an error.
class Facts {
 public:
  Facts() = default;
  Facts(std::initializer_list<Fact> list) : list_(list) {}
  Facts(const std::vector<std::pair<std::string, std::string>>& facts) : stored_(&facts) {}

  void for_each(FunctionRef<void(const TextPart& label, const TextPart& value)> visit) const;

 private:
  std::initializer_list<Fact> list_{};
  const std::vector<std::pair<std::string, std::string>>* stored_ = nullptr;
};

/// A view of a Report, for throw ShapeError({.op = "add", ...}). It refers to temporaries of that
/// expression: do not store it. Throwing code then has no strings to construct and destroy.
struct ReportParts {
  TextPart op{}, what{};
  Facts facts{};
  TextPart rule{}, fix{};
  Where where{};
  TextPart see{};
  TextPart module{};  ///< The path of the running module; as_called() sets it.

  static ReportParts of(const Report& report) {
    return {report.op,  report.what,  report.facts, report.rule,
            report.fix, report.where, report.see,   {}};
  }
};

std::string to_string(const ReportParts& report);
std::string to_string(const Report& report);

/// `report` with the name and line of the public function that the user called, if noted.
ReportParts as_called(ReportParts report);

}  // namespace detail

/// An error in the user's program; the message says how to fix it.
class UserError : public std::runtime_error {
 public:
  /// Formats `report`, after as_called().
  explicit UserError(const detail::ReportParts& report)
      : UserError(detail::as_called(report), Final()) {}
  // A template, so that an argument in braces is a ReportParts.
  template <std::same_as<detail::Report> Report>
  explicit UserError(const Report& report) : UserError(detail::ReportParts::of(report)) {}

  const Where& where() const { return where_; }

 private:
  struct Final {};
  UserError(const detail::ReportParts& report, Final)
      : runtime_error(detail::to_string(report)), where_(report.where) {}

  Where where_;
};

/// Shapes that are incompatible with an operation or with each other.
struct ShapeError : UserError {
  using UserError::UserError;
};
/// A dtype that an operation does not support.
struct DTypeError : UserError {
  using UserError::UserError;
};
/// Tensors on different devices, or an unavailable device.
struct DeviceError : UserError {
  using UserError::UserError;
};
/// An axis or index out of range.
struct IndexError : UserError {
  using UserError::UserError;
};
/// An invalid argument value; also the class for errors of no other kind.
struct ValueError : UserError {
  using UserError::UserError;
};
/// A gradient that does not exist.
struct GradientError : UserError {
  using UserError::UserError;
};
/// A host read where `fullgraph` or the context forbids a graph break.
struct GraphBreakError : UserError {
  using UserError::UserError;
};
/// A new signature while recompilation is forbidden.
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

/// Compiled code was required, but is not available.
struct CompilerError : UserError {
  using UserError::UserError;
};

/// A bug in sinter: a graph that fails verification, or a kernel that does not compile.
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
