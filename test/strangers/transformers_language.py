"""GPT-2 and Llama of transformers generate text, BERT classifies: random weights from configurations.
needs: torch transformers
"""
import copy
import inspect
import pickle

import torch
from transformers import (BertConfig, BertForSequenceClassification, GPT2Config, GPT2LMHeadModel, LlamaConfig,
                          LlamaForCausalLM, set_seed)

set_seed(0)
torch.set_num_threads(1)
calls = {"GPT2LMHeadModel": 0, "LlamaForCausalLM": 0, "BertForSequenceClassification": 0}


def count(model):
    """The steps of generate() are calls of the model that only the model sees."""
    forward = model.forward

    def counted(*arguments, **keywords):
        calls[type(model).__name__] += 1
        return forward(*arguments, **keywords)

    counted.__signature__ = inspect.signature(forward)
    model.forward = counted
    return model


tokens = torch.randint(5, 200, (2, 7))
gpt = count(GPT2LMHeadModel(GPT2Config(vocab_size=256, n_embd=32, n_layer=2, n_head=4, n_positions=64, bos_token_id=1,
                                       eos_token_id=None, pad_token_id=0)).eval())
for options in ({"do_sample": False}, {"do_sample": True, "top_k": 20}, {"num_beams": 3}, {"use_cache": False}):
    made = gpt.generate(tokens, attention_mask=torch.ones_like(tokens), max_new_tokens=6, min_new_tokens=6, **options)
    print(sorted(options.items()), made.tolist())

llama = count(LlamaForCausalLM(LlamaConfig(vocab_size=256, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                                           num_attention_heads=4, num_key_value_heads=2, pad_token_id=0,
                                           eos_token_id=None)).eval())
for implementation in ("eager", "sdpa"):
    llama.set_attn_implementation(implementation)
    made = llama.generate(tokens, attention_mask=torch.ones_like(tokens), max_new_tokens=5, min_new_tokens=5,
                          output_scores=True, return_dict_in_generate=True, output_attentions=implementation == "eager")
    print(implementation, made.sequences.tolist(), [score.double().sum().item() for score in made.scores])
loss = llama(input_ids=tokens, labels=tokens).loss
loss.backward()
print("loss", loss.item(), sum(p.grad.double().abs().sum().item() for p in llama.parameters()))

bert = BertForSequenceClassification(BertConfig(vocab_size=256, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                                                intermediate_size=64, num_labels=3)).eval()
for model in (bert, copy.deepcopy(bert), pickle.loads(pickle.dumps(bert))):
    with torch.no_grad():
        out = model(input_ids=tokens, output_hidden_states=True, output_attentions=False)
    calls["BertForSequenceClassification"] += 1
    print(type(out).__name__, out.logits.tolist(), [state.double().sum().item() for state in out.hidden_states])
print("models", calls)
