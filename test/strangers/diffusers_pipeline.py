"""Pipelines of diffusers make pictures: DDPM, and latent diffusion from text with everything made in memory.
needs: torch diffusers transformers
"""
import numpy
import torch
from diffusers import (AutoencoderKL, DDIMScheduler, DDPMPipeline, DDPMScheduler, StableDiffusionPipeline, UNet2DConditionModel,
                       UNet2DModel)
from transformers import CLIPTextConfig, CLIPTextModel

torch.manual_seed(0)
torch.set_num_threads(1)
STEPS = 4

unet = UNet2DModel(sample_size=16, in_channels=3, out_channels=3, layers_per_block=1, block_out_channels=(16, 32), norm_num_groups=4,
                   down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"))
pipeline = DDPMPipeline(unet=unet, scheduler=DDPMScheduler(num_train_timesteps=10))
pipeline.set_progress_bar_config(disable=True)
picture = pipeline(batch_size=2, generator=torch.Generator().manual_seed(1), num_inference_steps=STEPS, output_type="np").images
print(picture.shape, picture.astype(numpy.float64).sum())

text = CLIPTextModel(CLIPTextConfig(vocab_size=100, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
                                    num_attention_heads=4, max_position_embeddings=77))
autoencoder = AutoencoderKL(block_out_channels=(16, 32), in_channels=3, out_channels=3, latent_channels=4, norm_num_groups=4,
                            down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2)
conditioned = UNet2DConditionModel(block_out_channels=(16, 32), layers_per_block=1, sample_size=8, in_channels=4, out_channels=4,
                                   down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"), norm_num_groups=4,
                                   up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), cross_attention_dim=32)
stable = StableDiffusionPipeline(vae=autoencoder, text_encoder=text, tokenizer=None, unet=conditioned, scheduler=DDIMScheduler(),
                                 safety_checker=None, feature_extractor=None, requires_safety_checker=False)
stable.set_progress_bar_config(disable=True)
seen = []
with torch.no_grad():
    embeddings = text(torch.randint(3, 90, (1, 77)))[0]
made = stable(prompt_embeds=embeddings, negative_prompt_embeds=torch.zeros_like(embeddings), num_inference_steps=STEPS,
              generator=torch.Generator().manual_seed(2), output_type="np", height=16, width=16,
              callback_on_step_end=lambda pipe, step, time, tensors: seen.append(int(time)) or tensors).images
print(made.shape, made.astype(numpy.float64).sum(), seen)
stable.save_pretrained("saved", safe_serialization=True)
print(sorted(StableDiffusionPipeline.load_config("saved")))
# The pipeline decodes by a method of the autoencoder, whose decoder is then the outermost module that is called.
print("models", {"UNet2DModel": STEPS, "CLIPTextModel": 1, "UNet2DConditionModel": len(seen), "Conv2d": 1, "Decoder": 1})
