/* Tables, one row a line. */
/* clang-format off */
#include "know/filesystem.h"

#include <string.h>
#include "base/str.h"

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* Types: each file system's own name in struct file_system_type.  Functions: its prefix in the
 * kernel's sources (fs/NAME), or that of its module. */
static const struct nh_fs filesystems[] = {
	{ "NFS",	{ "nfs", "nfs4" },		{ "nfs_", "nfs4_", "nfs3_", "rpc_" },	"the NFS server" },
	{ "SMB",	{ "cifs", "smb3", "smb2" },	{ "cifs_", "smb2_", "SMB2_" },		"the SMB server" },
	{ "Ceph",	{ "ceph" },			{ "ceph_" },				"the Ceph servers" },
	{ "Lustre",	{ "lustre" },			{ "ll_", "ldlm_", "ptlrpc_", "osc_" },	"the Lustre servers" },
	{ "Storage Scale (GPFS)", { "gpfs" },		{ "mmfs", "gpfs", "cxiWait" },		"the GPFS daemon and its servers" },
	{ "BeeGFS",	{ "beegfs" },			{ "Fhgfs", "FhgfsOps", "beegfs" },	"the BeeGFS servers" },
	{ "WekaFS",	{ "wekafs" },			{ "weka" },				"the Weka processes" },
	{ "9P",		{ "9p" },			{ "v9fs_", "p9_" },			"the 9P server (often the hypervisor)" },
	{ "AFS",	{ "afs" },			{ "afs_" },				"the AFS server" },
	{ "OrangeFS",	{ "pvfs2", "orangefs" },	{ "orangefs_", "pvfs2_" },		"the OrangeFS servers" },
	{ "PanFS",	{ "panfs" },			{ "panfs_" },				"the PanFS servers" },
	{ "Coda",	{ "coda" },			{ "coda_" },				"the Coda client" },
	{ "virtiofs",	{ "virtiofs" },			{ "virtio_fs_" },			"the hypervisor" },
	/* After virtiofs, whose stacks have functions of this as well. */
	{ "FUSE",	{ "fuse", "fuse.", "fuseblk" },	{ "fuse_" },				"the process that serves it" },
};

static const char *const disks[] = { "ext4", "ext3", "ext2", "xfs", "btrfs", "f2fs", "zfs", "bcachefs", "vfat" };

/* Functions that sleep until a lock is free; kernel/locking and fs/nfs/io.c. */
static const char *const locks[] = { "rwsem_down_", "down_read", "down_write", "__mutex_lock",
	"mutex_lock", "nfs_start_io_", "inode_lock" };

static bool is_type(const struct nh_fs *fs, const char *type)
{
	for (size_t i = 0; i < COUNT(fs->types) && fs->types[i]; i++)
		if (nh_streq(fs->types[i], type) || (nh_ends_with(fs->types[i], ".") && nh_starts_with(type, fs->types[i])))
			return true;
	return false;
}

const struct nh_fs *nh_fs_of_type(const char *fstype)
{
	for (size_t i = 0; fstype && i < COUNT(filesystems); i++)
		if (is_type(&filesystems[i], fstype))
			return &filesystems[i];
	return NULL;
}

static bool has_function(const struct nh_fs *fs, const char *function)
{
	if (!function)
		return false;
	function += strspn(function, "_");
	for (size_t i = 0; i < COUNT(fs->functions) && fs->functions[i]; i++)
		if (nh_starts_with(function, fs->functions[i]))
			return true;
	return false;
}

const struct nh_fs *nh_fs_of_thread(const struct nh_thread *t)
{
	for (size_t i = 0; i < COUNT(filesystems); i++) {
		nh_for(function, &t->kernel)
			if (has_function(&filesystems[i], *function))
				return &filesystems[i];
		if (has_function(&filesystems[i], t->wchan))
			return &filesystems[i];
	}
	return NULL;
}

bool nh_fs_is_disk(const char *fstype)
{
	for (size_t i = 0; i < COUNT(disks); i++)
		if (nh_streq(disks[i], fstype))
			return true;
	return false;
}

static bool is_lock(const char *function)
{
	for (size_t i = 0; function && i < COUNT(locks); i++)
		if (nh_starts_with(function, locks[i]))
			return true;
	return false;
}

bool nh_fs_wants_lock(const struct nh_thread *t)
{
	nh_for(function, &t->kernel)
		if (is_lock(*function))
			return true;
	return is_lock(t->wchan);
}
