"""Optuna looks for the best point of a spec.

    python3 optuna_search.py SPEC.toml [TRIALS]

Optuna suggests a value for each parameter; combinations that are no valid layout, or do not fit,
have an infinite loss.
"""
import sys

import scalesweep


def search(study, space, trials):
    """With what has Optuna's ask and tell: the best loss, and the values that have it."""
    best = (float("inf"), None)
    for _ in range(trials):
        trial = study.ask()
        values = space.ask(trial.suggest_categorical)
        loss = space.loss(values)
        study.tell(trial, loss)
        best = min(best, (loss, values), key=lambda found: found[0])
    return best


def main(spec, trials="200"):
    import optuna
    space = scalesweep.Space(spec)
    loss, values = search(optuna.create_study(direction="minimize"), space, int(trials))
    print(f"{space.study.objectives[0].name}: {loss:.6g}")
    print(space.evaluate(values) if values else "no feasible point was found; give more trials")


if __name__ == "__main__":
    main(*sys.argv[1:])
