/* libscalesweep: estimates of training, inference and serving from other programs.
 *
 *   char* message = NULL;
 *   scalesweep_catalog* catalog = NULL;
 *   scalesweep_study* study = NULL;
 *   if (scalesweep_open_catalog(NULL, &catalog, &message) != SCALESWEEP_OK ||
 *       scalesweep_open_file("study.toml", catalog, &study, &message) != SCALESWEEP_OK) {
 *     fputs(message, stderr);
 *     exit(1);
 *   }
 *   const int64_t ids[] = {0, 1, 2};
 *   const size_t column = scalesweep_find_column(study, "step_time");
 *   double step_time[3];
 *   scalesweep_evaluate(study, ids, 3, &column, 1, 1, step_time, NULL);
 *   scalesweep_close(study);
 *   scalesweep_close_catalog(catalog);
 *
 * A study is a spec (sweeps/README.md says what is in one) with the catalog: points 0 ...
 * scalesweep_size() - 1, each a combination of axes and of a layout over devices. An estimate of a
 * point is a row of columns, the same that a study file has (FORMAT.md), whatever policy the spec
 * has for keeping rows.
 *
 * Errors. Functions that may fail return 0 (SCALESWEEP_OK), or the exit code that the program
 * scalesweep has in such a case. Where `message` is not null it is set to the text that the program
 * prints, mistakes of a spec one a line as file:line:column: error: ..., or to null if there is
 * nothing to say; after success it holds warnings. Nothing is printed, and no exception leaves the
 * library. Arguments that are null or out of range where they must not be are SCALESWEEP_USAGE.
 *
 * Ownership. What an open function sets belongs to the caller until its close function; a message
 * until scalesweep_free_text. What other functions return belongs to the study and lives as long.
 * Buffers are the caller's.
 *
 * Threads. All functions may be called from any thread at any time, also on the same study or
 * catalog, but for the close functions, which must be the last call on theirs.
 *
 * Units are those of the columns, SI without prefixes: "s", "B", "J", "W", "m2", "USD"; "1" for
 * counts and shares, "" for names. Text is UTF-8.
 *
 * Versions. SCALESWEEP_INTERFACE_VERSION counts interfaces that break programs built with an older
 * one; it is part of the library's name (libscalesweep.so.1). Within one, functions and members at
 * the end of structures are only added: structures come from the library alone.
 */
#ifndef SCALESWEEP_SCALESWEEP_H
#define SCALESWEEP_SCALESWEEP_H

#include <stddef.h>
#include <stdint.h>

#define SCALESWEEP_INTERFACE_VERSION 1

#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* Codes; others of the program (README of slurm/) may come too. */
enum {
  SCALESWEEP_OK = 0,
  SCALESWEEP_NO_POINT = 1,    /* there is no such point, or there are several */
  SCALESWEEP_STOPPED = 2,     /* the caller ended it early */
  SCALESWEEP_USAGE = 64,      /* an argument cannot be */
  SCALESWEEP_BAD_INPUT = 65,  /* mistakes in a spec or in the catalog */
  SCALESWEEP_NO_INPUT = 66,   /* a file or folder is missing */
  SCALESWEEP_INTERNAL = 70    /* a mistake of the library */
};

/* What find functions return where there is nothing of that name. */
#define SCALESWEEP_NONE SIZE_MAX

typedef struct scalesweep_catalog scalesweep_catalog;
typedef struct scalesweep_study scalesweep_study;

/* ---- The library ---- */

/* SCALESWEEP_INTERFACE_VERSION of the library that is loaded. */
int scalesweep_interface_version(void);
/* Of the program it was built with: "0.1.0". */
const char* scalesweep_version(void);
/* Null is allowed. */
void scalesweep_free_text(char* text);
/* Sets `schema` to all keys of a spec, as a JSON schema; it is freed like a message. */
int scalesweep_spec_schema(char** schema, char** message);

/* ---- The catalog ---- */

/* Reads devices, memories, networks and models once for many studies. `folder`: null for
 * $SCALESWEEP_NODES, else the one that is installed with the library. */
int scalesweep_open_catalog(const char* folder, scalesweep_catalog** catalog, char** message);
/* Studies may outlive it. Null is allowed. */
void scalesweep_close_catalog(scalesweep_catalog* catalog);

/* ---- Studies ---- */

/* `path`: a spec, or a finished study, which holds its spec and its entries of the catalog. */
int scalesweep_open_file(const char* path, const scalesweep_catalog* catalog,
                         scalesweep_study** study, char** message);
/* The same of a spec as text. `name` stands for it in messages; a trace of requests that it names
 * is looked for beside it. */
int scalesweep_open_text(const char* text, const char* name, const scalesweep_catalog* catalog,
                         scalesweep_study** study, char** message);
/* Null is allowed. */
void scalesweep_close(scalesweep_study* study);

/* Points: ids are 0 ... size - 1. */
int64_t scalesweep_size(const scalesweep_study* study);
const char* scalesweep_title(const scalesweep_study* study);
/* Of all that decides the values of its points: spec, catalog and estimator. Two studies with the
 * same text have the same points with the same values. */
const char* scalesweep_identity(const scalesweep_study* study);

/* ---- Columns of an estimate ---- */

typedef enum scalesweep_type {
  SCALESWEEP_NUMBER = 0,
  SCALESWEEP_INTEGER = 1,
  SCALESWEEP_LABEL = 2 /* value i stands for labels[i] */
} scalesweep_type;

typedef struct scalesweep_column {
  const char* name;
  const char* units;
  const char* long_name;
  const char* description;
  const char* better; /* "smaller", "larger" or "" */
  const char* role;   /* what the column is for (FORMAT.md), or "" */
  scalesweep_type type;
  size_t label_count;
  const char* const* labels;
} scalesweep_column;

size_t scalesweep_column_count(const scalesweep_study* study);
/* Null if there is none at that place. */
const scalesweep_column* scalesweep_column_at(const scalesweep_study* study, size_t column);
/* SCALESWEEP_NONE if there is none. */
size_t scalesweep_find_column(const scalesweep_study* study, const char* name);

/* What is best, the most important first. */
typedef struct scalesweep_objective {
  const char* name; /* a column */
  int maximize;     /* 1: the largest value is the best; 0: the smallest */
} scalesweep_objective;

size_t scalesweep_objective_count(const scalesweep_study* study);
const scalesweep_objective* scalesweep_objective_at(const scalesweep_study* study,
                                                    size_t objective);

/* ---- Estimates ---- */

/* Rows of `count` points, in their order; ids may repeat. `columns` are places of columns, or null
 * for all in their order. Column major: values[c * count + r] is of columns[c] and ids[r]. Without
 * an estimate (the column status is not 0 and says why) a number is NaN. `threads`: how many work
 * on it, 0 for one on every processor. The same ids give the same bits, however they are asked. */
int scalesweep_evaluate(const scalesweep_study* study, const int64_t* ids, size_t count,
                        const size_t* columns, size_t column_count, int threads, double* values,
                        char** message);
/* The same, which another thread may end early: as soon as `*stop` is not 0 it returns
 * SCALESWEEP_STOPPED, and what stands in `values` is of no use. It looks every 0.05 s, or after each
 * point where one takes longer. `stop`: null for never. */
int scalesweep_evaluate_until(const scalesweep_study* study, const int64_t* ids, size_t count,
                              const size_t* columns, size_t column_count, int threads, int* stop,
                              double* values, char** message);
/* One row, all columns: `values` has room for scalesweep_column_count() numbers. */
int scalesweep_evaluate_point(const scalesweep_study* study, int64_t id, double* values,
                              char** message);

/* ---- What points are combinations of ---- */

typedef enum scalesweep_choice {
  SCALESWEEP_AXIS = 0,     /* an axis of the spec */
  SCALESWEEP_TOGETHER = 1, /* an axis that varies together with the one in `follows` */
  SCALESWEEP_LAYOUT = 2,   /* a field of the layout, of which not all combinations are valid */
  SCALESWEEP_DERIVED = 3   /* a field of the layout that follows from the others */
} scalesweep_choice;

typedef struct scalesweep_parameter {
  const char* name; /* "device", "tensor_parallel" */
  const char* units;
  const char* description;
  const char* follows;
  scalesweep_choice choice;
  size_t count; /* of what may be chosen */
  const char* const* labels;
  const double* values; /* of each label; null where they are names */
} scalesweep_parameter;

size_t scalesweep_parameter_count(const scalesweep_study* study);
/* Null if there is none at that place. */
const scalesweep_parameter* scalesweep_parameter_at(const scalesweep_study* study,
                                                    size_t parameter);
/* Sets choices[p], for each parameter, to the place of what the point has. */
int scalesweep_choices_of(const scalesweep_study* study, int64_t id, int32_t* choices,
                          char** message);
/* The other way round. -1 leaves a choice open: of an axis with one value, of one that varies
 * together with another, of a field of the layout. SCALESWEEP_NO_POINT if no valid point has these
 * choices, or if several have. */
int scalesweep_id_of(const scalesweep_study* study, const int32_t* choices, int64_t* id,
                     char** message);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
