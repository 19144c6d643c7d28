extern "C" int work();
int main() { work(); }
