# What a page shows: stored values, snippets, highlights.
list(APPEND fetch_sources document.c fetch.c highlight.c snippet.c)
