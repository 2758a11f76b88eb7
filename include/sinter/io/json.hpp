#pragma once
// A JSON subset for file headers: objects, arrays, strings and integers.
//
// Why not a library: Boost.JSON is newer than the Boost version that sinter requires,
// Boost.PropertyTree loses the types of values and accepts duplicate keys, and others would be an
// extra dependency for every user. Nothing here recurses, so deep nesting cannot overflow the
// stack.

#include <set>          // std::set
#include <string>       // std::string
#include <string_view>  // std::string_view

#include <sinter/config.hpp>
#include <sinter/io/scanner.hpp>

namespace sinter::inline SINTER_ABI::io {

/// The position of the first byte that is not UTF-8, or the length.
std::size_t valid_utf8(std::string_view text);

/// `text`, which is UTF-8, in quotes and with escapes.
std::string json_string(std::string_view text);

/// A string with its escapes resolved.
std::string read_json_string(Scanner& scanner);

/// Skips a value of any kind; its numbers are not checked.
void skip_json_value(Scanner& scanner);

/// Calls member(key) for each member of an object; the callback must read the value.
///
/// Throws IoError for a key that occurs twice
template <class Member>
void read_json_object(Scanner& scanner, Member member) {
  std::set<std::string> keys;
  scanner.expect("{");
  if (scanner.accept("}")) return;
  do {
    const auto [key, is_new] = keys.insert(read_json_string(scanner));
    if (!is_new)
      scanner.refuse_here(sinter::detail::text("the key ", shown(*key), " is there once"));
    scanner.expect(":");
    member(*key);
  } while (scanner.accept(","));
  scanner.expect("}");
}

/// Calls element() for each element of an array; the callback must read the value.
template <class Element>
void read_json_array(Scanner& scanner, Element element) {
  scanner.expect("[");
  if (scanner.accept("]")) return;
  do {
    element();
  } while (scanner.accept(","));
  scanner.expect("]");
}

}  // namespace sinter::inline SINTER_ABI::io

#ifdef SINTER_DEFINITIONS
#include <sinter/io/json.ipp>
#endif
