# ws_embed_files(TARGET SYMBOL FILE...)
#
# Turns files below ${CMAKE_CURRENT_SOURCE_DIR}/web into a C file of TARGET that defines what server/embedded.h
# declares: `const struct ws_embedded_file SYMBOL[]` and the number of its entries, in the order given (for
# SYMBOL ws_embedded_files that is ws_embedded_file_count). Regenerated when a file changes.
function(ws_embed_files target symbol)
    set(root ${CMAKE_CURRENT_SOURCE_DIR}/web)
    set(output ${CMAKE_CURRENT_BINARY_DIR}/${symbol}.c)
    set(paths)
    foreach(file IN LISTS ARGN)
        cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
        list(APPEND paths ${file})
    endforeach()
    # A semicolon would split the list on the command line.
    string(REPLACE ";" "|" joined "${paths}")
    set(script ${PROJECT_SOURCE_DIR}/cmake/embed-files-script.cmake)
    add_custom_command(OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -DROOT=${root} -DSYMBOL=${symbol} -DOUTPUT=${output}
            "-DFILES=${joined}" -P ${script}
        DEPENDS ${paths} ${script}
        COMMENT "Embedding the web files"
        VERBATIM)
    target_sources(${target} PRIVATE ${output})
endfunction()
