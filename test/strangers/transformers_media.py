"""ViT of transformers classifies an image, Whisper writes down a sound, T5 translates: random weights from configurations.
needs: torch transformers
"""
import inspect

import torch
from transformers import (T5Config, T5ForConditionalGeneration, ViTConfig, ViTForImageClassification, WhisperConfig,
                          WhisperForConditionalGeneration, set_seed)

set_seed(0)
torch.set_num_threads(1)
calls = {}

vit = ViTForImageClassification(ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
                                          image_size=32, patch_size=8, num_labels=5)).eval()
print(inspect.signature(vit.forward), inspect.signature(vit.__call__), inspect.signature(vit))
for batch in (1, 3):
    with torch.inference_mode():
        out = vit(torch.randn(batch, 3, 32, 32))
    calls["ViTForImageClassification"] = calls.get("ViTForImageClassification", 0) + 1
    print(tuple(out.logits.shape), out.logits.double().sum().item())

whisper = WhisperForConditionalGeneration(
    WhisperConfig(vocab_size=128, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                  decoder_attention_heads=4, encoder_ffn_dim=64, decoder_ffn_dim=64, num_mel_bins=16,
                  max_source_positions=50, max_target_positions=32, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                  decoder_start_token_id=1, suppress_tokens=None, begin_suppress_tokens=None)).eval()  # fmt: skip
sound = torch.randn(2, 16, 100)
for prompt in ([[1]], [[1, 5, 6]]):
    out = whisper(input_features=sound, decoder_input_ids=torch.tensor(prompt * 2))
    calls["WhisperForConditionalGeneration"] = calls.get("WhisperForConditionalGeneration", 0) + 1
    print(tuple(out.logits.shape), out.logits.double().sum().item(), len(out.past_key_values))

t5 = T5ForConditionalGeneration(T5Config(vocab_size=128, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
                                         decoder_start_token_id=0)).eval()  # fmt: skip
optimizer = torch.optim.AdamW(t5.parameters(), lr=1e-2)
words = torch.randint(3, 100, (2, 6))
for _ in range(4):
    optimizer.zero_grad()
    loss = t5(input_ids=words, labels=words.flip(1)).loss
    calls["T5ForConditionalGeneration"] = calls.get("T5ForConditionalGeneration", 0) + 1
    loss.backward()
    optimizer.step()
    print("loss", loss.item())
print("models", calls)
