"""A nightly job that removes old files once somebody agreed. Nobody sits at its terminal.

    pip install impri
    export IMPRI_API_KEY=im_… IMPRI_BASE_URL=http://127.0.0.1:8484
    python cron_cleanup.py /srv/backups 30

The key names the day, so however often the job is started there is one card, and the removal happens once: a run that
is stopped while it waits is continued by the next, and one that comes after the removal finds nothing to do.
"""

import sys
from datetime import datetime, timedelta, timezone
from pathlib import Path

from impri import ImpriAlreadyRun, ImpriClient, ImpriConflict, ImpriNotApproved


def main(folder: Path, days: int) -> int:
    """Proposes what is older than so many days, and removes what was approved."""
    today = datetime.now(timezone.utc).replace(hour=0, minute=0, second=0, microsecond=0)
    # Counted from midnight, so that every run of a day means the same files.
    oldest = (today - timedelta(days=days)).timestamp()
    old = sorted(path for path in folder.iterdir() if path.is_file() and path.stat().st_mtime < oldest)
    if not old:
        print("Nothing is old.")
        return 0
    proposal = {
        "kind": "files.remove",
        "title": f"Remove {len(old)} files older than {days} days from {folder}",
        "preview": {
            "format": "markdown",
            "body": "".join(f"- `{path.name}`, {path.stat().st_size} bytes\n" for path in old),
        },
        "payload": {"files": [str(path) for path in old]},
        "idempotency_key": f"cleanup:{folder}:{today.date()}",
        "idempotent": False,
        "undo": "The files are gone; the off-site copy keeps them for a year.",
        "expires_in": 12 * 3600,
    }
    try:
        with ImpriClient() as client, client.gate(**proposal) as approved:
            for name in approved.payload["files"]:
                Path(name).unlink(missing_ok=True)
            approved.set_result(detail=f"Removed {len(approved.payload['files'])} files.")
    except (ImpriAlreadyRun, ImpriConflict) as other:
        print(f"Another run has it: {other}")
        return 0
    except ImpriNotApproved as no:
        print(f"Nothing was removed: {no}")
        return 1
    print(f"Removed {len(old)} files.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]), int(sys.argv[2])))
