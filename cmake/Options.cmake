# Options, and the compile flags every target of the project gets through `ws_options`.
#
# link_libraries() at the end of this file puts ws_options on every target made after it, so a module's
# CMakeLists.txt names its sources and its libraries and nothing else.

option(WIKISEARCH_BUILD_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(WIKISEARCH_BUILD_FUZZ "Build the fuzz targets with libFuzzer (clang)" OFF)
option(WIKISEARCH_BUILD_PROGRAMS "Build the command line program" ON)
option(WIKISEARCH_BUILD_SERVER "Build the daemon" ON)
option(WIKISEARCH_BUILD_BENCH "Build the micro-benchmarks" OFF)
option(WIKISEARCH_TEST_INLINE "Run the tests in one process, without Criterion (TSan, qemu)" OFF)
option(WIKISEARCH_COVERAGE "Instrument for gcov" OFF)
option(WIKISEARCH_WERROR "Treat warnings as errors" OFF)
set(WIKISEARCH_SANITIZE "" CACHE STRING "Sanitizers, a list: address;undefined or thread")

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
include(CheckPIESupported)
check_pie_supported()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()
# NDEBUG stays unset: a programmer's error must stop, not become a wrong answer.
set(CMAKE_C_FLAGS_RELEASE "-O2")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

find_program(WIKISEARCH_CCACHE ccache)
mark_as_advanced(WIKISEARCH_CCACHE)
if(PROJECT_IS_TOP_LEVEL AND WIKISEARCH_CCACHE AND NOT CMAKE_C_COMPILER_LAUNCHER)
    set(CMAKE_C_COMPILER_LAUNCHER ${WIKISEARCH_CCACHE})
endif()

add_library(ws_warnings INTERFACE)
target_compile_options(ws_warnings INTERFACE
    -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
    $<$<BOOL:${WIKISEARCH_WERROR}>:-Werror>)

add_library(ws_options INTERFACE)
target_link_libraries(ws_options INTERFACE ws_warnings)
target_include_directories(ws_options INTERFACE
    ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/include)
# A fused multiply-add rounds once where two operations round twice: scores would differ by machine.
target_compile_options(ws_options INTERFACE -ffp-contract=off)

if(WIKISEARCH_SANITIZE)
    string(REPLACE ";" "," sanitizers "${WIKISEARCH_SANITIZE}")
    set(WIKISEARCH_SANITIZE_FLAGS -fsanitize=${sanitizers} -fno-omit-frame-pointer)
    if("undefined" IN_LIST WIKISEARCH_SANITIZE)
        list(APPEND WIKISEARCH_SANITIZE_FLAGS -fno-sanitize-recover=undefined)
    endif()
    target_compile_options(ws_options INTERFACE ${WIKISEARCH_SANITIZE_FLAGS})
    target_link_options(ws_options INTERFACE ${WIKISEARCH_SANITIZE_FLAGS})
else()
    set(WIKISEARCH_SANITIZE_FLAGS "")
    target_compile_options(ws_options INTERFACE
        -fstack-protector-strong -fstack-clash-protection
        $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2>
        $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},x86_64>:-fcf-protection>)
    target_link_options(ws_options INTERFACE -Wl,-z,relro,-z,now -Wl,-z,noexecstack)
endif()

if(WIKISEARCH_BUILD_FUZZ)
    if(NOT CMAKE_C_COMPILER_ID MATCHES "Clang")
        message(FATAL_ERROR "WIKISEARCH_BUILD_FUZZ needs clang: use the preset `fuzz` "
            "(Debian packages clang-14 and libclang-rt-14-dev)")
    endif()
    target_compile_options(ws_options INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(WIKISEARCH_COVERAGE)
    target_compile_options(ws_options INTERFACE --coverage)
    target_link_options(ws_options INTERFACE --coverage)
endif()

link_libraries($<BUILD_INTERFACE:ws_options>)
