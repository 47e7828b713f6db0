# `cmake --install`: headers, both libraries, programs, pkg-config file, CMake package.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/wikisearch DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.h")
install(TARGETS wikisearch_static wikisearch_shared EXPORT wikisearchTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(program wikisearch wikisearchd wikiload)
    if(TARGET ${program})
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/wikisearch)
install(EXPORT wikisearchTargets NAMESPACE wikisearch:: DESTINATION ${package_dir})
configure_package_config_file(cmake/wikisearchConfig.cmake.in
    ${PROJECT_BINARY_DIR}/wikisearchConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/wikisearchConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/wikisearchConfig.cmake
    ${PROJECT_BINARY_DIR}/wikisearchConfigVersion.cmake DESTINATION ${package_dir})

# The prefix is written relative to the file, so that an installed tree may be moved.
file(RELATIVE_PATH pc_prefix
    ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX}/.)
configure_file(cmake/wikisearch.pc.in ${PROJECT_BINARY_DIR}/wikisearch.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/wikisearch.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
