"""Messages between the parts of a fit, from worker to worker.

Dask's scheduler needs about ten milliseconds from one task to the next, as long as a
phase of a small corpus. So a task sweeps over a part for many phases, and the parts
fetch from each other what they need. The client chooses the worker that keeps the
messages of a part, whether the task of the part runs there or not.
"""

import asyncio
from collections import defaultdict
from typing import Any, NamedTuple

from distributed import Worker, get_worker
from distributed.core import clean_exception
from distributed.protocol.pickle import dumps
from distributed.utils import sync


class PartLostError(RuntimeError):
    """A worker is gone, and with it the messages between the parts of a fit."""


def lost(subject: str) -> str:
    """Return an error message that says what is gone, and how to go on."""
    return (
        f"{subject} is gone, and its part of the fit is lost: call fit again; if it "
        "had a `storage`, fit(X, resume=True) resumes from the last stored sweep."
    )


class Group(NamedTuple):
    """The parts of a fit, which sweep at the same time."""

    fit: str
    places: list[str]  # the address of the worker with the messages of each part


class _Box:
    """The last messages of a part; everything runs in the event loop of a worker."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.messages: defaultdict = defaultdict(loop.create_future)  # by phase
        self.last = 0

    def put(self, phase: int, message: Any) -> None:
        """Enter a message, unless a task that Dask repeats has entered it before."""
        if not self.messages[phase].done():
            self.messages[phase].set_result(message)
        self.last = max(self.last, phase)
        # A part enters a message when it has all messages of the phase before. Their
        # senders had all messages of the phase before that, which are not needed again.
        self.messages.pop(phase - 2, None)


_boxes: dict[tuple[str, int], _Box] = {}
_ended: set[str] = set()  # fits


def end(fit: str) -> None:
    """Forget the messages of a fit; its tasks that wait for a message fail."""
    _ended.add(fit)
    for key in [key for key in _boxes if key[0] == fit]:
        for message in _boxes.pop(key).messages.values():
            if not message.done():
                message.set_result(None)


async def _put(fit: str, part: int, phase: int, message: Any) -> bool | None:
    if fit in _ended:
        return None
    _boxes.setdefault((fit, part), _Box()).put(phase, message)
    return True


async def _get(fit: str, part: int, phase: int, field: slice) -> Any:
    """Return fields of a message as soon as it is there; None if it never comes."""
    if fit in _ended:
        return None
    box = _boxes.setdefault((fit, part), _Box())
    if phase < box.last - 1:  # a task is repeated, but not those of all parts
        return None
    message = await asyncio.shield(box.messages[phase])
    return message and message[field]


async def _call(worker: Worker, place: str, function: Any, *arguments: Any) -> Any:
    """Return what a function returns on another worker, or raise its error.

    None means that a part is lost.
    """
    if place == worker.address:
        result = await function(*arguments)
    else:
        try:
            answer = await worker.rpc(place).run(
                function=dumps(function), args=dumps(arguments)
            )
        except (TimeoutError, OSError) as error:
            raise PartLostError(lost(f"The worker at {place}")) from error
        if answer["status"] == "error":
            _, error, traceback = clean_exception(**answer)
            raise error.with_traceback(traceback)
        result = answer["result"]
    if result is None:
        raise PartLostError(lost("A worker"))
    return result


async def _exchange(
    worker: Worker, group: Group, part: int, phase: int, message: tuple
) -> list[Any]:
    fit, places = group
    await _call(worker, places[part], _put, fit, part, phase, message)
    other_parts = [(part + i) % len(places) for i in range(1, len(places))]
    fields = [slice(None), *[slice(1, None)] * len(other_parts)]
    requests = (
        _call(worker, places[other], _get, fit, other, phase, field)
        for other, field in zip(other_parts, fields, strict=False)
    )
    return await asyncio.gather(*requests)


def exchange(group: Group, part: int, phase: int, message: tuple) -> list[Any]:
    """Give a message to all parts of a group; return fields of their messages.

    These are all fields of the next part's message, and all but the first of others.
    """
    if len(group.places) == 1:
        return []
    worker = get_worker()
    parts = sync(worker.loop, _exchange, worker, group, part, phase, message)
    return [field for fields in parts for field in fields]
