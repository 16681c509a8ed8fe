# find_package(fpgacc): programs with OpenCL hosts and kernels, for FPGAs.
#
#   fpgacc_add_executable(app host.c kernels.cl
#     [OPTIONS option...]           # of fpgacc: -fexecution-model=swi --board=NAME -Rpass
#     [KERNEL_OPTIONS option...])   # of clBuildProgram, if the host composes them: -DN=16
#   fpgacc_add_library(name SHARED host.c kernels.cl [OPTIONS ...] [KERNEL_OPTIONS ...])
#   fpgacc_install(app DESTINATION bin)   # the program and its .aocx
#
# They make targets of CMake's own, which take target_link_libraries and its kin. The project's
# compilers stay what they are; fpgacc is called for these targets only, and calls them. Where
# fpgacc is the project's compiler already (CMAKE_C_COMPILER=fpgacc) it is just used.

cmake_minimum_required(VERSION 3.16)

if(NOT FPGACC_EXECUTABLE)
  # The package lies in PREFIX/share/cmake/fpgacc.
  get_filename_component(_fpgacc_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
  find_program(FPGACC_EXECUTABLE fpgacc HINTS "${_fpgacc_prefix}/bin" DOC "The fpgacc command")
  unset(_fpgacc_prefix)
endif()
if(NOT FPGACC_EXECUTABLE)
  set(fpgacc_FOUND FALSE)
  set(fpgacc_NOT_FOUND_MESSAGE "There is no fpgacc in the path: set FPGACC_EXECUTABLE.")
  return()
endif()

set(_fpgacc_launch "${CMAKE_CURRENT_LIST_DIR}/launch")

# Compiles and links a target with fpgacc.
function(_fpgacc_use target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;OPTIONS;KERNEL_OPTIONS")
  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  if(NOT "C" IN_LIST languages)
    message(FATAL_ERROR "fpgacc: project() must enable C, in which kernels are listed")
  endif()
  set(language C)
  foreach(source IN LISTS arg_SOURCES)
    if(source MATCHES "\\.cl$")
      set_source_files_properties("${source}" PROPERTIES LANGUAGE C)
    elseif(source MATCHES "\\.(cc|cpp|cxx|C)$")
      set(language CXX)
    endif()
  endforeach()
  target_link_options(${target} PRIVATE ${arg_OPTIONS})
  foreach(option IN LISTS arg_KERNEL_OPTIONS)
    target_compile_options(${target} PRIVATE "SHELL:-Xkernel ${option}")
    target_link_options(${target} PRIVATE "SHELL:-Xkernel ${option}")
  endforeach()
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ${language})
  set_property(TARGET ${target} APPEND PROPERTY ADDITIONAL_CLEAN_FILES "$<TARGET_FILE:${target}>.aocx")
  if(CMAKE_${language}_COMPILER MATCHES "fpgacc(\\+\\+)?$")
    return()
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Makefiles|Ninja")
    message(FATAL_ERROR "fpgacc: the generator ${CMAKE_GENERATOR} has no launchers: use Ninja or Makefiles")
  endif()
  set_target_properties(${target} PROPERTIES
    RULE_LAUNCH_COMPILE "sh \"${_fpgacc_launch}\" \"${FPGACC_EXECUTABLE}\" <LANGUAGE>"
    RULE_LAUNCH_LINK "sh \"${_fpgacc_launch}\" \"${FPGACC_EXECUTABLE}\" ${language}")
endfunction()

function(fpgacc_add_executable target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS;KERNEL_OPTIONS")
  add_executable(${target} ${arg_UNPARSED_ARGUMENTS})
  _fpgacc_use(${target} SOURCES ${arg_UNPARSED_ARGUMENTS}
    OPTIONS ${arg_OPTIONS} KERNEL_OPTIONS ${arg_KERNEL_OPTIONS})
endfunction()

function(fpgacc_add_library target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS;KERNEL_OPTIONS")
  add_library(${target} ${arg_UNPARSED_ARGUMENTS})
  _fpgacc_use(${target} SOURCES ${arg_UNPARSED_ARGUMENTS}
    OPTIONS ${arg_OPTIONS} KERNEL_OPTIONS ${arg_KERNEL_OPTIONS})
endfunction()

# Installs targets with their kernels, which stay beside them.
function(fpgacc_install)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "DESTINATION" "")
  if(NOT arg_DESTINATION)
    message(FATAL_ERROR "fpgacc_install: DESTINATION is missing")
  endif()
  foreach(target IN LISTS arg_UNPARSED_ARGUMENTS)
    install(TARGETS ${target} DESTINATION "${arg_DESTINATION}")
    install(FILES "$<TARGET_FILE:${target}>.aocx" DESTINATION "${arg_DESTINATION}")
  endforeach()
endfunction()
