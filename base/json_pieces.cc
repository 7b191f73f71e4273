#include "base/json_pieces.h"

#include <algorithm>
#include <cstring>

#include "base/json_block.h"

namespace xsp {
namespace {

constexpr size_t kBlockBytes = 64;
static_assert(JsonPieces::kPadding >= kBlockBytes);

constexpr size_t kMaxOtherPathBytes = 256;
constexpr size_t kNowhere = SIZE_MAX;

bool is_space(char byte) { return byte == ' ' || byte == '\n' || byte == '\r' || byte == '\t'; }

bool ends_scalar(char byte) {
  return is_space(byte) || byte == ',' || byte == ']' || byte == '}' || byte == ':' || byte == '"' || byte == '[' ||
         byte == '{';
}

}  // namespace

JsonPieces::JsonPieces(ByteSource& input, const std::vector<std::string>& paths, const Limits& limits)
    : input_(input),
      limits_(limits),
      buffer_(new char[limits.buffer_bytes + kPadding]),
      capacity_(limits.buffer_bytes) {
  std::memset(buffer_.get(), ' ', capacity_ + kPadding);
  places_.emplace_back();
  for (const std::string& path : paths) {
    size_t place = 0;
    for (size_t at = 0; at < path.size();) {
      if (path[at] == '.') ++at;
      if (path.compare(at, 2, "[]") == 0) {
        place = element(place);
        at += 2;
      } else {
        const size_t end = std::min(path.find_first_of(".[", at), path.size());
        place = member(place, std::string_view(path).substr(at, end - at));
        at = end;
      }
    }
  }
}

size_t JsonPieces::member(size_t place, std::string_view key) {
  for (const auto& [name, child] : places_[place].members) {
    if (name == key) return child;
  }
  const std::string& path = places_[place].path;
  places_.emplace_back();
  places_.back().path = path.empty() ? std::string(key) : path + "." + std::string(key);
  places_[place].members.emplace_back(key, places_.size() - 1);
  return places_.size() - 1;
}

size_t JsonPieces::element(size_t place) {
  if (places_[place].element == 0) {
    places_.emplace_back();
    places_.back().path = places_[place].path + "[]";
    places_.back().is_element = true;
    places_[place].element = places_.size() - 1;
  }
  return places_[place].element;
}

/// Reads more behind end_, which moves what is kept to the front. False: there is no more, or start_ lies too far back.
bool JsonPieces::fill() {
  if (start_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + start_, end_ - start_);
    begin_position_ += start_;
    at_ -= start_;
    end_ -= start_;
    start_ = 0;
  }
  if (end_ == capacity_) {
    if (end_ > limits_.value_bytes) return false;
    const size_t capacity = std::min(capacity_ * 2, limits_.value_bytes + limits_.buffer_bytes);
    std::unique_ptr<char[]> larger(new char[capacity + kPadding]);
    std::memcpy(larger.get(), buffer_.get(), end_);
    buffer_ = std::move(larger);
    capacity_ = capacity;
  }
  const size_t got = input_.read(buffer_.get() + end_, capacity_ - end_);
  end_ += got;
  std::memset(buffer_.get() + end_, ' ', kPadding);
  return got > 0;
}

/// Goes to the next byte that is no space, and keeps nothing before it. False: there is none.
bool JsonPieces::skip_space() {
  for (;;) {
    while (at_ < end_ && is_space(buffer_[at_])) ++at_;
    start_ = at_;
    if (at_ < end_) return true;
    if (!fill()) return false;
  }
}

JsonPieces::Step JsonPieces::stop(Piece how, size_t at) {
  piece_ = how;
  path_ = levels_.empty() ? std::string_view() : std::string_view(places_[levels_.back().place].path);
  position_ = begin_position_ + at;
  return Step::kStop;
}

JsonPieces::Piece JsonPieces::next() {
  if (piece_ == Piece::kEnd || piece_ == Piece::kTruncated || piece_ == Piece::kMalformed) return piece_;
  text_ = {};
  Step step = Step::kOn;
  while (step == Step::kOn) {
    if (!started_) {
      step = start();
    } else if (levels_.empty()) {
      step = stop(Piece::kEnd, at_);
    } else if (!skip_space()) {
      step = stop(Piece::kTruncated, at_);
    } else if (levels_.back().is_array) {
      step = in_array(levels_.back());
    } else {
      step = in_object(levels_.back());
    }
  }
  return piece_;
}

JsonPieces::Step JsonPieces::start() {
  started_ = true;
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  while (end_ < kMark.size() && fill()) {
  }
  if (end_ >= kMark.size() && std::string_view(buffer_.get(), kMark.size()) == kMark) at_ = kMark.size();
  if (!skip_space()) return stop(Piece::kTruncated, at_);
  const char byte = buffer_[at_];
  const bool fits = (byte == '{' && !places_[0].members.empty()) || (byte == '[' && places_[0].element != 0);
  return fits ? value(0, {}) : stop(Piece::kMalformed, at_);
}

JsonPieces::Step JsonPieces::in_array(Level& level) {
  const char byte = buffer_[at_];
  if (byte == ']') return close(true);
  if (level.behind_value) {
    if (byte != ',') return stop(Piece::kMalformed, at_);
    ++at_;
    level.behind_value = false;
    return Step::kOn;
  }
  level.behind_value = true;
  const size_t place = places_[level.place].element;
  return value(place, places_[place].path);
}

JsonPieces::Step JsonPieces::in_object(Level& level) {
  const char byte = buffer_[at_];
  if (byte == '}') return close(false);
  if (level.behind_value) {
    if (byte != ',') return stop(Piece::kMalformed, at_);
    ++at_;
    level.behind_value = false;
    return Step::kOn;
  }
  if (byte != '"') return stop(Piece::kMalformed, at_);
  if (const Step step = string(); step != Step::kPiece) return step;
  key_.assign(buffer_.get() + start_ + 1, at_ - start_ - 2);
  if (!skip_space()) return stop(Piece::kTruncated, at_);
  if (buffer_[at_] != ':') return stop(Piece::kMalformed, at_);
  ++at_;
  if (!skip_space()) return stop(Piece::kTruncated, at_);
  level.behind_value = true;
  for (const auto& [name, place] : places_[level.place].members) {
    if (name == key_) return value(place, places_[place].path);
  }
  return value(kNowhere, other_path(level.place, key_));
}

JsonPieces::Step JsonPieces::close(bool is_array) {
  const Place& place = places_[levels_.back().place];
  levels_.pop_back();
  const size_t at = at_++;
  if (is_array || !place.is_element) return Step::kOn;
  piece_ = Piece::kClose;
  path_ = place.path;
  position_ = begin_position_ + at;
  return Step::kPiece;
}

std::string_view JsonPieces::other_path(size_t place, std::string_view key) {
  const std::string& parent = places_[place].path;
  passing_path_ = parent;
  if (!parent.empty()) passing_path_ += '.';
  passing_path_ += key;
  for (const std::string& path : other_paths_) {
    if (path == passing_path_) return path;
  }
  if (other_paths_.size() >= kMaxOtherPaths || passing_path_.size() > kMaxOtherPathBytes) return passing_path_;
  return other_paths_.emplace_back(passing_path_);
}

/// A value at at_, which is also start_.
JsonPieces::Step JsonPieces::value(size_t place, std::string_view path) {
  const char byte = buffer_[at_];
  if (place == kNowhere || (byte != '{' && byte != '[')) return whole_value(path);
  const bool has_members = !places_[place].members.empty();
  const bool has_elements = places_[place].element != 0;
  if (!has_members && !has_elements) return whole_value(path);
  if (byte == '[' ? !has_elements : !has_members) return stop(Piece::kMalformed, at_);
  levels_.push_back({.place = place, .is_array = byte == '['});
  const size_t at = at_++;
  if (byte == '[' || !places_[place].is_element) return Step::kOn;
  piece_ = Piece::kOpen;
  path_ = path;
  position_ = begin_position_ + at;
  return Step::kPiece;
}

JsonPieces::Step JsonPieces::whole_value(std::string_view path) {
  const char byte = buffer_[at_];
  const Step step = byte == '{' || byte == '[' ? container() : byte == '"' ? string() : scalar();
  if (step != Step::kPiece) return step;
  piece_ = Piece::kValue;
  path_ = path;
  text_ = std::string_view(buffer_.get() + start_, at_ - start_);
  position_ = begin_position_ + start_;
  return Step::kPiece;
}

/// Goes behind the bracket that closes the one at at_.
JsonPieces::Step JsonPieces::container() {
  JsonStrings strings;
  char open[kMaxDepth];
  size_t depth = 0;
  for (;;) {
    while (end_ - at_ < kBlockBytes && fill()) {
    }
    const size_t left = std::min(end_ - at_, kBlockBytes);
    if (left == 0) break;
    // What fill() puts behind the end are spaces.
    const JsonBlock block = json_block(buffer_.get() + at_);
    uint64_t brackets = block.brackets & ~strings.inside(block);
    for (; brackets != 0; brackets &= brackets - 1) {
      const size_t at = at_ + static_cast<size_t>(std::countr_zero(brackets));
      const char byte = buffer_[at];
      if (byte == '{' || byte == '[') {
        if (depth == kMaxDepth) return stop(Piece::kMalformed, at);
        open[depth++] = byte;
      } else {
        // Both pairs are two apart in ASCII. Something is open: the text begins with a bracket that opens, and where
        // the last one closes this is left.  NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
        if (byte - open[--depth] != 2) return stop(Piece::kMalformed, at);
        if (depth > 0) continue;
        at_ = at + 1;
        return at_ - start_ > limits_.value_bytes ? stop(Piece::kMalformed, start_) : Step::kPiece;
      }
    }
    at_ += left;
  }
  return stop(end_ - start_ > limits_.value_bytes ? Piece::kMalformed : Piece::kTruncated, start_);
}

/// Goes behind the quote that closes the one at at_.
JsonPieces::Step JsonPieces::string() {
  bool escaped = false;
  for (++at_;; ++at_) {
    if (at_ == end_ && !fill()) break;
    const char byte = buffer_[at_];
    if (escaped) {
      escaped = false;
    } else if (byte == '\\') {
      escaped = true;
    } else if (byte == '"') {
      ++at_;
      return at_ - start_ > limits_.value_bytes ? stop(Piece::kMalformed, start_) : Step::kPiece;
    }
  }
  return stop(end_ - start_ > limits_.value_bytes ? Piece::kMalformed : Piece::kTruncated, start_);
}

JsonPieces::Step JsonPieces::scalar() {
  const char first = buffer_[at_];
  const bool alphanumeric =
      (first >= '0' && first <= '9') || (first >= 'A' && first <= 'Z') || (first >= 'a' && first <= 'z');
  if (!alphanumeric && first != '-' && first != '+') return stop(Piece::kMalformed, at_);
  for (;; ++at_) {
    if (at_ == end_ && !fill()) break;
    if (ends_scalar(buffer_[at_])) {
      return at_ - start_ > limits_.value_bytes ? stop(Piece::kMalformed, start_) : Step::kPiece;
    }
  }
  return stop(end_ - start_ > limits_.value_bytes ? Piece::kMalformed : Piece::kTruncated, start_);
}

}  // namespace xsp
