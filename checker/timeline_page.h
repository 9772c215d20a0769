/* The static text of the timeline's page. */
#ifndef CHECKER_TIMELINE_PAGE_H
#define CHECKER_TIMELINE_PAGE_H

extern const char timeline_head[], timeline_tail[];

#endif
