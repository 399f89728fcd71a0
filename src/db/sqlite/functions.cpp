#include "db/sqlite/functions.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace kedge::db::sqlite {
namespace {

constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

bool is_null(sqlite3_value* value) {
  return sqlite3_value_type(value) == SQLITE_NULL;
}

// NaN and infinities (a value outside the domain) become NULL, as sqlite's own functions do.
void give(sqlite3_context* context, double value) {
  if (std::isfinite(value)) {
    sqlite3_result_double(context, value);
  } else {
    sqlite3_result_null(context);
  }
}

template <double (*function)(double)>
void unary(sqlite3_context* context, int, sqlite3_value** arguments) {
  if (!is_null(arguments[0])) {
    give(context, function(sqlite3_value_double(arguments[0])));
  }
}

template <double (*function)(double, double)>
void binary(sqlite3_context* context, int, sqlite3_value** arguments) {
  if (!is_null(arguments[0]) && !is_null(arguments[1])) {
    give(context, function(sqlite3_value_double(arguments[0]), sqlite3_value_double(arguments[1])));
  }
}

double log_of_base(double base, double x) {
  return base <= 0 || base == 1 ? std::nan("") : std::log(x) / std::log(base);
}

// sqlite's aggregate memory is plain bytes without a destructor: it holds a pointer, which the
// final call always comes for.
template <class State>
State* state_of(sqlite3_context* context) {
  auto** slot = static_cast<State**>(sqlite3_aggregate_context(context, sizeof(State*)));
  if (slot == nullptr) {
    return nullptr;
  }
  if (*slot == nullptr) {
    *slot = std::make_unique<State>().release();
  }
  return *slot;
}

template <class State>
std::unique_ptr<State> take_state(sqlite3_context* context) {
  auto** slot = static_cast<State**>(sqlite3_aggregate_context(context, 0));
  return std::unique_ptr<State>(slot == nullptr ? nullptr : std::exchange(*slot, nullptr));
}

// Sums of squares around running means: one pass and numerically stable (Welford).
struct Moments {
  double count = 0;
  double mean_x = 0;
  double mean_y = 0;
  double square_x = 0;
  double square_y = 0;
  double product = 0;
  void add(double x, double y) {
    count += 1;
    const double step_x = x - mean_x;
    const double step_y = y - mean_y;
    mean_x += step_x / count;
    mean_y += step_y / count;
    square_x += step_x * (x - mean_x);
    square_y += step_y * (y - mean_y);
    product += step_x * (y - mean_y);
  }
};

void step_moments(sqlite3_context* context, int count, sqlite3_value** arguments) {
  if (is_null(arguments[0]) || (count == 2 && is_null(arguments[1]))) {
    return;
  }
  if (auto* moments = state_of<Moments>(context)) {
    moments->add(sqlite3_value_double(arguments[0]),
                 count == 2 ? sqlite3_value_double(arguments[1]) : 0);
  }
}

using Statistic = double (*)(const Moments&);

template <Statistic statistic>
void finish_moments(sqlite3_context* context) {
  const auto moments = take_state<Moments>(context);
  give(context, moments == nullptr ? std::nan("") : statistic(*moments));
}

// Sample statistics are NULL up to one value (x / 0 is not finite), population ones 0 at one.
double var_samp(const Moments& m) {
  return m.count < 2 ? std::nan("") : m.square_x / (m.count - 1);
}
double var_pop(const Moments& m) {
  return m.square_x / m.count;
}
double stddev_samp(const Moments& m) {
  return std::sqrt(var_samp(m));
}
double stddev_pop(const Moments& m) {
  return std::sqrt(var_pop(m));
}
double covar_samp(const Moments& m) {
  return m.count < 2 ? std::nan("") : m.product / (m.count - 1);
}
double covar_pop(const Moments& m) {
  return m.product / m.count;
}
double corr(const Moments& m) {
  return m.product / std::sqrt(m.square_x * m.square_y);
}

struct Sample {
  std::vector<double> values;
  double fraction = 0.5;
  bool bad_fraction = false;
};

void step_sample(sqlite3_context* context, int count, sqlite3_value** arguments) {
  if (is_null(arguments[0])) {
    return;
  }
  auto* sample = state_of<Sample>(context);
  if (sample == nullptr) {
    return;
  }
  if (count == 2) {
    sample->fraction = sqlite3_value_double(arguments[1]);
    sample->bad_fraction =
        is_null(arguments[1]) || !(sample->fraction >= 0 && sample->fraction <= 1);
  }
  try {
    sample->values.push_back(sqlite3_value_double(arguments[0]));
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

void finish_sample(sqlite3_context* context) {
  const auto sample = take_state<Sample>(context);
  if (sample == nullptr || sample->values.empty()) {
    return;
  }
  if (sample->bad_fraction) {
    sqlite3_result_error(context, "percentile_cont: the fraction must lie between 0 and 1", -1);
    return;
  }
  std::vector<double>& values = sample->values;
  const double place = sample->fraction * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(low);
  std::nth_element(values.begin(), nth, values.end());
  const double below = *nth;
  const double part = place - static_cast<double>(low);
  if (part > 0) {
    const double above = *std::min_element(nth + 1, values.end());
    give(context, below + (above - below) * part);
  } else {
    give(context, below);
  }
}

using Scalar = void (*)(sqlite3_context*, int, sqlite3_value**);
using Finish = void (*)(sqlite3_context*);

void scalar(sqlite3* database, const char* name, int arguments, Scalar function) {
  sqlite3_create_function_v2(database, name, arguments, kFlags, nullptr, function, nullptr, nullptr,
                             nullptr);
}

void aggregate(sqlite3* database, const char* name, int arguments, Scalar step, Finish finish) {
  sqlite3_create_function_v2(database, name, arguments, kFlags, nullptr, nullptr, step, finish,
                             nullptr);
}

}  // namespace

void register_functions(sqlite3* database) {
  scalar(database, "ln", 1, unary<std::log>);
  scalar(database, "log10", 1, unary<std::log10>);
  scalar(database, "log", 1, unary<std::log10>);
  scalar(database, "log2", 1, unary<std::log2>);
  scalar(database, "exp", 1, unary<std::exp>);
  scalar(database, "sqrt", 1, unary<std::sqrt>);
  scalar(database, "power", 2, binary<std::pow>);
  scalar(database, "log", 2, binary<log_of_base>);
  aggregate(database, "median", 1, step_sample, finish_sample);
  aggregate(database, "percentile_cont", 2, step_sample, finish_sample);
  aggregate(database, "var_samp", 1, step_moments, finish_moments<var_samp>);
  aggregate(database, "var_pop", 1, step_moments, finish_moments<var_pop>);
  aggregate(database, "stddev_samp", 1, step_moments, finish_moments<stddev_samp>);
  aggregate(database, "stddev_pop", 1, step_moments, finish_moments<stddev_pop>);
  aggregate(database, "corr", 2, step_moments, finish_moments<corr>);
  aggregate(database, "covar_samp", 2, step_moments, finish_moments<covar_samp>);
  aggregate(database, "covar_pop", 2, step_moments, finish_moments<covar_pop>);
}

}  // namespace kedge::db::sqlite
