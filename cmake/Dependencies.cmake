# Outside libraries, each behind one name:
#   ws::threads ws::math ws::xxhash ws::zstd ws::icu ws::stemmer ws::jansson   the library
#   ws::zlib ws::lzma ws::bzip2 ws::expat                                     dump readers
#   ws::uv ws::llhttp ws::sqlite                                              the daemon
# A missing one stops the configuration and names the Debian package. The ones that only some programs need are
# looked up by ws_require(), which the module that needs them calls: ws_require(uv llhttp).

find_package(Threads REQUIRED)
find_package(PkgConfig)
if(NOT PkgConfig_FOUND)
    message(FATAL_ERROR "pkg-config is missing: apt-get install pkg-config")
endif()

function(ws_missing library package)
    message(FATAL_ERROR "${library} was not found: apt-get install ${package}\n"
        "  (`make run` and `make test` install what is missing)")
endfunction()

# ws::NAME from pkg-config modules; `package` is the Debian package that has them.
macro(ws_pkg_library name package)
    if(NOT TARGET ws::${name})
        pkg_check_modules(WS_${name} QUIET IMPORTED_TARGET GLOBAL ${ARGN})
        if(NOT WS_${name}_FOUND)
            ws_missing("${name}" "${package}")
        endif()
        add_library(ws::${name} INTERFACE IMPORTED GLOBAL)
        target_link_libraries(ws::${name} INTERFACE PkgConfig::WS_${name})
    endif()
endmacro()

# ws::NAME for a library without a .pc file.
macro(ws_plain_library name package header library)
    if(NOT TARGET ws::${name})
        find_path(WS_${name}_INCLUDE ${header})
        find_library(WS_${name}_LIBRARY ${library})
        mark_as_advanced(WS_${name}_INCLUDE WS_${name}_LIBRARY)
        if(NOT WS_${name}_INCLUDE OR NOT WS_${name}_LIBRARY)
            ws_missing("${library}" "${package}")
        endif()
        add_library(ws::${name} INTERFACE IMPORTED GLOBAL)
        target_include_directories(ws::${name} SYSTEM INTERFACE ${WS_${name}_INCLUDE})
        target_link_libraries(ws::${name} INTERFACE ${WS_${name}_LIBRARY})
    endif()
endmacro()

# llhttp: a system library where there is one (newer Debian: libllhttp-dev). Debian 12 ships the same C sources
# inside node-llhttp, which would draw in all of Node: the package is unpacked into the build folder instead.
set(WIKISEARCH_LLHTTP_DIR "" CACHE PATH
    "Root of an unpacked node-llhttp package (holds usr/share/llhttp/llhttp.c)")
macro(ws_find_llhttp)
    if(NOT TARGET ws::llhttp)
        pkg_check_modules(WS_llhttp QUIET IMPORTED_TARGET GLOBAL libllhttp)
        add_library(ws::llhttp INTERFACE IMPORTED GLOBAL)
        if(WS_llhttp_FOUND AND NOT WIKISEARCH_LLHTTP_DIR)
            target_link_libraries(ws::llhttp INTERFACE PkgConfig::WS_llhttp)
        else()
            ws_llhttp_from_sources()
        endif()
    endif()
endmacro()

function(ws_llhttp_from_sources)
    set(root ${WIKISEARCH_LLHTTP_DIR})
    if(NOT root)
        set(root ${PROJECT_BINARY_DIR}/llhttp)
        if(NOT EXISTS ${root}/usr/share/llhttp/llhttp.c)
            message(STATUS "Fetching the llhttp sources (package node-llhttp)")
            execute_process(COMMAND ${PROJECT_SOURCE_DIR}/cmake/fetch-llhttp.sh ${root}
                RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
            if(failed)
                message(FATAL_ERROR "llhttp was not found, and its sources could not be fetched:\n"
                    "${text}\nInstall libllhttp-dev (Debian 13 and later), or unpack the package "
                    "node-llhttp somewhere and set -DWIKISEARCH_LLHTTP_DIR=THERE")
            endif()
        endif()
    endif()
    set(sources ${root}/usr/share/llhttp)
    find_path(WS_llhttp_INCLUDE llhttp.h NO_DEFAULT_PATH NO_CMAKE_FIND_ROOT_PATH
        PATHS ${root}/usr/share/include/llhttp ${root}/usr/include ${sources})
    mark_as_advanced(WS_llhttp_INCLUDE)
    if(NOT WS_llhttp_INCLUDE OR NOT EXISTS ${sources}/llhttp.c)
        message(FATAL_ERROR "WIKISEARCH_LLHTTP_DIR=${root} does not hold usr/share/llhttp/llhttp.c "
            "and its header llhttp.h")
    endif()
    add_library(ws_llhttp STATIC EXCLUDE_FROM_ALL
        ${sources}/api.c ${sources}/http.c ${sources}/llhttp.c)
    target_include_directories(ws_llhttp SYSTEM PUBLIC ${WS_llhttp_INCLUDE})
    target_compile_options(ws_llhttp PRIVATE -w) # not ours to mend
    target_link_libraries(ws::llhttp INTERFACE ws_llhttp)
endfunction()

macro(ws_require)
    foreach(name IN ITEMS ${ARGN})
        if(name STREQUAL "zlib")
            ws_pkg_library(zlib zlib1g-dev zlib)
        elseif(name STREQUAL "lzma")
            ws_pkg_library(lzma liblzma-dev liblzma)
        elseif(name STREQUAL "bzip2")
            ws_plain_library(bzip2 libbz2-dev bzlib.h bz2)
        elseif(name STREQUAL "expat")
            ws_pkg_library(expat libexpat1-dev expat)
        elseif(name STREQUAL "uv")
            ws_pkg_library(uv libuv1-dev libuv)
        elseif(name STREQUAL "sqlite")
            ws_pkg_library(sqlite libsqlite3-dev sqlite3)
        elseif(name STREQUAL "criterion")
            ws_pkg_library(criterion libcriterion-dev criterion)
        elseif(name STREQUAL "llhttp")
            ws_find_llhttp()
        else()
            message(FATAL_ERROR "ws_require: no such library: ${name}")
        endif()
    endforeach()
endmacro()

add_library(ws::threads ALIAS Threads::Threads)
add_library(ws::math INTERFACE IMPORTED GLOBAL)
target_link_libraries(ws::math INTERFACE m)
ws_pkg_library(xxhash libxxhash-dev libxxhash)
ws_pkg_library(zstd libzstd-dev libzstd)
ws_pkg_library(icu libicu-dev icu-i18n icu-uc)
ws_pkg_library(jansson libjansson-dev jansson)
ws_plain_library(stemmer libstemmer-dev libstemmer.h stemmer)

ws_require(zlib lzma)
if(WIKISEARCH_BUILD_SERVER AND EXISTS ${PROJECT_SOURCE_DIR}/server/CMakeLists.txt)
    ws_require(uv llhttp)
endif()
if(WIKISEARCH_BUILD_TESTS AND NOT WIKISEARCH_TEST_INLINE)
    ws_require(criterion)
endif()
