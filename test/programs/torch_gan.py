"""Unmodified training: a generator and a discriminator, trained in turns; the loss is a module."""
import torch
from torch import nn
from torch_facts import digest


class Generator(nn.Module):
    def __init__(self):
        super().__init__()
        self.grow = nn.Linear(16, 8 * 4 * 4)
        self.body = nn.Sequential(nn.ConvTranspose2d(8, 8, 4, 2, 1), nn.BatchNorm2d(8), nn.ReLU(),
                                  nn.ConvTranspose2d(8, 1, 4, 2, 1), nn.Tanh())  # fmt: skip

    def forward(self, noise):
        return self.body(self.grow(noise).view(-1, 8, 4, 4))


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(1, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(8, 16, 4, 2, 1), nn.LeakyReLU(0.2))
        self.head = nn.Linear(16 * 4 * 4, 1)

    def forward(self, image):
        return self.head(self.body(image).flatten(1))


torch.manual_seed(0)
torch.set_num_threads(1)
generator, discriminator = Generator(), Discriminator()
loss_of = nn.BCEWithLogitsLoss()
optimizer_g = torch.optim.Adam(generator.parameters(), lr=2e-3, betas=(0.5, 0.999))
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=2e-3, betas=(0.5, 0.999))
real_word, fake_word = torch.ones(4, 1), torch.zeros(4, 1)
for step in range(3):
    real = torch.randn(4, 1, 16, 16)
    noise = torch.randn(4, 16)
    optimizer_d.zero_grad()
    loss_d = loss_of(discriminator(real), real_word) + loss_of(discriminator(generator(noise).detach()), fake_word)
    loss_d.backward()
    optimizer_d.step()
    optimizer_g.zero_grad()
    loss_g = loss_of(discriminator(generator(noise)), real_word)
    loss_g.backward()
    optimizer_g.step()
    print(step, f"{loss_d.item():.9g} {loss_g.item():.9g}", digest(loss_d, loss_g))
print(digest(list(generator.parameters()), list(discriminator.parameters())))
