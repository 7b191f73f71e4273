#include "test/analysis/mining/generated_sequence.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <utility>

namespace xsp::test {

using analysis::Symbol;
using analysis::SymbolRole;

namespace {

using Operations = std::vector<Symbol>;

class Generator {
 public:
  Generator(uint64_t seed, const Deviations& deviations, uint32_t operations)
      : random_(seed * 0x9E3779B97F4A7C15ull + 1), deviations_(deviations), operations_(operations) {
    fresh(between(8, 120), SymbolRole::kWork);
  }

  uint32_t between(uint32_t least, uint32_t most) {
    return std::uniform_int_distribution<uint32_t>(least, most)(random_);
  }
  uint32_t log_between(uint32_t least, uint32_t most) {
    const double low = std::log(least), high = std::log(most + 1.0);
    return static_cast<uint32_t>(std::exp(std::uniform_real_distribution<double>(low, high)(random_)));
  }
  double share() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  bool chance(double of) { return share() < of; }

  /// New symbols; the first of them.
  Symbol fresh(uint32_t count, SymbolRole role) {
    const auto first = static_cast<Symbol>(made_.roles.size());
    made_.roles.insert(made_.roles.end(), count, role);
    return first;
  }

  Symbol any_symbol() { return between(0, static_cast<uint32_t>(made_.roles.size()) - 1); }
  Symbol any_work() {
    while (true) {
      const Symbol symbol = any_symbol();
      if (made_.roles[symbol] == SymbolRole::kWork) return symbol;
    }
  }

  /// Random operations, no two adjacent repeats of a shorter stretch by intention.
  Operations part(uint32_t size) {
    Operations part(size);
    for (Symbol& symbol : part) symbol = any_work();
    if (size >= 2 && std::all_of(part.begin(), part.end(), [&part](Symbol s) { return s == part[0]; })) {
      part[0] = fresh(1, SymbolRole::kWork);
    }
    return part;
  }

  /// An iteration: a part, sometimes with runs of one symbol, sometimes with what only it has.
  Operations iteration(uint32_t size) {
    Operations made = part(size);
    if (size >= 4 && chance(0.7)) made[0] = fresh(1, SymbolRole::kWork);
    return made;
  }

  void noise(uint32_t size) {
    const Symbol own = fresh(10, SymbolRole::kWork);
    for (uint32_t i = 0; i < size; ++i) put(chance(0.5) ? own + between(0, 9) : any_work(), 100);
  }
  void around(uint32_t period) {
    if (chance(0.6)) noise(between(1, std::min(3 * period, 3000u)));
  }

  void put(Symbol symbol, int64_t idle) {
    made_.symbols.push_back(symbol);
    made_.idle.push_back(idle);
  }

  /// What iterations are made of, with deviations; `idle` before the first.
  void put(const Operations& part, int64_t idle = 0) {
    for (size_t i = 0; i < part.size(); ++i) {
      const int64_t before = i == 0 && idle > 0 ? idle + between(0, 500) : between(0, 1500);
      Symbol symbol = part[i];
      const double draw = share();
      double limit = deviations_.substituted;
      if (draw < limit) {
        symbol = any_symbol();
        if (symbol != part[i]) made_.deviations += 2;
        put(symbol, before);
        continue;
      }
      if (draw < (limit += deviations_.inserted)) {
        put(symbol, before);
        put(any_symbol(), 100);
        ++made_.deviations;
        continue;
      }
      if (draw < (limit += deviations_.missing)) {
        ++made_.deviations;
        continue;
      }
      if (draw < (limit += deviations_.swapped) && i + 1 < part.size()) {
        if (part[i] != part[i + 1]) made_.deviations += 2;
        put(part[i + 1], before);
        put(part[i], 100);
        ++i;
        continue;
      }
      put(symbol, before);
    }
  }

  ExpectedLoop& loop(uint32_t level = 0) {
    made_.loops.push_back({level, 0, {}});
    return made_.loops.back();
  }
  void begin(ExpectedLoop& loop) {
    ++loop.count;
    loop.begins.push_back(static_cast<uint32_t>(made_.symbols.size()));
  }

  uint32_t count_for(uint32_t period, uint32_t least, uint32_t most) {
    if (operations_ > 0) return std::max(least, operations_ / period);
    return log_between(least, most);
  }

  /// One loop: each iteration is `once`, followed by what `extra` puts.
  void repeat(uint32_t count, const Operations& once, const std::function<void(uint32_t)>& extra = {},
              bool extra_within = false) {
    ExpectedLoop& made = loop();
    const size_t at = extra_within ? once.size() / 2 : once.size();
    const Operations first(once.begin(), once.begin() + static_cast<ptrdiff_t>(at));
    const Operations second(once.begin() + static_cast<ptrdiff_t>(at), once.end());
    for (uint32_t i = 0; i < count; ++i) {
      begin(made);
      put(first, 5000);
      if (extra) extra(i);
      put(second);
    }
  }

  GeneratedSequence take() { return std::move(made_); }
  Generator& after(uint32_t period) {
    around(period);
    return *this;
  }

  std::mt19937_64 random_;
  Deviations deviations_;
  uint32_t operations_;
  GeneratedSequence made_;
};

Operations joined(std::initializer_list<Operations> parts) {
  Operations all;
  for (const Operations& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

void exact(Generator& g, uint32_t least, uint32_t most) {
  const uint32_t period = g.log_between(least, most);
  const Operations once = g.iteration(period);
  g.around(period);
  g.repeat(g.count_for(period, 5, 200), once);
  g.around(period);
}

// Cut in mid-iteration at both ends. What is left of the two may be a whole period: with another cut of the cycle there
// is an iteration more.
void cut(Generator& g) {
  const uint32_t period = g.log_between(10, 1000);
  const Operations once = g.iteration(period);
  const auto size = static_cast<ptrdiff_t>(period);
  const ptrdiff_t lost = g.between(1, period - 1), left = g.between(1, period - 1);
  g.put(Operations(once.end() - (size - lost), once.end()));
  g.repeat(g.count_for(period, 4, 100), once);
  g.put(Operations(once.begin(), once.begin() + left), 5000);
  g.made_.loops.back().count += left >= lost ? 1 : 0;
}

// Operations that some iterations have more: a line of a log.
void extra(Generator& g, uint32_t every, bool within) {
  const uint32_t period = g.log_between(20, 1000);
  const Operations once = g.iteration(period);
  const Symbol copy = g.fresh(1, SymbolRole::kToHost);
  const Symbol own = g.fresh(6, SymbolRole::kWork);
  Operations line{copy};
  const uint32_t size = g.between(0, std::min(39u, period / 2));
  for (uint32_t i = 0; i < size; ++i) line.push_back(g.chance(0.5) ? own + g.between(0, 5) : g.any_work());
  std::swap(line.front(), line[g.between(0, size)]);
  g.around(period);
  const uint32_t phase = g.between(0, 9);
  g.repeat(
      g.count_for(period, 30, 150), once,
      [&](uint32_t i) {
        if (every > 0 ? (i + phase) % every == 0 : g.chance(0.1)) g.put(line);
      },
      within);
  g.around(period);
}

// A model of equal blocks.
void layers(Generator& g) {
  const Operations first = g.iteration(g.between(20, 120)), block = g.part(g.between(8, 40)),
                   last = g.part(g.between(20, 120));
  const uint32_t blocks = g.between(6, 30);
  const Symbol input = g.fresh(1, SymbolRole::kToDevice);
  g.around(300);
  ExpectedLoop outer, inner;
  inner.level = 1;
  const uint32_t count = g.count_for(blocks * 20, 4, 40);
  for (uint32_t i = 0; i < count; ++i) {
    g.begin(outer);
    g.put(Operations{input}, 5000);
    g.put(first);
    for (uint32_t k = 0; k < blocks; ++k) {
      g.begin(inner);
      g.put(block);
    }
    g.put(last);
  }
  g.made_.loops = {outer, inner};
  g.around(300);
}

// Micro-batches and an optimizer, sometimes of layers: three levels.
void micro(Generator& g, bool three) {
  const uint32_t blocks = three ? g.between(4, 12) : 0;
  const Operations head = g.iteration(g.between(40, three ? 100 : 700)), block = g.part(g.between(8, 30)),
                   tail = g.part(g.between(20, 60));
  const uint32_t batches = g.between(3, 10);
  const bool is_named = g.chance(0.5);
  const uint32_t body = static_cast<uint32_t>(head.size() + tail.size() + blocks * block.size());
  const uint32_t updates = std::max(g.between(10, 80), is_named ? 1u : body / 10);
  const Symbol update = g.fresh(4, is_named ? SymbolRole::kOptimizer : SymbolRole::kWork);
  Operations optimizer;
  for (uint32_t i = 0; i < updates; ++i) optimizer.push_back(update + g.between(0, 3));
  g.around(300);
  ExpectedLoop outer, middle, inner;
  middle.level = 1;
  inner.level = 2;
  const uint32_t count = g.count_for(batches * body, 4, 30);
  for (uint32_t i = 0; i < count; ++i) {
    g.begin(outer);
    for (uint32_t b = 0; b < batches; ++b) {
      g.begin(middle);
      g.put(head, b == 0 ? 9000 : 3000);
      for (uint32_t k = 0; k < blocks; ++k) {
        g.begin(inner);
        g.put(block);
      }
      g.put(tail);
    }
    g.put(optimizer);
  }
  g.made_.loops = {outer, middle};
  if (three) g.made_.loops.push_back(inner);
  g.around(300);
}

// Training and evaluation by turns.
void alternating(Generator& g, bool is_prefix) {
  const uint32_t period = g.log_between(40, 600);
  const Symbol loss = g.fresh(1, SymbolRole::kToHost);
  const Operations forward = g.iteration(period / 2), backward = g.part(period - period / 2);
  const Operations train = joined({forward, backward});
  Operations evaluate = is_prefix ? forward : g.iteration(g.between(period / 4, period));
  evaluate.push_back(loss);
  const uint32_t steps = g.between(20, 60), evaluations = g.between(5, 12), epochs = g.between(2, 6);
  g.around(period);
  ExpectedLoop first, second;
  for (uint32_t epoch = 0; epoch < epochs; ++epoch) {
    for (uint32_t i = 0; i < steps; ++i) {
      g.begin(first);
      g.put(train, 5000);
    }
    for (uint32_t i = 0; i < evaluations; ++i) {
      g.begin(second);
      g.put(evaluate, 5000);
    }
  }
  g.made_.loops = {first, second};
  g.around(period);
}

void consecutive(Generator& g) {
  const uint32_t a = g.log_between(20, 500), b = g.log_between(20, 500);
  const Operations first = g.iteration(a), second = g.iteration(b);
  g.around(a);
  g.repeat(g.between(10, 100), first);
  if (g.chance(0.5)) g.noise(g.between(1, 200));
  g.repeat(g.between(10, 100), second);
  g.around(b);
}

// Two networks by turns: one loop.
void by_turns(Generator& g) {
  const uint32_t period = g.log_between(20, 500);
  const Operations a = g.iteration(period), b = g.iteration(g.between(period / 2, period));
  g.around(period);
  g.repeat(g.count_for(2 * period, 8, 100), joined({a, b}));
  g.around(period);
}

void growing(Generator& g) {
  const uint32_t period = g.log_between(60, 600), count = g.between(10, 60);
  const Operations once = g.iteration(period);
  const Symbol own = g.fresh(3, SymbolRole::kWork);
  const uint32_t step = g.between(1, 4);
  g.around(period);
  g.repeat(
      count, once,
      [&](uint32_t i) {
        for (uint32_t k = 0; k < i * step; ++k) g.put(own + k % 3, 100);
      },
      true);
  g.around(period);
}

// A body repeated as often as a sentence has words, then an update.
void sentences(Generator& g) {
  const Operations body = g.part(g.between(8, 30)), update = g.iteration(g.between(20, 60));
  g.around(100);
  ExpectedLoop outer, inner;
  inner.level = 1;
  const uint32_t count = g.between(10, 60);
  for (uint32_t i = 0; i < count; ++i) {
    g.begin(outer);
    const uint32_t words = g.between(10, 40);
    for (uint32_t k = 0; k < words; ++k) {
      g.begin(inner);
      g.put(body, k == 0 ? 9000 : 0);
    }
    g.put(update);
  }
  g.made_.loops = {outer, inner};
  g.around(100);
}

// Long runs of one symbol, and the same symbols again and again in one iteration.
void runs(Generator& g) {
  Operations once;
  const Symbol few = g.fresh(6, SymbolRole::kWork);
  const uint32_t parts = g.between(4, 30);
  for (uint32_t i = 0; i < parts; ++i) {
    const Symbol symbol = few + g.between(0, 5);
    once.insert(once.end(), g.chance(0.3) ? g.between(10, 50) : g.between(1, 3), symbol);
  }
  once.push_back(g.fresh(1, SymbolRole::kWork));
  g.around(static_cast<uint32_t>(once.size()));
  g.repeat(g.count_for(static_cast<uint32_t>(once.size()), 8, 100), once);
  g.around(static_cast<uint32_t>(once.size()));
}

// A stretch in the middle that is another in each iteration.
void middle(Generator& g) {
  const uint32_t period = g.log_between(30, 600);
  const Operations first = g.iteration(period / 2), last = g.part(period / 4);
  g.around(period);
  ExpectedLoop& made = g.loop();
  const uint32_t count = g.count_for(period, 8, 100);
  for (uint32_t i = 0; i < count; ++i) {
    g.begin(made);
    g.put(first, 5000);
    g.put(g.part(std::max(2u, period / 8)));
    g.put(last);
  }
  g.around(period);
}

Operations zipf(Generator& g, uint32_t size, uint32_t alphabet) {
  std::vector<double> weights(alphabet);
  for (uint32_t i = 0; i < alphabet; ++i) weights[i] = 1.0 / (i + 1);
  std::discrete_distribution<uint32_t> draw(weights.begin(), weights.end());
  Operations made(size);
  for (Symbol& symbol : made) symbol = draw(g.random_);
  return made;
}

Operations markov(Generator& g, uint32_t size, uint32_t alphabet) {
  const uint32_t successors = g.between(3, 6);
  std::vector<std::vector<std::pair<Symbol, double>>> next(alphabet);
  for (auto& row : next) {
    for (uint32_t i = 0; i < successors; ++i) row.emplace_back(g.between(0, alphabet - 1), g.share() + 0.1);
  }
  Operations made(size);
  Symbol symbol = 0;
  for (Symbol& here : made) {
    double all = 0;
    for (const auto& [_, weight] : next[symbol]) all += weight;
    double draw = g.share() * all;
    Symbol chosen = next[symbol].back().first;
    for (const auto& [candidate, weight] : next[symbol]) {
      if ((draw -= weight) > 0) continue;
      chosen = candidate;
      break;
    }
    here = symbol = chosen;
  }
  return made;
}

void put_plain(Generator& g, const Operations& made) {
  for (const Symbol symbol : made) {
    while (symbol >= g.made_.roles.size()) g.fresh(1, SymbolRole::kWork);
    g.put(symbol, g.between(0, 3000));
  }
}

const std::vector<std::pair<std::string, std::function<void(Generator&)>>>& looping() {
  static const std::vector<std::pair<std::string, std::function<void(Generator&)>>> kinds{
      {"exact", [](Generator& g) { exact(g, 20, 1000); }},
      {"short", [](Generator& g) { exact(g, 2, 19); }},
      {"long", [](Generator& g) { exact(g, 1000, 8000); }},
      {"cut", cut},
      {"line-10", [](Generator& g) { extra(g, 10, false); }},
      {"line-7-within", [](Generator& g) { extra(g, 7, true); }},
      {"line-3", [](Generator& g) { extra(g, 3, false); }},
      {"line-random", [](Generator& g) { extra(g, 0, true); }},
      {"layers", layers},
      {"micro", [](Generator& g) { micro(g, false); }},
      {"three-levels", [](Generator& g) { micro(g, true); }},
      {"train-eval-prefix", [](Generator& g) { alternating(g, true); }},
      {"train-eval-other", [](Generator& g) { alternating(g, false); }},
      {"consecutive", consecutive},
      {"by-turns", by_turns},
      {"growing", growing},
      {"sentences", sentences},
      {"runs", runs},
      {"middle", middle},
  };
  return kinds;
}

const std::vector<std::pair<std::string, std::function<void(Generator&, uint32_t)>>>& loopless() {
  static const std::vector<std::pair<std::string, std::function<void(Generator&, uint32_t)>>> kinds{
      {"uniform",
       [](Generator& g, uint32_t size) {
         const uint32_t alphabet = g.log_between(2, 400);
         Operations made(size);
         for (Symbol& symbol : made) symbol = g.between(0, alphabet - 1);
         put_plain(g, made);
       }},
      {"zipf", [](Generator& g, uint32_t size) { put_plain(g, zipf(g, size, g.log_between(3, 400))); }},
      {"markov", [](Generator& g, uint32_t size) { put_plain(g, markov(g, size, g.log_between(6, 200))); }},
      {"equal", [](Generator& g, uint32_t size) { put_plain(g, Operations(size, 0)); }},
      {"bursts",
       [](Generator& g, uint32_t size) {
         const Operations base = zipf(g, size, g.log_between(3, 100));
         Operations made;
         for (const Symbol symbol : base) made.insert(made.end(), g.chance(0.05) ? g.between(5, 60) : 1, symbol);
         put_plain(g, made);
       }},
      {"permutation",
       [](Generator& g, uint32_t size) {
         Operations made;
         const Operations once = g.part(g.log_between(3, 300));
         while (made.size() < size) made.insert(made.end(), once.begin(), once.end());
         std::shuffle(made.begin(), made.end(), g.random_);
         put_plain(g, made);
       }},
      {"list",
       [](Generator& g, uint32_t size) {
         // Much that comes once, some that recurs at odd places.
         Operations made;
         Symbol next = 40;
         while (made.size() < size) {
           if (g.chance(0.4)) {
             made.push_back(g.between(0, 39));
           } else {
             made.push_back(next++);
           }
         }
         put_plain(g, made);
       }},
  };
  return kinds;
}

template <typename Kinds>
std::vector<std::string> names(const Kinds& kinds) {
  std::vector<std::string> all;
  for (const auto& [name, _] : kinds) all.push_back(name);
  return all;
}

}  // namespace

analysis::MiningInput GeneratedSequence::input() const {
  return {symbols, roles, [this](size_t i) { return idle[i]; }};
}

const std::vector<std::string>& looping_kinds() {
  static const std::vector<std::string> kinds = names(looping());
  return kinds;
}

const std::vector<std::string>& loopless_kinds() {
  static const std::vector<std::string> kinds = names(loopless());
  return kinds;
}

GeneratedSequence generate(const std::string& kind, uint64_t seed, const Deviations& deviations, uint32_t operations) {
  Generator generator(seed, deviations, operations);
  for (const auto& [name, make] : looping()) {
    if (name == kind) make(generator);
  }
  for (const auto& [name, make] : loopless()) {
    if (name == kind) make(generator, operations > 0 ? operations : generator.log_between(3, 20000));
  }
  return generator.take();
}

}  // namespace xsp::test
