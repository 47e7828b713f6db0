# Each check runs on the tree, and on planted faults that it must find.
foreach(check layers headers docs)
    set(script ${CMAKE_CURRENT_SOURCE_DIR}/lint/check_${check}.py)
    ws_register_test(lint_${check} lint ${Python3_EXECUTABLE} -B ${script})
    ws_register_test(lint_${check}_self_test lint ${Python3_EXECUTABLE} -B ${script} --self-test)
endforeach()
