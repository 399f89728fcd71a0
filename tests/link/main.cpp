// Linked with one whole module: an undefined symbol means an arrow that is not in layers.cmake.
int main() { return 0; }
