// The files of src/report/page, built into the program.
#pragma once

#include <string_view>

namespace kedge::report {

std::string_view page_html();
std::string_view page_css();
std::string_view page_js();

}  // namespace kedge::report
