// A part of the features of a text model: how they are read, and their columns.
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "features/hashed_reader.h"
#include "text/token_features.h"
#include "text/vocabulary.h"

namespace wordplane {

struct Block {
  std::variant<Analysis, TokenFeatures> features;
  std::shared_ptr<const Vocabulary> vocabulary;  // none: features are hashed into n_hashed columns
  std::uint32_t n_hashed = 0;

  std::size_t n_features() const { return vocabulary ? vocabulary->n_features() : n_hashed; }

  // The name of a column; "#5" if any feature may be in it.
  std::string name(std::size_t column) const {
    if (!vocabulary) return "#" + std::to_string(column);
    const std::string name = vocabulary->name(column);
    return vocabulary->parts() == Parts::chars ? "char:" + name : name;
  }

  std::unique_ptr<Reader> reader() const {
    if (const auto* analysis = std::get_if<Analysis>(&features)) {
      if (!vocabulary) return std::make_unique<HashedReader>(*analysis, n_hashed);
      return std::make_unique<NgramReader>(*analysis, *vocabulary);
    }
    const auto& of_tokens = std::get<TokenFeatures>(features);
    TokenFeatureReader::Columns columns;
    if (vocabulary) {
      columns.of = [known = vocabulary.get()](std::string_view name) {
        return known->column_of(name);
      };
      columns.expect = [known = vocabulary.get()](std::string_view name) {
        known->words().prefetch(name);
      };
    } else {
      columns.of = [n = n_hashed](std::string_view name) {
        return hashed_column(murmur3(name), n);
      };
    }
    return std::make_unique<TokenFeatureReader>(of_tokens, std::move(columns));
  }
};

}  // namespace wordplane
