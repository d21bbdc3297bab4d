"""Studies as search spaces: for Optuna, Dakota and anything else that asks and tells."""
import math
import random

from ._library import NoSuchPoint
from .study import AXIS, LAYOUT, Study


class Space:
    """What may be chosen in a study, and what comes of it.

    `parameters` are the axes and the fields of layouts that have several values; each has a name
    and its choices. Not all combinations of layouts are valid: `loss` is infinite there, and
    `evaluate` raises NoSuchPoint.

    >>> space = Space({"workload": {"kind": "training", "model": "llama-3-8b", "sequence": 8192,
    ...                             "global_batch": 64},
    ...                "system": {"accelerators": 8, "device": ["h100", "b200"]},
    ...                "strategy": {"tensor_parallel": [1, 2, 4], "pipeline_parallel": 1,
    ...                             "micro_batch": 1, "recompute": ["none", "full"],
    ...                             "zero": 1, "sequence_parallel": False}})
    >>> {parameter.name: parameter.choices for parameter in space.parameters}
    ...     # doctest: +NORMALIZE_WHITESPACE
    {'device': ['h100-sxm', 'b200-sxm'], 'tensor_parallel': [1, 2, 4],
     'recompute': ['none', 'full']}
    >>> point = space.evaluate({"device": "b200-sxm", "tensor_parallel": 2, "recompute": "none"})
    >>> point["data_parallel"]
    4
    """

    def __init__(self, study, catalog=None):
        self.study = study if isinstance(study, Study) else Study(study, catalog)
        self.parameters = [of for of in self.study.parameters
                           if of.kind in (AXIS, LAYOUT) and len(of.choices) > 1]
        self._names = {of.name for of in self.parameters}

    def ask(self, suggest):
        """A value for each parameter, as suggest(name, choices) gives it: of Optuna
        `trial.suggest_categorical`."""
        return {of.name: suggest(of.name, of.choices) for of in self.parameters}

    def evaluate(self, values):
        """The Estimate of the point with these values."""
        return self.study.point(self.study.id_of(values))

    def loss(self, values):
        """The first objective, less is better; infinite if the point is not valid or not
        feasible."""
        try:
            return float(self.study.losses([self.study.id_of(values)])[0][0])
        except NoSuchPoint:
            return math.inf

    def values_at(self, id):
        """The values of the parameters at a point."""
        return {name: value for name, value in self.study.choices(id).items()
                if name in self._names}


class Search:
    """Random search by ask and tell: what others do better, and a baseline for them.

    Every valid point is as likely as any other, and none comes twice.

    >>> search = Search(Space({"workload": {"kind": "training", "model": "llama-3-8b",
    ...                                     "sequence": 8192, "global_batch": 64},
    ...                        "system": {"accelerators": 8, "device": ["h100", "b200"]}}), seed=1)
    >>> for _ in range(20):
    ...     values = search.ask()
    ...     search.tell(values, search.space.loss(values))
    >>> loss, values = search.best
    >>> loss == search.space.loss(values)
    True
    """

    def __init__(self, space, seed=None):
        self.space = space
        self.best = (math.inf, None)  # loss and values
        self._random = random.Random(seed)
        self._asked = set()

    def ask(self):
        """Values that were not asked before; None once all were."""
        size = len(self.space.study)
        if len(self._asked) == size:
            return None
        id = self._random.randrange(size)
        while id in self._asked:  # the next one that is left, where most are gone
            id = self._random.randrange(size) if 2 * len(self._asked) < size else (id + 1) % size
        self._asked.add(id)
        return self.space.values_at(id)

    def tell(self, values, loss):
        if loss < self.best[0]:
            self.best = (loss, values)
