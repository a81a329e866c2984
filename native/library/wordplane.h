/* libwordplane: predictions of Wordplane's models without Python.
 *
 * A model is loaded from a .wordplane file (docs/model-file.md), which may come from anybody: every
 * size, type and index is checked, nothing in it is executed, and the golden texts that it contains
 * must get the answers that were stored with them. Scores, probabilities and labels are those of
 * Python's `wordplane.load(path)`.
 *
 * There is no global state. A loaded model never changes: any number of threads may use it at the
 * same time, but for wordplane_free. No function writes to standard output or ends the process.
 *
 * A function that can fail returns a wordplane_status. Its last argument, which may be NULL, takes
 * what went wrong in words. All text is UTF-8; sizes are in bytes.
 */
#ifndef WORDPLANE_H
#define WORDPLANE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  WORDPLANE_OK = 0,
  WORDPLANE_UNREADABLE = 1,  /* the file cannot be opened or read */
  WORDPLANE_REFUSED = 2,     /* not a model, damaged, or inconsistent */
  WORDPLANE_UNSUPPORTED = 3, /* a model that this library does not read; the message says why */
  WORDPLANE_ARGUMENT = 4,    /* an argument is wrong, such as a text that is not UTF-8 */
  WORDPLANE_MEMORY = 5       /* not enough memory */
} wordplane_status;

/* What went wrong, ended by a zero byte, cut off if it is longer. */
typedef struct {
  char text[512];
} wordplane_error;

typedef struct wordplane_model wordplane_model;

/* Read a model from the content of a file, which is not needed afterwards, or from a file. On
 * failure, *model is NULL. */
wordplane_status wordplane_load(const void* content, size_t size, wordplane_model** model,
                                wordplane_error* error);
wordplane_status wordplane_load_file(const char* path, wordplane_model** model,
                                     wordplane_error* error);

/* Free a model and all that points into it; NULL is ignored. */
void wordplane_free(wordplane_model* model);

/* The number of classes; 0 if the model predicts a number instead of a class. */
size_t wordplane_n_classes(const wordplane_model* model);

/* The name of class k, counted from 0, with a zero byte behind it; NULL if there is no such class.
 * `size`, if it is not NULL, takes the size of the name (which may contain zero bytes). The name is
 * valid until the model is freed. */
const char* wordplane_class(const wordplane_model* model, size_t k, size_t* size);

/* 1 if a text can have any number of the classes, 0 if it has exactly one. */
int wordplane_is_multilabel(const wordplane_model* model);

/* The number of texts that make up a document: 1, or the number of fields of a model with fields
 * (such as title and body). wordplane_field is like wordplane_class; the text of a model without
 * fields has the name "". */
size_t wordplane_n_fields(const wordplane_model* model);
const char* wordplane_field(const wordplane_model* model, size_t field, size_t* size);

/* A text; it may contain zero bytes, and needs none at its end. */
typedef struct {
  const char* bytes;
  size_t size;
} wordplane_text;

/* The number of scores of a document: 1 with two classes (the score of the second class; the first
 * has its negative), or if the model predicts a number (the score is that number); otherwise one
 * for each class. Always one for each class of a multi-label model. */
size_t wordplane_n_scores(const wordplane_model* model);

/* Write the wordplane_n_scores scores of a document, which has a text for every field. */
wordplane_status wordplane_scores(const wordplane_model* model, const wordplane_text* document,
                                  size_t n_fields, double* scores, wordplane_error* error);

/* Write the wordplane_n_classes probabilities of a document with these scores. Those of a
 * multi-label model are independent of each other; others sum to 1. */
wordplane_status wordplane_probabilities(const wordplane_model* model, const double* scores,
                                         double* probabilities, wordplane_error* error);

/* Write the classes that a document with these scores is given, in ascending order, and return how
 * many they are: exactly 1, or of a multi-label model 0 to wordplane_n_classes, for which there
 * must be room. 0 if the model predicts a number. */
size_t wordplane_labels(const wordplane_model* model, const double* scores, size_t* classes);

/* What an occurrence of a feature adds to the score that is explained. */
typedef struct {
  const char* feature; /* its name, ended by a zero byte */
  size_t feature_size; /* of the name in bytes */
  double value;
  size_t field; /* the text that it is in; wordplane_n_fields if it is in none */
  size_t start; /* the bytes of that text that it covers, from start up to end; both 0 if none */
  size_t end;
} wordplane_contribution;

/* Why a document gets or does not get a class. The score that is explained is the margin over the
 * other class with two classes, the distance from the mean of all classes with more, the distance
 * from the threshold of the class for a multi-label model, and otherwise the number predicted. It
 * is the sum of the bias and the values of the contributions, the strongest of which come first. */
typedef struct {
  double score;
  double bias;
  size_t n_contributions;
  const wordplane_contribution* contributions;
} wordplane_explanation;

/* Explain class k (0 if the model predicts a number) for a document. wordplane_free_explanation
 * frees the explanation, which does not need the model; NULL is ignored. On failure, *explanation
 * is NULL. */
wordplane_status wordplane_explain(const wordplane_model* model, const wordplane_text* document,
                                   size_t n_fields, size_t k, wordplane_explanation** explanation,
                                   wordplane_error* error);
void wordplane_free_explanation(wordplane_explanation* explanation);

#ifdef __cplusplus
}
#endif

#endif /* WORDPLANE_H */
