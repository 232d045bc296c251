/* Arrays that end where memory ends: an allocation of NumPy's, or of code that was made in memory, has pages of its own,
   its last byte before a page that nobody may read or write, and is closed for good when it is freed.

   Loaded before all else (`LD_PRELOAD`); `guard_from_now` says what the code of the libraries is that allocates as ever.
   New memory is full of ones, so that a number in it that nobody wrote is not a number. */

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

enum { PAGE = 4096, MOST = 4096 };
static const size_t ROOM = (size_t)1 << 38;

static char *room;                     /* where guarded memory lies, one piece behind the other */
static size_t used, *sizes;            /* how much of it was given, and the size of what begins at each page */
static uintptr_t others[2 * MOST];     /* the code that allocates as ever: from, to, from, to ... */
static int known;

void guard_from_now(const uintptr_t *ranges, int count) {
    void *all = mmap(0, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    sizes = mmap(0, ROOM / PAGE * sizeof *sizes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    known = count < MOST ? count : MOST;
    memcpy(others, ranges, 2 * known * sizeof *others);
    room = all == MAP_FAILED || (void *)sizes == MAP_FAILED ? 0 : all;
}

static int is_guarded(const void *caller) {
    for (int i = 0; room && i < known; i++)
        if (others[2 * i] <= (uintptr_t)caller && (uintptr_t)caller < others[2 * i + 1]) return 0;
    return room != 0;
}

static int is_ours(const void *p) { return room && (char *)p >= room && (char *)p < room + ROOM; }

static size_t *size_of(const void *p) { return &sizes[((char *)p - room) / PAGE]; }

static void *guarded(size_t size, int filling) {
    size_t kept = (size + 7) / 8 * 8, pages = (kept + PAGE - 1) / PAGE;
    size_t at = __atomic_fetch_add(&used, (pages + 1) * PAGE, __ATOMIC_RELAXED);
    if (at + (pages + 1) * PAGE > ROOM || mprotect(room + at, pages * PAGE, PROT_READ | PROT_WRITE)) return 0;
    char *p = room + at + pages * PAGE - kept;
    memset(p, filling, kept);
    *size_of(p) = size;
    return p;
}

void *malloc(size_t size) {
    void *p = size && is_guarded(__builtin_return_address(0)) ? guarded(size, 0xff) : 0;
    return p ? p : __libc_malloc(size);
}

void *calloc(size_t count, size_t each) {
    void *p = count && each && is_guarded(__builtin_return_address(0)) ? guarded(count * each, 0) : 0;
    return p ? p : __libc_calloc(count, each);
}

void free(void *p) {
    if (!is_ours(p)) { __libc_free(p); return; }
    char *first = (char *)((uintptr_t)p / PAGE * PAGE);
    mmap(first, (char *)p + *size_of(p) - first, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
}

void *realloc(void *p, size_t size) {
    if (!is_ours(p)) return p || !is_guarded(__builtin_return_address(0)) ? __libc_realloc(p, size) : malloc(size);
    void *moved = size ? guarded(size, 0xff) : 0;
    if (!moved) moved = __libc_malloc(size);
    if (moved) memcpy(moved, p, size < *size_of(p) ? size : *size_of(p));
    free(p);
    return moved;
}
