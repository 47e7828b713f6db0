/* Size classes: how large a cell an entry of so many bytes gets.
 *
 *   class 0 to 12    cells of 64, 80, ... 256 bytes, in runs of one page
 *   class 13 to 68   runs of 1, 2, 4, ... 64 pages, cut into 15, 14, ... 8 cells
 *   WS_CLASS_PAGES   whole pages, for what is larger than 32 KiB
 *
 * A cell wastes at most 12.5 % above 256 bytes, about 4.5 % on average.
 */
#ifndef WS_CACHE_SLAB_CLASS_H
#define WS_CACHE_SLAB_CLASS_H

#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

#define WS_PAGE_BYTES    4096u
#define WS_CELL_MIN      64u
#define WS_CELL_STEP     16u
#define WS_SMALL_CLASSES 13u
#define WS_CLASSES_A_RUN 8u
#define WS_RUN_SIZES     7u
#define WS_CLASS_PAGES   (WS_SMALL_CLASSES + WS_CLASSES_A_RUN * WS_RUN_SIZES)
#define WS_CELL_MAX      (WS_PAGE_BYTES * 64 / 8)

/* log2 of a run's pages. Not for WS_CLASS_PAGES. */
static inline uint32_t ws_class_run_order(uint32_t class)
{
    return class < WS_SMALL_CLASSES ? 0 : (class - WS_SMALL_CLASSES) / WS_CLASSES_A_RUN;
}

static inline uint32_t ws_class_cell_bytes(uint32_t class)
{
    if (class < WS_SMALL_CLASSES)
        return WS_CELL_MIN + class * WS_CELL_STEP;
    uint32_t cells = 15 - (class - WS_SMALL_CLASSES) % WS_CLASSES_A_RUN;
    return (WS_PAGE_BYTES << ws_class_run_order(class)) / cells / WS_CELL_STEP * WS_CELL_STEP;
}

static inline uint32_t ws_class_run_cells(uint32_t class)
{
    if (class < WS_SMALL_CLASSES)
        return WS_PAGE_BYTES / ws_class_cell_bytes(class);
    return 15 - (class - WS_SMALL_CLASSES) % WS_CLASSES_A_RUN;
}

/* Smallest class whose cells hold `bytes`. */
static inline uint32_t ws_class_of(size_t bytes)
{
    if (bytes <= WS_CELL_MIN)
        return 0;
    uint32_t need = (uint32_t)WS_MIN(bytes + WS_CELL_STEP - 1, (size_t)WS_CELL_MAX + WS_CELL_STEP) &
                    ~(WS_CELL_STEP - 1);
    if (need <= 256)
        return (need - WS_CELL_MIN) / WS_CELL_STEP;
    if (need > WS_CELL_MAX)
        return WS_CLASS_PAGES;
    uint32_t order = ws_bits_u32((need - 1) / 512);
    uint32_t cells = (WS_PAGE_BYTES << order) / need;
    return WS_SMALL_CLASSES + WS_CLASSES_A_RUN * order + 15 - cells;
}

/* Bytes that an entry of class `class` and `bytes` bytes takes. */
static inline size_t ws_class_weight(uint32_t class, size_t bytes)
{
    if (class < WS_CLASS_PAGES)
        return ws_class_cell_bytes(class);
    return (bytes + WS_PAGE_BYTES - 1) & ~((size_t)WS_PAGE_BYTES - 1);
}

#endif
