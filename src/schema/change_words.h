// The words by which a kind of change is known.
#pragma once

#include "kedge/change.h"

namespace kedge {

struct ChangeWords {
  std::string kind;
  std::string noun;
  char sign = '~';
};
ChangeWords words_of(const Change& change);

}  // namespace kedge
