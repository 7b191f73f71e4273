"""The Trainer of transformers trains with callbacks, evaluates, saves and goes on from its checkpoint.
needs: torch transformers accelerate
files: out/*/trainer_state.json
"""
import os

import torch
from transformers import (DistilBertConfig, DistilBertForSequenceClassification, PrinterCallback, Trainer, TrainerCallback,
                          TrainingArguments, set_seed)

set_seed(0)
torch.set_num_threads(1)


class Texts(torch.utils.data.Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, i):
        tokens = torch.randint(3, 100, (8,), generator=torch.Generator().manual_seed(i))
        return {"input_ids": tokens, "attention_mask": torch.ones_like(tokens), "labels": int(tokens.sum() % 2)}


class Losses(TrainerCallback):
    def on_log(self, arguments, state, control, logs=None, **others):
        print({key: value for key, value in logs.items() if key in ("loss", "eval_loss", "epoch", "grad_norm")})


class Counting(Trainer):
    calls = 0

    def compute_loss(self, *arguments, **keywords):
        Counting.calls += 1
        return super().compute_loss(*arguments, **keywords)


def trainer(epochs):
    model = DistilBertForSequenceClassification(DistilBertConfig(vocab_size=128, dim=32, n_layers=2, n_heads=4, hidden_dim=64))
    made = Counting(
        model=model,
        args=TrainingArguments(output_dir="out", num_train_epochs=epochs, per_device_train_batch_size=4,
                               per_device_eval_batch_size=4, logging_steps=1, eval_strategy="epoch", save_strategy="epoch",
                               report_to=[], disable_tqdm=True, seed=0, use_cpu=True, gradient_accumulation_steps=1),
        train_dataset=Texts(), eval_dataset=Texts(), callbacks=[Losses()])  # fmt: skip
    made.remove_callback(PrinterCallback)  # prints times
    return made


first = trainer(1)
first.train()
again = trainer(2)
again.train(resume_from_checkpoint=first.state.best_model_checkpoint or "out/checkpoint-3")
predictions = again.predict(Texts())
print(predictions.predictions.astype("float64").sum(), sorted(os.listdir("out")))
print("models", {"DistilBertForSequenceClassification": Counting.calls})
