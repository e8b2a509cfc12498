// Runs a command and prints its peak resident memory in MiB: peak COMMAND ARG...
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv) {
    struct rusage u;
    int status;
    pid_t pid = vfork();
    if (pid == 0) {
        execvp(argv[1], argv + 1);
        _exit(127);
    }
    wait4(pid, &status, 0, &u);
    fprintf(stderr, "%.1f MiB, status %d\n", u.ru_maxrss / 1024.0, status);
    return argc < 2 || status != 0;
}
