#include "bound/backends/onednn_primitive.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "bound/backends/tensor_bytes.h"

namespace xsp::bound::onednn {
namespace {

using Primitive = std::shared_ptr<PrimitiveObject>;
using Memory = std::unique_ptr<MemoryObject, Answer (*)(MemoryObject*)>;

/// An argument as an implementation has it, and the buffer it lies in.
struct PlacedArgument {
  PlanArgument planned;
  Description description;
  DataType type = DataType::kUndefined;
  size_t bytes = 0;
};

std::vector<std::byte> room_for(size_t count, DataType type) {
  return std::vector<std::byte>(count * static_cast<size_t>(bytes_of(element_type_of(type))));
}

Memory memory_on(const LoadedLibrary& library, const Description& description, void* bytes) {
  MemoryObject* memory = nullptr;
  const Functions& f = library.functions();
  if (f.memory_create(&memory, description.get(), library.engine(), bytes) != Answer::kSuccess) memory = nullptr;
  return {memory, f.memory_destroy};
}

Status primitive_of(const LoadedLibrary& library, const PrimitiveDescriptorObject* descriptor, Primitive* primitive) {
  PrimitiveObject* made = nullptr;
  const Answer answer = library.functions().primitive_create(&made, descriptor);
  if (answer != Answer::kSuccess) return refusal(answer);
  *primitive = {made, library.functions().primitive_destroy};
  return {};
}

/// A primitive with the memory of all its arguments.
class PreparedCall : public BoundCall {
 public:
  PreparedCall(const LoadedLibrary& library, Primitive primitive)
      : library_(library), primitive_(std::move(primitive)) {}

  void add(int kind, const Description& description, void* bytes) {
    memories_.push_back(memory_on(library_, description, bytes));
    arguments_.push_back({kind, memories_.back().get()});
  }

  Answer execute() {
    const Functions& f = library_.functions();
    const Answer answer = f.primitive_execute(primitive_.get(), library_.stream(), static_cast<int>(arguments_.size()),
                                              arguments_.data());
    const Answer waited = f.stream_wait(library_.stream());
    return answer == Answer::kSuccess ? waited : answer;
  }

  void run() override { execute(); }

 private:
  const LoadedLibrary& library_;
  Primitive primitive_;
  std::vector<Memory> memories_;
  std::vector<CallArgument> arguments_;
};

/// Copies from one layout, and type, into another.
Status reorder(const LoadedLibrary& library, const Description& from, void* from_bytes, const Description& to,
               void* to_bytes) {
  if (!from || !to) return {"oneDNN cannot describe plain values"};
  const Functions& f = library.functions();
  PrimitiveDescriptorObject* made = nullptr;
  const Answer answer = f.reorder_create(&made, from.get(), library.engine(), to.get(), library.engine(), nullptr);
  if (answer != Answer::kSuccess) return {fmt::format("oneDNN: no reorder: {}", name_of(answer))};
  const PrimitiveDescriptor descriptor(made, f.descriptor_destroy);
  Primitive primitive;
  if (Status status = primitive_of(library, descriptor.get(), &primitive); !status.ok()) return status;
  PreparedCall call(library, std::move(primitive));
  call.add(kSource, from, from_bytes);
  call.add(kDestination, to, to_bytes);
  const Answer done = call.execute();
  return done == Answer::kSuccess ? Status() : refusal(done);
}

class PrimitiveImplementation : public Implementation {
 public:
  PrimitiveImplementation(const Session& session, const Plan& plan)
      : session_(session), initial_destination_(plan.initial_destination) {}

  Status make(PrimitiveDescriptor descriptor, const Plan& plan) {
    for (const PlanArgument& argument : plan.arguments) {
      PlacedArgument placed{argument, argument_description(session_, descriptor.get(), argument.kind)};
      if (!placed.description) return {fmt::format("oneDNN: no memory for argument {}", argument.kind)};
      placed.type = session_.dialect->facts(placed.description.get()).type;
      placed.bytes = functions().description_size(placed.description.get());
      if (element_type_of(placed.type) == ElementType::kUndefined) return {"oneDNN chose a type that is not known"};
      arguments_.push_back(std::move(placed));
    }
    const auto destination = std::ranges::find(arguments_, kDestination,
                                               [](const PlacedArgument& argument) { return argument.planned.kind; });
    if (destination == arguments_.end()) return {"a call without a result"};
    destination_ = static_cast<size_t>(destination - arguments_.begin());
    scratchpad_ = session_.dialect->copy(functions().descriptor_query_memory(descriptor.get(), kQueryScratchpad, 0));
    scratchpad_bytes_ = scratchpad_ ? functions().description_size(scratchpad_.get()) : 0;
    descriptor_ = std::move(descriptor);
    return primitive_of(*session_.library, descriptor_.get(), &primitive_);
  }

  /// The arguments in their order, the scratchpad, and what is in the destination before a call.
  std::vector<size_t> buffer_sizes() const override {
    std::vector<size_t> sizes;
    for (const PlacedArgument& argument : arguments_) sizes.push_back(argument.bytes);
    if (scratchpad_bytes_ > 0) sizes.push_back(scratchpad_bytes_);
    if (initial_destination_) sizes.push_back(arguments_[destination_].bytes);
    return sizes;
  }

  Status fill(const std::vector<PlainTensor>& operands, std::span<void* const> buffers) override {
    if (buffers.size() != buffer_sizes().size()) return {"buffers of another implementation"};
    try {
      for (size_t i = 0; i < arguments_.size(); ++i) {
        if (!arguments_[i].planned.operand) continue;
        if (Status status = write(operands, *arguments_[i].planned.operand, i, buffers[i]); !status.ok()) return status;
      }
      if (!initial_destination_) return {};
      if (Status status = write(operands, *initial_destination_, destination_, buffers.back()); !status.ok())
        return status;
      std::memcpy(buffers[destination_], buffers.back(), arguments_[destination_].bytes);
      return {};
    } catch (const std::bad_alloc&) {
      return {"not enough memory for the operands"};
    }
  }

  std::unique_ptr<BoundCall> bind(std::span<void* const> buffers) override { return prepared(buffers); }

  std::vector<float> result(std::span<void* const> buffers) override {
    if (initial_destination_) {
      // Each call has added to what the one before it left.
      std::memcpy(buffers[destination_], buffers.back(), arguments_[destination_].bytes);
      if (prepared(buffers)->execute() != Answer::kSuccess) return {};
    }
    const PlacedArgument& argument = arguments_[destination_];
    const PlainView& plain = argument.planned.plain;
    const Description row_major_copy = session_.dialect->with_strides(argument.type, plain.dimensions, plain.strides);
    const auto count = static_cast<size_t>(elements_in(plain.dimensions).value_or(0));
    std::vector<std::byte> bytes = room_for(count, argument.type);
    if (!reorder(*session_.library, argument.description, buffers[destination_], row_major_copy, bytes.data()).ok())
      return {};
    return read_elements(bytes.data(), count, element_type_of(argument.type));
  }

  uint64_t workspace_bytes() const override { return scratchpad_bytes_; }

 private:
  const Functions& functions() const { return session_.library->functions(); }

  std::unique_ptr<PreparedCall> prepared(std::span<void* const> buffers) const {
    auto call = std::make_unique<PreparedCall>(*session_.library, primitive_);
    for (size_t i = 0; i < arguments_.size(); ++i)
      call->add(arguments_[i].planned.kind, arguments_[i].description, buffers[i]);
    if (scratchpad_bytes_ > 0) call->add(kScratchpad, scratchpad_, buffers[arguments_.size()]);
    return call;
  }

  /// Puts an operand into a buffer, in the layout and type of an argument.
  Status write(const std::vector<PlainTensor>& operands, size_t operand, size_t index, void* buffer) const {
    const PlacedArgument& argument = arguments_[index];
    // The result and what is added to it have the same plain values.
    const PlainView& plain = argument.planned.plain;
    if (operand >= operands.size() ||
        !std::cmp_equal(operands[operand].elements(), elements_in(plain.dimensions).value_or(-1)))
      return {"operands of another problem"};
    Status status;
    // From f32 where the library reorders into the wanted layout only from there (weights of an int8 Winograd).
    for (const DataType type : {argument.type, DataType::kF32}) {
      const std::span<const float> values = operands[operand].values;
      std::vector<std::byte> bytes = room_for(values.size(), type);
      write_elements(values, element_type_of(type), bytes.data());
      const Description from = session_.dialect->with_strides(type, plain.dimensions, plain.strides);
      status = reorder(*session_.library, from, bytes.data(), argument.description, buffer);
      if (status.ok()) break;
    }
    return status;
  }

  Session session_;
  std::optional<size_t> initial_destination_;
  std::vector<PlacedArgument> arguments_;
  size_t destination_ = 0;
  Description scratchpad_;
  size_t scratchpad_bytes_ = 0;
  PrimitiveDescriptor descriptor_;
  Primitive primitive_;
};

}  // namespace

bool loses_weight_bits(const Session& session, const PrimitiveDescriptorObject* descriptor, const Plan& plan) {
  const auto weights = std::ranges::find(plan.arguments, kWeights, &PlanArgument::kind);
  if (weights == plan.arguments.end()) return false;
  const Description wanted = argument_description(session, descriptor, kWeights);
  if (!wanted || session.dialect->facts(wanted.get()).type != DataType::kS8) return false;
  // The descriptor says so only in version 2. Weights that are all 64 stay what they are, or they do not.
  constexpr auto kProbe = std::byte{64};
  const auto elements = elements_in(weights->plain.dimensions).value_or(0);
  std::vector<std::byte> from(static_cast<size_t>(elements), kProbe);
  std::vector<std::byte> to(session.library->functions().description_size(wanted.get()));
  const Description plain =
      session.dialect->with_strides(DataType::kS8, weights->plain.dimensions, weights->plain.strides);
  const Status status = reorder(*session.library, plain, from.data(), wanted, to.data());
  return !status.ok() || std::ranges::count(to, kProbe) < elements;
}

Status make_implementation(const Session& session, PrimitiveDescriptor descriptor, const Plan& plan,
                           std::unique_ptr<Implementation>* implementation) {
  auto made = std::make_unique<PrimitiveImplementation>(session, plan);
  if (Status status = made->make(std::move(descriptor), plan); !status.ok()) return status;
  *implementation = std::move(made);
  return {};
}

}  // namespace xsp::bound::onednn
