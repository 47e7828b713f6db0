# libwikisearch, static and shared from the same objects. In the tree everything links the static one, whose hidden
# functions the unit tests can reach; the names are wikisearch_static and wikisearch_shared, because `wikisearch`
# is the program.

set(library_objects)
foreach(module ws_base ws_text ws_index ws_query ws_cache ws_trie ws_ingest ws_api)
    if(TARGET ${module})
        list(APPEND library_objects $<TARGET_OBJECTS:${module}>)
    endif()
endforeach()

set(library_libs ws::icu ws::stemmer ws::zstd ws::jansson ws::threads ws::math)
set(installed_libs icui18n icuuc stemmer zstd jansson pthread m) # the same, as a linker names them

add_library(wikisearch_static STATIC ${library_objects})
add_library(wikisearch_shared SHARED ${library_objects})
set_target_properties(wikisearch_static PROPERTIES
    OUTPUT_NAME wikisearch EXPORT_NAME wikisearch_static LINKER_LANGUAGE C)
set_target_properties(wikisearch_shared PROPERTIES
    OUTPUT_NAME wikisearch EXPORT_NAME wikisearch LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

foreach(library wikisearch_static wikisearch_shared)
    target_include_directories(${library} PUBLIC
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
        $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
foreach(lib IN LISTS library_libs)
    target_link_libraries(wikisearch_static PUBLIC $<BUILD_INTERFACE:${lib}>)
    target_link_libraries(wikisearch_shared PRIVATE $<BUILD_INTERFACE:${lib}>)
endforeach()
target_link_libraries(wikisearch_static INTERFACE $<INSTALL_INTERFACE:${installed_libs}>)

add_library(wikisearch::wikisearch_static ALIAS wikisearch_static)
add_library(wikisearch::wikisearch_shared ALIAS wikisearch_shared)
add_library(wikisearch::wikisearch ALIAS wikisearch_static)
