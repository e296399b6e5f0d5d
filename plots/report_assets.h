/* The report's style and script, made of report.css and report.js by the build. */
#ifndef PLOTS_REPORT_ASSETS_H
#define PLOTS_REPORT_ASSETS_H

extern const char report_css[];
extern const char report_js[];
extern const char report_js_sha256[]; /* of report_js, hexadecimal */

#endif
