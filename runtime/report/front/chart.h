/* The front as a picture, in SVG, for any browser. */
#ifndef PLB_REPORT_FRONT_CHART_H
#define PLB_REPORT_FRONT_CHART_H

#include "report/front/front.h"

void plb_front_print_chart(const struct plb_front_page *page, FILE *out);

#endif
