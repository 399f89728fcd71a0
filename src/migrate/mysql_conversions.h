// What becomes of a value where MODIFY COLUMN alone would do something else.
#pragma once

#include <string>

#include "kedge/schema.h"

namespace kedge::migrate {

// The value as text, from the value as text: a number, a truth or a time becomes the only element
// of a list, and the only element of a list becomes one; a longer list stays, and the engine
// refuses it. Empty where MODIFY COLUMN does all.
std::string mysql_converted(const std::string& value, const schema::Type& from,
                            const schema::Type& to);

}  // namespace kedge::migrate
