#include "import/nsight_systems/export.h"

#include <string>

namespace xsp::nsight_systems {
namespace {

constexpr uint32_t kPidBits = 24;

}  // namespace

Status Export::read_strings() {
  Rows rows(database_, "StringIds", {{"id", true}, {"value", true}});
  while (rows.next()) {
    const bool is_new = string_numbers_.emplace(rows.integer(0), strings_.intern(rows.text(1))).second;
    if (!is_new) timeline_.note("id that StringIds holds twice: the first one counts");
  }
  if (rows.unusable()) return rows.status();
  note(rows);
  return Status();
}

ExportedProcess& Export::process(const Rows& rows, int column) {
  if (!rows.is_integer(column)) {
    if (processes_.size() == 1) return processes_.front();
    timeline_.note("event that names no process");
  }
  const uint64_t key = static_cast<uint64_t>(rows.integer(column)) >> kPidBits;
  ExportedProcess*& known = process_by_key_[key];
  if (known != nullptr) return *known;
  uint32_t pid = key & 0xFFFFFF;
  // Virtual machines and containers may use the same numbers.
  for (const ExportedProcess& other : processes_) {
    if (other.imported->pid() == pid) pid = static_cast<uint32_t>(key);
  }
  processes_.push_back({&timeline_.process(pid), key, {}, {}});
  known = &processes_.back();
  return *known;
}

ExportedThread Export::thread(const Rows& rows, int column) {
  const int64_t serialized = rows.integer(column);
  ExportedThread& known = threads_[serialized];
  if (known.process == nullptr) {
    ExportedProcess& its_process = process(rows, column);
    known = {&its_process, its_process.imported->thread(tid_of(serialized))};
  }
  return known;
}

uint32_t Export::string_number(const Rows& rows, int column) const {
  if (!rows.is_integer(column)) return 0;
  const auto known = string_numbers_.find(rows.integer(column));
  return known == string_numbers_.end() ? 0 : known->second;
}

std::string_view Export::string(const Rows& rows, int column) const {
  return strings_.text(string_number(rows, column));
}

uint32_t Export::name(ExportedProcess& process, const Rows& rows, int column) {
  const uint32_t number = string_number(rows, column);
  if (number == 0) {
    timeline_.note("name that StringIds does not hold");
    return process.imported->text("unknown");
  }
  if (process.texts.size() <= number) process.texts.resize(size_t{strings_.size()} + 1);
  uint32_t& text = process.texts[number];
  if (text == 0) text = process.imported->text(strings_.text(number));
  return text;
}

bool Export::times(const Rows& rows, int begin, int end, std::string_view what, Interval* interval) {
  interval->begin = rows.integer(begin);
  interval->end = rows.integer(end);
  const char* why = nullptr;
  if (!rows.is_integer(begin) || !rows.is_integer(end)) {
    why = "without times";
  } else if (interval->begin == 0 && interval->end == 0) {
    why = "whose times were not collected";
  } else if (interval->begin < -kMaxTime || interval->end > kMaxTime) {
    why = "with times beyond any clock";
  } else if (interval->end < interval->begin) {
    why = "that ends before it begins";
  }
  if (why == nullptr) return true;
  timeline_.note(std::string(what) + " " + why);
  return false;
}

uint32_t Export::correlation(const Rows& rows, int column) {
  const uint32_t id = rows.small(column);
  if (id == 0 && rows.integer(column) != 0) timeline_.note("correlation id that is out of range");
  return id;
}

void Export::note(const Rows& rows) {
  if (!rows.status().ok()) timeline_.note(rows.status().error);
}

}  // namespace xsp::nsight_systems
