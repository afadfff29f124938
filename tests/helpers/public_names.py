"""All public names of sklda, as its users find them."""

import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import is_dataclass
from types import ModuleType

from sklearn.base import BaseEstimator

import sklda


def public_modules(module: ModuleType = sklda) -> Iterator[ModuleType]:
    """Yield sklda and every module below it that some ``__all__`` names."""
    yield module
    for name in module.__all__:
        member = getattr(module, name)
        if inspect.ismodule(member):
            yield from public_modules(member)


def optional_modules() -> Iterator[ModuleType]:
    """Yield the modules that need an extra, where it is installed."""
    with suppress(ImportError):
        import sklda.dask

        yield sklda.dask


def methods(cls: type) -> Iterator[tuple[str, Callable]]:
    """Yield the public methods of a class that sklda defines, not scikit-learn."""
    for name, member in inspect.getmembers(cls, inspect.isroutine):
        # To inspect, a cached property is a routine, too.
        is_public = callable(member) and not name.startswith("_")
        if is_public and member.__module__.split(".")[0] == "sklda":
            yield name, member


def public_callables(
    modules: Iterable[ModuleType] | None = None,
) -> Iterator[tuple[str, Callable]]:
    """Yield every public function, class and method with its full name."""
    for module in public_modules() if modules is None else modules:
        for name in module.__all__:
            member = getattr(module, name)
            full_name = f"{module.__name__}.{name}"
            if inspect.isroutine(member) or inspect.isclass(member):
                yield full_name, member
            if inspect.isclass(member):
                for method_name, method in methods(member):
                    yield f"{full_name}.{method_name}", method


def estimators() -> dict[str, type]:
    """Return every public estimator by its name."""
    members = {name: getattr(sklda, name) for name in sklda.__all__}
    return {
        name: member
        for name, member in members.items()
        if inspect.isclass(member) and issubclass(member, BaseEstimator)
    }


def parameters(member: Callable) -> list[inspect.Parameter]:
    """Return what a caller passes; results are made by functions, not by callers."""
    if is_dataclass(member) and not hasattr(member, "fit"):
        return []
    every = inspect.signature(member).parameters.values()
    return [parameter for parameter in every if parameter.name not in {"self", "cls"}]
