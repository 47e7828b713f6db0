# Results and stored documents; the rest of ws_api is listed in CMakeLists.txt.
list(APPEND query_sources document.c results.c)
