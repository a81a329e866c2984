/* Predict with libwordplane.
 *
 *     cc -I native/library examples/library/predict.c build/lib/libwordplane.a -lstdc++ -lm -o predict
 *     ./predict model.wordplane "a text"
 *
 * A model with fields takes a text for each of them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wordplane.h"

static void print_answer(const wordplane_model *model, const double *scores,
                         const double *probabilities, size_t *labels) {
  const size_t n_labels = wordplane_labels(model, scores, labels);
  for (size_t i = 0; i < n_labels; ++i)
    printf("label %s\n", wordplane_class(model, labels[i], NULL));
  for (size_t k = 0; k < wordplane_n_scores(model); ++k) printf("score %.17g\n", scores[k]);
  for (size_t k = 0; k < wordplane_n_classes(model); ++k)
    printf("%.17g %s\n", probabilities[k], wordplane_class(model, k, NULL));
}

int main(int argc, char **argv) {
  wordplane_model *model = NULL;
  wordplane_error error;
  if (argc < 3) {
    fprintf(stderr, "usage: predict MODEL TEXT...\n");
    return 2;
  }
  if (wordplane_load_file(argv[1], &model, &error) != WORDPLANE_OK) {
    fprintf(stderr, "%s: %s\n", argv[1], error.text);
    return 1;
  }
  const size_t n_fields = (size_t)argc - 2, n_classes = wordplane_n_classes(model);
  wordplane_text *document = calloc(n_fields, sizeof *document);
  double *scores = calloc(wordplane_n_scores(model), sizeof *scores);
  double *probabilities = calloc(n_classes + 1, sizeof *probabilities);
  size_t *labels = calloc(n_classes + 1, sizeof *labels);
  int failed = 1;
  if (!document || !scores || !probabilities || !labels) {
    fprintf(stderr, "not enough memory\n");
    goto end;
  }
  for (size_t i = 0; i < n_fields; ++i) {
    document[i].bytes = argv[i + 2];
    document[i].size = strlen(argv[i + 2]);
  }
  if (wordplane_scores(model, document, n_fields, scores, &error) != WORDPLANE_OK ||
      wordplane_probabilities(model, scores, probabilities, &error) != WORDPLANE_OK) {
    fprintf(stderr, "%s\n", error.text);
    goto end;
  }
  print_answer(model, scores, probabilities, labels);
  failed = 0;

end:
  free(labels);
  free(probabilities);
  free(scores);
  free(document);
  wordplane_free(model);
  return failed;
}
