"""sentence-transformers encodes sentences, with a model of its own modules that is saved and loaded again.
needs: torch transformers sentence_transformers tokenizers
"""
import torch
from sentence_transformers import SentenceTransformer, util
from sentence_transformers.models import Dense, Normalize, Pooling, Transformer
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

torch.manual_seed(0)
torch.set_num_threads(1)
WORDS = "[PAD] [UNK] [CLS] [SEP] [MASK] a cat dog sits on the mat runs in park house green red blue sky".split()
SENTENCES = ["a cat sits on the mat", "the dog runs in the park", "green sky", "a red house in the blue park"] * 3
BATCH = 4


def main():
    tokenizer = Tokenizer(WordLevel({word: i for i, word in enumerate(WORDS)}, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token="[UNK]", pad_token="[PAD]", cls_token="[CLS]",
                            sep_token="[SEP]", mask_token="[MASK]", model_max_length=32).save_pretrained("bert")
    BertModel(BertConfig(vocab_size=len(WORDS), hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                         intermediate_size=64, max_position_embeddings=32)).save_pretrained("bert")
    words = Transformer("bert", max_seq_length=32)
    model = SentenceTransformer(modules=[words, Pooling(32), Dense(32, 16), Normalize()], device="cpu")
    calls = 0
    for _ in range(2):
        vectors = model.encode(SENTENCES, batch_size=BATCH, show_progress_bar=False)
        calls += len(SENTENCES) // BATCH
        print(vectors.shape, vectors.astype("float64").sum())
    print(util.semantic_search(torch.tensor(vectors[:1]), torch.tensor(vectors), top_k=3))
    model.save("model", create_model_card=False)  # the card would show an encoded sentence
    again = SentenceTransformer("model", device="cpu")
    print((again.encode(SENTENCES[:BATCH], show_progress_bar=False) == vectors[:BATCH]).all())
    calls += 1
    print("models", {"SentenceTransformer": calls})


if __name__ == "__main__":
    main()
