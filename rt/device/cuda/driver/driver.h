// graphc_driver_open looks the driver's calls up and asks for its devices. It returns
// NULL, or why there are none, which stays as it is.
const char *graphc_driver_open(void);

// graphc_driver_has reports whether the driver has a call that names.h names.
int graphc_driver_has(const char *name);

void graphc_driver_free(char *p);
