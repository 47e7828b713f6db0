# Suggestions; the rest of ws_api is listed in CMakeLists.txt.
list(APPEND query_sources suggest.c suggest_change.c suggest_query.c)
