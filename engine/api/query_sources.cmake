# Queries and searches; the rest of ws_api is listed in CMakeLists.txt.
list(APPEND query_sources query.c search.c)
