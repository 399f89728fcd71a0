// libkedge.so holds every module below the surfaces (cmake/packaging.cmake); this file only
// gives the target a source.
namespace kedge {}
