#include "report/html.h"

#include "base/text.h"
#include "report/page_assets.h"

namespace kedge::report {
namespace {

std::string page(const std::string& data) {
  // The data go in last: nothing in them can be taken for a place holder.
  std::string html = base::replace_all(std::string(page_html()), "@CSS@", page_css());
  html = base::replace_all(std::move(html), "@JS@", page_js());
  const std::size_t at = html.find("@DATA@");
  return html.replace(at, 6, data);
}

}  // namespace

std::string html_report(const document::Json& data) {
  // "</script>" inside a string would end the element: '<' is written as an escape.
  const std::string json = base::replace_all(document::write_json(data, -1), "<", "\\u003c");
  return page("<script type=\"application/json\" id=\"kedge-data\">" + json + "</script>");
}

std::string live_page() {
  return page("");
}

}  // namespace kedge::report
