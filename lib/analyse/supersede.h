/* Two findings that explain one wait: the more specific one is told, the other is mentioned. */
#ifndef NH_ANALYSE_SUPERSEDE_H
#define NH_ANALYSE_SUPERSEDE_H

#include "model/case.h"

/*
 * Drops every finding whose threads another one explains better, by a table of ids; the better one
 * gets a line of evidence, the other id a row in `ruled_out`.  A mere possibility replaces nothing
 * that is surer.
 */
void nh_supersede(struct nh_case *c);

#endif
