#include "stack/unwind.h"

#include <errno.h>
#include <string.h>
#include "stack/table.h"
#include "stack/walk.h"

#define CACHE_ENTRIES 4096
/* A step takes some tens.  Unwind information can loop on purpose. */
#define READS_MAX 100000

/* Exported for debuggers and profilers, declared nowhere. */
#define search_unwind_table UNW_OBJ(dwarf_search_unwind_table)
int search_unwind_table(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di, unw_proc_info_t *pi,
	int need_unwind_info, void *arg);

bool nh_copy_word(const struct nh_stack_copy *copy, uint64_t addr, uint64_t *ret)
{
	for (size_t i = 0; i < NH_PARTS; i++) {
		const struct nh_part *p = &copy->part[i];

		if (p->len >= sizeof(*ret) && addr >= p->base &&
			addr - p->base <= p->len - sizeof(*ret)) {
			memcpy(ret, p->bytes + (addr - p->base), sizeof(*ret));
			return true;
		}
	}
	return false;
}

static int access_mem(unw_addr_space_t as, unw_word_t addr, unw_word_t *val, int write, void *arg)
{
	struct nh_unwinder *u = arg;
	uint64_t word;
	int rc;

	if (write || u->reads++ > READS_MAX)
		return -UNW_EINVAL;
	if (addr >= NH_TABLE_BASE) {
		rc = nh_table_word(u->space, addr, &word) ? 0 : -EFAULT;
	} else if (nh_copy_word(u->copy, addr, &word)) {
		rc = 0;
	} else {
		rc = nh_space_read(u->space, addr, &word, sizeof(word));
		if (rc == -EAGAIN && !u->outside)
			u->outside = addr;
	}
	if (!rc)
		*val = word;
	return rc ? -UNW_EINVAL : 0;
}

/* libunwind numbers these registers as DWARF does. */
static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *val, int write, void *arg)
{
	struct nh_unwinder *u = arg;

	if (write || reg < 0 || reg >= NH_REGS)
		return -UNW_EBADREG;
	if (u->copy->known >> reg & 1)
		*val = u->copy->regs[reg];
	else if (reg == NH_REG_FP && u->frame_pointer)
		*val = u->frame_pointer;
	else {
		if (reg == NH_REG_FP)
			u->wants_frame_pointer = true;
		else
			u->wants_other = true;
		return -UNW_EBADREG;
	}
	return 0;
}

static int find_proc_info(
	unw_addr_space_t as, unw_word_t ip, unw_proc_info_t *pi, int need, void *arg)
{
	struct nh_unwinder *u = arg;
	struct nh_image *image = nh_space_image(u->space, ip);
	const struct nh_table *table = image ? nh_table_get(u->space, image) : NULL;
	unw_dyn_info_t di = { .format = UNW_INFO_FORMAT_REMOTE_TABLE };
	int rc = -UNW_ENOINFO;

	if (table) {
		di.start_ip = image->start;
		di.end_ip = image->end;
		di.u.rti.segbase = table->segbase;
		di.u.rti.table_data = table->entries;
		di.u.rti.table_len = table->count; /* in words, and a pair is one */
		rc = search_unwind_table(as, ip, &di, pi, need, arg);
	}
	if (rc == -UNW_ENOINFO)
		u->bare = true;
	return rc;
}

static void put_unwind_info(unw_addr_space_t as, unw_proc_info_t *pi, void *arg)
{
}

static int no_dyn_info(unw_addr_space_t as, unw_word_t *addr, void *arg)
{
	return -UNW_ENOINFO;
}

static int no_fpreg(unw_addr_space_t as, unw_regnum_t reg, unw_fpreg_t *val, int write, void *arg)
{
	return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t as, unw_cursor_t *c, void *arg)
{
	return -UNW_EINVAL;
}

static int no_proc_name(
	unw_addr_space_t as, unw_word_t addr, char *buf, size_t size, unw_word_t *off, void *arg)
{
	return -UNW_ENOINFO;
}

int nh_unwinder_new(struct nh_space *s)
{
	unw_accessors_t acc = { .find_proc_info = find_proc_info,
		.put_unwind_info = put_unwind_info,
		.get_dyn_info_list_addr = no_dyn_info,
		.access_mem = access_mem,
		.access_reg = access_reg,
		.access_fpreg = no_fpreg,
		.resume = no_resume,
		.get_proc_name = no_proc_name };
	struct nh_unwinder *u = nh_new(&s->arena, struct nh_unwinder, 1);

	u->space = s;
	u->as = unw_create_addr_space(&acc, 0);
	if (!u->as)
		return -ENOMEM;
	unw_set_caching_policy(u->as, UNW_CACHE_GLOBAL);
	unw_set_cache_size(u->as, CACHE_ENTRIES, 0);
	s->unwinder = u;
	return 0;
}

void nh_unwinder_free(struct nh_space *s)
{
	if (s->unwinder)
		unw_destroy_addr_space(s->unwinder->as);
	s->unwinder = NULL;
}

static void note_step(struct nh_unwinder *u, unw_cursor_t *c)
{
	struct nh_step *step = &u->steps[u->n], *inner = u->n ? step - 1 : NULL;
	unw_word_t pc = 0, sp = 0;

	unw_get_reg(c, UNW_REG_IP, &pc);
	unw_get_reg(c, UNW_REG_SP, &sp);
	*step = (struct nh_step){ .pc = pc, .sp = sp };
	/* Everything got here by a call but what a signal interrupted, and the kernel's own frame
	 * for it, which "returns" to its first instruction.  libunwind marks the frame behind that
	 * one. */
	step->call = inner != NULL;
	if (inner && unw_is_signal_frame(c) > 0) {
		inner->signal = true;
		inner->call = step->call = false;
	}
	step->guessed = u->n && u->bare;
	step->image = nh_space_image(u->space, pc - step->call);
	if (step->image)
		step->offset = pc - step->image->bias;
	u->n++;
}

bool nh_walk(struct nh_unwinder *u, int *rc)
{
	unw_cursor_t c;

	u->n = 0;
	*rc = unw_init_remote(&c, u->as, u);
	if (*rc < 0)
		return false;
	do {
		const struct nh_step *last;

		note_step(u, &c);
		last = &u->steps[u->n - 1];
		if (u->n > 1 && last->pc == last[-1].pc && last->sp == last[-1].sp)
			break;
		u->wants_frame_pointer = u->wants_other = u->bare = false;
		u->outside = 0;
		u->reads = 0;
		*rc = unw_step(&c);
	} while (*rc > 0 && u->n < NH_STEPS_MAX);
	if (*rc > 0)
		*rc = 0;
	else if (!*rc)
		return !u->bare; /* without information the end is only an assumption */
	return false;
}

static const char *why_not(const struct nh_unwinder *u, int rc, struct nh_arena *a)
{
	const struct nh_step *last = &u->steps[u->n ? u->n - 1 : 0];
	const char *what = "its unwind information does not fit the stack";

	if (!u->n)
		return nh_arena_printf(a, "the unwinder did not start: %s", unw_strerror(-rc));
	if (u->space->foreign && !last->image)
		return "a 32-bit program: cannot be unwound";
	if (!rc && u->n == NH_STEPS_MAX)
		return nh_arena_printf(a, "deeper than %d frames", NH_STEPS_MAX);
	if (!last->image)
		return nh_arena_printf(a, "0x%llx lies in no ELF image: generated code or none",
			(unsigned long long)last->pc);
	if (u->wants_frame_pointer || u->wants_other)
		what = "it needs a register that only a stop shows";
	else if (u->outside)
		what = "the stack beyond was not copied";
	else if (u->bare)
		what = "no unwind information";
	else if (!rc)
		what = "the stack goes round";
	return nh_arena_printf(a, "ends in %s+0x%llx: %s", last->image->path,
		(unsigned long long)last->offset, what);
}

void nh_unwind(struct nh_space *s, const struct nh_stack_copy *copy, struct nh_arena *a,
	struct nh_walk *ret)
{
	struct nh_unwinder *u = s->unwinder;
	int rc;

	*ret = (struct nh_walk){ 0 };
	u->copy = copy;
	u->frame_pointer = 0;
	ret->complete = nh_walk(u, &rc);
	if (!ret->complete && u->wants_frame_pointer && u->n) {
		ret->guessed = nh_guess_frame_pointer(u);
		ret->complete = ret->guessed;
	}
	if (!ret->complete) {
		ret->outside = u->outside;
		ret->needs_regs = u->wants_frame_pointer || u->wants_other;
		ret->why = why_not(u, rc, a);
	}
	ret->n = u->n;
	ret->v = nh_new(a, struct nh_step, u->n);
	memcpy(ret->v, u->steps, u->n * sizeof(*u->steps));
}
