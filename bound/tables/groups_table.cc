#include "bound/tables/groups_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/quantity_text.h"
#include "base/text_encoding.h"
#include "bound/tables/source_notes.h"

namespace xsp::bound {
namespace {

using analysis::Cell;
using analysis::cell;
using analysis::Table;
using analysis::TableRow;

/// "12–14", "12, 14–15".
std::string index_list(const std::vector<size_t>& layers) {
  std::string list;
  for (size_t begin = 0; begin < layers.size();) {
    size_t end = begin + 1;
    while (end < layers.size() && layers[end] == layers[end - 1] + 1) ++end;
    list += list.empty() ? "" : ", ";
    list += end - begin == 1 ? fmt::format("{}", layers[begin]) : fmt::format("{}–{}", layers[begin], layers[end - 1]);
    begin = end;
  }
  return list;
}

std::string reason_of_refusal(const Bounds& bounds, size_t group) {
  const GroupDecision& decision = bounds.decisions[group];
  switch (decision.refusal) {
    case Refusal::kNone:
      return "";
    case Refusal::kNotMeasured: {
      const std::string& reason = bounds.group_times[group].reason;
      return reason.empty() ? "not measured" : reason;
    }
    case Refusal::kSlower:
      return decision.untimed_parts == 0
                 ? "its layers one by one are as fast"
                 : fmt::format("no faster than those of its layers that have a time; {} {} none",
                               decision.untimed_parts, decision.untimed_parts == 1 ? "has" : "have");
    case Refusal::kSmaller:
      return "smaller groups of its layers are as fast";
    case Refusal::kDelays:
      return "it would make the branch that takes longer wait for this one";
    case Refusal::kTaken: {
      const FusedGroup& rival = bounds.groups[decision.rival];
      return fmt::format("a group that is taken has some of its layers: {} ({})", index_list(rival.layers),
                         rival.pattern);
    }
    case Refusal::kNotClosed:
      return "layers outside it read what is computed within";
  }
  return "";
}

void add_group_row(const Bounds& bounds, size_t index, const std::string& model, Table* table) {
  const FusedGroup& group = bounds.groups[index];
  const LayerTime& time = bounds.group_times[index];
  const GroupDecision& decision = bounds.decisions[index];
  TableRow row = table->add_row();
  row.set(kB3Groups.rule, group.rule);
  row.set(kB3Groups.pattern, group.pattern);
  if (!group.layers.empty() && group.layers.front() < bounds.model->layers.size()) {
    row.set(kB3Groups.first, bounds.model->layers[group.layers.front()].name);
  }
  row.set(kB3Groups.layers, index_list(group.layers));
  row.set(kB3Groups.problem, group.problem);
  row.set(kB3Groups.parts_ms, cell(decision.parts_ms));
  row.set(kB3Groups.fused_ms, cell(time.bound_ms));
  if (time.bound_ms) {
    row.set(kB3Groups.gain_ms, cell(decision.parts_ms - *time.bound_ms));
    row.set(kB3Groups.noisy, time.is_noisy);
  }
  row.set(kB3Groups.taken, decision.is_taken());
  const std::string reason = reason_of_refusal(bounds, index);
  if (!reason.empty()) row.set(kB3Groups.reason, reason);
  if (!time.library.empty()) row.set(kB3Groups.backend, time.library);
  if (!time.implementation.empty()) row.set(kB3Groups.implementation, time.implementation);
  if (!model.empty()) row.set(kB3Groups.model, model);
}

}  // namespace

Table groups_table(const BoundSubject& subject) {
  Table table = make_table(kB3Groups);
  // It is no part of another table here.
  table.id = kB3Groups.id;
  for (const Bounds& bounds : subject.bounds) {
    const std::string of = subject.has_several() ? bounds.model->name + ": " : "";
    double gain_ms = 0;
    size_t taken = 0;
    for (size_t group = 0; group < bounds.groups.size(); ++group) {
      add_group_row(bounds, group, subject.has_several() ? bounds.model->name : "", &table);
      if (!bounds.decisions[group].is_taken()) continue;
      ++taken;
      gain_ms += bounds.decisions[group].parts_ms - *bounds.group_times[group].bound_ms;
    }
    if (taken > 0) {
      table.notes.push_back(fmt::format("{}{} {} taken; together they save {:.4g} ms", of, plural(taken, "group"),
                                        taken == 1 ? "is" : "are", gain_ms));
    } else if (bounds.groups.empty()) {
      table.notes.push_back(of + "no layers that could be fused were found");
    }
  }
  add_source_notes(subject, &table);
  leave_out_empty_columns(&table);
  return table;
}

}  // namespace xsp::bound
