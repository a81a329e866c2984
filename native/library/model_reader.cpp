// From the content of a file to a model, everything checked. Python side: model/file.py and the
// modules model/stored_*.py
#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "library/golden.h"
#include "library/model.h"
#include "model/arrays.h"
#include "model/refusal.h"
#include "model/stored_vocabulary.h"
#include "text/lexicon.h"

namespace wordplane {

namespace {

constexpr double kMaxIdf = 1e30;
constexpr std::string_view kVocabularyArrays[] = {"word_bytes", "word_ends", "ngram_firsts",
                                                  "ngram_lasts", "columns"};
constexpr std::string_view kCountedGroups[] = {"word",  "char",   "length", "prefix",
                                               "shape", "suffix", "trigger"};

struct MetadataEntry {
  std::string_view name;
  Json::Kind kind;
  bool is_required;
};
constexpr MetadataEntry kMetadata[] = {
    {"kind", Json::Kind::string, true},       {"wordplane", Json::Kind::string, true},
    {"unicode", Json::Kind::string, true},    {"analyzer", Json::Kind::object, true},
    {"groups", Json::Kind::array, true},      {"categories", Json::Kind::object, true},
    {"classes", Json::Kind::object, true},    {"calibration", Json::Kind::object, true},
    {"training", Json::Kind::object, true},   {"golden", Json::Kind::object, true},
    {"chain", Json::Kind::array, false},      {"learner", Json::Kind::object, false},
    {"tree", Json::Kind::object, false},      {"vectors", Json::Kind::object, false},
    {"embeddings", Json::Kind::array, false}, {"fasttext", Json::Kind::object, false},
    {"reference", Json::Kind::object, false}};

void check_metadata(const Json& metadata) {
  refuse_unless(metadata.is_object(), "metadata are missing");
  for (const auto& [name, kind, is_required] : kMetadata) {
    const Json* const found = metadata.find(name);
    const bool may_be_null = name == "calibration" && found && found->is(Json::Kind::null);
    if (found ? !(found->is(kind) || may_be_null) : is_required)
      refuse("the entry " + std::string(name) + " is missing or of another type");
  }
  for (const std::string& name : metadata.keys())
    refuse_unless(std::ranges::find(kMetadata, name, &MetadataEntry::name) != std::end(kMetadata),
                  "an entry of the metadata that is not known");
  const std::string& kind = metadata.find("kind")->text();
  refuse_unsupported(kind == "tree", "a label tree");
  refuse_unsupported(kind == "fasttext", "the matrices of fastText");
  refuse_unless(kind == "linear", "a model of an unknown kind");
  refuse_unless(!metadata.find("fasttext"), "parts of fastText in another model");
  const Json* const embeddings = metadata.find("embeddings");
  refuse_unsupported(embeddings && !embeddings->entries().empty(), "word embeddings");
}

// The analyzer has no columns next to the text: there is nothing to know of their values.
void check_no_columns(const Json& metadata) {
  const Json* const vectors = metadata.find("vectors");
  refuse_unless(
      metadata.find("categories")->keys().empty() && (!vectors || vectors->keys().empty()),
      "values of columns that the analyzer does not have");
}

std::vector<std::string> read_classes(const Json& classes) {
  const Json *type = classes.find("type"), *values = classes.find("values");
  refuse_unless(type && type->is_text() && values && values->is_list(), "no classes");
  std::vector<std::string> names;
  const auto& entries = values->entries();
  const auto all_are = [&](Json::Kind kind) {
    return std::ranges::all_of(entries, [&](const Json& value) { return value.is(kind); });
  };
  const auto ascend = [&](auto key) {
    return !entries.empty() &&
           std::ranges::adjacent_find(entries, std::greater_equal<>(), key) == entries.end();
  };
  bool is_right = false;
  if (type->text() == "number") {
    is_right = entries.empty() && classes.keys().size() == 2;
  } else if (type->text() == "string") {
    is_right = all_are(Json::Kind::string) && ascend(&Json::text);
    for (const Json& value : entries) names.push_back(value.text());
  } else if (type->text() == "integer") {
    is_right = all_are(Json::Kind::integer) && std::ranges::all_of(entries, &Json::is_exact) &&
               ascend(&Json::whole);
    for (const Json& value : entries) names.push_back(std::to_string(value.whole));
  } else if (type->text() == "boolean") {
    is_right = all_are(Json::Kind::boolean) && ascend(&Json::truth);
    for (const Json& value : entries) names.emplace_back(value.truth ? "True" : "False");
  }
  refuse_unless(is_right, "classes are not sorted, or of another type than stated");
  return names;
}

template <class T>
constexpr ArrayType array_type() {
  if constexpr (std::same_as<T, std::int8_t>) return ArrayType::int8;
  if constexpr (std::same_as<T, std::uint8_t>) return ArrayType::uint8;
  if constexpr (std::same_as<T, std::int32_t>) return ArrayType::int32;
  if constexpr (std::same_as<T, std::uint32_t>) return ArrayType::uint32;
  if constexpr (std::same_as<T, std::int64_t>) return ArrayType::int64;
  if constexpr (std::same_as<T, float>) return ArrayType::float32;
  if constexpr (std::same_as<T, double>) return ArrayType::float64;
}

// The numbers of an array of the type and number of dimensions that it must have.
template <class T>
std::vector<T> read_array(const Arrays& arrays, const std::string& name, std::size_t n_dims = 1) {
  const StoredArray& array = arrays[name];
  if (array.type != array_type<T>() || array.shape.size() != n_dims)
    refuse(name + " has another type or number of dimensions");
  return arrays.values<T>(name);
}

std::vector<double> read_finite(const Arrays& arrays, const std::string& name, std::size_t n) {
  auto values = read_array<double>(arrays, name);
  if (values.size() != n) refuse(name + " has another length");
  if (!std::ranges::all_of(values, [](double x) { return std::isfinite(x); }))
    refuse("a value of " + name + " that is not finite");
  return values;
}

// There are exactly these arrays, and those that only training needs.
void check_array_names(const Arrays& arrays, const std::set<std::string>& expected,
                       const Json& metadata) {
  std::size_t n_found = 0;
  bool has_state = false, has_reference = false;
  for (const auto& [name, array] : arrays.stored()) {
    if (name.starts_with("state.")) {
      refuse_unless(array.type == ArrayType::float64, "a state of another type");
      has_state = true;
    } else if (name.starts_with("reference.")) {
      has_reference = true;
    } else if (expected.contains(name)) {
      ++n_found;
    } else {
      refuse("an array " + name + ", which is not known");
    }
  }
  refuse_unless(n_found == expected.size(), "an array is missing");
  refuse_unless(has_state == (metadata.find("learner") != nullptr),
                "a learner and its state go together");
  refuse_unless(has_reference == (metadata.find("reference") != nullptr),
                "a reference and its arrays go together");
}

std::string part_name(const Analyzer& analyzer, std::size_t field, const AnalyzerPart& part) {
  return analyzer.fields.empty() ? part.kind : "field" + std::to_string(field) + "." + part.kind;
}

std::set<std::string> expected_arrays(const Analyzer& analyzer, const Arrays& arrays, bool chain) {
  std::set<std::string> expected = {"center", "scale", "b", "W"};
  if (analyzer.has_idf) expected.insert("idf");
  if (chain) expected.insert("chain");
  if (arrays.stored().contains("W_step")) expected.insert("W_step");
  if (analyzer.n_hashed > 0) return expected;
  for (std::size_t field = 0; field < std::max<std::size_t>(analyzer.fields.size(), 1); ++field)
    for (const AnalyzerPart& part : analyzer.parts)
      for (const std::string_view array : kVocabularyArrays)
        expected.insert(part_name(analyzer, field, part) + "." + std::string(array));
  return expected;
}

Block read_block(const Arrays& arrays, const Analyzer& analyzer, std::size_t field,
                 const AnalyzerPart& part) {
  if (analyzer.n_hashed > 0) return {part.features, nullptr, analyzer.n_hashed};
  const std::string prefix = part_name(analyzer, field, part) + ".";
  const auto bytes = read_array<std::uint8_t>(arrays, prefix + "word_bytes");
  const auto ends = read_array<std::int64_t>(arrays, prefix + "word_ends");
  const auto firsts = read_array<std::uint32_t>(arrays, prefix + "ngram_firsts");
  const auto lasts = read_array<std::uint32_t>(arrays, prefix + "ngram_lasts");
  const auto columns = read_array<std::int32_t>(arrays, prefix + "columns");
  const Parts parts = part.kind == "words"   ? Parts::words
                      : part.kind == "chars" ? Parts::chars
                                             : Parts::whole;
  const std::string_view words(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  auto vocabulary = std::make_shared<const Vocabulary>(
      read_vocabulary(words, ends, firsts, lasts, columns, parts, part.longest));
  return {part.features, std::move(vocabulary), 0};
}

struct FeatureGroup {
  std::size_t field;
  std::string kind;
  std::int32_t start;
};

FeatureGroup read_group(const Json& pair, std::size_t n_fields) {
  constexpr const char* kExpected = "groups of features and their first columns are expected";
  refuse_unless(pair.is_list() && pair.entries().size() == 2, kExpected);
  const Json &name = pair.entries()[0], &start = pair.entries()[1];
  refuse_unless(name.is_text() && start.is(Json::Kind::integer) && start.is_exact &&
                    start.whole >= 0 && start.whole < (std::int64_t{1} << 31),
                kExpected);
  FeatureGroup group{0, name.text(), static_cast<std::int32_t>(start.whole)};
  if (n_fields > 0) {
    const std::string& text = name.text();
    const std::size_t point = text.find('.');
    refuse_unless(text.starts_with("field") && point != text.npos && point >= 6 && point <= 8,
                  kExpected);
    const char* const end = text.data() + point;
    const auto [stop, error] = std::from_chars(text.data() + 5, end, group.field);
    refuse_unless(error == std::errc() && stop == end && group.field < n_fields, kExpected);
    group.kind = text.substr(point + 1);
  }
  refuse_unless(std::ranges::find(kCountedGroups, group.kind) != std::end(kCountedGroups),
                kExpected);
  return group;
}

std::vector<FeatureGroup> read_groups(const Json& groups, std::size_t n_fields,
                                      std::size_t n_counted) {
  std::vector<FeatureGroup> found;
  for (const Json& pair : groups.entries()) found.push_back(read_group(pair, n_fields));
  const bool from_0 = found.empty() ? n_counted == 0 : found[0].start == 0;
  refuse_unless(from_0 && std::ranges::is_sorted(found, {}, &FeatureGroup::start) &&
                    (found.empty() || static_cast<std::size_t>(found.back().start) <= n_counted),
                "groups from column 0 on expected");
  return found;
}

// The weights, which may be stored as multiples of a step for each output.
std::vector<float> read_weights(const Arrays& arrays, std::size_t n_features,
                                std::size_t n_outputs) {
  const bool are_multiples = arrays.stored().contains("W_step");
  const auto& shape = arrays["W"].shape;
  refuse_unless(shape.size() == 2 && shape[0] == n_features && shape[1] == n_outputs,
                "weights of another shape");
  std::vector<float> W;
  if (are_multiples) {
    const auto steps = read_array<double>(arrays, "W_step");
    refuse_unless(steps.size() == n_outputs, "steps of weights of another shape");
    const auto multiples = read_array<std::int8_t>(arrays, "W", 2);
    W.resize(multiples.size());
    for (std::size_t i = 0; i < W.size(); ++i)
      W[i] = static_cast<float>(multiples[i] * steps[i % n_outputs]);
  } else {
    W = read_array<float>(arrays, "W", 2);
  }
  refuse_unless(std::ranges::all_of(W, [](float w) { return std::isfinite(w); }),
                "a weight that is not finite");
  return W;
}

LabelChain read_chain(const Json& described, const Arrays& arrays, std::size_t n) {
  LabelChain chain;
  std::vector<std::size_t> place(n, n);
  for (const Json& label : described.entries()) {
    refuse_unless(label.is(Json::Kind::integer) && label.is_exact && label.whole >= 0 &&
                      label.whole < static_cast<std::int64_t>(n) &&
                      place[static_cast<std::size_t>(label.whole)] == n,
                  "a chain with an order of the labels is expected");
    place[static_cast<std::size_t>(label.whole)] = chain.order.size();
    chain.order.push_back(static_cast<std::size_t>(label.whole));
  }
  refuse_unless(chain.order.size() == n, "a chain with an order of the labels is expected");
  chain.links = read_array<double>(arrays, "chain", 2);
  refuse_unless(arrays["chain"].shape == std::vector<std::size_t>{n, n},
                "links of a chain of another shape");
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k)
      refuse_unless(std::isfinite(chain.links[j * n + k]) &&
                        (place[j] < place[k] || chain.links[j * n + k] == 0),
                    "a label of the chain changes one that is before it");
  return chain;
}

// Reads the features that count, and their weights, into scorers.
class ScorerReader {
 public:
  ScorerReader(const Arrays& arrays, const Json& metadata, ModelParts& parts)
      : arrays_(arrays), metadata_(metadata), parts_(parts) {}

  void read() {
    const Analyzer& analyzer = parts_.analyzer;
    const std::size_t n_fields = analyzer.fields.size();
    std::vector<std::vector<Block>> blocks(
        analyzer.parts.empty() ? 1 : std::max<std::size_t>(n_fields, 1));
    std::vector<std::size_t> firsts = {0};  // of the columns of fields
    for (std::size_t field = 0; field < blocks.size(); ++field) {
      std::size_t n_columns = 0;
      for (const AnalyzerPart& part : analyzer.parts) {
        blocks[field].push_back(read_block(arrays_, analyzer, field, part));
        n_columns += blocks[field].back().n_features();
      }
      firsts.push_back(firsts.back() + n_columns);
    }
    const std::size_t n_counted = firsts.back(), n_outputs = parts_.bias.size();
    const std::size_t n_dense = kLexiconFeatures * analyzer.lexica.size();
    W_ = read_weights(arrays_, n_counted + n_dense, n_outputs);
    groups_ = read_groups(*metadata_.find("groups"), n_fields, n_counted);
    if (analyzer.has_idf) idf_ = read_finite(arrays_, "idf", n_counted);
    refuse_unless(std::ranges::all_of(idf_, [](double x) { return std::abs(x) <= kMaxIdf; }),
                  "an idf that is out of range");
    for (std::size_t field = 0; field < blocks.size(); ++field)
      parts_.scorers.push_back(
          scorer(field, std::move(blocks[field]), firsts[field], firsts[field + 1]));
    const auto dense = W_.begin() + static_cast<std::ptrdiff_t>(n_counted * n_outputs);
    parts_.dense_weights.assign(dense, W_.end());
    parts_.center = read_finite(arrays_, "center", n_dense);
    parts_.scale = read_finite(arrays_, "scale", n_dense);
    refuse_unless(std::ranges::all_of(parts_.scale, [](double x) { return x > 0; }),
                  "a scale that is not above 0");
  }

 private:
  // The scorer of a field, whose columns are first .. end-1. Only the first adds the biases.
  std::unique_ptr<Scorer> scorer(std::size_t field, std::vector<Block> blocks, std::size_t first,
                                 std::size_t end) const {
    const Analyzer& analyzer = parts_.analyzer;
    GroupWeights weighting{analyzer.tf, analyzer.norm, {}, {}, {}, {}};
    if (analyzer.tf == Tf::relative) weighting.tokens = analyzer.plain;
    if (analyzer.has_idf) weighting.idf = slice(idf_, first, end, 1);
    for (const FeatureGroup& group : groups_) {
      if (group.field != field) continue;
      const auto found = analyzer.weights.find(group.kind);
      const double weight = found == analyzer.weights.end() ? 1.0 : found->second;
      const double of_field = analyzer.fields.empty() ? 1.0 : analyzer.fields[field].second;
      weighting.starts.push_back(group.start - static_cast<std::int32_t>(first));
      weighting.weights.push_back(analyzer.fields.empty() ? weight : weight * of_field);
    }
    weighting.starts.push_back(weighting.weights.empty() ? 0
                                                         : static_cast<std::int32_t>(end - first));
    const std::size_t n_outputs = parts_.bias.size();
    auto bias = field == 0 ? parts_.bias : std::vector<double>(n_outputs);
    return std::make_unique<Scorer>(std::move(blocks), std::move(weighting),
                                    slice(W_, first, end, n_outputs), std::move(bias));
  }

  template <class T>
  static std::vector<T> slice(const std::vector<T>& rows, std::size_t first, std::size_t end,
                              std::size_t width) {
    const auto at = [&](std::size_t row) {
      return rows.begin() + static_cast<std::ptrdiff_t>(row * width);
    };
    return {at(first), at(end)};
  }

  const Arrays& arrays_;
  const Json& metadata_;
  ModelParts& parts_;
  std::vector<float> W_;
  std::vector<double> idf_;
  std::vector<FeatureGroup> groups_;
};

}  // namespace

Model read_model(std::string_view content) {
  check_header(content);
  if (!is_intact(content))
    throw Refused("the file is damaged: it is not what its SHA-256 was taken of");
  const Payload payload = open_payload(content);
  const Arrays arrays(payload);
  const Json metadata = parse_json(arrays.document(), "the metadata");
  check_metadata(metadata);
  auto classes = read_classes(*metadata.find("classes"));
  Calibration calibration(*metadata.find("calibration"), classes.size());
  ModelParts parts{read_analyzer(*metadata.find("analyzer")),
                   std::move(classes),
                   std::move(calibration),
                   {},
                   {},
                   {},
                   {},
                   {},
                   {}};
  check_no_columns(metadata);
  const Json* const chain = metadata.find("chain");
  check_array_names(arrays, expected_arrays(parts.analyzer, arrays, chain != nullptr), metadata);
  parts.bias = read_finite(arrays, "b", parts.calibration.n_scores());
  ScorerReader(arrays, metadata, parts).read();
  if (chain) {
    refuse_unless(parts.calibration.is_multilabel(), "a chain of labels, of which a text has one");
    parts.chain = read_chain(*chain, arrays, parts.bias.size());
  }
  Model model(std::move(parts));
  check_golden(model, *metadata.find("golden"), *metadata.find("training"));
  return model;
}

}  // namespace wordplane
