# Run by ws_embed_files: writes OUTPUT from FILES ('|' between them).
string(REPLACE "|" ";" files "${FILES}")
string(REGEX REPLACE "s$" "" stem "${SYMBOL}")

function(content_type file result)
    cmake_path(GET file EXTENSION LAST_ONLY extension)
    set(types
        ".html" "text/html\; charset=utf-8" ".css" "text/css\; charset=utf-8"
        ".js" "text/javascript\; charset=utf-8" ".json" "application/json"
        ".svg" "image/svg+xml" ".png" "image/png" ".ico" "image/x-icon"
        ".txt" "text/plain\; charset=utf-8" ".webmanifest" "application/manifest+json"
        ".woff2" "font/woff2")
    list(FIND types "${extension}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "no content type for ${file}: add one to cmake/embed-files-script.cmake")
    endif()
    math(EXPR at "${at} + 1")
    list(GET types ${at} type)
    set(${result} "${type}" PARENT_SCOPE)
endfunction()

set(arrays "")
set(table "")
set(count 0)
foreach(file IN LISTS files)
    file(READ ${file} hex HEX)
    file(SIZE ${file} size)
    file(SHA256 ${file} hash)
    string(SUBSTRING ${hash} 0 16 etag)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(REGEX REPLACE "(................................................................................)"
        "\\1\n    " bytes "${bytes}")
    content_type(${file} type)
    cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${ROOT} OUTPUT_VARIABLE name)
    # One byte more than the file: an empty array is not C.
    string(APPEND arrays "static const unsigned char file_${count}[] = {\n    ${bytes}0x00};\n\n")
    string(APPEND table
        "    {\"${name}\", \"${type}\", file_${count}, ${size}, \"\\\"${etag}\\\"\"},\n")
    math(EXPR count "${count} + 1")
endforeach()

file(WRITE ${OUTPUT} "/* Generated from the files in web/. */
#include \"server/embedded.h\"

${arrays}const struct ws_embedded_file ${SYMBOL}[] = {
${table}};
const size_t ${stem}_count = ${count};
")
