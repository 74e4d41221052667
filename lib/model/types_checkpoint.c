/* Tables, one row a line. */
/* clang-format off */
#include "model/checkpoint.h"
#include "model/types.h"

static const char *const presence_names[] = { "", "absent", "present", "empty", NULL };
static const char *const layout_names[] = { "", "torch-zip", "torch-legacy", "dcp", "hf-trainer",
	"accelerate", "lightning", "deepspeed", "megatron", NULL };

#define S nh_checkpoint
TYPE(nh_checkpoint_type, "checkpoint",
	P(STR, source, PATH),
	E(layout, layout_names),
	E(model, presence_names),
	E(optimizer, presence_names),
	E(scheduler, presence_names),
	E(data, presence_names),
	E(rng, presence_names),
	E(cuda_rng, presence_names),
	E(progress, presence_names),
	F(INT, step),
	F(INT, bytes),
	F(INT, files),
	F(INT, ranks),
	F(INT, began_ms),
	F(INT, done_ms),
	F(INT, read_ms),
	F(INT, mem_available),
	F(INT, mem_room),
	F(BOOL, cuda),
	P(STRS, found, PROSE),
	P(STRS, torn, PROSE));
#undef S
