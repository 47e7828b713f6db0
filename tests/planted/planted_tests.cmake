# Faults on purpose: each must make its program fail, for the right reason, or the tools that we rely on are blind.

# ws_planted_test(NAME REASON): tests/planted/NAME.c must fail and print a line that matches REASON.
function(ws_planted_test name reason)
    add_executable(planted_${name} planted/${name}.c)
    target_link_libraries(planted_${name} PRIVATE ws_test_support ws::threads)
    ws_register_test(planted_${name} planted ${Python3_EXECUTABLE}
        ${CMAKE_CURRENT_SOURCE_DIR}/planted/expect_failure.py ${reason}
        ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:planted_${name}>)
endfunction()

if("address" IN_LIST WIKISEARCH_SANITIZE)
    ws_planted_test(leak "LeakSanitizer: detected memory leaks")
endif()
if("undefined" IN_LIST WIKISEARCH_SANITIZE)
    ws_planted_test(overflow "signed integer overflow")
endif()
if("thread" IN_LIST WIKISEARCH_SANITIZE)
    ws_planted_test(race "ThreadSanitizer: data race")
endif()
ws_planted_test(assertion "arithmetic/is_wrong|arithmetic::is_wrong")
