// std::visit with one lambda a kind and no catch-all branch.
#pragma once

namespace kedge::base {

template <class... Lambdas>
struct Overloaded : Lambdas... {
  using Lambdas::operator()...;
};
template <class... Lambdas>
Overloaded(Lambdas...) -> Overloaded<Lambdas...>;

}  // namespace kedge::base
