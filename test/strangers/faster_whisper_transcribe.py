"""faster-whisper writes down a sound, with a random Whisper of transformers that CTranslate2's converter has converted.
needs: torch transformers faster_whisper ctranslate2 tokenizers
"""
import numpy
import torch
from ctranslate2.converters import TransformersConverter
from faster_whisper import WhisperModel
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import WhisperConfig, WhisperFeatureExtractor, WhisperForConditionalGeneration, WhisperTokenizerFast

torch.manual_seed(0)
torch.set_num_threads(1)
LANGUAGES = ["en", "de", "fr"]
special = (["<|endoftext|>", "<|startoftranscript|>"] + [f"<|{language}|>" for language in LANGUAGES] +
           ["<|translate|>", "<|transcribe|>", "<|startoflm|>", "<|startofprev|>", "<|nospeech|>", "<|notimestamps|>"] +
           [f"<|{i * 0.02:.2f}|>" for i in range(1501)])
letters = sorted(pre_tokenizers.ByteLevel.alphabet())
tokenizer = Tokenizer(models.BPE({letter: i for i, letter in enumerate(letters)}, []))
tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
tokenizer.add_special_tokens([AddedToken(text, special=True) for text in special])
ids = {text: len(letters) + i for i, text in enumerate(special)}
fast = WhisperTokenizerFast(tokenizer_object=tokenizer, unk_token="<|endoftext|>", bos_token="<|endoftext|>", eos_token="<|endoftext|>")
config = WhisperConfig(
    vocab_size=len(letters) + len(special), d_model=32, encoder_layers=1, decoder_layers=2, encoder_attention_heads=4,
    decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, num_mel_bins=80, bos_token_id=ids["<|endoftext|>"],
    pad_token_id=ids["<|endoftext|>"], eos_token_id=ids["<|endoftext|>"], begin_suppress_tokens=None,
    decoder_start_token_id=ids["<|startoftranscript|>"], suppress_tokens=None)  # fmt: skip
model = WhisperForConditionalGeneration(config)
model.generation_config.lang_to_id = {f"<|{language}|>": ids[f"<|{language}|>"] for language in LANGUAGES}
model.generation_config.is_multilingual = True
model.generation_config.alignment_heads = [[1, 0]]
model.generation_config.suppress_tokens = []
model.generation_config.no_timestamps_token_id = ids["<|notimestamps|>"]
model.save_pretrained("whisper")
fast.save_pretrained("whisper")
tokenizer.save("whisper/tokenizer.json")
WhisperFeatureExtractor(feature_size=80).save_pretrained("whisper")
TransformersConverter("whisper", copy_files=["tokenizer.json", "preprocessor_config.json"]).convert("converted", quantization="int8")
whisper = WhisperModel("converted", device="cpu", compute_type="int8", cpu_threads=1)
sound = numpy.sin(numpy.arange(16000 * 3) * 0.05).astype(numpy.float32)
for options in ({"language": "en", "beam_size": 1}, {"language": "de", "beam_size": 3, "without_timestamps": True}):
    segments, info = whisper.transcribe(sound, temperature=0.0, max_new_tokens=12, condition_on_previous_text=False, **options)
    for segment in segments:
        print(segment.tokens, f"{segment.avg_logprob:.6f}", segment.text.encode())
    print(info.language, info.duration)
features = numpy.zeros((1, 80, 3000), numpy.float32)
print(numpy.asarray(whisper.encode(features)).astype("float64").sum())
print("models", {})
