// How similar are sentences? embed_sentences [folder sentence...]
//
// The folder is that of a sentence transformer such as all-MiniLM-L6-v2: model.safetensors and
// vocab.txt. Without arguments the weights are random.
#include <sinter/models.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "../command_line.hpp"

using namespace sinter;

const char* const help =
    "embed_sentences [folder sentence...]\n"
    "  folder     that of a sentence transformer, with model.safetensors and vocab.txt\n"
    "  sentence   in English\n"
    "  Without them weights and sentences are random.\n";

using Ids = std::vector<std::int64_t>;
using Vocabulary = std::map<std::string, std::int64_t>;

Vocabulary read_vocabulary(const std::string& path) {
  Vocabulary result;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    result.emplace(line, static_cast<std::int64_t>(result.size()));
  }
  for (const char* const token : {"[CLS]", "[SEP]", "[UNK]"}) {
    if (!result.contains(token)) throw std::runtime_error(path + " has no " + token);
  }
  return result;
}

// The longest pieces of a word that the vocabulary has, from the left.
void add_pieces(const Vocabulary& vocabulary, const std::string& word, Ids& ids) {
  const std::size_t before = ids.size();
  for (std::size_t begin = 0; begin < word.size();) {
    std::size_t length = word.size() - begin;
    auto found = vocabulary.end();
    for (; length > 0 && found == vocabulary.end(); --length) {
      found = vocabulary.find((begin == 0 ? "" : "##") + word.substr(begin, length));
    }
    if (found == vocabulary.end()) {
      ids.resize(before);
      ids.push_back(vocabulary.at("[UNK]"));
      return;
    }
    ids.push_back(found->second);
    begin += length + 1;
  }
}

// WordPiece for English text: lower case; words and punctuation marks apart.
Ids tokenize(const Vocabulary& vocabulary, const std::string& sentence) {
  Ids ids{vocabulary.at("[CLS]")};
  std::string word;
  for (const char c : sentence + " ") {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isspace(byte) == 0 && std::ispunct(byte) == 0) {
      word += static_cast<char>(std::tolower(byte));
      continue;
    }
    add_pieces(vocabulary, word, ids);
    word.clear();
    if (std::ispunct(byte) != 0) add_pieces(vocabulary, std::string(1, c), ids);
  }
  ids.push_back(vocabulary.at("[SEP]"));
  return ids;
}

// Embeddings of one sentence each; the length is dynamic, so that all share their kernels.
template <class Embed>
Tensor embed_all(Embed& embed, const models::Bert& bert, const std::vector<Ids>& sentences) {
  std::vector<Tensor> rows;
  for (const Ids& ids : sentences) {
    Tensor x = from_vector(ids, {1, static_cast<std::int64_t>(ids.size())});
    mark_dynamic(x, 1);
    rows.push_back(embed(bert, x));
  }
  return concatenate(rows, 0);
}

Tensor embed_one(const models::Bert& bert, const Tensor& ids) {
  return models::mean_pooling(bert(ids), ones_like(ids));
}

int run(const std::vector<std::string>& arguments) {
  const bool has_weights = !arguments.empty();
  if (arguments.size() == 1) command_line::throw_number_of_arguments();
  models::BertOptions options{.hidden_size = 384,  // those of MiniLM
                              .num_hidden_layers = 6,
                              .num_attention_heads = 12,
                              .intermediate_size = 1536};
  std::vector<Ids> sentences{{2, 7, 8, 9, 3}, {2, 7, 8, 4, 9, 3}, {2, 5, 3}};
  if (!has_weights) {
    options = {.vocab_size = 10,
               .hidden_size = 32,
               .num_hidden_layers = 2,
               .num_attention_heads = 4,
               .intermediate_size = 64};
  }
  auto bert = models::Bert(options);
  if (has_weights) {
    const std::string& folder = arguments[0];
    models::load_pretrained(bert, folder);
    const Vocabulary vocabulary = read_vocabulary(folder + "/vocab.txt");
    sentences.clear();
    for (std::size_t i = 1; i < arguments.size(); ++i) {
      sentences.push_back(tokenize(vocabulary, arguments[i]));
    }
  }
  auto embed = compile(embed_one, {.fullgraph = true});
  const Tensor rows = embed_all(embed, bert, sentences);
  print(matmul(rows, transpose(rows, 0, 1)));  // 1: the same, 0: nothing in common
  return embed.stats().recordings == 1 ? 0 : 1;
}

int main(int argc, char** argv) { return command_line::run(argc, argv, help, run); }
