"""The version of sklda, below everything that states it."""

__version__ = "0.1.0.dev0"
