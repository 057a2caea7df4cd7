"""An embedder on onnxruntime and tokenizers: a model file, a tokenizer file, and how the model wants its text.

What it promises beyond the port: a text's vector does not depend on its company. Texts are run one at a time, each on
one thread, several at once on as many threads as there are processors: no padding, no shared quantisation range, no
order of summation that depends on timing. Batches would gain nothing (docs/decisions/0003-the-embedding-model.md).

Nothing heavy is imported, and no file but a small card is read, until the first text comes.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Callable, Literal, Sequence

from memoranda.model.errors import Corrupt, Unavailable
from memoranda.model.values import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

THREADS_MAX = 4
# No token of a text beyond this many characters per token of the window reaches the model: WordPiece gives one token
# for any word of more than 100 characters, so the window is full long before, except in runs of blanks.
CHARS_PER_TOKEN_MAX = 100


@dataclass(frozen=True, slots=True)
class Habits:
    """How a model wants its text. `window` is in tokens, special ones included; longer texts are cut there.

    `pooling` says how token vectors become one, when the graph does not do it itself ("inside").
    """

    window: int
    pooling: Literal["inside", "mean", "first"]
    query_prefix: str = ""
    passage_prefix: str = ""


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """Where the two files of a model are."""

    model: Path
    tokenizer: Path


class OnnxEmbedder:
    """Keeps the promise of `ports.Embedder`. Safe to use from several threads.

    `locate` is called once, before the first text; it may fetch. It raises `Unavailable` when the files cannot be had.
    """

    def __init__(
        self,
        stamp: str,
        dims: int,
        habits: Habits,
        locate: Callable[[], ModelFiles],
        tokenizer: Path | None = None,
    ) -> None:
        self._stamp = stamp
        self._dims = dims
        self._habits = habits
        self._locate = locate
        self._tokenizer = tokenizer
        self._split: Callable[[str], Any] | None = None
        self._lock = Lock()
        self._encode: Callable[[str], NDArray[np.float32]] | None = None

    @property
    def stamp(self) -> str:
        return self._stamp

    @property
    def dims(self) -> int:
        return self._dims

    def passages(self, texts: Sequence[str]) -> memoryview:
        """Unit vectors, float32 (len(texts), dims). Raises `Unavailable` or `Corrupt` when the model cannot run."""
        import numpy as np

        encode, prefix = self._ready(), self._habits.passage_prefix
        rows = np.empty((len(texts), self._dims), np.float32)

        def fill(row: int) -> None:
            rows[row] = encode(prefix + texts[row])

        workers = min(len(texts), _processors(), THREADS_MAX)
        if workers <= 1:
            for row in range(len(texts)):
                fill(row)
        else:
            with ThreadPoolExecutor(workers, "embed") as pool:
                list(pool.map(fill, range(len(texts))))
        return rows.data

    def query(self, text: str) -> memoryview:
        """The unit vector of one question, float32 (dims,). Raises as `passages`."""
        return self._ready()(self._habits.query_prefix + text).data

    def tokens(self, text: str) -> int:
        """How many tokens the text has, special ones apart; loads no model. Raises `Unavailable` when the tokenizer
        does not lie on this disk."""
        if self._split is None:
            if self._tokenizer is None:
                raise Unavailable("this model's tokenizer is not on this disk")
            try:
                from tokenizers import Tokenizer
            except ImportError as error:
                raise Unavailable(f"counting needs {error.name}", "pip install --force-reinstall memoranda") from error
            try:
                tokenizer = Tokenizer.from_file(str(self._tokenizer))
            except Exception as error:  # the library raises bare exceptions
                raise Corrupt(f"{self._tokenizer} cannot be loaded", "install or build it again") from error
            tokenizer.no_truncation()
            self._split = lambda text: tokenizer.encode(text, add_special_tokens=False)
        return len(self._split(text.encode("utf-8", "replace").decode()).ids)

    def _ready(self) -> Callable[[str], NDArray[np.float32]]:
        with self._lock:
            if self._encode is None:
                self._encode = _load(self._locate(), self._habits, self._dims)
            return self._encode


def _load(files: ModelFiles, habits: Habits, dims: int) -> Callable[[str], NDArray[np.float32]]:
    """Opens tokenizer and session and returns the function from a text to its unit vector."""
    # The runtime reports its use to its maker unless told not to, and looks at the variable when it is imported.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    try:
        import numpy as np
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise Unavailable(f"vectors need {error.name}", "pip install --force-reinstall memoranda") from error
    onnxruntime.disable_telemetry_events()
    try:
        tokenizer = Tokenizer.from_file(str(files.tokenizer))
        session = onnxruntime.InferenceSession(str(files.model), _options(), providers=["CPUExecutionProvider"])
    except Exception as error:  # both libraries raise bare exceptions of their own for a damaged or foreign file
        raise Corrupt(f"the model in {files.model.parent} cannot be loaded", "install or build it again") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(habits.window)
    wanted = {item.name for item in session.get_inputs()}
    longest = habits.window * CHARS_PER_TOKEN_MAX

    def encode(text: str) -> NDArray[np.float32]:
        # A lone surrogate, which JSON can smuggle in, has no UTF-8 form; the tokenizer would raise.
        ids = tokenizer.encode(text[:longest].encode("utf-8", "replace").decode("utf-8")).ids
        inputs = {"input_ids": np.array([ids], np.int64)}
        if "attention_mask" in wanted:
            inputs["attention_mask"] = np.ones_like(inputs["input_ids"])
        if "token_type_ids" in wanted:
            inputs["token_type_ids"] = np.zeros_like(inputs["input_ids"])
        return _pool(session.run(None, inputs)[0][0], habits.pooling, dims)

    return encode


def _options() -> Any:
    """One thread a run; the parallelism is in running several texts at once."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.enable_mem_pattern = False  # it caches a plan for every length seen
    options.log_severity_level = 3  # errors only; the library warns about processors on stderr
    return options


def _pool(output: NDArray[np.float32], pooling: str, dims: int) -> NDArray[np.float32]:
    """One unit vector from what the graph gave: (dims,) if it pools inside, else (tokens, dims)."""
    import numpy as np

    if pooling == "mean":
        output = output.mean(axis=0)
    elif pooling == "first":
        output = output[0]
    if output.shape != (dims,):
        raise Corrupt(f"the model gives {output.shape} where ({dims},) was expected", "install or build it again")
    unit = output / max(float(np.linalg.norm(output)), 1e-12)
    return np.ascontiguousarray(unit, np.float32)


def _processors() -> int:
    """The processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
