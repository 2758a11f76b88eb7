#pragma once
// The text of an error, for tests of what errors say.

#include <string>

#include <sinter/base/error.hpp>

namespace errors {

/// The text of the `Error` that `call` throws; "no error" if it returns.
template <class Error = sinter::UserError>
std::string message_of(auto call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace errors
