#include "dialect/catalogs.h"

namespace kedge::dialect {
namespace {

// Two settings lead to one database when all that says where it is and who asks is equal.
std::string key_of(const db::ConnectionSettings& settings) {
  std::string key = settings.connector;
  for (const auto& [name, value] : settings.options) {
    if (name.find("timeout") == std::string::npos) {
      key += '\0' + name + '\0' + value;
    }
  }
  return key;
}

std::shared_ptr<const schema::Schema> introspect(db::Connection& connection, Detail detail) {
  IntrospectScope scope;
  scope.definitions = detail == Detail::Definitions;
  return std::make_shared<const schema::Schema>(
      get_dialect(connection.dialect()).introspect(connection, scope));
}

}  // namespace

std::shared_ptr<const schema::Schema> Catalogs::read(db::Connection& connection,
                                                     const db::ConnectionSettings& settings,
                                                     Detail needed) {
  if (needed == Detail::Definitions && detail_ == Detail::Shapes) {
    return introspect(connection, needed);
  }
  std::promise<Shape> promise;
  std::shared_future<Shape> shared;
  {
    const std::lock_guard lock(mutex_);
    const auto [place, is_first] = shapes_.try_emplace(key_of(settings));
    if (is_first) {
      place->second = promise.get_future().share();
    } else {
      shared = place->second;
    }
  }
  if (shared.valid()) {
    const Shape known = shared.get();  // empty: whoever read it first could not
    return known ? known : introspect(connection, needed);
  }
  try {
    const Shape own = introspect(connection, detail_);
    promise.set_value(own);
    return own;
  } catch (const Error&) {
    promise.set_value(nullptr);
    if (needed == detail_) {
      throw;
    }
    return introspect(connection, needed);
  }
}

void Catalogs::put(const db::ConnectionSettings& settings, schema::Schema shape) {
  std::promise<Shape> promise;
  promise.set_value(std::make_shared<const schema::Schema>(std::move(shape)));
  const std::lock_guard lock(mutex_);
  shapes_[key_of(settings)] = promise.get_future().share();
}

}  // namespace kedge::dialect
