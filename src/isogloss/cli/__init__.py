"""The commands: each parses, makes one call to the library, and prints."""

import io
import logging
import os
import signal
import sys

import click

from isogloss.cli.asking import lexicon, translate
from isogloss.cli.converting import cache, export, transform
from isogloss.cli.fitting import fit, info
from isogloss.cli.measuring import check, evaluate
from isogloss.cli.show import Notes
from isogloss.cli.trying import demo, sample
from isogloss.errors import IsoglossError
from isogloss.translator import __version__

COMMANDS = (fit, translate, evaluate, lexicon, export, transform, check, info, cache, demo, sample)


class InOrder(click.Group):
    """A group that lists its commands in the order in which one needs them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names."""
        return list(self.commands)


@click.group(cls=InOrder, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="isogloss")
def isogloss() -> None:
    """Two languages on one map: word vectors in, translations with probabilities out."""


for command in COMMANDS:
    isogloss.add_command(command)


def main() -> None:
    """Run a command; what the user can mend becomes one line and exit status 1."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # What is printed is UTF-8 whatever the terminal's locale, as the files are.
        sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    logging.getLogger("isogloss").addHandler(Notes())
    try:
        status = isogloss(prog_name="isogloss", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        status = stop.exit_code
    except click.ClickException as error:
        error.show()
        status = error.exit_code
    except IsoglossError as error:
        status = _complain(str(error))
    except BrokenPipeError:
        # The reader of our output has gone: leave as quietly as other tools do.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = 128 + signal.SIGPIPE if hasattr(signal, "SIGPIPE") else 1
    except (KeyboardInterrupt, click.Abort):
        status = _complain("interrupted") and 130
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        status = _complain(f"{where}{error.strerror or error}")
    except MemoryError:
        status = _complain("out of memory; read fewer words with --limit")
    sys.exit(status if isinstance(status, int) else 0)


def _complain(text: str) -> int:
    click.echo(f"isogloss: {text}", err=True)
    return 1
