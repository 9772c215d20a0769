#include "fsfaults/disk.h"

#include "base/mem.h"
#include "vclock/clock.h"

#include <string.h>

/* /proc/sys/vm: dirty_expire_centisecs and dirty_writeback_centisecs; the commit interval of ext4 (ext4(5)), the log
 * worker of xfs (xfssyncd_centisecs), the transactions of btrfs (btrfs(5), commit=). */
#define WRITEBACK_NS (35 * NS_PER_S)
#define EXT4_COMMIT_NS (5 * NS_PER_S)
#define LOG_NS (30 * NS_PER_S)

/* Beyond this, memory would be filled by what a kernel has long begun to write back (dirty_background_ratio). */
enum { FILE_OPS_MAX = 1 << 16, NAMES_MAX = 1 << 16 };
#define FILE_BYTES_MAX ((uint64_t)256 << 20)

const char *disk_profile_name(enum disk_profile p)
{
	static const char *const names[] = {[DISK_EXT4] = "ext4", [DISK_XFS] = "xfs", [DISK_BTRFS] = "btrfs", [DISK_POSIX] = "posix"};

	return names[p];
}

void disk_init(struct disk *d, struct arena *a, enum disk_profile p, const struct disk_host *host)
{
	*d = (struct disk){.arena = a, .profile = p, .host = *host};
	list_init(&d->ops);
	list_init(&d->names);
	list_init(&d->metas);
	list_init(&d->files);
}

struct disk_file *disk_find(const struct disk *d, uint64_t id)
{
	return map_get(&d->by_id, id);
}

struct disk_file *disk_file(struct disk *d, uint64_t id)
{
	struct disk_file *f = disk_find(d, id);

	if (f)
		return f;
	f = arena_new_of(d->arena, struct disk_file);
	f->id = id;
	list_init(&f->ops);
	list_add_tail(&d->files, &f->link);
	map_put(&d->by_id, id, f);
	return f;
}

static void forget_file(struct disk *d, struct disk_file *f)
{
	if (d->host.forget)
		d->host.forget(d->host.ctx, f);
	map_del(&d->by_id, f->id);
	list_del(&f->link);
	arena_release_of(d->arena, f);
}

static void forget_idle(struct disk *d, struct disk_file *f)
{
	if (list_empty(&f->ops) && !f->holds)
		forget_file(d, f);
}

/* ---- operations ---- */

static void free_names(struct disk *d, struct disk_op *op)
{
	for (unsigned i = 0; i < op->nchanges; i++)
		arena_release(d->arena, (void *)(uintptr_t)op->change[i].name, strlen(op->change[i].name) + 1);
	if (op->text)
		arena_release(d->arena, op->text, strlen(op->text) + 1);
	d->nnames--;
}

void disk_drop(struct disk *d, struct disk_op *op)
{
	struct disk_file *f = op->file;

	list_del(&op->in_all);
	list_del(&op->in_kind);
	list_del(&op->in_meta);
	if (op->kind == DISK_NAMES) {
		if (d->host.names_done)
			d->host.names_done(d->host.ctx, op);
		free_names(d, op);
	} else {
		arena_release(d->arena, op->old, op->old_len);
		f->bytes -= op->old_len;
		f->nops--;
	}
	arena_release_of(d->arena, op);
	if (f)
		forget_idle(d, f);
}

void disk_clear(struct disk *d)
{
	while (!list_empty(&d->ops))
		disk_drop(d, list_first(&d->ops, struct disk_op, in_all));
	while (!list_empty(&d->files))
		forget_file(d, list_first(&d->files, struct disk_file, link));
	map_clear(&d->by_id);
}

static struct disk_op *new_op(struct disk *d, const struct disk_who *who, enum disk_kind kind)
{
	struct disk_op *op = arena_new_of(d->arena, struct disk_op);

	op->kind = kind;
	op->seq = ++d->seq;
	op->at_ns = who->now_ns;
	op->owner = who->owner;
	op->call = who->call;
	list_add_tail(&d->ops, &op->in_all);
	list_init(&op->in_kind);
	list_init(&op->in_meta);
	if (kind == DISK_RESIZE || kind == DISK_PUNCH)
		list_add_tail(&d->metas, &op->in_meta);
	d->made++;
	return op;
}

static void *keep_bytes(struct disk *d, const void *p, uint64_t n)
{
	return n ? memcpy(arena_alloc(d->arena, n), p, n) : NULL;
}

/* The zeros at the end need not be kept: what is not there reads as zeros. */
static uint64_t trimmed(const unsigned char *p, uint64_t n)
{
	while (n && !p[n - 1])
		n--;
	return n;
}

/* The oldest half of a file's operations has been written back. */
static void write_back(struct disk *d, struct disk_file *f)
{
	unsigned n = f->nops / 2;

	while (n-- && f->nops > 1) {
		disk_drop(d, list_first(&f->ops, struct disk_op, in_kind));
		d->written_back++;
	}
}

static struct disk_op *data_op(struct disk *d, const struct disk_who *who, enum disk_kind kind, struct disk_file *f, uint64_t off,
			       uint64_t len, const void *old, uint64_t old_len)
{
	struct disk_op *op = new_op(d, who, kind);

	op->file = f;
	op->off = off;
	op->len = len;
	op->old_len = trimmed(old, old_len);
	op->old = keep_bytes(d, old, op->old_len);
	list_add_tail(&f->ops, &op->in_kind);
	f->changed = op->seq;
	f->bytes += op->old_len;
	f->nops++;
	if (f->nops > FILE_OPS_MAX || f->bytes > FILE_BYTES_MAX)
		write_back(d, f);
	return op;
}

static void set_sizes(struct disk_op *op, uint64_t old_size, uint64_t new_size)
{
	op->old_size = old_size;
	op->new_size = new_size;
	op->resizes = old_size != new_size;
	if (op->resizes)
		op->file->named = op->seq;
}

struct disk_op *disk_wrote(struct disk *d, const struct disk_who *who, struct disk_file *f, uint64_t off, uint64_t len,
			   const void *old, uint64_t old_len, uint64_t old_size)
{
	struct disk_op *op = data_op(d, who, DISK_WRITE, f, off, len, old, old_len);

	set_sizes(op, old_size, MAX(old_size, off + len));
	return op;
}

struct disk_op *disk_resized(struct disk *d, const struct disk_who *who, struct disk_file *f, uint64_t old_size, uint64_t new_size,
			     const void *old, uint64_t old_len)
{
	uint64_t low = MIN(old_size, new_size);
	struct disk_op *op = data_op(d, who, DISK_RESIZE, f, low, MAX(old_size, new_size) - low, old, old_len);

	set_sizes(op, old_size, new_size);
	if (!new_size)
		f->truncated = op->seq;
	return op;
}

struct disk_op *disk_punched(struct disk *d, const struct disk_who *who, struct disk_file *f, uint64_t off, uint64_t len,
			     const void *old, uint64_t old_len, uint64_t size)
{
	struct disk_op *op = data_op(d, who, DISK_PUNCH, f, off, len, old, old_len);

	set_sizes(op, size, size);
	f->named = op->seq;
	return op;
}

struct disk_op *disk_named(struct disk *d, const struct disk_who *who, const struct disk_change *ch, unsigned n, bool moved,
			   const char *text)
{
	struct disk_op *op = new_op(d, who, DISK_NAMES);

	for (unsigned i = 0; i < n; i++) {
		op->change[i] = ch[i];
		op->change[i].name = keep_bytes(d, ch[i].name, strlen(ch[i].name) + 1);
		if (ch[i].after) {
			struct disk_file *f = disk_find(d, ch[i].after);
			if (f)
				f->changed = f->named = op->seq;
		}
	}
	op->nchanges = n;
	op->replaces = moved && ch[n - 1].before && ch[n - 1].after;
	op->text = keep_bytes(d, text, strlen(text) + 1);
	list_add_tail(&d->names, &op->in_kind);
	if (++d->nnames > NAMES_MAX)
		for (unsigned i = 0; i < NAMES_MAX / 2; i++, d->written_back++)
			disk_drop(d, list_first(&d->names, struct disk_op, in_kind));
	return op;
}

/* ---- what becomes durable ---- */

/* Pages [lo, hi) are written: what operations did there is on disk, of whatever age. */
static void written(struct disk *d, struct disk_op *op, uint64_t lo, uint64_t hi)
{
	uint64_t end = op->off + op->len;
	struct disk_op *rest;

	if (op->kind != DISK_WRITE || hi <= op->off || lo >= end)
		return;
	if (lo > op->off && hi < end) { /* two pieces remain */
		rest = arena_new_of(d->arena, struct disk_op);
		*rest = *op;
		rest->off = hi;
		rest->len = end - hi;
		rest->old_len = op->old_len > hi - op->off ? op->old_len - (hi - op->off) : 0;
		rest->old = keep_bytes(d, op->old + (hi - op->off), rest->old_len);
		list_init(&rest->in_meta);
		rest->resizes = false;
		rest->old_size = rest->new_size;
		list_add_head(&op->in_all, &rest->in_all);
		list_add_head(&op->in_kind, &rest->in_kind);
		op->file->nops++;
		op->file->bytes += rest->old_len;
		end = hi;
	}
	if (lo > op->off) {
		op->len = lo - op->off;
	} else if (hi < end) {
		unsigned char *old = op->old;
		uint64_t had = op->old_len, cut = hi - op->off;
		op->old_len = had > cut ? had - cut : 0;
		op->old = keep_bytes(d, old + cut, op->old_len);
		arena_release(d->arena, old, had);
		op->file->bytes -= had - op->old_len;
		op->off = hi;
		op->len = end - hi;
		return;
	} else {
		op->len = 0;
	}
	if (op->old_len > op->len) {
		unsigned char *old = op->old;
		uint64_t had = op->old_len;
		op->old_len = op->len;
		op->old = keep_bytes(d, old, op->old_len);
		arena_release(d->arena, old, had);
		op->file->bytes -= had - op->len;
	}
}

/*
 * An operation on metadata is durable while older ones on data may not be: what a truncation cut off and a hole took away cannot
 * come back, nor can an older size.
 */
static void metadata_durable(struct disk *d, struct disk_op *op)
{
	uint64_t lo = op->kind == DISK_PUNCH ? op->off : op->new_size, hi = op->kind == DISK_PUNCH ? op->off + op->len : UINT64_MAX;

	list_each_safe(o, tmp, &op->file->ops, struct disk_op, in_kind) {
		if (o == op)
			break;
		written(d, o, lo, hi);
		if (op->kind == DISK_RESIZE && o->kind == DISK_WRITE) {
			o->resizes = false;
			o->old_size = o->new_size;
		}
		if (!o->len && !o->resizes)
			disk_drop(d, o);
	}
	disk_drop(d, op);
	d->synced++;
}

/* What failed before in a page that is now written goes with that page. */
static void write_over_failed(struct disk *d, struct disk_file *f, uint64_t lo, uint64_t hi)
{
	list_each_safe(op, tmp, &f->ops, struct disk_op, in_kind)
		if (op->failed) {
			written(d, op, lo, hi);
			if (!op->len && !op->resizes)
				disk_drop(d, op);
		}
}

static bool has_failed(const struct disk_file *f)
{
	list_each(op, &f->ops, struct disk_op, in_kind)
		if (op->failed)
			return true;
	return false;
}

/* All data and the size of one inode, but what failed. f may be gone afterwards. */
static void sync_data(struct disk *d, struct disk_file *f)
{
	f->holds++; /* it stays while its operations go */
	if (has_failed(f))
		list_each(op, &f->ops, struct disk_op, in_kind)
			if (!op->failed && op->kind == DISK_WRITE)
				write_over_failed(d, f, op->off / DISK_PAGE * DISK_PAGE,
						  (op->off + op->len + DISK_PAGE - 1) / DISK_PAGE * DISK_PAGE);
	list_each_safe(op, tmp, &f->ops, struct disk_op, in_kind)
		if (!op->failed) {
			disk_drop(d, op);
			d->synced++;
		}
	f->holds--;
	f->truncated = 0;
	forget_idle(d, f);
}

static bool touches(const struct disk_op *op, uint64_t dir)
{
	for (unsigned i = 0; i < op->nchanges; i++)
		if (op->change[i].dir == dir)
			return true;
	return false;
}

static bool is_about(const struct disk_op *op, uint64_t inode)
{
	for (unsigned i = 0; i < op->nchanges; i++)
		if (op->change[i].after == inode || (op->change[i].before == inode && !op->change[i].after))
			return true;
	return false;
}

static void names_durable(struct disk *d, struct disk_op *op)
{
	disk_drop(d, op);
	d->synced++;
}

/* data=ordered: what auto_da_alloc has allocated is written before the rename that replaces a file. */
static void renamed_data_durable(struct disk *d, const struct disk_op *rename)
{
	struct disk_file *f = disk_find(d, rename->change[rename->nchanges - 1].after);

	if (!f)
		return;
	f->holds++;
	list_each_safe(op, tmp, &f->ops, struct disk_op, in_kind)
		if (op->seq < rename->seq && !op->failed)
			disk_drop(d, op);
	f->holds--;
	forget_idle(d, f);
}

/* A commit of the journal up to `seq`: names, truncations and holes of all files. */
static void commit(struct disk *d, uint64_t seq)
{
	list_each_safe(op, tmp, &d->names, struct disk_op, in_kind) {
		if (op->seq > seq)
			break;
		if (op->replaces && d->profile == DISK_EXT4)
			renamed_data_durable(d, op);
		names_durable(d, op);
	}
	list_each_safe(op, tmp, &d->metas, struct disk_op, in_meta) {
		if (op->seq > seq)
			break;
		if (!op->failed)
			metadata_durable(d, op);
	}
}

/* A change is durable, so that no older one of the same name matters. */
static void change_durable(struct disk *d, struct disk_op *by, const struct disk_change *ch)
{
	list_each(op, &d->names, struct disk_op, in_kind) {
		if (op == by)
			break;
		for (unsigned i = 0; i < op->nchanges; i++)
			if (op->change[i].dir == ch->dir && !strcmp(op->change[i].name, ch->name))
				op->change[i].durable = true;
	}
}

/* Names that the log tree takes along: those of the inode, and of what it lies in. */
static void log_names_of(struct disk *d, uint64_t inode)
{
	list_each(op, &d->names, struct disk_op, in_kind)
		for (unsigned i = 0; i < op->nchanges; i++)
			if (op->change[i].after == inode) {
				uint64_t dir = op->change[i].dir;
				for (unsigned k = 0; k < op->nchanges; k++)
					change_durable(d, op, &op->change[k]);
				names_durable(d, op);
				log_names_of(d, dir);
				log_names_of(d, inode);
				return;
			}
}

void disk_sync_file(struct disk *d, uint64_t id, bool data_only)
{
	struct disk_file *f = disk_find(d, id);
	uint64_t changed = f ? f->changed : 0, named = f ? f->named : 0;

	if (f)
		sync_data(d, f);
	if (d->profile == DISK_POSIX)
		return;
	list_each(op, &d->names, struct disk_op, in_kind)
		if (is_about(op, id)) {
			changed = MAX(changed, op->seq);
			named = MAX(named, op->seq);
		}
	if (data_only && !named)
		return; /* i_datasync_tid is of a transaction that was committed before */
	if (d->profile == DISK_BTRFS)
		log_names_of(d, id);
	else if (changed)
		commit(d, d->profile == DISK_EXT4 ? d->seq : changed);
}

/* The size is durable as it is: what is needed to read the data back. */
static bool size_durable(struct disk *d, struct disk_file *f)
{
	bool any = false;

	list_each_safe(op, tmp, &f->ops, struct disk_op, in_kind) {
		if (!op->resizes || op->failed)
			continue;
		any = true;
		if (op->kind == DISK_WRITE) {
			op->resizes = false;
			op->old_size = op->new_size;
		} else {
			metadata_durable(d, op);
		}
	}
	return any;
}

void disk_sync_range(struct disk *d, uint64_t id, uint64_t off, uint64_t len)
{
	struct disk_file *f = disk_find(d, id);
	uint64_t lo = off / DISK_PAGE * DISK_PAGE, hi = (off + len + DISK_PAGE - 1) / DISK_PAGE * DISK_PAGE;
	bool grew;

	if (!f)
		return;
	f->holds++;
	grew = size_durable(d, f);
	list_each_safe(op, tmp, &f->ops, struct disk_op, in_kind) {
		written(d, op, lo, hi);
		if (op->kind == DISK_WRITE && !op->len && !op->resizes)
			disk_drop(d, op);
	}
	f->holds--;
	forget_idle(d, f);
	if (grew && d->profile == DISK_EXT4)
		commit(d, d->seq);
}

void disk_sync_dir(struct disk *d, uint64_t id)
{
	uint64_t last = 0;

	list_each_safe(op, tmp, &d->names, struct disk_op, in_kind) {
		if (!touches(op, id) && !is_about(op, id))
			continue;
		last = op->seq;
		if (d->profile == DISK_POSIX || d->profile == DISK_BTRFS) {
			if (!touches(op, id))
				continue;
			/* Of a move, the new directory alone: the old name may still be there. */
			if (op->nchanges == 2 && op->change[0].dir != op->change[1].dir && op->change[1].dir == id &&
			    !op->change[0].after && d->profile == DISK_POSIX)
				op->change[1].durable = true;
			else
				names_durable(d, op);
		}
	}
	if (last && (d->profile == DISK_EXT4 || d->profile == DISK_XFS))
		commit(d, d->profile == DISK_EXT4 ? d->seq : last);
	if (d->profile == DISK_BTRFS)
		log_names_of(d, id);
}

void disk_sync_all(struct disk *d)
{
	list_each_safe(f, tmp, &d->files, struct disk_file, link)
		sync_data(d, f);
	while (!list_empty(&d->names))
		names_durable(d, list_first(&d->names, struct disk_op, in_kind));
}

void disk_sync_owner(struct disk *d, unsigned owner)
{
	list_each_safe(op, tmp, &d->ops, struct disk_op, in_all)
		if (op->owner == owner)
			disk_drop(d, op);
}

void disk_closed(struct disk *d, struct disk_file *f)
{
	uint64_t since = f->truncated;

	f->truncated = 0;
	if (d->profile != DISK_EXT4 || !since)
		return;
	/* ext4_release_file(): the blocks are allocated and their writing is begun. Once the truncation is on disk, so is this. */
	f->holds++;
	list_each_safe(op, tmp, &f->ops, struct disk_op, in_kind)
		if (op->seq > since && !op->failed)
			disk_drop(d, op);
	f->holds--;
	forget_idle(d, f);
}

void disk_sync_failed(struct disk *d, uint64_t id)
{
	struct disk_file *f = disk_find(d, id);

	if (!f)
		return;
	if (d->profile != DISK_BTRFS) {
		list_each(op, &f->ops, struct disk_op, in_kind)
			op->failed = true;
		return;
	}
	/* btrfs reads what is on disk again: "Can Applications Recover from fsync Failures?", section 3. */
	f->holds++;
	while (!list_empty(&f->ops)) {
		struct disk_op *op = list_entry(f->ops.prev, struct disk_op, in_kind);
		unsigned char *zeros;
		if (op->resizes)
			d->host.resize(d->host.ctx, f, op->old_size);
		if (op->off < op->old_size) {
			uint64_t n = MIN(op->len, op->old_size - op->off);
			zeros = arena_alloc(d->arena, n);
			memcpy(zeros, op->old ? op->old : zeros, MIN(n, op->old_len));
			d->host.write(d->host.ctx, f, op->off, zeros, n);
			arena_release(d->arena, zeros, n);
		}
		disk_drop(d, op);
	}
	f->holds--;
	forget_idle(d, f);
}

static int64_t lifetime(const struct disk *d, const struct disk_op *op)
{
	if (op->kind == DISK_WRITE)
		return WRITEBACK_NS;
	return d->profile == DISK_EXT4 ? EXT4_COMMIT_NS : LOG_NS;
}

void disk_expire(struct disk *d, int64_t now_ns)
{
	uint64_t names = 0, expired_metadata = 0;

	if (d->profile == DISK_POSIX)
		return; /* nothing says when */
	list_each_safe(op, tmp, &d->ops, struct disk_op, in_all) {
		if (now_ns - op->at_ns < (d->profile == DISK_EXT4 ? EXT4_COMMIT_NS : LOG_NS))
			break;
		if (op->kind == DISK_NAMES || op->failed) {
			names = op->kind == DISK_NAMES ? op->seq : names;
			continue;
		}
		if (now_ns - op->at_ns >= lifetime(d, op)) {
			if (op->kind == DISK_WRITE)
				disk_drop(d, op);
			else
				expired_metadata = op->seq;
			d->written_back++;
		}
	}
	commit(d, MAX(names, expired_metadata));
}
