#include "base/text_encoding.h"

#include "test/catch.h"

namespace {

using xsp::terminal_text;

TEST_CASE("text that controls nothing stays as it is") {
  for (const char* text : {"", "plain text, 100 %", "häß 日本語 😀 …", "\xc2\xa0"}) CHECK(terminal_text(text) == text);
}

TEST_CASE("what a terminal would act on becomes visible") {
  CHECK(terminal_text("a\x1b[2Jb") == "a\\x1b[2Jb");
  CHECK(terminal_text("line\nbreak\rback\ttab\x7f") == "line\\x0abreak\\x0dback\\x09tab\\x7f");
  CHECK(terminal_text(std::string_view("\0end", 4)) == "\\x00end");
  CHECK(terminal_text("\xc2\x9b"
                      "31m") == "\\xc2\\x9b31m");
  CHECK(terminal_text("\x9b"
                      "31m") == "\\x9b31m");
  CHECK(terminal_text("\u202egnp.exe") == "\\xe2\\x80\\xaegnp.exe");
  CHECK(terminal_text("\u2066x\u200f") == "\\xe2\\x81\\xa6x\\xe2\\x80\\x8f");
}

TEST_CASE("bytes that are no UTF-8 become visible, one by one") {
  CHECK(terminal_text("\xff\xfe") == "\\xff\\xfe");
  CHECK(terminal_text("\xe2\x80") == "\\xe2\\x80");
  CHECK(terminal_text("\xc3(") == "\\xc3(");
}

TEST_CASE("overlong forms, in which a terminal may find a control character, become visible") {
  CHECK(terminal_text("\xe0\x80\x9b[2J") == "\\xe0\\x80\\x9b[2J");
  CHECK(terminal_text("\xc0\x9b") == "\\xc0\\x9b");
  CHECK(terminal_text("\xf0\x80\x80\x9b") == "\\xf0\\x80\\x80\\x9b");
  CHECK(terminal_text("\xed\xa0\x80") == "\\xed\\xa0\\x80");
}

}  // namespace
