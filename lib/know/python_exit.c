#include "know/python_exit.h"

#include <string.h>
#include "know/thread_roles.h"

/* CPython 3.8 to 3.15: Lib/threading.py, concurrent/futures, multiprocessing/util.py, and
 * Python/pylifecycle.c, whose functions carry what the compiler added to their names. */
static const struct {
	const char *frames, *native, *words;
} stages[] = {
	{ "_python_exit@concurrent/futures/thread.py", NULL, "joins the threads of its executors" },
	{ "_python_exit@concurrent/futures/process.py", NULL,
		"joins the managers of its executors" },
	{ "_shutdown@threading.py", NULL, "joins every thread that is not a daemon" },
	{ "_exit_function@multiprocessing/util.py", NULL,
		"joins the children of multiprocessing that are not daemons" },
	{ NULL, "atexit_callfuncs", "runs what was registered to be done at exit" },
	{ NULL, "Py_FinalizeEx", "runs what is to be done at exit" },
	{ NULL, "_Py_Finalize", "runs what is to be done at exit" },
};

const char *nh_python_exit_words(const struct nh_frame *f)
{
	for (size_t i = 0; i < sizeof(stages) / sizeof(*stages); i++) {
		size_t n = stages[i].native ? strlen(stages[i].native) : 0;

		if (f->python ? nh_frame_is_one_of(f, stages[i].frames)
			      : n && f->func && !f->nearest &&
					!strncmp(f->func, stages[i].native, n) &&
					(!f->func[n] || f->func[n] == '.'))
			return stages[i].words;
	}
	return NULL;
}

bool nh_python_frame_is_waiting(const struct nh_frame *f)
{
	static const char *const files[] = { "/threading.py", "/queue.py", "/subprocess.py",
		"/selectors.py", "/concurrent/futures/", "/multiprocessing/" };

	for (size_t i = 0; f->file && i < sizeof(files) / sizeof(*files); i++)
		if (strstr(f->file, files[i]))
			return true;
	return false;
}
