/* A program in C that knows the installed header and library alone. */
#include <scalesweep/scalesweep.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(const char* what, char* message) {
  fprintf(stderr, "%s: %s\n", what, message == NULL ? "no message" : message);
  scalesweep_free_text(message);
  return 1;
}

int main(int argc, char** argv) {
  scalesweep_catalog* catalog = NULL;
  scalesweep_study* study = NULL;
  char* message = NULL;
  if (argc != 2) {
    return failed("usage", NULL);
  }
  if (scalesweep_open_catalog(NULL, &catalog, &message) != SCALESWEEP_OK) {
    return failed("catalog", message);
  }
  if (scalesweep_open_file(argv[1], catalog, &study, &message) != SCALESWEEP_OK) {
    return failed("study", message);
  }
  scalesweep_free_text(message);
  const size_t column = scalesweep_find_column(study, "step_time");
  const int64_t ids[] = {0, scalesweep_size(study) - 1};
  double seconds[2];
  if (scalesweep_evaluate(study, ids, 2, &column, 1, 0, seconds, &message) != SCALESWEEP_OK) {
    return failed("evaluate", message);
  }
  printf("%lld points, scalesweep %s, %.17g %s and %.17g\n", (long long)scalesweep_size(study),
         scalesweep_version(), seconds[0], scalesweep_column_at(study, column)->units, seconds[1]);
  scalesweep_close(study);
  scalesweep_close_catalog(catalog);
  return 0;
}
