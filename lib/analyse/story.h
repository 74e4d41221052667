/*
 * One job, one story: whoever waits, directly or through others, for nobody but a finding's culprit
 * and its victims is a victim too.
 */
#ifndef NH_ANALYSE_STORY_H
#define NH_ANALYSE_STORY_H

#include "graph/graph.h"

/* Adds the victims of victims to the findings from that one on, each with what it waits for as
 * evidence. */
void nh_story(struct nh_case *c, const struct nh_graph *g, size_t first);

#endif
