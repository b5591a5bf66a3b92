"""Named configurations, as data: one line each."""

from collections.abc import Mapping as MappingABC
from dataclasses import dataclass, fields, replace
from numbers import Integral, Real
from types import MappingProxyType
from typing import Any, Literal

from isogloss.errors import IsoglossError
from isogloss.hubness import CSLS, Correction, InvertedSoftmax, NearestNeighbour, correction
from isogloss.mapping import CCA, LeastSquares, Mapping, Orthogonal, mapping

_CHANGED = ", changed"


@dataclass(frozen=True)
class Recipe:
    """How a translator is made.

    Parameters
    ----------
    mapping : Mapping
    correction : Correction
    strength : float or "learnt"
        λ: how much of the hub number is subtracted.
    beta : float or "learnt"
        β.
    n_components : int, "learnt" or None
        How many directions are kept; None keeps all.
    held_out : bool
        Whether β, λ and the number of directions are learnt on pairs that the map has not seen;
        the paper learns them on the training dictionary itself.
    name : str
    """

    mapping: Mapping
    correction: Correction
    strength: float | Literal["learnt"]
    beta: float | Literal["learnt"] = "learnt"
    n_components: int | Literal["learnt"] | None = None
    held_out: bool = True
    name: str = "custom"


def recipe(name: str | Recipe, **overrides: Any) -> Recipe:
    """The recipe of a name, with some of its settings replaced.

    Parameters
    ----------
    name : str or Recipe
    **overrides
        Fields of `Recipe`; also `n_samples`, `k` and `center`, handed on to the correction or
        the map where it has such a setting. None leaves a setting as it is.

    Returns
    -------
    Recipe
    """
    if isinstance(name, str):
        if name.endswith(_CHANGED):
            raise IsoglossError(
                f"got {name!r}, a recipe whose changed settings are not kept by name; make a "
                "new Translator with the recipe and its settings"
            )
        if name not in RECIPES:
            raise IsoglossError(f"got recipe {name!r}, expected one of {', '.join(RECIPES)}")
        chosen = replace(RECIPES[name], name=name)
    else:
        chosen = name
    given = {key: value for key, value in overrides.items() if value is not None}
    if not given:
        _check(chosen)
        return chosen
    if "mapping" in given:
        given["mapping"] = mapping(given["mapping"])
    if "correction" in given:
        given["correction"] = correction(given["correction"])
    own = {f.name for f in fields(Recipe)}
    chosen = replace(chosen, **{key: value for key, value in given.items() if key in own})
    for key in given.keys() - own:
        for part in ("mapping", "correction"):
            held: Any = getattr(chosen, part)
            if key in {f.name for f in fields(held)}:
                chosen = replace(chosen, **{part: replace(held, **{key: given[key]})})
                break
        else:
            parts = fields(chosen.mapping), fields(chosen.correction)  # type: ignore[arg-type]
            known = (own - {"name"}).union(f.name for part in parts for f in part)
            raise IsoglossError(
                f"got the setting {key!r}, which recipe {chosen.name!r} does not have; "
                f"expected one of {', '.join(sorted(known))}"
            )
    _check(chosen)
    return replace(chosen, name=f"{chosen.name}{_CHANGED}")


def _check(chosen: Recipe) -> None:
    beta, strength, r = chosen.beta, chosen.strength, chosen.n_components
    if beta != "learnt" and not (isinstance(beta, Real) and beta > 0):
        raise IsoglossError(f'got beta={beta!r}, expected a number above 0 or "learnt"')
    if strength != "learnt" and not (isinstance(strength, Real) and 0 <= strength <= 1):
        raise IsoglossError(f'got strength={strength!r}, expected 0 to 1 or "learnt"')
    if r is not None and r != "learnt" and not (isinstance(r, Integral) and r >= 1):
        raise IsoglossError(f'got n_components={r!r}, expected a number from 1 or "learnt"')


_ISF = InvertedSoftmax(n_samples=1500, random=True)

RECIPES: MappingABC[str, Recipe] = MappingProxyType(
    {
        "best": Recipe(Orthogonal(), InvertedSoftmax(), strength="learnt"),
        "paper": Recipe(Orthogonal(), _ISF, 1.0, n_components="learnt", held_out=False),
        "isf": Recipe(Orthogonal(), _ISF, 1.0, held_out=False),
        "nn": Recipe(Orthogonal(), NearestNeighbour(), 0.0),
        "csls": Recipe(Orthogonal(), CSLS(k=10), 1.0),
        "mikolov": Recipe(LeastSquares(), NearestNeighbour(), 0.0),
        "faruqui": Recipe(CCA(), NearestNeighbour(), 0.0),
    }
)
